//! Marks: the notes that a node's copy has before the records of each message of the log.
//!
//! A mark looks like a record without events, of no stream, so that readers of the file can skip
//! it. In place of a commit's fields it has:
//!
//! ```text
//! 24  u64   sequence of the message in the log
//! 32  u64   running check value of every record before it
//! 40  u64   installation
//! 48  u64   writer of the message
//! 56  u64   the writer's number for the message
//! 64  u16   shard; 65535 for the installation
//! 66  u8    kind of the message
//! 67  u8    unused
//! 68  u32   number of records that belong to the message
//! 72  u64   unused
//! ```

use crate::record::{self, MARK, number32, number64};

/// Bytes of a mark.
pub(super) const LENGTH: usize = record::HEADER;

/// A mark; the file's header explains the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) sequence: u64,
    pub(super) sum: u64,
    pub(super) installation: u64,
    pub(super) writer: u64,
    pub(super) number: u64,
    pub(super) shard: u16,
    pub(super) kind: u8,
    pub(super) count: u32,
}

impl Mark {
    /// Appends the mark's bytes for this position to the batch.
    pub(super) fn write(&self, at: u64, batch_start: u64, batch: &mut Vec<u8>) {
        let mut bytes = [0; LENGTH];
        bytes[..4].copy_from_slice(&record::length_field(LENGTH));
        bytes[20..22].copy_from_slice(&[record::VERSION, MARK]);
        let words = [self.sequence, self.sum, self.installation, self.writer, self.number];
        for (word, at) in words.into_iter().zip((24..).step_by(8)) {
            bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        bytes[64..66].copy_from_slice(&self.shard.to_le_bytes());
        bytes[66] = self.kind;
        bytes[68..72].copy_from_slice(&self.count.to_le_bytes());
        record::place_bytes(&mut bytes, at, batch_start);
        batch.extend_from_slice(&bytes);
    }

    /// Decodes these (verified) bytes if they are a mark.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let word = |at| number64(bytes, at);
        record::is_mark(bytes).then_some(())?;
        Some(Self {
            sequence: word(24)?,
            sum: word(32)?,
            installation: word(40)?,
            writer: word(48)?,
            number: word(56)?,
            shard: (number32(bytes, 64)? & 0xffff) as u16,
            kind: *bytes.get(66)?,
            count: number32(bytes, 68)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_record_round_trips() {
        let mark = Mark {
            sequence: 1,
            sum: 2,
            installation: 3,
            writer: 4,
            number: 5,
            shard: 65_535,
            kind: 6,
            count: 7,
        };
        let mut bytes = Vec::new();
        mark.write(4096, 64, &mut bytes);
        assert_eq!(record::verify(&bytes, 4096), Ok(LENGTH));
        assert_eq!(record::batch_start(&bytes, 4096), 64);
        assert_eq!(Mark::read(&bytes), Some(mark));
    }
}
