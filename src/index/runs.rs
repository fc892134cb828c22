//! Rows of messages: one row holds a run of neighbours of one conversation, as many as were applied
//! together, up to [`RUN`]. Its key is the first id of the run.
//!
//! In sled, rows cost more than bytes: under load, where the cost matters, a row carries dozens of
//! messages; a quiet conversation gets one row per message, where the cost does not matter.

use crate::domain::ids::{MessageId, StreamId};
use crate::index::rows::{self, EventPosition};
use crate::index::{Flow, Index, IndexFault, Rows, Walk, keys};
use crate::journal::Cursor;

/// Messages in one run at most.
pub(super) const RUN: usize = 64;

/// A message and where it lies.
pub(super) type LocatedMessage = (MessageId, EventPosition);

/// One message of an encoded run: id, record, index and n. All but the index are differences to the
/// message before.
type Step = (u64, u64, u16, u64);

/// Encodes a run as the value of a row.
pub(super) fn encode(run: &[LocatedMessage]) -> Result<Vec<u8>, IndexFault> {
    let (mut id, mut record, mut n) = (0, 0, 0);
    let mut steps: Vec<Step> = Vec::with_capacity(run.len());
    for (message, at) in run {
        let (next_id, next_record) = (message.get(), at.record.get());
        steps.push((next_id - id, next_record - record, at.index, at.n - n));
        (id, record, n) = (next_id, next_record, at.n);
    }
    rows::encode(&steps)
}

pub(super) fn decode(row: &[u8]) -> Result<Vec<LocatedMessage>, IndexFault> {
    let steps: Vec<Step> = rows::decode("message", row)?;
    let (mut id, mut record, mut n) = (0, 0, 0);
    let mut run = Vec::with_capacity(steps.len());
    for (id_step, record_step, index, n_step) in steps {
        (id, record, n) = (id + id_step, record + record_step, n + n_step);
        run.push((MessageId::new(id), EventPosition { record: Cursor::new(record), index, n }));
    }
    Ok(run)
}

/// Finds where a message lies: in the last run that begins with it or before it.
pub(super) fn place(
    rows: &dyn Rows,
    stream: StreamId,
    id: MessageId,
) -> Result<Option<EventPosition>, IndexFault> {
    let mut found = None;
    let low = keys::message(stream, MessageId::new(0));
    rows.scan(&low, &keys::message(stream, id), Walk::Down, &mut |_, row| {
        found = decode(row)?.into_iter().find(|(known, _)| *known == id);
        Ok(Flow::Stop)
    })?;
    Ok(found.map(|(_, at)| at))
}

impl Index {
    /// Walks the messages of a conversation between two ids, both included.
    pub(super) fn messages(
        &self,
        stream: StreamId,
        ids: (u64, u64),
        walk: Walk,
        visit: &mut dyn FnMut(MessageId, EventPosition) -> Result<Flow, IndexFault>,
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
            for (id, at) in run {
                let is_wanted = (ids.0..=ids.1).contains(&id.get());
                if is_wanted && visit(id, at)? == Flow::Stop {
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
        place(&*self.rows, stream, id)
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
        let is_below = |found: &LocatedMessage| found.0.get() < id;
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

    #[test]
    fn a_run_comes_back_as_it_was() {
        let at = |record, index, n| EventPosition { record: Cursor::new(record), index, n };
        let run = [
            (MessageId::new(170_000_000_000_000_000), at(1 << 40, 0, 7)),
            (MessageId::new(170_000_000_000_000_001), at(1 << 40, 2, 9)),
            (MessageId::new(170_000_000_100_000_000), at((1 << 40) + 900, 0, 10)),
        ];
        let row = encode(&run).unwrap();
        assert!(row.len() < 60, "{} bytes", row.len());
        assert_eq!(decode(&row).unwrap(), run);
    }
}
