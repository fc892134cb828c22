//! JSON of log-ins in the words of clients of the original service.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::original::SecondFactor;
use crate::schema::scalars::TextId;
use domain::factors::Factors;
use domain::user::User;

/// The form of a code: a one-time code, or a recovery code with hyphens.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct CodeFormat {
    min_length: u8,
    max_length: u8,
    charset: &'static str,
}

const FORMAT: CodeFormat = CodeFormat { min_length: 6, max_length: 19, charset: "alphanumeric" };

/// The factors that finish a log-in.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct Methods {
    /// Always empty: an authenticator application makes the codes.
    totp: &'static str,
}

/// A log-in that needs the second factor.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OriginalChallenge {
    verification: ChallengeDetails,
}

/// The log-in that waits.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct ChallengeDetails {
    /// The code of the log-in: 64 hexadecimal digits.
    code: String,
    methods: Methods,
    /// Always `unverified`.
    status: &'static str,
    /// Always `force`.
    r#type: &'static str,
    code_format: CodeFormat,
    /// Always empty on this server.
    long_pin: &'static str,
    /// Always empty on this server.
    system_number: &'static str,
}

impl OriginalChallenge {
    /// The challenge of a log-in with this code.
    pub const fn of(code: String) -> Self {
        Self {
            verification: ChallengeDetails {
                code,
                methods: Methods { totp: "" },
                status: "unverified",
                r#type: "force",
                code_format: FORMAT,
                long_pin: "",
                system_number: "",
            },
        }
    }
}

/// A verification that was begun.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InitiatedVerification {
    /// Where the code is: always empty, since no message is sent.
    hint: &'static str,
    code_format: CodeFormat,
}

impl InitiatedVerification {
    /// The response to every method: the codes come from an application.
    pub const fn by_application() -> Self {
        Self { hint: "", code_format: FORMAT }
    }
}

/// The state of a verification.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerificationState {
    code: String,
    /// `verified` once the code was right, `unverified` before.
    status: &'static str,
    methods: Methods,
    code_format: CodeFormat,
}

impl VerificationState {
    /// The state of the verification with this code.
    pub const fn of(code: String, is_passed: bool) -> Self {
        let status = if is_passed { "verified" } else { "unverified" };
        Self { code, status, methods: Methods { totp: "" }, code_format: FORMAT }
    }
}

/// The code was right.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfirmedPin {
    /// Always 20000.
    status: u16,
}

impl ConfirmedPin {
    /// The response to the right code.
    pub const fn accepted() -> Self {
        Self { status: 20_000 }
    }
}

/// The code was wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WrongPin {
    response: RemainingAttempts,
    meta: WrongPinMeta,
}

/// The number of codes that may still be tried.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RemainingAttempts {
    remaining_attempts: u32,
}

/// Why the request was refused.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct WrongPinMeta {
    /// Always 400.
    code: u16,
    errors: [&'static str; 1],
}

impl WrongPin {
    /// The refusal with this number of codes left.
    pub const fn of(remaining_attempts: u32) -> Self {
        let meta = WrongPinMeta { code: 400, errors: ["the code is wrong"] };
        Self { response: RemainingAttempts { remaining_attempts }, meta }
    }
}

/// A log-in in the form of the original service.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OriginalLogIn {
    /// The new access token. Only this response shows it.
    access_token: String,
    user_id: TextId,
    user_name: String,
    /// When the token expires; null if it never does. Unix time in seconds.
    expires_at: Option<u64>,
    user: LoggedInUser,
}

/// The user who logged in.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct LoggedInUser {
    id: TextId,
    name: String,
    email: String,
    /// URL of the picture; null without one.
    avatar_url: Option<String>,
    /// Always false on this server.
    admin: bool,
}

impl OriginalLogIn {
    /// The log-in of this user.
    pub fn of(user: &User, token: &str, expires_at: Option<u64>, instance: &Instance) -> Self {
        let name = user.profile.name.as_str().to_owned();
        let image = user.profile.image.as_ref();
        Self {
            access_token: token.to_owned(),
            user_id: user.id.into(),
            user_name: name.clone(),
            expires_at,
            user: LoggedInUser {
                id: user.id.into(),
                name,
                email: user.profile.email.as_str().to_owned(),
                avatar_url: image.map(|image| instance.image_url(image)),
                admin: false,
            },
        }
    }
}

/// The second factor of an account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnFactor {
    mfa: SecondFactor,
}

/// Builds the JSON of an account's second factor.
pub fn own_factor(factors: &Factors) -> OwnFactor {
    OwnFactor { mfa: SecondFactor::of(factors) }
}

/// The parsed body of `POST /access_tokens`.
#[derive(Debug)]
pub struct ShownLogIn {
    /// The email address, as typed.
    pub name: String,
    /// The password.
    pub password: String,
    /// The code of a log-in whose factor passed.
    pub verification: Option<String>,
}

/// Reads the body of `POST /access_tokens`. Other fields of these clients say nothing here.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_log_in(body: &Map<String, Value>) -> Result<ShownLogIn, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let names = ["username", "email"];
    let name = names.into_iter().find_map(|name| fields.text(name).filter(|it| !it.is_empty()));
    let password = fields.required_text("password");
    let verification = fields.object("verification").and_then(|mut it| it.text("code"));
    if name.is_none() {
        problems.add("username or email is required".to_owned());
    }
    problems.or(name.zip(password).map(|(name, password)| ShownLogIn {
        name,
        password,
        verification: verification.filter(|code| !code.is_empty()),
    }))
}

/// Reads the body of `POST /verifications/:code/confirm`: the code of the second factor.
///
/// # Errors
/// If it is missing.
pub fn read_pin(body: &Map<String, Value>) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let pin = fields.object("verification").and_then(|mut it| it.required_text("pin"));
    match pin {
        Some(pin) => Ok(pin),
        None => Err(Problems::one("verification.pin is required")),
    }
}
