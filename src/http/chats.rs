//! Chats (specification, section 4, Chats and direct messages).

use std::convert::Infallible;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::page_bytes::{Fitted, PAGE_BYTES};
use crate::http::reply::{self, Answer};
use ::wire::chat as wire;
use ::wire::fields::{Fields, Problems};
use ::wire::original::OriginalChat;
use actors::ask::Failure;
use actors::chat::protocol::ChatView;
use actors::recent::LoadedMessage;
use auth::accounts::ChatRange;
use domain::ids::{Pair, StreamId, UserId};
use domain::message_requests::{RequestState, RequestedChats};
use domain::time::Timestamp;
use domain::user::Profile;

/// Default number of chats on a page.
const PAGE: usize = 10;
/// Maximum number of chats on a page.
const LARGEST_PAGE: usize = 500;

/// A chat of the caller, with the data that its JSON needs.
pub(super) struct KnownChat {
    /// The two users of the chat.
    pair: Pair,
    /// The chat as its room shows it.
    view: ChatView,
    other: UserId,
    profile: Profile,
    /// Until when the caller muted the chat; may be in the past.
    muted: Option<Timestamp>,
    /// What became of the request with which the other user began the chat.
    request: Option<RequestState>,
}

/// `GET /chats`: without those that are message requests.
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let page = fields.page("page");
    let per_page = fields.page_size("per_page", PAGE, LARGEST_PAGE);
    problems.or(Some(()))?;
    let accounts = &app.directory.context().accounts;
    let requested = accounts.requested_chats(caller.user).await?;
    let stretch = ChatRange { skip: (page - 1).saturating_mul(per_page), most: per_page };
    let others = accounts.chats(caller.user, stretch, requested.clone()).await?;
    let known = known_to(&app, caller.user, others, &requested).await?;
    let pairs = known.iter().map(|chat| chat.pair.into()).collect();
    let unread = accounts.unread(caller.user, pairs).await?;
    let written = |index: usize, chat: &KnownChat, last: &LoadedMessage| {
        let mut resource = resource(&app, chat, last, dialect)?;
        resource.unread_count = unread.get(index).map(|it| it.unread);
        resource.unread_mentions = unread.get(index).map(|it| it.mentions);
        serde_json::to_vec(&resource).map_err(|error| ApiError::fault(&error))
    };
    let whole = |index: usize, chat: &KnownChat| written(index, chat, &chat.view.last);
    let short = |index: usize, chat: &KnownChat| written(index, chat, &chat.view.last.in_short());
    let fitted = Fitted::of(&known, PAGE_BYTES, whole, short)?;
    Ok(reply::raw(StatusCode::OK, |body| fitted.write(body)))
}

/// `GET /chats/:chat_id`: the chat is named by both ids, or by the other user's alone.
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    let (pair, _) = named(&path, caller.user).ok_or_else(no_such_chat)?;
    answer_with(&app, caller.user, pair, dialect).await
}

/// The chat that a path names by both ids or by the other user's alone, and the other user.
pub(super) fn named(path: &str, user: UserId) -> Option<(Pair, UserId)> {
    let named = path.parse::<Pair>().ok();
    let pair = named.or_else(|| Pair::of(user, path.parse().ok()?))?;
    Some((pair, pair.other(user)?))
}

/// The refusal of a chat that does not exist, or is of others.
pub(super) fn no_such_chat() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "there is no such chat")
}

/// Answers with a chat of a user.
///
/// # Errors
/// If it has no message.
pub(super) async fn answer_with(
    app: &AppState,
    user: UserId,
    pair: Pair,
    dialect: Dialect,
) -> Answer {
    let other = pair.other(user).ok_or_else(no_such_chat)?;
    let accounts = &app.directory.context().accounts;
    let view = app.directory.chats(user, &[pair]).await.map_err(Failure::<Infallible>::Fault)?;
    let view = view.into_iter().flatten().next().ok_or_else(no_such_chat)?;
    let profile = accounts.profile(other).await?.ok_or_else(no_such_chat)?;
    let unread = accounts.unread(user, vec![pair.into()]).await?;
    let muted = accounts.notices(user, pair.into()).await?.muted;
    let request = accounts.requested_chats(user).await?.state(StreamId::Chat(pair));
    let chat = KnownChat { pair, view, other, profile, muted, request };
    let mut resource = resource(app, &chat, &chat.view.last, dialect)?;
    resource.unread_count = unread.first().map(|it| it.unread);
    resource.unread_mentions = unread.first().map(|it| it.mentions);
    reply::of(StatusCode::OK, &resource)
}

/// Reads chats of a user with these others, the one with the newest message first.
///
/// # Errors
/// If the index or a room cannot be read.
pub(super) async fn known_to(
    app: &AppState,
    user: UserId,
    others: Vec<(UserId, Profile)>,
    requested: &RequestedChats,
) -> Result<Vec<KnownChat>, ApiError> {
    let accounts = &app.directory.context().accounts;
    let others = others
        .into_iter()
        .filter_map(|(other, profile)| Pair::of(user, other).map(|pair| (pair, (other, profile))));
    let (pairs, others): (Vec<_>, Vec<_>) = others.unzip();
    let views = app.directory.chats(user, &pairs).await;
    let views = views.map_err(Failure::<Infallible>::Fault)?;
    let muted = accounts.conversation_mutes(user).await?;
    let known = pairs.into_iter().zip(others).zip(views);
    let mut known: Vec<KnownChat> = known
        .filter_map(|((pair, (other, profile)), view)| {
            let muted = muted.until(StreamId::Chat(pair));
            let request = requested.state(StreamId::Chat(pair));
            view.map(|view| KnownChat { pair, view, other, profile, muted, request })
        })
        .collect();
    // A message may have arrived since the list was read.
    known.sort_by_key(|chat| std::cmp::Reverse(chat.view.last.message.id));
    Ok(known)
}

/// Builds the JSON of a chat, with its newest message.
pub(super) fn whole(
    app: &AppState,
    chat: &KnownChat,
    dialect: Dialect,
) -> Result<wire::ChatJson, ApiError> {
    resource(app, chat, &chat.view.last, dialect)
}

/// Builds the JSON of a chat, with the given form of its newest message.
fn resource(
    app: &AppState,
    chat: &KnownChat,
    last: &LoadedMessage,
    dialect: Dialect,
) -> Result<wire::ChatJson, ApiError> {
    let view = &chat.view;
    let log = wire::ChatSummary {
        created_at: view.created_at.seconds(),
        updated_at: view.last.message.created_at(),
        count: view.count,
        last: dialect.message(last, chat.pair, &app.instance),
        muted: chat.muted.filter(|until| app.clock.now().wall < *until),
        request: chat.request,
    };
    let other = (chat.other, dialect.other_user_id());
    let mut shown = wire::resource(log, other, &chat.profile, &app.instance);
    shown.original = dialect.original(|| OriginalChat::of(chat.request));
    Ok(shown)
}
