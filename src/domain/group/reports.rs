//! Reports: members report messages to the owner and admins, who resolve each report once.
//!
//! A report keeps a copy of its message, so that the resolver can read it after a deletion. All who
//! report the same message add to one report, until it is resolved. Nobody resolves reports about
//! themselves, and the owner alone resolves those about admins.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::conversation::ConversationRules;
use crate::event::{Decision, Fact};
use crate::group::{
    BanRefusal, Denied, Group, GroupAct, GroupFact, Moderation, NamedRule, NewBan, NewTimeout,
    Newcomer, RemoveRefusal, Role, TimeoutEnd, TimeoutRefusal,
};
use crate::id_generator::IdGenerator;
use crate::ids::{MessageId, ReportId, UserId};
use crate::limits::{OPEN_REPORTS, REPORT_FILINGS, REPORT_KEPT_MILLIS};
use crate::message::{Author, Message};
use crate::revision::{ReviserId, RevisionRefusal};
use crate::text::{ModerationReason, ReportText, UserName};
use crate::time::{Moment, Timestamp};

/// Why a message is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReportReason {
    /// Advertisements, or the same again and again.
    Spam,
    /// Insults, or harassment of a person.
    Harassment,
    /// Hatred of a group of people.
    Hate,
    /// Violence, or threats.
    Violence,
    /// Sexual content.
    Sexual,
    /// Suicide, or injuring oneself.
    SelfHarm,
    /// Private information of somebody.
    Privacy,
    /// It breaks rules of the group.
    Rules,
    /// Something else.
    Other,
}

impl ReportReason {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::Spam,
        Self::Harassment,
        Self::Hate,
        Self::Violence,
        Self::Sexual,
        Self::SelfHarm,
        Self::Privacy,
        Self::Rules,
        Self::Other,
    ];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Spam => "spam",
            Self::Harassment => "harassment",
            Self::Hate => "hate",
            Self::Violence => "violence",
            Self::Sexual => "sexual",
            Self::SelfHarm => "self_harm",
            Self::Privacy => "privacy",
            Self::Rules => "rules",
            Self::Other => "other",
        }
    }

    /// The reason with this name in the API.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }
}

/// What a resolver does about a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReportAction {
    /// Nothing.
    Dismiss,
    /// Delete the message.
    Delete,
    /// Time the author out.
    TimeOut,
    /// Remove the author from the group.
    Remove,
    /// Ban the author.
    Ban,
    /// Pass the report on to the operators of the server.
    Escalate,
    /// Undo the act against which somebody appeals.
    Undo,
}

impl ReportAction {
    /// Every action.
    pub const ALL: [Self; 7] = [
        Self::Dismiss,
        Self::Delete,
        Self::TimeOut,
        Self::Remove,
        Self::Ban,
        Self::Escalate,
        Self::Undo,
    ];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dismiss => "dismiss",
            Self::Delete => "delete",
            Self::TimeOut => "timeout",
            Self::Remove => "remove",
            Self::Ban => "ban",
            Self::Escalate => "escalate",
            Self::Undo => "undo",
        }
    }

    /// The action with this name in the API.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }
}

/// The report of one member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filing {
    /// The member; the owner and admins do not see them.
    pub by: UserId,
    /// The reason.
    pub reason: ReportReason,
    /// What the member says about it.
    pub text: Option<ReportText>,
    /// The rule that reported the message in place of a member; `by` is nobody then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<NamedRule>,
}

/// A reported message, as it was when it was first reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedMessage {
    /// The message.
    pub message: Message,
    /// The texts that the message had before it was edited, the newest first.
    pub earlier: Vec<String>,
}

/// A member reported a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reported {
    /// The report to which this one is added.
    pub report: ReportId,
    /// The message.
    pub message: MessageId,
    /// The user who wrote it, or who made the bot that did.
    pub about: Option<UserId>,
    /// Who reported it, and why.
    pub filing: Filing,
    /// The copy of the message; with the first filing only.
    pub copy: Option<Box<ReportedMessage>>,
}

/// How a report was resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// The owner or admin who resolved it.
    pub by: UserId,
    /// What they did.
    pub action: ReportAction,
    /// A note for the owner and admins.
    pub note: Option<ModerationReason>,
    /// When it was resolved.
    pub at: Timestamp,
}

/// A report was resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// The report.
    pub report: ReportId,
    /// The user whom it was about.
    pub about: Option<UserId>,
    /// The members who reported the message: they hear of it.
    pub reporters: Vec<UserId>,
    /// How it was resolved.
    pub resolution: Resolution,
}

/// A report with all that its resolver reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The report's id.
    pub id: ReportId,
    /// The user who wrote the message, or who made the bot that did.
    pub about: Option<UserId>,
    /// The message.
    pub copy: ReportedMessage,
    /// Everybody's reports of it, oldest first.
    pub filings: Vec<Filing>,
    /// When the message was first reported.
    pub at: Timestamp,
    /// How it was resolved; `None` while it is open.
    pub resolution: Option<Resolution>,
}

impl Report {
    /// Whether the report was resolved so long ago that it is dropped.
    pub fn is_over(&self, now: Timestamp) -> bool {
        let resolution = self.resolution.as_ref();
        resolution.is_some_and(|it| now.millis_since(it.at) >= REPORT_KEPT_MILLIS)
    }
}

/// An open report, as far as the room needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedReport {
    message: MessageId,
    author: Author,
    about: Option<UserId>,
    reporters: Vec<UserId>,
}

impl From<&Report> for UnresolvedReport {
    fn from(report: &Report) -> Self {
        Self {
            message: report.copy.message.id,
            author: report.copy.message.author.clone(),
            about: report.about,
            reporters: report.filings.iter().map(|filing| filing.by).collect(),
        }
    }
}

/// The open reports of a group.
pub type OpenReports = BTreeMap<ReportId, UnresolvedReport>;

/// What a resolver wants to do about a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewResolution {
    /// The action.
    pub action: ReportAction,
    /// A note, which is also the reason of a timeout or a ban.
    pub note: Option<ModerationReason>,
    /// When a timeout or a ban ends.
    pub until: Option<Timestamp>,
}

/// A report that a member filed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiledReport {
    /// The report's id.
    pub id: ReportId,
    /// Whether the member had not reported the message before.
    pub is_new: bool,
}

/// Why a message was not reported, or a report not shown or resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ReportRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// There is no such message in the group.
    #[error("there is no such message")]
    NoMessage,
    /// There is no such report, or it is not the caller's to resolve.
    #[error("there is no such report")]
    NoReport,
    /// Somebody resolved the report before.
    #[error("this report is resolved already")]
    Resolved,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The server wrote the message.
    #[error("system messages cannot be reported")]
    System,
    /// The caller, or a bot of theirs, wrote the message.
    #[error("you cannot report your own messages")]
    Own,
    /// The owner, or a bot of theirs, wrote the message: the operators resolve the report.
    #[error("messages of the owner are reported to the operators")]
    Owner,
    /// The message was deleted.
    #[error("the message was deleted")]
    Deleted,
    /// The group has too many open reports.
    #[error("a group has at most {OPEN_REPORTS} open reports")]
    Full,
    /// A report of a message has nothing to undo, and an appeal is granted or dismissed.
    #[error("action must be undo or dismiss for an appeal, and cannot be undo for a report")]
    WrongAction,
    /// The message is in a topic, whose members are those of its group.
    #[error("action cannot be remove or ban in a topic; remove or ban the member in the group")]
    InTopic,
    /// A timeout without an end.
    #[error("until is required to time the author out")]
    NoEnd,
    /// The action is about a member, and a bot wrote the message.
    #[error("a bot posted this message; it cannot be timed out, removed or banned")]
    Bot,
    /// The author is no member.
    #[error("the author of the message is no member any more")]
    AuthorLeft,
    /// The message cannot be deleted.
    #[error(transparent)]
    Deletion(#[from] RevisionRefusal),
    /// The author cannot be timed out.
    #[error(transparent)]
    TimeOut(#[from] TimeoutRefusal),
    /// The author cannot be removed.
    #[error(transparent)]
    Removal(#[from] RemoveRefusal),
    /// The author cannot be banned.
    #[error(transparent)]
    Ban(#[from] BanRefusal),
}

impl Group {
    /// Reports a message, or adds to the open report of it. Decides nothing if the member reported
    /// it before, or if so many did that one more says nothing new.
    ///
    /// # Errors
    /// If the message is the caller's own, the owner's or the server's, or was deleted.
    pub fn report(
        &self,
        filing: Filing,
        message: &Message,
        earlier: Vec<String>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<FiledReport>, ReportRefusal> {
        let member = self.member(filing.by).ok_or(ReportRefusal::NotAMember)?;
        self.permit(member, GroupAct::Report, now.wall)?;
        let about = self.person_behind(&message.author);
        match about {
            _ if message.author == Author::System => return Err(ReportRefusal::System),
            Some(user) if user == filing.by => return Err(ReportRefusal::Own),
            Some(user) if user == self.creator => return Err(ReportRefusal::Owner),
            Some(_) | None => {}
        }
        let open = self.open_reports.iter().find(|(_, open)| open.message == message.id);
        if let Some((id, open)) = open {
            let is_known = open.reporters.contains(&filing.by);
            if is_known || open.reporters.len() >= REPORT_FILINGS {
                return Ok(Decision::unchanged(FiledReport { id: *id, is_new: !is_known }));
            }
        } else if message.is_deleted() {
            return Err(ReportRefusal::Deleted);
        } else if self.open_reports.len() >= OPEN_REPORTS {
            return Err(ReportRefusal::Full);
        }
        let (id, copy) = match open {
            Some((id, _)) => (*id, None),
            None => {
                let id = ReportId::new(id_generator.message(now.wall).get());
                (id, Some(Box::new(ReportedMessage { message: message.clone(), earlier })))
            }
        };
        let reported = Reported { report: id, message: message.id, about, filing, copy };
        let fact = GroupFact::Moderated(Moderation::Reported(reported).into());
        let answer = FiledReport { id, is_new: true };
        Ok(Decision { facts: vec![Fact::Group(fact)], answer })
    }

    /// The users about whom this reader resolves no reports: themselves, and for admins the owner
    /// and the other admins.
    ///
    /// # Errors
    /// If the reader may not resolve reports.
    pub fn hidden_from(
        &self,
        reader: UserId,
        now: Timestamp,
    ) -> Result<Vec<UserId>, ReportRefusal> {
        let member = self.member(reader).ok_or(ReportRefusal::NotAMember)?;
        self.permit(member, GroupAct::DecideReports, now)?;
        let admins = self.members.values().filter(|it| it.role != Role::Member);
        let users = admins.map(|it| it.user_id);
        Ok(users.filter(|user| !self.resolves_about(reader, Some(*user))).collect())
    }

    /// The users about whom this reader of the audit reads no resolutions of reports.
    ///
    /// # Errors
    /// If the reader may not read the audit.
    pub fn hidden_from_auditor(
        &self,
        reader: UserId,
        now: Timestamp,
    ) -> Result<Vec<UserId>, ReportRefusal> {
        let member = self.member(reader).ok_or(ReportRefusal::NotAMember)?;
        self.permit(member, GroupAct::ReadAudit, now)?;
        self.hidden_from(reader, now)
    }

    /// Whether a user resolves reports about this one.
    pub fn resolves_about(&self, resolver: UserId, about: Option<UserId>) -> bool {
        let Some(resolver) = self.member(resolver) else { return false };
        let subject = about.and_then(|user| self.member(user));
        let is_of_admin = subject.is_some_and(|it| it.role != Role::Member);
        self.grants(resolver, GroupAct::DecideReports)
            && about != Some(resolver.user_id)
            && about != Some(self.creator)
            && (!is_of_admin || resolver.role == Role::Owner)
    }

    /// The open report of a message, and who reported it.
    pub(super) fn open_report_of(&self, message: MessageId) -> Option<(ReportId, &[UserId])> {
        let mut open = self.open_reports.iter();
        let found = open.find(|(_, open)| open.message == message);
        found.map(|(id, open)| (*id, open.reporters.as_slice()))
    }

    /// The message of an open report; `None` also for a report of a change that no message shows,
    /// which has the id of its report.
    pub fn reported_message(&self, report: ReportId) -> Option<MessageId> {
        let message = self.open_reports.get(&report).map(|open| open.message);
        message.filter(|message| message.get() != report.get())
    }

    /// Resolves a report; what the resolver does about it is part of the decision. `message` is the
    /// reported message, if it is there.
    ///
    /// # Errors
    /// If there is no such open report that the caller resolves, or they may not do what they want.
    pub fn resolve_report(
        &self,
        by: UserId,
        report: ReportId,
        new: NewResolution,
        message: Option<&Message>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, ReportRefusal> {
        let resolver = self.member(by).ok_or(ReportRefusal::NotAMember)?;
        self.permit(resolver, GroupAct::DecideReports, now.wall)?;
        let open = self.open_reports.get(&report);
        let open = open.filter(|open| self.resolves_about(by, open.about));
        let open = open.ok_or(ReportRefusal::NoReport)?;
        let is_of_group = matches!(new.action, ReportAction::Remove | ReportAction::Ban);
        if is_of_group && self.parent().is_some() {
            return Err(ReportRefusal::InTopic);
        }
        let mut facts = match new.action {
            ReportAction::Undo => return Err(ReportRefusal::WrongAction),
            // `http::reports` has filed the report with the operators before.
            ReportAction::Dismiss | ReportAction::Escalate => Vec::new(),
            ReportAction::Delete => {
                let message = message.ok_or(ReportRefusal::NoMessage)?;
                self.delete(&ReviserId::User(by), message, now, id_generator)?.facts
            }
            ReportAction::TimeOut | ReportAction::Remove | ReportAction::Ban => {
                self.act_on_author(by, open, &new, now, id_generator)?
            }
        };
        let NewResolution { action, note, .. } = new;
        let resolved = Resolved {
            report,
            about: open.about,
            reporters: open.reporters.clone(),
            resolution: Resolution { by, action, note, at: now.wall },
        };
        facts.push(Fact::Group(GroupFact::Moderated(Moderation::Resolved(resolved).into())));
        Ok(Decision { facts, answer: () })
    }

    fn act_on_author(
        &self,
        by: UserId,
        open: &UnresolvedReport,
        new: &NewResolution,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Vec<Fact>, ReportRefusal> {
        let Author::Member(user) = open.author else { return Err(ReportRefusal::Bot) };
        let reason = new.note.clone();
        let member = self.member(user);
        if new.action == ReportAction::Ban {
            let known = member.or_else(|| self.former.get(&user).map(|former| &former.member));
            let known = known.ok_or(ReportRefusal::AuthorLeft)?;
            let name = UserName::parse(known.name.clone()).map_err(|_| BanRefusal::NoUser)?;
            let user =
                Newcomer { id: user, name, image: known.image.clone(), is_guest: known.is_guest };
            let ban = NewBan { user, reason, until: new.until, deletes: false };
            return Ok(self.ban(by, ban, now, id_generator)?.facts);
        }
        let membership = member.ok_or(ReportRefusal::AuthorLeft)?.membership_id;
        if new.action == ReportAction::Remove {
            return Ok(self.remove(by, membership, now, id_generator)?.facts);
        }
        let end = TimeoutEnd::At(new.until.ok_or(ReportRefusal::NoEnd)?);
        Ok(self.time_out(by, membership, NewTimeout { end, reason }, now.wall)?.facts)
    }

    /// Adds to an open report, or opens it.
    pub(super) fn keep_report(&mut self, reported: &Reported) {
        let open = self.open_reports.entry(reported.report).or_insert_with(|| UnresolvedReport {
            message: reported.message,
            author: reported.copy.as_ref().map_or(Author::System, |it| it.message.author.clone()),
            about: reported.about,
            reporters: Vec::new(),
        });
        open.reporters.push(reported.filing.by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table};

    fn message(id: u64, author: Author) -> Message {
        Message { author, ..Message::silent(id, id) }
    }

    fn reports(
        table: &mut Table,
        by: UserId,
        message: &Message,
    ) -> Result<FiledReport, ReportRefusal> {
        let filing = Filing { by, reason: ReportReason::Spam, text: None, rule: None };
        table.does(|group, now, ids| group.report(filing, message, Vec::new(), now, ids))
    }

    fn resolves(
        table: &mut Table,
        by: UserId,
        report: ReportId,
        action: ReportAction,
    ) -> Result<(), ReportRefusal> {
        let new = NewResolution { action, note: None, until: None };
        table.does(|group, now, ids| group.resolve_report(by, report, new, None, now, ids))
    }

    #[test]
    fn reports_of_one_message_are_one_until_resolved() {
        let mut table = Table::of_three();
        let ads = message(90, Author::Member(BEN));
        let first = reports(&mut table, CARA, &ads).unwrap();
        assert!(first.is_new);
        let again = reports(&mut table, CARA, &ads).unwrap();
        assert_eq!((again.id, again.is_new, table.facts.len()), (first.id, false, 0));
        assert_eq!(reports(&mut table, ANA, &ads).unwrap().id, first.id);
        assert_eq!(table.heard_by(CARA), [false]);
        resolves(&mut table, ANA, first.id, ReportAction::Dismiss).unwrap();
        let repeat = resolves(&mut table, ANA, first.id, ReportAction::Dismiss);
        assert_eq!(repeat, Err(ReportRefusal::NoReport));
        assert_ne!(reports(&mut table, CARA, &ads).unwrap().id, first.id);
    }

    #[test]
    fn own_messages_and_those_of_the_owner_and_the_server_are_refused() {
        let mut table = Table::of_three();
        let refused = |table: &mut Table, by, author| reports(table, by, &message(90, author));
        assert_eq!(refused(&mut table, BEN, Author::Member(BEN)), Err(ReportRefusal::Own));
        assert_eq!(refused(&mut table, BEN, Author::Member(ANA)), Err(ReportRefusal::Owner));
        assert_eq!(refused(&mut table, BEN, Author::System), Err(ReportRefusal::System));
        let stranger = UserId::new(99);
        let refusal = Err(ReportRefusal::NotAMember);
        assert_eq!(refused(&mut table, stranger, Author::Member(BEN)), refusal);
    }

    #[test]
    fn owner_alone_resolves_reports_about_admins() {
        let mut table = Table::of_three();
        table.promote(BEN);
        table.promote(CARA);
        let of_admin = message(90, Author::Member(BEN));
        let report = reports(&mut table, CARA, &of_admin).unwrap().id;
        let dismiss = ReportAction::Dismiss;
        for admin in [BEN, CARA] {
            let refused = resolves(&mut table, admin, report, dismiss);
            assert_eq!(refused, Err(ReportRefusal::NoReport));
        }
        let now = Timestamp::from_seconds(1);
        assert_eq!(table.group.hidden_from(CARA, now), Ok(vec![ANA, BEN, CARA]));
        assert_eq!(table.group.hidden_from(ANA, now), Ok(vec![ANA]));
        resolves(&mut table, ANA, report, dismiss).unwrap();
    }

    #[test]
    fn act_is_part_of_the_resolution() {
        let mut table = Table::of_three();
        let ads = message(90, Author::Member(BEN));
        let report = reports(&mut table, CARA, &ads).unwrap().id;
        let denied = Err(ReportRefusal::Denied(Denied::Role(GroupAct::DecideReports)));
        assert_eq!(resolves(&mut table, CARA, report, ReportAction::Ban), denied);
        let no_end = resolves(&mut table, ANA, report, ReportAction::TimeOut);
        assert_eq!(no_end, Err(ReportRefusal::NoEnd));
        resolves(&mut table, ANA, report, ReportAction::Ban).unwrap();
        assert!(table.group.member(BEN).is_none());
        assert!(table.group.ban_of(BEN, Timestamp::from_seconds(1)).is_some());
        assert!(table.group.open_reports.is_empty());
    }
}
