//! JSON of passkeys: ceremonies of WebAuthn, and the list.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use domain::passkeys::{PASSKEY_NAME_CHARS, Passkey, PasskeyBackup};
use domain::text::LineText;
use domain::time::Timestamp;

/// A ceremony of WebAuthn that began.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PasskeyCeremony {
    /// The state, which `finish` needs within five minutes.
    pub state: String,
    /// The options for the browser: `PublicKeyCredentialCreationOptionsJSON` or
    /// `PublicKeyCredentialRequestOptionsJSON` of WebAuthn.
    pub options: Map<String, Value>,
}

/// A passkey.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Passkey")]
pub struct PasskeyResource {
    /// The passkey's id.
    id: String,
    /// The name that you gave it.
    name: String,
    /// The host for which it was made: it works nowhere else.
    host: String,
    /// Whether other devices have copies.
    synced: bool,
    /// When it was added. Unix time in seconds.
    created_at: u64,
    /// When it was last used; null if never. Unix time in seconds.
    used_at: Option<u64>,
}

/// Builds the JSON of a passkey.
pub fn resource(passkey: &Passkey) -> PasskeyResource {
    PasskeyResource {
        id: passkey.id.to_string(),
        name: passkey.name.clone(),
        host: passkey.host.clone(),
        synced: passkey.backup == PasskeyBackup::Done,
        created_at: passkey.since.seconds(),
        used_at: passkey.used_at.map(Timestamp::seconds),
    }
}

/// The response of an authenticator, and the state of its ceremony.
#[derive(Debug)]
pub struct ShownPasskey {
    /// The state.
    pub state: String,
    /// The response, as WebAuthn writes it in JSON.
    pub credential: Map<String, Value>,
}

/// A passkey to be added.
#[derive(Debug)]
pub struct NewPasskey {
    /// The response of the authenticator.
    pub shown: ShownPasskey,
    /// The name.
    pub name: String,
}

/// Reads the state and the response from the fields of an object.
pub(crate) fn shown(fields: &mut Fields<'_>) -> Option<ShownPasskey> {
    let state = fields.required_text("state");
    let credential = match fields.value("credential") {
        Some(Value::Object(credential)) => Some(credential.clone()),
        Some(_) => {
            fields.wrong("credential", "must be an object");
            None
        }
        None => {
            fields.wrong("credential", "is required");
            None
        }
    };
    state.zip(credential).map(|(state, credential)| ShownPasskey { state, credential })
}

/// Reads the body of `POST /auth/passkeys/login/finish`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_log_in(body: &Map<String, Value>) -> Result<ShownPasskey, Problems> {
    let mut problems = Problems::default();
    let shown = shown(&mut Fields::of(body, &mut problems));
    problems.or(shown)
}

/// Reads the body of `POST /auth/passkeys/register/finish`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_new(body: &Map<String, Value>) -> Result<NewPasskey, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let shown = shown(&mut fields);
    let name = name(&mut fields);
    problems.or(shown.zip(name).map(|(shown, name)| NewPasskey { shown, name }))
}

/// Reads the body of `PATCH /auth/passkeys/{passkey_id}`: the name.
///
/// # Errors
/// If it is missing or invalid.
pub fn read_name(body: &Map<String, Value>) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let name = name(&mut Fields::of(body, &mut problems));
    problems.or(name)
}

fn name(fields: &mut Fields<'_>) -> Option<String> {
    fields.required("name", |text| {
        LineText::parse(text.trim().to_owned(), PASSKEY_NAME_CHARS).map(String::from)
    })
}
