//! JSON of `/v3/admin/scim_tokens`: the tokens of directories.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::account::read_expiry;
use crate::fields::{Fields, Problems};
use crate::operators::{NamedPerson, person, reason};
use crate::schema::scalars::TextId;
use domain::operators::lists::NamedAccount;
use domain::time::Timestamp;
use domain::user::{ApplicationName, TokenRecord};

/// A token with which a directory manages accounts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScimToken {
    /// The token's id.
    id: TextId,
    /// The name of the token.
    name: Option<String>,
    /// The admin who made it, and with whose rights it acts.
    made_by: NamedPerson,
    /// When it was made. Unix time in seconds.
    created_at: u64,
    /// When it expires; null if it never does. Unix time in seconds.
    expires_at: Option<u64>,
    /// When it was last used, to the day after a restart; null if never. Unix time in seconds.
    last_used_at: Option<u64>,
}

/// A new token of a directory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MadeScimToken {
    /// The token. Only this response shows it.
    pub access_token: String,
    /// The token, as the list shows it.
    pub token: ScimToken,
}

/// The tokens of directories.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScimTokens {
    /// The tokens, oldest first.
    pub tokens: Vec<ScimToken>,
}

/// Builds the JSON of a token.
pub fn token(token: &TokenRecord, by: &NamedAccount, last_used_at: Option<Timestamp>) -> ScimToken {
    ScimToken {
        id: token.id.into(),
        name: token.application.clone(),
        made_by: person(by),
        created_at: token.created_at.seconds(),
        expires_at: token.expires_at.map(Timestamp::seconds),
        last_used_at: last_used_at.map(Timestamp::seconds),
    }
}

/// The body of `POST /v3/admin/scim_tokens`.
#[derive(Debug)]
pub struct WantedScimToken {
    /// The name of the token.
    pub name: ApplicationName,
    /// After how many seconds it expires.
    pub expires_in: Option<u64>,
    /// Why it is made.
    pub reason: String,
}

/// Reads the body of `POST /v3/admin/scim_tokens`. `longest` is the longest life of a token here.
///
/// # Errors
/// If a field is missing or invalid.
pub fn read(body: &Map<String, Value>, longest: Option<u64>) -> Result<WantedScimToken, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.required("name", |text| ApplicationName::parse(&text));
    let expires_in = read_expiry(&mut fields, longest);
    let reason = reason(&mut fields);
    let wanted = name.zip(reason);
    problems.or(wanted.map(|(name, reason)| WantedScimToken { name, expires_in, reason }))
}
