//! Encrypting what travels through the client: only a worker of the same principal can read or change it, it belongs to
//! one request only, and it does not last. What it says is not known here.

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
pub(crate) enum StateError {
    /// It was changed, sealed for another request or principal, or is no state at all.
    #[error("requestState is not one that belongs to this request: call again without it")]
    Invalid,
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
pub(crate) struct StateCipher {
    cipher: XChaCha20Poly1305,
}

impl StateCipher {
    /// With the key that the router derived, in hexadecimal; with one of its own where there is none.
    pub(crate) fn new(key: Option<&str>) -> Result<Self, StateError> {
        let mut bytes = [0; 32];
        match key.and_then(read_hexadecimal) {
            Some(key) => bytes = key,
            None => getrandom::fill(&mut bytes).map_err(|_| StateError::NoRandomness)?,
        }
        Ok(Self { cipher: XChaCha20Poly1305::new(&Key::from(bytes)) })
    }

    /// Seals a state for the request that `binding` describes.
    pub(crate) fn encrypt(&self, state: &[u8], binding: &[u8]) -> Result<String, StateError> {
        self.encrypt_at(state, binding, now())
    }

    fn encrypt_at(&self, state: &[u8], binding: &[u8], now: u64) -> Result<String, StateError> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| StateError::NoRandomness)?;
        let plain = [&now.to_le_bytes()[..], state].concat();
        let payload = Payload { msg: &plain, aad: binding };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_| StateError::TooLong)?;
        let text = URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat());
        if text.len() > STATE_BYTES_MAX { Err(StateError::TooLong) } else { Ok(text) }
    }

    /// Opens what was sealed for the request that `binding` describes.
    pub(crate) fn decrypt(&self, text: &str, binding: &[u8]) -> Result<Vec<u8>, StateError> {
        if text.len() > STATE_BYTES_MAX {
            return Err(StateError::Invalid);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| StateError::Invalid)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or(StateError::Invalid)?;
        let payload = Payload { msg: sealed, aad: binding };
        let plain = self.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| StateError::Invalid)?;
        let (time, state) = plain.split_first_chunk::<TIME_BYTES>().ok_or(StateError::Invalid)?;
        let age = now().saturating_sub(u64::from_le_bytes(*time));
        if age > STATE_SECONDS_MAX { Err(StateError::Expired) } else { Ok(state.to_vec()) }
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

    fn cipher(byte: u8) -> StateCipher {
        StateCipher::new(Some(&format!("{byte:02x}").repeat(32))).expect("a key")
    }

    #[test]
    fn a_state_comes_back_to_its_own_request_only() {
        let text = cipher(1).encrypt(b"state", b"call").expect("sealed");
        assert_eq!(cipher(1).decrypt(&text, b"call"), Ok(b"state".to_vec()));
        assert_eq!(cipher(1).decrypt(&text, b"other"), Err(StateError::Invalid));
        assert_eq!(cipher(2).decrypt(&text, b"call"), Err(StateError::Invalid), "another principal's key");
        assert_eq!(cipher(1).decrypt(&format!("{text}-TAMPERED"), b"call"), Err(StateError::Invalid));
        for invalid in ["", "AAAA", "not base64!"] {
            assert_eq!(cipher(1).decrypt(invalid, b"call"), Err(StateError::Invalid), "{invalid}");
        }
        assert_ne!(text, cipher(1).encrypt(b"state", b"call").expect("sealed"), "never the same twice");
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
        let old = cipher(1).encrypt_at(b"state", b"call", now() - STATE_SECONDS_MAX - 1).expect("sealed");
        assert_eq!(cipher(1).decrypt(&old, b"call"), Err(StateError::Expired));
        assert_eq!(cipher(1).encrypt(&vec![0; STATE_BYTES_MAX], b"call"), Err(StateError::TooLong));
    }
}
