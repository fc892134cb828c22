//! Rows of messages: one row holds a run of neighbours of one conversation, up to [`RUN`]. Its key
//! is the first id of the run.
//!
//! In sled, rows cost more than bytes. So a run grows in memory until it is full or written to the
//! store: under load a row carries dozens of messages, and a quiet conversation, where the cost does
//! not matter, gets one row per message.

use std::collections::HashMap;

use crate::rows::{self, EventPosition};
use crate::{Flow, Index, IndexFault, Rows, Walk, keys};
use domain::ids::{MessageId, StreamId};
use journal::Cursor;

/// Messages in one run at most.
const RUN: usize = 64;

/// A message, where it lies, and how many messages its conversation had up to it, included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LocatedMessage {
    pub(super) id: MessageId,
    pub(super) at: EventPosition,
    pub(super) count: u64,
}

/// The newest run of each conversation, as far as it may grow.
pub(super) type OpenRuns = HashMap<StreamId, Vec<LocatedMessage>>;

/// One message of an encoded run: id, record, index and n. All but the index are differences to the
/// message before.
type Step = (u64, u64, u16, u64);

/// Splits messages into the runs that they are stored in: the messages of a run are counted one
/// after another.
pub(super) fn split(messages: &[LocatedMessage]) -> impl Iterator<Item = &[LocatedMessage]> {
    let counted = messages.chunk_by(|message, next| next.count == message.count + 1);
    counted.flat_map(|neighbours| neighbours.chunks(RUN))
}

/// Whether a run can take one more message.
pub(super) const fn is_open(run: &[LocatedMessage]) -> bool {
    run.len() < RUN
}

/// Encodes a run as the value of a row: the count of its first message, and its steps.
pub(super) fn encode(run: &[LocatedMessage]) -> Result<Vec<u8>, IndexFault> {
    let mut id = 0;
    let mut record = 0;
    let mut n = 0;
    let mut steps: Vec<Step> = Vec::with_capacity(run.len());
    for message in run {
        let next_id = message.id.get();
        let next_record = message.at.record.get();
        steps.push((next_id - id, next_record - record, message.at.index, message.at.n - n));
        (id, record, n) = (next_id, next_record, message.at.n);
    }
    rows::encode(&(run.first().map_or(0, |first| first.count), steps))
}

pub(super) fn decode(row: &[u8]) -> Result<Vec<LocatedMessage>, IndexFault> {
    let (first, steps): (u64, Vec<Step>) = rows::decode("message", row)?;
    let mut id = 0;
    let mut record = 0;
    let mut n = 0;
    let mut run = Vec::with_capacity(steps.len());
    for ((id_step, record_step, index, n_step), count) in steps.into_iter().zip(first..) {
        (id, record, n) = (id + id_step, record + record_step, n + n_step);
        let at = EventPosition { record: Cursor::new(record), index, n };
        run.push(LocatedMessage { id: MessageId::new(id), at, count });
    }
    Ok(run)
}

/// Finds a message: in the last run that begins with it or before it.
pub(super) fn find(
    rows: &dyn Rows,
    stream: StreamId,
    id: MessageId,
) -> Result<Option<LocatedMessage>, IndexFault> {
    let mut found = None;
    let low = keys::message(stream, MessageId::new(0));
    rows.scan(&low, &keys::message(stream, id), Walk::Down, &mut |_, row| {
        found = decode(row)?.into_iter().find(|message| message.id == id);
        Ok(Flow::Stop)
    })?;
    Ok(found)
}

impl Index {
    /// Walks the messages of a conversation between two ids, both included.
    pub(super) fn messages(
        &self,
        stream: StreamId,
        ids: (u64, u64),
        walk: Walk,
        visit: &mut dyn FnMut(LocatedMessage) -> Result<Flow, IndexFault>,
    ) -> Result<(), IndexFault> {
        // The run with the lowest wanted id may begin before that id.
        let first = match ids.0 {
            0 => 0,
            lowest => self.run_holding(stream, lowest)?.unwrap_or(lowest),
        };
        let low = keys::message(stream, MessageId::new(first));
        let high = keys::message(stream, MessageId::new(ids.1));
        self.rows.scan(&low, &high, walk, &mut |_, row| {
            let mut run = decode(row)?;
            if walk == Walk::Down {
                run.reverse();
            }
            for message in run {
                let is_wanted = (ids.0..=ids.1).contains(&message.id.get());
                if is_wanted && visit(message)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            Ok(Flow::Continue)
        })
    }

    /// Returns where a message lies.
    pub(super) fn message(
        &self,
        stream: StreamId,
        id: MessageId,
    ) -> Result<Option<EventPosition>, IndexFault> {
        Ok(self.located(stream, id)?.map(|message| message.at))
    }

    /// Returns where a message lies, and how many messages there were up to it.
    pub(super) fn located(
        &self,
        stream: StreamId,
        id: MessageId,
    ) -> Result<Option<LocatedMessage>, IndexFault> {
        find(&*self.rows, stream, id)
    }

    /// Returns the messages below `id` in the newest row that begins below it, oldest first; `None`
    /// if there is no such row.
    pub(super) fn run_before(
        &self,
        stream: StreamId,
        id: u64,
    ) -> Result<Option<Vec<LocatedMessage>>, IndexFault> {
        let Some(high) = id.checked_sub(1) else { return Ok(None) };
        let mut run = None;
        let low = keys::message(stream, MessageId::new(0));
        let high = keys::message(stream, MessageId::new(high));
        self.rows.scan(&low, &high, Walk::Down, &mut |_, row| {
            run = Some(decode(row)?);
            Ok(Flow::Stop)
        })?;
        let is_below = |found: &LocatedMessage| found.id.get() < id;
        Ok(run.map(|run| run.into_iter().filter(is_below).collect()))
    }

    /// Returns the first id of the newest run that begins at this id or before it.
    fn run_holding(&self, stream: StreamId, id: u64) -> Result<Option<u64>, IndexFault> {
        let mut first = None;
        let low = keys::message(stream, MessageId::new(0));
        let high = keys::message(stream, MessageId::new(id));
        self.rows.scan(&low, &high, Walk::Down, &mut |key, _| {
            first = Some(keys::message_of(key).get());
            Ok(Flow::Stop)
        })?;
        Ok(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u64, record: u64, index: u16, n: u64, count: u64) -> LocatedMessage {
        let at = EventPosition { record: Cursor::new(record), index, n };
        LocatedMessage { id: MessageId::new(id), at, count }
    }

    #[test]
    fn encoded_run_decodes_to_the_same_messages() {
        let run = [
            message(170_000_000_000_000_000, 1 << 40, 0, 7, 5),
            message(170_000_000_000_000_001, 1 << 40, 2, 9, 6),
            message(170_000_000_100_000_000, (1 << 40) + 900, 0, 10, 7),
        ];
        let row = encode(&run).unwrap();
        assert!(row.len() < 60, "{} bytes", row.len());
        assert_eq!(decode(&row).unwrap(), run);
    }

    #[test]
    fn runs_end_when_they_are_full_or_a_count_is_missing() {
        let counts: Vec<u64> = (1..=70).chain(72..=74).collect();
        let all: Vec<_> = counts.iter().map(|n| message(*n, *n, 0, *n, *n)).collect();
        let lengths: Vec<usize> = split(&all).map(<[_]>::len).collect();
        assert_eq!(lengths, [RUN, 70 - RUN, 3]);
    }
}
