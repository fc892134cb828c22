//! Recent pages and snapshots: everything that a client starts from, as of one moment.
//!
//! All of it comes from rows of the index, so it is durable, and from one moment of them
//! ([`index::moment`]): each conversation is exactly what the events up to the snapshot's
//! cursor made of it. Most is read before that moment is held; during it, only what changed since
//! is read again, so it is held for a few milliseconds. The newest messages are kept in JSON until
//! something happens in their conversation.

use std::collections::HashMap;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::value::RawValue;

use crate::ask::Fault;
use crate::group::protocol::GroupView;
use crate::group_cache::GroupCache;
use crate::recent::LoadedMessage;
use domain::ids::{Conversation, Pair, StreamId, UserId};
use domain::message_requests::RequestState;
use domain::time::Timestamp;
use domain::user::{Block, ConversationList, Draft, Profile, SavedMessage, Unread, User};
use index::archive::{Archive, Page};
use index::rows::Tail;
use index::topics::TopicRow;
use index::{Index, IndexFault};
use journal::Cursor;
use wire::instance::Instance;

/// How much is shown of each conversation: a hundred times the bytes of a usual message. The newest
/// message is always shown; a client that wants more reads on from the oldest.
const RECENT: Extent = Extent { messages: 20, bytes: 64 << 10 };
/// How much is shown of the conversation that is open: as many messages as fill a large screen.
const OPEN: Extent = Extent { messages: 60, bytes: 192 << 10 };
/// Bytes of pages in the cache: those of some thousand conversations.
const KEPT_BYTES: u64 = 32 << 20;
/// Conversations that may be read while the moment is held: takes a few milliseconds.
const STALE_ALLOWED: usize = 16;
/// How often changed conversations are read again before the moment is held. Each round takes less
/// time than the one before, so fewer change during it.
const ROUNDS: usize = 4;

/// The parts of a snapshot that a client wants, beside the account.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// The user's groups.
    pub groups: bool,
    /// The topics of the user's groups.
    pub topics: bool,
    /// The user's chats.
    pub chats: bool,
    /// The user's drafts.
    pub drafts: bool,
    /// The users whom the user blocks.
    pub blocks: bool,
    /// How the user's list of conversations is arranged.
    pub list: bool,
    /// The messages that the user saved.
    pub saved: bool,
    /// The conversation that the client has open; it comes with more messages than the others.
    pub open: Option<Conversation>,
}

impl Wanted {
    /// How much of a conversation is shown.
    fn extent(&self, conv: Conversation) -> Extent {
        if self.open == Some(conv) { OPEN } else { RECENT }
    }
}

/// The most messages to show, and the most bytes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    messages: usize,
    bytes: usize,
}

/// Everything that one user sees at one moment.
#[derive(Debug)]
pub struct Snapshot {
    /// The position of the snapshot: contains every event before it, and none after.
    pub cursor: Cursor,
    /// The user; `None` if the account is gone.
    pub account: Option<User>,
    /// The groups, last activity first.
    pub groups: Vec<GroupEntry>,
    /// The topics of the groups, last activity first.
    pub topics: Vec<TopicEntry>,
    /// The chats, newest message first.
    pub chats: Vec<ChatEntry>,
    /// The drafts, of any age.
    pub drafts: Vec<(Conversation, Draft)>,
    /// The blocks that the user has set.
    pub blocks: Vec<Block>,
    /// How the user's list of conversations is arranged; `None` if that is not wanted.
    pub list: Option<ConversationList>,
    /// The messages that the user saved, the newest saved first.
    pub saved: Vec<SavedMessage>,
}

/// A group in a snapshot.
#[derive(Debug)]
pub struct GroupEntry {
    /// The group.
    pub view: GroupView,
    /// The group's newest messages.
    pub page: Arc<RecentPage>,
    /// The user's unread messages of the group.
    pub unread: Unread,
}

/// A topic in a snapshot.
#[derive(Debug)]
pub struct TopicEntry {
    /// The topic and its group.
    pub row: TopicRow,
    /// The number of the newest event (`n`).
    pub n: u64,
    /// The newest messages.
    pub page: Arc<RecentPage>,
    /// Until when the user muted the topic itself, also if that is over.
    pub muted: Option<Timestamp>,
    /// The user's unread messages of the topic.
    pub unread: Unread,
}

/// A chat in a snapshot.
#[derive(Debug)]
pub struct ChatEntry {
    /// The other user.
    pub other: UserId,
    /// The other user's public profile.
    pub profile: Profile,
    /// When the first message was sent.
    pub created_at: Timestamp,
    /// How many messages paging can reach.
    pub count: u64,
    /// The number of the newest event (`n`).
    pub n: u64,
    /// The newest message.
    pub last: Arc<LoadedMessage>,
    /// The newest messages.
    pub page: Arc<RecentPage>,
    /// Until when the user muted the chat, also if that is over.
    pub muted: Option<Timestamp>,
    /// What became of the request with which the other user began the chat; `None` if there is none,
    /// or it was accepted.
    pub request: Option<RequestState>,
    /// The user's unread messages of the chat.
    pub unread: Unread,
    /// The other user's unread messages of the chat.
    pub unread_by_other: Unread,
}

/// The newest messages of a conversation.
#[derive(Debug)]
pub struct RecentPage {
    /// The newest message; `None` if there is none.
    pub newest: Option<Arc<LoadedMessage>>,
    /// A JSON array of the messages, newest first.
    pub json: Box<RawValue>,
}

/// A conversation as it was read; current as long as its stream still ends at `tail`.
struct ConversationState {
    tail: Tail,
    shown: Shown,
    page: Arc<RecentPage>,
}

enum Shown {
    Group(GroupView),
    Topic(TopicRow),
    Chat(Timestamp),
}

#[derive(Debug, Clone)]
struct Bytes;

impl Weighter<StreamId, (u64, Arc<RecentPage>)> for Bytes {
    fn weight(&self, _: &StreamId, (_, page): &(u64, Arc<RecentPage>)) -> u64 {
        let newest = page.newest.as_ref().map_or(0, |newest| newest.bytes());
        (page.json.get().len() + newest) as u64 + 256
    }
}

/// Makes snapshots.
#[derive(Debug)]
pub(super) struct RecentPages {
    archive: Archive,
    instance: Arc<Instance>,
    group_cache: Arc<GroupCache>,
    /// The cached pages, each with the cursor of the event that its stream ended with.
    kept: Cache<StreamId, (u64, Arc<RecentPage>), Bytes>,
}

impl RecentPages {
    /// An empty cache.
    pub(super) fn over(
        archive: Archive,
        instance: Arc<Instance>,
        group_cache: Arc<GroupCache>,
    ) -> Self {
        let kept = Cache::with_weighter(10_000, KEPT_BYTES, Bytes);
        Self { archive, instance, group_cache, kept }
    }

    /// Returns what a user sees at one moment after the call: every event that was answered or
    /// delivered before the call is included.
    ///
    /// # Errors
    /// If the index or the journal cannot be read.
    pub(super) async fn snapshot(
        self: &Arc<Self>,
        user: UserId,
        wanted: Wanted,
    ) -> Result<Snapshot, Fault> {
        let list = move |archive: &Archive| conversations(&archive.index, user, wanted);
        let listed = self.archive.read_current(user, list).await?;
        let pages = Arc::clone(self);
        let read = move |_: &Archive, conv| {
            Ok(pages.conversation_state(conv, wanted)?.map(|state| (conv, state)))
        };
        let states = self.archive.read_current_each(user, listed, read).await?;
        let states = states.into_iter().flatten().collect();
        let pages = Arc::clone(self);
        let one_moment = move |_: &Archive| pages.of_one_moment(user, wanted, states);
        Ok(self.archive.blocking(user, one_moment).await?)
    }

    fn of_one_moment(
        &self,
        user: UserId,
        wanted: Wanted,
        mut states: HashMap<Conversation, ConversationState>,
    ) -> Result<Snapshot, IndexFault> {
        self.refresh(&mut states, wanted)?;
        let index = &self.archive.index;
        let held = index.hold();
        let account = index.account(user)?;
        let mut groups = Vec::new();
        let mut topics: Vec<(u64, TopicEntry)> = Vec::new();
        let mut chats: Vec<ChatEntry> = Vec::new();
        for conv in conversations(index, user, wanted)? {
            let known = states.remove(&conv);
            let state = match known {
                Some(state) if self.is_current(conv, &state)? => state,
                Some(_) | None => match self.conversation_state(conv, wanted)? {
                    Some(state) => state,
                    None => continue,
                },
            };
            let ConversationState { tail, shown, page } = state;
            let unread = index.unread_in_rows(user, conv)?;
            match (conv, shown) {
                (Conversation::Group(_), Shown::Group(view)) => {
                    groups.push((tail.spoke, GroupEntry { view, page, unread }));
                }
                (Conversation::Group(_), Shown::Topic(row)) => {
                    let muted = index.conversation_muted(user, conv)?;
                    topics.push((tail.spoke, TopicEntry { row, n: tail.n, page, muted, unread }));
                }
                (Conversation::Chat(pair), Shown::Chat(created_at)) => {
                    chats.extend(self.chat_entry(user, pair, created_at, tail, page, unread)?);
                }
                (Conversation::Group(_), Shown::Chat(_))
                | (Conversation::Chat(_), Shown::Group(_) | Shown::Topic(_)) => {}
            }
        }
        if !chats.is_empty() {
            let requested = index.requested_chats(user)?;
            for chat in &mut chats {
                chat.request = Pair::of(user, chat.other)
                    .and_then(|pair| requested.state(StreamId::Chat(pair)));
            }
        }
        let drafts = if wanted.drafts { index.drafts(user)? } else { Vec::new() };
        let blocks = if wanted.blocks { index.blocks(user)? } else { Vec::new() };
        let arranged = account.as_ref().filter(|_| wanted.list);
        let list = arranged.map(|account| index.conversation_list(account)).transpose()?;
        let saved = if wanted.saved { index.saved(user)? } else { Vec::new() };
        let saved = saved.into_iter().rev().collect();
        let cursor = self.archive.moment(&held);
        drop(held);
        let blocks = blocks.into_iter().map(|(other, at)| Block { by: user, other, at }).collect();
        groups.sort_by_key(|(spoke, _)| std::cmp::Reverse(*spoke));
        chats.sort_by_key(|chat| std::cmp::Reverse(chat.last.message.id));
        let groups = groups.into_iter().map(|(_, group)| group).collect();
        topics.sort_by_key(|(spoke, _)| std::cmp::Reverse(*spoke));
        let topics = topics.into_iter().map(|(_, topic)| topic).collect();
        Ok(Snapshot { cursor, account, groups, topics, chats, drafts, blocks, list, saved })
    }

    fn chat_entry(
        &self,
        user: UserId,
        pair: Pair,
        created_at: Timestamp,
        tail: Tail,
        page: Arc<RecentPage>,
        unread: Unread,
    ) -> Result<Option<ChatEntry>, IndexFault> {
        let index = &self.archive.index;
        let (Some(other), Some(last)) = (pair.other(user), page.newest.clone()) else {
            return Ok(None);
        };
        let Some(profile) = index.profile(other)? else { return Ok(None) };
        let unread_by_other = index.unread_in_rows(other, pair.into())?;
        let muted = index.conversation_muted(user, pair.into())?;
        let Tail { n, count, .. } = tail;
        Ok(Some(ChatEntry {
            other,
            profile,
            created_at,
            count,
            n,
            last,
            page,
            muted,
            request: None,
            unread,
            unread_by_other,
        }))
    }

    /// Reads changed conversations again, until few have changed.
    fn refresh(
        &self,
        states: &mut HashMap<Conversation, ConversationState>,
        wanted: Wanted,
    ) -> Result<(), IndexFault> {
        for _ in 0..ROUNDS {
            let mut stale = Vec::new();
            for (conv, state) in &*states {
                if !self.is_current(*conv, state)? {
                    stale.push(*conv);
                }
            }
            if stale.len() <= STALE_ALLOWED {
                break;
            }
            for conv in stale {
                states.remove(&conv);
                states.extend(self.conversation_state(conv, wanted)?.map(|state| (conv, state)));
            }
        }
        Ok(())
    }

    fn is_current(
        &self,
        conv: Conversation,
        state: &ConversationState,
    ) -> Result<bool, IndexFault> {
        let index = &self.archive.index;
        let is_same = match (conv, &state.shown) {
            // A topic is changed in its group.
            (Conversation::Group(id), Shown::Topic(row)) => index.topic(id)?.as_ref() == Some(row),
            (Conversation::Group(_) | Conversation::Chat(_), _) => true,
        };
        Ok(is_same && index.tail(conv.into())?.unwrap_or_default() == state.tail)
    }

    /// Reads a conversation from the index; `None` if it is gone. The end of its stream is read
    /// first: a later change moves that end, so the result is then known to be stale.
    fn conversation_state(
        &self,
        conv: Conversation,
        wanted: Wanted,
    ) -> Result<Option<ConversationState>, IndexFault> {
        let index = &self.archive.index;
        let stream = StreamId::from(conv);
        let tail = index.tail(stream)?.unwrap_or_default();
        let shown = match conv {
            Conversation::Group(id) => match index.topic(id)? {
                Some(row) => Some(Shown::Topic(row)),
                None => self.group_cache.look(id, &tail)?.map(Shown::Group),
            },
            Conversation::Chat(pair) => index.chat(pair)?.map(|row| Shown::Chat(row.created_at)),
        };
        let Some(shown) = shown else { return Ok(None) };
        let page = self.page(conv, &tail, wanted.extent(conv))?;
        Ok(Some(ConversationState { tail, shown, page }))
    }

    fn page(
        &self,
        conv: Conversation,
        tail: &Tail,
        extent: Extent,
    ) -> Result<Arc<RecentPage>, IndexFault> {
        let stream = StreamId::from(conv);
        if extent != RECENT {
            return self.read_page(conv, extent);
        }
        if let Some((end, page)) = self.kept.get(&stream)
            && end == tail.cursor
        {
            return Ok(page);
        }
        let page = self.read_page(conv, extent)?;
        self.kept.insert(stream, (tail.cursor, Arc::clone(&page)));
        Ok(page)
    }

    fn read_page(&self, conv: Conversation, extent: Extent) -> Result<Arc<RecentPage>, IndexFault> {
        let messages = self.archive.page(conv.into(), Page::Newest, extent.messages)?;
        let messages: Vec<_> = messages.into_iter().map(LoadedMessage::archived).collect();
        let mut json = String::from("[");
        for (place, logged) in messages.iter().enumerate() {
            let shown = logged.json(conv, &self.instance).get();
            if place > 0 {
                if json.len() + shown.len() > extent.bytes {
                    break;
                }
                json.push(',');
            }
            json.push_str(shown);
        }
        json.push(']');
        let json = RawValue::from_string(json).expect("a list of JSON is JSON");
        let newest = messages.into_iter().next();
        Ok(Arc::new(RecentPage { newest, json }))
    }
}

/// Lists the wanted conversations that a user is in.
fn conversations(
    index: &Index,
    user: UserId,
    wanted: Wanted,
) -> Result<Vec<Conversation>, IndexFault> {
    let mut found = Vec::new();
    if wanted.groups {
        let seats = index.seats(user)?.into_iter().filter(|(_, seat)| seat.is_active());
        found.extend(seats.map(|(group, _)| Conversation::Group(group)));
    }
    if wanted.topics {
        found.extend(index.topics_for(user)?.into_iter().map(Conversation::Group));
    }
    if wanted.chats {
        let chats = index.chats(user)?.into_iter();
        found.extend(chats.filter_map(|(other, _)| Pair::of(user, other)).map(Conversation::Chat));
    }
    Ok(found)
}
