//! JSON of the second factor: setting it up, log-ins that wait for it, trusted devices, proofs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use domain::factors::{Factors, TrustedDevice};
use domain::time::Timestamp;

/// A log-in whose password was right and which needs the second factor.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FactorRequired {
    /// The log-in that waits.
    pub verification: WaitingLogIn,
}

/// A log-in that waits for the second factor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct WaitingLogIn {
    /// The code with which `POST /auth/login/verify` finishes it.
    pub code: String,
    /// The factors that finish it: `totp`, `recovery`.
    pub methods: Vec<&'static str>,
    /// When it expires. Unix time in seconds.
    pub expires_at: u64,
}

/// A TOTP secret that waits for its first code. Only this response shows it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TotpSecret {
    /// The secret in base 32, for typing into an application.
    pub secret: String,
    /// The `otpauth:` address for a QR code.
    pub uri: String,
}

/// New recovery codes. Only this response shows them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecoveryCodes {
    /// Ten codes; each works once in place of a one-time code.
    pub recovery_codes: Vec<String>,
}

/// The state of the second factor.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FactorState {
    /// Whether log-ins need a one-time code.
    enabled: bool,
    /// Since when; null if they need none. Unix time in seconds.
    since: Option<u64>,
    /// The number of unused recovery codes.
    recovery_codes: usize,
}

/// Builds the JSON of an account's second factor.
pub fn state(factors: &Factors) -> FactorState {
    let since = factors.totp.as_ref().map(|totp| totp.since.seconds());
    FactorState { enabled: factors.is_on(), since, recovery_codes: factors.recovery.len() }
}

/// A device on which a log-in needs no second factor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustedDevice")]
pub struct TrustedDeviceResource {
    /// The device's id.
    id: String,
    /// The browser and system, as the device named them.
    name: String,
    /// When it was trusted. Unix time in seconds.
    created_at: u64,
    /// When the trust ends. Unix time in seconds.
    expires_at: u64,
}

/// Builds the JSON of the devices that an account trusts now.
pub fn devices(factors: &Factors, now: Timestamp) -> Vec<TrustedDeviceResource> {
    let trusted = factors.devices.iter().filter(|device| now < device.expires_at());
    trusted.map(device).collect()
}

fn device(device: &TrustedDevice) -> TrustedDeviceResource {
    TrustedDeviceResource {
        id: device.id.to_string(),
        name: device.name.clone(),
        created_at: device.since.seconds(),
        expires_at: device.expires_at().seconds(),
    }
}

/// The body of `POST /auth/login/verify`.
#[derive(Debug)]
pub struct ShownFactor {
    /// The code of the log-in that waits.
    pub code: String,
    /// The one-time code or recovery code, as typed.
    pub typed: String,
    /// Whether the device is trusted from now on.
    pub trust: bool,
}

/// Reads the body of `POST /auth/login/verify`.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_verification(body: &Map<String, Value>) -> Result<ShownFactor, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let code = fields.required_text("code");
    let trust = fields.flag("trust").unwrap_or_default();
    let typed = factor(&mut fields);
    if typed.is_none() {
        problems.add(NO_FACTOR.to_owned());
    }
    problems.or(code.zip(typed).map(|(code, typed)| ShownFactor { code, typed, trust }))
}

const NO_FACTOR: &str = "totp or recovery is required";

/// A one-time code or a recovery code, whichever is there.
fn factor(fields: &mut Fields<'_>) -> Option<String> {
    let totp = fields.text("totp").filter(|text| !text.is_empty());
    let recovery = fields.text("recovery").filter(|text| !text.is_empty());
    totp.or(recovery)
}

/// Reads the body of `POST /auth/totp/confirm`: the first code.
///
/// # Errors
/// If the code is missing.
pub fn read_first_code(body: &Map<String, Value>) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let code = Fields::of(body, &mut problems).required_text("code");
    problems.or(code)
}

/// Reads the body of `DELETE /auth/totp`: the password, and a one-time code or recovery code.
///
/// # Errors
/// If one is missing.
pub fn read_removal(body: &Map<String, Value>) -> Result<(String, String), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let password = fields.required_text("password");
    let typed = factor(&mut fields);
    if typed.is_none() {
        problems.add(NO_FACTOR.to_owned());
    }
    problems.or(password.zip(typed))
}

/// What a user shows to prove again who they are.
#[derive(Debug)]
pub enum ShownProof {
    /// The password.
    Password(String),
    /// A one-time code or recovery code.
    Factor(String),
}

/// Reads the body of `POST /auth/fresh`.
///
/// # Errors
/// If neither a password nor a code is there.
pub fn read_proof(body: &Map<String, Value>) -> Result<ShownProof, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let password = fields.text("password").filter(|text| !text.is_empty());
    let proof = match password {
        Some(password) => Some(ShownProof::Password(password)),
        None => factor(&mut fields).map(ShownProof::Factor),
    };
    if proof.is_none() {
        problems.add("password, totp or recovery is required".to_owned());
    }
    problems.or(proof)
}
