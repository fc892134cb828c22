//! JSON of authentication: tokens, applications, passwords.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::identity::ProviderResource;
use crate::schema::scalars::TextId;
use crate::user::{Registration, UserResource, fresh_password, read_registration};
use domain::ids::ClientId;
use domain::instance::SignUp;
use domain::limits::TOKEN_SECONDS;
use domain::scopes::{self, Scope, ScopeSet};
use domain::text::Email;
use domain::time::Timestamp;
use domain::user::{Application, ApplicationName, RedirectUrl, TokenRecord};

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
    /// The `id` of the provider with whose account the user logged in: after a log-out, the browser
    /// goes on to `GET /auth/oidc/{provider}/logout`. Absent for other log-ins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// How accounts can be created.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuthOptions {
    /// Who may register.
    pub registration: RegistrationMode,
    /// The domains whose addresses may register; absent in other modes, and unless operators show
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domains: Option<Vec<String>>,
    /// Who may log in with a password: `on` (everybody), `operators` or `off`.
    #[schemars(with = "String")]
    pub password: &'static str,
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
    /// Whether people may log in with passkeys: browsers make them for this server.
    pub passkeys: bool,
    /// True if links for guests make accounts; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub guests: bool,
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

/// Who may register.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum RegistrationMode {
    /// Anyone may register.
    Open,
    /// Only operators create accounts.
    Closed,
    /// Who confirms an address of certain domains, through a mail.
    Domain,
    /// Whom operators approve.
    Approval,
    /// Who comes with an invitation of the operators, or with a link of a group.
    Invite,
}

/// A new account to which nobody can log in yet, or nothing new: the response is the same if the
/// address has an account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AwaitedAccount {
    /// What the account waits for: `confirmation`, by the link in the mail to its address, or
    /// `approval`, by operators.
    #[schemars(with = "String")]
    pub waiting: &'static str,
}

impl From<SignUp> for RegistrationMode {
    fn from(mode: SignUp) -> Self {
        match mode {
            SignUp::Open => Self::Open,
            SignUp::Closed => Self::Closed,
            SignUp::Domain => Self::Domain,
            SignUp::Approval => Self::Approval,
            SignUp::Invite => Self::Invite,
        }
    }
}

/// How a token was made.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum TokenKind {
    /// By a log-in.
    LogIn,
    /// For an application that the user let in.
    Application,
    /// By the user, with chosen scopes.
    Own,
}

impl TokenKind {
    const fn of(token: &TokenRecord) -> Self {
        match (&token.client, &token.scopes) {
            (Some(_), _) => Self::Application,
            (None, Some(_)) => Self::Own,
            (None, None) => Self::LogIn,
        }
    }
}

/// An access token in the list of the account's tokens, without the token itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Token")]
pub struct TokenResource {
    /// The token's id, which is not the token itself.
    id: TextId,
    /// How the token was made: by a log-in, for an application, or by the user themselves.
    kind: TokenKind,
    /// Name of the application that the token was issued to; `log-in` for a token issued at log-in;
    /// for a token that you made, the name that you gave it.
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
    /// The scopes of the token.
    scopes: ScopeNames,
}

/// The names of scopes, as a list.
#[derive(Debug, Clone, Copy)]
pub struct ScopeNames(pub ScopeSet);

impl Serialize for ScopeNames {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(Scope::as_str))
    }
}

impl JsonSchema for ScopeNames {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ScopeNames".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = ScopeSet::WHOLE.names();
        json_schema!({"type": "array", "items": {"type": "string", "enum": names}})
    }
}

/// A new token that its owner chose scopes for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MintedToken {
    /// The token. Only this response shows it.
    pub access_token: String,
    /// The token, as lists show it.
    pub token: TokenResource,
}

/// The body of `POST /auth/tokens`.
#[derive(Debug)]
pub struct WantedToken {
    /// The name of the token in lists.
    pub name: ApplicationName,
    /// Its scopes.
    pub scopes: ScopeSet,
    /// After how many seconds it expires; `None` for as late as the server allows.
    pub expires_in: Option<u64>,
}

/// Reads the body of `POST /auth/tokens`. `longest` is how many seconds tokens of this server may
/// live.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_token(
    body: &Map<String, Value>,
    longest: Option<u64>,
) -> Result<WantedToken, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.required("name", |text| ApplicationName::parse(&text));
    let scopes = read_scopes(&mut fields);
    let expires_in = read_expiry(&mut fields, longest);
    problems.or(name.map(|name| WantedToken { name, scopes, expires_in }))
}

/// Reads after how many seconds a token expires; `longest` is the longest life of a token here.
pub(crate) fn read_expiry(fields: &mut Fields<'_>, longest: Option<u64>) -> Option<u64> {
    let least = *TOKEN_SECONDS.start();
    let most = longest.unwrap_or(*TOKEN_SECONDS.end());
    fields.value("expires_in").and_then(|value| {
        let seconds = value.as_u64().filter(|it| (least..=most).contains(it));
        if seconds.is_none() {
            fields.wrong("expires_in", format!("must be a number from {least} to {most}"));
        }
        seconds
    })
}

/// Reads the list `scopes`; those of an application without a choice if it is absent.
fn read_scopes(fields: &mut Fields<'_>) -> ScopeSet {
    if fields.value("scopes").is_none() {
        return ScopeSet::APPLICATION;
    }
    let mut names = Vec::new();
    for value in fields.list("scopes", Scope::ALL.len()) {
        match value.as_str() {
            Some(name) => names.push(name),
            None => fields.wrong("scopes", "must be an array of names of scopes"),
        }
    }
    match scopes::parse(names) {
        Ok(chosen) if chosen.is_empty() => {
            fields.wrong("scopes", "must have at least one scope");
            chosen
        }
        Ok(chosen) => chosen,
        Err(unknown) => {
            fields.wrong("scopes", format!("has an {unknown}"));
            ScopeSet::default()
        }
    }
}

/// Builds the JSON of a token for its owner.
pub fn token(
    token: &TokenRecord,
    last_used_at: Option<Timestamp>,
    is_current: bool,
) -> TokenResource {
    TokenResource {
        id: token.id.into(),
        kind: TokenKind::of(token),
        application: token.application.clone(),
        device: token.device.clone(),
        created_at: token.created_at.seconds(),
        expires_at: token.expires_at.map(Timestamp::seconds),
        last_used_at: last_used_at.map(Timestamp::seconds),
        current: is_current,
        scopes: ScopeNames(token.effective_scopes()),
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
    /// The scopes that the application may ask for.
    scopes: ScopeNames,
}

/// Builds the JSON of an application for its owner.
pub fn application(application: &Application) -> ApplicationResource {
    ApplicationResource {
        client_id: application.client.to_string(),
        name: application.name.clone(),
        callback_url: application.callback_url.clone(),
        scopes: ScopeNames(application.allowed_scopes()),
    }
}

/// Reads the body of `POST /oauth/applications`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_application(
    body: &Map<String, Value>,
    new: NewApplication,
) -> Result<Application, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.required("name", |text| ApplicationName::parse(&text));
    let callback_url = fields.required("callback_url", |text| RedirectUrl::parse(&text));
    let scopes = read_scopes(&mut fields);
    let beyond = scopes.without(ScopeSet::APPLICATION);
    if !beyond.is_empty() {
        fields.wrong("scopes", format!("applications never have {}", beyond.names().join(", ")));
    }
    let NewApplication { client, at: created_at } = new;
    let scopes = (scopes != ScopeSet::APPLICATION).then_some(scopes);
    problems.or(name.zip(callback_url).map(|(name, callback_url)| Application {
        client,
        name,
        callback_url,
        created_at,
        scopes,
    }))
}

/// The parts of a new application that its owner does not choose.
#[derive(Debug)]
pub struct NewApplication {
    /// Its client id.
    pub client: ClientId,
    /// When it is registered.
    pub at: Timestamp,
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

/// Reads the body of `POST /auth/confirm/{secret}`: the password of an account that waits for it.
///
/// # Errors
/// If the password is no text.
pub fn read_optional_password(body: &Map<String, Value>) -> Result<Option<String>, Problems> {
    let mut problems = Problems::default();
    let password = Fields::of(body, &mut problems).text("password");
    problems.or(Some(password))
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
