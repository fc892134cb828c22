//! Reports in JSON, and the bodies that file and resolve them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::bans::read_time;
use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::message::{self, GroupMessage};
use crate::schema::scalars::TextId;
use domain::group::{
    Appeal, AppealedAct, NewResolution, Report, ReportAction, ReportReason, Resolution,
};
use domain::ids::{GroupId, ReportId};
use domain::likes::Likers;
use domain::message::MessageJson;
use domain::text::{ModerationReason, ReportText};
use domain::time::Timestamp;

/// A report of a message. It does not name who reported.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub struct ReportResource<'a> {
    /// The report's id. Later reports have larger ids.
    id: TextId,
    /// `open`, or `resolved`.
    #[schemars(extend("enum" = ["open", "resolved"]))]
    state: &'static str,
    /// The message as it was when it was first reported, also if it was deleted since. If a rule
    /// reported a name, a description or another change that no message shows: who wrote it and the
    /// text, under the id of the report.
    #[schemars(with = "GroupMessage<'a>")]
    message: MessageJson,
    /// Texts that the message had before it was edited, the newest first, at most 10.
    earlier_texts: &'a [String],
    /// How many members reported it for which reason.
    reasons: BTreeMap<&'static str, usize>,
    /// What members say about it, oldest first.
    texts: Vec<&'a str>,
    /// The rules that reported it.
    rules: Vec<ReportingRule<'a>>,
    /// Number of members and rules that reported it; at most 50 are counted.
    count: usize,
    /// When it was first reported. Unix time in seconds.
    created_at: u64,
    /// How it was resolved; null while it is open.
    resolution: Option<ResolutionResource<'a>>,
}

/// A rule that reported a message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct ReportingRule<'a> {
    /// The rule's id.
    id: TextId,
    /// The name that the rule had.
    name: &'a str,
    /// Whether it is a rule of the operators.
    by_operators: bool,
}

/// How a report was resolved.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct ResolutionResource<'a> {
    /// What was done.
    #[schemars(extend("enum" = ReportAction::ALL.map(ReportAction::as_str)))]
    action: &'static str,
    /// The note of the resolver; null without one.
    note: Option<&'a str>,
    /// Id of the resolver.
    by: TextId,
    /// When it was resolved. Unix time in seconds.
    at: u64,
}

impl<'a> From<&'a Resolution> for ResolutionResource<'a> {
    fn from(resolution: &'a Resolution) -> Self {
        Self {
            action: resolution.action.as_str(),
            note: resolution.note.as_ref().map(ModerationReason::as_str),
            by: resolution.by.into(),
            at: resolution.at.seconds(),
        }
    }
}

/// Builds a report.
pub fn resource<'a>(group: GroupId, report: &'a Report, instance: &Instance) -> ReportResource<'a> {
    let mut reasons = BTreeMap::new();
    for filing in &report.filings {
        *reasons.entry(filing.reason.as_str()).or_default() += 1;
    }
    let texts = report.filings.iter().filter_map(|filing| filing.text.as_ref());
    let rules = report.filings.iter().filter_map(|filing| filing.rule.as_ref());
    ReportResource {
        id: report.id.into(),
        state: if report.resolution.is_some() { "resolved" } else { "open" },
        message: message::json(group, &report.copy.message, Likers::NOBODY, instance),
        earlier_texts: &report.copy.earlier,
        reasons,
        texts: texts.map(ReportText::as_str).collect(),
        rules: rules
            .map(|rule| ReportingRule {
                id: rule.id.into(),
                name: rule.name.as_str(),
                by_operators: rule.is_of_operators(),
            })
            .collect(),
        count: report.filings.len(),
        created_at: report.at.seconds(),
        resolution: report.resolution.as_ref().map(Into::into),
    }
}

/// The reports of a group.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "it is written as a page that is cut by its size")]
pub struct Reports<'a> {
    /// The reports, the newest first.
    reports: Vec<ReportResource<'a>>,
    /// The open appeals, the newest first; with the first page of open reports only.
    appeals: Vec<AppealResource<'a>>,
}

/// An appeal of a user who is banned or timed out.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Appeal")]
pub struct AppealResource<'a> {
    /// The appeal's id; it is resolved as a report is, by `undo` or `dismiss`.
    id: TextId,
    /// Id of the user.
    user_id: TextId,
    /// The nickname that the user has or had.
    name: &'a str,
    /// The act against which they appeal.
    #[schemars(extend("enum" = AppealedAct::ALL.map(AppealedAct::as_str)))]
    act: &'static str,
    /// The reason of the act; null without one.
    reason: Option<&'a str>,
    /// When the act ends by itself; null if it does not. Unix time in seconds.
    until: Option<u64>,
    /// What the user says.
    text: &'a str,
    /// When they appealed. Unix time in seconds.
    created_at: u64,
}

impl<'a> From<&'a Appeal> for AppealResource<'a> {
    fn from(appeal: &'a Appeal) -> Self {
        Self {
            id: appeal.id.into(),
            user_id: appeal.user.into(),
            name: &appeal.name,
            act: appeal.act.as_str(),
            reason: appeal.reason.as_ref().map(ModerationReason::as_str),
            until: appeal.until.map(Timestamp::seconds),
            text: appeal.text.as_str(),
            created_at: appeal.at.seconds(),
        }
    }
}

/// An appeal that was filed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShortAppeal {
    /// The appeal.
    appeal: ReportState,
}

impl ShortAppeal {
    /// An appeal that is open.
    pub fn open(id: ReportId) -> Self {
        Self { appeal: ReportState { id: id.into(), state: "open" } }
    }
}

/// Reads the body of an appeal: `text`.
///
/// # Errors
/// If the text is missing or too long.
pub fn read_appeal(body: &Map<String, Value>) -> Result<ReportText, Problems> {
    let mut problems = Problems::default();
    let text = Fields::of(body, &mut problems).required("text", ReportText::parse);
    problems.or(text)
}

/// A report that was filed or resolved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShortReport {
    /// The report.
    report: ReportState,
}

/// The state of a report.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct ReportState {
    /// The report's id.
    id: TextId,
    /// `open`, or `resolved`.
    #[schemars(extend("enum" = ["open", "resolved"]))]
    state: &'static str,
}

impl ShortReport {
    /// A report that is open.
    pub fn open(id: ReportId) -> Self {
        Self { report: ReportState { id: id.into(), state: "open" } }
    }

    /// A report that was resolved.
    pub fn resolved(id: ReportId) -> Self {
        Self { report: ReportState { id: id.into(), state: "resolved" } }
    }
}

/// Reads the body of a report: `reason` and `text`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_report(
    body: &Map<String, Value>,
) -> Result<(ReportReason, Option<ReportText>), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let reason = fields.required("reason", |name: String| {
        let names = ReportReason::ALL.map(ReportReason::as_str).join(", ");
        ReportReason::named(&name).ok_or_else(|| format!("must be one of {names}"))
    });
    let text = fields.parsed("text", ReportText::parse);
    problems.or(reason.map(|reason| (reason, text)))
}

/// Reads the body of a resolution: `action`, `note` and `until`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_resolution(body: &Map<String, Value>) -> Result<NewResolution, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let action = fields.required("action", |name: String| {
        let names = ReportAction::ALL.map(ReportAction::as_str).join(", ");
        ReportAction::named(&name).ok_or_else(|| format!("must be one of {names}"))
    });
    let note = fields.parsed("note", ModerationReason::parse);
    let until = read_time(&mut fields, "until");
    problems.or(action.map(|action| NewResolution { action, note, until }))
}

/// Reads the query of a list of reports: whether the open ones are wanted, and before which one.
///
/// # Errors
/// If the query is invalid; all problems are reported together.
pub fn read_query(query: &Map<String, Value>) -> Result<(bool, Option<ReportId>), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let is_open = fields.parsed("state", |text: String| match text.as_str() {
        "open" => Ok(true),
        "resolved" => Ok(false),
        _ => Err("must be open or resolved"),
    });
    let before = fields.id("before");
    problems.or(Some((is_open.unwrap_or(true), before)))
}
