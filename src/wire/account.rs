//! What opens an account, in JSON: tokens, applications, passwords.

use serde_json::{Map, Value, json};

use crate::domain::time::Timestamp;
use crate::domain::user::{Application, ApplicationName, RedirectUrl, TokenRecord};
use crate::wire::fields::{Fields, Problems};
use crate::wire::user::fresh_password;

/// A token in a list; never the token itself.
pub fn token(token: &TokenRecord, last_used_at: Option<Timestamp>, is_current: bool) -> Value {
    json!({
        "id": token.id.to_string(),
        "application": token.application,
        "created_at": token.created_at.seconds(),
        "last_used_at": last_used_at.map(Timestamp::seconds),
        "current": is_current,
    })
}

/// An application, as its owner sees it.
pub fn application(application: &Application) -> Value {
    json!({
        "client_id": application.client.to_string(),
        "name": application.name.as_str(),
        "callback_url": application.callback_url.as_str(),
    })
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
