//! Requests to become a member of a group in JSON, in the form that clients of the original service
//! know.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::schema::scalars::TextId;
use domain::group::{Admission, Contact, JoinAnswer, JoinRequest, RequestOrigin};
use domain::ids::MembershipId;
use domain::limits::ADD_ITEMS;
use domain::text::JoinResponse;

/// A request to become a member.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PendingMembership")]
pub struct PendingResource {
    /// Id of the membership, with which the request is decided.
    id: TextId,
    /// Id of the user who would become a member.
    user_id: TextId,
    /// Name of the user's account.
    nickname: String,
    /// URL of the user's picture; null if they have none.
    image_url: Option<String>,
    /// Why the user would become a member.
    reason: RequestReason,
    /// When the request was filed. Unix time in seconds.
    timestamp: u64,
    /// Always `requested_pending`.
    state: &'static str,
}

/// Why a user would become a member.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RequestReason {
    /// Always `join_reason/membership_join_reason`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The question that the user answered; otherwise who invited or added whom, or whose invite the
    /// user has.
    question: RequestQuestion,
    /// The user's answer to the question of the group; otherwise the address or number that the user
    /// entered as theirs. Empty if there is neither.
    answer: RequestAnswer,
    /// `share_url` if they have the share URL or an invite; `discoverable` if they found the group in
    /// the directory; `added` if a member added or invited them.
    #[schemars(extend("enum" = ["added", "discoverable", "share_url"]))]
    method: &'static str,
}

/// The question, or who invited whom.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RequestQuestion {
    /// Always `join_reason/questions/text`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The question, or a sentence that names the member and the nickname, or the invite.
    text: String,
}

/// The answer, or the address or number of the invite.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RequestAnswer {
    /// Always `join_reason/answers/text`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The answer as typed, the email address in lower case, or the digits of the phone number.
    response: String,
}

/// A decided request.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecidedRequest {
    /// Id of the membership.
    membership_id: u64,
    /// `active` or `denied`.
    state: &'static str,
}

/// Requests that were decided together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecidedRequests {
    /// The requests in the order in which they were named.
    pub results: Vec<DecidedRequest>,
}

/// Shows a request.
pub fn pending(request: &JoinRequest, instance: &Instance) -> PendingResource {
    let JoinRequest { id, user, origin, at, answer } = request;
    PendingResource {
        id: (*id).into(),
        user_id: user.id.into(),
        nickname: user.name.as_str().to_owned(),
        image_url: user.image.as_ref().map(|image| instance.image_url(image)),
        reason: reason(origin, answer.as_ref()),
        timestamp: at.seconds(),
        state: "requested_pending",
    }
}

fn reason(origin: &RequestOrigin, answer: Option<&JoinAnswer>) -> RequestReason {
    let reason = |text: String, response: String, method: &'static str| RequestReason {
        kind: "join_reason/membership_join_reason",
        question: RequestQuestion { kind: QUESTION_TYPE, text },
        answer: RequestAnswer { kind: "join_reason/answers/text", response },
        method,
    };
    let method = match origin {
        RequestOrigin::Directory => "discoverable",
        RequestOrigin::Link(_) | RequestOrigin::ShareUrl => "share_url",
        RequestOrigin::Address(_) | RequestOrigin::Added { .. } => "added",
    };
    if let Some(JoinAnswer { question, response }) = answer {
        return reason(question.clone(), response.as_str().to_owned(), method);
    }
    match origin {
        RequestOrigin::Address(invite) => {
            let (Contact::Email(response) | Contact::Phone(response)) = &invite.contact;
            let text = format!("{} invited {}", invite.by.name, invite.nickname.as_str());
            reason(text, response.clone(), method)
        }
        RequestOrigin::Link(link) => {
            let name = link.name.as_ref().map(|name| format!(" \"{}\"", name.as_str()));
            let text = format!("By the invite{} of {}", name.unwrap_or_default(), link.by.name);
            reason(text, String::new(), method)
        }
        RequestOrigin::ShareUrl => reason("By the share URL".to_owned(), String::new(), method),
        RequestOrigin::Directory => reason("By the directory".to_owned(), String::new(), method),
        RequestOrigin::Added { by, nickname } => {
            let text = format!("{} added {}", by.name, nickname.as_str());
            reason(text, String::new(), method)
        }
    }
}

/// The question of a group to people who ask to join it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "JoinQuestion")]
pub struct QuestionResource<'a> {
    /// Always `join_reason/questions/text`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The question.
    text: &'a str,
}

/// The type of every question.
pub const QUESTION_TYPE: &str = "join_reason/questions/text";

/// Builds the question of a group, if it has one.
pub fn question(admission: &Admission) -> Option<QuestionResource<'_>> {
    admission.question().map(|text| QuestionResource { kind: QUESTION_TYPE, text })
}

/// Reads the answer to the question of a group: `answer {response}`. Without one it is `None`.
pub fn read_answer(fields: &mut Fields<'_>) -> Option<JoinResponse> {
    fields.object("answer")?.parsed("response", JoinResponse::parse)
}

/// Details of a refused join: how long a denied user waits, in days and in hours, both rounded up.
pub fn denial(wait_millis: u64) -> Value {
    let hours = wait_millis.div_ceil(3_600_000);
    let remaining = json!({"days_remaining": hours.div_ceil(24), "hours_remaining": hours});
    json!({"rejection_reason": "denied", "rejection_details": remaining})
}

/// Shows how a request was decided.
pub fn decided(membership: MembershipId, is_approved: bool) -> DecidedRequest {
    let state = if is_approved { "active" } else { "denied" };
    DecidedRequest { membership_id: membership.get(), state }
}

/// Reads whether a request is approved.
///
/// # Errors
/// If the field is missing or invalid.
pub fn read_approval(body: &Map<String, Value>) -> Result<bool, Problems> {
    let mut problems = Problems::default();
    let approval = approval(&mut Fields::of(body, &mut problems));
    problems.or(approval)
}

/// Reads whether requests are approved, and which.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_approvals(body: &Map<String, Value>) -> Result<(bool, Vec<MembershipId>), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let approval = approval(&mut fields);
    let listed = fields.list("membership_ids", ADD_ITEMS);
    let id = |value: &Value| {
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        number.map(MembershipId::new)
    };
    let ids: Option<Vec<MembershipId>> = listed.iter().map(id).collect();
    if ids.is_none() {
        fields.wrong("membership_ids", "must be ids of memberships");
    }
    problems.or(approval.zip(ids))
}

fn approval(fields: &mut Fields<'_>) -> Option<bool> {
    if fields.value("approval").is_none() {
        fields.wrong("approval", "is required");
    }
    fields.flag("approval")
}
