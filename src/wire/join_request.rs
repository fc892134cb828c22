//! Requests to become a member of a group in JSON, in the form that clients of the original service
//! know.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::schema::scalars::TextId;
use domain::group::{Contact, JoinRequest, RequestOrigin};
use domain::ids::MembershipId;
use domain::limits::ADD_ITEMS;

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
    /// Who invited whom, or whose invite the user has.
    question: RequestQuestion,
    /// The address or number that the user entered as theirs, and that nobody confirmed; empty if
    /// they have an invite.
    answer: RequestAnswer,
    /// `added`, or `share_url` if they have an invite.
    #[schemars(extend("enum" = ["added", "share_url"]))]
    method: &'static str,
}

/// Who invited whom.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RequestQuestion {
    /// Always `join_reason/questions/text`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// A sentence that names the inviter and the nickname, or the invite.
    text: String,
}

/// The address or number of the invite.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RequestAnswer {
    /// Always `join_reason/answers/text`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The email address in lower case, or the digits of the phone number.
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
    let JoinRequest { id, user, origin, at } = request;
    PendingResource {
        id: (*id).into(),
        user_id: user.id.into(),
        nickname: user.name.as_str().to_owned(),
        image_url: user.image.as_ref().map(|image| instance.image_url(image)),
        reason: reason(origin),
        timestamp: at.seconds(),
        state: "requested_pending",
    }
}

fn reason(origin: &RequestOrigin) -> RequestReason {
    let reason = |text: String, response: String, method| RequestReason {
        kind: "join_reason/membership_join_reason",
        question: RequestQuestion { kind: "join_reason/questions/text", text },
        answer: RequestAnswer { kind: "join_reason/answers/text", response },
        method,
    };
    match origin {
        RequestOrigin::Address(invite) => {
            let (Contact::Email(response) | Contact::Phone(response)) = &invite.contact;
            let text = format!("{} invited {}", invite.by.name, invite.nickname.as_str());
            reason(text, response.clone(), "added")
        }
        RequestOrigin::Link(link) => {
            let name = link.name.as_ref().map(|name| format!(" \"{}\"", name.as_str()));
            let text = format!("By the invite{} of {}", name.unwrap_or_default(), link.by.name);
            reason(text, String::new(), "share_url")
        }
    }
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
