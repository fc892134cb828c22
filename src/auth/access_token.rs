//! Access tokens in clear text: how they are made, and the hash that is stored instead of them.

use sha2::{Digest, Sha256};

use base::random::random;
use domain::mail::LinkHash;
use domain::user::TokenHash;

/// The letters and digits that a token is made of.
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A token in clear text: shown once, to the client that asked for it.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("AccessToken(…)")
    }
}

impl AccessToken {
    /// Length of a token in characters; clients of this API expect 40 letters and digits.
    pub const LENGTH: usize = 40;

    /// Makes a token of 40 random letters and digits, as clients of this API expect it: 238 bits.
    pub fn fresh() -> Self {
        let mut token = String::with_capacity(Self::LENGTH);
        while token.len() < Self::LENGTH {
            let bytes = random::<64>();
            // Bytes above 247 are skipped: with all 256 values, `%` would favor the first 8
            // characters of the alphabet.
            let chars = bytes.iter().filter(|byte| usize::from(**byte) < 4 * ALPHABET.len());
            let chars = chars.map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]));
            token.extend(chars.take(Self::LENGTH - token.len()));
        }
        Self(token)
    }

    /// The token in clear text, to be shown to the client.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The hash under which the token is stored.
    pub fn hash(&self) -> TokenHash {
        hash(&self.0)
    }

    /// The hash of a secret that goes into a link.
    pub fn link_hash(&self) -> LinkHash {
        link_hash(&self.0)
    }
}

/// Hashes a token with SHA-256. The token is random enough that no slow hash is needed.
pub(super) fn hash(token: &str) -> TokenHash {
    TokenHash::new(Sha256::digest(token.as_bytes()).into())
}

/// Hashes the secret of a link with SHA-256.
pub fn link_hash(secret: &str) -> LinkHash {
    LinkHash::new(Sha256::digest(secret.as_bytes()).into())
}
