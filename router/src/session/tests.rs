//! Sessions over real sockets, with the test in the place of the gem.

use super::*;
use crate::table::{Principal, SessionId};
use http_body_util::BodyExt;
use protocol::gem::topic;
use protocol::limits::SESSION_ID_BYTES;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::sync::Semaphore;

/// The gem's end of one lane.
struct Peer {
    stream: UnixStream,
    decoder: Decoder,
}

impl Peer {
    fn new(stream: StdUnixStream) -> Self {
        stream.set_nonblocking(true).expect("set");
        Self { stream: UnixStream::from_std(stream).expect("a stream"), decoder: Decoder::new(FRAME_BYTES_MAX) }
    }

    /// The next frame; `None` at the end.
    async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = self.decoder.next_frame().expect("lawful") {
                return Some(frame);
            }
            match self.stream.read(self.decoder.space()).await.unwrap_or(0) {
                0 => return None,
                count => self.decoder.advance(count),
            }
        }
    }

    async fn send(&mut self, kind: u8, exchange: u64, parts: &[&[u8]]) {
        let mut bytes = Vec::new();
        frame::encode_parts(&mut bytes, kind, exchange, parts);
        self.stream.write_all(&bytes).await.expect("written");
    }

    async fn finish(&mut self, exchange: u64, body: &str) {
        self.send(up::FINAL, exchange, &[&Final::head(200, false), body.as_bytes()]).await;
    }
}

struct Scene {
    session: Arc<Session>,
    around: Arc<Surroundings>,
    id: WorkerKey,
    calls: Peer,
    control: Peer,
}

fn scene() -> Scene {
    let kind =
        SessionKind { revision: protocol::revision::newest_of_sessions(), remedy: Remedy::Initialize, handle: None };
    let id = WorkerKey::Session { principal: Principal::default(), id: SessionId::random().expect("randomness") };
    scene_in(Arc::default(), kind, id)
}

/// A gem for one request that stands for itself.
fn alone_in(around: Arc<Surroundings>, number: u64) -> (Scene, WorkerKey) {
    let revision = protocol::revision::find("2026-07-28").expect("served");
    let handle = SessionId::random().expect("randomness");
    let kind = SessionKind { revision, remedy: Remedy::Repeat, handle: Some(handle) };
    (
        scene_in(around, kind, WorkerKey::Ephemeral(number)),
        WorkerKey::Handle { principal: Principal::default(), handle },
    )
}

fn scene_in(around: Arc<Surroundings>, kind: SessionKind, id: WorkerKey) -> Scene {
    let room = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("room");
    let (calls, its_calls) = StdUnixStream::pair().expect("a pair");
    let (control, its_control) = StdUnixStream::pair().expect("a pair");
    let gem = Arc::new(Gem::new(1));
    let session = Session::start(gem, kind, around.clone(), room, (calls, control)).expect("started");
    assert!(session.become_ready(id.clone()));
    let ready = Ready { toolsets: Vec::new(), sandbox: Vec::new(), topics: Vec::new(), lists_move: false };
    session.ready.send_replace(Some(Arc::new(ready)));
    Scene { session, around, id, calls: Peer::new(its_calls), control: Peer::new(its_control) }
}

fn parcel<'a>(session: &Session, body: &'a [u8]) -> Parcel<'a> {
    Parcel { revision: session.revision, headers: &[], body, may_last: false }
}

fn ask(session: &Session, id: &str, body: &[u8]) -> oneshot::Receiver<Answer> {
    session.ask(Way::Calls, id, &parcel(session, body)).expect("taken").1
}

async fn whole(receiver: oneshot::Receiver<Answer>) -> Bytes {
    match receiver.await.expect("answered") {
        Answer::Whole { body, .. } => body,
        other => panic!("{other:?}"),
    }
}

async fn loss(receiver: oneshot::Receiver<Answer>) -> Loss {
    match receiver.await.expect("answered") {
        Answer::Lost(loss) => loss,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn equal_ids_get_their_own_answers_in_any_order() {
    let mut scene = scene();
    let receivers: Vec<_> = (0..8).map(|index| ask(&scene.session, "1", format!("{index}").as_bytes())).collect();
    let mut frames = Vec::new();
    for _ in 0..8 {
        frames.push(scene.calls.next().await.expect("a frame"));
    }
    frames.reverse();
    for frame in &frames {
        let (message, headers) = ClientMessage::decode(&frame.body).expect("decodes");
        assert_eq!((message.revision, headers.len()), ("2025-11-25", 0));
        scene.calls.finish(frame.exchange, &format!("answer {}", String::from_utf8_lossy(message.body))).await;
    }
    for (index, receiver) in receivers.into_iter().enumerate() {
        assert_eq!(whole(receiver).await, format!("answer {index}"));
    }
}

#[tokio::test]
async fn a_frame_reaches_the_gem_whole_though_its_client_is_gone() {
    let mut scene = scene();
    let body = vec![b'x'; FRAME_BYTES_MAX / 2];
    // Far more than a socket holds, and nobody waits for the answers.
    for _ in 0..4 {
        drop(ask(&scene.session, "1", &body));
    }
    for _ in 0..4 {
        let frame = scene.calls.next().await.expect("a frame");
        assert_eq!(ClientMessage::decode(&frame.body).expect("decodes").0.body, body);
        scene.calls.finish(frame.exchange, "{}").await;
    }
    let receiver = ask(&scene.session, "1", b"next");
    let exchange = scene.calls.next().await.expect("a frame").exchange;
    scene.calls.finish(exchange, "here").await;
    assert_eq!(whole(receiver).await, "here");
}

#[tokio::test]
async fn a_message_before_the_answer_makes_a_stream() {
    let mut scene = scene();
    let receiver = ask(&scene.session, "1", b"call");
    let exchange = scene.calls.next().await.expect("a frame").exchange;
    scene.calls.send(up::MESSAGE, exchange, &[b"progress"]).await;
    let Answer::Stream(source) = receiver.await.expect("answered") else { panic!("no stream") };
    scene.calls.finish(exchange, "answer").await;
    let stream = crate::events::EventStream::new(source, None, Duration::from_secs(60), ());
    let text = stream.collect().await.expect("whole").to_bytes();
    assert_eq!(text, "id: 1-1\nevent: message\ndata: progress\n\nid: 1-2\nevent: message\ndata: answer\n\n");
}

#[tokio::test]
async fn a_gem_that_breaks_its_link_is_cut_off_and_its_callers_are_told() {
    let framed = |kind: u8, exchange: u64, body: &[u8]| {
        let mut bytes = Vec::new();
        frame::encode(&mut bytes, kind, exchange, body);
        bytes
    };
    let mut endless = u32::MAX.to_le_bytes().to_vec();
    endless.extend_from_slice(&[up::FINAL; 9]);
    let breaches = [
        endless,
        framed(up::FINAL, 77, &[200, 0, 0]),
        framed(up::FINAL, 1, &[200]),
        framed(up::FINAL, 0, &[200, 0, 0, b'x']),
        framed(up::MESSAGE, 77, b"{}"),
        framed(up::EVENT, 0, &[255; 8]),
        framed(up::FAILED, 0, br#"{"kind":"late","message":"no"}"#),
        framed(up::READY, 0, b"not json"),
        framed(99, 1, b""),
        framed(down::MESSAGE, 1, b""),
    ];
    for breach in breaches {
        let mut scene = scene();
        let receiver = ask(&scene.session, "1", b"call");
        scene.calls.stream.write_all(&breach).await.expect("written");
        scene.session.over().await;
        assert!(scene.around.table.get(&scene.id).is_none(), "{breach:?}");
        assert_eq!(loss(receiver).await, Loss::WorkerDied, "{breach:?}");
        let refused = scene.session.ask(Way::Calls, "1", &parcel(&scene.session, b"more")).expect_err("refused");
        assert_eq!(refused, Refused::Closed(Loss::WorkerDied));
        drop(scene.control);
    }
}

#[tokio::test]
async fn why_a_gem_cannot_serve_is_heard_though_it_is_gone_when_it_is_asked() {
    let mut scene = scene();
    scene.session.ready.send_replace(None);
    let first = ask(&scene.session, "1", b"call");
    scene.calls.next().await.expect("a frame");
    let mut failed = Vec::new();
    frame::encode(&mut failed, up::FAILED, 0, br#"{"kind":"unknownToolset","message":"no"}"#);
    let mut calls = scene.calls.stream.into_std().expect("a stream");
    std::io::Write::write_all(&mut calls, &failed).expect("written");
    // The session's own task does not run between this and the next message, which finds nobody to read it.
    drop((calls, scene.control));
    let second = ask(&scene.session, "2", b"call");
    let expected = Loss::Failed { kind: "unknownToolset".to_owned(), message: "no".to_owned() };
    assert_eq!((loss(first).await, loss(second).await), (expected.clone(), expected));
}

#[tokio::test]
async fn an_answer_twice_is_a_breach() {
    let mut scene = scene();
    let receiver = ask(&scene.session, "1", b"call");
    let exchange = scene.calls.next().await.expect("a frame").exchange;
    scene.calls.finish(exchange, "one").await;
    scene.calls.finish(exchange, "two").await;
    assert_eq!(whole(receiver).await, "one");
    scene.session.over().await;
}

#[tokio::test]
async fn how_the_process_ended_decides_what_callers_hear() {
    for (end, expected) in [
        (End::Status(protocol::gem::exit::STONE_LOST), Loss::StoneLost),
        (End::Status(137), Loss::WorkerDied),
        (End::NotForked(11), Loss::NotForked { errno: 11 }),
        (End::Unknown, Loss::WorkerDied),
    ] {
        let scene = scene();
        let receivers = [ask(&scene.session, "1", b"call"), ask(&scene.session, "2", b"call")];
        scene.session.gem.ended(end);
        drop((scene.calls, scene.control));
        for receiver in receivers {
            assert_eq!(loss(receiver).await, expected);
        }
    }
}

#[tokio::test]
async fn a_cancel_names_the_exchange_and_not_the_id() {
    let mut scene = scene();
    let _first = ask(&scene.session, "1", b"call");
    let _second = ask(&scene.session, "\"1\"", b"call");
    let exchange = scene.calls.next().await.expect("a frame").exchange;
    scene.session.cancel("7");
    scene.session.cancel("1");
    let frame = scene.control.next().await.expect("a frame");
    assert_eq!((frame.kind, frame.exchange), (down::CANCEL, exchange));
}

#[tokio::test]
async fn ending_tells_the_gem_and_forgets_the_session_at_once() {
    let mut scene = scene();
    let receiver = ask(&scene.session, "1", b"call");
    scene.session.end(Loss::SessionEnded);
    assert!(scene.around.table.get(&scene.id).is_none());
    assert_eq!(scene.control.next().await.map(|frame| frame.kind), Some(down::SHUTDOWN));
    let exchange = scene.calls.next().await.expect("a frame").exchange;
    drop(scene.control);
    // What the gem still said is heard.
    scene.calls.finish(exchange, "last").await;
    drop(scene.calls);
    assert_eq!(whole(receiver).await, "last");
    scene.session.over().await;
    let id = SessionId::parse(&[b'0'; 2 * SESSION_ID_BYTES]).expect("an id");
    assert!(!scene.session.become_ready(WorkerKey::Session { principal: Principal::default(), id }));
}

#[tokio::test]
async fn events_go_to_the_newest_listener() {
    let mut scene = scene();
    let older = crate::events::EventStream::new(scene.session.listen(), None, Duration::from_secs(60), ());
    let newer = crate::events::EventStream::new(scene.session.listen(), None, Duration::from_secs(60), ());
    assert_eq!(older.collect().await.expect("whole").to_bytes(), "", "a newer one takes over");
    assert!(scene.session.subscribe("a:b", true));
    for (topic, subject) in [(topic::TOOLS, ""), (topic::RESOURCE, "a:b"), (topic::RESOURCE, "a:c")] {
        scene.calls.send(up::EVENT, 0, &[&Event { topic, subject, details: "" }.encode()]).await;
    }
    // The other lane stays open until this one has been read to its end.
    drop(scene.calls);
    let text = newer.collect().await.expect("whole").to_bytes();
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let updated = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}"#;
    let event = |number, data| format!("id: 0-{number}\nevent: message\ndata: {data}\n\n");
    assert_eq!(text, [event(1, changed), event(2, updated)].concat());
}

#[tokio::test]
async fn idle_sessions_end_and_busy_ones_do_not() {
    let mut scene = scene();
    let clocks = Clocks { call: Duration::from_secs(600), idle: Duration::from_secs(30) };
    let receiver = ask(&scene.session, "1", b"call");
    let later = Instant::now() + Duration::from_secs(60);
    scene.session.sweep(later, &clocks);
    assert!(scene.around.table.get(&scene.id).is_some(), "a call is under way");
    let exchange = scene.calls.next().await.expect("a frame").exchange;
    scene.calls.finish(exchange, "{}").await;
    whole(receiver).await;
    scene.session.sweep(Instant::now() + Duration::from_secs(29), &clocks);
    assert!(scene.around.table.get(&scene.id).is_some(), "idleness counts from the end of the last call");
    scene.session.sweep(Instant::now() + Duration::from_secs(31), &clocks);
    assert!(scene.around.table.get(&scene.id).is_none());
    assert_eq!(scene.control.next().await.map(|frame| frame.kind), Some(down::SHUTDOWN));
}

#[tokio::test]
async fn a_call_over_its_time_is_cancelled_and_then_its_gem_is_given_up() {
    let mut scene = scene();
    let clocks = Clocks { call: Duration::from_secs(10), idle: Duration::from_secs(3600) };
    let receiver = ask(&scene.session, "1", b"call");
    let exchange = scene.calls.next().await.expect("a frame").exchange;
    let grace = Duration::from_millis(CANCEL_GRACE_MILLIS);
    let overdue = Instant::now() + clocks.call + grace;
    scene.session.sweep(overdue, &clocks);
    let frame = scene.control.next().await.expect("a frame");
    assert_eq!((frame.kind, frame.exchange), (down::CANCEL, exchange));
    scene.session.sweep(overdue + grace, &clocks);
    // The process that would be killed now closes its sockets.
    drop((scene.calls, scene.control));
    assert_eq!(loss(receiver).await, Loss::Timeout);
}

#[tokio::test]
async fn a_gem_lasts_as_long_as_something_may_be_asked_of_its_tasks() {
    let (mut scene, handle) = alone_in(Arc::default(), 1);
    assert!(scene.session.may_last(&Principal::default()));
    assert!(scene.around.table.get(&scene.id).is_none(), "it is found by one key only");
    let clocks = Clocks { call: Duration::from_secs(10), idle: Duration::from_secs(1) };
    let lasting = |running| Lasting { running, millis: 60_000 }.encode();
    scene.calls.send(up::LASTING, 1, &[&lasting(true)]).await;
    while !scene.session.has_tasks() {
        tokio::task::yield_now().await;
    }
    assert!(!scene.session.is_idle(), "a task runs");
    scene.session.sweep(Instant::now() + Duration::from_secs(50), &clocks);
    assert!(scene.around.table.get(&handle).is_some());
    scene.calls.send(up::LASTING, 1, &[&lasting(false)]).await;
    while !scene.session.is_idle() {
        tokio::task::yield_now().await;
    }
    scene.session.sweep(Instant::now() + Duration::from_secs(50), &clocks);
    assert!(scene.around.table.get(&handle).is_some(), "what it came to can still be asked for");
    scene.session.sweep(Instant::now() + Duration::from_secs(61), &clocks);
    assert!(scene.around.table.get(&handle).is_none());
    assert_eq!(scene.control.next().await.map(|frame| frame.kind), Some(down::SHUTDOWN));
}

#[tokio::test]
async fn only_so_many_gems_are_held_by_handles() {
    let around = Arc::new(Surroundings::new(2));
    let (first, handle) = alone_in(around.clone(), 1);
    let (second, other) = alone_in(around.clone(), 2);
    assert!(first.session.may_last(&Principal::default()));
    assert!(!second.session.may_last(&Principal::default()), "half of two is one");
    assert!(around.table.get(&handle).is_some() && around.table.get(&other).is_none());
    assert!(around.table.get(&second.id).is_some(), "it serves its call all the same");
    first.session.end(Loss::SessionEnded);
    assert!(second.session.may_last(&Principal::default()));
    let stranger =
        WorkerKey::Handle { principal: Principal("other".into()), handle: second.session.handle.expect("one") };
    assert!(around.table.get(&stranger).is_none(), "nobody else finds it");
}
