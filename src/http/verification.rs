//! Log-ins that wait for the second factor: they begin with a right password at any door, and end
//! with a one-time code, a recovery code or a passkey.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;

use crate::http::app_state::AppState;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use actors::user::factors::{BeginVerification, Verify};
use auth::accounts::LoginAccount;
use auth::logging_in::PasswordVerdict;
use auth::passkeys::Assertion;
use auth::totp;
use domain::canonical::contacts;
use domain::factors::FactorProof;
use domain::time::Timestamp;
use domain::user::{FactorRefusal, VerificationOutcome, VerificationUse};
use wire::factor::{FactorRequired, ShownSecret, WaitingLogIn};
use wire::passkey::ShownPasskey;

/// Begins a log-in that waits, and returns its code and its end.
pub(super) async fn begin(
    app: &AppState,
    account: &LoginAccount,
) -> Result<(String, Timestamp), ApiError> {
    let code = totp::verification_code(account.user);
    let hash = totp::secret_hash(&code);
    let password = account.password.clone();
    let begun = app.directory.ask(account.user, BeginVerification { hash, password }).await;
    Ok((code, begun?))
}

/// 202: the log-in needs the second factor.
pub(super) async fn challenge(app: &AppState, account: &LoginAccount) -> Answer {
    let (code, end) = begin(app, account).await?;
    let has_passkey = app.passkeys.is_on() && !account.factors.passkeys.is_empty();
    let methods =
        ["totp", "recovery"].into_iter().chain(has_passkey.then_some("passkey")).collect();
    let verification = WaitingLogIn { code, methods, expires_at: end.seconds() };
    reply::of(StatusCode::ACCEPTED, &FactorRequired { verification })
}

/// What somebody shows, after the cryptography.
pub(super) fn proof(
    app: &AppState,
    account: &LoginAccount,
    shown: &ShownSecret,
    now: Timestamp,
) -> FactorProof {
    let LoginAccount { user, factors, .. } = account;
    match shown {
        ShownSecret::Typed(typed) => totp::proof(&app.secrets, *user, factors, typed, now),
        ShownSecret::Passkey(ShownPasskey { state, credential }) => {
            let used = Assertion::read(credential).and_then(|assertion| {
                app.passkeys.check(*user, &factors.passkeys, state, &assertion)
            });
            used.map_or_else(
                |fault| {
                    tracing::debug!(user.id = %user, %fault, "refused a passkey");
                    FactorProof::Wrong
                },
                FactorProof::Passkey,
            )
        }
    }
}

/// The result of a code for a log-in that waits.
pub(super) enum CheckedFactor {
    /// The code is right. The account has the password hash that the log-in was begun with.
    Passed(Box<LoginAccount>),
    /// The code is wrong, and so many may still be tried.
    Wrong(u32),
}

/// Checks a code for a log-in that waits. It counts like a password of the account.
pub(super) async fn check(
    app: &AppState,
    request: &HttpRequest,
    code: &str,
    shown: &ShownSecret,
    then: VerificationUse,
) -> Result<CheckedFactor, ApiError> {
    let user = totp::verification_user(code).ok_or(FactorRefusal::Expired)?;
    let hash = totp::secret_hash(code);
    let accounts = &app.directory.context().accounts;
    let account = accounts.own_account(user).await?.ok_or(FactorRefusal::Expired)?;
    let waits = account.factors.verification(&hash, app.clock.now().wall);
    waits.ok_or(FactorRefusal::Expired)?;
    let key = contacts::email_key(account.email.as_str());
    let attempt = async {
        let now = app.clock.now().wall;
        let proof = proof(app, &account, shown, now);
        let outcome = app.directory.ask(user, Verify { hash, proof, then }).await?;
        Ok::<_, ApiError>(match outcome {
            VerificationOutcome::Passed { password } => (Ok(password), PasswordVerdict::Right),
            VerificationOutcome::Wrong { tries_left } => (Err(tries_left), PasswordVerdict::Wrong),
        })
    };
    Ok(match app.log_ins.counted(&key, network_of(request), attempt).await? {
        Ok(password) => CheckedFactor::Passed(Box::new(LoginAccount { password, ..account })),
        Err(tries_left) => {
            app.counts.login_failed();
            CheckedFactor::Wrong(tries_left)
        }
    })
}
