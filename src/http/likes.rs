//! Likes (specification, section 4, Likes).

use actix_web::http::StatusCode;
use actix_web::web;
use serde::Serialize;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::groups::group_id;
use crate::http::page_bytes::PAGE_BYTES;
use crate::http::reply::{self, Answer};
use ::wire::fields::{Fields, Problems};
use ::wire::message as wire;
use ::wire::reaction::{self, Liked};
use actors::conversation::likes::{LikeAction, LikeMessage};
use actors::group::protocol::{LikesPage, ListLikes};
use domain::ids::{GroupId, MessageId, Pair};
use domain::likes::{LikeRefusal, ToldLikers};
use domain::message::MessageJson;

/// Periods of a leaderboard, in seconds (see decisions: rolling 24 h, 7 d, 30 d).
const PERIODS: [(&str, u64); 3] = [("day", 86_400), ("week", 604_800), ("month", 2_592_000)];

/// `POST /messages/:conversation_id/:message_id/like`
pub(super) async fn like(
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let sign = reaction::read(&body.fields()?)?;
    action(&act, caller, path.into_inner(), LikeAction::Like(sign)).await
}

/// `POST /messages/:conversation_id/:message_id/unlike`
pub(super) async fn unlike(act: Act, caller: Caller, path: web::Path<(String, String)>) -> Answer {
    action(&act, caller, path.into_inner(), LikeAction::Unlike).await
}

async fn action(
    act: &Act,
    caller: Caller,
    (conversation, message): (String, String),
    action: LikeAction,
) -> Answer {
    let message: MessageId = message.parse().map_err(|_| ApiError::from(LikeRefusal::NoMessage))?;
    let asked = LikeMessage { by: caller.user, message, action };
    let shown = |told: &ToldLikers| reply::payload(StatusCode::OK, &Liked::of(told));
    match (conversation.parse::<GroupId>(), conversation.parse::<Pair>()) {
        (Ok(group), _) => Ok(act.ask(group, asked, shown).await?),
        (Err(_), Ok(pair)) => Ok(act.ask(pair, asked, shown).await?),
        (Err(_), Err(_)) => Err(LikeRefusal::NotAMember.into()),
    }
}

/// `GET /groups/:group_id/likes?period=day|week|month`
pub(super) async fn leaders(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let seconds = fields.required("period", |text| {
        let known = PERIODS.iter().find(|(name, _)| *name == text);
        known.map(|(_, seconds)| *seconds).ok_or("must be day, week or month")
    });
    let seconds = problems.or(seconds)?;
    list((&app, dialect), caller, &path, LikesPage::Leaders { seconds }).await
}

/// `GET /groups/:group_id/likes/mine`
pub(super) async fn mine(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    list((&app, dialect), caller, &path, LikesPage::Mine).await
}

/// `GET /groups/:group_id/likes/for_me`
pub(super) async fn for_me(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: web::Path<String>,
) -> Answer {
    list((&app, dialect), caller, &path, LikesPage::ForMe).await
}

async fn list(
    (app, dialect): (&AppState, Dialect),
    caller: Caller,
    path: &str,
    page: LikesPage,
) -> Answer {
    let id = group_id(path)?;
    let found = app.directory.ask(id, ListLikes { reader: caller.user, page }).await?;
    let mut messages = Vec::with_capacity(found.len());
    let mut bytes = 0;
    for (archived, liked_at) in found {
        let likers = archived.likers();
        let listed = wire::listed(id, &archived.message, &likers, liked_at, &app.instance);
        let listed = serde_json::value::to_raw_value(&listed);
        let listed = listed.map_err(|error| ApiError::fault(&error))?;
        let listed = dialect.put(&MessageJson::new(listed));
        bytes += listed.get().len() + 1;
        if bytes > PAGE_BYTES && !messages.is_empty() {
            break;
        }
        messages.push(listed);
    }
    reply::of(StatusCode::OK, &Listed { messages })
}

/// A list of messages, in JSON.
#[derive(Serialize)]
struct Listed {
    messages: Vec<MessageJson>,
}
