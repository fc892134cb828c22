//! The snapshot with which a client starts (`GET /v3/sync`).
//!
//! Its cursor is read before anything else is asked: whatever happens meanwhile may
//! stand in the snapshot already, and comes again as an event with a number that the
//! client knows. So nothing is missed, and applying events twice changes nothing. Read
//! marks are read last: they are never behind the messages beside them.

use std::convert::Infallible;
use std::sync::Arc;

use actix_web::{HttpRequest, web};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::actors::ask::Failure;
use crate::actors::group::Logged;
use crate::actors::group::protocol::GroupView;
use crate::actors::user::protocol::ViewUser;
use crate::auth::keyring::Caller;
use crate::domain::ids::{Conversation, GroupId, Pair, UserId};
use crate::domain::user::Unread;
use crate::http::body::Query;
use crate::http::chats::{self, Known, Stretch};
use crate::http::compressed;
use crate::http::dialect::Dialect;
use crate::http::door::Door;
use crate::http::error::ApiError;
use crate::http::groups::{views_of, write_shown};
use crate::http::reply::Answer;
use crate::wire::chat as wire_chat;
use crate::wire::envelope;
use crate::wire::fields::{Fields, Problems};
use crate::wire::user as wire;

/// Messages of each conversation in the snapshot.
const MESSAGES: usize = 20;

/// `GET /v3/sync`
pub(super) async fn snapshot(
    door: web::Data<Door>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
    request: HttpRequest,
) -> Answer {
    let mut problems = Problems::default();
    let parts = Parts::read(&mut Fields::of(&query.0, &mut problems));
    let parts = problems.or(Some(parts))?;
    let cursor = door.subscribers.indexed_here().await?;
    let user = door.directory.user(caller.user, ViewUser).await?;
    let mut snapshot = Snapshot {
        c: door.site.cursor(cursor),
        user: wire::shown(&user, door.clock.now().wall, &door.site),
        groups: None,
        chats: None,
    };
    if parts.groups {
        snapshot.groups = Some(group_parts(&door, caller.user).await?);
    }
    if parts.chats {
        snapshot.chats = Some(chat_parts(&door, caller.user, dialect).await?);
    }
    // Everything above is durable, so this covers the posts of the caller in it.
    door.subscribers.indexed_here().await?;
    snapshot.mark_read(&door, caller.user).await?;
    let payload = serde_json::to_vec(&snapshot).map_err(|error| ApiError::fault(&error))?;
    let body = envelope::around(200, |body| body.extend_from_slice(&payload));
    compressed::answer(&request, body).await
}

/// What is asked for; the rest is left out.
struct Parts {
    groups: bool,
    chats: bool,
}

impl Parts {
    /// Reads `parts=groups`, `parts=chats` or `parts=groups,chats`; absent is everything.
    fn read(fields: &mut Fields<'_>) -> Self {
        let Some(asked) = fields.text("parts") else { return Self { groups: true, chats: true } };
        let mut parts = Self { groups: false, chats: false };
        for part in asked.split(',').map(str::trim) {
            match part {
                "groups" => parts.groups = true,
                "chats" => parts.chats = true,
                "user" => {}
                _ => {
                    fields.wrong("parts", "must be groups, chats or user, or several with commas");
                }
            }
        }
        parts
    }
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

impl Snapshot {
    /// Puts in what the user has read of each conversation, and the other of each chat.
    async fn mark_read(&mut self, door: &Door, user: UserId) -> Result<(), ApiError> {
        let groups = self.groups.iter_mut().flatten();
        let groups = groups.map(|it| (Conversation::from(it.id), &mut it.read));
        let chats = self.chats.iter_mut().flatten();
        let chats = chats.map(|it| (Conversation::from(it.pair), &mut it.read));
        let (conversations, places): (Vec<_>, Vec<_>) = groups.chain(chats).unzip();
        let unread = door.directory.ground().people.unread(user, conversations).await?;
        for (place, Unread { read_n, unread }) in places.into_iter().zip(unread) {
            *place = Read { read_n, unread };
        }
        let chats: Vec<_> = self.chats.iter_mut().flatten().collect();
        let pairs = chats.iter().map(|it| it.pair).collect();
        let others = door.directory.ground().people.unread_by_others(user, pairs).await?;
        for (chat, Unread { read_n, unread }) in chats.into_iter().zip(others) {
            chat.other = OtherRead { other_read_n: read_n, other_unread: unread };
        }
        Ok(())
    }
}

#[derive(Default, Serialize)]
struct Read {
    read_n: u64,
    unread: u64,
}

#[derive(Default, Serialize)]
struct OtherRead {
    other_read_n: u64,
    other_unread: u64,
}

#[derive(Serialize)]
struct GroupPart {
    #[serde(skip)]
    id: GroupId,
    group: Box<RawValue>,
    messages: Vec<Box<RawValue>>,
    n: u64,
    #[serde(flatten)]
    read: Read,
}

#[derive(Serialize)]
struct ChatPart {
    #[serde(skip)]
    pair: Pair,
    chat: wire_chat::Shown,
    messages: Vec<Box<RawValue>>,
    n: u64,
    #[serde(flatten)]
    read: Read,
    /// What the other has read, for receipts: those that were told before nobody repeats.
    #[serde(flatten)]
    other: OtherRead,
}

/// Every group of a user with its newest messages, last activity first.
async fn group_parts(door: &Door, user: UserId) -> Result<Vec<GroupPart>, ApiError> {
    let views = views_of(door, user, 0, usize::MAX).await?;
    let ids: Vec<GroupId> = views.iter().map(|view| view.group.id).collect();
    let pages = door.directory.front_pages(user, &ids, MESSAGES).await;
    let pages = pages.map_err(Failure::<Infallible>::Fault)?;
    // Without a page, the user is out of the group by now.
    let parts = views.iter().zip(pages).filter_map(|(view, page)| Some((view, page?)));
    parts.map(|(view, page)| group_part(door, view, &page)).collect()
}

/// Every chat of a user with its newest messages, the one with the newest first.
async fn chat_parts(
    door: &Door,
    user: UserId,
    dialect: Dialect,
) -> Result<Vec<ChatPart>, ApiError> {
    let known = chats::known_to(door, user, Stretch::ALL, MESSAGES).await?;
    let part = |chat: &Known| {
        let json = |logged: &Arc<Logged>| chats::raw(door, chat.pair, logged);
        Ok(ChatPart {
            pair: chat.pair,
            chat: chats::shown(door, chat, dialect)?,
            messages: chat.messages.iter().map(json).collect::<Result<_, _>>()?,
            n: chat.view.n,
            read: Read::default(),
            other: OtherRead::default(),
        })
    };
    known.iter().map(part).collect()
}

/// One group with its newest messages.
fn group_part(
    door: &Door,
    view: &GroupView,
    messages: &[Arc<Logged>],
) -> Result<GroupPart, ApiError> {
    let id = view.group.id;
    let json = |logged: &Arc<Logged>| raw(logged.json(id, &door.site).to_vec());
    let mut group = Vec::new();
    write_shown(&mut group, view, &door.site);
    Ok(GroupPart {
        id,
        group: raw(group)?,
        messages: messages.iter().map(json).collect::<Result<_, _>>()?,
        n: view.n,
        read: Read::default(),
    })
}

/// JSON that is made already.
fn raw(json: Vec<u8>) -> Result<Box<RawValue>, ApiError> {
    let text = String::from_utf8(json).map_err(|error| ApiError::fault(&error))?;
    RawValue::from_string(text).map_err(|error| ApiError::fault(&error))
}
