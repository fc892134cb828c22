//! The snapshot with which a client starts (`GET /v3/sync`), all of one moment.
//!
//! The snapshot contains every event up to its cursor and none after it, so the first event of each
//! conversation after the cursor has the next number.
//!
//! A snapshot is limited to the bytes of a page. Conversations that do not fit are shown in short
//! form, the least active first: a group without `members`, and no messages but the newest one
//! without its attachments. If even that is too much, the least active are left out, and `more_groups` or
//! `more_chats` is set; clients ask for those with `skip`. Topics, drafts and blocks have shares of
//! their own, with `more_topics`, `more_drafts` and `more_blocks`.

use std::borrow::Cow;
use std::convert::Infallible;

use actix_web::{HttpResponse, web};
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::SerializeSeq;
use serde_json::value::RawValue;

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::page_bytes::{Fitted, PAGE_BYTES};
use crate::http::reply::Answer;
use ::wire::block::{self as wire_block, BlockResource};
use ::wire::chat as wire_chat;
use ::wire::conversation_list::{ConversationListResource, conversation};
use ::wire::draft::{self as wire_draft, DraftResource};
use ::wire::envelope;
use ::wire::fields::{Fields, Problems};
use ::wire::group::{self as wire_group, GroupResource, Members};
use ::wire::message::{DirectMessage, GroupMessage};
use ::wire::saved::SavedPlace;
use ::wire::schema::scalars::CursorText;
use ::wire::topic::TopicResource;
use ::wire::user::{self as wire, MissingFactor, UserResource};
use actors::ask::Failure;
use actors::recent_pages::{ChatEntry, GroupEntry, RecentPage, TopicEntry, Wanted};
use domain::group::Member;
use domain::ids::{Conversation, Pair, StreamId, UserId};
use domain::message::MessageJson;
use domain::scopes::{Scope, ScopeSet};
use domain::time::Timestamp;
use domain::user::{Block, Draft, Unread};

/// `GET /v3/sync`
pub(super) async fn snapshot(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let mut fields = Fields::of(&query.0, &mut problems);
    let wanted = shown(wanted(&mut fields), caller.scopes);
    let skip = usize::try_from(fields.amount("skip", u64::MAX)).unwrap_or(usize::MAX);
    problems.or(Some(()))?;
    if wanted.groups {
        app.reconciler.settled_soon(caller.user).await;
    }
    let taken = app.directory.snapshot(caller.user, wanted).await;
    let taken = taken.map_err(Failure::<Infallible>::Fault)?;
    let account = taken.account.ok_or_else(ApiError::invalid_token)?;
    let mut user = wire::resource(&account, app.clock.now().wall, &app.instance);
    user.second_factor = app.factor_deadline(caller.user).await?.map(MissingFactor::from);
    let user = json(&user)?;
    let has_user = caller.scopes.has(Scope::ProfileRead);
    let drafts = wanted.drafts.then(|| drafts_of(&app, caller.scopes, &taken.drafts));
    let drafts = drafts.transpose()?;
    let blocks = wanted.blocks.then(|| blocks_of(&taken.blocks)).transpose()?;
    let list = taken.list.as_ref().map(|list| json(&ConversationListResource::of(list)));
    let list = list.transpose()?;
    let saved = taken.saved.iter().filter(|saved| caller.scopes.reads(saved.conv));
    let saved: Vec<SavedPlace> = saved.map(SavedPlace::of).collect();
    let saved = (!saved.is_empty()).then(|| json(&saved)).transpose()?;
    let asker = (caller.user, dialect);
    let topics = wanted.topics.then(|| topics_of(&app, dialect, after(&taken.topics, skip)));
    let topics = topics.transpose()?;
    let chats = wanted.chats.then(|| chats_of(&app, asker, after(&taken.chats, skip)));
    let chats = chats.transpose()?;
    let taken_up =
        [&drafts, &blocks, &chats, &topics].into_iter().flatten().map(Fitted::bytes).sum();
    let left = PAGE_BYTES - usize::min(taken_up, PAGE_BYTES);
    let groups = after(&taken.groups, skip);
    let groups = wanted.groups.then(|| groups_of((&app, asker), groups, left));
    let groups = groups.transpose()?;
    let body = envelope::around(200, |body| {
        let c = app.instance.cursor(taken.cursor);
        body.extend_from_slice(format!("{{\"c\":\"{c}\"").as_bytes());
        if has_user {
            body.extend_from_slice(b",\"user\":");
            body.extend_from_slice(&user);
        }
        if let Some(list) = &list {
            body.extend_from_slice(b",\"conversation_list\":");
            body.extend_from_slice(list);
        }
        if let Some(saved) = &saved {
            body.extend_from_slice(b",\"saved\":");
            body.extend_from_slice(saved);
        }
        let lists = [
            ("groups", &groups),
            ("topics", &topics),
            ("chats", &chats),
            ("drafts", &drafts),
            ("blocks", &blocks),
        ];
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
    // As one piece, which compresses faster than several.
    Ok(HttpResponse::Ok().content_type("application/json").body(body))
}

/// The conversations after the first `skip`.
fn after<T>(all: &[T], skip: usize) -> &[T] {
    all.get(skip..).unwrap_or_default()
}

/// Bytes for chats. Groups get what is left.
const CHATS_BYTES: usize = PAGE_BYTES * 3 / 8;
/// Bytes for topics.
const TOPICS_BYTES: usize = PAGE_BYTES / 8;
/// Bytes for drafts, and as many for blocks.
const ASIDE_BYTES: usize = PAGE_BYTES / 16;

fn drafts_of(
    app: &AppState,
    scopes: ScopeSet,
    found: &[(Conversation, Draft)],
) -> Result<Fitted, ApiError> {
    let now = app.clock.now().wall;
    let kept = found.iter().filter(|(conv, draft)| scopes.reads(*conv) && draft.is_kept(now));
    let json = kept.map(|(conv, draft)| json(&wire_draft::resource(*conv, draft, &app.instance)));
    Ok(Fitted::cut_to(json.collect::<Result<_, _>>()?, ASIDE_BYTES))
}

fn blocks_of(blocks: &[Block]) -> Result<Fitted, ApiError> {
    let json = blocks.iter().map(|block| json(&wire_block::resource(block)));
    Ok(Fitted::cut_to(json.collect::<Result<_, _>>()?, ASIDE_BYTES))
}

fn groups_of(
    asked: (&AppState, (UserId, Dialect)),
    entries: &[GroupEntry],
    most: usize,
) -> Result<Fitted, ApiError> {
    let part = |detail: Detail| move |_, entry: &GroupEntry| group_part(asked, entry, detail);
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
    let whole = part(Detail::Whole);
    let short = part(Detail::Short);
    let mut chats = Fitted::of(entries, CHATS_BYTES, whole, short)?;
    chats.cut(CHATS_BYTES);
    Ok(chats)
}

fn topics_of(app: &AppState, dialect: Dialect, entries: &[TopicEntry]) -> Result<Fitted, ApiError> {
    let part =
        |detail: Detail| move |_, entry: &TopicEntry| topic_part(app, dialect, entry, detail);
    let whole = part(Detail::Whole);
    let short = part(Detail::Short);
    let mut topics = Fitted::of(entries, TOPICS_BYTES, whole, short)?;
    topics.cut(TOPICS_BYTES);
    Ok(topics)
}

/// How much of a conversation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// With members and the newest messages.
    Whole,
    /// Without both: the client asks for them when the user opens the conversation.
    Short,
}

/// Reads `parts`, such as `groups` or several names with commas (absent means everything), and
/// `open`.
fn wanted(fields: &mut Fields<'_>) -> Wanted {
    let open = fields.text("open").and_then(|id| {
        // Events name conversations in another way than paths do.
        let named_in_events = || id.parse::<StreamId>().ok().and_then(StreamId::conversation);
        let open = conversation(&id).or_else(named_in_events);
        if open.is_none() {
            fields.wrong("open", "must be the id of a conversation");
        }
        open
    });
    let Some(asked) = fields.text("parts") else {
        return Wanted {
            groups: true,
            topics: true,
            chats: true,
            drafts: true,
            blocks: true,
            list: true,
            saved: true,
            open,
        };
    };
    let mut wanted = Wanted { open, ..Wanted::default() };
    for part in asked.split(',').map(str::trim) {
        match part {
            "groups" => wanted.groups = true,
            "topics" => wanted.topics = true,
            "chats" => wanted.chats = true,
            "drafts" => wanted.drafts = true,
            "blocks" => wanted.blocks = true,
            "conversation_list" => wanted.list = true,
            "saved" => wanted.saved = true,
            "user" => {}
            _ => fields.wrong("parts", PARTS),
        }
    }
    wanted
}

/// The wanted parts that these scopes show.
const fn shown(wanted: Wanted, scopes: ScopeSet) -> Wanted {
    Wanted {
        groups: wanted.groups && scopes.has(Scope::MessagesRead),
        topics: wanted.topics && scopes.has(Scope::MessagesRead),
        chats: wanted.chats && scopes.has(Scope::DmsRead),
        blocks: wanted.blocks && scopes.has(Scope::ProfileRead),
        list: wanted.list && scopes.has(Scope::GroupsRead),
        ..wanted
    }
}

const PARTS: &str = "must be groups, topics, chats, drafts, blocks, conversation_list, saved or user, \
                     or several with commas";

/// The newest messages of a conversation, as JSON that exists already; none in the short form.
struct Messages<'a>(Option<Cow<'a, RawValue>>);

impl<'a> Messages<'a> {
    fn of(page: &'a RecentPage, detail: Detail, dialect: Dialect) -> Self {
        match detail {
            Detail::Whole => Self(Some(dialect.put_list(&page.json))),
            Detail::Short => Self(None),
        }
    }
}

impl Serialize for Messages<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(json) => json.serialize(to),
            None => to.serialize_seq(Some(0))?.end(),
        }
    }
}

/// Everything that a client starts with.
#[derive(JsonSchema)]
#[schemars(rename = "Snapshot")]
#[expect(dead_code, reason = "it is written piece by piece, within the bytes of a page")]
pub(super) struct SnapshotDocument<'a> {
    /// The cursor from which a push session continues.
    c: CursorText,
    /// The user; absent if the token lacks `profile:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<UserResource>,
    /// How the user's list of conversations is arranged; absent if the token lacks `groups:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_list: Option<ConversationListResource>,
    /// The messages that the user saved, the newest saved first; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<Vec<SavedPlace>>,
    /// The groups of the user; absent if the token lacks `messages:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupPart<'a>>>,
    /// Whether there are more groups than fit; `skip` shows them, and `GET /groups` lists all. Absent
    /// if there are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_groups: Option<bool>,
    /// The topics of these groups; absent if the token lacks `messages:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    topics: Option<Vec<TopicPart<'a>>>,
    /// Whether there are more topics than fit; `GET /groups/{id}/subgroups` lists those of a group.
    /// Absent if there are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_topics: Option<bool>,
    /// The chats of the user; absent if the token lacks `dms:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    chats: Option<Vec<ChatPart<'a>>>,
    /// Whether there are more chats than fit; `skip` shows them, and `GET /chats` lists all. Absent
    /// if there are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_chats: Option<bool>,
    /// The user's drafts.
    #[serde(skip_serializing_if = "Option::is_none")]
    drafts: Option<Vec<DraftResource<'a>>>,
    /// Whether there are more drafts than fit; `GET /drafts` lists all. Absent if there are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_drafts: Option<bool>,
    /// The users whom the user blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Vec<BlockResource>>,
    /// Whether there are more blocks than fit; `GET /blocks` lists all. Absent if there are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_blocks: Option<bool>,
}

/// A group with its newest messages.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SnapshotGroup")]
struct GroupPart<'a> {
    #[schemars(with = "GroupResource<'a>")]
    group: Box<RawValue>,
    /// The newest messages; none if the group is shown in short form.
    #[schemars(with = "Vec<GroupMessage<'a>>")]
    messages: Messages<'a>,
    /// The newest message without its attachments, if the group is shown in short form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<GroupMessage<'a>>")]
    last_message: Option<MessageJson>,
    /// The number `n` of the newest event.
    n: u64,
    /// The number `n` of the newest event that you have read.
    read_n: u64,
    /// How many messages you have not read.
    unread: u64,
    /// How many of the unread messages mention you or answer you, up to 1000.
    unread_mentions: u64,
    /// Whether you muted the group; in short form, nothing else tells.
    muted: bool,
    /// Until when you muted the group; null if it is not muted. Unix time in seconds; 253402300800
    /// means until you unmute it.
    muted_until: Option<u64>,
    /// Until when you are timed out, in Unix time in seconds; absent if you are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out_until: Option<u64>,
}

/// A topic with its newest messages.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SnapshotTopic")]
struct TopicPart<'a> {
    topic: TopicResource<'a>,
    /// The newest messages; none if the topic is shown in short form.
    #[schemars(with = "Vec<GroupMessage<'a>>")]
    messages: Messages<'a>,
    /// The newest message without its attachments, if the topic is shown in short form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<GroupMessage<'a>>")]
    last_message: Option<MessageJson>,
    /// The number `n` of the newest event.
    n: u64,
    /// The number `n` of the newest event that you have read.
    read_n: u64,
    /// How many messages you have not read.
    unread: u64,
    /// How many of the unread messages mention you or answer you, up to 1000.
    unread_mentions: u64,
    /// Until when you muted the topic; null if you did not. Unix time in seconds; 253402300800 means
    /// until you unmute it.
    muted_until: Option<u64>,
}

/// A chat with its newest messages.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SnapshotChat")]
struct ChatPart<'a> {
    chat: wire_chat::ChatJson,
    /// The newest messages; none if the chat is shown in short form.
    #[schemars(with = "Vec<DirectMessage<'a>>")]
    messages: Messages<'a>,
    /// The number `n` of the newest event.
    n: u64,
    /// The number `n` of the newest event that you have read.
    read_n: u64,
    /// How many messages you have not read.
    unread: u64,
    /// How many of the unread messages mention you or answer you, up to 1000.
    unread_mentions: u64,
    /// The number `n` of the newest event that the other user has read. Read receipts from before
    /// the snapshot are not sent again.
    other_read_n: u64,
    /// How many messages the other user has not read.
    other_unread: u64,
}

/// The JSON of a group with its newest messages.
fn group_part(
    (app, (user, dialect)): (&AppState, (UserId, Dialect)),
    entry: &GroupEntry,
    detail: Detail,
) -> Result<Vec<u8>, ApiError> {
    let GroupEntry { view, page, unread } = entry;
    let Unread { read_n, unread, mentions } = *unread;
    let mut group = Vec::new();
    let whole = dialect.whole(view, user);
    match detail {
        Detail::Whole => wire_group::write_shown(&mut group, whole, Members::Shown, &app.instance),
        Detail::Short => wire_group::write_short(&mut group, whole, &app.instance),
    }
    let group = String::from_utf8(group).map_err(|error| ApiError::fault(&error))?;
    let group = RawValue::from_string(group).map_err(|error| ApiError::fault(&error))?;
    let messages = Messages::of(page, detail, dialect);
    let newest = page.newest.as_ref().filter(|_| detail == Detail::Short);
    let last_message =
        newest.map(|it| dialect.message(&it.in_short(), view.group.id, &app.instance));
    let muted_until = view.group.member(user).and_then(Member::muted_until);
    let timeout = view.group.timeout_of(user, app.clock.now().wall);
    json(&GroupPart {
        group,
        messages,
        last_message,
        n: view.n,
        read_n,
        unread,
        unread_mentions: mentions,
        muted: muted_until.is_some(),
        muted_until: muted_until.map(Timestamp::seconds),
        timed_out_until: timeout.map(|timeout| timeout.until.seconds()),
    })
}

/// The JSON of a topic with its newest messages.
fn topic_part(
    app: &AppState,
    dialect: Dialect,
    entry: &TopicEntry,
    detail: Detail,
) -> Result<Vec<u8>, ApiError> {
    let TopicEntry { row, n, page, muted, unread } = entry;
    let Unread { read_n, unread, mentions } = *unread;
    let newest = page.newest.as_ref().filter(|_| detail == Detail::Short);
    let last_message =
        newest.map(|it| dialect.message(&it.in_short(), row.topic.id, &app.instance));
    let muted_until = muted.filter(|until| app.clock.now().wall < *until);
    json(&TopicPart {
        topic: TopicResource::of(row.group, &row.topic, &app.instance),
        messages: Messages::of(page, detail, dialect),
        last_message,
        n: *n,
        read_n,
        unread,
        unread_mentions: mentions,
        muted_until: muted_until.map(Timestamp::seconds),
    })
}

/// The JSON of a chat with its newest messages.
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
        Detail::Whole => dialect.message(&entry.last, pair, &app.instance),
        Detail::Short => dialect.message(&entry.last.in_short(), pair, &app.instance),
    };
    let log = wire_chat::ChatSummary {
        created_at: entry.created_at.seconds(),
        updated_at: entry.last.message.created_at(),
        count: entry.count,
        last,
        muted: entry.muted.filter(|until| app.clock.now().wall < *until),
        request: entry.request,
    };
    let other = (entry.other, dialect.other_user_id());
    let Unread { read_n, unread, mentions } = entry.unread;
    json(&ChatPart {
        chat: wire_chat::resource(log, other, &entry.profile, &app.instance),
        messages: Messages::of(&entry.page, detail, dialect),
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
