//! Hashes of secrets that were given out once.

use serde::{Deserialize, Serialize};

/// SHA-256 of a secret that was given out once: a recovery code, the secret of a trusted device, or
/// the code of a log-in that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Takes a finished hash.
    pub const fn new(raw: [u8; 32]) -> Self {
        Self(raw)
    }
}
