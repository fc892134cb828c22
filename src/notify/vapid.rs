//! VAPID (RFC 8292): the key by which push services know this installation. It is made on first
//! start; with another key, every device would have to subscribe to notices again.

use std::io;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::json;

use base::secret_file;
use domain::checked::{checked, with_check};
use domain::time::Timestamp;

/// Seconds for which a signature is valid; RFC 8292 allows a day.
const HOLDS_SECONDS: u64 = 12 * 3600;

/// The private key (P-256) that signs requests to push services.
#[derive(Clone)]
pub struct VapidKey(SigningKey);

impl VapidKey {
    /// Reads the key from its file, or makes it if there is no file.
    ///
    /// # Errors
    /// If the file cannot be read or written, or holds no valid key.
    pub fn read_or_make(path: &Path) -> io::Result<Self> {
        match Self::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::make(path),
            read => read,
        }
    }

    /// Reads the key from its file.
    ///
    /// # Errors
    /// If the file is missing, cannot be read, or is damaged.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = String::from_utf8(secret_file::read(path)?).map_err(no_key)?;
        Self::parse(checked(&text).ok_or_else(|| no_key("its checksum is wrong"))?)
    }

    fn parse(text: &str) -> io::Result<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(no_key)?;
        // `from_slice` would take a shorter number for another key.
        let bytes = <[u8; 32]>::try_from(bytes).map_err(|_| no_key("it has a wrong length"))?;
        SigningKey::from_slice(&bytes).map(Self).map_err(no_key)
    }

    /// Makes a key and writes it to `path`.
    fn make(path: &Path) -> io::Result<Self> {
        let key = loop {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
            // All but about one in 2^32 random numbers are valid keys.
            if let Ok(key) = SigningKey::from_slice(&bytes) {
                break key;
            }
        };
        let text = with_check(&URL_SAFE_NO_PAD.encode(key.to_bytes()));
        secret_file::write(path, text.as_bytes())?;
        Ok(Self(key))
    }

    /// The public key, which browsers get as `applicationServerKey`.
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.verifying_key().to_encoded_point(false).as_bytes())
    }

    /// The `Authorization` header for the push service with this origin (RFC 8292, sections 2 and
    /// 3). `contact` tells the service whom to contact about this server.
    pub fn authorization(&self, origin: &str, contact: &str, now: Timestamp) -> String {
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let expires = now.seconds() + HOLDS_SECONDS;
        let head = part(json!({"typ": "JWT", "alg": "ES256"}));
        let claims = part(json!({"aud": origin, "exp": expires, "sub": contact}));
        let signature: Signature = self.0.sign(format!("{head}.{claims}").as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.to_bytes());
        format!("vapid t={head}.{claims}.{signature}, k={}", self.public())
    }
}

fn no_key(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it holds no key: {error}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use p256::ecdsa::signature::Verifier;

    #[test]
    fn a_key_is_made_once_and_only_its_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vapid.key");
        let first = VapidKey::read_or_make(&path).unwrap().public();
        assert_eq!(VapidKey::read_or_make(&path).unwrap().public(), first);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_holds_no_key_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vapid.key");
        fs::write(&path, "nothing").unwrap();
        assert!(VapidKey::read_or_make(&path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "nothing");
    }

    #[test]
    fn vapid_signature_covers_head_and_claims() {
        let folder = tempfile::tempdir().unwrap();
        let key = VapidKey::read_or_make(&folder.path().join("vapid.key")).unwrap();
        let now = Timestamp::from_seconds(1000);
        let header = key.authorization("https://push.example", "mailto:a@example.org", now);
        let token = header.strip_prefix("vapid t=").unwrap().split(',').next().unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let signature = Signature::from_slice(&signature).unwrap();
        key.0.verifying_key().verify(signed.as_bytes(), &signature).unwrap();
        let claims = URL_SAFE_NO_PAD.decode(signed.split_once('.').unwrap().1).unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        assert_eq!(claims["aud"], "https://push.example");
        assert_eq!(claims["exp"], 1000 + 12 * 3600);
    }
}
