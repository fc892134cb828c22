//! The audit log: what operators must be able to look up and no other fact tells.
//!
//! Tokens, ownership, removals and destroyed groups are facts already and are not recorded again:
//! readers of the audit log find them in the journal. The audit log holds the rest, in a stream of
//! its own that is never pushed to anybody. How many failed log-ins an attacker can have recorded
//! is decided in `failure_budget.rs`.

use core::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::client_network::ClientNetwork;
use crate::ids::{
    DirectoryGroupId, GroupId, InvitationId, MailId, ReportId, RuleId, TokenId, UserId,
};
use crate::operators::OperatorRole;
use crate::text::Email;
use crate::time::Timestamp;

/// A fact of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuditFact {
    /// A log-in succeeded.
    LoggedIn {
        /// The user who logged in.
        user: UserId,
        /// The token issued; `None` on the page that asks for consent, where a log-in issues none.
        #[serde(with = "token_or_zero")]
        token: Option<TokenId>,
        /// The client's address, if known.
        from: Option<Address>,
    },
    /// A log-in was refused.
    LoginFailed {
        /// The account, if the log-in named an existing one.
        user: Option<UserId>,
        /// The email address that was typed, if it has the form of one.
        email: Option<Email>,
        /// The client's address, if known.
        from: Option<Address>,
    },
    /// Failed log-ins that were not recorded, since there were too many.
    FailuresSkipped {
        /// The number of log-ins that were not recorded.
        count: u64,
    },
    /// An operator did something.
    Administered {
        /// The operator, as the operating system knows them.
        by: Operator,
        /// The act.
        act: AdminAct,
    },
    /// An operator did something from their account.
    OperatorActed(OperatorDeed),
}

/// An act of an operator from their account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorDeed {
    /// The operator.
    pub by: UserId,
    /// The client's address, if known.
    pub from: Option<Address>,
    /// The act.
    pub act: AdminAct,
    /// Why, as the operator wrote it.
    pub reason: String,
    /// The value before a change, if the act changed one.
    pub before: Option<String>,
    /// The value after the change.
    pub after: Option<String>,
}

/// Writes no token as 0, which is the id of none, so that earlier versions, for which every log-in
/// issued one, can read the fact.
mod token_or_zero {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::ids::TokenId;

    pub(super) fn serialize<S: Serializer>(
        token: &Option<TokenId>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        token.unwrap_or(TokenId::new(0)).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<TokenId>, D::Error> {
        TokenId::deserialize(from).map(|token| Some(token).filter(|token| token.get() != 0))
    }
}

/// An act of an operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdminAct {
    /// Created an account.
    UserAdded {
        /// The account's user.
        user: UserId,
    },
    /// Disabled an account.
    UserDisabled {
        /// The account's user.
        user: UserId,
    },
    /// Enabled an account again.
    UserEnabled {
        /// The account's user.
        user: UserId,
    },
    /// Set a new password for an account.
    PasswordReset {
        /// The account's user.
        user: UserId,
    },
    /// Made a link with which a user sets a new password.
    RecoveryLinkMade {
        /// The account's user.
        user: UserId,
    },
    /// Removed the second factor of an account.
    FactorsReset {
        /// The account's user.
        user: UserId,
    },
    /// Gave an account a role of an operator, or took it.
    RoleSet {
        /// The account's user.
        user: UserId,
        /// The role; `None` if it was taken.
        role: Option<OperatorRole>,
    },
    /// Made a member or a guest of an account.
    KindSet {
        /// The account's user.
        user: UserId,
    },
    /// Ended every token of an account.
    UserLoggedOut {
        /// The account's user.
        user: UserId,
    },
    /// Froze a group.
    GroupFrozen {
        /// The group.
        group: GroupId,
    },
    /// Ended the freeze of a group.
    GroupUnfrozen {
        /// The group.
        group: GroupId,
    },
    /// Took a group out of the directory.
    GroupUnlisted {
        /// The group.
        group: GroupId,
    },
    /// Disbanded a group.
    GroupDisbanded {
        /// The group.
        group: GroupId,
    },
    /// Changed settings of the installation.
    SettingsChanged,
    /// Made a token for a directory.
    ScimTokenMade,
    /// Ended a token of a directory.
    ScimTokenEnded,
    /// Did something to an account as a directory.
    Provisioned {
        /// The account's user.
        user: UserId,
        /// What was done.
        act: DirectoryAct,
    },
    /// Did something to a group as a directory, or mapped one on a role.
    DirectoryGroup {
        /// The group.
        group: DirectoryGroupId,
        /// What was done.
        act: AuditedGroupAct,
    },
    /// Read the content of a report.
    ReportRead {
        /// The report.
        report: ReportId,
    },
    /// Resolved a report.
    ReportResolved {
        /// The report.
        report: ReportId,
    },
    /// Made a rule.
    RuleMade {
        /// The rule.
        rule: RuleId,
    },
    /// Changed a rule.
    RuleChanged {
        /// The rule.
        rule: RuleId,
    },
    /// Deleted a rule.
    RuleDeleted {
        /// The rule.
        rule: RuleId,
    },
    /// Approved somebody who asked for an account.
    RequestApproved {
        /// The account's user.
        user: UserId,
    },
    /// Refused somebody who asked for an account, which was deleted.
    RequestRefused {
        /// The account's user.
        user: UserId,
    },
    /// Invited people with a link.
    InvitationMade {
        /// The invitation.
        invitation: InvitationId,
    },
    /// Ended such a link.
    InvitationEnded {
        /// The invitation.
        invitation: InvitationId,
    },
    /// Had a mail to a user sent again.
    MailRetried {
        /// The account's user.
        user: UserId,
        /// The mail.
        mail: MailId,
    },
    /// Sent a test mail.
    MailTested,
    /// Took a backup of everything.
    BackupTaken,
    /// Accepted the machine's clock although it had jumped.
    ClockAccepted,
}

/// What a directory does to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DirectoryAct {
    /// Created it.
    Created,
    /// Changed its name, its address or the directory's names for it.
    Changed,
    /// Deactivated it.
    Deactivated,
    /// Activated it.
    Activated,
    /// Deleted its resource, so that it is disabled.
    Deleted,
    /// Created a resource for it again.
    Restored,
}

/// What is done to a group of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuditedGroupAct {
    /// The directory created it.
    Created,
    /// The directory changed its names or its members.
    Changed,
    /// The directory deleted it.
    Deleted,
    /// An admin mapped it on a role, or on none.
    Mapped,
}

impl AuditedGroupAct {
    /// The name of the act in the audit log.
    const fn name(self) -> &'static str {
        match self {
            Self::Created => "directory_group_created",
            Self::Changed => "directory_group_changed",
            Self::Deleted => "directory_group_deleted",
            Self::Mapped => "directory_group_mapped",
        }
    }
}

impl DirectoryAct {
    /// The name of the act in the audit log.
    const fn name(self) -> &'static str {
        match self {
            Self::Created => "directory_created",
            Self::Changed => "directory_changed",
            Self::Deactivated => "directory_deactivated",
            Self::Activated => "directory_activated",
            Self::Deleted => "directory_deleted",
            Self::Restored => "directory_restored",
        }
    }
}

/// An act of an operator and who did it: from an account or on the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deed {
    /// From an account.
    FromAccount(OperatorDeed),
    /// On the machine.
    OnMachine {
        /// The account of the operating system.
        by: Operator,
        /// The act.
        act: AdminAct,
    },
}

impl Deed {
    /// The act.
    pub const fn act(&self) -> &AdminAct {
        match self {
            Self::FromAccount(OperatorDeed { act, .. }) | Self::OnMachine { act, .. } => act,
        }
    }

    /// The operator, if it was done from an account.
    pub const fn account(&self) -> Option<UserId> {
        match self {
            Self::FromAccount(deed) => Some(deed.by),
            Self::OnMachine { .. } => None,
        }
    }
}

/// An act of an operator, and when it was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatedAct {
    /// When it was done.
    pub at: Timestamp,
    /// The act.
    pub deed: Deed,
}

impl AuditFact {
    /// The act of an operator, if the fact is one.
    pub fn deed(&self) -> Option<Deed> {
        match self {
            Self::OperatorActed(deed) => Some(Deed::FromAccount(deed.clone())),
            Self::Administered { by, act } => {
                Some(Deed::OnMachine { by: by.clone(), act: act.clone() })
            }
            Self::LoggedIn { .. } | Self::LoginFailed { .. } | Self::FailuresSkipped { .. } => None,
        }
    }
}

impl AdminAct {
    /// The name of the act in the audit log.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::UserAdded { .. } => "user_added",
            Self::UserDisabled { .. } => "user_disabled",
            Self::UserEnabled { .. } => "user_enabled",
            Self::PasswordReset { .. } => "password_reset",
            Self::RecoveryLinkMade { .. } => "recovery_link_made",
            Self::FactorsReset { .. } => "factors_reset",
            Self::RoleSet { .. } => "role_set",
            Self::KindSet { .. } => "kind_set",
            Self::UserLoggedOut { .. } => "user_logged_out",
            Self::GroupFrozen { .. } => "group_frozen",
            Self::GroupUnfrozen { .. } => "group_unfrozen",
            Self::GroupUnlisted { .. } => "group_unlisted",
            Self::GroupDisbanded { .. } => "group_destroyed",
            Self::SettingsChanged => "settings_changed",
            Self::ScimTokenMade => "scim_token_made",
            Self::ScimTokenEnded => "scim_token_ended",
            Self::Provisioned { act, .. } => act.name(),
            Self::DirectoryGroup { act, .. } => act.name(),
            Self::ReportRead { .. } => "report_read",
            Self::ReportResolved { .. } => "report_resolved",
            Self::RuleMade { .. } => "rule_created",
            Self::RuleChanged { .. } => "rule_changed",
            Self::RuleDeleted { .. } => "rule_deleted",
            Self::RequestApproved { .. } => "request_approved",
            Self::RequestRefused { .. } => "request_refused",
            Self::InvitationMade { .. } => "invite_created",
            Self::InvitationEnded { .. } => "invite_ended",
            Self::MailRetried { .. } => "mail_retried",
            Self::MailTested => "mail_tested",
            Self::BackupTaken => "backup_taken",
            Self::ClockAccepted => "clock_accepted",
        }
    }

    /// The group to which it was done.
    pub const fn group(&self) -> Option<GroupId> {
        if let Self::GroupFrozen { group }
        | Self::GroupUnfrozen { group }
        | Self::GroupUnlisted { group }
        | Self::GroupDisbanded { group } = self
        {
            return Some(*group);
        }
        None
    }

    /// The user to whom it was done.
    pub const fn user(&self) -> Option<UserId> {
        match self {
            Self::UserAdded { user }
            | Self::UserDisabled { user }
            | Self::UserEnabled { user }
            | Self::PasswordReset { user }
            | Self::RecoveryLinkMade { user }
            | Self::FactorsReset { user }
            | Self::RoleSet { user, .. }
            | Self::KindSet { user }
            | Self::UserLoggedOut { user }
            | Self::RequestApproved { user }
            | Self::RequestRefused { user }
            | Self::MailRetried { user, .. }
            | Self::Provisioned { user, .. } => Some(*user),
            // Whom a report is about must not learn of it from the acts that concern them.
            Self::ReportRead { .. }
            | Self::ReportResolved { .. }
            | Self::GroupFrozen { .. }
            | Self::GroupUnfrozen { .. }
            | Self::GroupUnlisted { .. }
            | Self::GroupDisbanded { .. }
            | Self::SettingsChanged
            | Self::ScimTokenMade
            | Self::ScimTokenEnded
            | Self::DirectoryGroup { .. }
            | Self::RuleMade { .. }
            | Self::RuleChanged { .. }
            | Self::RuleDeleted { .. }
            | Self::InvitationMade { .. }
            | Self::InvitationEnded { .. }
            | Self::MailTested
            | Self::BackupTaken
            | Self::ClockAccepted => None,
        }
    }
}

/// The IP address of a client, as text.
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

    /// The source for which failures are counted: the address, or the /64 network of an IPv6
    /// address, since the holder of one address of the network can use all of them.
    pub(super) fn source(&self) -> String {
        let address: Option<IpAddr> = self.0.parse().ok();
        address.map_or_else(|| self.0.clone(), |it| ClientNetwork::of(it).to_string())
    }
}

/// An account of the operating system that may administer this installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Operator(String);

impl Operator {
    /// The account with this user id.
    pub fn of_uid(uid: u32) -> Self {
        Self(format!("uid {uid}"))
    }

    /// The operator's name, as shown to people.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_versions_can_read_a_log_in_without_a_token() {
        let user = UserId::new(7);
        let from = None;
        for (token, number) in [(None, 0_u64), (Some(TokenId::new(9)), 9)] {
            let fact = AuditFact::LoggedIn { user, token, from: from.clone() };
            let packed = rmp_serde::to_vec(&fact).unwrap();
            let earlier = rmp_serde::to_vec(&("LoggedIn", (7_u64, number, ())));
            assert_eq!(packed[1..], earlier.unwrap()[1..]);
            assert_eq!(rmp_serde::from_slice::<AuditFact>(&packed).unwrap(), fact);
        }
    }
}
