//! The snapshot with which a client starts (`GET /v3/sync`).
//!
//! Its cursor is read before anything else is asked: whatever happens meanwhile may
//! stand in the snapshot already, and comes again as an event with a number that the
//! client knows. So nothing is missed, and applying events twice changes nothing.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;
use futures_util::future::join_all;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::actors::ask::Failure;
use crate::actors::chat::protocol::ListDirect;
use crate::actors::group::Logged;
use crate::actors::group::protocol::{GroupView, ListMessages};
use crate::actors::user::protocol::ViewUser;
use crate::auth::keyring::Caller;
use crate::domain::ids::UserId;
use crate::http::chats::{self, Stretch};
use crate::http::dialect::Dialect;
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::groups::{views_of, write_shown};
use crate::http::reply::{self, Answer};
use crate::index::archive::Page;
use crate::wire::chat as wire_chat;
use crate::wire::user as wire;

/// Messages of each conversation in the snapshot.
const MESSAGES: usize = 20;

/// `GET /v3/sync`
pub(super) async fn snapshot(door: web::Data<Door>, caller: Caller, dialect: Dialect) -> Answer {
    let cursor = door.subscribers.indexed_here().await?;
    let user = door.directory.user(caller.user, ViewUser).await?;
    let views = views_of(&door, caller.user, 0, usize::MAX).await?;
    let parts = views.iter().map(|view| group_part(&door, caller.user, view));
    let mut groups: Vec<GroupPart> = Vec::with_capacity(views.len());
    for part in join_all(parts).await {
        groups.extend(part?);
    }
    let shown_user = wire::shown(&user, door.clock.now().wall, &door.site);
    let chats = chat_parts(&door, caller.user, dialect).await?;
    let snapshot = Snapshot { c: door.site.cursor(cursor), user: shown_user, groups, chats };
    let payload = serde_json::to_vec(&snapshot).map_err(|error| ApiError::fault(&error))?;
    Ok(reply::raw(StatusCode::OK, |body| body.extend_from_slice(&payload)))
}

#[derive(Serialize)]
struct Snapshot {
    c: String,
    user: Value,
    groups: Vec<GroupPart>,
    chats: Vec<ChatPart>,
}

#[derive(Serialize)]
struct GroupPart {
    group: Box<RawValue>,
    messages: Vec<Box<RawValue>>,
    n: u64,
    read_n: Option<u64>,
    unread: Option<u64>,
}

#[derive(Serialize)]
struct ChatPart {
    chat: wire_chat::Shown,
    messages: Vec<Box<RawValue>>,
    n: u64,
    read_n: Option<u64>,
    unread: Option<u64>,
}

/// Every chat of a user with its newest messages, the one with the newest first.
async fn chat_parts(
    door: &Door,
    user: UserId,
    dialect: Dialect,
) -> Result<Vec<ChatPart>, ApiError> {
    let known = chats::known_to(door, user, Stretch::ALL).await?;
    let parts = known.iter().map(|chat| async move {
        let asked = ListDirect { page: Page::Newest, limit: MESSAGES };
        let page = door.directory.chat(chat.pair, asked).await?;
        let json = |logged: &Arc<Logged>| chats::raw(door, chat.pair, logged);
        Ok::<_, ApiError>(ChatPart {
            chat: chats::shown(door, chat, dialect)?,
            messages: page.messages.iter().map(json).collect::<Result<_, _>>()?,
            n: chat.view.n,
            read_n: None,
            unread: None,
        })
    });
    join_all(parts).await.into_iter().collect()
}

/// One group with its newest messages; nothing if the user is out of it by now.
async fn group_part(
    door: &Door,
    reader: UserId,
    view: &GroupView,
) -> Result<Option<GroupPart>, ApiError> {
    let id = view.group.id;
    let asked = ListMessages { reader, page: Page::Newest, limit: MESSAGES };
    let page = match door.directory.group(id, asked).await {
        Ok(page) => page,
        Err(Failure::Refused(_)) => return Ok(None),
        Err(Failure::Fault(fault)) => return Err(ApiError::fault(&fault)),
    };
    let json = |logged: &Arc<Logged>| raw(logged.json(id, &door.site).to_vec());
    let mut group = Vec::new();
    write_shown(&mut group, view, &door.site);
    Ok(Some(GroupPart {
        group: raw(group)?,
        messages: page.messages.iter().map(json).collect::<Result<_, _>>()?,
        n: view.n,
        read_n: None,
        unread: None,
    }))
}

/// JSON that is made already.
fn raw(json: Vec<u8>) -> Result<Box<RawValue>, ApiError> {
    let text = String::from_utf8(json).map_err(|error| ApiError::fault(&error))?;
    RawValue::from_string(text).map_err(|error| ApiError::fault(&error))
}
