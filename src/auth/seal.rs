//! Seals: values that this installation signs and gives out, that any node can verify and read when
//! they come back. They are not encrypted: their holder can read them.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;

use base::msgpack;
use base::random::random;

/// Length of the authentication code at the end of a seal, in bytes.
const MAC: usize = 32;

/// The key that seals are made and verified with.
#[derive(Clone)]
pub struct SealKey([u8; 32]);

impl fmt::Debug for SealKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SealKey")
    }
}

impl SealKey {
    /// Makes a random key. It does not open what another key sealed.
    pub fn fresh() -> Self {
        Self(random())
    }

    /// The key with these bytes; `None` unless there are 32.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes of the key, to be stored.
    pub const fn reveal(&self) -> &[u8; 32] {
        &self.0
    }

    /// Seals a value, as text for URLs and cookies. What is sealed for one purpose cannot be opened
    /// for another.
    pub fn seal<T: Serialize>(&self, purpose: &str, value: &T) -> String {
        let mut bytes = msgpack::to_vec(value).expect("plain values are always written");
        let mac = self.mac(purpose, &[&bytes]);
        bytes.extend_from_slice(&mac);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Returns the value that was sealed for this purpose; `None` if the text is not such a seal.
    pub fn open<T: DeserializeOwned>(&self, purpose: &str, text: &str) -> Option<T> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (value, mac) = bytes.split_at_checked(bytes.len().checked_sub(MAC)?)?;
        self.hmac(purpose, &[value]).verify_slice(mac).ok()?;
        msgpack::from_slice(value).ok()
    }

    /// A keyed hash that stands for a secret, so that two secrets can be compared without being
    /// stored.
    pub fn mark(&self, purpose: &str, secret: &str) -> u128 {
        // `mark` is a part of its own, so that no keyed hash is the beginning of a seal's
        // authentication code.
        let mac = self.mac(purpose, &[b"mark", secret.as_bytes()]);
        mac.first_chunk().copied().map_or(0, u128::from_be_bytes)
    }

    fn mac(&self, purpose: &str, parts: &[&[u8]]) -> [u8; MAC] {
        self.hmac(purpose, parts).finalize().into_bytes().into()
    }

    fn hmac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        // Each part is preceded by its length, so that no byte can move from one part to the next.
        for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seal_opens_unchanged_or_fails() {
        let key = SealKey::fresh();
        let other = SealKey::fresh();
        let sealed = key.seal("a", &(7, "seven"));
        let opened = |key: &SealKey, purpose: &str, text: &str| -> Option<(u8, String)> {
            key.open(purpose, text)
        };
        let same = SealKey::of(key.reveal()).unwrap();
        assert_eq!(opened(&same, "a", &sealed), Some((7, "seven".to_owned())));
        assert_eq!(opened(&key, "b", &sealed), None, "another purpose");
        assert_eq!(opened(&other, "a", &sealed), None, "another key");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'Z' } else { b'A' };
            assert_eq!(opened(&key, "a", &String::from_utf8(changed).unwrap()), None);
        }
        assert_eq!(opened(&key, "a", ""), None);
        assert_ne!(key.mark("a", "secret"), key.mark("a", "secrets"));
        assert!(SealKey::of(b"short").is_none());
    }
}
