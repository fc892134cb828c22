//! Message requests: the open ones of a caller, accepting and declining.

use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::caller::Caller;
use crate::http::chats::{self, KnownChat};
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use actors::user::message_requests::DecideRequest;
use domain::ids::UserId;
use domain::message_requests::RequestedChats;
use domain::scopes::Scope;
use domain::user::Profile;

/// The chats that are open requests to the caller, the newest message first; none if the token does
/// not show chats.
///
/// # Errors
/// If the index or a room cannot be read.
pub(super) async fn open(app: &AppState, caller: Caller) -> Result<Vec<KnownChat>, ApiError> {
    let (others, requested) = senders(app, caller).await?;
    chats::known_to(app, caller.user, others, &requested).await
}

/// The number of chats that are open requests to the caller, for which no room is asked.
///
/// # Errors
/// If the index cannot be read.
pub(super) async fn count(app: &AppState, caller: Caller) -> Result<u64, ApiError> {
    Ok(senders(app, caller).await?.0.len() as u64)
}

/// The senders of the open requests to the caller, and all requested chats; none if the token does not
/// show chats.
async fn senders(
    app: &AppState,
    caller: Caller,
) -> Result<(Vec<(UserId, Profile)>, RequestedChats), ApiError> {
    if !caller.scopes.has(Scope::DmsRead) {
        return Ok(Default::default());
    }
    let accounts = &app.directory.context().accounts;
    let requested = accounts.requested_chats(caller.user).await?;
    if requested.is_empty() {
        return Ok(Default::default());
    }
    let senders = accounts.open_requests(caller.user, requested.clone()).await?;
    Ok((senders, requested))
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
