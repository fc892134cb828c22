//! The audit of a group in JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::schema::scalars::TextId;
use domain::group::{AuditedAct, AuditedRule, GroupAuditEntry, NOBODY};
use domain::text::ModerationReason;

/// What the owner, an admin or a rule did.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GroupAuditEntry")]
pub struct AuditEntryResource<'a> {
    /// The entry's id, for `before`.
    id: String,
    /// When it happened. Unix time in seconds.
    at: u64,
    /// Who did it.
    by: AuditActor<'a>,
    /// The rule that was made, changed or deleted; null for other acts.
    rule: Option<RuleName<'a>>,
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
struct AuditActor<'a> {
    /// Id of the user; of a rule of the group, of the member who saved it; null for an operator or a
    /// rule of the operators.
    user_id: Option<TextId>,
    /// `member`, `rule` if a rule of the group did it, or `operator` if an operator or a rule of the
    /// operators did.
    #[schemars(extend("enum" = ["member", "rule", "operator"]))]
    kind: &'static str,
    /// The rule that did it; null for a member.
    rule: Option<RuleName<'a>>,
}

/// A rule, as an entry names it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RuleName<'a> {
    /// The rule's id.
    id: TextId,
    /// The name that the rule had.
    name: &'a str,
}

/// The audit of a group.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "it is written as a page that is cut by its size")]
pub struct GroupAudit<'a> {
    /// The entries, the newest first.
    entries: Vec<AuditEntryResource<'a>>,
}

/// Builds an entry.
pub fn resource<'a>(number: u64, entry: &'a GroupAuditEntry) -> AuditEntryResource<'a> {
    let rule = entry.rule.as_ref();
    let name = |it: &'a AuditedRule| RuleName { id: it.id.into(), name: it.name.as_str() };
    let actor = rule.filter(|rule| rule.acted);
    AuditEntryResource {
        id: number.to_string(),
        at: entry.at.seconds(),
        by: AuditActor {
            user_id: (entry.by != NOBODY).then(|| entry.by.into()),
            kind: match actor {
                _ if entry.by == NOBODY => "operator",
                Some(_) => "rule",
                None => "member",
            },
            rule: actor.map(name),
        },
        rule: rule.filter(|rule| !rule.acted).map(name),
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
