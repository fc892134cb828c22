//! Rows as sled keeps them: what was applied since the last flush is lost in a crash, or the later
//! part of it.

use std::sync::{Arc, Mutex};

use coterie::index::memory::MemoryRows;
use coterie::index::{Flow, IndexFault, RowChange, RowVisitor, Rows, Walk};
use fastrand::Rng;

use crate::disk::SimDisk;
use crate::scheduler::Turns;

/// Rows that forget unflushed batches in a crash.
#[derive(Debug)]
pub(crate) struct SimRows {
    now: MemoryRows,
    written: Mutex<Written>,
    turns: Arc<Turns>,
    /// The disk that has to have room for the rows.
    disk: SimDisk,
}

#[derive(Debug)]
struct Written {
    random: Rng,
    /// All batches, in order.
    batches: Vec<Vec<RowChange>>,
    /// How many of the batches a crash cannot take back.
    stable: usize,
}

impl SimRows {
    /// An empty store of rows.
    pub(crate) fn new(turns: &Arc<Turns>, disk: &SimDisk, random: Rng) -> Self {
        let written = Written { random, batches: Vec::new(), stable: 0 };
        let (turns, disk) = (Arc::clone(turns), disk.clone());
        Self { now: MemoryRows::default(), written: Mutex::new(written), turns, disk }
    }

    /// The rows as they are found after a crash.
    pub(crate) fn after_crash(&self, disk: &SimDisk) -> Self {
        let mut written = self.written.lock().unwrap();
        let most = written.batches.len();
        let least = written.stable.min(most);
        let kept = written.random.usize(least..=most);
        let batches = written.batches[..kept].to_vec();
        let now = MemoryRows::default();
        for batch in &batches {
            now.apply(batch.clone()).unwrap();
        }
        let random = written.random.fork();
        let written = Mutex::new(Written { random, stable: kept, batches });
        Self { now, written, turns: Arc::clone(&self.turns), disk: disk.clone() }
    }
}

impl Rows for SimRows {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFault> {
        self.now.get(key)
    }

    fn scan(
        &self,
        low: &[u8],
        high: &[u8],
        walk: Walk,
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), IndexFault> {
        // Row by row, since a scan of the store on disk is no snapshot, either.
        let (mut low, mut high) = (low.to_vec(), high.to_vec());
        loop {
            let mut row = None;
            self.now.scan(&low, &high, walk, &mut |key, value| {
                row = Some((key.to_vec(), value.to_vec()));
                Ok(Flow::Stop)
            })?;
            let Some((key, value)) = row else { return Ok(()) };
            if visit(&key, &value)? == Flow::Stop {
                return Ok(());
            }
            if Turns::is_own() && self.written.lock().unwrap().random.u8(..16) == 0 {
                self.turns.give_way();
            }
            match walk {
                Walk::Up => low = [&key, &[0][..]].concat(),
                Walk::Down => match below(key) {
                    Some(key) => high = key,
                    None => return Ok(()),
                },
            }
        }
    }

    fn apply(&self, changes: Vec<RowChange>) -> Result<(), IndexFault> {
        self.turns.give_way();
        if self.disk.is_full() {
            return Err(IndexFault::Store("there is no space".to_owned()));
        }
        let mut written = self.written.lock().unwrap();
        written.batches.push(changes.clone());
        if written.random.u8(..8) == 0 {
            written.stable = written.batches.len();
        }
        self.now.apply(changes)
    }

    fn flush(&self) -> Result<(), IndexFault> {
        let mut written = self.written.lock().unwrap();
        written.stable = written.batches.len();
        Ok(())
    }
}

/// The highest key below this one that a downward walk may still find, given that keys are short.
fn below(mut key: Vec<u8>) -> Option<Vec<u8>> {
    match key.pop()? {
        0 => {}
        last => {
            key.push(last - 1);
            // Keys are shorter than this.
            key.resize(key.len() + 64, 0xff);
        }
    }
    Some(key)
}
