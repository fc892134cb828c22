//! Reports to the operators: of messages in chats and of owners of groups, of users, and of groups, and
//! what owners and admins of groups pass on. Everybody who reports the same thing adds to one report,
//! until an operator resolves it.

use serde::{Deserialize, Serialize};

use crate::group::{Filing, ReportedMessage};
use crate::ids::{Conversation, GroupId, MessageId, ReportId, UserId};
use crate::limits::{OPERATOR_REPORTS, REPORT_KEPT_MILLIS};
use crate::time::Timestamp;

/// What is reported to the operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReportSubject {
    /// A message of a group or a chat.
    Message(Conversation, MessageId),
    /// A user.
    User(UserId),
    /// A group.
    Group(GroupId),
}

impl ReportSubject {
    /// The name of its kind in the API.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Message(..) => "message",
            Self::User(_) => "user",
            Self::Group(_) => "group",
        }
    }

    /// The kinds of subjects.
    pub const KINDS: [&'static str; 3] = ["message", "user", "group"];
}

/// Something is reported to the operators: a new report, or an addition to an open one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorFiling {
    /// The report.
    pub report: ReportId,
    /// What is reported.
    pub subject: ReportSubject,
    /// The user whom it is about: who wrote the message, the user, or the owner of the group.
    pub about: Option<UserId>,
    /// Who reported it, and why.
    pub filings: Vec<Filing>,
    /// The copy of a message; with the first filing only.
    pub copy: Option<ReportedMessage>,
}

/// The reports that an operator wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorReportQuery {
    /// Whether the open ones are wanted, and not the resolved ones.
    pub is_open: bool,
    /// Only reports of this kind of subject.
    pub kind: Option<&'static str>,
    /// Only reports about this user.
    pub about: Option<UserId>,
    /// Only reports before this one.
    pub before: Option<ReportId>,
}

impl OperatorReportQuery {
    /// Whether a report is wanted.
    pub fn wants(&self, report: &OperatorReport) -> bool {
        let filed = &report.filed;
        self.kind.is_none_or(|kind| kind == filed.subject.kind())
            && self.about.is_none_or(|user| Some(user) == filed.about)
    }
}

/// What an operator does about a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OperatorAction {
    /// Nothing.
    Dismiss,
    /// They acted outside of the report, for example by talking to somebody.
    Note,
    /// Delete the message.
    Delete,
    /// Disable the account that the report is about.
    Disable,
}

impl OperatorAction {
    /// Every action.
    pub const ALL: [Self; 4] = [Self::Dismiss, Self::Note, Self::Delete, Self::Disable];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dismiss => "dismiss",
            Self::Note => "note",
            Self::Delete => "delete",
            Self::Disable => "disable",
        }
    }

    /// The action with this name in the API.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }
}

/// How an operator resolved a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorResolution {
    /// The operator.
    pub by: UserId,
    /// What they did.
    pub action: OperatorAction,
    /// A note for other operators.
    pub note: String,
    /// When the report was resolved.
    pub at: Timestamp,
}

/// A report with all that operators read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorReport {
    /// What was filed first, with the filings of all.
    pub filed: OperatorFiling,
    /// When it was first reported.
    pub at: Timestamp,
    /// How it was resolved; `None` while it is open.
    pub resolution: Option<OperatorResolution>,
}

impl OperatorReport {
    /// A report that its first filing opens.
    pub const fn opened(filed: OperatorFiling, at: Timestamp) -> Self {
        Self { filed, at, resolution: None }
    }

    /// Adds a later filing.
    pub fn add(&mut self, filing: &OperatorFiling) {
        self.filed.filings.extend(filing.filings.iter().cloned());
    }

    /// The people whom the report names.
    pub fn people(&self) -> impl Iterator<Item = UserId> {
        let filings = self.filed.filings.iter().map(|filing| filing.by);
        let resolver = self.resolution.as_ref().map(|it| it.by);
        filings.chain(self.filed.about).chain(resolver)
    }

    /// Whether an operator may read and resolve the report: it is not about them.
    ///
    /// # Errors
    /// If it is about them.
    pub fn permit(&self, operator: UserId) -> Result<(), OperatorReportRefusal> {
        match self.filed.about == Some(operator) {
            true => Err(OperatorReportRefusal::AboutYou),
            false => Ok(()),
        }
    }

    /// Whether the report was resolved so long ago that it is dropped.
    pub fn is_over(&self, now: Timestamp) -> bool {
        let resolution = self.resolution.as_ref();
        resolution.is_some_and(|it| now.millis_since(it.at) >= REPORT_KEPT_MILLIS)
    }
}

/// Why a report to the operators was not filed or resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OperatorReportRefusal {
    /// There are too many open reports.
    #[error("there are {OPERATOR_REPORTS} open reports; try again later")]
    Full,
    /// There is no such open report.
    #[error("there is no such report")]
    NoReport,
    /// Somebody resolved the report before.
    #[error("this report is resolved already")]
    Resolved,
    /// The report is about nobody whose account could be disabled.
    #[error("this report is about no account that can be disabled")]
    NoAccount,
    /// The report is about no message that could be deleted.
    #[error("this report is about no message that can be deleted")]
    NoMessage,
    /// An operator does not read or resolve reports about themselves.
    #[error("this report is about you; another operator reads and resolves it")]
    AboutYou,
    /// Users cannot report themselves or what they wrote.
    #[error("you cannot report yourself, your own messages or your own groups")]
    Own,
}
