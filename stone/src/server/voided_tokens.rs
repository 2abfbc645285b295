//! Names of commits that the stone has reported as not made. Each must never be made later.
//!
//! A gem that died may have left its commit in a socket, so the report is made to hold. The names need not outlive the
//! stone: neither does what is in its sockets.

use protocol::limits::stone::VOIDED_TOKENS_MAX;
use protocol::stone::Token;
use std::collections::{HashSet, VecDeque};

/// The names, with their order of age.
#[derive(Debug, Default)]
pub(crate) struct VoidedTokens {
    tokens: HashSet<Token>,
    oldest_first: VecDeque<Token>,
}

impl VoidedTokens {
    /// From now on this name is void.
    pub(crate) fn add(&mut self, token: Token) {
        if self.tokens.insert(token) {
            self.oldest_first.push_back(token);
        }
        if self.oldest_first.len() > VOIDED_TOKENS_MAX
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.tokens.remove(&oldest);
        }
    }

    pub(crate) fn has(&self, token: &Token) -> bool {
        self.tokens.contains(token)
    }
}
