//! Reports to the operators in JSON, and the body that resolves them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::message::{self, DirectMessage, GroupMessage};
use crate::operators;
use crate::schema;
use crate::schema::scalars::TextId;
use domain::group::{NOBODY, ReportReason};
use domain::ids::{Conversation, UserId};
use domain::likes::Likers;
use domain::limits::REASON_CHARS;
use domain::message::MessageJson;
use domain::operators::lists::NamedReport;
use domain::operators::reports::{
    OperatorAction, OperatorReport, OperatorReportQuery, ReportSubject,
};
use domain::text::{ReportText, UserName};

/// A report to the operators, without its content.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedReport")]
pub struct ListedReport<'a> {
    /// The report's id. Later reports have larger ids.
    id: TextId,
    /// `open`, or `resolved`.
    #[schemars(extend("enum" = ["open", "resolved"]))]
    state: &'static str,
    /// What is reported: a `message`, a `user` or a `group`.
    #[schemars(extend("enum" = ReportSubject::KINDS))]
    subject: &'static str,
    /// The group, or the group or chat of the message; null for a user.
    conversation_id: Option<String>,
    /// Whom it is about: the author of the message, the user, or the owner of the group; null for a
    /// bot whose maker nobody knows.
    about: Option<ReportPerson<'a>>,
    /// How many people and rules reported it for which reason.
    reasons: BTreeMap<&'static str, usize>,
    /// Number of people and rules that reported it; at most 50 are counted.
    count: usize,
    /// When it was first reported. Unix time in seconds.
    created_at: u64,
    /// How it was resolved; null while it is open.
    resolution: Option<OperatorResolutionResource<'a>>,
}

/// A report to the operators with its content.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OperatorReport")]
pub struct OperatorReportResource<'a> {
    #[serde(flatten)]
    listed: ListedReport<'a>,
    /// The message as it was when it was first reported, also if it was deleted since; null if
    /// something else is reported.
    #[schemars(with = "Option<CopiedMessage<'a>>")]
    message: Option<MessageJson>,
    /// Texts that the message had before it was edited, the newest first, at most 10.
    earlier_texts: &'a [String],
    /// Who reported it, oldest first; at most 50.
    filings: Vec<FilingResource<'a>>,
}

/// The copy of a message, of a group or of a chat.
#[derive(Debug, JsonSchema)]
#[schemars(inline, untagged)]
#[expect(dead_code, reason = "messages are written as JSON that is there")]
enum CopiedMessage<'a> {
    /// A message of a group.
    Group(GroupMessage<'a>),
    /// A direct message.
    Direct(DirectMessage<'a>),
}

/// A person in a report.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct ReportPerson<'a> {
    /// The user's id.
    user_id: TextId,
    /// The user's name; null if the account is gone.
    name: Option<&'a str>,
}

/// The report of one user, or of a rule of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct FilingResource<'a> {
    /// Who reported it; null if a rule did.
    by: Option<ReportPerson<'a>>,
    /// The name of the rule of the group that reported it; null if a user did.
    rule: Option<&'a str>,
    /// The reason.
    #[schemars(extend("enum" = ReportReason::ALL.map(ReportReason::as_str)))]
    reason: &'static str,
    /// What they say about it; null if they say nothing.
    text: Option<&'a str>,
}

/// How a report was resolved.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct OperatorResolutionResource<'a> {
    /// What was done.
    #[schemars(extend("enum" = OperatorAction::ALL.map(OperatorAction::as_str)))]
    action: &'static str,
    /// The reason that the operator gave.
    reason: &'a str,
    /// The operator who resolved it.
    by: ReportPerson<'a>,
    /// When it was resolved. Unix time in seconds.
    at: u64,
}

/// The reports to the operators.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OperatorReports")]
pub struct ListedReports<'a> {
    /// The reports, the newest first.
    pub reports: Vec<ListedReport<'a>>,
    /// The `before` of the next page; null on the last one.
    pub before: Option<String>,
}

fn named(found: &NamedReport, user: UserId) -> ReportPerson<'_> {
    let name = found.names.get(&user).map(UserName::as_str);
    ReportPerson { user_id: user.into(), name }
}

fn place(report: &OperatorReport) -> Option<Conversation> {
    match report.filed.subject {
        ReportSubject::Message(conv, _) => Some(conv),
        ReportSubject::Group(group) => Some(Conversation::Group(group)),
        ReportSubject::User(_) => None,
    }
}

/// Builds a report for a list.
pub fn listed(found: &NamedReport) -> ListedReport<'_> {
    let report = &found.report;
    let filed = &report.filed;
    let mut reasons = BTreeMap::new();
    for filing in &filed.filings {
        *reasons.entry(filing.reason.as_str()).or_default() += 1;
    }
    ListedReport {
        id: filed.report.into(),
        state: if report.resolution.is_some() { "resolved" } else { "open" },
        subject: filed.subject.kind(),
        conversation_id: place(report).map(|conv| conv.to_string()),
        about: filed.about.map(|user| named(found, user)),
        reasons,
        count: filed.filings.len(),
        created_at: report.at.seconds(),
        resolution: report.resolution.as_ref().map(|resolution| OperatorResolutionResource {
            action: resolution.action.as_str(),
            reason: &resolution.note,
            by: named(found, resolution.by),
            at: resolution.at.seconds(),
        }),
    }
}

/// Builds a report with its content.
pub fn resource<'a>(found: &'a NamedReport, instance: &Instance) -> OperatorReportResource<'a> {
    let report = &found.report;
    let filed = &report.filed;
    let copy = filed.copy.as_ref();
    let message = copy
        .zip(place(report))
        .map(|(copy, conv)| message::json(conv, &copy.message, Likers::NOBODY, instance));
    OperatorReportResource {
        listed: listed(found),
        message,
        earlier_texts: copy.map_or(&[], |copy| copy.earlier.as_slice()),
        filings: filed
            .filings
            .iter()
            .map(|filing| FilingResource {
                by: (filing.by != NOBODY).then(|| named(found, filing.by)),
                rule: filing.rule.as_ref().map(|rule| rule.name.as_str()),
                reason: filing.reason.as_str(),
                text: filing.text.as_ref().map(ReportText::as_str),
            })
            .collect(),
    }
}

/// Reads the query of a list of reports: `state`, `subject`, `about` and `before`.
///
/// # Errors
/// If the query is invalid; all problems are reported together.
pub fn read_query(query: &Map<String, Value>) -> Result<OperatorReportQuery, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let is_open = fields.parsed("state", |text: String| match text.as_str() {
        "open" => Ok(true),
        "resolved" => Ok(false),
        _ => Err("must be open or resolved"),
    });
    let kind = fields.parsed("subject", |text: String| {
        let kinds = ReportSubject::KINDS;
        let known = kinds.into_iter().find(|kind| *kind == text);
        known.ok_or_else(|| format!("must be one of {}", kinds.join(", ")))
    });
    let about = fields.id("about");
    let before = fields.id("before");
    let is_open = is_open.unwrap_or(true);
    problems.or(Some(OperatorReportQuery { is_open, kind, about, before }))
}

/// Reads the body of a resolution: `action` and `reason`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_resolution(body: &Map<String, Value>) -> Result<(OperatorAction, String), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let action = fields.required("action", |name: String| {
        let names = OperatorAction::ALL.map(OperatorAction::as_str).join(", ");
        OperatorAction::named(&name).ok_or_else(|| format!("must be one of {names}"))
    });
    let reason = operators::reason(&mut fields);
    problems.or(action.zip(reason))
}

/// The schema of the body of a resolution.
pub fn resolution_body() -> Value {
    let actions = OperatorAction::ALL.map(OperatorAction::as_str);
    let reason = schema::words("Why; it is written to the audit log.", REASON_CHARS);
    let fields = [("action", json!({"enum": actions})), ("reason", reason)];
    schema::named("OperatorResolution", schema::object(fields))
}
