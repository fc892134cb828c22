//! A batch of changes that is being built: an overlay on the stored rows, readable before it is
//! applied.

use std::collections::BTreeMap;
use std::ops::Bound;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::rows::EventPosition;
use crate::{Flow, IndexFault, RowChange, Rows, Walk, keys, rows, runs};
use domain::ids::{MessageId, StreamId};

/// Gathers changes on top of the rows. A key that changes twice is written once.
pub(super) struct BatchDraft<'rows> {
    rows: &'rows dyn Rows,
    changes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl<'rows> BatchDraft<'rows> {
    /// Starts without changes.
    pub(super) fn on(rows: &'rows dyn Rows) -> Self {
        Self { rows, changes: BTreeMap::new() }
    }

    /// Reads a row with the changes so far.
    pub(super) fn get<T: DeserializeOwned>(
        &self,
        table: &'static str,
        key: &[u8],
    ) -> Result<Option<T>, IndexFault> {
        let value = match self.changes.get(key) {
            Some(changed) => changed.clone(),
            None => self.rows.get(key)?,
        };
        value.map(|value| rows::decode(table, &value)).transpose()
    }

    /// The position of a message, if its row is in the store; those of this batch are not seen.
    pub(super) fn message(
        &self,
        stream: StreamId,
        id: MessageId,
    ) -> Result<Option<EventPosition>, IndexFault> {
        Ok(runs::find(self.rows, stream, id)?.map(|message| message.at))
    }

    /// Whether the row exists with the changes so far.
    pub(super) fn has(&self, key: &[u8]) -> Result<bool, IndexFault> {
        match self.changes.get(key) {
            Some(changed) => Ok(changed.is_some()),
            None => Ok(self.rows.get(key)?.is_some()),
        }
    }

    /// Writes a row.
    pub(super) fn put<T: Serialize>(&mut self, key: Vec<u8>, row: &T) -> Result<(), IndexFault> {
        self.put_bytes(key, rows::encode(row)?);
        Ok(())
    }

    /// Writes a row that is already encoded.
    pub(super) fn put_bytes(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.changes.insert(key, Some(value));
    }

    /// Deletes a row.
    pub(super) fn delete(&mut self, key: Vec<u8>) {
        self.changes.insert(key, None);
    }

    /// Returns the keys with a prefix, with the changes so far.
    pub(super) fn keys_below(&self, prefix: &[u8]) -> Result<Vec<Vec<u8>>, IndexFault> {
        self.first_keys(prefix, &keys::end_of(prefix), usize::MAX)
    }

    /// Returns the first `most` keys from `low` to `high`, with the changes so far.
    pub(super) fn first_keys(
        &self,
        low: &[u8],
        high: &[u8],
        most: usize,
    ) -> Result<Vec<Vec<u8>>, IndexFault> {
        let mut found = Vec::new();
        self.rows.scan(low, high, Walk::Up, &mut |key, _| {
            if !self.changes.contains_key(key) {
                found.push(key.to_vec());
            }
            Ok(if found.len() < most { Flow::Continue } else { Flow::Stop })
        })?;
        let changed = self.changes.range::<[u8], _>((Bound::Included(low), Bound::Included(high)));
        let present = changed.filter(|(_, value)| value.is_some()).map(|(key, _)| key);
        found.extend(present.take(most).cloned());
        found.sort_unstable();
        found.truncate(most);
        Ok(found)
    }

    /// How many rows change.
    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// The changes, for the store.
    pub(super) fn finish(self) -> Vec<RowChange> {
        self.changes.into_iter().collect()
    }
}
