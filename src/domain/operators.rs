//! Operators: accounts that may administer the installation, and what each role may do.
//!
//! [`may`] is the one table. Every route below `/v3/admin` asks it, and `/docs` shows it. The
//! operating system's account that runs the server may do everything and needs no role.

use serde::{Deserialize, Serialize};

pub mod invitation_list;
pub mod invitations;
pub mod lists;
pub mod open_reports;
pub mod reports;
pub mod rules;

/// The role of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OperatorRole {
    /// Does everything.
    Admin,
    /// Looks after people and groups.
    Moderator,
    /// Reads.
    Auditor,
}

impl OperatorRole {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Admin, Self::Moderator, Self::Auditor];

    /// The name in the API and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Moderator => "moderator",
            Self::Auditor => "auditor",
        }
    }

    /// The role with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

/// The name of a role, or `none`.
pub fn name_of(role: Option<OperatorRole>) -> &'static str {
    role.map_or("none", OperatorRole::as_str)
}

/// Something that an operator may or may not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatorAct {
    /// See the version of the server.
    SeeServer,
    /// List accounts and look at one.
    SeePeople,
    /// Admit people: decide their requests and invite them. Disable and enable accounts, end their
    /// tokens, and make recovery links.
    ManagePeople,
    /// Give and take the roles of operators.
    ChangeRoles,
    /// Make members of guests.
    MakeMembers,
    /// List groups and look at one, without what is written there.
    SeeGroups,
    /// Freeze groups, end that, and take groups out of the directory.
    ManageGroups,
    /// Disband groups.
    DisbandGroups,
    /// Read what operators did.
    ReadAudit,
    /// Read the settings.
    ReadSettings,
    /// Change the settings.
    ChangeSettings,
    /// See the mails that wait and those that were given up.
    SeeMail,
    /// Have a mail sent again, and send a test mail.
    SendMail,
    /// Manage accounts as a directory, and make tokens for it.
    Provision,
    /// See which reports there are, without copies of messages and what people say.
    SeeReports,
    /// Read what people reported, with copies of messages and who reported.
    ReadReports,
    /// Resolve reports.
    ResolveReports,
    /// Read the rules of the operators, and try them on a text.
    ReadRules,
    /// Save and delete rules of the operators.
    ChangeRules,
}

impl OperatorAct {
    /// Every act.
    pub const ALL: [Self; 19] = [
        Self::SeeServer,
        Self::SeePeople,
        Self::ManagePeople,
        Self::ChangeRoles,
        Self::MakeMembers,
        Self::SeeGroups,
        Self::ManageGroups,
        Self::DisbandGroups,
        Self::ReadAudit,
        Self::ReadSettings,
        Self::ChangeSettings,
        Self::SeeMail,
        Self::SendMail,
        Self::Provision,
        Self::SeeReports,
        Self::ReadReports,
        Self::ResolveReports,
        Self::ReadRules,
        Self::ChangeRules,
    ];

    /// The act in a sentence: "an auditor may not …".
    pub const fn words(self) -> &'static str {
        match self {
            Self::SeeServer => "see the server",
            Self::SeePeople => "see accounts",
            Self::ManagePeople => "admit, disable, enable, log out or recover accounts",
            Self::ChangeRoles => "change roles",
            Self::MakeMembers => "make members of guests",
            Self::SeeGroups => "see groups",
            Self::ManageGroups => "freeze groups or take them out of the directory",
            Self::DisbandGroups => "disband groups",
            Self::ReadAudit => "read the audit log",
            Self::ReadSettings => "read the settings",
            Self::ChangeSettings => "change the settings",
            Self::SeeMail => "see the mails that wait",
            Self::SendMail => "send mails again, or a test mail",
            Self::Provision => "manage accounts as a directory",
            Self::SeeReports => "list reports",
            Self::ReadReports => "read the content of reports",
            Self::ResolveReports => "resolve reports",
            Self::ReadRules => "read the rules of the operators",
            Self::ChangeRules => "change the rules of the operators",
        }
    }
}

/// The answer of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatorPermission {
    /// Allowed.
    Always,
    /// Allowed unless it is done to an operator.
    NotToOperators,
    /// Allowed as far as it concerns the operator's own acts.
    OwnActs,
    /// Not allowed.
    Never,
}

/// Whether an operator of this role may do something.
pub const fn may(role: OperatorRole, act: OperatorAct) -> OperatorPermission {
    use OperatorAct as Act;
    use OperatorPermission::{Always, Never, NotToOperators, OwnActs};
    match (role, act) {
        (
            _,
            Act::SeeServer | Act::SeePeople | Act::SeeGroups | Act::SeeReports | Act::ReadRules,
        )
        | (OperatorRole::Admin, _)
        | (OperatorRole::Moderator, Act::ReadReports | Act::ChangeRules | Act::ManageGroups) => {
            Always
        }
        (OperatorRole::Moderator, Act::ManagePeople | Act::ResolveReports) => NotToOperators,
        (OperatorRole::Moderator, Act::ReadAudit) => OwnActs,
        (OperatorRole::Auditor, Act::ReadAudit | Act::ReadSettings | Act::SeeMail) => Always,
        (OperatorRole::Auditor, Act::ManagePeople)
        | (OperatorRole::Moderator, Act::ReadSettings | Act::SeeMail)
        | (
            OperatorRole::Moderator | OperatorRole::Auditor,
            Act::ChangeRoles
            | Act::MakeMembers
            | Act::ChangeSettings
            | Act::SendMail
            | Act::Provision
            | Act::DisbandGroups,
        )
        | (
            OperatorRole::Auditor,
            Act::ReadReports | Act::ResolveReports | Act::ChangeRules | Act::ManageGroups,
        ) => Never,
    }
}

/// Why an operator may not do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OperatorRefusal {
    /// The role does not allow it.
    #[error("your role ({}) does not allow this: {}", role.as_str(), act.words())]
    Role {
        /// The role.
        role: OperatorRole,
        /// The act.
        act: OperatorAct,
    },
    /// The role does not allow it towards an operator.
    #[error("your role ({}) does not allow this to an operator", .0.as_str())]
    ToOperator(OperatorRole),
    /// Nobody could administer the installation any more.
    #[error("this is the last admin; give another account the role of an admin first")]
    LastAdmin,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_have_the_acts_of_the_documented_table() {
        use OperatorPermission::{Always, Never, NotToOperators, OwnActs};
        for (act, row) in [
            (OperatorAct::SeeServer, [Always, Always, Always]),
            (OperatorAct::SeePeople, [Always, Always, Always]),
            (OperatorAct::ManagePeople, [Always, NotToOperators, Never]),
            (OperatorAct::ChangeRoles, [Always, Never, Never]),
            (OperatorAct::MakeMembers, [Always, Never, Never]),
            (OperatorAct::SeeGroups, [Always, Always, Always]),
            (OperatorAct::ManageGroups, [Always, Always, Never]),
            (OperatorAct::DisbandGroups, [Always, Never, Never]),
            (OperatorAct::ReadAudit, [Always, OwnActs, Always]),
            (OperatorAct::ReadSettings, [Always, Never, Always]),
            (OperatorAct::ChangeSettings, [Always, Never, Never]),
            (OperatorAct::SeeMail, [Always, Never, Always]),
            (OperatorAct::SendMail, [Always, Never, Never]),
            (OperatorAct::Provision, [Always, Never, Never]),
            (OperatorAct::SeeReports, [Always, Always, Always]),
            (OperatorAct::ReadReports, [Always, Always, Never]),
            (OperatorAct::ResolveReports, [Always, NotToOperators, Never]),
            (OperatorAct::ReadRules, [Always, Always, Always]),
            (OperatorAct::ChangeRules, [Always, Always, Never]),
        ] {
            assert_eq!(OperatorRole::ALL.map(|role| may(role, act)), row, "{act:?}");
        }
    }

    #[test]
    fn names_of_roles_are_read_back() {
        for role in OperatorRole::ALL {
            assert_eq!(OperatorRole::named(role.as_str()), Some(role));
        }
        assert_eq!(OperatorRole::named("owner"), None);
    }
}
