//! Who a gem works for, said by the router to the stone through the gem, which can pass it on and not change it.
//!
//! A gem that is forked ahead has a connection to the stone that is bound to nobody. When the router opened it, it gave
//! the stone a key that the gem never sees. When the gem is taken, the router signs the identity with that key: only
//! the stone can check it, only for this connection, and only once.

use crate::frame::FrameError;
use crate::wire::{Reader, Writer};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Sha256;
use std::fmt;

/// Length of a [`GrantKey`].
pub const KEY_BYTES: usize = 32;
/// Length of the code before an identity.
const CODE_BYTES: usize = 32;

/// Who makes commits, as they are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The user in the repository.
    pub user: String,
    /// The client, as it names itself.
    pub client: String,
}

/// The secret of one connection to the stone, known to the router and the stone.
#[derive(Clone, PartialEq, Eq)]
pub struct GrantKey([u8; KEY_BYTES]);

/// Never the key itself, wherever it is printed.
impl fmt::Debug for GrantKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("GrantKey")
    }
}

impl From<[u8; KEY_BYTES]> for GrantKey {
    fn from(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }
}

impl GrantKey {
    /// A grant that binds the connection of this key to this identity.
    pub fn sign(&self, author: &Author) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.block(author.user.as_bytes()).block(author.client.as_bytes());
        let mut grant = self.code(&writer.bytes).finalize().into_bytes().to_vec();
        grant.extend_from_slice(&writer.bytes);
        grant
    }

    /// The identity of a grant that was signed with this key.
    ///
    /// # Errors
    /// When it was signed with another key, changed, or is no grant.
    pub fn verify(&self, grant: &[u8]) -> Result<Author, FrameError> {
        let (code, identity) =
            grant.split_at_checked(CODE_BYTES).ok_or(FrameError::Malformed("a grant that is too short"))?;
        self.code(identity)
            .verify_slice(code)
            .map_err(|_| FrameError::Malformed("a grant that the router did not sign"))?;
        let mut reader = Reader::new(identity);
        let author = Author { user: reader.text()?.to_owned(), client: reader.text()?.to_owned() };
        reader.finish()?;
        Ok(author)
    }

    fn code(&self, identity: &[u8]) -> Hmac<Sha256> {
        let mut code = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may have any length");
        code.update(identity);
        code
    }
}

/// As hexadecimal digits, in the hello of a connection.
impl Serialize for GrantKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }
}

impl<'de> Deserialize<'de> for GrantKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut key = [0; KEY_BYTES];
        if text.len() != 2 * KEY_BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(serde::de::Error::custom("a key is 64 hexadecimal digits"));
        }
        for (index, byte) in key.iter_mut().enumerate() {
            let digits = &text[2 * index..2 * index + 2];
            *byte = u8::from_str_radix(digits, 16).map_err(serde::de::Error::custom)?;
        }
        Ok(Self(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn author() -> Author {
        Author { user: "Ada".into(), client: "editor".into() }
    }

    #[test]
    fn a_grant_is_good_for_its_own_key_and_as_it_was_signed() {
        let (key, other) = (GrantKey([1; KEY_BYTES]), GrantKey([2; KEY_BYTES]));
        let grant = key.sign(&author());
        assert_eq!(key.verify(&grant), Ok(author()));
        assert!(other.verify(&grant).is_err());
        for index in 0..grant.len() {
            let mut changed = grant.clone();
            changed[index] ^= 1;
            assert!(key.verify(&changed).is_err(), "byte {index}");
            assert!(key.verify(&grant[..index]).is_err(), "the first {index} bytes");
        }
        assert!(key.verify(&[&grant[..], &[0]].concat()).is_err());
    }

    #[test]
    fn a_key_travels_and_is_not_printed() {
        let key = GrantKey([0xab; KEY_BYTES]);
        let text = serde_json::to_string(&key).expect("plain data");
        assert_eq!(serde_json::from_str::<GrantKey>(&text).expect("a key"), key);
        assert!(serde_json::from_str::<GrantKey>("\"ab\"").is_err());
        assert!(serde_json::from_str::<GrantKey>(&format!("\"{}\"", "é".repeat(32))).is_err());
        assert!(!format!("{key:?}").contains("ab"));
    }
}
