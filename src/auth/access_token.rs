//! Access tokens in clear: how they are made, and what is stored of them.

use sha2::{Digest, Sha256};

use crate::domain::user::TokenHash;
use crate::random::random;

/// Of what a token is made.
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A token in clear: shown once, to the one who asked for it.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("AccessToken(…)")
    }
}

impl AccessToken {
    /// Clients of this API expect so many letters and digits.
    pub const SIGNS: usize = 40;

    /// 40 random letters and digits, as clients of this API expect them: 238 bits.
    pub fn fresh() -> Self {
        let mut token = String::with_capacity(Self::SIGNS);
        while token.len() < Self::SIGNS {
            let bytes = random::<64>();
            // Of 256 bytes the last 8 would make some signs likelier than others.
            let signs = bytes.iter().filter(|byte| usize::from(**byte) < 4 * ALPHABET.len());
            let signs = signs.map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]));
            token.extend(signs.take(Self::SIGNS - token.len()));
        }
        Self(token)
    }

    /// The token, to be shown.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored of it.
    pub fn hash(&self) -> TokenHash {
        hash(&self.0)
    }
}

/// What is stored of a secret of such randomness.
pub(super) fn hash(token: &str) -> TokenHash {
    TokenHash::new(Sha256::digest(token.as_bytes()).into())
}
