//! What operators see of accounts, groups and acts of operators.

use std::collections::BTreeMap;

use crate::audit::DatedAct;
use crate::group::Settings;
use crate::ids::{GroupId, MailId, UserId};
use crate::mail::{MailKind, MailedInvite};
use crate::operators::OperatorRole;
use crate::operators::reports::OperatorReport;
use crate::registration::AccountWait;
use crate::text::{Email, UserName};
use crate::time::Timestamp;
use crate::user::Profile;

/// An account as operators see it: without content and secrets.
#[derive(Debug, Clone)]
pub struct ListedAccount {
    /// The user.
    pub id: UserId,
    /// Name, address, phone number and picture.
    pub profile: Profile,
    /// Whether the email address was confirmed.
    pub is_verified: bool,
    /// When the account was registered.
    pub created_at: Timestamp,
    /// When an operator disabled the account, if it is disabled.
    pub disabled_at: Option<Timestamp>,
    /// When a directory deactivated the account, if it is deactivated.
    pub deactivated_at: Option<Timestamp>,
    /// What a new account waits for, if it waits.
    pub waiting: Option<AccountWait>,
    /// The role of an operator, if the user is one.
    pub role: Option<OperatorRole>,
    /// The number of tokens: those not revoked, expired ones included.
    pub tokens: usize,
    /// When a token of the account was last used, as far as it was written down.
    pub last_used_at: Option<Timestamp>,
    /// The number of groups that the user is in.
    pub groups: usize,
}

/// A group as operators see it: without what is written there.
#[derive(Debug, Clone)]
pub struct ListedGroup {
    /// The group.
    pub id: GroupId,
    /// Name, type, picture and so on.
    pub settings: Settings,
    /// The owner.
    pub owner: NamedAccount,
    /// When the group was created.
    pub created_at: Timestamp,
    /// When settings or members last changed.
    pub updated_at: Timestamp,
    /// The number of members.
    pub members: usize,
    /// The number of bots.
    pub bots: usize,
    /// The number of messages posted so far.
    pub messages: u64,
}

/// A user with the name of their account.
#[derive(Debug, Clone)]
pub struct NamedAccount {
    /// The user.
    pub id: UserId,
    /// The name; `None` if there never was such an account.
    pub name: Option<UserName>,
}

/// An act of an operator, with the names of those whom it names.
#[derive(Debug, Clone)]
pub struct ListedAct {
    /// The entry's id: its cursor.
    pub id: u64,
    /// The act.
    pub act: DatedAct,
    /// The operator; `None` if it was done on the machine.
    pub by: Option<NamedAccount>,
    /// The user to whom it was done, if any.
    pub target: Option<NamedAccount>,
}

/// A page of a list, and where the next one begins.
#[derive(Debug)]
pub struct OperatorPage<T> {
    /// The entries, newest first.
    pub entries: Vec<T>,
    /// The next page begins before this id; `None` if this is the last page.
    pub before: Option<u64>,
}

/// What a list of people or groups is about.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// Text in the name or address, or an id; `None` for every entry.
    pub text: Option<String>,
    /// Only entries with lower ids.
    pub before: Option<u64>,
    /// The number of entries.
    pub limit: usize,
}

/// What a page of the audit log is about.
#[derive(Debug, Clone)]
pub struct AuditQuery {
    /// Only acts of this operator.
    pub actor: Option<UserId>,
    /// Only acts with this name.
    pub act: Option<String>,
    /// Only acts towards this user.
    pub target: Option<UserId>,
    /// Only acts from this time on, in Unix seconds.
    pub since: Option<u64>,
    /// Only entries before this id.
    pub before: Option<u64>,
    /// The number of entries.
    pub limit: usize,
}

impl AuditQuery {
    /// Whether an act is wanted.
    pub fn wants(&self, dated: &DatedAct) -> bool {
        let act = dated.deed.act();
        self.actor.is_none_or(|actor| dated.deed.account() == Some(actor))
            && self.act.as_ref().is_none_or(|name| name == act.name())
            && self.target.is_none_or(|target| act.user() == Some(target))
            && self.since.is_none_or(|since| dated.at.seconds() >= since)
    }
}

/// A report to the operators, and the names of the people in it whose accounts are there.
#[derive(Debug, Clone)]
pub struct NamedReport {
    /// The report.
    pub report: OperatorReport,
    /// The names.
    pub names: BTreeMap<UserId, UserName>,
}

/// Whether a mail waits or is dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailState {
    /// It waits to be sent.
    Waiting,
    /// The server gave it up.
    Dead,
}

impl MailState {
    /// Every state.
    pub const ALL: [Self; 2] = [Self::Waiting, Self::Dead];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Dead => "dead",
        }
    }

    /// The state with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// The place of a mail in a list: when it was queued, and its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MailPlace {
    /// When the mail was queued.
    pub queued_at: Timestamp,
    /// The mail.
    pub id: MailId,
}

/// What a list of mails is about.
#[derive(Debug, Clone, Copy)]
pub struct MailQuery {
    /// Only mails in this state.
    pub state: Option<MailState>,
    /// Only mails after this one in the list.
    pub before: Option<MailPlace>,
    /// The number of entries.
    pub limit: usize,
}

/// A mail that waits or was given up, as operators see it: without its text and its link.
#[derive(Debug, Clone)]
pub struct ListedMail {
    /// When it was queued, and its id.
    pub place: MailPlace,
    /// The recipient's account.
    pub user: NamedAccount,
    /// The recipient's address.
    pub to: Email,
    /// What it is about.
    pub kind: MailKind,
    /// Whether it waits or is dead.
    pub state: MailState,
    /// How many attempts failed.
    pub attempts: u32,
    /// When it is due; `None` if it is dead.
    pub due: Option<Timestamp>,
    /// When the server gave it up; `None` if it waits.
    pub dead_at: Option<Timestamp>,
    /// Why the last attempt failed, if one did.
    pub error: Option<String>,
    /// Whether it can be sent again.
    pub can_retry: bool,
    /// The invite in it.
    pub invite: Option<MailedInvite>,
}

/// A page of mails.
#[derive(Debug)]
pub struct MailPage {
    /// The mails, newest first.
    pub mails: Vec<ListedMail>,
    /// The last mail of this page if more follow.
    pub before: Option<MailPlace>,
    /// The number of mails that wait.
    pub waiting: usize,
    /// The number of mails that the server gave up in the last week.
    pub dead: usize,
}
