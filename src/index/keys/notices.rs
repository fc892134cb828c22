//! Keys of rows about notices, and of what is due at a time.

use crate::domain::ids::{Pair, StreamId, UserId};
use crate::domain::time::Timestamp;
use crate::index::keys::{key, stream_bytes};

/// Of what in a conversation somebody wants notices.
pub(in crate::index) fn level(user: UserId, stream: StreamId) -> Vec<u8> {
    key(b'4', &[&user.get().to_be_bytes(), &stream_bytes(stream)])
}

pub(in crate::index) fn levels(user: UserId) -> Vec<u8> {
    key(b'4', &[&user.get().to_be_bytes()])
}

/// Until when somebody wants no notices at all.
pub(in crate::index) fn all_muted(user: UserId) -> Vec<u8> {
    key(b'5', &[&user.get().to_be_bytes()])
}

/// Until when somebody wants no notices of a chat.
pub(in crate::index) fn chat_muted(user: UserId, chat: Pair) -> Vec<u8> {
    key(b'!', &[&user.get().to_be_bytes(), &stream_bytes(StreamId::Chat(chat))])
}

pub(in crate::index) fn chats_muted(user: UserId) -> Vec<u8> {
    key(b'!', &[&user.get().to_be_bytes()])
}

/// What all of these begin with.
pub(in crate::index) fn of_user(user: UserId) -> [Vec<u8>; 3] {
    [levels(user), all_muted(user), chats_muted(user)]
}

/// What is due at a time.
pub(in crate::index) fn alarm(at: Timestamp, alarm: &[u8]) -> Vec<u8> {
    key(b'6', &[&at.millis().to_be_bytes(), alarm])
}
