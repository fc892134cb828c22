//! Who must have a second factor, and until when an account may be used without one.

use serde::{Deserialize, Serialize};

use crate::operators::OperatorRole;
use crate::time::Timestamp;

/// How long an account may be used without the factor that it must have: 14 days.
pub const FACTOR_GRACE_MILLIS: u64 = 14 * 86_400_000;

/// Who must have a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactorRequirement {
    /// Nobody.
    Optional,
    /// Operators, to act as such.
    Operators,
    /// Everybody.
    Everyone,
}

impl FactorRequirement {
    /// Every requirement.
    pub const ALL: [Self; 3] = [Self::Optional, Self::Operators, Self::Everyone];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Optional => "optional",
            Self::Operators => "operators",
            Self::Everyone => "everyone",
        }
    }

    /// The requirement with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }
}

/// A requirement, and since when it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredFactor {
    /// Who must have the factor.
    pub of: FactorRequirement,
    /// Since when.
    pub since: Timestamp,
}

/// What decides whether an account must have the factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactorHolder {
    /// Whether it has one.
    pub has_factor: bool,
    /// Whether its user may log in with a password. Who only comes by a provider or a passkey has
    /// proven more than a password already.
    pub uses_password: bool,
    /// When the account was made.
    pub created_at: Timestamp,
    /// The role of an operator, and since when.
    pub role: Option<(OperatorRole, Timestamp)>,
}

impl RequiredFactor {
    /// Until when this account may be used without the factor; `None` if it has one, or needs none.
    pub fn deadline(self, holder: FactorHolder) -> Option<Timestamp> {
        if holder.has_factor || !holder.uses_password {
            return None;
        }
        let since = match self.of {
            FactorRequirement::Optional => return None,
            FactorRequirement::Operators => holder.role?.1,
            FactorRequirement::Everyone => holder.created_at,
        };
        Some(self.since.max(since).plus_millis(FACTOR_GRACE_MILLIS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deadline_is_fourteen_days_after_the_last_that_began() {
        use FactorRequirement::{Everyone, Operators, Optional};
        let second = Timestamp::from_seconds;
        let days = FACTOR_GRACE_MILLIS / 1000;
        let admin = Some((OperatorRole::Admin, second(30)));
        for (of, since, created_at, role, expected) in [
            (Optional, 10, 20, admin, None),
            (Operators, 10, 20, None, None),
            (Operators, 10, 20, admin, Some(30 + days)),
            (Operators, 40, 20, admin, Some(40 + days)),
            (Everyone, 10, 20, None, Some(20 + days)),
            (Everyone, 40, 20, admin, Some(40 + days)),
        ] {
            let created_at = second(created_at);
            let holder = FactorHolder { has_factor: false, uses_password: true, created_at, role };
            let required = RequiredFactor { of, since: second(since) };
            assert_eq!(required.deadline(holder), expected.map(second), "{of:?} {since}");
            let has_one = FactorHolder { has_factor: true, ..holder };
            assert_eq!(required.deadline(has_one), None);
            let by_provider = FactorHolder { uses_password: false, ..holder };
            assert_eq!(required.deadline(by_provider), None);
        }
    }
}
