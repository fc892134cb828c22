//! Invite links in JSON, where they are called invites, and the body that makes one.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::schema::scalars::TextId;
use domain::group::{InviteLink, InviteLinkState, LinkApproval, NewInviteLink};
use domain::ids::GroupId;
use domain::limits::{INVITE_EMAILS, INVITE_SECONDS, INVITE_USES};
use domain::text::{Email, InviteName};
use domain::time::Timestamp;

/// An invite: a link with which people join a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Invite")]
pub struct InviteResource<'a> {
    /// The invite's id. Later ones have larger ids.
    id: TextId,
    /// The link.
    url: String,
    /// URL of the link's QR code, a PNG.
    qr_code_url: String,
    /// The invite's name, for those who manage invites; null if it has none.
    name: Option<&'a str>,
    /// How many people used it. Who asks to join counts too.
    uses: u32,
    /// How many people may use it; null for any number.
    max_uses: Option<u32>,
    /// When it ends by itself; null for never. Unix time in seconds.
    expires_at: Option<u64>,
    /// `ask` if people who use it wait for the owner or an admin, `skip` if they never do; null as
    /// with the share URL, whose users do not wait.
    #[schemars(extend("enum" = ["ask", "skip", null]))]
    approval: Option<&'static str>,
    /// True if people without an account become guests with it, whose accounts end with the invite;
    /// absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    guest: bool,
    /// The email address that it was made for, for one person; absent in others.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
    /// Whether it can be used now.
    #[schemars(extend("enum" = InviteLinkState::ALL.map(InviteLinkState::as_str)))]
    state: &'static str,
    /// Id of the member who made it.
    created_by: TextId,
    /// When it was made. Unix time in seconds.
    created_at: u64,
}

impl<'a> InviteResource<'a> {
    /// Builds an invite as it is now.
    pub fn of(group: GroupId, link: &'a InviteLink, now: Timestamp, instance: &Instance) -> Self {
        Self {
            id: link.id.into(),
            url: instance.share_url(group, &link.token),
            qr_code_url: instance.share_code_url(group, &link.token),
            name: link.name.as_ref().map(InviteName::as_str),
            uses: link.uses,
            max_uses: link.max_uses,
            expires_at: link.expires_at.map(Timestamp::seconds),
            approval: link.approval.map(LinkApproval::as_str),
            guest: link.is_for_guests(),
            email: link.addressee.as_ref().map(|addressee| addressee.email.as_str()),
            state: link.state(now).as_str(),
            created_by: link.by.into(),
            created_at: link.at.seconds(),
        }
    }
}

/// An invite that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MadeInvite<'a> {
    /// The invite.
    invite: InviteResource<'a>,
}

impl<'a> MadeInvite<'a> {
    /// Builds the answer.
    pub fn of(group: GroupId, link: &'a InviteLink, instance: &Instance) -> Self {
        Self { invite: InviteResource::of(group, link, link.at, instance) }
    }
}

/// The invites of a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InviteList<'a> {
    /// The invites, the newest first.
    invites: Vec<InviteResource<'a>>,
}

impl<'a> InviteList<'a> {
    /// Builds the list as it is now.
    pub fn of(
        group: GroupId,
        links: &'a [Arc<InviteLink>],
        now: Timestamp,
        instance: &Instance,
    ) -> Self {
        let shown = links.iter().map(|link| InviteResource::of(group, link, now, instance));
        Self { invites: shown.collect() }
    }
}

/// An invite for the owner of an email address.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EmailInvite<'a> {
    /// The address.
    email: &'a str,
    /// Whether the server sends a mail with the link. If not, send the link yourself.
    sent: bool,
    /// The link. It lets one person in, for 7 days.
    url: String,
}

impl<'a> EmailInvite<'a> {
    /// Builds the answer for one address; `None` for a link without one.
    pub fn of(
        group: GroupId,
        link: &'a InviteLink,
        is_sent: bool,
        instance: &Instance,
    ) -> Option<Self> {
        let email = link.addressee.as_ref()?.email.as_str();
        Some(Self { email, sent: is_sent, url: instance.share_url(group, &link.token) })
    }
}

/// Reads the addresses of people to invite. An address that is listed twice counts once.
///
/// # Errors
/// If there are none or too many, or one is invalid; all problems are reported together.
pub fn read_emails(body: &Map<String, Value>) -> Result<Vec<Email>, Problems> {
    let mut problems = Problems::default();
    let listed = match body.get("emails") {
        Some(Value::Array(listed)) => listed.as_slice(),
        Some(_) | None => return Err(Problems::one("emails must be an array of email addresses")),
    };
    if listed.is_empty() || listed.len() > INVITE_EMAILS {
        let count = listed.len();
        let problem = format!("emails must have 1 to {INVITE_EMAILS} addresses, not {count}");
        return Err(Problems::one(problem));
    }
    let mut emails: Vec<Email> = Vec::new();
    for (place, email) in listed.iter().enumerate() {
        match email.as_str().map(Email::parse) {
            Some(Ok(email)) if emails.iter().all(|other| other.key() != email.key()) => {
                emails.push(email);
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => problems.add(format!("emails[{place}] {error}")),
            None => problems.add(format!("emails[{place}] must be a string")),
        }
    }
    problems.or(Some(emails))
}

/// Reads the body of a new invite.
///
/// # Errors
/// If fields are invalid; all problems are reported together.
pub fn read_new(body: &Map<String, Value>) -> Result<NewInviteLink, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.parsed("name", InviteName::parse);
    let max_uses = fields.between_if_given("max_uses", &INVITE_USES);
    let seconds = fields.between_if_given("expires_in", &INVITE_SECONDS);
    let approval = fields.parsed("approval", |name: String| {
        let found = LinkApproval::ALL.into_iter().find(|it| it.as_str() == name);
        found.ok_or("must be ask or skip")
    });
    let is_for_guests = fields.flag("guest").unwrap_or_default();
    let valid_millis = seconds.map(|seconds| u64::from(seconds) * 1000);
    problems.or(Some(NewInviteLink { name, max_uses, valid_millis, approval, is_for_guests }))
}
