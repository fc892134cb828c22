//! Rows in memory: for tests, and as the reference that the conformance suite compares the store on
//! disk with.

use std::collections::BTreeMap;
use std::sync::RwLock;

use crate::{Flow, IndexFault, RowChange, RowVisitor, Rows, Walk};

/// An ordered map behind a lock.
#[derive(Debug, Default)]
pub struct MemoryRows(RwLock<BTreeMap<Vec<u8>, Vec<u8>>>);

fn poisoned<T>(_: T) -> IndexFault {
    IndexFault::Store("a writer panicked".to_owned())
}

impl Rows for MemoryRows {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFault> {
        Ok(self.0.read().map_err(poisoned)?.get(key).cloned())
    }

    fn scan(
        &self,
        low: &[u8],
        high: &[u8],
        walk: Walk,
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), IndexFault> {
        if low > high {
            return Ok(());
        }
        let map = self.0.read().map_err(poisoned)?;
        let mut range = map.range(low.to_vec()..=high.to_vec());
        loop {
            let next = match walk {
                Walk::Up => range.next(),
                Walk::Down => range.next_back(),
            };
            let Some((key, value)) = next else { return Ok(()) };
            if visit(key, value)? == Flow::Stop {
                return Ok(());
            }
        }
    }

    fn apply(&self, changes: Vec<RowChange>) -> Result<(), IndexFault> {
        let mut map = self.0.write().map_err(poisoned)?;
        for (key, value) in changes {
            match value {
                Some(value) => drop(map.insert(key, value)),
                None => drop(map.remove(&key)),
            }
        }
        Ok(())
    }

    fn flush(&self) -> Result<(), IndexFault> {
        Ok(())
    }
}
