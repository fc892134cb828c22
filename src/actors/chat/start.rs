//! Loads a chat's room from what is durable.

use crate::last_minute::last_minute;
use crate::room_context::RoomContext;
use domain::chat::Chat;
use domain::ids::{Pair, StreamId};
use domain::time::Moment;
use index::IndexFault;
use index::archive::{Archive, Archived, Page};
use journal::StreamHead;

/// A chat, its newest message, and where its stream ends.
pub(super) struct LoadedChat {
    pub(super) chat: Chat,
    pub(super) last: Option<Archived>,
    pub(super) head: StreamHead,
}

/// Loads a chat; an empty one if no message was ever sent.
pub(super) async fn load(pair: Pair, context: RoomContext) -> Result<LoadedChat, IndexFault> {
    let RoomContext { archive, clock, operator_rules, .. } = context;
    let read = archive.read_current(StreamId::Chat(pair), move |archive| {
        operator_rules.load(&archive.index)?;
        read(pair, archive, clock.now())
    });
    read.await
}

fn read(pair: Pair, archive: &Archive, now: Moment) -> Result<LoadedChat, IndexFault> {
    let stream = StreamId::Chat(pair);
    let row = archive.index.chat(pair)?;
    let tail = archive.index.tail(stream)?.unwrap_or_default();
    let last = archive.page(stream, Page::Newest, 1)?.pop();
    // A repeated post is answered with the stored message as it is now, so with its newest
    // revision.
    let as_now = |message| archive.current_one(stream, message);
    let newest = last.as_ref().map(|it| &*it.message);
    let guids = last_minute(archive, stream, newest, now, as_now)?;
    let count = last.as_ref().map_or(0, |it| it.message.count);
    let assembled = Chat::assembled(pair, row.map(|row| row.created_at), count, guids);
    let pins = archive.index.pinned(stream)?.into_iter().collect();
    let calendar = archive.index.open_calendar(stream, now.wall)?.into_iter().collect();
    let chat = Chat { pins, calendar, ..assembled };
    Ok(LoadedChat { chat, last, head: tail.head() })
}
