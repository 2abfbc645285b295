//! The exchanges of one lane: which are with the gem, which wait, and who wants their answers.
//!
//! Pure bookkeeping over numbers that the router gives out: no sockets, no clock of its own. A JSON-RPC id is kept for
//! one purpose beside echoing it: to find what a client's `notifications/cancelled` means.

use crate::events::{Outlet, Source};
use crate::loss::{Loss, Remedy};
use crate::session::batch::Batch;
use crate::session::streams::Streams;
use bytes::Bytes;
use protocol::limits::{CALLS_IN_FLIGHT_MAX, CALLS_QUEUED_MAX};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The status of an acknowledgement.
const ACCEPTED: u16 = 202;

/// What a POST gets for its message.
#[derive(Debug)]
pub(crate) enum Answer {
    /// One JSON body, with the HTTP status that the gem asks for.
    Whole {
        /// The HTTP status.
        status: u16,
        /// The JSON-RPC response; may be empty.
        body: Bytes,
    },
    /// The gem speaks before it answers: an event stream.
    Stream(crate::events::Source),
    /// There is no answer.
    Lost(Loss),
}

/// Who waits for an exchange.
#[derive(Debug)]
enum Listener {
    /// A POST that has got nothing yet.
    First(oneshot::Sender<Answer>),
    /// A POST whose stream is open.
    Stream(Outlet),
    /// A POST of several messages.
    Batch(Arc<Batch>),
    /// Nobody any more.
    Nobody,
}

/// One POST and all that answers it.
#[derive(Debug)]
pub(crate) struct Exchange {
    number: u64,
    id: Box<str>,
    listener: Listener,
    remedy: Remedy,
    /// The client gave it up: it wants no answer any more.
    given_up: bool,
}

/// A message of the gem names an exchange that is not with it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoSuchExchange;

/// What became of an exchange that was begun.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Begun {
    /// Send its frame now.
    Send(Vec<u8>),
    /// It waits for its turn.
    Queued,
    /// The queue is full.
    Full,
}

/// All exchanges of one lane.
#[derive(Debug)]
pub(crate) struct Book {
    in_flight: VecDeque<Exchange>,
    queued: VecDeque<(Exchange, Vec<u8>)>,
    /// Since when the oldest one has been the oldest; while there is none, since when.
    head_since: Instant,
    /// When the gem was told to give the oldest one up because its time was over.
    told_at: Option<Instant>,
    /// Whether the gem is at work for none of them, so that their clock stands still.
    is_elsewhere: bool,
}

impl Exchange {
    /// An exchange whose answer goes to `sender`.
    pub(crate) fn new(number: u64, id: Box<str>, sender: oneshot::Sender<Answer>, remedy: Remedy) -> Self {
        Self { number, id, listener: Listener::First(sender), remedy, given_up: false }
    }

    /// An exchange whose answer is one of a batch's.
    pub(crate) fn in_batch(number: u64, id: Box<str>, batch: Arc<Batch>) -> Self {
        Self { number, id, listener: Listener::Batch(batch), remedy: Remedy::Initialize, given_up: false }
    }

    fn lose(self, loss: &Loss) {
        let body = || Bytes::from(loss.body(Some(&self.id), self.remedy));
        match self.listener {
            // A receiver that is gone belongs to a client that is gone.
            Listener::First(sender) => drop(sender.send(Answer::Lost(loss.clone()))),
            Listener::Stream(outlet) => {
                outlet.send(body());
            }
            Listener::Batch(batch) => batch.finish(body()),
            Listener::Nobody => {}
        }
    }
}

/// What has to happen because time went on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Overdue {
    /// Nothing.
    No,
    /// Tell the gem to give this exchange up.
    Cancel(u64),
    /// It was told and did not: the gem must go.
    Kill,
}

impl Book {
    /// No exchanges.
    pub(crate) fn new(now: Instant) -> Self {
        let (in_flight, queued) = (VecDeque::new(), VecDeque::new());
        Self { in_flight, queued, head_since: now, told_at: None, is_elsewhere: false }
    }

    /// The gem works for none of these exchanges now, or does so again.
    pub(crate) fn stand_still(&mut self, is_elsewhere: bool, now: Instant) {
        self.is_elsewhere = is_elsewhere;
        self.head_since = now;
    }

    /// Takes an exchange in; `frame` is what the gem is to be sent.
    pub(crate) fn begin(&mut self, exchange: Exchange, frame: Vec<u8>, now: Instant) -> Begun {
        if self.in_flight.len() < CALLS_IN_FLIGHT_MAX {
            self.fly(exchange, now);
            return Begun::Send(frame);
        }
        if self.queued.len() >= CALLS_QUEUED_MAX {
            return Begun::Full;
        }
        self.queued.push_back((exchange, frame));
        Begun::Queued
    }

    fn fly(&mut self, exchange: Exchange, now: Instant) {
        if self.in_flight.is_empty() {
            self.head_since = now;
        }
        self.in_flight.push_back(exchange);
    }

    /// The gem said something before its answer. The first time, the exchange becomes a stream.
    pub(crate) fn message(&mut self, number: u64, body: Bytes, streams: &Streams) -> Result<(), NoSuchExchange> {
        let found = self.in_flight.iter_mut().find(|exchange| exchange.number == number);
        let exchange = found.ok_or(NoSuchExchange)?;
        let listener = std::mem::replace(&mut exchange.listener, Listener::Nobody);
        exchange.listener = match listener {
            Listener::First(sender) => {
                let (outlet, source) = streams.open(number);
                outlet.send(body);
                match sender.send(Answer::Stream(source)) {
                    Ok(()) => Listener::Stream(outlet),
                    Err(_) => Listener::Nobody,
                }
            }
            Listener::Stream(outlet) => match outlet.send(body) {
                true => Listener::Stream(outlet),
                false => Listener::Nobody,
            },
            Listener::Batch(batch) => {
                batch.message(body, || streams.open(number));
                Listener::Batch(batch)
            }
            Listener::Nobody => Listener::Nobody,
        };
        Ok(())
    }

    /// Makes a stream of an exchange that has got nothing yet, because its POST has waited for long. Nothing if it has
    /// got something meanwhile.
    pub(crate) fn open_stream(&mut self, number: u64, streams: &Streams) -> Option<Source> {
        let waiting = self.queued.iter_mut().map(|(exchange, _)| exchange);
        let exchange = self.in_flight.iter_mut().chain(waiting).find(|exchange| exchange.number == number)?;
        if !matches!(exchange.listener, Listener::First(_)) {
            return None;
        }
        let (outlet, source) = streams.open(number);
        exchange.listener = Listener::Stream(outlet);
        Some(source)
    }

    /// The POST of this exchange is gone and took its exchange with it. True if the gem must be told.
    pub(crate) fn abandon(&mut self, number: u64) -> bool {
        self.queued.retain(|(exchange, _)| exchange.number != number);
        let found = self.in_flight.iter_mut().find(|exchange| exchange.number == number);
        found.map(|exchange| exchange.listener = Listener::Nobody).is_some()
    }

    /// The gem answered: the exchange is over. Answers the frame to send next, if one waited.
    pub(crate) fn finish(
        &mut self,
        number: u64,
        status: u16,
        body: Bytes,
        now: Instant,
    ) -> Result<Option<Vec<u8>>, NoSuchExchange> {
        let place = self.in_flight.iter().position(|exchange| exchange.number == number).ok_or(NoSuchExchange)?;
        let exchange = self.in_flight.remove(place).ok_or(NoSuchExchange)?;
        if place == 0 {
            self.head_since = now;
            self.told_at = None;
        }
        // What the client gave up is acknowledged with nothing.
        let (status, body) = if exchange.given_up { (ACCEPTED, Bytes::new()) } else { (status, body) };
        match exchange.listener {
            Listener::First(sender) => drop(sender.send(Answer::Whole { status, body })),
            Listener::Stream(outlet) if !body.is_empty() => {
                outlet.send(body);
            }
            Listener::Batch(batch) => batch.finish(body),
            Listener::Stream(_) | Listener::Nobody => {}
        }
        let Some((next, frame)) = self.queued.pop_front() else { return Ok(None) };
        self.fly(next, now);
        Ok(Some(frame))
    }

    /// The exchanges whose id is `id` and that are with the gem; those that still wait are answered and forgotten.
    pub(crate) fn give_up(&mut self, id: &str) -> Vec<u64> {
        let (gone, kept) = self.queued.drain(..).partition(|(exchange, _)| &*exchange.id == id);
        self.queued = kept;
        let gone: VecDeque<(Exchange, Vec<u8>)> = gone;
        for (exchange, _) in gone {
            exchange.lose(&Loss::Cancelled);
        }
        let meant = self.in_flight.iter_mut().filter(|exchange| &*exchange.id == id);
        meant
            .map(|exchange| {
                exchange.given_up = true;
                exchange.number
            })
            .collect()
    }

    /// Holds the oldest exchange against its deadline: the gem works through them in order.
    pub(crate) fn overdue(&mut self, now: Instant, call: Duration, grace: Duration) -> Overdue {
        let oldest = self.in_flight.front().filter(|_| !self.is_elsewhere);
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

    /// The gem is gone: nobody gets an answer. Whoever was overdue hears that instead of `loss`.
    pub(crate) fn lose_all(&mut self, loss: &Loss) {
        let overdue = self.told_at.is_some();
        for (place, exchange) in self.in_flight.drain(..).enumerate() {
            if place == 0 && overdue { exchange.lose(&Loss::Timeout) } else { exchange.lose(loss) }
        }
        for (exchange, _) in self.queued.drain(..) {
            exchange.lose(loss);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book() -> (Book, Instant) {
        let now = Instant::now();
        (Book::new(now), now)
    }

    fn begin(book: &mut Book, number: u64, id: &str, now: Instant) -> (oneshot::Receiver<Answer>, Begun) {
        let (sender, receiver) = oneshot::channel();
        (receiver, book.begin(Exchange::new(number, id.into(), sender, Remedy::Initialize), vec![number as u8], now))
    }

    fn body(receiver: &mut oneshot::Receiver<Answer>) -> Bytes {
        match receiver.try_recv().expect("answered") {
            Answer::Whole { body, .. } => body,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn equal_ids_are_told_apart_by_number() {
        let (mut book, now) = book();
        let mut receivers: Vec<_> = (1..=8).map(|number| begin(&mut book, number, "1", now).0).collect();
        for number in (1..=8).rev() {
            book.finish(number, 200, Bytes::from(number.to_string()), now).expect("known");
        }
        for (index, receiver) in receivers.iter_mut().enumerate() {
            assert_eq!(body(receiver), (index + 1).to_string());
        }
        assert_eq!(book.finish(8, 200, Bytes::new(), now), Err(NoSuchExchange), "a second answer is a breach");
    }

    #[test]
    fn sixteen_fly_sixty_four_wait_and_more_are_refused() {
        let (mut book, now) = book();
        let total = (CALLS_IN_FLIGHT_MAX + CALLS_QUEUED_MAX) as u64;
        let outcomes: Vec<Begun> = (1..=total + 1).map(|number| begin(&mut book, number, "1", now).1).collect();
        assert_eq!(outcomes.iter().filter(|begun| matches!(begun, Begun::Send(_))).count(), CALLS_IN_FLIGHT_MAX);
        assert_eq!(outcomes.last(), Some(&Begun::Full));
        let next = book.finish(3, 200, Bytes::new(), now).expect("known");
        assert_eq!(next, Some(vec![CALLS_IN_FLIGHT_MAX as u8 + 1]), "the first that waited goes next");
    }

    #[test]
    fn only_the_oldest_call_has_a_clock_and_it_starts_when_it_becomes_the_oldest() {
        let (mut book, start) = book();
        let (call, grace) = (Duration::from_secs(10), Duration::from_secs(2));
        let _first = begin(&mut book, 1, "1", start);
        let _second = begin(&mut book, 2, "1", start);
        assert_eq!(book.overdue(start + Duration::from_secs(11), call, grace), Overdue::No);
        let late = start + Duration::from_secs(11);
        book.finish(1, 200, Bytes::new(), late).expect("known");
        assert_eq!(book.overdue(late + Duration::from_secs(11), call, grace), Overdue::No);
        assert_eq!(book.overdue(late + Duration::from_secs(12), call, grace), Overdue::Cancel(2));
        assert_eq!(book.overdue(late + Duration::from_secs(13), call, grace), Overdue::No);
        assert_eq!(book.overdue(late + Duration::from_secs(14), call, grace), Overdue::Kill);
        assert_eq!(book.idle_since(), None);
    }

    #[test]
    fn a_call_behind_a_task_has_its_whole_time_yet() {
        let (mut book, start) = book();
        let (call, grace) = (Duration::from_secs(10), Duration::from_secs(2));
        book.stand_still(true, start);
        let _behind = begin(&mut book, 1, "1", start);
        assert_eq!(book.overdue(start + Duration::from_secs(60), call, grace), Overdue::No);
        let over = start + Duration::from_secs(60);
        book.stand_still(false, over);
        assert_eq!(book.overdue(over + Duration::from_secs(11), call, grace), Overdue::No);
        assert_eq!(book.overdue(over + Duration::from_secs(12), call, grace), Overdue::Cancel(1));
    }

    #[test]
    fn who_was_overdue_hears_of_a_timeout_and_the_others_of_the_death() {
        let (mut book, now) = book();
        let mut first = begin(&mut book, 1, "1", now).0;
        let mut second = begin(&mut book, 2, "2", now).0;
        assert_eq!(book.overdue(now + Duration::from_secs(3), Duration::ZERO, Duration::ZERO), Overdue::Cancel(1));
        book.lose_all(&Loss::WorkerDied);
        assert!(matches!(first.try_recv(), Ok(Answer::Lost(Loss::Timeout))));
        assert!(matches!(second.try_recv(), Ok(Answer::Lost(Loss::WorkerDied))));
        assert!(book.idle_since().is_some());
    }

    #[test]
    fn a_slow_exchange_becomes_a_stream_once() {
        let (mut book, now) = book();
        let streams = Streams::new(true);
        let _receiver = begin(&mut book, 1, "1", now).0;
        assert!(book.open_stream(1, &streams).is_some());
        assert!(book.open_stream(1, &streams).is_none() && book.open_stream(2, &streams).is_none());
        book.finish(1, 200, Bytes::from_static(b"{}"), now).expect("known");
        assert!(streams.resume("1-0").is_some());
    }

    #[test]
    fn what_is_abandoned_is_not_begun_or_must_be_cancelled() {
        let (mut book, now) = book();
        let _kept: Vec<_> = (1..=17).map(|number| begin(&mut book, number, "1", now)).collect();
        assert!(book.abandon(1));
        assert!(!book.abandon(17), "it waited, and is forgotten");
        assert_eq!(book.finish(1, 200, Bytes::new(), now), Ok(None));
    }

    #[test]
    fn cancelling_names_what_flies_and_answers_what_waits() {
        let (mut book, now) = book();
        let _kept: Vec<_> = (1..=16).map(|number| begin(&mut book, number, "\"a\"", now)).collect();
        let (mut waiting, _) = begin(&mut book, 17, "7", now);
        assert_eq!(book.give_up("7"), Vec::<u64>::new());
        assert!(matches!(waiting.try_recv(), Ok(Answer::Lost(Loss::Cancelled))));
        assert_eq!(book.give_up("\"a\"").len(), 16);
        book.finish(1, 200, Bytes::from_static(b"{}"), now).expect("known");
        assert_eq!(book.give_up("a"), Vec::<u64>::new());
    }
}
