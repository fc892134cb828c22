//! The messages that are for the caller: mentions of them and of everybody, and replies to what they
//! wrote, in all of their conversations.

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::messages::{LARGEST_PAGE, PAGE};
use crate::http::page_bytes::{PAGE_BYTES, write_list};
use crate::http::reply::{self, Answer};
use ::wire::fields::{Fields, Problems};
use ::wire::search as wire;
use actors::recent::LoadedMessage;
use domain::ids::MessageId;

/// `GET /mentions?limit=&before_id=`: the newest first.
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let limit = fields.page_size("limit", PAGE, LARGEST_PAGE);
    let before: Option<MessageId> = fields.id("before_id");
    problems.or(Some(()))?;
    let archive = &app.directory.context().archive;
    let user = caller.user;
    let scopes = caller.scopes;
    let look =
        archive.read_current(user, move |it| it.mentions_before(user, scopes, before, limit));
    let messages = look.await?.into_iter().map(|(conversation, archived)| {
        let message = LoadedMessage::archived(archived);
        let json = dialect.message(&message, conversation, &app.instance);
        wire::in_conversation(&json, conversation)
    });
    Ok(reply::raw(StatusCode::OK, |body| {
        body.extend_from_slice(b"{\"messages\":");
        write_list(body, PAGE_BYTES, messages);
        body.push(b'}');
    }))
}
