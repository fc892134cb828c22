//! The audit of a group: what its owner and admins did to others, and to its settings.

use serde::{Deserialize, Serialize};

use crate::group::{
    GroupFact, HeldState, InviteLinkChange, MembershipEnd, Moderation, NamedRule, Role, TopicChange,
};
use crate::ids::{MessageId, RuleId, UserId};
use crate::message::Author;
use crate::revision::{Deleter, RevisionKind};
use crate::text::{ModerationReason, RuleName};
use crate::time::Timestamp;

/// An act that the audit of a group shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuditedAct {
    /// A user was banned.
    Banned,
    /// A ban was lifted.
    Unbanned,
    /// A member was timed out.
    TimedOut,
    /// A timeout was ended.
    TimeoutEnded,
    /// A report was resolved.
    ReportResolved,
    /// A rule was made.
    RuleCreated,
    /// A rule was changed.
    RuleChanged,
    /// A rule was deleted.
    RuleDeleted,
    /// A rule refused a post or an edit.
    MessageRefused,
    /// A rule reported a message.
    MessageReported,
    /// A rule holds a post.
    MessageHeld,
    /// A held message was posted.
    HeldApproved,
    /// A held message was dropped.
    HeldDenied,
    /// A ban or timeout was undone after an appeal.
    AppealGranted,
    /// An appeal was dismissed.
    AppealDenied,
    /// A member was removed.
    MemberRemoved,
    /// A member became an admin.
    AdminMade,
    /// An admin became a plain member.
    AdminUnmade,
    /// The group has another owner.
    OwnerChanged,
    /// A request to become a member was approved.
    RequestApproved,
    /// A request to become a member was denied.
    RequestDenied,
    /// A message of somebody else was deleted.
    MessageDeleted,
    /// Settings were changed.
    SettingsChanged,
    /// An invite link was made.
    InviteCreated,
    /// An invite link was ended.
    InviteEnded,
    /// A topic was made.
    TopicCreated,
    /// A topic was changed.
    TopicChanged,
    /// A topic was removed.
    TopicRemoved,
}

impl AuditedAct {
    /// Every act.
    pub const ALL: [Self; 28] = [
        Self::Banned,
        Self::Unbanned,
        Self::TimedOut,
        Self::TimeoutEnded,
        Self::ReportResolved,
        Self::RuleCreated,
        Self::RuleChanged,
        Self::RuleDeleted,
        Self::MessageRefused,
        Self::MessageReported,
        Self::MessageHeld,
        Self::HeldApproved,
        Self::HeldDenied,
        Self::AppealGranted,
        Self::AppealDenied,
        Self::MemberRemoved,
        Self::AdminMade,
        Self::AdminUnmade,
        Self::OwnerChanged,
        Self::RequestApproved,
        Self::RequestDenied,
        Self::MessageDeleted,
        Self::SettingsChanged,
        Self::InviteCreated,
        Self::InviteEnded,
        Self::TopicCreated,
        Self::TopicChanged,
        Self::TopicRemoved,
    ];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Banned => "banned",
            Self::Unbanned => "unbanned",
            Self::TimedOut => "timed_out",
            Self::TimeoutEnded => "timeout_ended",
            Self::ReportResolved => "report_resolved",
            Self::RuleCreated => "rule_created",
            Self::RuleChanged => "rule_changed",
            Self::RuleDeleted => "rule_deleted",
            Self::MessageRefused => "message_refused",
            Self::MessageReported => "message_reported",
            Self::MessageHeld => "message_held",
            Self::HeldApproved => "held_approved",
            Self::HeldDenied => "held_denied",
            Self::AppealGranted => "appeal_granted",
            Self::AppealDenied => "appeal_denied",
            Self::MemberRemoved => "member_removed",
            Self::AdminMade => "admin_made",
            Self::AdminUnmade => "admin_unmade",
            Self::OwnerChanged => "owner_changed",
            Self::RequestApproved => "request_approved",
            Self::RequestDenied => "request_denied",
            Self::MessageDeleted => "message_deleted",
            Self::SettingsChanged => "settings_changed",
            Self::InviteCreated => "invite_created",
            Self::InviteEnded => "invite_ended",
            Self::TopicCreated => "topic_created",
            Self::TopicChanged => "topic_changed",
            Self::TopicRemoved => "topic_removed",
        }
    }
}

/// A rule in the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditedRule {
    /// The rule's id.
    pub id: RuleId,
    /// The name that it had.
    pub name: RuleName,
    /// Whether the rule acted, and not a member on it.
    pub acted: bool,
}

/// An entry of the audit of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupAuditEntry {
    /// When it happened.
    pub at: Timestamp,
    /// The member who did it, or who saved the rule that did.
    pub by: UserId,
    /// The rule that did it, or that was changed.
    pub rule: Option<AuditedRule>,
    /// What they did.
    pub act: AuditedAct,
    /// The user whom it was about.
    pub target: Option<UserId>,
    /// The message that it was about.
    pub message: Option<MessageId>,
    /// Why, as far as they said so.
    pub reason: Option<ModerationReason>,
}

impl GroupFact {
    /// The entry of the audit, if the fact has one. `role` is the role of the member before the fact
    /// changed their membership.
    pub fn audit_entry(&self, at: Timestamp, role: Option<Role>) -> Option<GroupAuditEntry> {
        let entry = |by, act, target| {
            Some(GroupAuditEntry { at, by, rule: None, act, target, message: None, reason: None })
        };
        match self {
            Self::SettingsChanged { by, .. } => entry(*by, AuditedAct::SettingsChanged, None),
            Self::OwnerChanged { old, new } => entry(*old, AuditedAct::OwnerChanged, Some(*new)),
            Self::MemberLeft { member, parting: MembershipEnd::Removed, by } => {
                entry(*by, AuditedAct::MemberRemoved, Some(member.user_id))
            }
            Self::MemberChanged { member, by } => match (role?, member.role) {
                (Role::Member, Role::Admin) => {
                    entry(*by, AuditedAct::AdminMade, Some(member.user_id))
                }
                (Role::Admin, Role::Member) => {
                    entry(*by, AuditedAct::AdminUnmade, Some(member.user_id))
                }
                (Role::Owner | Role::Admin | Role::Member, _) => None,
            },
            Self::RequestSettled { user, by, is_approved: true } => {
                entry(*by, AuditedAct::RequestApproved, Some(*user))
            }
            // The user withdrew it.
            Self::RequestSettled { user, by, .. } if user == by => None,
            Self::RequestSettled { user, by, .. } => {
                entry(*by, AuditedAct::RequestDenied, Some(*user))
            }
            Self::Revised(revision) => match (&revision.kind, &revision.by) {
                (RevisionKind::Deleted { actor: Deleter::Admin }, Author::Member(by)) => {
                    let deleted = entry(*by, AuditedAct::MessageDeleted, None);
                    deleted.map(|it| GroupAuditEntry { message: Some(revision.message), ..it })
                }
                _ => None,
            },
            Self::Moderated(moderation) => of_moderation(at, moderation),
            Self::MemberLeft { parting: MembershipEnd::Left, .. }
            | Self::Created { .. }
            | Self::Posted(_)
            | Self::MembersJoined { .. }
            | Self::Disbanded { .. }
            | Self::AddRequested(_)
            | Self::AddSettled { .. }
            | Self::Liked(_)
            | Self::Unliked(_)
            | Self::BotAdded(_)
            | Self::BotRemoved(_)
            | Self::BotChanged(_)
            | Self::Invited { .. }
            | Self::InvitesSettled { .. }
            | Self::JoinRequested(_)
            | Self::Polled(_)
            | Self::Planned(_) => None,
            Self::Topic(change) => {
                let act = match **change {
                    TopicChange::Made(_) => AuditedAct::TopicCreated,
                    TopicChange::Changed { .. } => AuditedAct::TopicChanged,
                    TopicChange::Removed { .. } => AuditedAct::TopicRemoved,
                };
                entry(change.by(), act, None)
            }
        }
    }
}

/// The entry of a decision. A report by a member has none: nobody in the group learns who reported.
fn of_moderation(at: Timestamp, moderation: &Moderation) -> Option<GroupAuditEntry> {
    let (act, reason) = match moderation {
        Moderation::Banned(ban) => (AuditedAct::Banned, ban.reason.clone()),
        Moderation::Unbanned { .. } => (AuditedAct::Unbanned, None),
        Moderation::TimedOut(timeout) => (AuditedAct::TimedOut, timeout.reason.clone()),
        Moderation::TimeoutEnded { .. } => (AuditedAct::TimeoutEnded, None),
        Moderation::Reported(reported) if reported.filing.rule.is_some() => {
            (AuditedAct::MessageReported, None)
        }
        Moderation::Reported(_) => return None,
        Moderation::RuleSaved { is_new: true, .. } => (AuditedAct::RuleCreated, None),
        Moderation::RuleSaved { .. } => (AuditedAct::RuleChanged, None),
        Moderation::RuleDeleted { .. } => (AuditedAct::RuleDeleted, None),
        Moderation::RuleRefused(_) => (AuditedAct::MessageRefused, None),
        Moderation::Held(_) => (AuditedAct::MessageHeld, None),
        Moderation::Appealed(_) => return None,
        Moderation::InviteLink(change) => match change {
            InviteLinkChange::Made(_) => (AuditedAct::InviteCreated, None),
            InviteLinkChange::Ended { .. } => (AuditedAct::InviteEnded, None),
            // The log says who joined.
            InviteLinkChange::Used { .. } => return None,
        },
        Moderation::AppealSettled(settled) => match settled.is_granted {
            true => (AuditedAct::AppealGranted, settled.note.clone()),
            false => (AuditedAct::AppealDenied, settled.note.clone()),
        },
        Moderation::HeldSettled(settled) => match settled.state() {
            HeldState::Approved => (AuditedAct::HeldApproved, settled.note.clone()),
            HeldState::Denied => (AuditedAct::HeldDenied, settled.note.clone()),
            HeldState::Expired | HeldState::Waiting => return None,
        },
        Moderation::Resolved(resolved) => {
            (AuditedAct::ReportResolved, resolved.resolution.note.clone())
        }
    };
    let target = moderation.user();
    let message = match moderation {
        Moderation::Reported(reported) => Some(reported.message),
        Moderation::RuleRefused(refused) => refused.edited,
        Moderation::Banned(_)
        | Moderation::Unbanned { .. }
        | Moderation::TimedOut(_)
        | Moderation::TimeoutEnded { .. }
        | Moderation::Resolved(_)
        | Moderation::RuleSaved { .. }
        | Moderation::RuleDeleted { .. }
        | Moderation::Held(_)
        | Moderation::HeldSettled(_)
        | Moderation::Appealed(_)
        | Moderation::AppealSettled(_)
        | Moderation::InviteLink(_) => None,
    };
    let rule = rule_of(moderation);
    Some(GroupAuditEntry { at, by: moderation.by(), rule, act, target, message, reason })
}

/// The rule that acted, or on which a member acted.
fn rule_of(moderation: &Moderation) -> Option<AuditedRule> {
    let by_rule =
        |rule: &NamedRule| AuditedRule { id: rule.id, name: rule.name.clone(), acted: true };
    match moderation {
        Moderation::RuleSaved { rule, .. } => {
            Some(AuditedRule { acted: false, ..by_rule(&rule.named()) })
        }
        Moderation::RuleDeleted { rule, .. } => Some(AuditedRule { acted: false, ..by_rule(rule) }),
        Moderation::RuleRefused(refused) => Some(by_rule(&refused.rule)),
        Moderation::Held(held) => Some(by_rule(&held.rule)),
        Moderation::Reported(reported) => reported.filing.rule.as_ref().map(by_rule),
        Moderation::TimedOut(timeout) => timeout.rule.as_ref().map(by_rule),
        Moderation::Banned(_)
        | Moderation::Unbanned { .. }
        | Moderation::TimeoutEnded { .. }
        | Moderation::Resolved(_)
        | Moderation::HeldSettled(_)
        | Moderation::Appealed(_)
        | Moderation::AppealSettled(_)
        | Moderation::InviteLink(_) => None,
    }
}
