//! What opens an account, in JSON: tokens, applications, passwords.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::time::Timestamp;
use crate::domain::user::{Application, ApplicationName, RedirectUrl, TokenRecord};
use crate::wire::fields::{Fields, Problems};
use crate::wire::schema::scalars::TextId;
use crate::wire::user::{UserResource, fresh_password};

/// A user with a fresh token.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Account")]
pub struct LoggedInAccount {
    /// Who logged in.
    pub user: UserResource,
    /// Shown this once.
    pub access_token: String,
}

/// Whether strangers may register.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct AuthOptions {
    /// Whether strangers may register.
    pub registration: RegistrationMode,
}

/// Whether strangers may register.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum RegistrationMode {
    /// They may.
    Open,
    /// Only operators make accounts.
    Closed,
}

/// A token in a list; never the token itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Token")]
pub struct TokenResource {
    /// Names the token; it is not the token.
    id: TextId,
    /// The application that it was given to; `log-in` for none.
    application: Option<String>,
    /// When it was made. Unix time in seconds.
    created_at: u64,
    /// When it was last used, to a minute; to a day over a restart of the server. Unix time
    /// in seconds.
    last_used_at: Option<u64>,
    /// Whether it is the token of this request.
    current: bool,
}

/// A token as its owner sees it.
pub fn token(
    token: &TokenRecord,
    last_used_at: Option<Timestamp>,
    is_current: bool,
) -> TokenResource {
    TokenResource {
        id: token.id.into(),
        application: token.application.clone(),
        created_at: token.created_at.seconds(),
        last_used_at: last_used_at.map(Timestamp::seconds),
        current: is_current,
    }
}

/// An application, as its owner sees it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Application")]
pub struct ApplicationResource {
    /// Names the application.
    client_id: String,
    /// What people see.
    name: ApplicationName,
    /// Where people are sent back to.
    callback_url: RedirectUrl,
}

/// An application, as its owner sees it.
pub fn application(application: &Application) -> ApplicationResource {
    ApplicationResource {
        client_id: application.client.to_string(),
        name: application.name.clone(),
        callback_url: application.callback_url.clone(),
    }
}

/// Reads the body of `POST /oauth/applications`.
///
/// # Errors
/// With every problem at once.
pub fn read_application(
    body: &Map<String, Value>,
) -> Result<(ApplicationName, RedirectUrl), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.required("name", |text| ApplicationName::parse(&text));
    let callback_url = fields.required("callback_url", |text| RedirectUrl::parse(&text));
    problems.or(name.zip(callback_url))
}

/// Reads the body of `POST /auth/password`: the password as it is, and as it shall be.
///
/// # Errors
/// With every problem at once.
pub fn read_password_change(body: &Map<String, Value>) -> Result<(String, String), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let current = fields.required_text("current_password");
    let new = fields.required("new_password", fresh_password);
    problems.or(current.zip(new))
}

/// Reads the body of `DELETE /auth/account`.
///
/// # Errors
/// When there is no password.
pub fn read_password(body: &Map<String, Value>) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let password = Fields::of(body, &mut problems).required_text("password");
    problems.or(password)
}
