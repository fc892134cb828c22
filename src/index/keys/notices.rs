//! Keys of rows about notices, and of what is due at a time.

use crate::domain::ids::{Pair, StreamId, UserId};
use crate::domain::time::Timestamp;
use crate::index::keys::{key, stream_bytes};

/// For what in a conversation a user wants notices.
pub(in crate::index) fn level(user: UserId, stream: StreamId) -> Vec<u8> {
    key(b'4', &[&user.get().to_be_bytes(), &stream_bytes(stream)])
}

pub(in crate::index) fn levels(user: UserId) -> Vec<u8> {
    key(b'4', &[&user.get().to_be_bytes()])
}

/// Until when a user wants no notices at all.
pub(in crate::index) fn all_muted(user: UserId) -> Vec<u8> {
    key(b'5', &[&user.get().to_be_bytes()])
}

/// Until when a user wants no notices of a chat.
pub(in crate::index) fn chat_muted(user: UserId, chat: Pair) -> Vec<u8> {
    key(b'!', &[&user.get().to_be_bytes(), &stream_bytes(StreamId::Chat(chat))])
}

pub(in crate::index) fn chats_muted(user: UserId) -> Vec<u8> {
    key(b'!', &[&user.get().to_be_bytes()])
}

/// The prefixes of all rows here that belong to a user.
pub(in crate::index) fn of_user(user: UserId) -> [Vec<u8>; 3] {
    [levels(user), all_muted(user), chats_muted(user)]
}

/// An appointment, by its time.
pub(in crate::index) fn alarm(at: Timestamp, alarm: &[u8]) -> Vec<u8> {
    key(b'6', &[&at.millis().to_be_bytes(), alarm])
}
