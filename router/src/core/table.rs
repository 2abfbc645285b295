//! The one table of gems that work for clients, and the one reaper that looks at their clocks.
//!
//! A gem is in it from the moment that somebody may use it until it begins to end. What a client knows it by is random,
//! bound to the client's principal, and never logged.

use crate::core::session::{Clocks, Session};
use crate::lock;
use protocol::limits::{GEMS_MAX, HANDLES_MAX, SESSION_ID_BYTES, SWEEP_MILLIS};
use rand::TryRng;
use rand::rngs::SysRng;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::io;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;

/// Names a session: random bits, as many as nobody can guess.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SessionId([u8; SESSION_ID_BYTES]);

impl SessionId {
    /// A fresh one, from the operating system's randomness.
    pub(crate) fn random() -> io::Result<Self> {
        let mut bytes = [0; SESSION_ID_BYTES];
        SysRng.try_fill_bytes(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(bytes))
    }

    /// Reads what [`SessionId::to_text`] wrote; anything else names no session.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        if text.len() != 2 * SESSION_ID_BYTES {
            return None;
        }
        let mut bytes = [0; SESSION_ID_BYTES];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(bytes))
    }

    /// As it travels in the header.
    pub(crate) fn to_text(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What stands for it in logs: tells sessions apart and leads back to none.
    pub(crate) fn fingerprint(self) -> u64 {
        static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        KEY.hash_one(self.0)
    }
}

/// Never the id itself, wherever it is printed.
impl fmt::Debug for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.fingerprint())
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// Whom a client acts for. The empty one is everybody, where nobody is asked who he is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Principal(pub(crate) Arc<str>);

/// What a gem is known by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum WorkerKey {
    /// The session that `initialize` opened.
    Session {
        /// Whose.
        principal: Principal,
        /// Its id.
        id: SessionId,
    },
    /// The handle that `open_gem` answered, or that tasks are named by.
    Handle {
        /// Whose.
        principal: Principal,
        /// The handle.
        handle: SessionId,
    },
    /// Nobody knows it: it serves one request, or waits for one.
    Ephemeral(u64),
}

impl WorkerKey {
    /// What stands for it in logs.
    pub(crate) fn shown(&self) -> Option<SessionId> {
        match self {
            WorkerKey::Session { id, .. } | WorkerKey::Handle { handle: id, .. } => Some(*id),
            WorkerKey::Ephemeral(_) => None,
        }
    }
}

/// All gems that can be used.
#[derive(Debug)]
pub(crate) struct Table {
    sessions: RwLock<HashMap<WorkerKey, Arc<Session>>>,
    /// Every session whose gem may still run, named or not.
    living: Mutex<Vec<Weak<Session>>>,
    /// Most gems that are held by handles, in all.
    handles_max: usize,
}

impl Default for Table {
    fn default() -> Self {
        Self::new(GEMS_MAX)
    }
}

impl Table {
    /// For a router of so many gems: at most half of them are held by handles, so that others find room.
    pub(crate) fn new(gems_max: usize) -> Self {
        Self { sessions: RwLock::default(), living: Mutex::default(), handles_max: (gems_max / 2).max(1) }
    }

    /// The gem of this key.
    pub(crate) fn get(&self, key: &WorkerKey) -> Option<Arc<Session>> {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Takes a gem in. False if its principal, or all of them, hold as many as they may already.
    pub(crate) fn insert(&self, key: WorkerKey, session: Arc<Session>) -> bool {
        let mut sessions = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        if let WorkerKey::Handle { principal, .. } = &key {
            let (own, all) = handles(&sessions, principal);
            if own >= HANDLES_MAX || all >= self.handles_max {
                return false;
            }
        }
        sessions.insert(key, session);
        true
    }

    /// Whether this principal may hold one more gem by a handle, as far as is known now.
    pub(crate) fn has_room(&self, of: &Principal) -> bool {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let (own, all) = handles(&sessions, of);
        own < HANDLES_MAX && all < self.handles_max
    }

    pub(crate) fn remove(&self, key: &WorkerKey) {
        self.sessions.write().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    /// Notes a session that was begun.
    pub(crate) fn begun(&self, session: &Arc<Session>) {
        let mut living = lock(&self.living);
        living.retain(|known| known.strong_count() > 0);
        living.push(Arc::downgrade(session));
    }

    /// Every session whose gem may still run.
    pub(crate) fn living(&self) -> Vec<Arc<Session>> {
        lock(&self.living).iter().filter_map(Weak::upgrade).collect()
    }

    /// All gems in the table.
    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Looks at all clocks again and again.
    pub(crate) async fn reap(&self, clocks: Clocks) {
        let mut ticks = tokio::time::interval(Duration::from_millis(SWEEP_MILLIS));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let now = Instant::now();
            for session in self.living() {
                session.sweep(now, &clocks);
            }
        }
    }
}

/// How many gems this principal holds by handles, and how many are held in all.
fn handles(sessions: &HashMap<WorkerKey, Arc<Session>>, of: &Principal) -> (usize, usize) {
    let holders = sessions.keys().filter_map(|key| match key {
        WorkerKey::Handle { principal, .. } => Some(principal),
        _ => None,
    });
    holders.fold((0, 0), |(own, all), holder| (own + usize::from(holder == of), all + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_fresh_and_come_back_as_they_went() {
        let one = SessionId::random().expect("randomness");
        let text = one.to_text();
        assert_eq!(SessionId::parse(text.as_bytes()), Some(one));
        assert_ne!(SessionId::random().expect("randomness"), one);
        assert!(!format!("{one:?}").contains(&text));
    }

    #[test]
    fn nothing_else_names_a_session() {
        let text = SessionId([0xab; SESSION_ID_BYTES]).to_text();
        for wrong in ["", "ab", &text[1..], &text.to_uppercase(), &format!("{text}0"), &format!("g{}", &text[1..])] {
            assert_eq!(SessionId::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
