//! Appeals: a user who is banned or timed out asks the owner and admins, once for each act, to undo it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{
    Group, GroupAct, GroupFact, Moderation, NewResolution, ReportAction, ReportRefusal,
};
use crate::id_generator::IdGenerator;
use crate::ids::{ReportId, UserId};
use crate::text::{ModerationReason, ReportText};
use crate::time::Timestamp;

/// An act against which a user appeals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AppealedAct {
    /// A ban.
    Ban,
    /// A timeout.
    Timeout,
}

impl AppealedAct {
    /// Both acts.
    pub const ALL: [Self; 2] = [Self::Ban, Self::Timeout];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ban => "ban",
            Self::Timeout => "timeout",
        }
    }
}

/// An appeal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appeal {
    /// The id, from the same sequence as those of reports.
    pub id: ReportId,
    /// The user.
    pub user: UserId,
    /// The nickname that the user has or had.
    pub name: String,
    /// The act.
    pub act: AppealedAct,
    /// When the act happened, which tells it from later ones.
    pub act_at: Timestamp,
    /// The reason of the act.
    pub reason: Option<ModerationReason>,
    /// When the act ends by itself.
    pub until: Option<Timestamp>,
    /// What the user says.
    pub text: ReportText,
    /// When they appealed.
    pub at: Timestamp,
    /// Whether somebody decided.
    pub is_settled: bool,
}

/// The end of an appeal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppealSettled {
    /// The appeal.
    pub id: ReportId,
    /// The user.
    pub user: UserId,
    /// The act.
    pub act: AppealedAct,
    /// The owner or admin who decided.
    pub by: UserId,
    /// Whether the act was undone.
    pub is_granted: bool,
    /// A note for the owner and admins.
    pub note: Option<ModerationReason>,
}

/// The newest appeal of each user against each kind of act.
pub type Appeals = BTreeMap<(UserId, AppealedAct), Appeal>;

/// Why an appeal was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AppealRefusal {
    /// The caller is neither a member nor banned, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The caller is a member who is not timed out.
    #[error("you are not timed out in this group")]
    NoAct,
    /// The caller appealed against the act before.
    #[error("you have already appealed against this")]
    Again,
}

impl Group {
    /// Appeals against the ban or the timeout of the caller.
    ///
    /// # Errors
    /// If there is none, or the caller appealed against it before.
    pub fn appeal(
        &self,
        user: UserId,
        text: ReportText,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<ReportId>, AppealRefusal> {
        if self.disbanded {
            return Err(AppealRefusal::NotAMember);
        }
        let id = ReportId::new(id_generator.message(now).get());
        let of = |name: &str, act, act_at, reason: &Option<ModerationReason>, until| Appeal {
            id,
            user,
            name: name.to_owned(),
            act,
            act_at,
            reason: reason.clone(),
            until,
            text,
            at: now,
            is_settled: false,
        };
        let appeal = if let Some(ban) = self.ban_of(user, now) {
            of(&ban.name, AppealedAct::Ban, ban.at, &ban.reason, ban.until)
        } else {
            let member = self.member(user).ok_or(AppealRefusal::NotAMember)?;
            let timeout = self.timeout_of(user, now).ok_or(AppealRefusal::NoAct)?;
            let name = member.nickname.as_str();
            of(name, AppealedAct::Timeout, timeout.at, &timeout.reason, Some(timeout.until))
        };
        let known = self.appeals.get(&(user, appeal.act));
        if known.is_some_and(|known| known.act_at == appeal.act_at) {
            return Err(AppealRefusal::Again);
        }
        let fact = GroupFact::Moderated(Moderation::Appealed(appeal).into());
        Ok(Decision { facts: vec![Fact::Group(fact)], answer: id })
    }

    /// The appeals that a reader decides about, the newest first.
    ///
    /// # Errors
    /// If the reader may not decide about reports.
    pub fn appeals_for(
        &self,
        reader: UserId,
        now: Timestamp,
    ) -> Result<Vec<Appeal>, ReportRefusal> {
        let member = self.member(reader).ok_or(ReportRefusal::NotAMember)?;
        self.permit(member, GroupAct::DecideReports, now)?;
        let open = self.appeals.values().filter(|appeal| self.is_open(appeal, now));
        let seen = open.filter(|appeal| self.resolves_about(reader, Some(appeal.user)));
        let mut found: Vec<Appeal> = seen.cloned().collect();
        found.sort_by_key(|appeal| std::cmp::Reverse(appeal.id));
        Ok(found)
    }

    /// Whether nobody decided about an appeal, and its act lasts.
    fn is_open(&self, appeal: &Appeal, now: Timestamp) -> bool {
        let lasting = match appeal.act {
            AppealedAct::Ban => self.ban_of(appeal.user, now).map(|ban| ban.at),
            AppealedAct::Timeout => self.timeout_of(appeal.user, now).map(|timeout| timeout.at),
        };
        !appeal.is_settled && lasting == Some(appeal.act_at)
    }

    /// The open appeal with this id.
    pub fn open_appeal(&self, id: ReportId, now: Timestamp) -> Option<&Appeal> {
        let mut appeals = self.appeals.values();
        appeals.find(|appeal| appeal.id == id).filter(|appeal| self.is_open(appeal, now))
    }

    /// Undoes the act of an appeal, or dismisses the appeal.
    ///
    /// # Errors
    /// If there is no such open appeal that the caller decides about, or the action is another one.
    pub fn settle_appeal(
        &self,
        by: UserId,
        id: ReportId,
        new: NewResolution,
        now: Timestamp,
    ) -> Result<Decision<()>, ReportRefusal> {
        let decider = self.member(by).ok_or(ReportRefusal::NotAMember)?;
        self.permit(decider, GroupAct::DecideReports, now)?;
        let appeal = self.open_appeal(id, now);
        let appeal = appeal.filter(|appeal| self.resolves_about(by, Some(appeal.user)));
        let appeal = appeal.ok_or(ReportRefusal::NoReport)?;
        let user = appeal.user;
        let act = appeal.act;
        let mut facts = Vec::new();
        let is_granted = match new.action {
            ReportAction::Dismiss => false,
            ReportAction::Undo => {
                let undone = match act {
                    AppealedAct::Ban => Moderation::Unbanned { user, by },
                    AppealedAct::Timeout => Moderation::TimeoutEnded { user, by },
                };
                facts.push(Fact::Group(GroupFact::Moderated(undone.into())));
                true
            }
            ReportAction::Delete
            | ReportAction::TimeOut
            | ReportAction::Remove
            | ReportAction::Ban
            | ReportAction::Escalate => return Err(ReportRefusal::WrongAction),
        };
        let settled = AppealSettled { id, user, act, by, is_granted, note: new.note };
        let settled = Moderation::AppealSettled(settled);
        facts.push(Fact::Group(GroupFact::Moderated(settled.into())));
        Ok(Decision { facts, answer: () })
    }

    /// Applies that somebody decided about an appeal.
    pub(super) fn close_appeal(&mut self, settled: &AppealSettled) {
        if let Some(appeal) = self.appeals.get_mut(&(settled.user, settled.act)) {
            appeal.is_settled |= appeal.id == settled.id;
        }
    }
}
