//! A cache of message frames that were read back from the journal: after a network failure,
//! everybody in a conversation reconnects and reads the same.

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::slot::Frame;
use journal::Cursor;

/// Bytes of frames that are kept: about ten thousand usual messages.
const KEPT_BYTES: u64 = 8 << 20;
/// Bytes that a frame takes beside its text, for the message itself.
const BESIDE_ITS_TEXT: u64 = 1 << 10;

/// The newest frames that were read back. They show messages as they were posted and belong to no
/// reader, so the caller first checks what its reader may still be shown.
#[derive(Debug)]
pub struct ReplayedFrames(Cache<Cursor, Frame, Bytes>);

#[derive(Debug, Clone)]
struct Bytes;

impl Weighter<Cursor, Frame> for Bytes {
    fn weight(&self, _: &Cursor, frame: &Frame) -> u64 {
        frame.text.len() as u64 + BESIDE_ITS_TEXT
    }
}

impl Default for ReplayedFrames {
    fn default() -> Self {
        Self(Cache::with_weighter(10_000, KEPT_BYTES, Bytes))
    }
}

impl ReplayedFrames {
    /// The frame of the message that was posted by the event at this cursor.
    pub(super) fn find(&self, cursor: Cursor) -> Option<Frame> {
        self.0.get(&cursor)
    }

    /// Keeps a frame.
    pub(super) fn keep(&self, frame: &Frame) {
        self.0.insert(frame.told.cursor, frame.clone());
    }
}
