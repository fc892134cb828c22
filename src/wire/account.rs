//! JSON of authentication: tokens, applications, passwords.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::instance::SignUp;
use crate::domain::text::Email;
use crate::domain::time::Timestamp;
use crate::domain::user::{Application, ApplicationName, RedirectUrl, TokenRecord};
use crate::wire::fields::{Fields, Problems};
use crate::wire::identity::ProviderResource;
use crate::wire::schema::scalars::TextId;
use crate::wire::user::{Registration, UserResource, fresh_password, read_registration};

/// A user, with a new access token.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Account")]
pub struct LoggedInAccount {
    /// The user who logged in or registered.
    pub user: UserResource,
    /// The new access token. Only this response shows it.
    pub access_token: String,
    /// Lifetime of the token in seconds; absent if it is unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u64>,
    /// The secret of this device, which needs no second factor for 30 days if a log-in sends it as
    /// `device`; absent unless `trust` was set. Only this response shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// How accounts can be created.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuthOptions {
    /// Whether anyone may register.
    pub registration: RegistrationMode,
    /// Whether the server sends mail, so that a lost password can be recovered.
    pub mail: bool,
    /// Whom to ask for help, as the operator wrote it; null if nobody is named.
    pub contact: Option<String>,
    /// The name of the place; null if it has none.
    pub name: Option<String>,
    /// Words of greeting; null if there are none.
    pub greeting: Option<String>,
    /// Providers with whose accounts people log in.
    pub providers: Vec<ProviderResource>,
    /// What `POST /auth/setup` needs to make the first admin; null if there is an admin.
    pub setup: Option<SetupNeed>,
}

/// What the first admin needs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SetupNeed {
    /// Whether the code of the server is needed: the request does not come from its own machine.
    pub code: bool,
    /// Whether there is no account at all.
    pub empty: bool,
}

/// The account of a link that was used.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkedAccount {
    /// The address to log in with.
    pub email: Email,
}

/// Whether anyone may register.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum RegistrationMode {
    /// Anyone may register.
    Open,
    /// Only operators create accounts.
    Closed,
}

impl From<SignUp> for RegistrationMode {
    fn from(mode: SignUp) -> Self {
        match mode {
            SignUp::Open => Self::Open,
            SignUp::Closed => Self::Closed,
        }
    }
}

/// An access token in the list of the account's tokens, without the token itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Token")]
pub struct TokenResource {
    /// The token's id, which is not the token itself.
    id: TextId,
    /// Name of the application that the token was issued to; `log-in` for a token issued at log-in.
    application: Option<String>,
    /// The browser and system that logged in, as they named themselves; null if not known.
    device: Option<String>,
    /// When the token was issued. Unix time in seconds.
    created_at: u64,
    /// When the token expires; null if it never does. Unix time in seconds.
    expires_at: Option<u64>,
    /// When the token was last used; null if it never was. Unix time in seconds, accurate to a
    /// minute, or to a day after a restart of the server.
    last_used_at: Option<u64>,
    /// Whether the token is the one that authenticates this request.
    current: bool,
}

/// Builds the JSON of a token for its owner.
pub fn token(
    token: &TokenRecord,
    last_used_at: Option<Timestamp>,
    is_current: bool,
) -> TokenResource {
    TokenResource {
        id: token.id.into(),
        application: token.application.clone(),
        device: token.device.clone(),
        created_at: token.created_at.seconds(),
        expires_at: token.expires_at.map(Timestamp::seconds),
        last_used_at: last_used_at.map(Timestamp::seconds),
        current: is_current,
    }
}

/// An application, as its owner sees it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Application")]
pub struct ApplicationResource {
    /// The application's id, the `client_id` of OAuth.
    client_id: String,
    /// The name that users see.
    name: ApplicationName,
    /// The URL to which users are redirected after they decided about access.
    callback_url: RedirectUrl,
}

/// Builds the JSON of an application for its owner.
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
/// If fields are missing or invalid; all problems are reported together.
pub fn read_application(
    body: &Map<String, Value>,
) -> Result<(ApplicationName, RedirectUrl), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.required("name", |text| ApplicationName::parse(&text));
    let callback_url = fields.required("callback_url", |text| RedirectUrl::parse(&text));
    problems.or(name.zip(callback_url))
}

/// The parsed body of `POST /auth/password`.
#[derive(Debug)]
pub struct WantedPassword {
    /// The current password.
    pub current: String,
    /// The new password.
    pub new: String,
    /// Whether the user's bots are removed too.
    pub end_bots: bool,
    /// Whether the user's applications are removed too.
    pub end_applications: bool,
}

/// Bots and applications that still act for a user after a new password.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemainingActors {
    /// The user's bots.
    pub bots: Vec<RemainingBot>,
    /// The user's applications.
    pub applications: Vec<ApplicationResource>,
}

/// A bot that still acts for a user.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemainingBot {
    /// The bot's id.
    pub bot_id: String,
    /// The bot's name.
    pub name: String,
    /// The bot's group.
    pub group_id: String,
    /// The name of the group.
    pub group_name: String,
}

/// Reads the body of `POST /auth/password`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_password_change(body: &Map<String, Value>) -> Result<WantedPassword, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let current = fields.required_text("current_password");
    let new = fields.required("new_password", fresh_password);
    let end_bots = fields.flag("end_bots").unwrap_or_default();
    let end_applications = fields.flag("end_applications").unwrap_or_default();
    problems.or(current.zip(new).map(|(current, new)| WantedPassword {
        current,
        new,
        end_bots,
        end_applications,
    }))
}

/// Reads the body of `POST /auth/setup`: the account, and the code if there is one.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_setup(body: &Map<String, Value>) -> Result<(Registration, Option<String>), Problems> {
    let registration = read_registration(body)?;
    let mut problems = Problems::default();
    let code = Fields::of(body, &mut problems).text("code");
    problems.or(Some((registration, code)))
}

/// Reads the body of `POST /auth/recover`: the address as typed.
///
/// # Errors
/// If the address is missing.
pub fn read_email(body: &Map<String, Value>) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let email = Fields::of(body, &mut problems).required_text("email");
    problems.or(email)
}

/// Reads the body of `POST /auth/recover/{secret}`.
///
/// # Errors
/// If the password is missing, too short or too long.
pub fn read_fresh_password(body: &Map<String, Value>) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let password = Fields::of(body, &mut problems).required("password", fresh_password);
    problems.or(password)
}

/// Reads the body of `DELETE /auth/account`.
///
/// # Errors
/// If the password is missing.
pub fn read_password(body: &Map<String, Value>) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let password = Fields::of(body, &mut problems).required_text("password");
    problems.or(password)
}
