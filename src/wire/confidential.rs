//! The data of confidential events: what those receive who decide about people, and those whom it
//! concerns. Each names what changed, which is then read where it is listed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::schema::scalars::TextId;
use domain::group::{HeldState, Timeout};
use domain::ids::{HeldId, InviteLinkId, ReportId, RuleId, UserId};

/// A request to become a member was filed or settled: the list of pending memberships changed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct RequestData {
    /// Id of the user who would become a member.
    user_id: TextId,
    /// `open`, or `settled`.
    #[schemars(extend("enum" = ["open", "settled"]))]
    state: &'static str,
}

impl RequestData {
    /// A request that was filed.
    pub fn open(user: UserId) -> Self {
        Self { user_id: user.into(), state: "open" }
    }

    /// A request that was approved, denied or withdrawn.
    pub fn settled(user: UserId) -> Self {
        Self { user_id: user.into(), state: "settled" }
    }
}

/// A ban was made, replaced or lifted: the list of bans changed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct BanData {
    /// Id of the user.
    user_id: TextId,
}

impl From<UserId> for BanData {
    fn from(user: UserId) -> Self {
        Self { user_id: user.into() }
    }
}

/// A timeout began, was replaced, or was ended before its time.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TimeoutData {
    /// Id of the user.
    user_id: TextId,
    /// When the timeout ends; null if it was ended. Unix time in seconds.
    until: Option<u64>,
}

impl TimeoutData {
    /// A timeout that began or was replaced.
    pub fn begun(timeout: &Timeout) -> Self {
        Self { user_id: timeout.user.into(), until: Some(timeout.until.seconds()) }
    }

    /// A timeout of this user that was ended.
    pub fn ended(user: UserId) -> Self {
        Self { user_id: user.into(), until: None }
    }
}

/// A message was reported, or a report was resolved.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ReportData {
    /// Id of the report.
    report_id: TextId,
    /// `open`, or `resolved`.
    #[schemars(extend("enum" = ["open", "resolved"]))]
    state: &'static str,
}

impl ReportData {
    /// A report that waits for a decision.
    pub fn open(id: ReportId) -> Self {
        Self { report_id: id.into(), state: "open" }
    }

    /// A report that was decided about.
    pub fn resolved(id: ReportId) -> Self {
        Self { report_id: id.into(), state: "resolved" }
    }
}

/// A message began to wait for approval, or was decided about.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct HeldData {
    /// Id of the held message.
    held_id: TextId,
    /// Id of the user who wrote it, or who made the bot that did.
    user_id: TextId,
    /// `waiting`, or how it ended.
    #[schemars(extend("enum" = HeldState::ALL.map(HeldState::as_str)))]
    state: &'static str,
}

impl HeldData {
    /// A held message of this user in this state.
    pub fn of(id: HeldId, user: UserId, state: HeldState) -> Self {
        Self { held_id: id.into(), user_id: user.into(), state: state.as_str() }
    }
}

/// A rule of a group was made, changed or deleted, or refused a post.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct RuleData {
    /// Id of the rule.
    rule_id: TextId,
}

impl From<RuleId> for RuleData {
    fn from(rule: RuleId) -> Self {
        Self { rule_id: rule.into() }
    }
}

/// An invite of a group was made, used or ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct InviteData {
    /// Id of the invite.
    invite_id: TextId,
}

impl From<InviteLinkId> for InviteData {
    fn from(invite: InviteLinkId) -> Self {
        Self { invite_id: invite.into() }
    }
}
