//! The audit of a group in JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::group::{AuditedAct, GroupAuditEntry};
use crate::domain::text::ModerationReason;
use crate::wire::fields::{Fields, Problems};
use crate::wire::schema::scalars::TextId;

/// What the owner or an admin did.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GroupAuditEntry")]
pub struct AuditEntryResource<'a> {
    /// The entry's id, for `before`.
    id: String,
    /// When it happened. Unix time in seconds.
    at: u64,
    /// Who did it.
    by: AuditActor,
    /// What they did.
    #[schemars(extend("enum" = AuditedAct::ALL.map(AuditedAct::as_str)))]
    act: &'static str,
    /// Id of the user whom it was about; null if it was about none.
    target: Option<TextId>,
    /// Id of the message that was deleted; null for other acts.
    message_id: Option<TextId>,
    /// Why; null without a reason.
    reason: Option<&'a str>,
}

/// Who did something.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct AuditActor {
    /// Id of the user.
    user_id: TextId,
    /// Always `member`.
    #[schemars(extend("const" = "member"))]
    kind: &'static str,
}

/// The audit of a group.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "it is written as a page that is cut by its size")]
pub struct GroupAudit<'a> {
    /// The entries, the newest first.
    entries: Vec<AuditEntryResource<'a>>,
}

/// Builds an entry.
pub fn resource(number: u64, entry: &GroupAuditEntry) -> AuditEntryResource<'_> {
    AuditEntryResource {
        id: number.to_string(),
        at: entry.at.seconds(),
        by: AuditActor { user_id: entry.by.into(), kind: "member" },
        act: entry.act.as_str(),
        target: entry.target.map(Into::into),
        message_id: entry.message.map(Into::into),
        reason: entry.reason.as_ref().map(ModerationReason::as_str),
    }
}

/// Reads the query of the audit: before which entry.
///
/// # Errors
/// If it is no number.
pub fn read_query(query: &Map<String, Value>) -> Result<Option<u64>, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let before = fields.value("before").map(|_| fields.amount("before", u64::MAX));
    problems.or(Some(before))
}
