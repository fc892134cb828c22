//! How a log begins: empty, or with the journal of the one machine that it grows from.
//!
//! The first message founds the installation; if several nodes try, the fence lets one in. A node
//! that was a machine of its own then copies its journal into the log, piece by piece, as it is on
//! its disk; nobody writes anything else until the copy is complete. If the node stops in between,
//! it continues after its restart.

use crate::replicated::copy::{LocalCopy, stopped};
use crate::replicated::message::{Content, Seed};
use crate::segment::HEADER;
use crate::{JournalFault, reader};

/// Bytes of journal in one piece.
const PIECE: usize = 256 << 10;

/// How far the founding of the log has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Founding {
    /// The log is empty.
    Awaited,
    /// A journal is being copied into the log; the pieces so far end at position `until`.
    Seeded { until: u64 },
    /// The log is founded.
    Done,
}

impl Founding {
    /// The next message by which this node founds the log or copies its journal into it, if any.
    /// `is_grower` says that the node's journal was a machine's before.
    ///
    /// # Errors
    /// If the node's own journal cannot be read or does not belong to the log.
    pub(super) fn next(
        self,
        copy: &LocalCopy,
        is_grower: bool,
    ) -> Result<Option<Content>, JournalFault> {
        match self {
            Self::Awaited if copy.is_empty() => Ok(Some(Content::Founded { is_seeded: false })),
            Self::Awaited if is_grower => Ok(Some(Content::Founded { is_seeded: true })),
            Self::Awaited => Err(stopped("join", "the log is empty, but the data here is not")),
            Self::Seeded { until } if is_grower => piece(copy, until).map(Some),
            Self::Seeded { .. } | Self::Done => Ok(None),
        }
    }
}

/// The next piece of the journal after `until`, or the message that the seed is complete.
fn piece(copy: &LocalCopy, until: u64) -> Result<Content, JournalFault> {
    let end = copy.end();
    let mut from = until.max(HEADER);
    while from < end {
        let Some((base, segment)) = copy.segments.covering(from) else { break };
        let next = base + segment.capacity();
        let used = reader::used_until(&copy.segments, base)?.min(end);
        if from >= used {
            from = next + HEADER;
            continue;
        }
        let length = usize::try_from(used - from).unwrap_or(PIECE).min(PIECE);
        let mut bytes = vec![0; length];
        let got = copy.segments.read_at(&mut bytes, from);
        let got =
            got.map_err(|error| JournalFault::Unreadable { at: from, reason: error.to_string() })?;
        bytes.truncate(got);
        let capacity = segment.capacity();
        let offset = from - base;
        return Ok(Content::Seed(Seed { base, capacity, offset, bytes: bytes.into() }));
    }
    Ok(Content::Seeded)
}
