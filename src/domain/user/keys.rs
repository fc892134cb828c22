//! Tokens: issuing and revoking. The token itself never comes here, only its hash.

use serde::{Deserialize, Serialize};

use crate::domain::event::{Decision, Fact};
use crate::domain::ids::TokenId;
use crate::domain::limits::TOKENS_PER_USER;
use crate::domain::time::Timestamp;
use crate::domain::user::{User, UserFact};

/// SHA-256 of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Takes a finished hash.
    pub const fn new(raw: [u8; 32]) -> Self {
        Self(raw)
    }

    /// The 32 bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// What is kept of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    /// Names it in lists.
    pub id: TokenId,
    /// Recognizes it.
    pub hash: TokenHash,
    /// What it was made for: a log-in, or an application.
    pub application: Option<String>,
    /// Since when.
    pub created_at: Timestamp,
    /// Until when, if it ends by itself.
    pub expires_at: Option<Timestamp>,
}

/// Why a token was not revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LogoutRefusal {
    /// No such token, or not this user's.
    #[error("there is no such token")]
    Unknown,
}

impl User {
    /// A new token. Past the limit the oldest one ends, so that a script which logs
    /// in again and again cannot lock its owner out.
    pub fn issue(&self, token: TokenRecord) -> Decision<()> {
        let mut facts = Vec::new();
        if self.tokens.len() >= TOKENS_PER_USER
            && let Some(oldest) = self.tokens.values().next()
        {
            facts.push(Fact::User(UserFact::TokenRevoked { id: oldest.id, hash: oldest.hash }));
            facts.extend(self.devices_of(oldest.id));
        }
        facts.push(Fact::User(UserFact::TokenIssued(token)));
        Decision { facts, answer: () }
    }

    /// Ends a token.
    ///
    /// # Errors
    /// When this user has no such token.
    pub fn revoke(&self, id: TokenId) -> Result<Decision<TokenHash>, LogoutRefusal> {
        let token = self.tokens.get(&id).ok_or(LogoutRefusal::Unknown)?;
        let revoked = Fact::User(UserFact::TokenRevoked { id, hash: token.hash });
        let facts = std::iter::once(revoked).chain(self.devices_of(id)).collect();
        Ok(Decision { facts, answer: token.hash })
    }
}
