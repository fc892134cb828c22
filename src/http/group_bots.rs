//! The bots of a group, for its members: which there are, and removing one.

use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::groups::group_id;
use crate::http::reply::{self, Answer};
use ::wire::group_bot as wire;
use actors::group::bots::RemoveBotByNumber;
use domain::group::{BotRefusal, Maker};

/// `GET /groups/:group_id/bots`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let group = group_id(&path)?;
    let bots = app.directory.context().accounts.bots_in_group(group, caller.user).await?;
    let bots = bots.ok_or_else(ApiError::no_such_group)?;
    Ok(reply::ok(&wire::listed(&bots, &app.instance)))
}

/// `DELETE /groups/:group_id/bots/:sender_id`
pub(super) async fn remove(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, number) = path.into_inner();
    let group = group_id(&group)?;
    let number = number.parse().map_err(|_| BotRefusal::NoBot)?;
    let by = Maker { user: caller.user, client: caller.client };
    app.directory.ask(group, RemoveBotByNumber { by, number }).await?;
    Ok(reply::ok(&()))
}
