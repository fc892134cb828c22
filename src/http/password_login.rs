//! Whether an account may log in with its password: a setting of the installation.

use actix_web::http::StatusCode;

use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use auth::accounts::LoginAccount;
use domain::instance::{NewSetting, PasswordLogin};

/// Checks that an account whose password was right may log in with it.
///
/// # Errors
/// 403 if it may not.
pub(super) async fn permit(app: &AppState, account: &LoginAccount) -> Result<(), ApiError> {
    let mode = app.settings().await?.password_login.value;
    let role = app.operators.role_of(account.user).await?;
    match mode.permits(role, account.recovered_by_operator, app.clock.now().wall) {
        true => Ok(()),
        false => Err(refusal(app)),
    }
}

/// Checks that a new account may have a password.
///
/// # Errors
/// 403 if only operators, or nobody, may log in with one.
pub(super) async fn permit_new(app: &AppState) -> Result<(), ApiError> {
    match app.settings().await?.password_login.value {
        PasswordLogin::On => Ok(()),
        PasswordLogin::Operators | PasswordLogin::Off => Err(refusal(app)),
    }
}

fn refusal(app: &AppState) -> ApiError {
    let name = app.oidc.provider.as_ref().map(|provider| provider.settings.name.as_str());
    let by = name.map_or_else(|| "a passkey".to_owned(), |name| format!("{name} or a passkey"));
    let reason = format!("this server takes no password of this account; log in with {by}");
    ApiError::new(StatusCode::FORBIDDEN, reason).needs("provider")
}

/// Checks that people can still log in after a change of the settings.
///
/// # Errors
/// 409 if passwords would be refused and no provider is configured.
pub(super) fn check_change(app: &AppState, new: &[NewSetting]) -> Result<(), ApiError> {
    let limits = new.iter().any(|setting| {
        matches!(
            setting,
            NewSetting::PasswordLogin(Some(PasswordLogin::Operators | PasswordLogin::Off))
        )
    });
    if !limits || app.oidc.provider.is_some() {
        return Ok(());
    }
    let reason = "password_login: no provider is configured with which people log in \
                  (--oidc-issuer)";
    Err(ApiError::new(StatusCode::CONFLICT, reason))
}
