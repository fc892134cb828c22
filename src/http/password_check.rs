//! Checks the password of a caller before an act that requires it.

use actix_web::http::StatusCode;

use crate::http::app_state::AppState;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use auth::accounts::LoginAccount;
use auth::logging_in::{LogInFailure, LogInRefusal};

/// Checks the password of a caller. A wrong one gives 403, since 401 would tell clients that their
/// token no longer works.
///
/// # Errors
/// If the password is wrong, or too many wrong ones were sent.
pub(super) async fn confirm(
    app: &AppState,
    caller: &Caller,
    password: String,
) -> Result<LoginAccount, ApiError> {
    match app.log_ins.confirm(caller.user, caller.token, password).await {
        Err(LogInFailure::Refused(LogInRefusal::Wrong)) => {
            Err(ApiError::new(StatusCode::FORBIDDEN, "the password is wrong"))
        }
        confirmed => Ok(confirmed?),
    }
}
