//! The snapshot with which a client starts (`GET /v3/sync`): all of it of one moment.
//!
//! Its cursor ends exactly what it shows: no event up to it is missing, and none after it
//! is shown, so the first event of each conversation after it has the next number.
//!
//! It has a page's bytes at most. What does not fit is shown in short, the quietest first:
//! a group without `members`, and no messages although its count tells of some. If even
//! that is too much, the quietest are left out, and `more_groups` or `more_chats` says so.
//! Drafts and blocks have their own share of it, and say in the same way that there are more.

use std::convert::Infallible;

use actix_web::{HttpResponse, web};
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::SerializeSeq;
use serde_json::value::RawValue;

use crate::actors::ask::Failure;
use crate::actors::recent_pages::{ChatEntry, GroupEntry, RecentPage, Wanted};
use crate::auth::keyring::Caller;
use crate::domain::ids::{Conversation, Pair, UserId};
use crate::domain::user::{Block, Draft, Unread};
use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::fitting::{Fitted, PAGE_BYTES};
use crate::http::groups::write_shown;
use crate::http::pinned_conversations::conversation;
use crate::http::reply::Answer;
use crate::wire::block::{self as wire_block, BlockResource};
use crate::wire::chat as wire_chat;
use crate::wire::draft::{self as wire_draft, DraftResource};
use crate::wire::envelope;
use crate::wire::fields::{Fields, Problems};
use crate::wire::group::{self as wire_group, GroupResource};
use crate::wire::message::{DirectMessage, GroupMessage};
use crate::wire::schema::scalars::CursorText;
use crate::wire::user::{self as wire, UserResource};

/// `GET /v3/sync`
pub(super) async fn snapshot(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let wanted = wanted(&mut Fields::of(&query.0, &mut problems));
    problems.or(Some(()))?;
    if wanted.groups {
        app.reconciler.settled_soon(caller.user).await;
    }
    let taken = app.directory.snapshot(caller.user, wanted).await;
    let taken = taken.map_err(Failure::<Infallible>::Fault)?;
    let account = taken.account.ok_or_else(ApiError::unauthorized)?;
    let user = json(&wire::shown(&account, app.clock.now().wall, &app.instance))?;
    let drafts = wanted.drafts.then(|| drafts_of(&app, &taken.drafts)).transpose()?;
    let blocks = wanted.blocks.then(|| blocks_of(&taken.blocks)).transpose()?;
    let chats = wanted.chats.then(|| chats_of(&app, (caller.user, dialect), &taken.chats));
    let chats = chats.transpose()?;
    let taken_up = [&drafts, &blocks, &chats].into_iter().flatten().map(Fitted::bytes).sum();
    let left = PAGE_BYTES - usize::min(taken_up, PAGE_BYTES);
    let groups = wanted.groups.then(|| groups_of(&app, &taken.groups, left)).transpose()?;
    let body = envelope::around(200, |body| {
        let c = app.instance.cursor(taken.cursor);
        body.extend_from_slice(format!("{{\"c\":\"{c}\",\"user\":").as_bytes());
        body.extend_from_slice(&user);
        let lists =
            [("groups", &groups), ("chats", &chats), ("drafts", &drafts), ("blocks", &blocks)];
        for (name, list) in lists {
            let Some(list) = list else { continue };
            body.extend_from_slice(format!(",\"{name}\":").as_bytes());
            list.write(body);
            if list.is_cut {
                body.extend_from_slice(format!(",\"more_{name}\":true").as_bytes());
            }
        }
        body.push(b'}');
    });
    // In one piece, which is compressed sooner than several.
    Ok(HttpResponse::Ok().content_type("application/json").body(body))
}

/// Chats take half of a snapshot at most, groups what is left.
const CHATS_BYTES: usize = PAGE_BYTES / 2;
/// Drafts take a small part of it, and so do blocks.
const ASIDE_BYTES: usize = PAGE_BYTES / 16;

fn drafts_of(app: &AppState, found: &[(Conversation, Draft)]) -> Result<Fitted, ApiError> {
    let now = app.clock.now().wall;
    let kept = found.iter().filter(|(_, draft)| draft.is_kept(now));
    let json = kept.map(|(conv, draft)| json(&wire_draft::shown(*conv, draft, &app.instance)));
    Ok(Fitted::cut_to(json.collect::<Result<_, _>>()?, ASIDE_BYTES))
}

fn blocks_of(blocks: &[Block]) -> Result<Fitted, ApiError> {
    let json = blocks.iter().map(|block| json(&wire_block::shown(block)));
    Ok(Fitted::cut_to(json.collect::<Result<_, _>>()?, ASIDE_BYTES))
}

fn groups_of(app: &AppState, entries: &[GroupEntry], most: usize) -> Result<Fitted, ApiError> {
    let part = |detail: Detail| move |_, entry: &GroupEntry| group_part(app, entry, detail);
    let mut groups = Fitted::of(entries, most, part(Detail::Whole), part(Detail::Short))?;
    groups.cut(most);
    Ok(groups)
}

fn chats_of(
    app: &AppState,
    asker: (UserId, Dialect),
    entries: &[ChatEntry],
) -> Result<Fitted, ApiError> {
    let part = |detail: Detail| move |_, entry: &ChatEntry| chat_part(app, asker, entry, detail);
    let (whole, short) = (part(Detail::Whole), part(Detail::Short));
    let mut chats = Fitted::of(entries, CHATS_BYTES, whole, short)?;
    chats.cut(CHATS_BYTES);
    Ok(chats)
}

/// How much of a conversation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Members and the newest messages.
    Whole,
    /// Neither: they are asked for when somebody looks at it.
    Short,
}

/// Reads `parts=groups`, say, or several with commas; absent is everything. And `open`.
fn wanted(fields: &mut Fields<'_>) -> Wanted {
    let open = fields.text("open").and_then(|id| {
        let open = conversation(&id);
        if open.is_none() {
            fields.wrong("open", "must be the id of a conversation");
        }
        open
    });
    let Some(asked) = fields.text("parts") else {
        return Wanted { groups: true, chats: true, drafts: true, blocks: true, open };
    };
    let mut wanted = Wanted { open, ..Wanted::default() };
    for part in asked.split(',').map(str::trim) {
        match part {
            "groups" => wanted.groups = true,
            "chats" => wanted.chats = true,
            "drafts" => wanted.drafts = true,
            "blocks" => wanted.blocks = true,
            "user" => {}
            _ => fields.wrong("parts", PARTS),
        }
    }
    wanted
}

const PARTS: &str = "must be groups, chats, drafts, blocks or user, or several with commas";

/// The newest messages of a conversation, made already; none of one in short.
struct Messages<'a>(&'a RecentPage, Detail);

impl Serialize for Messages<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.1 {
            Detail::Whole => self.0.json.serialize(to),
            Detail::Short => to.serialize_seq(Some(0))?.end(),
        }
    }
}

/// Everything that a client starts with.
#[derive(JsonSchema)]
#[schemars(rename = "Snapshot")]
#[expect(dead_code, reason = "it is written piece by piece, within the bytes of a page")]
pub(super) struct SnapshotDocument<'a> {
    /// The cursor from which a push session goes on.
    c: CursorText,
    user: UserResource,
    /// The groups of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupPart<'a>>>,
    /// There are more than fit; all are in `GET /groups`. Absent when there are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_groups: Option<bool>,
    /// The chats of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    chats: Option<Vec<ChatPart<'a>>>,
    /// There are more than fit; all are in `GET /chats`. Absent when there are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_chats: Option<bool>,
    /// What the user has written and not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    drafts: Option<Vec<DraftResource<'a>>>,
    /// There are more than fit; all are in `GET /drafts`. Absent when there are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_drafts: Option<bool>,
    /// Whom the user blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Vec<BlockResource>>,
    /// There are more than fit; all are in `GET /blocks`. Absent when there are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_blocks: Option<bool>,
}

/// A group with its newest messages.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct GroupPart<'a> {
    #[schemars(with = "GroupResource<'a>")]
    group: Box<RawValue>,
    /// The newest; none in short.
    #[schemars(with = "Vec<GroupMessage<'a>>")]
    messages: Messages<'a>,
    /// The number of the newest event.
    n: u64,
    /// The number of the newest event that you have read.
    read_n: u64,
    /// How many messages you have not read.
    unread: u64,
    /// How many of these mention you or answer you, up to 1000.
    unread_mentions: u64,
}

/// A chat with its newest messages.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ChatPart<'a> {
    chat: wire_chat::ChatJson,
    /// The newest; none in short.
    #[schemars(with = "Vec<DirectMessage<'a>>")]
    messages: Messages<'a>,
    /// The number of the newest event.
    n: u64,
    /// The number of the newest event that you have read.
    read_n: u64,
    /// How many messages you have not read.
    unread: u64,
    /// How many of these mention you or answer you, up to 1000.
    unread_mentions: u64,
    /// The number of the newest event that the other has read: receipts that were told before
    /// nobody repeats.
    other_read_n: u64,
    /// How many messages the other has not read.
    other_unread: u64,
}

/// One group with its newest messages.
fn group_part(app: &AppState, entry: &GroupEntry, detail: Detail) -> Result<Vec<u8>, ApiError> {
    let GroupEntry { view, page, unread } = entry;
    let Unread { read_n, unread, mentions } = *unread;
    let mut group = Vec::new();
    match detail {
        Detail::Whole => write_shown(&mut group, view, &app.instance),
        Detail::Short => wire_group::write_short(&mut group, view.whole(), &app.instance),
    }
    let group = String::from_utf8(group).map_err(|error| ApiError::fault(&error))?;
    let group = RawValue::from_string(group).map_err(|error| ApiError::fault(&error))?;
    let messages = Messages(page, detail);
    let unread_mentions = mentions;
    json(&GroupPart { group, messages, n: view.n, read_n, unread, unread_mentions })
}

/// One chat with its newest messages.
fn chat_part(
    app: &AppState,
    (user, dialect): (UserId, Dialect),
    entry: &ChatEntry,
    detail: Detail,
) -> Result<Vec<u8>, ApiError> {
    // Nobody has a chat with themselves.
    let pair =
        Pair::of(user, entry.other).ok_or_else(|| ApiError::fault(&"a chat with oneself"))?;
    let last = match detail {
        Detail::Whole => entry.last.json(pair, &app.instance).clone(),
        Detail::Short => entry.last.in_short().json(pair, &app.instance).clone(),
    };
    let log = wire_chat::Log {
        created_at: entry.created_at.seconds(),
        updated_at: entry.last.message.created_at(),
        count: entry.count,
        last,
        muted: entry.muted.filter(|until| app.clock.now().wall < *until),
    };
    let other = (entry.other, dialect.other_user_id());
    let Unread { read_n, unread, mentions } = entry.unread;
    json(&ChatPart {
        chat: wire_chat::shown(log, other, &entry.profile, &app.instance),
        messages: Messages(&entry.page, detail),
        n: entry.n,
        read_n,
        unread,
        unread_mentions: mentions,
        other_read_n: entry.unread_by_other.read_n,
        other_unread: entry.unread_by_other.unread,
    })
}

fn json<T: Serialize>(part: &T) -> Result<Vec<u8>, ApiError> {
    serde_json::to_vec(part).map_err(|error| ApiError::fault(&error))
}
