//! The messages that nodes write into the shared log, each whole or not at all.
//!
//! ```text
//!  0  4 bytes  `CtL1`
//!  4  u32      CRC-32C of everything after it
//!  8  u8       version of the layout in which nodes write messages into their copies
//!  9  u8       kind
//! 10  u16      shard; 65535 for the installation
//! 12  u32      number of records; of a part, how many parts follow; of a founding
//!              message, 1 if a seed follows; of a take-over, 1 if it closes the shard
//! 16  u64      installation
//! 24  u64      writer: one run of one node
//! 32  u64      number, unique for this writer; writer and number name the message
//! 40  u64      how far the writer's copy reached: sequence …
//! 48  u64      … and running check value
//! 56           content, by kind
//! ```
//!
//! All numbers are little-endian. Records are encoded once, by the node that decided them, and come
//! without their position.

use bytes::Bytes;

use crate::record;
use crate::replicated::key::InstallationKey;
use crate::replicated::log::Subject;
use crate::replicated::shard::Shard;

/// Bytes before the content.
pub(super) const HEADER: usize = 56;
const MAGIC: &[u8; 4] = b"CtL1";
/// Version of the layout in which nodes write messages into their copies.
const LAYOUT: u8 = 1;
const NO_SHARD: u16 = u16::MAX;
/// Numbers from here on belong to messages with a code. The bits below it begin with a part of the
/// key's print, so that a copy shows under which key its newest message was written.
const WITH_CODE: u64 = 1 << 63;
/// Bits of a number that count.
const COUNT_BITS: u32 = 40;

/// A decoded message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogMessage {
    pub(super) subject: Subject,
    pub(super) installation: u64,
    pub(super) name: MessageName,
    pub(super) known: CopyPoint,
    pub(super) content: Content,
}

/// Names a message; unique, since a writer never uses a number twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MessageName {
    pub(super) writer: u64,
    pub(super) number: u64,
}

/// The number before the first one that a run uses for messages with a code under this key.
pub(super) fn number_under(key: &InstallationKey) -> u64 {
    WITH_CODE | (key.print() << COUNT_BITS & !WITH_CODE)
}

/// Whether this is the number of a message with a code.
pub(super) const fn has_code(number: u64) -> bool {
    number & WITH_CODE != 0
}

/// Whether this is the number of a message with a code under this key.
pub(super) fn is_under(number: u64, key: &InstallationKey) -> bool {
    number >> COUNT_BITS == number_under(key) >> COUNT_BITS
}

/// The newest message in a copy, and the copy's running check value there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CopyPoint {
    pub(super) sequence: u64,
    pub(super) sum: u64,
}

/// The content of a message, by kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// The log of an installation begins. If `is_seeded`, the journal that the installation had
    /// before follows as seeds.
    Founded { is_seeded: bool },
    /// A piece of the journal that the installation had before.
    Seed(Seed),
    /// The seed is complete.
    Seeded,
    /// From here on only the writer writes on the shard. If `closes`, it writes on no shard but the
    /// first one; earlier versions wrote on all.
    TakenOver { closes: bool },
    /// Records, concatenated.
    Commits { count: u32, records: Bytes },
    /// A part of a record that is longer than a message may be.
    Part(CommitPart),
}

/// A part of a long record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitPart {
    /// How many parts follow this one.
    pub(super) left: u32,
    /// The sequence of the first part; 0 in the first part itself.
    pub(super) first: u64,
    pub(super) bytes: Bytes,
}

/// Bytes of a part's header, before its piece of the record.
pub(super) const PART_HEADER: usize = 8;

/// A piece of a segment, as it is on the disk of the machine that the log grew from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seed {
    pub(super) base: u64,
    pub(super) capacity: u64,
    pub(super) offset: u64,
    pub(super) bytes: Bytes,
}

impl LogMessage {
    pub(super) fn encode(&self) -> Bytes {
        let count = match &self.content {
            Content::Founded { is_seeded } => u32::from(*is_seeded),
            Content::TakenOver { closes } => u32::from(*closes),
            Content::Seed(_) | Content::Seeded => 0,
            Content::Commits { count, .. } => *count,
            Content::Part(part) => part.left,
        };
        let shard = match self.subject {
            Subject::Installation => NO_SHARD,
            Subject::Of(shard) => shard.get(),
        };
        let mut bytes = Vec::with_capacity(HEADER + self.content.length());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0, 0, 0, 0, LAYOUT, self.content.kind()]);
        bytes.extend_from_slice(&shard.to_le_bytes());
        bytes.extend_from_slice(&count.to_le_bytes());
        let MessageName { writer, number } = self.name;
        for word in [self.installation, writer, number, self.known.sequence, self.known.sum] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        self.content.write(&mut bytes);
        let crc = crc32c::crc32c(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        bytes.into()
    }

    /// Decodes a message that stands on this subject, or says why it is invalid.
    pub(super) fn read(subject: Option<Subject>, bytes: &Bytes) -> Result<Self, &'static str> {
        let message = Self::decode(bytes)?;
        if subject == Some(message.subject) { Ok(message) } else { Err("it is out of its place") }
    }

    /// Decodes a message, or says what is wrong with it.
    pub(super) fn decode(bytes: &Bytes) -> Result<Self, &'static str> {
        let number32 = |at| record::number32(bytes, at).unwrap_or_default();
        let number64 = |at| record::number64(bytes, at).unwrap_or_default();
        if bytes.len() < HEADER || !bytes.starts_with(MAGIC) {
            return Err("it is no message of a Coterie log");
        }
        if number32(4) != crc32c::crc32c(&bytes[8..]) {
            return Err("its checksum is wrong");
        }
        if bytes[8] != LAYOUT {
            return Err("a later version of the server wrote it");
        }
        let subject = match number32(8) >> 16 {
            shard if shard == u32::from(NO_SHARD) => Subject::Installation,
            shard => Subject::Of(Shard::new(shard as u16).ok_or("its shard does not exist")?),
        };
        let content = Content::read(bytes[9], number32(12), bytes.slice(HEADER..))?;
        Ok(Self {
            subject,
            installation: number64(16),
            name: MessageName { writer: number64(24), number: number64(32) },
            known: CopyPoint { sequence: number64(40), sum: number64(48) },
            content,
        })
    }
}

impl Content {
    /// The number that stands for the kind in a message.
    pub(super) const fn kind(&self) -> u8 {
        match self {
            Self::Founded { .. } => 1,
            Self::Seed(_) => 2,
            Self::Seeded => 3,
            Self::TakenOver { .. } => 4,
            Self::Commits { .. } => 5,
            Self::Part(_) => 6,
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::Founded { .. } | Self::Seeded | Self::TakenOver { .. } => 0,
            Self::Seed(seed) => 24 + seed.bytes.len(),
            Self::Commits { records, .. } => records.len(),
            Self::Part(part) => PART_HEADER + part.bytes.len(),
        }
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Founded { .. } | Self::Seeded | Self::TakenOver { .. } => {}
            Self::Seed(Seed { base, capacity, offset, bytes: piece }) => {
                for word in [base, capacity, offset] {
                    bytes.extend_from_slice(&word.to_le_bytes());
                }
                bytes.extend_from_slice(piece);
            }
            Self::Commits { records, .. } => bytes.extend_from_slice(records),
            Self::Part(part) => {
                bytes.extend_from_slice(&part.first.to_le_bytes());
                bytes.extend_from_slice(&part.bytes);
            }
        }
    }

    fn read(kind: u8, count: u32, body: Bytes) -> Result<Self, &'static str> {
        match kind {
            1 => Ok(Self::Founded { is_seeded: count == 1 }),
            2 => {
                let word = |at| record::number64(&body, at).ok_or("it is too short");
                let base = word(0)?;
                let capacity = word(8)?;
                let offset = word(16)?;
                Ok(Self::Seed(Seed { base, capacity, offset, bytes: body.slice(24..) }))
            }
            3 => Ok(Self::Seeded),
            4 => Ok(Self::TakenOver { closes: count == 1 }),
            5 => Ok(Self::Commits { count, records: body }),
            6 => {
                let first = record::number64(&body, 0).ok_or("it is too short")?;
                Ok(Self::Part(CommitPart { left: count, first, bytes: body.slice(PART_HEADER..) }))
            }
            _ => Err("a later version of the server wrote it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> [LogMessage; 6] {
        let records = Bytes::from_static(b"some records");
        let seed = Seed { base: 1, capacity: 2, offset: 3, bytes: records.clone() };
        let part = CommitPart { left: 2, first: 9, bytes: records.clone() };
        [
            (Subject::Installation, Content::Founded { is_seeded: true }),
            (Subject::Installation, Content::Seed(seed)),
            (Subject::Installation, Content::Seeded),
            (Subject::Of(Shard::new(63).unwrap()), Content::TakenOver { closes: true }),
            (Subject::Of(Shard::new(1).unwrap()), Content::Part(part)),
            (Subject::Of(Shard::new(0).unwrap()), Content::Commits { count: 7, records }),
        ]
        .map(|(subject, content)| LogMessage {
            subject,
            installation: 11,
            name: MessageName { writer: 12, number: 13 },
            known: CopyPoint { sequence: 14, sum: 15 },
            content,
        })
    }

    #[test]
    fn log_messages_round_trip() {
        for message in messages() {
            assert_eq!(LogMessage::decode(&message.encode()), Ok(message));
        }
    }

    #[test]
    fn message_numbers_identify_their_key() {
        let keys = [(); 2].map(|()| InstallationKey::fresh());
        let [own, other] = keys.map(|key| number_under(&key) + 5);
        assert!(has_code(own) && is_under(own, &keys[0]));
        assert!(!is_under(own, &keys[1]) && !is_under(other, &keys[0]));
        assert!(!has_code(5) && !is_under(5, &keys[0]));
    }

    #[test]
    fn a_flipped_bit_anywhere_is_noticed() {
        for message in messages() {
            let bytes = message.encode();
            for bit in 0..8 * bytes.len() {
                let mut flipped = bytes.to_vec();
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert!(LogMessage::decode(&flipped.into()).is_err(), "bit {bit}");
            }
            assert!(LogMessage::decode(&bytes.slice(..bytes.len() - 1)).is_err());
            assert!(LogMessage::decode(&bytes.slice(..20)).is_err());
        }
    }
}
