//! Audit: what operators must be able to look up and no other fact tells.
//!
//! Tokens, ownership, removals and destroyed groups are facts of their own already and
//! are not told twice: whoever reads the audit log finds them in the journal. Here is the
//! rest, in a stream of its own that nobody hears, and how much of it an attacker may
//! cause to be written.

use serde::{Deserialize, Serialize};

use crate::domain::ids::{TokenId, UserId};
use crate::domain::text::Email;

/// A fact of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuditFact {
    /// A log-in led to a token.
    LoggedIn {
        /// Who.
        user: UserId,
        /// To which.
        token: TokenId,
        /// From where.
        from: Option<Address>,
    },
    /// A log-in was refused.
    LoginFailed {
        /// Whose account it was about, if there is one.
        user: Option<UserId>,
        /// What was typed as the email address, if it has the form of one.
        email: Option<Email>,
        /// From where.
        from: Option<Address>,
    },
    /// More log-ins were refused than are written down.
    FailuresSkipped {
        /// How many.
        count: u64,
    },
    /// An operator did something.
    Administered {
        /// Who, as the operating system knows them.
        by: Operator,
        /// What.
        act: AdminAct,
    },
}

/// What an operator did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdminAct {
    /// Made an account.
    UserAdded {
        /// The user.
        user: UserId,
    },
    /// Shut an account.
    UserDisabled {
        /// The user.
        user: UserId,
    },
    /// Opened an account again.
    UserEnabled {
        /// The user.
        user: UserId,
    },
    /// Gave an account another password.
    PasswordReset {
        /// The user.
        user: UserId,
    },
    /// Took a copy of everything.
    BackupTaken,
    /// Had the machine's clock believed, although it had jumped.
    ClockAccepted,
}

/// Where a request came from: an IP address as text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Address(String);

impl Address {
    /// Takes the text of an IP address.
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whom failures are counted for. Whoever has one address of IPv6 has those of the
    /// whole network around it, which is named by four of the eight groups.
    pub(super) fn source(&self) -> String {
        if !self.0.contains(':') {
            return self.0.clone();
        }
        let head = self.0.split("::").next().unwrap_or_default();
        head.split(':').take(4).collect::<Vec<_>>().join(":")
    }
}

/// An account of the operating system that may administer this installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Operator(String);

impl Operator {
    /// The account with this number.
    pub fn of_uid(uid: u32) -> Self {
        Self(format!("uid {uid}"))
    }

    /// As it is shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
