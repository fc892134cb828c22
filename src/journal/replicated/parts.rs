//! Parts: a commit that is longer than a message of the log may be is sent as several messages.
//!
//! The parts follow each other under the fence of their shard, so the last one is in the log only
//! if all are; the commit counts from the last part, at its place. The parts before it add nothing
//! to a copy. A node that was started between them reads them again from the first one, which the
//! last one names.

use bytes::Bytes;

use crate::queue::Pending;
use crate::replicated::message::CommitPart;

/// Most bytes of a part, even if the log would take more.
pub(super) const PART_BYTES: usize = 1 << 20;

/// A commit of which some parts are still to be sent.
#[derive(Debug)]
pub(super) struct PartlySent {
    pub(super) commit: Pending,
    /// How many parts are still to be sent.
    pub(super) left: u32,
    /// The sequence of the first part; 0 until it has come.
    pub(super) first: u64,
}

/// The parts of a commit that have come so far.
#[derive(Debug)]
pub(super) struct PartsSoFar {
    first: u64,
    left: u32,
    bytes: Vec<u8>,
}

impl PartsSoFar {
    /// Begins with the first part, which stands at `sequence` in the log.
    pub(super) fn begin(sequence: u64, part: &CommitPart) -> Self {
        Self { first: sequence, left: part.left, bytes: part.bytes.to_vec() }
    }

    /// The sequence of the first part.
    pub(super) const fn first(&self) -> u64 {
        self.first
    }

    /// Adds a part, if it is the next one.
    pub(super) fn add(&mut self, part: &CommitPart) {
        if (self.first, self.left) == (part.first, part.left + 1) {
            self.left = part.left;
            self.bytes.extend_from_slice(&part.bytes);
        }
    }

    /// Whether `part` is the last one and the only one missing.
    pub(super) fn lacks_only(&self, part: &CommitPart) -> bool {
        (self.first, self.left) == (part.first, 1)
    }

    /// The bytes of all parts, joined.
    pub(super) fn joined(self) -> Bytes {
        self.bytes.into()
    }
}

impl PartlySent {
    /// A commit of which no part was sent yet.
    pub(super) fn begin(commit: Pending, most_bytes: usize) -> Self {
        let count = commit.draft.len().div_ceil(most_bytes.max(1));
        Self { commit, left: u32::try_from(count).unwrap_or(u32::MAX), first: 0 }
    }

    /// The next part to send.
    pub(super) fn next(&self, most_bytes: usize) -> CommitPart {
        let all = self.commit.draft.bytes();
        let count = all.len().div_ceil(most_bytes.max(1));
        let left = self.left.saturating_sub(1);
        let sent = count.saturating_sub(self.left as usize) * most_bytes;
        let bytes = &all[sent..all.len().min(sent + most_bytes)];
        CommitPart { left, first: self.first, bytes: Bytes::copy_from_slice(bytes) }
    }
}
