//! Fresh proof: some acts need that the user of a token showed who they are in the last ten minutes.

use actix_web::http::StatusCode;
use actix_web::web;
use serde_json::{Map, Value};

use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::caller::LoggedIn;
use crate::http::error::ApiError;
use crate::http::password_check;
use crate::http::reply::{self, Answer};
use crate::http::verification::proof;
use ::wire::factor::{self as wire, ShownFactors, ShownProof, ShownSecret};
use actors::user::factors::{Prove, UseFactor};
use auth::accounts::LoginAccount;
use auth::logging_in::PasswordVerdict;
use domain::factors::FactorProof;
use domain::limits::FRESH_MILLIS;
use domain::user::FactorRefusal;

/// `POST /auth/fresh`
pub(super) async fn prove(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    match wire::read_proof(&body.fields()?)? {
        ShownProof::Password(shown) => drop(password_check::confirm(&app, &caller, shown).await?),
        ShownProof::Factor(shown) => use_factor(&app, &caller, &shown, FactorNeed::Any).await?,
    }
    app.directory.ask(caller.user, Prove { token: caller.token }).await?;
    Ok(reply::ok(&()))
}

/// Whether the caller logged in, or showed who they are, in the last ten minutes.
pub(super) async fn is_fresh(app: &AppState, caller: &Caller) -> Result<bool, ApiError> {
    let accounts = &app.directory.context().accounts;
    let now = app.clock.now().wall;
    let tokens = accounts.tokens(caller.user).await?;
    let is_new = tokens
        .iter()
        .any(|token| token.id == caller.token && now < token.created_at.plus_millis(FRESH_MILLIS));
    if is_new && caller.client.is_none() {
        return Ok(true);
    }
    let account = accounts.own_account(caller.user).await?.ok_or_else(ApiError::invalid_token)?;
    Ok(account.factors.is_proved(caller.token, now))
}

/// Refuses a caller who did not show who they are in the last ten minutes.
pub(super) async fn require(app: &AppState, caller: &Caller) -> Result<(), ApiError> {
    if is_fresh(app, caller).await? {
        return Ok(());
    }
    let reason = "this needs a log-in or a proof of the last 10 minutes: POST /auth/fresh";
    Err(ApiError::new(StatusCode::FORBIDDEN, reason).needs("fresh"))
}

/// Checks the password of a caller before an act that requires it. A caller whose account has no
/// password needs a fresh proof instead, and the text does not count.
///
/// # Errors
/// If the password is wrong, too many wrong ones were sent, or there is no fresh proof.
pub(super) async fn confirm_owner(
    app: &AppState,
    caller: &Caller,
    password: String,
) -> Result<LoginAccount, ApiError> {
    let account = app.directory.context().accounts.own_account(caller.user).await?;
    let account = account.ok_or_else(ApiError::invalid_token)?;
    if account.identities.has_no_password {
        require(app, caller).await?;
        return Ok(account);
    }
    password_check::confirm(app, caller, password).await
}

/// Checks, before a change of the factors, both factors of a caller who has two: the password and a
/// code, or a passkey that verified its user. Others need a fresh proof.
///
/// # Errors
/// If one of them is missing or wrong, too many wrong ones were sent, or there is no fresh proof.
pub(super) async fn confirm_change(
    app: &AppState,
    caller: &Caller,
    account: &LoginAccount,
    body: &Map<String, Value>,
) -> Result<(), ApiError> {
    if !account.factors.is_on() {
        wire::check_factors(body)?;
        return require(app, caller).await;
    }
    match wire::read_factors(body)? {
        ShownFactors::Both { password, typed } => {
            confirm_owner(app, caller, password).await?;
            use_factor(app, caller, &ShownSecret::Typed(typed), FactorNeed::Any).await
        }
        ShownFactors::Passkey(shown) => {
            use_factor(app, caller, &ShownSecret::Passkey(shown), FactorNeed::Verified).await
        }
    }
}

/// What a factor must show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FactorNeed {
    /// It is one factor of two.
    Any,
    /// It is a passkey that stands for both.
    Verified,
}

/// Uses up a one-time code, a recovery code or a passkey of the caller. It counts like a password that a caller
/// sends, per token. A wrong one gives 403, since 401 would tell clients that their token ended.
pub(super) async fn use_factor(
    app: &AppState,
    caller: &Caller,
    shown: &ShownSecret,
    need: FactorNeed,
) -> Result<(), ApiError> {
    let attempt = async {
        let accounts = &app.directory.context().accounts;
        let account = accounts.own_account(caller.user).await?;
        let account = account.ok_or_else(ApiError::invalid_token)?;
        let now = app.clock.now().wall;
        let proof = proof(app, &account, shown, now);
        let is_unverified = matches!(&proof, FactorProof::Passkey(used) if !used.is_verified);
        if is_unverified && need == FactorNeed::Verified {
            return Err(ApiError::from(FactorRefusal::Unverified));
        }
        let is_right = app.directory.ask(caller.user, UseFactor { proof }).await?;
        let verdict = if is_right { PasswordVerdict::Right } else { PasswordVerdict::Wrong };
        Ok::<_, ApiError>((is_right, verdict))
    };
    match app.log_ins.counted(&format!("by token {}", caller.token), None, attempt).await? {
        true => Ok(()),
        false => Err(ApiError::new(
            StatusCode::FORBIDDEN,
            match shown {
                ShownSecret::Typed(_) => "the code is wrong",
                ShownSecret::Passkey(_) => "this passkey is not accepted; try again",
            },
        )),
    }
}
