//! Keys of rows about files: see [`crate::index::files`].

use crate::domain::file::FileId;
use crate::domain::gallery::GalleryKind;
use crate::domain::ids::{MessageId, StreamId, UserId};
use crate::domain::time::Timestamp;
use crate::index::keys::{key, last_number, stream_bytes};

/// A file of a conversation.
pub(in crate::index) fn file(stream: StreamId, id: &FileId) -> Vec<u8> {
    key(b'$', &[&stream_bytes(stream), id.as_str().as_bytes()])
}

/// A message that has something of this kind.
pub(in crate::index) fn gallery(
    stream: StreamId,
    kind: GalleryKind,
    message: MessageId,
) -> Vec<u8> {
    key(b'@', &[&stream_bytes(stream), &[kind.letter()], &message.get().to_be_bytes()])
}

/// The message, read from a key made by [`gallery`].
pub(in crate::index) fn gallery_message(key: &[u8]) -> MessageId {
    MessageId::new(last_number(key))
}

/// The ids of the files that a message carries or carried.
pub(in crate::index) fn of_message(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'%', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// How many files have this content.
pub(in crate::index) fn content(digest: &str) -> Vec<u8> {
    key(b'&', &[digest.as_bytes()])
}

/// The total size of the files that a user sent.
pub(in crate::index) fn owned(owner: UserId) -> Vec<u8> {
    key(b'=', &[&owner.get().to_be_bytes()])
}

/// A content that no message had any more from a time on.
pub(in crate::index) fn forgotten(at: Timestamp, digest: &str) -> Vec<u8> {
    key(b'~', &[&at.millis().to_be_bytes(), digest.as_bytes()])
}

/// The name after the time, in a key made by [`forgotten`] or by `past::image_let_go`.
pub(in crate::index) fn forgotten_of(key: &[u8]) -> String {
    String::from_utf8_lossy(key.get(9..).unwrap_or_default()).into_owned()
}
