//! One record on disk: a commit with its position, its checksum and its payload.
//!
//! ```text
//!  0  u32   length of everything after the checksum
//!  4  u32   CRC-32C of everything after it
//!  8  u64   where the record begins, so that a misplaced record is noticed
//! 16  u32   how far back its batch begins: everything before was durable by then
//! 20  u8    payload version
//! 21  u8    kind of stream
//! 22  u16   number of events
//! 24  u64   first id of the stream
//! 32  u64   second id of the stream, for a conversation of two
//! 40  u64   the stream's `n` before it
//! 48  u64   checksum of the stream's previous record: the chain
//! 56  u64   when it was submitted, Unix milliseconds
//! 64  u128  the commit's identifier
//! 80        payload: the events in MessagePack, structs as arrays, to which a later version
//!           may append fields; behind the events, if there are any, the questions of other
//!           nodes that they answer, each with the index of the last event that was decided
//!           for it
//! ```
//!
//! All numbers are little-endian. Nothing here touches a file.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize, Serializer};

use crate::{Commit, CommitId, Committed, Cursor, JournalFault, StreamHead};
use crate::{MAX_EVENTS, MAX_RECORD, Unsent};
use base::msgpack::Unpacker;
use domain::event::{Entry, Event, Fact, Origin};
use domain::ids::{GroupId, NameId, Pair, StreamId, UserId};
use domain::time::Timestamp;

/// Bytes before the payload.
pub(super) const HEADER: usize = 80;
/// Bytes that the length field does not count: the length itself and the checksum.
const PREFIX: usize = 8;
/// Version of the payload's encoding.
pub(super) const VERSION: u8 = 1;
/// The stream kind of a mark: a note that a node's copy keeps between commits.
pub(super) const MARK: u8 = b'l';
/// A length that no record has: it marks the end of a segment.
const END_MARK: u32 = u32::MAX;
/// Bytes of an end mark: length, checksum, position.
pub(super) const END_MARK_BYTES: usize = 16;

/// Why bytes are not a valid record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Flaw {
    /// The bytes are zeros: nothing was written here.
    #[error("nothing was written here")]
    Blank,
    /// An end mark stands here.
    #[error("the segment ends here")]
    End,
    /// The length is outside of what a record can have.
    #[error("its length cannot be {0}")]
    Length(u32),
    /// The bytes end before the record does.
    #[error("it is cut off")]
    Cut,
    /// The checksum does not match the bytes.
    #[error("its checksum is wrong")]
    Checksum,
    /// The record was written for another position.
    #[error("it belongs to position {0}")]
    Misplaced(u64),
    /// A later version of the server wrote the payload.
    #[error("its payload version {0} is unknown to this version of the server")]
    Version(u8),
    /// A field of the header is impossible, or contradicts the payload.
    #[error("its header is invalid")]
    Header,
    /// The payload cannot be decoded.
    #[error("its payload cannot be read: {0}")]
    Payload(String),
}

/// An encoded commit whose position and checksum are not filled in yet.
#[derive(Debug)]
pub(super) struct RecordDraft {
    bytes: Vec<u8>,
    commit: Commit,
    audible: u64,
    is_vital: bool,
}

impl RecordDraft {
    /// Encodes a commit. Runs on the caller's thread, so that the writer only copies bytes.
    pub(super) fn of(commit: Commit, limit: usize) -> Result<Self, Unsent> {
        let too_large = |bytes, commit| {
            Err(Unsent { fault: JournalFault::TooLarge { bytes }, commit: Box::new(commit) })
        };
        let events = u16::try_from(commit.entries.len()).ok();
        let Some(events) = events.filter(|count| (1..=MAX_EVENTS).contains(&usize::from(*count)))
        else {
            return too_large(usize::MAX, commit);
        };
        let mut bytes = Vec::with_capacity(HEADER + 512 * usize::from(events));
        write_header(&mut bytes, &commit, events);
        Events(&commit.entries)
            .serialize(&mut rmp_serde::Serializer::new(&mut bytes))
            .expect("writing plain events to memory cannot fail");
        if bytes.len() > limit.min(MAX_RECORD) {
            return too_large(bytes.len(), commit);
        }
        let length = length_field(bytes.len());
        bytes[..4].copy_from_slice(&length);
        let is_audible = |entry: &&Entry| entry.event.fact.is_audible();
        let audible = commit.entries.iter().filter(is_audible).count() as u64;
        let is_vital = Fact::are_vital(commit.entries.iter().map(|entry| &entry.event.fact));
        Ok(Self { bytes, commit, audible, is_vital })
    }

    /// Whether the commit is written even if hardly any space is left: a log-in, for instance, also
    /// with its first answer.
    pub(super) fn is_vital(&self) -> bool {
        self.is_vital
    }

    /// Gives back the commit that was not taken.
    pub(super) fn unsent(self, fault: JournalFault) -> Unsent {
        Unsent { fault, commit: Box::new(self.commit) }
    }

    /// The commit's stream.
    pub(super) const fn stream(&self) -> StreamId {
        self.commit.stream
    }

    /// The end of the stream when the commit was decided.
    pub(super) const fn head(&self) -> StreamHead {
        self.commit.head
    }

    /// The encoded record, without position and checksum.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The record's bytes on disk.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Fills in position and checksum, appends the record to the batch, and returns the commit as
    /// it is once the batch is durable.
    pub(super) fn place(mut self, at: u64, batch_start: u64, batch: &mut Vec<u8>) -> Committed {
        let crc = place_bytes(&mut self.bytes, at, batch_start);
        batch.extend_from_slice(&self.bytes);
        let Commit { stream, head, id, at: submitted, entries } = self.commit;
        Committed {
            cursor: Cursor::new(at),
            stream,
            id,
            at: submitted,
            before: head,
            after: StreamHead { n: head.n.saturating_add(self.audible), token: u64::from(crc) },
            entries,
            origin: Origin::Here,
        }
    }
}

/// Fills the position and the checksum into an encoded record, and returns the checksum.
pub(super) fn place_bytes(record: &mut [u8], at: u64, batch_start: u64) -> u32 {
    let back = u32::try_from(at - batch_start).unwrap_or(0);
    record[8..16].copy_from_slice(&at.to_le_bytes());
    record[16..20].copy_from_slice(&back.to_le_bytes());
    let crc = crc32c::crc32c(&record[PREFIX..]);
    record[4..8].copy_from_slice(&crc.to_le_bytes());
    crc
}

/// The length field of a record of so many bytes.
pub(super) fn length_field(bytes: usize) -> [u8; 4] {
    ((bytes - PREFIX) as u32).to_le_bytes()
}

/// The checksum that stands in a record.
pub(super) fn crc(record: &[u8]) -> u32 {
    number32(record, 4).unwrap_or_default()
}

/// Whether a record is a mark.
pub(super) fn is_mark(record: &[u8]) -> bool {
    record.get(21) == Some(&MARK)
}

/// Iterates over the records that lie in `bytes` one after the other; positions are not checked.
pub(super) fn each(bytes: &[u8]) -> impl Iterator<Item = Result<&[u8], Flaw>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        (!rest.is_empty()).then(|| {
            let length = length(rest).inspect_err(|_| rest = &[])?;
            let (record, behind) = rest.split_at_checked(length).ok_or(Flaw::Cut)?;
            rest = behind;
            Ok(record)
        })
    })
}

/// The running check value with one record more. It is computed from the records' checksums, so a
/// payload that is blanked later does not change it.
pub(super) const fn fold(sum: u64, crc: u32) -> u64 {
    (sum.rotate_left(23) ^ crc as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn write_header(bytes: &mut Vec<u8>, commit: &Commit, events: u16) {
    let (kind, first, second) = stream_parts(commit.stream);
    bytes.extend_from_slice(&[0; 20]);
    bytes.extend_from_slice(&[VERSION, kind]);
    bytes.extend_from_slice(&events.to_le_bytes());
    for number in [first, second, commit.head.n, commit.head.token, commit.at.millis()] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&commit.id.0.to_le_bytes());
}

/// The events of entries, encoded without their audiences.
struct Events<'a>(&'a [Entry]);

/// A field that the program of a later version writes behind every fact; unset in this one.
static NEXT: OnceLock<&str> = OnceLock::new();

/// Writes an additional field behind every fact from now on, as a later version may. For the
/// program that tests run beside the usual one, in one installation.
pub fn write_as_next_version(field: &'static str) {
    NEXT.get_or_init(|| field);
}

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let events = self.0.iter().map(|entry| &*entry.event);
        match NEXT.get() {
            None => serializer.collect_seq(events),
            Some(field) => {
                serializer.collect_seq(events.map(|event| (event.at, &event.fact, field)))
            }
        }
    }
}

/// The length of the record that begins with these bytes.
pub(super) fn length(prefix: &[u8]) -> Result<usize, Flaw> {
    match number32(prefix, 0).ok_or(Flaw::Cut)? {
        0 => Err(Flaw::Blank),
        END_MARK => Err(Flaw::End),
        length => {
            let whole = (length as usize).saturating_add(PREFIX);
            if (HEADER..=MAX_RECORD).contains(&whole) {
                Ok(whole)
            } else {
                Err(Flaw::Length(length))
            }
        }
    }
}

/// Checks that these bytes begin with a whole record of this position, and returns its length.
pub(super) fn verify(bytes: &[u8], at: u64) -> Result<usize, Flaw> {
    let length = length(bytes)?;
    let record = bytes.get(..length).ok_or(Flaw::Cut)?;
    if number32(record, 4) != Some(crc32c::crc32c(&record[PREFIX..])) {
        return Err(Flaw::Checksum);
    }
    match number64(record, 8) {
        Some(place) if place == at => Ok(length),
        place => Err(Flaw::Misplaced(place.unwrap_or_default())),
    }
}

/// The position where the batch of this (verified) record begins.
pub(super) fn batch_start(record: &[u8], at: u64) -> u64 {
    at.saturating_sub(u64::from(number32(record, 16).unwrap_or_default()))
}

/// The end mark of a full segment, for this position.
pub(super) fn end_mark(at: u64) -> [u8; END_MARK_BYTES] {
    let mut mark = [0; END_MARK_BYTES];
    mark[..4].copy_from_slice(&END_MARK.to_le_bytes());
    mark[8..].copy_from_slice(&at.to_le_bytes());
    let crc = crc32c::crc32c(&mark[PREFIX..]);
    mark[4..8].copy_from_slice(&crc.to_le_bytes());
    mark
}

/// Whether these bytes begin with the end mark of this position.
pub(super) fn is_end_mark(bytes: &[u8], at: u64) -> bool {
    bytes.starts_with(&end_mark(at))
}

/// Whether these bytes, which lie at `at`, say so themselves, as those of a record and of an end mark
/// do.
pub(super) fn names_its_place(bytes: &[u8], at: u64) -> bool {
    bytes.get(8..16).is_some_and(|place| place == at.to_le_bytes())
}

/// Decodes the commit of the record with which these bytes begin.
pub(super) fn decode(bytes: &[u8], at: u64) -> Result<Committed, Flaw> {
    let length = verify(bytes, at)?;
    let record = &bytes[..length];
    let token = number32(bytes, 4).ok_or(Flaw::Header)?;
    let word = |at| number64(record, at).ok_or(Flaw::Header);
    if record[20] != VERSION {
        return Err(Flaw::Version(record[20]));
    }
    let stream = stream_of(record[21], word(24)?, word(32)?).ok_or(Flaw::Header)?;
    let mut payload = Unpacker::new(&record[HEADER..]);
    let events = Vec::<Arc<Event>>::deserialize(&mut payload)
        .map_err(|error| Flaw::Payload(error.to_string()))?;
    // What follows the events is ignored: an earlier version put answers to other nodes there, a
    // later one may put something else.
    if events.len() != usize::from(record[22]) + 256 * usize::from(record[23]) {
        return Err(Flaw::Header);
    }
    let before = StreamHead { n: word(40)?, token: word(48)? };
    let audible = events.iter().filter(|event| event.fact.is_audible()).count() as u64;
    let id = u128::from(word(64)?) | (u128::from(word(72)?) << 64);
    let entries = events.into_iter().map(Entry::stored).collect();
    Ok(Committed {
        cursor: Cursor::new(at),
        stream,
        id: CommitId(id),
        at: Timestamp::from_millis(word(56)?),
        before,
        after: StreamHead { n: before.n.saturating_add(audible), token: u64::from(token) },
        entries,
        origin: Origin::Read,
    })
}

/// The stream's kind and its two ids, as a record holds them.
pub(super) fn stream_parts(stream: StreamId) -> (u8, u64, u64) {
    match stream {
        StreamId::Group(id) => (b'g', id.get(), 0),
        StreamId::Chat(pair) => (b'd', pair.low().get(), pair.high().get()),
        StreamId::User(id) => (b'u', id.get(), 0),
        StreamId::Callbacks => (b'b', 0, 0),
        StreamId::Audit => (b'a', 0, 0),
        StreamId::Instance => (b'i', 0, 0),
        StreamId::Name(id) => {
            let hash = u128::from_be_bytes(*id.bytes());
            (b'n', (hash >> 64) as u64, hash as u64)
        }
    }
}

fn stream_of(kind: u8, first: u64, second: u64) -> Option<StreamId> {
    match kind {
        b'g' => Some(StreamId::Group(GroupId::new(first))),
        b'd' => Pair::of(UserId::new(first), UserId::new(second)).map(StreamId::Chat),
        b'u' => Some(StreamId::User(UserId::new(first))),
        b'b' => Some(StreamId::Callbacks),
        b'a' => Some(StreamId::Audit),
        b'i' => Some(StreamId::Instance),
        b'n' => {
            let hash = u128::from(first) << 64 | u128::from(second);
            Some(StreamId::Name(NameId::new(hash.to_be_bytes())))
        }
        _ => None,
    }
}

/// The little-endian `u32` at offset `at`.
pub(super) fn number32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}

/// The little-endian `u64` at offset `at`.
pub(super) fn number64(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests;
