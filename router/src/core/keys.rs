//! Keys: those by which workers seal what travels through a client, one a principal, derived from one that this router
//! made up; and those that sign for whom a gem works.
//!
//! A principal's key leaves the router only in what its gems are told. Another router cannot open what was sealed here.
//! A key that signs goes to the stone and to no gem.

use crate::core::table::Principal;
use hmac::{Hmac, KeyInit, Mac};
use protocol::grant::{self, GrantKey};
use rand::TryRng;
use rand::rngs::SysRng;
use sha2::Sha256;
use std::fmt;
use std::io;

const KEY_BYTES: usize = 32;

/// The router's own key.
pub(crate) struct Keys([u8; KEY_BYTES]);

/// Never the key itself, wherever it is printed.
impl fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Keys")
    }
}

impl Keys {
    /// A fresh one.
    pub(crate) fn new() -> io::Result<Self> {
        let mut key = [0; KEY_BYTES];
        SysRng.try_fill_bytes(&mut key).map_err(io::Error::other)?;
        Ok(Self(key))
    }

    /// The key of a principal, in hexadecimal.
    pub(crate) fn of(&self, principal: &Principal) -> String {
        let mut derived = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may have any length");
        derived.update(principal.0.as_bytes());
        derived.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A fresh key for one connection to the stone.
pub(crate) fn grant_key() -> io::Result<GrantKey> {
    let mut key = [0; grant::KEY_BYTES];
    SysRng.try_fill_bytes(&mut key).map_err(io::Error::other)?;
    Ok(GrantKey::from(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_principal_and_each_router_has_its_own() {
        let [one, other] = ["one", "other"].map(|name| Principal(name.into()));
        let keys = Keys::new().expect("randomness");
        assert_eq!(keys.of(&one), keys.of(&one));
        assert_eq!(keys.of(&one).len(), 2 * KEY_BYTES);
        assert_ne!(keys.of(&one), keys.of(&other));
        assert_ne!(keys.of(&one), Keys::new().expect("randomness").of(&one));
    }
}
