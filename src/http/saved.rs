//! Saved messages: saves them, takes them out, and lists them. Nobody else learns of it.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::messages::{LARGEST_PAGE, PAGE};
use crate::http::reply::{self, Answer};
use ::wire::conversation_list::conversation;
use ::wire::fields::{Fields, Problems};
use ::wire::saved::{SavedRow, SavedState};
use actors::recent::LoadedMessage;
use actors::user::saved::{SaveMessage, UnsaveMessage};
use domain::ids::{Conversation, MessageId};
use domain::user::{SaveRefusal, SavedMessage};

/// The conversation and the message that a path names.
type Place = web::Path<(String, String)>;

fn read(place: Place) -> Result<(Conversation, MessageId), SaveRefusal> {
    let place = place.into_inner();
    let conv = conversation(&place.0).ok_or(SaveRefusal::NoMessage)?;
    let message = place.1.parse().map_err(|_| SaveRefusal::NoMessage)?;
    Ok((conv, message))
}

/// `POST /conversations/:conversation_id/messages/:message_id/save`
pub(super) async fn save(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    place: Place,
) -> Answer {
    let (conv, message) = read(place)?;
    let archive = &app.directory.context().archive;
    let user = caller.user;
    let found = archive.read_current(user, move |it| it.readable(user, conv, message)).await?;
    if found.is_none() {
        return Err(SaveRefusal::NoMessage.into());
    }
    let show = |saved: &SavedMessage| reply::payload(StatusCode::OK, &SavedState::saved(saved));
    Ok(act.ask(caller.user, SaveMessage { conv, message }, show).await?)
}

/// `POST /conversations/:conversation_id/messages/:message_id/unsave`
pub(super) async fn unsave(act: Act, caller: Caller, place: Place) -> Answer {
    let (conv, message) = read(place)?;
    let show = move |&(): &()| reply::payload(StatusCode::OK, &SavedState::unsaved(conv, message));
    Ok(act.ask(caller.user, UnsaveMessage { conv, message }, show).await?)
}

/// `GET /saved_messages?limit=&before=`: the newest saved first.
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let limit = fields.page_size("limit", PAGE, LARGEST_PAGE);
    let before = fields.value("before").is_some().then(|| fields.amount("before", u64::MAX));
    problems.or(Some(()))?;
    let before = before.unwrap_or(u64::MAX);
    let archive = &app.directory.context().archive;
    let user = caller.user;
    let scopes = caller.scopes;
    let look = archive.read_current(user, move |it| it.saved_before(user, scopes, before, limit));
    let found = look.await?;
    let rows = found.into_iter().map(|(saved, message)| {
        let shown = message.map(|message| {
            dialect.message(&LoadedMessage::archived(message), saved.conv, &app.instance)
        });
        SavedRow::of(&saved, shown)
    });
    let rows = reply::list_json(rows)?;
    Ok(reply::raw(StatusCode::OK, |body| {
        body.extend_from_slice(b"{\"saved\":");
        body.extend_from_slice(&rows.json);
        body.push(b'}');
    }))
}
