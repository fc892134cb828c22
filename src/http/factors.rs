//! The second factor of an account: one-time codes, recovery codes, trusted devices.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};

use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::caller::LoggedIn;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::http::{fresh, recovery};
use ::wire::factor::{self as wire, RecoveryCodes, TotpSecret};
use actors::user::factors::{BeginTotp, ConfirmTotp, ForgetDevice, RemoveFactors, RenewRecovery};
use auth::accounts::LoginAccount;
use auth::logging_in::PasswordVerdict;
use auth::totp;
use domain::factors::SecretHash;
use domain::user::FactorRefusal;

/// `GET /auth/totp`
pub(super) async fn show(app: web::Data<AppState>, LoggedIn(caller): LoggedIn) -> Answer {
    let factors = account(&app, &caller).await?.factors;
    Ok(reply::ok(&wire::state(&factors, app.factor_deadline(caller.user).await?)))
}

/// `POST /auth/totp`
pub(super) async fn begin(app: web::Data<AppState>, LoggedIn(caller): LoggedIn) -> Answer {
    let account = account(&app, &caller).await?;
    if account.factors.is_on() {
        return Err(FactorRefusal::AlreadyOn.into());
    }
    fresh::require(&app, &caller).await?;
    let url = app.instance.public_url();
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    let host = host.trim_end_matches('/');
    let made = totp::new_secret(&app.secrets, caller.user, host, account.email.as_str());
    app.directory.ask(caller.user, BeginTotp { secret: made.sealed }).await?;
    Ok(reply::created(&TotpSecret { secret: made.text, uri: made.uri }))
}

/// `POST /auth/totp/confirm`
pub(super) async fn confirm(
    app: web::Data<AppState>,
    request: HttpRequest,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    let code = wire::read_first_code(&body.fields()?)?;
    let factors = account(&app, &caller).await?.factors;
    if factors.is_on() {
        return Err(FactorRefusal::AlreadyOn.into());
    }
    let secret = factors.pending.ok_or(FactorRefusal::NotBegun)?;
    let attempt = async {
        let now = app.clock.now().wall;
        let step = totp::step_of(&app.secrets, caller.user, &secret, &code, now);
        let verdict = if step.is_some() { PasswordVerdict::Right } else { PasswordVerdict::Wrong };
        Ok::<_, ApiError>((step, verdict))
    };
    let step = app.log_ins.counted(&format!("by token {}", caller.token), None, attempt).await?;
    let step = step.ok_or_else(|| ApiError::new(StatusCode::FORBIDDEN, "the code is wrong"))?;
    let recovery_codes = totp::recovery_codes();
    let recovery = hashes(&recovery_codes);
    let note = recovery::note(&app, &request);
    app.directory.ask(caller.user, ConfirmTotp { secret, step, recovery, note }).await?;
    Ok(reply::ok(&RecoveryCodes { recovery_codes }))
}

/// What is kept of recovery codes.
fn hashes(codes: &[String]) -> Vec<SecretHash> {
    codes.iter().map(|code| totp::secret_hash(code)).collect()
}

/// Checks that the account has a second factor, and the proof that a change of it needs.
async fn confirm_change(app: &AppState, caller: &Caller, body: Body) -> Result<(), ApiError> {
    let account = account(app, caller).await?;
    let body = body.fields()?;
    if !account.factors.is_on() {
        // Says first what is wrong with the body.
        wire::read_factors(&body)?;
        return Err(FactorRefusal::Off.into());
    }
    fresh::confirm_change(app, caller, &account, &body).await
}

/// `DELETE /auth/totp`
pub(super) async fn remove(
    app: web::Data<AppState>,
    request: HttpRequest,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    confirm_change(&app, &caller, body).await?;
    let note = recovery::note(&app, &request);
    app.directory.ask(caller.user, RemoveFactors { note }).await?;
    Ok(reply::ok(&()))
}

/// `POST /auth/totp/recovery-codes`
pub(super) async fn renew(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    confirm_change(&app, &caller, body).await?;
    let recovery_codes = totp::recovery_codes();
    let recovery = hashes(&recovery_codes);
    app.directory.ask(caller.user, RenewRecovery { recovery }).await?;
    Ok(reply::ok(&RecoveryCodes { recovery_codes }))
}

/// `GET /auth/devices`
pub(super) async fn devices(app: web::Data<AppState>, LoggedIn(caller): LoggedIn) -> Answer {
    let factors = account(&app, &caller).await?.factors;
    reply::list(wire::devices(&factors, app.clock.now().wall))
}

/// `DELETE /auth/devices/:id`
pub(super) async fn forget(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    path: web::Path<String>,
) -> Answer {
    let id = path.parse().map_err(|_| FactorRefusal::NoDevice)?;
    app.directory.ask(caller.user, ForgetDevice { id }).await?;
    Ok(reply::ok(&()))
}

/// The account of a caller.
pub(super) async fn account(app: &AppState, caller: &Caller) -> Result<LoginAccount, ApiError> {
    let account = app.directory.context().accounts.own_account(caller.user).await?;
    account.ok_or_else(ApiError::invalid_token)
}
