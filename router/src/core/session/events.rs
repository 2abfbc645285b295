//! What a session does with what its process says. The link's task runs it: it waits for nothing.

use super::{Session, State, Tasks};
use crate::backend::{Event, EventSink, Route, Violation};
use crate::core::failure::EndReason;
use crate::lock;
use bytes::Bytes;
use protocol::gem::{Event as Notice, Failed, Lasting, Ready, topic};
use protocol::limits::SESSION_SECONDS_MAX;
use protocol::listen::notice;
use protocol::revision::Era;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl EventSink for Session {
    fn on_event(&self, event: Event) -> Result<(), Violation> {
        match event {
            Event::Message { exchange, body } => self.on_message(exchange, body),
            Event::Final { exchange, status, keep, body } => self.on_final(exchange, status, keep, body),
            Event::Notice(body) => self.on_notice(&body),
            Event::Lasting(lasting) => {
                self.on_lasting(lasting);
                Ok(())
            }
            Event::Ready(ready) => {
                self.on_ready(ready);
                Ok(())
            }
            Event::Failed(failed) => self.on_failed(failed),
            Event::Ended(ended) => {
                self.on_ended(ended.into());
                Ok(())
            }
        }
    }
}

impl Session {
    fn on_message(&self, exchange: u64, body: Bytes) -> Result<(), Violation> {
        let State { calls, control, streams, .. } = &mut *lock(&self.state);
        let table = if calls.has(exchange) { calls } else { control };
        table.message(exchange, body, streams).map_err(|_| Violation("a message for no exchange"))
    }

    fn on_final(&self, exchange: u64, status: u16, keep: bool, body: Bytes) -> Result<(), Violation> {
        let mut state = lock(&self.state);
        let route = if state.calls.has(exchange) { Route::Calls } else { Route::Control };
        let finished = state.table(route).finish(exchange, status, body, Instant::now());
        if let Some((next, message)) = finished.map_err(|_| Violation("an answer to no exchange"))? {
            // Only what belongs to no exchange is ever refused.
            drop(self.link.forward(route, next, &message));
        }
        drop(state);
        // A session lasts until somebody ends it; any other process as long as it says.
        if route == Route::Calls && self.revision.era == Era::Stateless && !keep {
            self.end(EndReason::Client);
        }
        Ok(())
    }

    /// A call became a task, or a task has ended.
    fn on_lasting(&self, Lasting { running, millis }: Lasting) {
        let longest = Duration::from_secs(SESSION_SECONDS_MAX);
        let now = Instant::now();
        let mut state = lock(&self.state);
        state.tasks = Tasks { running, until: Some(now + Duration::from_millis(millis).min(longest)) };
        state.calls.pause(running, now);
    }

    /// Tells all who listen, in whichever era.
    fn on_notice(&self, body: &[u8]) -> Result<(), Violation> {
        let event = Notice::decode(body).map_err(|_| Violation("an event that does not decode"))?;
        if event.method().is_none() {
            return Err(Violation("an event of no known topic"));
        }
        if event.topic != topic::RESOURCE && event.subject == topic::OWN {
            self.announce(&event);
        } else {
            for session in self.shared.table.all() {
                session.announce(&event);
            }
        }
        self.shared.listeners.announce(&event);
        Ok(())
    }

    /// Something changed that this session's client may want to hear of.
    fn announce(&self, event: &Notice<'_>) {
        if self.revision.era != Era::Session || event.topic == topic::TASK {
            return;
        }
        let state = lock(&self.state);
        let wanted = event.topic != topic::RESOURCE || state.subscriptions.contains(event.subject);
        if state.life == super::Life::Serving
            && wanted
            && let Some(body) = notice(event, None)
        {
            state.streams.own().send(Bytes::from(body));
        }
    }

    fn on_ready(&self, ready: Ready) {
        let sandbox = ready.sandbox.iter().map(|(wall, state)| format!("{wall}: {state}"));
        let sandbox = sandbox.collect::<Vec<_>>().join(", ");
        let milliseconds = self.opened.elapsed().as_millis() as u64;
        tracing::debug!(gem = self.link.number(), milliseconds, toolsets = ?ready.toolsets, sandbox, "gem is ready");
        lock(&self.state).ready = Some(Arc::new(ready));
        self.changed.notify_waiters();
    }

    fn on_failed(&self, Failed { kind, message }: Failed) -> Result<(), Violation> {
        let mut state = lock(&self.state);
        if state.ready.is_some() {
            return Err(Violation("a failure to start after the start"));
        }
        tracing::warn!(gem = self.link.number(), kind, message, "a gem cannot serve");
        if state.life.end(EndReason::Refused { kind, message }, Instant::now()) {
            self.leave(&state);
            self.changed.notify_waiters();
        }
        Ok(())
    }

    /// The process is gone: whoever waits is told why.
    fn on_ended(&self, reason: EndReason) {
        let mut state = lock(&self.state);
        if !state.life.ended(reason) {
            return;
        }
        self.leave(&state);
        let reason = state.life.reason().cloned().unwrap_or(EndReason::Client);
        tracing::info!(gem = self.link.number(), pid = self.link.pid(), ?reason, "gem ended");
        state.calls.fail_all(&reason, self.recovery);
        state.control.fail_all(&reason, self.recovery);
        drop(state);
        self.changed.notify_waiters();
    }
}
