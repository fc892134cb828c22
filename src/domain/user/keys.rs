//! Tokens: issuing and revoking. Tokens in clear text never come here, only their hashes.

use std::collections::BTreeSet;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use crate::event::{Decision, Fact};
use crate::ids::{ClientId, TokenId};
use crate::limits::TOKENS_PER_USER;
use crate::registration::WaitingReason;
use crate::scopes::{Scope, ScopeSet};
use crate::time::Timestamp;
use crate::user::{Profile, User, UserFact};

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

/// The stored data of a token.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TokenRecord {
    /// The token's id, shown in lists.
    pub id: TokenId,
    /// The token's hash, by which it is recognized.
    pub hash: TokenHash,
    /// The name that the token has in lists: of a log-in, or of the application it was made for.
    pub application: Option<String>,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it expires; `None` if it never does.
    pub expires_at: Option<Timestamp>,
    /// The application that it was given to; `None` for a log-in.
    #[serde(default)]
    pub client: Option<ClientId>,
    /// When its use was last recorded, which is at most once a day: see [`UserFact::TokenUsed`].
    #[serde(default)]
    pub last_used_at: Option<Timestamp>,
    /// The browser and system that logged in, as they named themselves.
    #[serde(default)]
    pub device: Option<String>,
    /// The scopes that were chosen for the token; `None` if it has all that its kind may have.
    #[serde(default)]
    pub scopes: Option<ScopeSet>,
}

impl TokenRecord {
    /// What the token may be used for.
    pub fn effective_scopes(&self) -> ScopeSet {
        let most = match self.client {
            None => ScopeSet::WHOLE,
            Some(_) => ScopeSet::APPLICATION,
        };
        self.scopes.map_or(most, |scopes| scopes.within(most))
    }

    /// The token, which ends with the account at the latest.
    #[must_use]
    pub fn within(self, profile: &Profile) -> Self {
        let until = profile.guest.and_then(|guest| guest.until);
        let expires_at = self.expires_at.into_iter().chain(until).min();
        Self { expires_at, ..self }
    }

    /// Whether the token was made for a directory: it has the scope `scim` alone.
    pub fn is_of_directory(&self) -> bool {
        self.client.is_none() && self.scopes == Some(ScopeSet::of(&[Scope::Scim]))
    }
}

/// Writes the last fields only as far as one of them is known, so that records without them are as
/// they were before the fields existed. Fields have no names on disk, so none may be left out
/// before one that is written.
impl Serialize for TokenRecord {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let has_scopes = self.scopes.is_some();
        let has_device = has_scopes || self.device.is_some();
        let length = 7 + usize::from(has_device) + usize::from(has_scopes);
        let mut record = to.serialize_struct("TokenRecord", length)?;
        record.serialize_field("id", &self.id)?;
        record.serialize_field("hash", &self.hash)?;
        record.serialize_field("application", &self.application)?;
        record.serialize_field("created_at", &self.created_at)?;
        record.serialize_field("expires_at", &self.expires_at)?;
        record.serialize_field("client", &self.client)?;
        record.serialize_field("last_used_at", &self.last_used_at)?;
        if has_device {
            record.serialize_field("device", &self.device)?;
        }
        if has_scopes {
            record.serialize_field("scopes", &self.scopes)?;
        }
        record.end()
    }
}

/// A token that was revoked together with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadToken {
    /// The token's id.
    pub id: TokenId,
    /// The token's hash, by which the index finds its row.
    pub hash: TokenHash,
}

/// Why no token was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum IssueRefusal {
    /// There is no such account.
    #[error("there is no such user")]
    Unknown,
    /// The password was changed after it was checked.
    #[error("the password was changed meanwhile")]
    PasswordChanged,
    /// An operator disabled the account.
    #[error("this account is disabled; contact the operators of this server")]
    Disabled,
    /// The account is new, and its address is not confirmed yet.
    #[error("confirm your address first: open the link in the mail that this server sent you")]
    Unconfirmed,
    /// The account is new, and no operator has approved it yet.
    #[error("this account waits for the approval of the operators of this server")]
    Unapproved,
    /// The account was a guest's, and its time is up.
    #[error("this account has ended; ask the people who invited you for a new link")]
    GuestEnded,
    /// The identity was unlinked after it was looked up.
    #[error("this identity is no longer linked to the account")]
    Unlinked,
    /// The authorization code was spent before, for this token.
    #[error("this code was used already")]
    CodeSpent(TokenId),
}

/// Why a token was not revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum LogoutRefusal {
    /// The token is unknown, or another user's.
    #[error("there is no such token")]
    Unknown,
}

impl User {
    /// Whether the next token ends another one.
    pub fn is_full_of_tokens(&self) -> bool {
        self.tokens.len() >= TOKENS_PER_USER
    }

    /// The applications that have a token of this user, including removed ones.
    pub fn token_clients(&self) -> BTreeSet<ClientId> {
        self.tokens.values().filter_map(|token| token.client).collect()
    }

    /// Forgets the tokens of applications that their owners removed, which ended with them.
    pub fn forget_tokens_of(&mut self, removed: &BTreeSet<ClientId>) {
        self.tokens.retain(|_, token| token.client.is_none_or(|client| !removed.contains(&client)));
    }

    /// Issues a token for a user who showed the password that has this hash. Past the limit the
    /// oldest token is revoked, so that a script which logs in again and again cannot lock its
    /// owner out; those of directories last. A guest's token ends with the account.
    ///
    /// # Errors
    /// If the password was changed since it was checked, since nothing obtained with the old one
    /// may outlive it; or if the account is disabled, or has ended.
    pub fn issue(&self, token: TokenRecord, password: &str) -> Result<Decision<()>, IssueRefusal> {
        if self.password != password {
            return Err(IssueRefusal::PasswordChanged);
        }
        if let Some(waiting) = &self.waiting {
            return Err(match waiting.reason {
                WaitingReason::Confirmation => IssueRefusal::Unconfirmed,
                WaitingReason::Approval { .. } => IssueRefusal::Unapproved,
            });
        }
        if self.is_disabled() {
            return Err(IssueRefusal::Disabled);
        }
        if self.profile.has_ended(token.created_at) {
            return Err(IssueRefusal::GuestEnded);
        }
        let mut facts = Vec::new();
        if self.is_full_of_tokens()
            && let Some(oldest) =
                self.tokens.values().min_by_key(|it| (it.is_of_directory(), it.id))
        {
            facts.push(Fact::User(UserFact::TokenRevoked { id: oldest.id, hash: oldest.hash }));
            facts.extend(self.devices_of(oldest.id));
        }
        facts.push(Fact::User(UserFact::TokenIssued(token.within(&self.profile))));
        Ok(Decision { facts, answer: () })
    }

    /// Revokes a token and removes its devices.
    ///
    /// # Errors
    /// If this user has no such token.
    pub fn revoke(&self, id: TokenId) -> Result<Decision<()>, LogoutRefusal> {
        let token = self.tokens.get(&id).ok_or(LogoutRefusal::Unknown)?;
        let revoked = Fact::User(UserFact::TokenRevoked { id, hash: token.hash });
        let facts = std::iter::once(revoked).chain(self.devices_of(id)).collect();
        Ok(Decision { facts, answer: () })
    }

    /// The facts that revoke every token but `keep` and remove their devices.
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

    /// Records that a token is in use; decides nothing if it was revoked meanwhile.
    pub fn note_use(&self, id: TokenId) -> Decision<()> {
        match self.tokens.contains_key(&id) {
            true => Decision { facts: vec![Fact::User(UserFact::TokenUsed { id })], answer: () },
            false => Decision::unchanged(()),
        }
    }
}
