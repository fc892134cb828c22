//! JSON of log-in with OpenID Connect: providers, identities, and the end of a log-in.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use domain::identities::LinkedIdentity;

/// A provider with whose accounts people log in.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Provider")]
pub struct ProviderResource {
    /// The id in paths: `/auth/oidc/{id}/start`.
    id: String,
    /// The name that people see.
    name: String,
}

/// Builds the JSON of a provider.
pub fn provider(id: &str, name: &str) -> ProviderResource {
    ProviderResource { id: id.to_owned(), name: name.to_owned() }
}

/// An account at a provider with which the user logs in.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Identity")]
pub struct IdentityResource {
    /// The id of the identity.
    id: String,
    /// The name of the provider; null if this server does not use it any more.
    provider: Option<String>,
    /// The issuer.
    issuer: String,
    /// The email address there when it was linked; null if the provider named none.
    email: Option<String>,
    /// When it was linked. Unix time in seconds.
    created_at: u64,
}

/// Builds the JSON of an identity for its user. `provider` is the name of its provider, if this
/// server uses it.
pub fn identity(linked: &LinkedIdentity, provider: Option<&str>) -> IdentityResource {
    IdentityResource {
        id: linked.identity.id(),
        provider: provider.map(str::to_owned),
        issuer: linked.identity.issuer.clone(),
        email: linked.email.clone(),
        created_at: linked.since.seconds(),
    }
}

/// Where a user logs in at a provider.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProviderAddress {
    /// The address, to be opened in this browser.
    pub url: String,
}

/// A log-in whose identity is to be linked to an account first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkNeeded {
    /// The account.
    pub link: LinkNeed,
}

/// An account whose user may link an identity with its password.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct LinkNeed {
    /// The address of the account.
    pub email: String,
    /// The name of the provider.
    pub provider: String,
}

/// The body of `POST /auth/oidc/finish`.
#[derive(Debug)]
pub struct ShownArrival {
    /// The code of the log-in.
    pub code: String,
    /// The password of the account to which the identity is to be linked.
    pub password: Option<String>,
    /// A one-time code or recovery code of that account.
    pub factor: Option<String>,
}

/// Reads the body of `POST /auth/oidc/finish`.
///
/// # Errors
/// If the code is missing.
pub fn read_arrival(body: &Map<String, Value>) -> Result<ShownArrival, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let code = fields.required_text("code");
    let mut text = |name: &'static str| fields.text(name).filter(|text| !text.is_empty());
    let password = text("password");
    let totp = text("totp");
    let factor = totp.or_else(|| text("recovery"));
    problems.or(code.map(|code| ShownArrival { code, password, factor }))
}

/// Reads the path to which a browser comes back, if there is one.
pub fn read_return(fields: &Map<String, Value>) -> Option<String> {
    fields.get("return").map(|value| value.as_str().unwrap_or_default().to_owned())
}

/// Reads the body of `POST /auth/oidc/{provider}/logout`.
///
/// # Errors
/// If the token is missing.
pub fn read_logout(body: &Map<String, Value>) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let token = Fields::of(body, &mut problems).required_text("logout_token");
    problems.or(token)
}
