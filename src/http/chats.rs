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
use domain::ids::{Pair, StreamId, UserId};
use domain::time::Timestamp;
use domain::user::Profile;

/// Default number of chats on a page.
const PAGE: usize = 10;
/// Maximum number of chats on a page.
const LARGEST_PAGE: usize = 500;

/// A range of a user's chats, counted from the one with the newest message.
#[derive(Debug, Clone, Copy)]
struct ChatRange {
    /// Number of chats to skip.
    skip: usize,
    /// Maximum number of chats.
    most: usize,
}

/// A chat of the caller, with the data that its JSON needs.
struct KnownChat {
    /// The two users of the chat.
    pair: Pair,
    /// The chat as its room shows it.
    view: ChatView,
    other: UserId,
    profile: Profile,
    /// Until when the caller muted the chat; may be in the past.
    muted: Option<Timestamp>,
}

/// `GET /chats`
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
    let stretch = ChatRange { skip: (page - 1).saturating_mul(per_page), most: per_page };
    let known = known_to(&app, caller.user, stretch).await?;
    let pairs = known.iter().map(|chat| chat.pair.into()).collect();
    let unread = app.directory.context().accounts.unread(caller.user, pairs).await?;
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
    let none = || ApiError::new(StatusCode::NOT_FOUND, "there is no such chat");
    let named = path.parse::<Pair>().ok();
    let pair = named.or_else(|| Pair::of(caller.user, path.parse().ok()?)).ok_or_else(none)?;
    let other = pair.other(caller.user).ok_or_else(none)?;
    let accounts = &app.directory.context().accounts;
    let view =
        app.directory.chats(caller.user, &[pair]).await.map_err(Failure::<Infallible>::Fault)?;
    let view = view.into_iter().flatten().next().ok_or_else(none)?;
    let profile = accounts.profile(other).await?.ok_or_else(none)?;
    let unread = accounts.unread(caller.user, vec![pair.into()]).await?;
    let muted = accounts.notices(caller.user, pair.into()).await?.muted;
    let chat = KnownChat { pair, view, other, profile, muted };
    let mut resource = resource(&app, &chat, &chat.view.last, dialect)?;
    resource.unread_count = unread.first().map(|it| it.unread);
    resource.unread_mentions = unread.first().map(|it| it.mentions);
    reply::of(StatusCode::OK, &resource)
}

/// Reads chats of a user, the one with the newest message first.
///
/// # Errors
/// If the index or a room cannot be read.
async fn known_to(
    app: &AppState,
    user: UserId,
    stretch: ChatRange,
) -> Result<Vec<KnownChat>, ApiError> {
    let accounts = &app.directory.context().accounts;
    let others = accounts.chats(user, stretch.skip, stretch.most).await?;
    let others = others
        .into_iter()
        .filter_map(|(other, profile)| Pair::of(user, other).map(|pair| (pair, (other, profile))));
    let (pairs, others): (Vec<_>, Vec<_>) = others.unzip();
    let views = app.directory.chats(user, &pairs).await;
    let views = views.map_err(Failure::<Infallible>::Fault)?;
    let muted = accounts.chats_muted(user).await?;
    let known = pairs.into_iter().zip(others).zip(views);
    let mut known: Vec<KnownChat> = known
        .filter_map(|((pair, (other, profile)), view)| {
            let muted = muted.until(StreamId::Chat(pair));
            view.map(|view| KnownChat { pair, view, other, profile, muted })
        })
        .collect();
    // A message may have arrived since the list was read.
    known.sort_by_key(|chat| std::cmp::Reverse(chat.view.last.message.id));
    Ok(known)
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
    };
    let other = (chat.other, dialect.other_user_id());
    let mut shown = wire::resource(log, other, &chat.profile, &app.instance);
    shown.original = dialect.original(OriginalChat::default);
    Ok(shown)
}
