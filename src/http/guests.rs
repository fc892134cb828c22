//! Guests at the doors of the API: what their kind of account may not do, and how a link makes one.

use actix_web::http::StatusCode;

use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use ::wire::user::GroupLink;
use actors::group::protocol::{JoinShared, ViewShared};
use domain::group::{JoinAttempt, Newcomer};
use domain::guests::{self, AccountAct, AccountKind, Guest, GuestRefusal, GuestsOff};
use domain::ids::UserId;
use domain::user::User;

/// The kind of a user's account.
///
/// # Errors
/// If the account is gone, or the index cannot be read.
pub(super) async fn kind_of(app: &AppState, user: UserId) -> Result<AccountKind, ApiError> {
    let row = app.directory.context().accounts.account(user).await?;
    Ok(row.ok_or_else(ApiError::invalid_token)?.profile.kind())
}

/// Allows an act to a user.
///
/// # Errors
/// 403 if the kind of their account does not allow it.
pub(super) async fn permit(app: &AppState, user: UserId, act: AccountAct) -> Result<(), ApiError> {
    Ok(guests::permit(kind_of(app, user).await?, act)?)
}

/// Whether a user finds groups in the directory: there is one, and their kind of account may.
///
/// # Errors
/// If the account is gone, or the index cannot be read.
pub(super) async fn finds_groups(app: &AppState, user: UserId) -> Result<bool, ApiError> {
    if !app.settings().await?.directory.value {
        return Ok(false);
    }
    Ok(guests::may(kind_of(app, user).await?, AccountAct::FindGroups))
}

/// The guest whom a link makes of somebody without an account; `None` if it makes no guests.
///
/// # Errors
/// If nobody can use the link, or the server takes no guests.
pub(super) async fn by_link(app: &AppState, link: &GroupLink) -> Result<Option<Guest>, ApiError> {
    let seen = ViewShared { token: link.token.clone(), viewer: None };
    let guest = app.directory.ask(link.group, seen).await?.guest;
    if guest.is_some() && !app.settings().await?.guests.value {
        return Err(GuestsOff.into());
    }
    Ok(guest)
}

/// Lets a new account into the group whose link it came by. If the group asks a question or is full,
/// the client finds out when it joins itself.
pub(super) async fn let_in(app: &AppState, user: &User, link: GroupLink) {
    let name = user.profile.name.clone();
    let is_guest = user.profile.guest.is_some();
    let newcomer = Newcomer { id: user.id, name, image: None, is_guest };
    let attempt = JoinAttempt::new(link.token, None);
    if let Err(failure) =
        app.directory.ask(link.group, JoinShared { user: newcomer, attempt }).await
    {
        tracing::debug!(
            user.id = %user.id, group.id = %link.group, ?failure,
            "a new account did not join the group of its link; the client may ask again"
        );
    }
}

impl From<GuestRefusal> for ApiError {
    fn from(refusal: GuestRefusal) -> Self {
        Self::new(StatusCode::FORBIDDEN, refusal)
    }
}

impl From<GuestsOff> for ApiError {
    fn from(refusal: GuestsOff) -> Self {
        Self::new(StatusCode::FORBIDDEN, refusal)
    }
}
