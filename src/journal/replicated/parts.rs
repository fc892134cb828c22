//! Parts: a commit that is longer than a message of the log may be goes into several.
//!
//! They follow each other under the fence of their shard, so the last one stands in the log
//! only if all do, and with it the commit counts, at its place. Parts before it put nothing
//! into a copy. A node that was started between them reads them again from the first one,
//! which the last one names.

use bytes::Bytes;

use crate::journal::queue::Pending;
use crate::journal::replicated::message::CommitPart;

/// Bytes of a part at most, also where the log takes more.
pub(super) const PART_BYTES: usize = 1 << 20;

/// A commit of which not everything was sent.
#[derive(Debug)]
pub(super) struct PartlySent {
    pub(super) commit: Pending,
    /// How many parts are missing.
    pub(super) left: u32,
    /// The sequence of the first part; 0 before it came.
    pub(super) first: u64,
}

/// Parts of a commit that came.
#[derive(Debug)]
pub(super) struct PartsSoFar {
    first: u64,
    left: u32,
    bytes: Vec<u8>,
}

impl PartsSoFar {
    /// The first one, that stands at this place in the log.
    pub(super) fn begin(sequence: u64, part: &CommitPart) -> Self {
        Self { first: sequence, left: part.left, bytes: part.bytes.to_vec() }
    }

    /// Where the first one stands.
    pub(super) const fn first(&self) -> u64 {
        self.first
    }

    /// Takes the next one in, if it is that.
    pub(super) fn add(&mut self, part: &CommitPart) {
        if (self.first, self.left) == (part.first, part.left + 1) {
            self.left = part.left;
            self.bytes.extend_from_slice(&part.bytes);
        }
    }

    /// Whether this last part is all that is missing.
    pub(super) fn lacks_only(&self, part: &CommitPart) -> bool {
        (self.first, self.left) == (part.first, 1)
    }

    /// All of them, one after the other.
    pub(super) fn joined(self) -> Bytes {
        self.bytes.into()
    }
}

impl PartlySent {
    /// Nothing was sent of it.
    pub(super) fn begin(commit: Pending, most_bytes: usize) -> Self {
        let count = commit.draft.len().div_ceil(most_bytes.max(1));
        Self { commit, left: u32::try_from(count).unwrap_or(u32::MAX), first: 0 }
    }

    /// The part that is next.
    pub(super) fn next(&self, most_bytes: usize) -> CommitPart {
        let all = self.commit.draft.bytes();
        let count = all.len().div_ceil(most_bytes.max(1));
        let left = self.left.saturating_sub(1);
        let sent = count.saturating_sub(self.left as usize) * most_bytes;
        let bytes = &all[sent..all.len().min(sent + most_bytes)];
        CommitPart { left, first: self.first, bytes: Bytes::copy_from_slice(bytes) }
    }
}
