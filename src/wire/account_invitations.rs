//! Invitations of the operators in JSON, where they are called invites, and the body that makes one.

use std::ops::RangeInclusive;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::operators::{self, NamedPerson};
use crate::schema::scalars::TextId;
use crate::schema::{self, bodies};
use domain::group::InviteLinkState;
use domain::limits::{INVITATION_SECONDS, INVITATION_USES, INVITE_NAME_CHARS, INVITE_SECONDS};
use domain::operators::invitation_list::NewInvitation;
use domain::operators::invitations::AccountInvitation;
use domain::operators::lists::NamedAccount;
use domain::text::InviteName;
use domain::time::Timestamp;

/// A link with which people register accounts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccountInvite {
    /// The invite's id. Later ones have larger ids.
    id: TextId,
    /// The link.
    url: String,
    /// The invite's name, for operators; null if it has none.
    name: Option<String>,
    /// How many people used it.
    uses: u32,
    /// How many people may use it.
    max_uses: u32,
    /// When it ends by itself; null for never. Unix time in seconds.
    expires_at: Option<u64>,
    /// Whether it can be used now.
    #[schemars(extend("enum" = InviteLinkState::ALL.map(InviteLinkState::as_str)))]
    state: &'static str,
    /// The operator who made it.
    created_by: NamedPerson,
    /// When it was made. Unix time in seconds.
    created_at: u64,
}

impl AccountInvite {
    fn of(
        invitation: &AccountInvitation,
        by: &NamedAccount,
        now: Timestamp,
        instance: &Instance,
    ) -> Self {
        Self {
            id: invitation.id.into(),
            url: instance.invitation_url(&invitation.token),
            name: invitation.name.as_ref().map(ToString::to_string),
            uses: invitation.uses(),
            max_uses: invitation.max_uses,
            expires_at: invitation.expires_at.map(Timestamp::seconds),
            state: invitation.state(now).as_str(),
            created_by: operators::person(by),
            created_at: invitation.at.seconds(),
        }
    }
}

/// An invite that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MadeAccountInvite {
    /// The invite.
    invite: AccountInvite,
}

impl MadeAccountInvite {
    /// Builds the answer.
    pub fn of(invitation: &AccountInvitation, by: &NamedAccount, instance: &Instance) -> Self {
        Self { invite: AccountInvite::of(invitation, by, invitation.at, instance) }
    }
}

/// The invites of the operators.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccountInvites {
    /// The invites, the newest first. Some that cannot be used any more are among them.
    invites: Vec<AccountInvite>,
}

impl AccountInvites {
    /// Builds the list as it is now, of invitations with the operators who made them.
    pub fn of(
        invitations: &[(Arc<AccountInvitation>, NamedAccount)],
        now: Timestamp,
        instance: &Instance,
    ) -> Self {
        let shown = invitations.iter().map(|(it, by)| AccountInvite::of(it, by, now, instance));
        Self { invites: shown.collect() }
    }
}

/// What the holder of an invite sees.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OpenAccountInvite {
    /// The invite.
    invite: OpenInvite,
}

/// An invite that can be used.
#[derive(Debug, Serialize, JsonSchema)]
struct OpenInvite {
    /// When it ends by itself; null for never. Unix time in seconds.
    expires_at: Option<u64>,
}

impl OpenAccountInvite {
    /// Builds the answer.
    pub fn of(invitation: &AccountInvitation) -> Self {
        Self { invite: OpenInvite { expires_at: invitation.expires_at.map(Timestamp::seconds) } }
    }
}

/// Reads the body of a new invite: the invite, and the reason.
///
/// # Errors
/// If a field is missing or invalid; all problems are reported together.
pub fn read_new(body: &Map<String, Value>) -> Result<(NewInvitation, String), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.parsed("name", InviteName::parse);
    let max_uses = fields.between_if_given("max_uses", &INVITATION_USES);
    let max_uses = max_uses.unwrap_or(*INVITATION_USES.start());
    let seconds = if fields.is_null("expires_in") {
        None
    } else {
        let seconds = fields.between_if_given("expires_in", &INVITE_SECONDS);
        Some(seconds.unwrap_or(INVITATION_SECONDS))
    };
    let valid_millis = seconds.map(|seconds| u64::from(seconds) * 1000);
    let reason = operators::reason(&mut fields);
    let new = NewInvitation { name, max_uses, valid_millis };
    problems.or(reason.map(|reason| (new, reason)))
}

/// An invite in the audit log, one line for each of its limits. Its link stays out: who reads it could
/// use it.
pub fn summary(invitation: &AccountInvitation) -> String {
    let name = invitation.name.as_ref().map(|name| format!("name: {}", name.as_str()));
    let uses = format!("uses: {} of {}", invitation.uses(), invitation.max_uses);
    let end = invitation.expires_at.map(|end| format!("expires_at: {}", end.seconds()));
    name.into_iter().chain([uses]).chain(end).collect::<Vec<_>>().join("\n")
}

/// The schema of the body of a new invite.
pub fn new_invite_body() -> Value {
    let range = |types: Value, range: &RangeInclusive<u32>, default: u32, told: &str| {
        json!({
            "type": types,
            "minimum": range.start(),
            "maximum": range.end(),
            "default": default,
            "description": told,
        })
    };
    let name = schema::some_words("A name for operators.", INVITE_NAME_CHARS);
    let uses = INVITATION_USES;
    let max_uses = range(json!("integer"), &uses, *uses.start(), "How many people may use it.");
    let told = "Seconds until it ends; null for never.";
    let expires_in = range(json!(["integer", "null"]), &INVITE_SECONDS, INVITATION_SECONDS, told);
    let body = bodies::required([("reason", bodies::reason())]);
    let fields = [("name", name), ("max_uses", max_uses), ("expires_in", expires_in)];
    schema::named("NewAccountInvite", schema::with_optional(body, fields))
}
