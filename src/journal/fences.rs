//! Fences: the stream heads as the writer has written them. A commit that was decided on another
//! head than its stream has is refused, so two rooms of one stream never both write.
//!
//! A stream that was not written since the journal was opened has no fence yet: its room has read
//! where it ends. Memory is bounded: the fence of a stream is forgotten once many thousands of
//! other streams were written after it, and the stream then counts as unwritten. If a stale room
//! writes to such a stream, the indexer notices by the stream's chain.

use std::collections::HashMap;

use crate::StreamHead;
use domain::ids::StreamId;

/// Streams in one generation. Two generations are kept, about 12 MB at most.
const STREAMS_PER_HALF: usize = 64 << 10;

/// The heads of the streams that were written lately.
#[derive(Debug, Default)]
pub(super) struct Fences {
    young: HashMap<StreamId, StreamHead>,
    old: HashMap<StreamId, StreamHead>,
}

impl Fences {
    /// Whether a commit that was decided on `head` may be written.
    pub(super) fn admits(&self, stream: StreamId, head: StreamHead) -> bool {
        let known = self.young.get(&stream).or_else(|| self.old.get(&stream));
        known.is_none_or(|end| *end == head)
    }

    /// Notes that the stream ends at `end` from now on.
    pub(super) fn moved(&mut self, stream: StreamId, end: StreamHead) {
        self.young.insert(stream, end);
        if self.young.len() >= STREAMS_PER_HALF {
            self.old = std::mem::take(&mut self.young);
        }
    }

    /// Drops the fence: where the stream ends is no longer known.
    pub(super) fn forget(&mut self, stream: StreamId) {
        self.young.remove(&stream);
        self.old.remove(&stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::GroupId;

    fn group(id: u64) -> StreamId {
        StreamId::Group(GroupId::new(id))
    }

    const fn head(n: u64) -> StreamHead {
        StreamHead { n, token: 7 * n }
    }

    #[test]
    fn stream_continues_only_at_its_head() {
        let mut fences = Fences::default();
        assert!(fences.admits(group(1), head(4)), "nothing is known of it yet");
        fences.moved(group(1), head(5));
        assert!(fences.admits(group(1), head(5)));
        assert!(!fences.admits(group(1), head(4)));
        assert!(!fences.admits(group(1), StreamHead { token: 1, ..head(5) }), "another record");
        assert!(fences.admits(group(2), head(1)));
        fences.forget(group(1));
        assert!(fences.admits(group(1), head(4)));
    }

    #[test]
    fn fences_are_bounded_and_those_that_move_stay() {
        let mut fences = Fences::default();
        fences.moved(group(0), head(1));
        for id in 1..5 * STREAMS_PER_HALF as u64 {
            fences.moved(group(id), head(1));
            if id % 10_000 == 0 {
                fences.moved(group(0), head(id));
            }
            assert!(fences.young.len() + fences.old.len() <= 2 * STREAMS_PER_HALF);
        }
        assert!(!fences.admits(group(0), head(1)));
    }
}
