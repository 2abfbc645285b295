//! The exchanges of one route: which are with the process, which wait, and where their answers go.
//!
//! Pure bookkeeping over numbers that the router gives out: no sockets, no clock of its own. A JSON-RPC id is kept for
//! one purpose beside echoing it: to find what a client's `notifications/cancelled` means.

use crate::backend::Message;
use crate::core::events::{EventBuffer, EventReader, EventSender};
use crate::core::failure::{EndReason, Failure, Recovery};
use crate::core::request_id;
use crate::core::session::batch::Batch;
use crate::core::session::streams::Streams;
use bytes::Bytes;
use protocol::limits::{CALLS_IN_FLIGHT_MAX, CALLS_QUEUED_MAX};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The status of an acknowledgement.
const ACCEPTED: u16 = 202;

/// What a request gets.
#[derive(Debug)]
pub(crate) enum Answer {
    /// One JSON body, with the HTTP status that the process asks for.
    Whole {
        /// The HTTP status.
        status: u16,
        /// The JSON-RPC response; may be empty.
        body: Bytes,
    },
    /// The process says something before it answers: a stream.
    Stream(EventReader),
    /// There is no answer.
    Failed(Failure),
}

/// Where what answers a request goes.
#[derive(Debug)]
pub(crate) enum Responder {
    /// To a request that has got nothing yet.
    Request(oneshot::Sender<Answer>),
    /// To the stream that it became.
    Stream(EventSender),
    /// To a connection that carries all messages of its client, in order.
    Connection(Arc<EventBuffer>),
    /// To a request of several messages.
    Batch(Arc<Batch>),
    /// Nowhere any more.
    Nobody,
}

impl Responder {
    /// This one; nobody is left in its place.
    pub(crate) fn take(&mut self) -> Self {
        std::mem::replace(self, Responder::Nobody)
    }

    /// Sends a message that comes before the answer; `open` makes the stream that a waiting request becomes.
    pub(crate) fn message(self, body: Bytes, open: impl FnOnce() -> (EventSender, EventReader)) -> Self {
        match self {
            Responder::Request(waiting) => {
                let (sender, reader) = open();
                sender.send(body);
                match waiting.send(Answer::Stream(reader)) {
                    Ok(()) => Responder::Stream(sender),
                    Err(_) => Responder::Nobody,
                }
            }
            Responder::Stream(sender) => match sender.send(body) {
                true => Responder::Stream(sender),
                false => Responder::Nobody,
            },
            Responder::Connection(buffer) => {
                buffer.send_or_close(body);
                Responder::Connection(buffer)
            }
            Responder::Batch(batch) => {
                batch.message(body, open);
                Responder::Batch(batch)
            }
            Responder::Nobody => Responder::Nobody,
        }
    }

    /// Sends the answer.
    pub(crate) fn finish(self, status: u16, body: Bytes) {
        match self {
            // A receiver that is gone belongs to a client that is gone.
            Responder::Request(waiting) => drop(waiting.send(Answer::Whole { status, body })),
            Responder::Stream(sender) if !body.is_empty() => drop(sender.send(body)),
            Responder::Connection(buffer) if !body.is_empty() => buffer.send_or_close(body),
            Responder::Batch(batch) => batch.finish(body),
            Responder::Stream(_) | Responder::Connection(_) | Responder::Nobody => {}
        }
    }
}

/// One request and all that answers it.
#[derive(Debug)]
pub(crate) struct Exchange {
    number: u64,
    id: Box<str>,
    responder: Responder,
    /// The client gave it up: it wants no answer any more.
    cancelled: bool,
}

/// A process names an exchange that is not with it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoSuchExchange;

/// What became of an exchange that was begun.
#[derive(Debug)]
pub(crate) enum Begun {
    /// Send its message now.
    Send(Message),
    /// It waits for its turn.
    Queued,
    /// The queue is full.
    Full,
}

/// All exchanges of one route.
#[derive(Debug)]
pub(crate) struct ExchangeTable {
    in_flight: VecDeque<Exchange>,
    queued: VecDeque<(Exchange, Message)>,
    /// Since when the oldest one has been the oldest; while there is none, since when.
    head_since: Instant,
    /// When the process was told to give the oldest one up because its time was over.
    told_at: Option<Instant>,
    /// Whether the process is at work for none of them, so that their clock stands still.
    is_paused: bool,
}

impl Exchange {
    /// An exchange whose answer goes to `responder`.
    pub(crate) fn new(number: u64, id: Box<str>, responder: Responder) -> Self {
        Self { number, id, responder, cancelled: false }
    }

    fn fail(self, failure: &Failure, recovery: Recovery) {
        match self.responder {
            Responder::Request(waiting) => drop(waiting.send(Answer::Failed(failure.clone()))),
            Responder::Nobody => {}
            // What was cancelled gets no answer where none must be given.
            Responder::Connection(_) if self.cancelled => {}
            other => other.finish(200, Bytes::from(failure.body(Some(&self.id), recovery))),
        }
    }
}

/// What has to happen because time went on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Overdue {
    /// Nothing.
    No,
    /// Tell the process to give this exchange up.
    Cancel(u64),
    /// It was told and did not: the process must go.
    Kill,
}

impl ExchangeTable {
    /// No exchanges.
    pub(crate) fn new(now: Instant) -> Self {
        let (in_flight, queued) = (VecDeque::new(), VecDeque::new());
        Self { in_flight, queued, head_since: now, told_at: None, is_paused: false }
    }

    /// The process works for none of these exchanges now, or does so again.
    pub(crate) fn pause(&mut self, is_paused: bool, now: Instant) {
        self.is_paused = is_paused;
        self.head_since = now;
    }

    /// Takes an exchange in; `message` is what the process is to be sent.
    pub(crate) fn begin(&mut self, exchange: Exchange, message: Message, now: Instant) -> Begun {
        if self.in_flight.len() < CALLS_IN_FLIGHT_MAX {
            self.fly(exchange, now);
            return Begun::Send(message);
        }
        if self.queued.len() >= CALLS_QUEUED_MAX {
            return Begun::Full;
        }
        self.queued.push_back((exchange, message));
        Begun::Queued
    }

    fn fly(&mut self, exchange: Exchange, now: Instant) {
        if self.in_flight.is_empty() {
            self.head_since = now;
        }
        self.in_flight.push_back(exchange);
    }

    /// Whether the process is at work on an exchange of this number.
    pub(crate) fn has(&self, number: u64) -> bool {
        self.in_flight.iter().any(|exchange| exchange.number == number)
    }

    /// The process said something before its answer. The first time, a request becomes a stream.
    pub(crate) fn message(&mut self, number: u64, body: Bytes, streams: &mut Streams) -> Result<(), NoSuchExchange> {
        let found = self.in_flight.iter_mut().find(|exchange| exchange.number == number);
        let exchange = found.ok_or(NoSuchExchange)?;
        if exchange.cancelled && matches!(exchange.responder, Responder::Connection(_)) {
            return Ok(());
        }
        exchange.responder = exchange.responder.take().message(body, || streams.open(number));
        Ok(())
    }

    /// Makes a stream of an exchange that has got nothing yet, because its request has waited for long. `None` if it
    /// has got something meanwhile.
    pub(crate) fn open_stream(&mut self, number: u64, streams: &mut Streams) -> Option<EventReader> {
        let waiting = self.queued.iter_mut().map(|(exchange, _)| exchange);
        let exchange = self.in_flight.iter_mut().chain(waiting).find(|exchange| exchange.number == number)?;
        if !matches!(exchange.responder, Responder::Request(_)) {
            return None;
        }
        let (sender, reader) = streams.open(number);
        exchange.responder = Responder::Stream(sender);
        Some(reader)
    }

    /// The request of this exchange is gone and took its exchange with it. True if the process must be told.
    pub(crate) fn abandon(&mut self, number: u64) -> bool {
        self.queued.retain(|(exchange, _)| exchange.number != number);
        let found = self.in_flight.iter_mut().find(|exchange| exchange.number == number);
        found.map(|exchange| exchange.responder = Responder::Nobody).is_some()
    }

    /// The process answered: the exchange is over. Answers the exchange and the message to send next, if one waited.
    pub(crate) fn finish(
        &mut self,
        number: u64,
        status: u16,
        body: Bytes,
        now: Instant,
    ) -> Result<Option<(u64, Message)>, NoSuchExchange> {
        let place = self.in_flight.iter().position(|exchange| exchange.number == number).ok_or(NoSuchExchange)?;
        let exchange = self.in_flight.remove(place).ok_or(NoSuchExchange)?;
        if place == 0 {
            self.head_since = now;
            self.told_at = None;
        }
        // What the client gave up is acknowledged with nothing.
        let (status, body) = if exchange.cancelled { (ACCEPTED, Bytes::new()) } else { (status, body) };
        exchange.responder.finish(status, body);
        let Some((next, message)) = self.queued.pop_front() else { return Ok(None) };
        let number = next.number;
        self.fly(next, now);
        Ok(Some((number, message)))
    }

    /// The numbers of the exchanges whose id is `id` and that are with the process; those that still wait are
    /// acknowledged and forgotten.
    pub(crate) fn cancel(&mut self, id: &str) -> Vec<u64> {
        let is_meant = |exchange: &Exchange| request_id::is_same(&exchange.id, id);
        let (gone, kept) = self.queued.drain(..).partition(|(exchange, _)| is_meant(exchange));
        self.queued = kept;
        let gone: VecDeque<(Exchange, Message)> = gone;
        for (exchange, _) in gone {
            exchange.responder.finish(ACCEPTED, Bytes::new());
        }
        let meant = self.in_flight.iter_mut().filter(|exchange| is_meant(exchange));
        meant
            .map(|exchange| {
                exchange.cancelled = true;
                exchange.number
            })
            .collect()
    }

    /// Holds the oldest exchange against its deadline: the process works through them in order.
    pub(crate) fn overdue(&mut self, now: Instant, call: Duration, grace: Duration) -> Overdue {
        let oldest = self.in_flight.front().filter(|_| !self.is_paused);
        let Some(oldest) = oldest else { return Overdue::No };
        match self.told_at {
            Some(told) if now.duration_since(told) >= grace => Overdue::Kill,
            Some(_) => Overdue::No,
            None if now.duration_since(self.head_since) >= call + grace => {
                self.told_at = Some(now);
                Overdue::Cancel(oldest.number)
            }
            None => Overdue::No,
        }
    }

    /// Since when no exchange is under way, if none is.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        (self.in_flight.is_empty() && self.queued.is_empty()).then_some(self.head_since)
    }

    /// The process is gone: nobody gets an answer. What was overdue hears that instead of `reason`.
    pub(crate) fn fail_all(&mut self, reason: &EndReason, recovery: Recovery) {
        let overdue = self.told_at.is_some();
        let failure = Failure::Ended(reason.clone());
        for (place, exchange) in self.in_flight.drain(..).enumerate() {
            let failure = if place == 0 && overdue { &Failure::Timeout } else { &failure };
            exchange.fail(failure, recovery);
        }
        for (exchange, _) in self.queued.drain(..) {
            exchange.fail(&failure, recovery);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> (ExchangeTable, Instant) {
        let now = Instant::now();
        (ExchangeTable::new(now), now)
    }

    fn begin(table: &mut ExchangeTable, number: u64, id: &str, now: Instant) -> (oneshot::Receiver<Answer>, Begun) {
        let (sender, receiver) = oneshot::channel();
        let exchange = Exchange::new(number, id.into(), Responder::Request(sender));
        (receiver, table.begin(exchange, message(), now))
    }

    fn message() -> Message {
        let revision = protocol::revision::newest_of_sessions();
        Message { revision, headers: Vec::new(), body: Bytes::new(), may_last: false }
    }

    const DIED: EndReason = EndReason::Crashed { status: None, last_words: None };

    fn body(receiver: &mut oneshot::Receiver<Answer>) -> Bytes {
        match receiver.try_recv().expect("answered") {
            Answer::Whole { body, .. } => body,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn equal_ids_are_told_apart_by_number() {
        let (mut table, now) = table();
        let mut receivers: Vec<_> = (1..=8).map(|number| begin(&mut table, number, "1", now).0).collect();
        for number in (1..=8).rev() {
            table.finish(number, 200, Bytes::from(number.to_string()), now).expect("known");
        }
        for (index, receiver) in receivers.iter_mut().enumerate() {
            assert_eq!(body(receiver), (index + 1).to_string());
        }
        let again = table.finish(8, 200, Bytes::new(), now);
        assert_eq!(again.expect_err("a second answer is a violation"), NoSuchExchange);
    }

    #[test]
    fn sixteen_fly_sixty_four_wait_and_more_are_refused() {
        let (mut table, now) = table();
        let total = (CALLS_IN_FLIGHT_MAX + CALLS_QUEUED_MAX) as u64;
        let outcomes: Vec<Begun> = (1..=total + 1).map(|number| begin(&mut table, number, "1", now).1).collect();
        assert_eq!(outcomes.iter().filter(|begun| matches!(begun, Begun::Send(_))).count(), CALLS_IN_FLIGHT_MAX);
        assert!(matches!(outcomes.last(), Some(Begun::Full)));
        let next = table.finish(3, 200, Bytes::new(), now).expect("known");
        assert_eq!(
            next.map(|(number, _)| number),
            Some(CALLS_IN_FLIGHT_MAX as u64 + 1),
            "the first that waited goes next"
        );
    }

    #[test]
    fn only_the_oldest_call_has_a_clock_and_it_starts_when_it_becomes_the_oldest() {
        let (mut table, start) = table();
        let (call, grace) = (Duration::from_secs(10), Duration::from_secs(2));
        let _first = begin(&mut table, 1, "1", start);
        let _second = begin(&mut table, 2, "1", start);
        assert_eq!(table.overdue(start + Duration::from_secs(11), call, grace), Overdue::No);
        let late = start + Duration::from_secs(11);
        table.finish(1, 200, Bytes::new(), late).expect("known");
        assert_eq!(table.overdue(late + Duration::from_secs(11), call, grace), Overdue::No);
        assert_eq!(table.overdue(late + Duration::from_secs(12), call, grace), Overdue::Cancel(2));
        assert_eq!(table.overdue(late + Duration::from_secs(13), call, grace), Overdue::No);
        assert_eq!(table.overdue(late + Duration::from_secs(14), call, grace), Overdue::Kill);
        assert_eq!(table.idle_since(), None);
    }

    #[test]
    fn a_call_behind_a_task_has_its_whole_time_yet() {
        let (mut table, start) = table();
        let (call, grace) = (Duration::from_secs(10), Duration::from_secs(2));
        table.pause(true, start);
        let _behind = begin(&mut table, 1, "1", start);
        assert_eq!(table.overdue(start + Duration::from_secs(60), call, grace), Overdue::No);
        let over = start + Duration::from_secs(60);
        table.pause(false, over);
        assert_eq!(table.overdue(over + Duration::from_secs(11), call, grace), Overdue::No);
        assert_eq!(table.overdue(over + Duration::from_secs(12), call, grace), Overdue::Cancel(1));
    }

    #[test]
    fn who_was_overdue_hears_of_a_timeout_and_the_others_of_the_death() {
        let (mut table, now) = table();
        let mut first = begin(&mut table, 1, "1", now).0;
        let mut second = begin(&mut table, 2, "2", now).0;
        assert_eq!(table.overdue(now + Duration::from_secs(3), Duration::ZERO, Duration::ZERO), Overdue::Cancel(1));
        table.fail_all(&DIED, Recovery::Initialize);
        assert!(matches!(first.try_recv(), Ok(Answer::Failed(Failure::Timeout))));
        assert!(matches!(second.try_recv(), Ok(Answer::Failed(Failure::Ended(DIED)))));
        assert!(table.idle_since().is_some());
    }

    #[test]
    fn a_slow_exchange_becomes_a_stream_once() {
        let (mut table, now) = table();
        let mut streams = Streams::kept();
        let _receiver = begin(&mut table, 1, "1", now).0;
        assert!(table.open_stream(1, &mut streams).is_some());
        assert!(table.open_stream(1, &mut streams).is_none() && table.open_stream(2, &mut streams).is_none());
        table.finish(1, 200, Bytes::from_static(b"{}"), now).expect("known");
        assert!(streams.resume("1-0".parse().expect("an id")).is_some());
    }

    #[test]
    fn what_is_abandoned_is_not_begun_or_must_be_cancelled() {
        let (mut table, now) = table();
        let _kept: Vec<_> = (1..=17).map(|number| begin(&mut table, number, "1", now)).collect();
        assert!(table.abandon(1));
        assert!(!table.abandon(17), "it waited, and is forgotten");
        assert!(table.finish(1, 200, Bytes::new(), now).expect("known").is_none());
    }

    #[test]
    fn cancelling_names_what_flies_and_answers_what_waits() {
        let (mut table, now) = table();
        let _kept: Vec<_> = (1..=16).map(|number| begin(&mut table, number, "\"a\"", now)).collect();
        let (mut waiting, _) = begin(&mut table, 17, "7", now);
        assert_eq!(table.cancel("7"), Vec::<u64>::new());
        assert!(matches!(waiting.try_recv(), Ok(Answer::Whole { status: ACCEPTED, body }) if body.is_empty()));
        assert_eq!(table.cancel("\"\\u0061\"").len(), 16);
        table.finish(1, 200, Bytes::from_static(b"{}"), now).expect("known");
        assert_eq!(table.cancel("a"), Vec::<u64>::new());
    }
}
