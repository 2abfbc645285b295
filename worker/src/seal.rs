//! Sealing what travels through the client: nobody but a worker of the same principal can read or change it, it belongs
//! to one request only, and it does not last.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use data_encoding::HEXLOWER_PERMISSIVE;
use protocol::limits::{STATE_BYTES_MAX, STATE_SECONDS_MAX};
use std::time::{SystemTime, UNIX_EPOCH};
use thiserror::Error;

const NONCE_BYTES: usize = 24;
const TIME_BYTES: usize = 8;

/// A state cannot be sealed or opened.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum SealError {
    /// It was changed, sealed for another request or principal, or is no state at all.
    #[error("requestState is not one that belongs to this request: call again without it")]
    Foreign,
    /// It is too old.
    #[error("requestState has expired: call again without it")]
    Expired,
    /// What is to be sealed is too much.
    #[error("there is more to remember between two rounds than a requestState may hold")]
    TooLong,
    /// The system has no randomness.
    #[error("the system gives no random bytes")]
    NoRandomness,
}

/// A principal's key.
pub(crate) struct Seal {
    cipher: XChaCha20Poly1305,
}

impl Seal {
    /// With the key that the router derived, in hexadecimal; with one of its own where there is none.
    pub(crate) fn new(key: Option<&str>) -> Result<Self, SealError> {
        let mut bytes = [0; 32];
        match key.and_then(read_hexadecimal) {
            Some(key) => bytes = key,
            None => getrandom::fill(&mut bytes).map_err(|_| SealError::NoRandomness)?,
        }
        Ok(Self { cipher: XChaCha20Poly1305::new(&Key::from(bytes)) })
    }

    /// Seals a state for the request that `binding` describes.
    pub(crate) fn close(&self, state: &[u8], binding: &[u8]) -> Result<String, SealError> {
        self.close_at(state, binding, now())
    }

    fn close_at(&self, state: &[u8], binding: &[u8], now: u64) -> Result<String, SealError> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| SealError::NoRandomness)?;
        let plain = [&now.to_le_bytes()[..], state].concat();
        let payload = Payload { msg: &plain, aad: binding };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_| SealError::TooLong)?;
        let text = URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat());
        if text.len() > STATE_BYTES_MAX { Err(SealError::TooLong) } else { Ok(text) }
    }

    /// Opens what was sealed for the request that `binding` describes.
    pub(crate) fn open(&self, text: &str, binding: &[u8]) -> Result<Vec<u8>, SealError> {
        if text.len() > STATE_BYTES_MAX {
            return Err(SealError::Foreign);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| SealError::Foreign)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or(SealError::Foreign)?;
        let payload = Payload { msg: sealed, aad: binding };
        let plain = self.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| SealError::Foreign)?;
        let (time, state) = plain.split_first_chunk::<TIME_BYTES>().ok_or(SealError::Foreign)?;
        let age = now().saturating_sub(u64::from_le_bytes(*time));
        if age > STATE_SECONDS_MAX { Err(SealError::Expired) } else { Ok(state.to_vec()) }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn read_hexadecimal(text: &str) -> Option<[u8; 32]> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::HEXLOWER;

    fn seal(byte: u8) -> Seal {
        Seal::new(Some(&format!("{byte:02x}").repeat(32))).expect("a key")
    }

    #[test]
    fn a_state_comes_back_to_its_own_request_only() {
        let text = seal(1).close(b"state", b"call").expect("sealed");
        assert_eq!(seal(1).open(&text, b"call"), Ok(b"state".to_vec()));
        assert_eq!(seal(1).open(&text, b"other"), Err(SealError::Foreign));
        assert_eq!(seal(2).open(&text, b"call"), Err(SealError::Foreign), "another principal's key");
        assert_eq!(seal(1).open(&format!("{text}-TAMPERED"), b"call"), Err(SealError::Foreign));
        for invalid in ["", "AAAA", "not base64!"] {
            assert_eq!(seal(1).open(invalid, b"call"), Err(SealError::Foreign), "{invalid}");
        }
        assert_ne!(text, seal(1).close(b"state", b"call").expect("sealed"), "never the same twice");
    }

    #[test]
    fn a_key_is_read_as_it_was_written_and_nothing_else_is_one() {
        let mut key = [0; 32];
        getrandom::fill(&mut key).expect("randomness");
        let key = HEXLOWER.encode(&key);
        let read = read_hexadecimal(&key).expect("a key");
        assert_eq!((key.len(), HEXLOWER.encode(&read)), (64, key.clone()));
        assert_eq!(read_hexadecimal(&key.to_uppercase()), Some(read));
        for wrong in ["", "00", &key[1..], &format!("{key}00"), &format!("{}zz", &key[2..])] {
            assert_eq!(read_hexadecimal(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_state_does_not_last_and_is_bounded() {
        let old = seal(1).close_at(b"state", b"call", now() - STATE_SECONDS_MAX - 1).expect("sealed");
        assert_eq!(seal(1).open(&old, b"call"), Err(SealError::Expired));
        assert_eq!(seal(1).close(&vec![0; STATE_BYTES_MAX], b"call"), Err(SealError::TooLong));
    }
}
