//! A user's own settings in JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::fields::{Fields, Problems};
use crate::schema::named;
use domain::email_notices::EmailNotices;
use domain::message_requests::DmFrom;
use domain::user::{OwnChoices, OwnSettingsChange};

/// Your settings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnSettings {
    /// When the server mails you about messages for you (direct messages, mentions, replies) that
    /// you have not read: never, half an hour after the first one if you are away, once a day, or once
    /// a week.
    #[schemars(extend("enum" = ["off", "missed", "daily", "weekly"]))]
    email_notices: &'static str,
    /// Whether you chose that. If not, it is `off` while a device of yours gets notices, and
    /// `missed` otherwise.
    email_notices_chosen: bool,
    /// From whom you take the first direct message: `everyone`; `shared_groups`, people who share a
    /// group with you; `requests`, these, and from others as a message request; `nobody`. People with
    /// whom you have a chat can always go on.
    #[schemars(extend("enum" = DmFrom::ALL.map(DmFrom::as_str)))]
    dm_from: &'static str,
    /// Whether you chose that. If not, it is the default of this server.
    dm_from_chosen: bool,
}

/// The settings of a user who made no choice.
#[derive(Debug, Clone, Copy)]
pub struct Defaults {
    /// When mails about missed messages are sent.
    pub email_notices: EmailNotices,
    /// From whom direct messages are taken.
    pub dm_from: DmFrom,
}

impl OwnSettings {
    /// Builds the settings from the choices and the defaults.
    pub fn of(choices: OwnChoices, defaults: Defaults) -> Self {
        Self {
            email_notices: choices.email_notices.unwrap_or(defaults.email_notices).as_str(),
            email_notices_chosen: choices.email_notices.is_some(),
            dm_from: choices.dm_from.unwrap_or(defaults.dm_from).as_str(),
            dm_from_chosen: choices.dm_from.is_some(),
        }
    }
}

/// The schema of the body of `PUT /users/me/settings`.
pub fn change_schema() -> Value {
    let choices = |names: &[&str]| {
        let names = names.iter().map(|name| json!(name));
        names.chain([Value::Null]).collect::<Vec<Value>>()
    };
    let mails = choices(&EmailNotices::ALL.map(EmailNotices::as_str));
    let told = "When the server mails you about messages for you that you have not read; null for \
                the default.";
    let notices = json!({"enum": mails, "description": told});
    let from = choices(&DmFrom::ALL.map(DmFrom::as_str));
    let told = "From whom you take the first direct message; null for the default of the server.";
    let messages = json!({"enum": from, "description": told});
    let fields = json!({"email_notices": notices, "dm_from": messages});
    let any = SETTINGS.map(|name| json!({"required": [name]}));
    named("OwnSettingsChange", json!({"type": "object", "properties": fields, "anyOf": any}))
}

/// The settings that a change may name.
const SETTINGS: [&str; 2] = ["email_notices", "dm_from"];

/// Reads a change of the settings: the choices that it names.
///
/// # Errors
/// If it names none, or one is invalid.
pub fn read(body: &Map<String, Value>) -> Result<OwnSettingsChange, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let named = |text: String| {
        EmailNotices::named(&text).ok_or("must be off, missed, daily, weekly or null")
    };
    let email_notices = fields.parsed_or_null("email_notices", named);
    let named = |text: String| {
        DmFrom::named(&text).ok_or("must be everyone, shared_groups, requests, nobody or null")
    };
    let dm_from = fields.parsed_or_null("dm_from", named);
    if !SETTINGS.into_iter().any(|name| fields.is_null(name) || fields.value(name).is_some()) {
        fields.wrong("email_notices or dm_from", "is required");
    }
    problems.or(Some(OwnSettingsChange { email_notices, dm_from }))
}
