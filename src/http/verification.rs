//! Log-ins that wait for the second factor: they begin with a right password at any door, and end
//! with a one-time code or a recovery code.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;

use crate::http::app_state::AppState;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use actors::user::factors::{BeginVerification, Verify};
use auth::accounts::LoginAccount;
use auth::attempts::PasswordVerdict;
use auth::totp;
use domain::canonical::contacts;
use domain::time::Timestamp;
use domain::user::{FactorRefusal, VerificationOutcome, VerificationUse};
use wire::factor::{FactorRequired, WaitingLogIn};

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
    let methods = vec!["totp", "recovery"];
    let verification = WaitingLogIn { code, methods, expires_at: end.seconds() };
    reply::of(StatusCode::ACCEPTED, &FactorRequired { verification })
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
    typed: &str,
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
        let proof = totp::proof(&app.secrets, user, &account.factors, typed, now);
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
