//! Moderation: what the owner and admins decide about people. Members receive none of these facts;
//! only those who may see them are told.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::group::{
    Appeal, AppealSettled, Ban, Filing, Group, HeldMessage, HeldSettled, InviteLinkChange,
    NamedRule, RefusedPost, Reported, Resolved, Rule, Timeout,
};
use crate::ids::UserId;
use crate::message::Author;
use crate::time::Timestamp;

/// A decision of the owner or an admin about a user, or a report that asks for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moderation {
    /// A user was banned; replaces an earlier ban.
    Banned(Ban),
    /// A ban was lifted.
    Unbanned {
        /// The user.
        user: UserId,
        /// The member who lifted the ban.
        by: UserId,
    },
    /// A member was timed out; replaces an earlier timeout.
    TimedOut(Timeout),
    /// A timeout was ended.
    TimeoutEnded {
        /// The user.
        user: UserId,
        /// The member who ended it.
        by: UserId,
    },
    /// A member reported a message.
    Reported(Reported),
    /// A report was resolved.
    Resolved(Resolved),
    /// A rule was made, or its content was replaced.
    RuleSaved {
        /// The rule.
        rule: Arc<Rule>,
        /// Whether it was made.
        is_new: bool,
    },
    /// A rule was deleted.
    RuleDeleted {
        /// The rule.
        rule: NamedRule,
        /// The member who deleted it.
        by: UserId,
    },
    /// A rule refused a post or an edit.
    RuleRefused(RefusedPost),
    /// A rule holds a post until it is approved.
    Held(Arc<HeldMessage>),
    /// A held message was posted or dropped.
    HeldSettled(HeldSettled),
    /// A user appealed against their ban or timeout.
    Appealed(Appeal),
    /// Somebody decided about an appeal.
    AppealSettled(AppealSettled),
    /// An invite link was made, used or ended.
    InviteLink(InviteLinkChange),
}

impl Moderation {
    /// The user whom it is about; `None` for a rule, and for a report of a message whose author is
    /// unknown.
    pub fn user(&self) -> Option<UserId> {
        match self {
            Self::Banned(ban) => Some(ban.user),
            Self::TimedOut(timeout) => Some(timeout.user),
            Self::Unbanned { user, .. } | Self::TimeoutEnded { user, .. } => Some(*user),
            Self::Reported(reported) => reported.about,
            Self::Resolved(resolved) => resolved.about,
            Self::RuleRefused(refused) => Some(refused.user),
            Self::Held(held) => Some(held.user),
            Self::HeldSettled(settled) => Some(settled.user),
            Self::Appealed(appeal) => Some(appeal.user),
            Self::AppealSettled(settled) => Some(settled.user),
            Self::InviteLink(InviteLinkChange::Used { user, .. }) => Some(*user),
            Self::RuleSaved { .. } | Self::RuleDeleted { .. } | Self::InviteLink(_) => None,
        }
    }

    /// The id that it gave out, of the sequence of messages' ids; `None` if it gave out none.
    pub fn new_id(&self) -> Option<u64> {
        match self {
            Self::Reported(reported) => Some(reported.report.get()),
            Self::RuleSaved { rule, .. } => Some(rule.id.get()),
            Self::Held(held) => Some(held.message.id.get()),
            Self::Appealed(appeal) => Some(appeal.id.get()),
            Self::InviteLink(InviteLinkChange::Made(link)) => Some(link.id.get()),
            Self::Banned(_)
            | Self::Unbanned { .. }
            | Self::TimedOut(_)
            | Self::TimeoutEnded { .. }
            | Self::Resolved(_)
            | Self::RuleDeleted { .. }
            | Self::RuleRefused(_)
            | Self::HeldSettled(_)
            | Self::AppealSettled(_)
            | Self::InviteLink(_) => None,
        }
    }

    /// The member who decided, who reported, or who saved the rule that did.
    pub fn by(&self) -> UserId {
        match self {
            Self::Reported(Reported { filing: Filing { rule: Some(rule), .. }, .. }) => rule.by,
            Self::Banned(ban) => ban.by,
            Self::TimedOut(timeout) => timeout.by,
            Self::Unbanned { by, .. } | Self::TimeoutEnded { by, .. } => *by,
            Self::Reported(reported) => reported.filing.by,
            Self::Resolved(resolved) => resolved.resolution.by,
            Self::RuleSaved { rule, .. } => rule.by,
            Self::RuleDeleted { by, .. } => *by,
            Self::RuleRefused(refused) => refused.rule.by,
            Self::Held(held) => held.rule.by,
            Self::HeldSettled(settled) => settled.by.unwrap_or(settled.user),
            Self::Appealed(appeal) => appeal.user,
            Self::AppealSettled(settled) => settled.by,
            Self::InviteLink(change) => change.by(),
        }
    }

    /// Who wrote it, and pays for it: for an act of a rule, the author of the post.
    pub fn writer(&self) -> Author {
        match self {
            Self::RuleRefused(refused) => refused.author.clone(),
            Self::Held(held) => held.message.author.clone(),
            Self::TimedOut(Timeout { rule: Some(_), user, .. }) => Author::Member(*user),
            Self::Banned(_)
            | Self::Unbanned { .. }
            | Self::TimedOut(_)
            | Self::TimeoutEnded { .. }
            | Self::Reported(_)
            | Self::Resolved(_)
            | Self::RuleSaved { .. }
            | Self::RuleDeleted { .. }
            | Self::HeldSettled(_)
            | Self::Appealed(_)
            | Self::AppealSettled(_)
            | Self::InviteLink(_) => Author::Member(self.by()),
        }
    }

    /// Whether it changes the rules of the group.
    pub const fn changes_rules(&self) -> bool {
        matches!(self, Self::RuleSaved { .. } | Self::RuleDeleted { .. })
    }

    /// The type of the push event about it.
    pub const fn push_type(&self) -> &'static str {
        match self {
            Self::Banned(_) => "ban.create",
            Self::Unbanned { .. } => "ban.delete",
            Self::TimedOut(_) => "timeout.create",
            Self::TimeoutEnded { .. } => "timeout.delete",
            Self::Reported(_) => "report.create",
            Self::Resolved(_) => "report.update",
            Self::RuleSaved { is_new: true, .. } => "rule.create",
            Self::RuleSaved { .. } => "rule.update",
            Self::RuleDeleted { .. } => "rule.delete",
            Self::RuleRefused(_) => "rule.refusal",
            Self::Held(_) => "held.create",
            Self::HeldSettled(_) => "held.update",
            Self::Appealed(_) => "report.create",
            Self::AppealSettled(_) => "report.update",
            Self::InviteLink(_) => "invite.update",
        }
    }

    /// The name of it in the audit log.
    pub const fn audit_act(&self) -> &'static str {
        match self {
            Self::Banned(_) => "banned",
            Self::Unbanned { .. } => "unbanned",
            Self::TimedOut(_) => "timed_out",
            Self::TimeoutEnded { .. } => "timeout_ended",
            Self::Reported(_) => "reported",
            Self::Resolved(_) => "report_resolved",
            Self::RuleSaved { is_new: true, .. } => "rule_created",
            Self::RuleSaved { .. } => "rule_changed",
            Self::RuleDeleted { .. } => "rule_deleted",
            Self::RuleRefused(_) => "message_refused",
            Self::Held(_) => "message_held",
            Self::HeldSettled(settled) => settled.state().audit_act(),
            Self::Appealed(_) => "appealed",
            Self::AppealSettled(settled) => match settled.is_granted {
                true => "appeal_granted",
                false => "appeal_denied",
            },
            Self::InviteLink(change) => change.audit_act(),
        }
    }
}

impl Group {
    /// Applies a decision.
    pub(super) fn moderate(&mut self, moderation: &Moderation, at: Timestamp) {
        match moderation {
            Moderation::Banned(ban) => {
                self.held.retain(|_, held| held.user != ban.user);
                self.keep_ban(ban, at);
            }
            Moderation::Unbanned { user, .. } => drop(self.bans.remove(user)),
            Moderation::TimedOut(timeout) => {
                let timeouts = Arc::make_mut(&mut self.timeouts);
                timeouts.retain(|_, known| known.until > at);
                timeouts.insert(timeout.user, timeout.clone());
            }
            Moderation::TimeoutEnded { user, .. } => {
                Arc::make_mut(&mut self.timeouts).remove(user);
            }
            Moderation::Reported(reported) => self.keep_report(reported),
            Moderation::Resolved(resolved) => drop(self.open_reports.remove(&resolved.report)),
            Moderation::RuleSaved { rule, .. } => self.keep_rule(rule),
            Moderation::RuleDeleted { rule, .. } => self.drop_rule(rule.id),
            Moderation::RuleRefused(_) => {}
            Moderation::Held(held) => drop(self.held.insert(held.id(), Arc::clone(held))),
            Moderation::HeldSettled(settled) => drop(self.held.remove(&settled.id)),
            Moderation::Appealed(appeal) => {
                self.appeals.insert((appeal.user, appeal.act), appeal.clone());
            }
            Moderation::AppealSettled(settled) => self.close_appeal(settled),
            Moderation::InviteLink(change) => self.change_invite_link(change, at),
        }
    }
}
