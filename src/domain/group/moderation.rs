//! Moderation: what the owner and admins decide about people. Members receive none of these facts;
//! only those who may see them are told.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::domain::group::{Ban, Group, GroupAct, Reported, Resolved, Timeout};
use crate::domain::ids::UserId;
use crate::domain::time::Timestamp;

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
}

impl Moderation {
    /// The user whom it is about; `None` for a report of a message whose author is unknown.
    pub const fn user(&self) -> Option<UserId> {
        match self {
            Self::Banned(ban) => Some(ban.user),
            Self::TimedOut(timeout) => Some(timeout.user),
            Self::Unbanned { user, .. } | Self::TimeoutEnded { user, .. } => Some(*user),
            Self::Reported(reported) => reported.about,
            Self::Resolved(resolved) => resolved.about,
        }
    }

    /// The member who decided, or who reported.
    pub const fn by(&self) -> UserId {
        match self {
            Self::Banned(ban) => ban.by,
            Self::TimedOut(timeout) => timeout.by,
            Self::Unbanned { by, .. } | Self::TimeoutEnded { by, .. } => *by,
            Self::Reported(reported) => reported.filing.by,
            Self::Resolved(resolved) => resolved.resolution.by,
        }
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
        }
    }
}

impl Group {
    /// Whether a user is notified about a decision: who decides such things, a member who is timed
    /// out, and members whose report was resolved.
    pub fn is_told_of(&self, user: UserId, moderation: &Moderation) -> bool {
        let act = match moderation {
            Moderation::Banned(_) | Moderation::Unbanned { .. } => GroupAct::Ban,
            Moderation::TimedOut(_) | Moderation::TimeoutEnded { .. } => {
                if moderation.user() == Some(user) {
                    return true;
                }
                GroupAct::TimeOut
            }
            Moderation::Reported(reported) => return self.resolves_about(user, reported.about),
            Moderation::Resolved(resolved) => {
                return resolved.reporters.contains(&user)
                    || self.resolves_about(user, resolved.about);
            }
        };
        self.member(user).is_some_and(|member| self.grants(member, act))
    }

    /// Applies a decision.
    pub(super) fn moderate(&mut self, moderation: &Moderation, at: Timestamp) {
        match moderation {
            Moderation::Banned(ban) => self.keep_ban(ban, at),
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
        }
    }
}
