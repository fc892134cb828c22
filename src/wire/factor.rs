//! JSON of the second factor: setting it up, log-ins that wait for it, trusted devices, proofs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::passkey::{self, ShownPasskey};
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
    /// The factors that finish it: `totp`, `recovery`, and `passkey` if the account has one.
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
    /// Until when you have to set it up, if this server requires it; null if not, or if it is set up.
    /// Unix time in seconds.
    required_until: Option<u64>,
}

/// Builds the JSON of an account's second factor. `deadline`: until when it has to be set up.
pub fn state(factors: &Factors, deadline: Option<Timestamp>) -> FactorState {
    FactorState {
        enabled: factors.is_on(),
        since: factors.totp.as_ref().map(|totp| totp.since.seconds()),
        recovery_codes: factors.recovery.len(),
        required_until: deadline.map(Timestamp::seconds),
    }
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

/// What somebody shows as second factor.
#[derive(Debug)]
pub enum ShownSecret {
    /// A one-time code or recovery code, as typed.
    Typed(String),
    /// A passkey.
    Passkey(ShownPasskey),
}

/// The body of `POST /auth/login/verify`.
#[derive(Debug)]
pub struct ShownFactor {
    /// The code of the log-in that waits.
    pub code: String,
    /// The second factor.
    pub secret: ShownSecret,
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
    let has_passkey = fields.value("passkey").is_some();
    let secret = secret(&mut fields);
    if secret.is_none() && !has_passkey {
        problems.add("totp, recovery or passkey is required".to_owned());
    }
    problems.or(code.zip(secret).map(|(code, secret)| ShownFactor { code, secret, trust }))
}

/// A passkey, a one-time code or a recovery code, whichever is there.
fn secret(fields: &mut Fields<'_>) -> Option<ShownSecret> {
    match fields.value("passkey") {
        Some(_) => {
            let mut inner = fields.object("passkey")?;
            passkey::shown(&mut inner).map(ShownSecret::Passkey)
        }
        None => factor(fields).map(ShownSecret::Typed),
    }
}

/// A one-time code or a recovery code, whichever is there.
fn factor(fields: &mut Fields<'_>) -> Option<String> {
    let totp = fields.text("totp").filter(|text| !text.is_empty());
    let recovery = fields.text("recovery").filter(|text| !text.is_empty());
    totp.or(recovery)
}

/// Checks the form of a proof that need not be there.
///
/// # Errors
/// If a field is invalid; all problems are reported together.
pub fn check_factors(body: &Map<String, Value>) -> Result<(), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    drop((fields.text("password"), secret(&mut fields)));
    problems.or(Some(()))
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

/// What a user shows before a change of the factors, if there is a second one.
#[derive(Debug)]
pub enum ShownFactors {
    /// The password and a code.
    Both {
        /// The password.
        password: String,
        /// A one-time code or recovery code, as typed.
        typed: String,
    },
    /// A passkey, which must have verified its user.
    Passkey(ShownPasskey),
}

/// Reads a proof of both factors: the password and a one-time code or recovery code, or a passkey.
///
/// # Errors
/// If one is missing.
pub fn read_factors(body: &Map<String, Value>) -> Result<ShownFactors, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    if fields.value("passkey").is_some() {
        let shown = fields.object("passkey").and_then(|mut inner| passkey::shown(&mut inner));
        return problems.or(shown.map(ShownFactors::Passkey));
    }
    let password = fields.required_text("password");
    let typed = factor(&mut fields);
    if typed.is_none() {
        problems.add("totp or recovery is required".to_owned());
    }
    let both = password.zip(typed);
    problems.or(both.map(|(password, typed)| ShownFactors::Both { password, typed }))
}

/// What a user shows to prove again who they are.
#[derive(Debug)]
pub enum ShownProof {
    /// The password.
    Password(String),
    /// A code or a passkey.
    Factor(ShownSecret),
}

/// Reads the body of `POST /auth/fresh`.
///
/// # Errors
/// If there is neither a password nor a code nor a passkey.
pub fn read_proof(body: &Map<String, Value>) -> Result<ShownProof, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let password = fields.text("password").filter(|text| !text.is_empty());
    let proof = match password {
        Some(password) => Some(ShownProof::Password(password)),
        None => secret(&mut fields).map(ShownProof::Factor),
    };
    if proof.is_none() && !body.contains_key("passkey") {
        problems.add("password, totp, recovery or passkey is required".to_owned());
    }
    problems.or(proof)
}
