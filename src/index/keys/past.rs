//! Keys of rows that tell what was ([`crate::index::past`]), and of other rows of messages, drafts,
//! polls and calendars.

use crate::domain::ids::{
    CalendarEventId, Conversation, GroupId, MessageId, Pair, PollId, StreamId, UserId,
};
use crate::domain::time::Timestamp;
use crate::index::keys::{key, stream_bytes};

/// A group or an account as it was right after an event that shows it.
pub(in crate::index) fn shown(stream: StreamId, n: u64) -> Vec<u8> {
    key(b'W', &[&stream_bytes(stream), &n.to_be_bytes()])
}

pub(in crate::index) fn all_shown(stream: StreamId) -> Vec<u8> {
    key(b'W', &[&stream_bytes(stream)])
}

/// A member of a group as they were from an event on.
pub(in crate::index) fn member(group: GroupId, user: UserId, n: u64) -> Vec<u8> {
    let parts = [group.get().to_be_bytes(), user.get().to_be_bytes(), n.to_be_bytes()];
    key(b'F', &[&parts[0], &parts[1], &parts[2]])
}

pub(in crate::index) fn members(group: GroupId) -> Vec<u8> {
    key(b'F', &[&group.get().to_be_bytes()])
}

/// The edits, deletion, pin, thread and previews of a message.
pub(in crate::index) fn revision(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'S', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// A message's pin from an event on.
pub(in crate::index) fn pin_then(stream: StreamId, message: MessageId, n: u64) -> Vec<u8> {
    key(b'Z', &[&stream_bytes(stream), &message.get().to_be_bytes(), &n.to_be_bytes()])
}

pub(in crate::index) fn pins_then(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'Z', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// A message that is pinned now.
pub(in crate::index) fn pinned(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'1', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

pub(in crate::index) fn all_pinned(stream: StreamId) -> Vec<u8> {
    key(b'1', &[&stream_bytes(stream)])
}

/// An answer in a thread, by the first message of the thread.
pub(in crate::index) fn answer(stream: StreamId, base: MessageId, message: MessageId) -> Vec<u8> {
    let (base, message) = (base.get().to_be_bytes(), message.get().to_be_bytes());
    key(b'2', &[&stream_bytes(stream), &base, &message])
}

pub(in crate::index) fn answers(stream: StreamId, base: MessageId) -> Vec<u8> {
    key(b'2', &[&stream_bytes(stream), &base.get().to_be_bytes()])
}

/// A user's draft in a conversation.
pub(in crate::index) fn draft(user: UserId, stream: StreamId) -> Vec<u8> {
    key(b'3', &[&user.get().to_be_bytes(), &stream_bytes(stream)])
}

pub(in crate::index) fn drafts(user: UserId) -> Vec<u8> {
    key(b'3', &[&user.get().to_be_bytes()])
}

/// The conversation in the key of a draft.
pub(in crate::index) fn conversation_of_draft(key: &[u8]) -> Option<Conversation> {
    let number = |at: usize| key.get(at..at + 8)?.try_into().ok().map(u64::from_be_bytes);
    match key.get(9)? {
        b'g' => Some(GroupId::new(number(10)?).into()),
        b'd' => {
            Pair::of(UserId::new(number(10)?), UserId::new(number(18)?)).map(Conversation::from)
        }
        _ => None,
    }
}

/// The uses of an image.
pub(in crate::index) fn image(name: &str) -> Vec<u8> {
    key(b'K', &[name.as_bytes()])
}

/// An image that nothing may show from a time on.
pub(in crate::index) fn image_let_go(at: Timestamp, name: &str) -> Vec<u8> {
    key(b'-', &[&at.millis().to_be_bytes(), name.as_bytes()])
}

/// The names of the images that a message carries or carried.
pub(in crate::index) fn images(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'X', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// The users whom a message is for.
pub(in crate::index) fn addressed(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'H', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// A message for a user, by the number of the event that posted it.
pub(in crate::index) fn mention(user: UserId, stream: StreamId, n: u64) -> Vec<u8> {
    key(b'L', &[&user.get().to_be_bytes(), &stream_bytes(stream), &n.to_be_bytes()])
}

/// A poll.
pub(in crate::index) fn poll(stream: StreamId, poll: PollId) -> Vec<u8> {
    key(b'7', &[&stream_bytes(stream), &poll.get().to_be_bytes()])
}

pub(in crate::index) fn polls(stream: StreamId) -> Vec<u8> {
    key(b'7', &[&stream_bytes(stream)])
}

/// A poll that has not ended.
pub(in crate::index) fn open_poll(stream: StreamId, poll: PollId) -> Vec<u8> {
    key(b':', &[&stream_bytes(stream), &poll.get().to_be_bytes()])
}

pub(in crate::index) fn open_polls(stream: StreamId) -> Vec<u8> {
    key(b':', &[&stream_bytes(stream)])
}

/// A vote, by the number of the event that cast it.
pub(in crate::index) fn vote(stream: StreamId, poll: PollId, n: u64) -> Vec<u8> {
    key(b'8', &[&stream_bytes(stream), &poll.get().to_be_bytes(), &n.to_be_bytes()])
}

pub(in crate::index) fn votes(stream: StreamId, poll: PollId) -> Vec<u8> {
    key(b'8', &[&stream_bytes(stream), &poll.get().to_be_bytes()])
}

/// An event of a calendar.
pub(in crate::index) fn planned(stream: StreamId, event: CalendarEventId) -> Vec<u8> {
    key(b'9', &[&stream_bytes(stream), &event.get().to_be_bytes()])
}

pub(in crate::index) fn calendar(stream: StreamId) -> Vec<u8> {
    key(b'9', &[&stream_bytes(stream)])
}

/// An event of a calendar, by the time until which it is open.
pub(in crate::index) fn open_planned(
    stream: StreamId,
    until: Timestamp,
    event: CalendarEventId,
) -> Vec<u8> {
    let (until, event) = (until.millis().to_be_bytes(), event.get().to_be_bytes());
    key(b';', &[&stream_bytes(stream), &until, &event])
}

pub(in crate::index) fn open_calendar(stream: StreamId) -> Vec<u8> {
    key(b';', &[&stream_bytes(stream)])
}

/// A change of an event of a calendar, by the number of the logged event that brought it.
pub(in crate::index) fn planned_change(
    stream: StreamId,
    event: CalendarEventId,
    n: u64,
) -> Vec<u8> {
    key(b'+', &[&stream_bytes(stream), &event.get().to_be_bytes(), &n.to_be_bytes()])
}

pub(in crate::index) fn planned_changes(stream: StreamId, event: CalendarEventId) -> Vec<u8> {
    key(b'+', &[&stream_bytes(stream), &event.get().to_be_bytes()])
}
