//! Message requests: the open ones of a caller, accepting and declining.

use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::caller::Caller;
use crate::http::chats::{self, KnownChat};
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use actors::user::message_requests::DecideRequest;
use domain::scopes::Scope;

/// The chats that are open requests to the caller, the newest message first; none if the token does
/// not show chats.
///
/// # Errors
/// If the index or a room cannot be read.
pub(super) async fn open(app: &AppState, caller: Caller) -> Result<Vec<KnownChat>, ApiError> {
    if !caller.scopes.has(Scope::DmsRead) {
        return Ok(Vec::new());
    }
    let accounts = &app.directory.context().accounts;
    let requested = accounts.requested_chats(caller.user).await?;
    if requested.is_empty() {
        return Ok(Vec::new());
    }
    let others = accounts.open_requests(caller.user, requested.clone()).await?;
    chats::known_to(app, caller.user, others, &requested).await
}

/// `POST /chats/:chat_id/approve`: accepts the request of the other user, also one that was declined.
/// A chat that is none stays as it is.
pub(super) async fn accept(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    let (pair, from) = chats::named(&path, caller.user).ok_or_else(chats::no_such_chat)?;
    app.directory.ask(caller.user, DecideRequest { from, accept: true }).await?;
    chats::answer_with(&app, caller.user, pair, dialect).await
}

/// `DELETE /chats/:chat_id`: declines the request of the other user.
pub(super) async fn decline(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let (_, from) = chats::named(&path, caller.user).ok_or_else(chats::no_such_chat)?;
    app.directory.ask(caller.user, DecideRequest { from, accept: false }).await?;
    Ok(reply::ok(&()))
}
