//! Secrets at rest: the key of the installation that encrypts them, AES-256-GCM with a random nonce.
//!
//! The key lies beside the journal, so that a copy of the journal alone gives no secret away.

use std::fmt;
use std::io;
use std::path::Path;

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use base::random::random;
use base::secret_file;
use domain::checked::{checked, with_check};

/// Bytes of a nonce.
const NONCE: usize = 12;

/// The key that encrypts secrets.
#[derive(Clone)]
pub struct SecretsKey(Aes256Gcm);

impl fmt::Debug for SecretsKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SecretsKey")
    }
}

impl SecretsKey {
    /// Reads the key from its file, or makes it if there is no file. A new key opens nothing that
    /// another one encrypted.
    ///
    /// # Errors
    /// If the file cannot be read or written, or holds no valid key.
    pub fn read_or_make(path: &Path) -> io::Result<Self> {
        match Self::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let bytes: [u8; 32] = random();
                secret_file::write(path, with_check(&URL_SAFE_NO_PAD.encode(bytes)).as_bytes())?;
                Ok(Self::of(bytes))
            }
            read => read,
        }
    }

    /// Reads the key from its file.
    ///
    /// # Errors
    /// If the file is missing, cannot be read, or is damaged.
    pub fn read(path: &Path) -> io::Result<Self> {
        let damaged = |reason: &str| io::Error::new(io::ErrorKind::InvalidData, reason.to_owned());
        let text = String::from_utf8(secret_file::read(path)?).map_err(|_| damaged("no key"))?;
        let text = checked(&text).ok_or_else(|| damaged("its checksum is wrong"))?;
        let bytes = URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self::of).ok_or_else(|| damaged("it has a wrong length"))
    }

    fn of(bytes: [u8; 32]) -> Self {
        Self(Aes256Gcm::new(&bytes.into()))
    }

    /// Encrypts a secret, as text. It opens only for the same purpose.
    pub fn encrypt(&self, purpose: &str, secret: &[u8]) -> String {
        let nonce: [u8; NONCE] = random();
        let payload = Payload { msg: secret, aad: purpose.as_bytes() };
        let sealed = self.0.encrypt(Nonce::from_slice(&nonce), payload);
        let sealed = sealed.expect("AES-GCM encrypts every short message");
        URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat())
    }

    /// Returns the secret in a text; `None` if another key encrypted it, or for another purpose.
    pub fn decrypt(&self, purpose: &str, text: &str) -> Option<Vec<u8>> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE)?;
        let payload = Payload { msg: sealed, aad: purpose.as_bytes() };
        self.0.decrypt(Nonce::from_slice(nonce), payload).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_opens_with_its_key_for_its_purpose() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.key");
        let key = SecretsKey::read_or_make(&path).unwrap();
        let text = key.encrypt("totp of 7", b"12345678901234567890");
        let again = SecretsKey::read_or_make(&path).unwrap();
        assert_eq!(again.decrypt("totp of 7", &text).unwrap(), b"12345678901234567890");
        assert_eq!(again.decrypt("totp of 8", &text), None);
        let other = SecretsKey::read_or_make(&folder.path().join("other.key")).unwrap();
        assert_eq!(other.decrypt("totp of 7", &text), None);
        assert_eq!(other.decrypt("totp of 7", "short"), None);
        std::fs::write(&path, "damaged").unwrap();
        assert!(SecretsKey::read_or_make(&path).is_err());
    }
}
