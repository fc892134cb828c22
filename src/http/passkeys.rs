//! Passkeys: adding and removing them, and log-ins with them.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};
use serde_json::{Map, Value};

use crate::http::app_state::AppState;
use crate::http::audit;
use crate::http::auth::{issue_token, welcome};
use crate::http::body::Body;
use crate::http::caller::{Caller, LoggedIn};
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::factors::account;
use crate::http::reply::{self, Answer};
use crate::http::{fresh, recovery};
use ::wire::passkey::{self as wire, PasskeyCeremony, ShownPasskey};
use actors::ask::Failure;
use actors::user::factors::{AddPasskey, LogInByPasskey, RemovePasskey, RenamePasskey};
use auth::accounts::LoginAccount;
use auth::logging_in::PasswordVerdict;
use auth::passkeys::{Assertion, Ceremony, OwnerNames, PasskeyFault, PasskeyOwner};
use domain::user::FactorRefusal;

impl From<PasskeyFault> for ApiError {
    fn from(fault: PasskeyFault) -> Self {
        let status = match fault {
            PasskeyFault::Off => StatusCode::NOT_FOUND,
            PasskeyFault::Unreadable(_) => StatusCode::BAD_REQUEST,
            PasskeyFault::Expired | PasskeyFault::Wrong(_) => StatusCode::FORBIDDEN,
        };
        Self::new(status, fault)
    }
}

fn ceremony(begun: Ceremony) -> Answer {
    Ok(reply::ok(&PasskeyCeremony { state: begun.state, options: begun.options }))
}

fn owner(caller: &Caller) -> PasskeyOwner {
    PasskeyOwner { user: caller.user, token: caller.token }
}

/// `POST /auth/passkeys/register/start`
pub(super) async fn begin_registration(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    let account = account(&app, &caller).await?;
    fresh::confirm_change(&app, &caller, &account, &body.fields()?).await?;
    let names = OwnerNames { email: account.email.as_str(), name: account.name.as_str() };
    let known = &account.factors.passkeys;
    ceremony(app.passkeys.begin_registration(owner(&caller), names, known)?)
}

/// `POST /auth/passkeys/register/finish`
pub(super) async fn finish_registration(
    app: web::Data<AppState>,
    request: HttpRequest,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    let new = wire::read_new(&body.fields()?)?;
    let ShownPasskey { state, credential } = &new.shown;
    let passkey = app.passkeys.finish_registration(owner(&caller), state, credential, new.name)?;
    let shown = wire::resource(&passkey);
    let note = recovery::note(&app, &request);
    app.directory.ask(caller.user, AddPasskey { passkey, note }).await?;
    Ok(reply::created(&shown))
}

/// `GET /auth/passkeys`
pub(super) async fn list(app: web::Data<AppState>, LoggedIn(caller): LoggedIn) -> Answer {
    let account = account(&app, &caller).await?;
    reply::list(account.factors.passkeys.list.iter().map(wire::resource).collect::<Vec<_>>())
}

/// `GET /auth/passkeys/:id`
pub(super) async fn show(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    path: web::Path<String>,
) -> Answer {
    let id = path.parse().map_err(|_| FactorRefusal::NoPasskey)?;
    let account = account(&app, &caller).await?;
    let passkey = account.factors.passkeys.get(id).ok_or(FactorRefusal::NoPasskey)?;
    Ok(reply::ok(&wire::resource(passkey)))
}

/// `PATCH /auth/passkeys/:id`
pub(super) async fn rename(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let name = wire::read_name(&body.fields()?)?;
    let id = path.parse().map_err(|_| FactorRefusal::NoPasskey)?;
    app.directory.ask(caller.user, RenamePasskey { id, name }).await?;
    Ok(reply::ok(&()))
}

/// `DELETE /auth/passkeys/:id`
pub(super) async fn remove(
    app: web::Data<AppState>,
    request: HttpRequest,
    LoggedIn(caller): LoggedIn,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = path.parse().map_err(|_| FactorRefusal::NoPasskey)?;
    let account = account(&app, &caller).await?;
    account.factors.passkeys.get(id).ok_or(FactorRefusal::NoPasskey)?;
    fresh::confirm_change(&app, &caller, &account, &body.fields()?).await?;
    let note = recovery::note(&app, &request);
    app.directory.ask(caller.user, RemovePasskey { id, note }).await?;
    Ok(reply::ok(&()))
}

/// `POST /auth/passkeys/login/start`
pub(super) async fn begin_log_in(app: web::Data<AppState>) -> Answer {
    ceremony(app.passkeys.begin_log_in()?)
}

/// `POST /auth/passkeys/login/finish`
pub(super) async fn finish_log_in(
    app: web::Data<AppState>,
    request: HttpRequest,
    body: Body,
) -> Answer {
    let account = log_in(&app, &request, &body.fields()?).await?;
    let (user, token) = issue_token(&app, &request, account).await?;
    Ok(reply::ok(&welcome(&app, &user, &token)))
}

/// The account of a passkey that somebody shows to log in.
///
/// # Errors
/// 401 if it is not accepted, and 429 if too many were not.
pub(super) async fn log_in(
    app: &AppState,
    request: &HttpRequest,
    fields: &Map<String, Value>,
) -> Result<LoginAccount, ApiError> {
    let shown = wire::read_log_in(fields)?;
    let assertion = Assertion::read(&shown.credential)?;
    let attempt = async {
        Ok::<_, ApiError>(match checked(app, &shown.state, &assertion).await? {
            Some(account) => (Some(account), PasswordVerdict::Right),
            None => (None, PasswordVerdict::Wrong),
        })
    };
    // Counted for the credential: strangers, who do not know its id, cannot lock its user out.
    let key = format!("by passkey {}", assertion.credential());
    if let Some(account) = app.log_ins.counted(&key, network_of(request), attempt).await? {
        return Ok(account);
    }
    audit::refused_passkey(app, request, assertion.user()).await;
    let reason = "this passkey is not accepted; try again, or log in with your password";
    Err(ApiError::new(StatusCode::UNAUTHORIZED, reason))
}

/// The account of a passkey, if its signature is right and counts.
async fn checked(
    app: &AppState,
    state: &str,
    assertion: &Assertion,
) -> Result<Option<LoginAccount>, ApiError> {
    let user = assertion.user();
    let account = app.directory.context().accounts.own_account(user).await?;
    let Some(account) = account else { return Ok(None) };
    let known = &account.factors.passkeys;
    let used = match app.passkeys.check(user, known, state, assertion) {
        Ok(used) => used,
        Err(PasskeyFault::Off) => return Err(PasskeyFault::Off.into()),
        Err(fault) => {
            tracing::debug!(user.id = %user, %fault, "refused a passkey");
            return Ok(None);
        }
    };
    match app.directory.ask(user, LogInByPasskey { used }).await {
        Ok(password) => Ok(Some(LoginAccount { password, ..account })),
        Err(Failure::Refused(FactorRefusal::PasskeyWrong | FactorRefusal::Unknown)) => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}
