//! Tokens: issuing and revoking. The token itself never comes here, only its hash.

use serde::{Deserialize, Serialize};

use crate::domain::event::{Decision, Fact};
use crate::domain::ids::{ClientId, TokenId};
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
    /// What it was made for: a log-in, or an application by its name.
    pub application: Option<String>,
    /// Since when.
    pub created_at: Timestamp,
    /// Until when, if it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// The application that it was given to; none for a log-in.
    #[serde(default)]
    pub client: Option<ClientId>,
    /// When it was last noted to be in use: to a day, see [`UserFact::TokenUsed`].
    #[serde(default)]
    pub last_used_at: Option<Timestamp>,
}

/// A token that ended together with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadToken {
    /// The token.
    pub id: TokenId,
    /// Its hash, so that the index finds its row.
    pub hash: TokenHash,
}

/// Why no token was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum IssueRefusal {
    /// No such account.
    #[error("there is no such user")]
    Unknown,
    /// The password that was checked is no longer the password.
    #[error("the password was changed meanwhile")]
    PasswordChanged,
    /// An operator shut the account.
    #[error("this account is disabled; ask those who run this server")]
    Disabled,
    /// The code was spent before, on this token.
    #[error("this code was spent already")]
    CodeSpent(TokenId),
}

/// Why a token was not revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum LogoutRefusal {
    /// No such token, or not this user's.
    #[error("there is no such token")]
    Unknown,
}

impl User {
    /// A new token for somebody who showed the password with this hash. Past the limit
    /// the oldest one ends, so that a script which logs in again and again cannot lock
    /// its owner out.
    ///
    /// # Errors
    /// When the password was changed since it was checked: what rests on the old one
    /// must not outlive it; and when the account is shut.
    pub fn issue(&self, token: TokenRecord, password: &str) -> Result<Decision<()>, IssueRefusal> {
        if self.password != password {
            return Err(IssueRefusal::PasswordChanged);
        }
        if self.disabled_at.is_some() {
            return Err(IssueRefusal::Disabled);
        }
        let mut facts = Vec::new();
        if self.tokens.len() >= TOKENS_PER_USER
            && let Some(oldest) = self.tokens.values().next()
        {
            facts.push(Fact::User(UserFact::TokenRevoked { id: oldest.id, hash: oldest.hash }));
            facts.extend(self.devices_of(oldest.id));
        }
        facts.push(Fact::User(UserFact::TokenIssued(token)));
        Ok(Decision { facts, answer: () })
    }

    /// Ends a token.
    ///
    /// # Errors
    /// When this user has no such token.
    pub fn revoke(&self, id: TokenId) -> Result<Decision<()>, LogoutRefusal> {
        let token = self.tokens.get(&id).ok_or(LogoutRefusal::Unknown)?;
        let revoked = Fact::User(UserFact::TokenRevoked { id, hash: token.hash });
        let facts = std::iter::once(revoked).chain(self.devices_of(id)).collect();
        Ok(Decision { facts, answer: () })
    }

    /// Ends every token, or every one but `keep`, with the devices of each.
    pub fn revoke_all_but(&self, keep: Option<TokenId>) -> Vec<Fact> {
        let ends = self.tokens.values().filter(|token| Some(token.id) != keep);
        let tokens: Vec<DeadToken> =
            ends.map(|token| DeadToken { id: token.id, hash: token.hash }).collect();
        if tokens.is_empty() {
            return Vec::new();
        }
        let devices: Vec<Fact> =
            tokens.iter().flat_map(|token| self.devices_of(token.id)).collect();
        let revoked = Fact::User(UserFact::TokensRevoked { tokens });
        std::iter::once(revoked).chain(devices).collect()
    }

    /// Notes that a token is in use; nothing happens when it is dead by now.
    pub fn note_use(&self, id: TokenId) -> Decision<()> {
        match self.tokens.contains_key(&id) {
            true => Decision { facts: vec![Fact::User(UserFact::TokenUsed { id })], answer: () },
            false => Decision::unchanged(()),
        }
    }
}
