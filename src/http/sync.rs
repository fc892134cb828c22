//! The snapshot with which a client starts (`GET /v3/sync`): all of it of one moment.
//!
//! Its cursor ends exactly what it shows: no event up to it is missing, and none after it
//! is shown, so the first event of each conversation after it has the next number.

use std::convert::Infallible;
use std::sync::Arc;

use actix_web::{HttpRequest, web};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::actors::ask::Failure;
use crate::actors::front_pages::{ChatEntry, FrontPage, GroupEntry, Wanted};
use crate::auth::keyring::Caller;
use crate::domain::ids::{Pair, UserId};
use crate::domain::user::Unread;
use crate::http::body::Query;
use crate::http::chats;
use crate::http::compressed;
use crate::http::dialect::Dialect;
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::groups::write_shown;
use crate::http::reply::Answer;
use crate::wire::chat as wire_chat;
use crate::wire::envelope;
use crate::wire::fields::{Fields, Problems};
use crate::wire::user as wire;

/// `GET /v3/sync`
pub(super) async fn snapshot(
    door: web::Data<Door>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
    request: HttpRequest,
) -> Answer {
    let mut problems = Problems::default();
    let wanted = wanted(&mut Fields::of(&query.0, &mut problems));
    problems.or(Some(()))?;
    if wanted.groups {
        door.reconciler.settled_soon(caller.user).await;
    }
    let taken = door.directory.snapshot(caller.user, wanted).await;
    let taken = taken.map_err(Failure::<Infallible>::Fault)?;
    let account = taken.account.ok_or_else(ApiError::unauthorized)?;
    let groups = || taken.groups.into_iter().map(|it| group_part(&door, it)).collect();
    let chat = |it| chat_part(&door, caller.user, dialect, it);
    let chats = || taken.chats.into_iter().filter_map(|it| chat(it).transpose()).collect();
    let snapshot = Snapshot {
        c: door.site.cursor(taken.cursor),
        user: wire::shown(&account, door.clock.now().wall, &door.site),
        groups: wanted.groups.then(groups).transpose()?,
        chats: wanted.chats.then(chats).transpose()?,
    };
    let payload = serde_json::to_vec(&snapshot).map_err(|error| ApiError::fault(&error))?;
    let body = envelope::around(200, |body| body.extend_from_slice(&payload));
    compressed::answer(&request, body).await
}

/// Reads `parts=groups`, `parts=chats` or `parts=groups,chats`; absent is everything.
fn wanted(fields: &mut Fields<'_>) -> Wanted {
    let Some(asked) = fields.text("parts") else { return Wanted { groups: true, chats: true } };
    let mut wanted = Wanted { groups: false, chats: false };
    for part in asked.split(',').map(str::trim) {
        match part {
            "groups" => wanted.groups = true,
            "chats" => wanted.chats = true,
            "user" => {}
            _ => fields.wrong("parts", "must be groups, chats or user, or several with commas"),
        }
    }
    wanted
}

#[derive(Serialize)]
struct Snapshot {
    c: String,
    user: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupPart>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chats: Option<Vec<ChatPart>>,
}

/// The newest messages of a conversation, made already.
struct Messages(Arc<FrontPage>);

impl Serialize for Messages {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.json.serialize(to)
    }
}

#[derive(Serialize)]
struct GroupPart {
    group: Box<RawValue>,
    messages: Messages,
    n: u64,
    read_n: u64,
    unread: u64,
}

#[derive(Serialize)]
struct ChatPart {
    chat: wire_chat::Shown,
    messages: Messages,
    n: u64,
    read_n: u64,
    unread: u64,
    /// What the other has read, for receipts: those that were told before nobody repeats.
    other_read_n: u64,
    other_unread: u64,
}

/// One group with its newest messages.
fn group_part(door: &Door, entry: GroupEntry) -> Result<GroupPart, ApiError> {
    let GroupEntry { view, page, unread: Unread { read_n, unread } } = entry;
    let mut group = Vec::new();
    write_shown(&mut group, &view, &door.site);
    let group = String::from_utf8(group).map_err(|error| ApiError::fault(&error))?;
    let group = RawValue::from_string(group).map_err(|error| ApiError::fault(&error))?;
    Ok(GroupPart { group, messages: Messages(page), n: view.n, read_n, unread })
}

/// One chat with its newest messages.
fn chat_part(
    door: &Door,
    user: UserId,
    dialect: Dialect,
    entry: ChatEntry,
) -> Result<Option<ChatPart>, ApiError> {
    let Some(pair) = Pair::of(user, entry.other) else { return Ok(None) };
    let log = wire_chat::Log {
        created_at: entry.created_at.seconds(),
        updated_at: entry.last.message.created_at(),
        count: entry.count,
        last: chats::raw(door, pair, &entry.last)?,
    };
    let other = (entry.other, dialect.other_user_id());
    let Unread { read_n, unread } = entry.unread;
    Ok(Some(ChatPart {
        chat: wire_chat::shown(log, other, &entry.profile, &door.site),
        messages: Messages(entry.page),
        n: entry.n,
        read_n,
        unread,
        other_read_n: entry.unread_by_other.read_n,
        other_unread: entry.unread_by_other.unread,
    }))
}
