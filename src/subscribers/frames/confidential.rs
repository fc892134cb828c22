//! Confidential events: which type each has, and what it names.

use super::FrameData;
use domain::group::{HeldState, JoinRequest, Moderation};
use domain::ids::UserId;
use wire::confidential::{
    BanData, HeldData, InviteData, ReportData, RequestData, RuleData, TimeoutData,
};

/// A request to become a member that was filed.
pub(super) fn requested(request: &JoinRequest) -> FrameData {
    FrameData::new("membership.requested", &RequestData::open(request.user.id))
}

/// The request of a user that was settled.
pub(super) fn request_settled(user: UserId) -> FrameData {
    FrameData::new("membership.requested", &RequestData::settled(user))
}

/// A decision about people, messages or rules.
pub(super) fn moderated(moderation: &Moderation) -> FrameData {
    let kind = moderation.push_type();
    match moderation {
        Moderation::Banned(ban) => FrameData::new(kind, &BanData::from(ban.user)),
        Moderation::Unbanned { user, .. } => FrameData::new(kind, &BanData::from(*user)),
        Moderation::TimedOut(timeout) => FrameData::new(kind, &TimeoutData::begun(timeout)),
        Moderation::TimeoutEnded { user, .. } => FrameData::new(kind, &TimeoutData::ended(*user)),
        Moderation::Reported(reported) => FrameData::new(kind, &ReportData::open(reported.report)),
        Moderation::Resolved(resolved) => {
            FrameData::new(kind, &ReportData::resolved(resolved.report))
        }
        Moderation::Appealed(appeal) => FrameData::new(kind, &ReportData::open(appeal.id)),
        Moderation::AppealSettled(settled) => {
            FrameData::new(kind, &ReportData::resolved(settled.id))
        }
        Moderation::RuleSaved { rule, .. } => FrameData::new(kind, &RuleData::from(rule.id)),
        Moderation::RuleDeleted { rule, .. } => FrameData::new(kind, &RuleData::from(rule.id)),
        Moderation::RuleRefused(refused) => FrameData::new(kind, &RuleData::from(refused.rule.id)),
        Moderation::Held(held) => {
            FrameData::new(kind, &HeldData::of(held.id(), held.user, HeldState::Waiting))
        }
        Moderation::HeldSettled(settled) => {
            FrameData::new(kind, &HeldData::of(settled.id, settled.user, settled.state()))
        }
        Moderation::InviteLink(change) => FrameData::new(kind, &InviteData::from(change.id())),
    }
}
