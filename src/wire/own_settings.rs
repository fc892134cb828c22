//! A user's own settings in JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::fields::{Fields, Problems};
use crate::schema::bodies::required;
use crate::schema::named;
use domain::email_notices::EmailNotices;

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
}

impl OwnSettings {
    /// Builds the settings from the choice and the default.
    pub fn of(choice: Option<EmailNotices>, default: EmailNotices) -> Self {
        Self {
            email_notices: choice.unwrap_or(default).as_str(),
            email_notices_chosen: choice.is_some(),
        }
    }
}

/// The schema of the body of `PUT /users/me/settings`.
pub fn change_schema() -> Value {
    let names = EmailNotices::ALL.map(|choice| json!(choice.as_str()));
    let choices: Vec<Value> = names.into_iter().chain([Value::Null]).collect();
    let told = "When the server mails you about messages for you that you have not read; null for \
                the default.";
    let notices = json!({"enum": choices, "description": told});
    named("OwnSettingsChange", required([("email_notices", notices)]))
}

/// Reads a change of the settings: the choice about mails, `None` for the default.
///
/// # Errors
/// If the field is missing or invalid.
pub fn read(body: &Map<String, Value>) -> Result<Option<EmailNotices>, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let named = |text: String| {
        EmailNotices::named(&text).ok_or("must be off, missed, daily, weekly or null")
    };
    let choice = match body.contains_key("email_notices") && fields.is_null("email_notices") {
        true => Some(None),
        false => fields.required("email_notices", named).map(Some),
    };
    problems.or(choice)
}
