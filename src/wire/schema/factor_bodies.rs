//! JSON Schemas of the request bodies about the second factor, passkeys and fresh proof.

use serde_json::{Value, json};

use crate::schema::bodies::{any_of, required};
use crate::schema::{Field, flag, named, object, some_text, some_words, text, with_optional};
use domain::passkeys::PASSKEY_NAME_CHARS;

/// The fields of which one has a code of the second factor.
fn factor() -> [Field; 2] {
    [
        ("totp", some_text("A one-time code: six digits.")),
        ("recovery", some_text("A recovery code, in place of the one-time code.")),
    ]
}

/// `POST /auth/login/verify`
pub fn verification() -> Value {
    let [totp, recovery] = factor();
    let trust = ("trust", flag("Whether later log-ins on this device need no second factor."));
    let body = required([("code", text("The code of the log-in that waits."))]);
    let body = with_optional(body, [totp, recovery, passkey(), trust]);
    named("LogInVerification", any_of(body, &["totp", "recovery", "passkey"]))
}

/// `POST /auth/fresh`
pub fn proof() -> Value {
    let [totp, recovery] = factor();
    let password = ("password", some_text("Your current password."));
    let body = with_optional(object([]), [password, totp, recovery, passkey()]);
    named("FreshProof", any_of(body, &["password", "totp", "recovery", "passkey"]))
}

fn state() -> Field {
    ("state", text("The state of the ceremony, from `start`."))
}

fn credential(kind: &str) -> Field {
    let what = format!("The response of the authenticator: `{kind}` of WebAuthn.");
    ("credential", json!({"type": "object", "description": what}))
}

/// A passkey in place of a code.
fn passkey() -> Field {
    ("passkey", passkey_log_in())
}

/// `POST /auth/passkeys/login/finish`
pub fn passkey_log_in() -> Value {
    named("PasskeyLogIn", required([state(), credential("AuthenticationResponseJSON")]))
}

fn passkey_name() -> Field {
    ("name", some_words("The name that you give the passkey.", PASSKEY_NAME_CHARS))
}

/// `POST /auth/passkeys/register/finish`
pub fn new_passkey() -> Value {
    let credential = credential("RegistrationResponseJSON");
    named("NewPasskey", required([state(), credential, passkey_name()]))
}

/// `PATCH /auth/passkeys/{passkey_id}`
pub fn passkey_rename() -> Value {
    named("PasskeyName", required([passkey_name()]))
}

/// `POST /auth/passkeys/register/start` and `DELETE /auth/passkeys/{passkey_id}`
pub fn factor_change() -> Value {
    let [totp, recovery] = factor();
    let password = ("password", some_text("Your current password."));
    named("FactorChange", with_optional(object([]), [password, totp, recovery, passkey()]))
}

/// `POST /auth/oidc/finish`
pub fn arrival() -> Value {
    let [totp, recovery] = factor();
    let password = ("password", some_text("The password of the account to link."));
    let body = required([("code", text("The code in the fragment of the page."))]);
    named("ProviderLogIn", with_optional(body, [password, totp, recovery]))
}

/// `POST /auth/totp/confirm`
pub fn first_code() -> Value {
    named("FirstCode", required([("code", text("The first one-time code: six digits."))]))
}

/// `DELETE /auth/totp`
pub fn factor_removal() -> Value {
    let [totp, recovery] = factor();
    let password = ("password", some_text("Your current password."));
    let mut body = with_optional(object([]), [password, totp, recovery, passkey()]);
    body["anyOf"] = json!([
        {"required": ["password", "totp"]},
        {"required": ["password", "recovery"]},
        {"required": ["passkey"]},
    ]);
    named("FactorRemoval", body)
}
