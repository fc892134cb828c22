//! Identities: accounts at OpenID Connect providers with which a user logs in.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::factors::SecretHash;
use crate::hex::hex;
use crate::ids::{NameId, TokenId};
use crate::time::Timestamp;

/// Log-ins through providers that an account has at the same time; the oldest ends first.
pub const PROVIDER_SESSIONS: usize = 100;
/// Milliseconds for which a log-out token is remembered; older ones are refused.
pub const LOGOUT_MILLIS: u64 = 10 * 60_000;
/// Log-out tokens that are remembered for an account.
const LOGOUTS: usize = 64;

/// An account at a provider: the issuer and its name for the account, which never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The issuer, as its documents write it.
    pub issuer: String,
    /// The subject: the issuer's name for the account.
    pub subject: String,
}

impl Identity {
    /// SHA-256 of both parts, by which an identity is found.
    pub fn digest(&self) -> [u8; 32] {
        // The length keeps the two parts apart.
        let length = (self.issuer.len() as u64).to_be_bytes();
        let hash = Sha256::new().chain_update(length).chain_update(&self.issuer);
        hash.chain_update(&self.subject).finalize().into()
    }

    /// The id in the API.
    pub fn id(&self) -> String {
        hex(&self.digest()[..16])
    }

    /// The stream in which accounts claim the identity: one account has it.
    pub fn name(&self) -> NameId {
        let hash = Sha256::new().chain_update("identity:").chain_update(self.digest()).finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        NameId::new(bytes)
    }
}

/// An identity with which a user logs in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedIdentity {
    /// The identity.
    pub identity: Identity,
    /// The email address that the provider named, for the user's list.
    pub email: Option<String>,
    /// When it was linked.
    pub since: Timestamp,
}

/// The identity with which a new account begins.
#[derive(Debug, Clone)]
pub struct FirstIdentity {
    /// The identity, which was claimed.
    pub identity: Identity,
    /// The email address that the provider named.
    pub email: Option<String>,
    /// Whether the provider vouches for the address, so that it counts as confirmed.
    pub is_confirmed: bool,
}

/// A log-in through an identity.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IdentityLogIn {
    /// The identity.
    pub identity: Identity,
    /// The provider's name for the session.
    pub session: Option<String>,
}

/// A log-in through a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderSession {
    /// The token that was issued.
    pub token: TokenId,
    /// The issuer.
    pub issuer: String,
    /// The provider's name for the session, which it ends by it.
    pub session: Option<String>,
}

/// A change of the identities of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum IdentityChange {
    /// An identity was linked.
    Linked {
        /// The identity.
        identity: Identity,
        /// The email address that the provider named.
        email: Option<String>,
    },
    /// An identity was unlinked.
    Unlinked {
        /// The identity.
        identity: Identity,
    },
    /// The account began without a password: its hash is that of a random text.
    BegunWithoutPassword,
    /// A token was issued for a log-in through a provider.
    SessionBegun(ProviderSession),
    /// The provider logged the user out.
    LoggedOut {
        /// The hash of the log-out token's id, which counts once.
        logout: SecretHash,
    },
}

impl IdentityChange {
    /// The name of the change in the audit log; `None` if another line tells it.
    pub const fn audit_act(&self) -> Option<&'static str> {
        match self {
            Self::Linked { .. } => Some("identity_linked"),
            Self::Unlinked { .. } => Some("identity_unlinked"),
            Self::LoggedOut { .. } => Some("provider_logout"),
            Self::BegunWithoutPassword | Self::SessionBegun(_) => None,
        }
    }
}

/// The identities of an account, and the log-ins through them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identities {
    /// The identities, oldest first.
    pub linked: Vec<LinkedIdentity>,
    /// Whether nobody knows a password of the account.
    pub has_no_password: bool,
    /// Log-ins through providers, oldest first; their tokens may have ended.
    pub sessions: Vec<ProviderSession>,
    /// The newest log-out tokens, and when they came.
    pub logouts: Vec<(SecretHash, Timestamp)>,
}

impl Identities {
    /// Applies a change. Deterministic.
    pub fn apply(&mut self, at: Timestamp, change: &IdentityChange) {
        match change {
            IdentityChange::Linked { identity, email } => {
                let identity = identity.clone();
                self.linked.push(LinkedIdentity { identity, email: email.clone(), since: at });
            }
            IdentityChange::Unlinked { identity } => {
                self.linked.retain(|linked| linked.identity != *identity);
                self.sessions.retain(|session| session.issuer != identity.issuer);
            }
            IdentityChange::BegunWithoutPassword => self.has_no_password = true,
            IdentityChange::SessionBegun(session) => {
                let surplus = (self.sessions.len() + 1).saturating_sub(PROVIDER_SESSIONS);
                self.sessions.drain(..surplus);
                self.sessions.push(session.clone());
            }
            IdentityChange::LoggedOut { logout } => {
                self.logouts.retain(|(_, came)| at < came.plus_millis(LOGOUT_MILLIS));
                let surplus = (self.logouts.len() + 1).saturating_sub(LOGOUTS);
                self.logouts.drain(..surplus);
                self.logouts.push((*logout, at));
            }
        }
    }

    /// The identity at this issuer: an account has at most one.
    pub fn at_issuer(&self, issuer: &str) -> Option<&LinkedIdentity> {
        self.linked.iter().find(|linked| linked.identity.issuer == issuer)
    }

    /// Whether this identity is linked.
    pub fn has(&self, identity: &Identity) -> bool {
        self.linked.iter().any(|linked| linked.identity == *identity)
    }
}
