//! Changes the password, and checks it before an act that requires it.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};

use crate::actors::user::protocol::ChangePassword;
use crate::auth::accounts::LoginAccount;
use crate::auth::keyring::Caller;
use crate::auth::logging_in::{LogInFailure, LogInRefusal};
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::LoggedIn;
use crate::http::client_address::network_of;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use crate::wire::account as wire;

/// `POST /auth/password`
pub(super) async fn change(
    app: web::Data<AppState>,
    request: HttpRequest,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    let (current, new) = wire::read_password_change(&body.fields()?)?;
    let account = confirm(&app, &request, &caller, current).await?;
    let password = app.passwords.hash(new).await?;
    let change = ChangePassword { checked_hash: account.password, password, keep: caller.token };
    app.directory.ask(caller.user, change).await?;
    Ok(reply::ok(&()))
}

/// Checks the password of a caller. A wrong one gives 403, since 401 would tell clients that their
/// token no longer works.
///
/// # Errors
/// If the password is wrong, or too many wrong ones were sent.
pub(super) async fn confirm(
    app: &AppState,
    request: &HttpRequest,
    caller: &Caller,
    password: String,
) -> Result<LoginAccount, ApiError> {
    match app.log_ins.confirm(caller.user, password, network_of(request)).await {
        Err(LogInFailure::Refused(LogInRefusal::Wrong)) => {
            Err(ApiError::new(StatusCode::FORBIDDEN, "the password is wrong"))
        }
        confirmed => Ok(confirmed?),
    }
}
