//! Deletes an account. The deletion is one fact of the user's room; the reconciler does what
//! follows from it in groups.

use actix_web::http::StatusCode;
use actix_web::web;
use serde_json::Value;

use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::LoggedIn;
use crate::http::error::ApiError;
use crate::http::fresh;
use crate::http::reply::{self, Answer};
use ::wire::account as wire;
use actors::user::protocol::DeleteUser;
use domain::ids::{GroupId, UserId};

/// `DELETE /auth/account`
pub(super) async fn delete(
    app: web::Data<AppState>,
    LoggedIn(caller): LoggedIn,
    body: Body,
) -> Answer {
    let shown = wire::read_password(&body.fields()?)?;
    let account = fresh::confirm_owner(&app, &caller, shown).await?;
    refuse_owner(&app, caller.user).await?;
    let turn = app.operators.begin_without(caller.user).await?;
    // The reconciler deals with groups and bots, even if this request is dropped now.
    app.directory.ask(caller.user, DeleteUser { checked_hash: account.password }).await?;
    drop(turn);
    app.reconciler.settled(caller.user).await;
    Ok(reply::ok(&Value::Null))
}

/// Refuses an owner of groups, since a group must not be left without its owner.
async fn refuse_owner(app: &AppState, user: UserId) -> Result<(), ApiError> {
    let owned = app.directory.context().accounts.owned_groups(user).await?;
    if owned.is_empty() {
        return Ok(());
    }
    let reason = |(id, name): &(GroupId, String)| {
        format!("you own the group {name} ({id}): hand it over or destroy it first")
    };
    Err(ApiError::listing(StatusCode::CONFLICT, owned.iter().map(reason).collect()))
}
