//! Log-in with the second factor, in the words of clients of the original service.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::http::app_state::AppState;
use crate::http::auth::issue_token;
use crate::http::body::Body;
use crate::http::caller::LoggedIn;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::http::verification::{self, CheckedFactor};
use crate::http::{audit, factors, password_login};
use ::wire::factor::ShownSecret;
use ::wire::original_login::{
    self as wire, ConfirmedPin, InitiatedVerification, OriginalChallenge, OriginalLogIn,
    VerificationState, WrongPin,
};
use actors::user::factors::FinishVerification;
use auth::totp;
use domain::user::{FactorRefusal, VerificationUse};

/// The code in `meta` of a log-in that needs the second factor.
const CHALLENGED: u32 = 20_200;

/// `POST /access_tokens`
pub(super) async fn log_in(app: web::Data<AppState>, request: HttpRequest, body: Body) -> Answer {
    let shown = wire::read_log_in(&body.fields()?)?;
    let network = network_of(&request);
    let checked = app.log_ins.check(&shown.name, shown.password, None, network).await;
    audit::checked(&app, &request, &shown.name, &checked).await;
    let account = checked?;
    password_login::permit(&app, &account).await?;
    if account.needs_factor {
        let Some(code) = shown.verification else {
            let (code, _) = verification::begin(&app, &account).await?;
            let payload = OriginalChallenge::of(code);
            let answer = reply::payload_with_code(StatusCode::ACCEPTED, CHALLENGED, &payload);
            return Ok(reply::of_rendered(answer));
        };
        if totp::verification_user(&code) != Some(account.user) {
            return Err(FactorRefusal::Expired.into());
        }
        let finish = FinishVerification { hash: totp::secret_hash(&code), device: None };
        app.directory.ask(account.user, finish).await?;
    }
    let (user, token) = issue_token(&app, &request, account).await?;
    let expires_at = app.token_seconds.map(|seconds| app.clock.now().wall.seconds() + seconds);
    let answer = OriginalLogIn::of(&user, token.reveal(), expires_at, &app.instance);
    Ok(reply::created(&answer))
}

/// `GET /verifications/:code`
pub(super) async fn show(app: web::Data<AppState>, path: web::Path<String>) -> Answer {
    let is_passed = state(&app, &path).await?;
    Ok(reply::ok(&VerificationState::of(path.into_inner(), is_passed)))
}

/// `POST /verifications/:code/initiate`
pub(super) async fn initiate(app: web::Data<AppState>, path: web::Path<String>) -> Answer {
    state(&app, &path).await?;
    Ok(reply::ok(&InitiatedVerification::by_application()))
}

/// `POST /verifications/:code/confirm`
pub(super) async fn confirm(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let pin = ShownSecret::Typed(wire::read_pin(&body.fields()?)?);
    state(&app, &path).await?;
    match verification::check(&app, &request, &path, &pin, VerificationUse::Keep).await? {
        CheckedFactor::Passed(_) => Ok(reply::ok(&ConfirmedPin::accepted())),
        CheckedFactor::Wrong(remaining_attempts) => {
            let wrong = WrongPin::of(remaining_attempts);
            Ok(HttpResponse::BadRequest().json(wrong))
        }
    }
}

/// `GET /user/mfa`
pub(super) async fn mfa(app: web::Data<AppState>, LoggedIn(caller): LoggedIn) -> Answer {
    let account = factors::account(&app, &caller).await?;
    Ok(reply::ok(&wire::own_factor(&account.factors)))
}

/// Whether the factor of a log-in that waits passed already.
async fn state(app: &AppState, code: &str) -> Result<bool, ApiError> {
    let unknown = || ApiError::new(StatusCode::NOT_FOUND, "there is no such verification");
    let user = totp::verification_user(code).ok_or_else(unknown)?;
    let account = app.directory.context().accounts.own_account(user).await?;
    let now = app.clock.now().wall;
    let hash = totp::secret_hash(code);
    let waits = account.as_ref().and_then(|it| it.factors.verification(&hash, now));
    waits.map(|it| it.is_passed).ok_or_else(unknown)
}
