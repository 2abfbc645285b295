//! Sessions over a link that only notes what it is told, with the test in the place of the process.

use super::*;
use crate::backend::{Ended, Event, EventSink, Violation};
use crate::core::events::tests::rest;
use crate::core::failure::Failure;
use protocol::gem::{Bind, Event as Notice, Failed, Lasting, topic};
use protocol::limits::{CALLS_IN_FLIGHT_MAX, SESSION_ID_BYTES};
use tokio::sync::{Semaphore, oneshot};

/// What a link was told.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    Forward(Route, u64, Bytes),
    Cancel(u64),
    Finish,
    Kill,
}

/// A link to nowhere.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<Told>>);

impl Notes {
    fn note(&self, told: Told) {
        lock(&self.0).push(told);
    }

    /// What it was told since this was asked last.
    fn take(&self) -> Vec<Told> {
        std::mem::take(&mut lock(&self.0))
    }

    /// The numbers of the exchanges that were forwarded since then.
    fn exchanges(&self) -> Vec<u64> {
        let number = |told| if let Told::Forward(_, number, _) = told { Some(number) } else { None };
        self.take().into_iter().filter_map(number).collect()
    }
}

impl Link for Notes {
    fn number(&self) -> u64 {
        1
    }

    fn pid(&self) -> u32 {
        0
    }

    fn start(self: Arc<Self>, _: Arc<dyn EventSink>) {}

    fn prepare(&self, _: &Prepare) {}

    fn bind(&self, _: &Bind<'_>) {}

    fn forward(&self, route: Route, exchange: u64, message: &Message) -> Result<(), Full> {
        self.note(Told::Forward(route, exchange, message.body.clone()));
        Ok(())
    }

    fn cancel(&self, exchange: u64) {
        self.note(Told::Cancel(exchange));
    }

    fn finish(&self) {
        self.note(Told::Finish);
    }

    fn kill(&self) {
        self.note(Told::Kill);
    }
}

struct Scene {
    session: Arc<Session>,
    shared: Arc<Shared>,
    key: WorkerKey,
    link: Arc<Notes>,
}

impl Scene {
    fn new() -> Self {
        Self::of(session_kind())
    }

    fn of(kind: SessionKind) -> Self {
        let id = SessionId::random().expect("randomness");
        Self::within(Arc::default(), kind, WorkerKey::Session { principal: Principal::default(), id })
    }

    fn within(shared: Arc<Shared>, kind: SessionKind, key: WorkerKey) -> Self {
        let room = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("room");
        let link = Arc::new(Notes::default());
        let session = Session::start(link.clone(), kind, shared.clone(), room);
        assert!(session.become_ready(key.clone()));
        Self { session, shared, key, link }
    }

    fn ask(&self, id: &str, body: &str) -> oneshot::Receiver<Answer> {
        let (sender, receiver) = oneshot::channel();
        self.ask_for(id, body, Responder::Request(sender)).expect("taken");
        receiver
    }

    fn ask_for(&self, id: &str, body: &str, responder: Responder) -> Result<u64, Refused> {
        let message = Message::in_session(&self.session, &Bytes::copy_from_slice(body.as_bytes()));
        self.session.ask(Route::Calls, id, message, responder)
    }

    fn says(&self, event: Event) {
        self.session.on_event(event).expect("allowed");
    }

    fn finish(&self, exchange: u64, body: &str) {
        let body = Bytes::copy_from_slice(body.as_bytes());
        self.says(Event::Final { exchange, status: 200, keep: false, body });
    }

    fn is_found(&self) -> bool {
        self.shared.table.get(&self.key).is_some()
    }

    fn sweep(&self, later: Duration, clocks: &Clocks) {
        self.session.sweep(Instant::now() + later, clocks);
    }
}

fn session_kind() -> SessionKind {
    let revision = protocol::revision::newest_of_sessions();
    SessionKind { revision, recovery: Recovery::Initialize, handle: None, connection: None }
}

/// A gem for one request that stands for itself, and the key by which its tasks would be found.
fn stateless(shared: Arc<Shared>, number: u64) -> (Scene, WorkerKey) {
    let revision = protocol::revision::find("2026-07-28").expect("served");
    let handle = SessionId::random().expect("randomness");
    let kind = SessionKind { revision, recovery: Recovery::Repeat, handle: Some(handle), connection: None };
    let key = WorkerKey::Handle { principal: Principal::default(), handle };
    (Scene::within(shared, kind, WorkerKey::Ephemeral(number)), key)
}

const DIED: EndReason = EndReason::Crashed { status: Some(137), last_words: None };

fn exited(status: i32) -> Event {
    Event::Ended(Ended::Exited { status: Some(status), last_words: None })
}

async fn whole(receiver: oneshot::Receiver<Answer>) -> Bytes {
    match receiver.await.expect("answered") {
        Answer::Whole { body, .. } => body,
        other => panic!("{other:?}"),
    }
}

async fn failure(receiver: oneshot::Receiver<Answer>) -> Failure {
    match receiver.await.expect("answered") {
        Answer::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn equal_ids_get_their_own_answers_in_any_order() {
    let scene = Scene::new();
    let receivers: Vec<_> = (0..8).map(|index| scene.ask("1", &index.to_string())).collect();
    let told = scene.link.take();
    for told in told.iter().rev() {
        let Told::Forward(Route::Calls, exchange, body) = told else { panic!("{told:?}") };
        scene.finish(*exchange, &format!("answer {}", String::from_utf8_lossy(body)));
    }
    for (index, receiver) in receivers.into_iter().enumerate() {
        assert_eq!(whole(receiver).await, format!("answer {index}"));
    }
}

#[tokio::test]
async fn what_waits_for_its_turn_is_forwarded_when_another_is_answered() {
    let scene = Scene::new();
    let receivers: Vec<_> = (0..=CALLS_IN_FLIGHT_MAX).map(|index| scene.ask("1", &index.to_string())).collect();
    let first = scene.link.exchanges();
    assert_eq!(first.len(), CALLS_IN_FLIGHT_MAX);
    scene.finish(first[3], "done");
    let next = scene.link.exchanges();
    assert_eq!(next.len(), 1);
    scene.finish(next[0], "last");
    assert_eq!(whole(receivers.into_iter().next_back().expect("one")).await, "last");
}

#[tokio::test]
async fn a_message_before_the_answer_makes_a_stream() {
    let scene = Scene::new();
    let receiver = scene.ask("1", "call");
    let exchange = scene.link.exchanges()[0];
    scene.says(Event::Message { exchange, body: Bytes::from_static(b"progress") });
    let Answer::Stream(reader) = receiver.await.expect("answered") else { panic!("no stream") };
    scene.finish(exchange, "answer");
    assert_eq!(rest(reader).await, ["progress", "answer"]);
    let again = scene.session.resume(EventId { stream: exchange, event: 1 }).expect("kept");
    assert_eq!(rest(again).await, ["answer"]);
}

#[tokio::test]
async fn what_a_process_must_not_say_is_a_violation() {
    let scene = Scene::new();
    let receiver = scene.ask("1", "call");
    let exchange = scene.link.exchanges()[0];
    scene.says(Event::Ready(Ready { toolsets: vec![], sandbox: vec![], topics: vec![], lists_move: false }));
    let body = || Bytes::from_static(b"{}");
    let other = Notice { topic: "other", ..Notice::default() }.encode();
    for event in [
        Event::Final { exchange: 77, status: 200, keep: false, body: body() },
        Event::Final { exchange: 0, status: 200, keep: false, body: body() },
        Event::Message { exchange: 77, body: body() },
        Event::Notice(Bytes::from_static(&[255; 8])),
        Event::Notice(Bytes::from(other)),
        Event::Failed(Failed { kind: "late".into(), message: "no".into() }),
    ] {
        let shown = format!("{event:?}");
        assert!(scene.session.on_event(event).is_err(), "{shown}");
    }
    scene.finish(exchange, "one");
    let twice = Event::Final { exchange, status: 200, keep: false, body: body() };
    assert_eq!(scene.session.on_event(twice), Err(Violation("an answer to no exchange")));
    assert_eq!(whole(receiver).await, "one");
}

#[tokio::test]
async fn a_process_that_ends_takes_its_session_with_it_and_callers_hear_why() {
    for (ended, expected) in [
        (Ended::StoneLost, EndReason::StoneLost),
        (Ended::Exited { status: Some(137), last_words: None }, DIED),
        (Ended::NotStarted(11), EndReason::NotStarted { errno: 11 }),
    ] {
        let scene = Scene::new();
        let receivers = [scene.ask("1", "call"), scene.ask("2", "call")];
        scene.says(Event::Ended(ended));
        assert!(!scene.is_found());
        scene.session.over().await;
        for receiver in receivers {
            assert_eq!(failure(receiver).await, Failure::Ended(expected.clone()));
        }
        let (sender, _receiver) = oneshot::channel();
        let refused = scene.ask_for("1", "more", Responder::Request(sender)).expect_err("refused");
        assert_eq!(refused, Refused::Closed(expected));
    }
}

#[tokio::test]
async fn why_a_process_cannot_serve_is_what_all_its_callers_hear() {
    let scene = Scene::new();
    let receiver = scene.ask("1", "call");
    scene.says(Event::Failed(Failed { kind: "unknownToolset".to_owned(), message: "no".to_owned() }));
    let expected = EndReason::Refused { kind: "unknownToolset".to_owned(), message: "no".to_owned() };
    assert!(scene.session.ready().await.is_none());
    let (sender, _receiver) = oneshot::channel();
    let refused = scene.ask_for("2", "call", Responder::Request(sender));
    assert_eq!(refused, Err(Refused::Closed(expected.clone())));
    scene.says(exited(69));
    assert_eq!(failure(receiver).await, Failure::Ended(expected));
}

#[tokio::test]
async fn a_cancel_names_every_exchange_of_that_id_and_no_other() {
    let scene = Scene::new();
    let kept = [scene.ask("1", "call"), scene.ask("\"1\"", "call"), scene.ask("\"a\"", "call")];
    let exchanges = scene.link.exchanges();
    scene.session.cancel("7");
    assert_eq!(scene.link.take(), []);
    scene.session.cancel("1");
    assert_eq!(scene.link.take(), [Told::Cancel(exchanges[0])]);
    scene.session.cancel("\"\\u0061\"");
    assert_eq!(scene.link.take(), [Told::Cancel(exchanges[2])]);
    scene.finish(exchanges[2], "too late");
    let [_, _, third] = kept;
    assert_eq!(whole(third).await, "", "what was given up is acknowledged with nothing");
}

#[tokio::test]
async fn ending_tells_the_process_and_forgets_the_session_at_once() {
    let scene = Scene::new();
    let receiver = scene.ask("1", "call");
    let exchange = scene.link.exchanges()[0];
    scene.session.end(EndReason::Client);
    assert!(!scene.is_found());
    assert_eq!(scene.link.take(), [Told::Finish]);
    // What the process still says is heard.
    scene.finish(exchange, "last");
    assert_eq!(whole(receiver).await, "last");
    scene.says(exited(0));
    scene.session.over().await;
    assert_eq!(scene.session.reason(), Some(EndReason::Client), "the first reason holds");
    let id = SessionId::parse(&[b'0'; 2 * SESSION_ID_BYTES]).expect("an id");
    assert!(!scene.session.become_ready(WorkerKey::Session { principal: Principal::default(), id }));
}

#[tokio::test]
async fn a_process_that_does_not_finish_is_killed() {
    let scene = Scene::new();
    let clocks = Clocks { call: Duration::from_secs(600), idle: Duration::from_secs(600) };
    let grace = Duration::from_millis(CANCEL_GRACE_MILLIS);
    scene.session.end(EndReason::Client);
    scene.sweep(grace / 2, &clocks);
    assert_eq!(scene.link.take(), [Told::Finish]);
    scene.sweep(grace, &clocks);
    assert_eq!(scene.link.take(), [Told::Kill]);
}

#[tokio::test]
async fn events_go_to_the_newest_listener() {
    let scene = Scene::new();
    let older = scene.session.listen();
    let newer = scene.session.listen();
    assert!(rest(older).await.is_empty(), "a newer one takes over");
    assert!(scene.session.subscribe("a:b", true));
    for (topic, subject) in [(topic::TOOLS, ""), (topic::RESOURCE, "a:b"), (topic::RESOURCE, "a:c")] {
        scene.says(Event::Notice(Bytes::from(Notice { topic, subject, details: "" }.encode())));
    }
    scene.says(exited(0));
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let updated = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}"#;
    assert_eq!(rest(newer).await, [changed, updated]);
}

#[tokio::test]
async fn over_a_connection_all_comes_in_the_order_in_which_it_was_said() {
    let output = EventBuffer::passing();
    let reader = output.read_on();
    let scene = Scene::of(SessionKind { connection: Some(output.clone()), ..session_kind() });
    let responder = || Responder::Connection(output.clone());
    for id in ["1", "2", "3"] {
        scene.ask_for(id, "call", responder()).expect("taken");
    }
    let exchanges = scene.link.exchanges();
    scene.says(Event::Message { exchange: exchanges[1], body: Bytes::from_static(b"progress") });
    let notice = Notice { topic: topic::TOOLS, ..Notice::default() };
    scene.says(Event::Notice(Bytes::from(notice.encode())));
    scene.session.cancel("1");
    scene.finish(exchanges[0], "cancelled");
    scene.finish(exchanges[1], "answer");
    scene.says(exited(1));
    output.close();
    let texts = rest(reader).await;
    assert_eq!(texts.len(), 4, "{texts:?}");
    assert_eq!((&*texts[0], &*texts[2]), ("progress", "answer"));
    assert!(texts[1].contains("list_changed") && texts[3].contains("workerDied") && texts[3].contains("\"id\":3"));
}

#[tokio::test]
async fn idle_sessions_end_and_busy_or_bound_ones_do_not() {
    let scene = Scene::new();
    let clocks = Clocks { call: Duration::from_secs(600), idle: Duration::from_secs(30) };
    let receiver = scene.ask("1", "call");
    scene.sweep(Duration::from_secs(60), &clocks);
    assert!(scene.is_found(), "a call is under way");
    scene.finish(scene.link.exchanges()[0], "{}");
    whole(receiver).await;
    scene.sweep(Duration::from_secs(29), &clocks);
    assert!(scene.is_found(), "idleness counts from the end of the last call");
    scene.sweep(Duration::from_secs(31), &clocks);
    assert!(!scene.is_found());
    assert_eq!((scene.link.take(), scene.session.reason()), (vec![Told::Finish], Some(EndReason::Idle)));
    let bound = Scene::of(SessionKind { connection: Some(EventBuffer::passing()), ..session_kind() });
    bound.sweep(Duration::from_secs(2 * SESSION_SECONDS_MAX), &clocks);
    assert!(bound.is_found(), "it lasts as long as its connection");
}

#[tokio::test]
async fn a_call_over_its_time_is_cancelled_and_then_its_process_is_killed() {
    let scene = Scene::new();
    let clocks = Clocks { call: Duration::from_secs(10), idle: Duration::from_secs(3600) };
    let receivers = [scene.ask("1", "call"), scene.ask("2", "call")];
    let exchange = scene.link.exchanges()[0];
    let grace = Duration::from_millis(CANCEL_GRACE_MILLIS);
    let overdue = Instant::now() + clocks.call + grace;
    scene.session.sweep(overdue, &clocks);
    assert_eq!(scene.link.take(), [Told::Cancel(exchange)]);
    scene.session.sweep(overdue + grace, &clocks);
    assert_eq!(scene.link.take(), [Told::Kill]);
    assert!(!scene.is_found());
    scene.says(exited(137));
    let [first, second] = receivers;
    assert_eq!(failure(first).await, Failure::Timeout);
    assert_eq!(failure(second).await, Failure::Ended(EndReason::Killed(Killed::CallDeadline)));
}

#[tokio::test]
async fn a_gem_lasts_as_long_as_something_may_be_asked_of_its_tasks() {
    let (scene, handle) = stateless(Arc::default(), 1);
    let is_found = || scene.shared.table.get(&handle).is_some();
    assert!(scene.session.may_last(&Principal::default()));
    assert!(!scene.is_found(), "it is found by one key only");
    let clocks = Clocks { call: Duration::from_secs(10), idle: Duration::from_secs(1) };
    let lasting = |running| Event::Lasting(Lasting { running, millis: 60_000 });
    scene.says(lasting(true));
    assert!(scene.session.has_tasks() && !scene.session.is_idle(), "a task runs");
    scene.sweep(Duration::from_secs(50), &clocks);
    assert!(is_found());
    scene.says(lasting(false));
    assert!(scene.session.is_idle());
    scene.sweep(Duration::from_secs(50), &clocks);
    assert!(is_found(), "what it came to can still be asked for");
    scene.sweep(Duration::from_secs(61), &clocks);
    assert!(!is_found());
    assert_eq!(scene.link.take(), [Told::Finish]);
}

#[tokio::test]
async fn only_so_many_gems_are_held_by_handles() {
    let shared = Arc::new(Shared::new(2));
    let (first, handle) = stateless(shared.clone(), 1);
    let (second, other) = stateless(shared.clone(), 2);
    assert!(first.session.may_last(&Principal::default()));
    assert!(!second.session.may_last(&Principal::default()), "half of two is one");
    assert!(shared.table.get(&handle).is_some() && shared.table.get(&other).is_none());
    assert!(second.is_found(), "it serves its call all the same");
    first.session.end(EndReason::Client);
    assert!(second.session.may_last(&Principal::default()));
    let stranger =
        WorkerKey::Handle { principal: Principal("other".into()), handle: second.session.handle.expect("one") };
    assert!(shared.table.get(&stranger).is_none(), "nobody else finds it");
}
