//! For whom a session commits: fixed once, by the router or by a grant that the router has signed.
//!
//! Must never take an author from a gem's own word, and never changes one that is fixed.

use super::refusal::{self, Refusal};
use protocol::grant::{Author, GrantKey};
use std::sync::Arc;

/// The user and client for whom a session commits.
#[derive(Debug)]
pub(crate) enum AuthorBinding {
    /// Not known yet: a grant signed with this key will say.
    Unbound(GrantKey),
    /// This user and client, for as long as the session lasts.
    Bound { user: Arc<str>, client: Arc<str> },
}

impl AuthorBinding {
    pub(crate) fn bound(Author { user, client }: Author) -> Self {
        Self::Bound { user: user.into(), client: client.into() }
    }

    /// Fixes it, once.
    pub(crate) fn bind(&mut self, grant: &[u8]) -> Result<(), Refusal> {
        let Self::Unbound(key) = &*self else { return Err(refusal::bound_already()) };
        let author = key.verify(grant).map_err(|_| refusal::not_granted_by_router())?;
        *self = Self::bound(author);
        Ok(())
    }

    /// The user and the client.
    pub(crate) fn author(&self) -> Result<(Arc<str>, Arc<str>), Refusal> {
        match self {
            Self::Unbound(_) => Err(refusal::unbound()),
            Self::Bound { user, client } => Ok((Arc::clone(user), Arc::clone(client))),
        }
    }
}
