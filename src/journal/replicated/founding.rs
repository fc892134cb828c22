//! How a log begins: empty, or from the journal of the one machine that it grows from.
//!
//! The first message founds the installation; of several nodes that try, the fence lets one.
//! A node that was a machine of its own then copies its journal into the log, piece by
//! piece, as it lies on its disk; nobody writes anything else until it is complete. Should
//! it stop in between, it goes on when it comes back.

use crate::journal::JournalFault;
use crate::journal::reader;
use crate::journal::replicated::copy::{LocalCopy, stopped};
use crate::journal::replicated::message::{Content, Seed};
use crate::journal::segment::HEADER;

/// Bytes of a piece.
const PIECE: usize = 256 << 10;

/// How far the beginning is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Founding {
    /// The log is empty.
    Awaited,
    /// A journal is being copied into it; this is the end of what is there.
    Seeded { until: u64 },
    /// It is over.
    Done,
}

impl Founding {
    /// What a node has to say next on how the log begins, if it has to say anything.
    ///
    /// # Errors
    /// When the own journal cannot be read.
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

/// The piece of the journal that follows, or that it is complete.
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
        let (capacity, offset) = (segment.capacity(), from - base);
        return Ok(Content::Seed(Seed { base, capacity, offset, bytes: bytes.into() }));
    }
    Ok(Content::Seeded)
}
