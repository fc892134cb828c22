//! Held messages in JSON, and the body that decides about one.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::message::{self, GroupMessage};
use crate::schema::scalars::TextId;
use domain::group::{HeldMessage, HeldState, HeldVerdict};
use domain::ids::{GroupId, HeldId, RuleId};
use domain::likes::Likers;
use domain::message::MessageJson;
use domain::text::ModerationReason;

/// A message that waits for approval.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HeldMessage")]
pub struct HeldResource<'a> {
    /// The id of the held message. Later ones have larger ids.
    id: TextId,
    /// Id of the rule that holds it.
    rule: TextId,
    /// The name that the rule had.
    rule_name: &'a str,
    /// Whether it is a rule of the operators.
    by_operators: bool,
    /// Id of the user who wrote it, or who made the bot that did.
    user_id: TextId,
    /// The message as it was sent. It gets another id and time when it is approved.
    #[schemars(with = "GroupMessage<'a>")]
    message: MessageJson,
    /// Since when it waits. Unix time in seconds.
    created_at: u64,
    /// When it ends if nobody decides. Unix time in seconds.
    expires_at: u64,
}

/// Builds a held message.
pub fn resource<'a>(
    group: GroupId,
    held: &'a HeldMessage,
    instance: &Instance,
) -> HeldResource<'a> {
    HeldResource {
        id: held.id().into(),
        rule: held.rule.id.into(),
        rule_name: held.rule.name.as_str(),
        by_operators: held.rule.is_of_operators(),
        user_id: held.user.into(),
        message: message::json(group, &held.message, Likers::NOBODY, instance),
        created_at: held.at.seconds(),
        expires_at: held.ends_at().seconds(),
    }
}

/// The held messages of a group.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "it is written as a page that is cut by its size")]
pub struct HeldList<'a> {
    /// The messages, the newest first.
    held: Vec<HeldResource<'a>>,
}

/// The answer to a post that waits for approval.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HeldPost {
    /// The held message.
    held: HeldPlace,
}

/// Where a post waits.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct HeldPlace {
    /// The id of the held message.
    id: TextId,
    /// Id of the rule that holds it.
    rule: TextId,
}

impl HeldPost {
    /// Builds the answer.
    pub fn of(id: HeldId, rule: RuleId) -> Self {
        Self { held: HeldPlace { id: id.into(), rule: rule.into() } }
    }
}

/// A held message that was decided about.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettledHeld {
    /// The held message.
    held: HeldOutcome,
}

/// How a held message ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct HeldOutcome {
    /// The id of the held message.
    id: TextId,
    /// `approved` or `denied`.
    #[schemars(extend("enum" = ["approved", "denied"]))]
    state: &'static str,
}

impl SettledHeld {
    /// Builds the answer.
    pub fn of(id: HeldId, is_approved: bool) -> Self {
        let state = if is_approved { HeldState::Approved } else { HeldState::Denied };
        Self { held: HeldOutcome { id: id.into(), state: state.as_str() } }
    }
}

/// Reads the body of a decision: `approve` and `note`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_verdict(body: &Map<String, Value>) -> Result<HeldVerdict, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    if fields.value("approve").is_none() {
        fields.wrong("approve", "is required");
    }
    let approve = fields.flag("approve");
    let note = fields.parsed("note", ModerationReason::parse);
    problems.or(approve.map(|is_approved| HeldVerdict { is_approved, note }))
}

/// Reads the query of a list: before which held message.
///
/// # Errors
/// If it is no id.
pub fn read_query(query: &Map<String, Value>) -> Result<Option<HeldId>, Problems> {
    let mut problems = Problems::default();
    let before = Fields::of(query, &mut problems).id("before");
    problems.or(Some(before))
}
