//! Audit: what operators must be able to look up and no other fact tells.
//!
//! Tokens, ownership, removals and destroyed groups are facts of their own already and
//! are not told twice: whoever reads the audit log finds them in the journal. Here is the
//! rest, in a stream of its own that nobody hears, and how much of it an attacker may
//! cause to be written.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::domain::event::{Decision, Fact};
use crate::domain::ids::{TokenId, UserId};
use crate::domain::limits::{AUDIT_FAILURES, AUDIT_FAILURES_OF_ADDRESS, AUDIT_WINDOW_MILLIS};
use crate::domain::text::Email;
use crate::domain::time::Monotonic;

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
        /// Whose.
        user: UserId,
    },
    /// Shut an account.
    UserDisabled {
        /// Whose.
        user: UserId,
    },
    /// Opened an account again.
    UserEnabled {
        /// Whose.
        user: UserId,
    },
    /// Gave an account another password.
    PasswordReset {
        /// Whose.
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
    fn source(&self) -> String {
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

/// How many failed log-ins were written down lately. It never holds more addresses than
/// failures are written in one window.
#[derive(Debug, Default)]
pub struct FailureBudget {
    began: Option<Monotonic>,
    written: usize,
    of: HashMap<String, usize>,
    skipped: u64,
}

impl FailureBudget {
    /// Decides whether a failed log-in is written down. What is not is counted, and told
    /// with the first one of the next window.
    pub fn note(
        &mut self,
        failure: AuditFact,
        from: &Option<Address>,
        now: Monotonic,
    ) -> Decision<()> {
        let mut facts = Vec::new();
        if self.began.is_none_or(|began| now.millis_since(began) >= AUDIT_WINDOW_MILLIS) {
            if self.skipped > 0 {
                facts.push(Fact::Audit(AuditFact::FailuresSkipped { count: self.skipped }));
            }
            *self = Self { began: Some(now), ..Self::default() };
        }
        let source = from.as_ref().map(Address::source).unwrap_or_default();
        let known = self.of.get(&source).copied().unwrap_or_default();
        if self.written >= AUDIT_FAILURES || known >= AUDIT_FAILURES_OF_ADDRESS {
            self.skipped += 1;
        } else {
            self.written += 1;
            self.of.insert(source, known + 1);
            facts.push(Fact::Audit(failure));
        }
        Decision { facts, answer: () }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(budget: &mut FailureBudget, from: &str, now: u64) -> Vec<Fact> {
        let from = Some(Address::new(from.to_owned()));
        let failure = AuditFact::LoginFailed { user: None, email: None, from: from.clone() };
        budget.note(failure, &from, Monotonic::from_millis(now)).facts
    }

    #[test]
    fn one_address_cannot_fill_the_disk() {
        let mut budget = FailureBudget::default();
        let written: usize = (0..1000).map(|now| fails(&mut budget, "192.0.2.1", now).len()).sum();
        assert_eq!(written, AUDIT_FAILURES_OF_ADDRESS);
        assert_eq!(fails(&mut budget, "192.0.2.2", 1000).len(), 1, "others are still seen");
    }

    #[test]
    fn many_addresses_cannot_either() {
        let mut budget = FailureBudget::default();
        let one = |number: usize| format!("2001:db8:{:x}:{:x}::1", number / 9, number % 9);
        let written: usize = (0..5000).map(|it| fails(&mut budget, &one(it), 0).len()).sum();
        assert_eq!(written, AUDIT_FAILURES);
        assert!(budget.of.len() <= AUDIT_FAILURES);
    }

    #[test]
    fn one_network_of_ipv6_counts_as_one() {
        let mut budget = FailureBudget::default();
        let one = |number: usize| format!("2001:db8:1:2:{number:x}::1");
        let written: usize = (0..100).map(|it| fails(&mut budget, &one(it), 0).len()).sum();
        assert_eq!(written, AUDIT_FAILURES_OF_ADDRESS);
    }

    #[test]
    fn what_was_skipped_is_told_in_the_next_window() {
        let mut budget = FailureBudget::default();
        for now in 0..AUDIT_FAILURES_OF_ADDRESS as u64 + 7 {
            fails(&mut budget, "192.0.2.1", now);
        }
        let facts = fails(&mut budget, "192.0.2.1", AUDIT_WINDOW_MILLIS);
        assert_eq!(facts[0], Fact::Audit(AuditFact::FailuresSkipped { count: 7 }));
        assert_eq!(facts.len(), 2);
    }
}
