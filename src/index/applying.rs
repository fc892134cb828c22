//! Applying commits: from what is durable to rows, batch by batch, together with how far
//! they are.

use std::sync::Arc;

use crate::index::chains::BrokenChains;
use crate::index::derive::Derivation;
use crate::index::moment::IndexPosition;
use crate::index::rows::{Highs, LAYOUT};
use crate::index::{IndexFault, Rows, keys, rows};
use crate::journal::{Committed, Cursor, Journal};
use crate::threads::Threads;

/// Bytes of journal read at once while catching up.
const SCAN_BYTES: usize = 1 << 20;
/// Rows, and messages in them, written in one batch.
const BATCH_ROWS: usize = 4096;

/// The newest record whose rows are there, if any is.
///
/// # Errors
/// When the rows cannot be read, or are of another layout.
pub fn reached(rows: &dyn Rows) -> Result<Option<Cursor>, IndexFault> {
    let number = |key: &[u8]| -> Result<Option<u64>, IndexFault> {
        rows.get(key)?.map(|value| rows::decode("position", &value)).transpose()
    };
    match number(keys::LAYOUT)? {
        Some(LAYOUT) | None => Ok(number(keys::APPLIED)?.map(Cursor::new)),
        Some(layout) => Err(IndexFault::Row {
            table: "layout",
            reason: format!("is {layout}, this program writes {LAYOUT}"),
        }),
    }
}

/// Where commits come from, and so what a broken chain means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Handed over in memory: something may have been lost on the way, so nothing is
    /// written that does not follow.
    Heard,
    /// Read back. What the journal says is what happened; that it breaks off is told.
    Journal,
}

/// How commits were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrote {
    /// All of them, so many of which were new.
    All(u64),
    /// Up to one that does not follow what is there.
    UpToABreak,
}

/// Rows, and how far they have followed a journal.
pub(super) struct State {
    pub(super) rows: Arc<dyn Rows>,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) highs: Highs,
    pub(super) applied: Cursor,
    pub(super) moment: Arc<IndexPosition>,
    /// Whether any record is applied: the first one begins where "none" would stand.
    any: bool,
    pub(super) broken_chains: Arc<BrokenChains>,
}

impl State {
    /// Goes on where these rows are.
    pub(super) fn load(
        rows: Arc<dyn Rows>,
        journal: Arc<dyn Journal>,
        threads: Threads,
    ) -> Result<Self, IndexFault> {
        let applied = reached(&*rows)?;
        if rows.get(keys::LAYOUT)?.is_none() {
            rows.apply(vec![(keys::LAYOUT.to_vec(), Some(rows::encode(&LAYOUT)?))])?;
        }
        let highs =
            rows.get(keys::HIGHS)?.map(|value| rows::decode("highs", &value)).transpose()?;
        Ok(Self {
            highs: highs.unwrap_or_default(),
            applied: applied.unwrap_or_default(),
            moment: Arc::new(IndexPosition::new(threads)),
            any: applied.is_some(),
            broken_chains: Arc::default(),
            rows,
            journal,
        })
    }

    /// Finds the moment that the rows show before anything is written.
    pub(super) fn begin(&self) -> Result<(), IndexFault> {
        if !self.any {
            return Ok(());
        }
        let newest = self.journal.read(self.applied)?;
        self.moment.advance(newest.last_cursor(), || Ok(()))
    }

    /// The newest event whose rows are there: who waits for rows waits for an event's, which
    /// need not be the first of its record.
    pub(super) fn newest(&self) -> Cursor {
        self.moment.hold().cursor()
    }

    fn is_new(&self, commit: &Committed) -> bool {
        !self.any || commit.cursor > self.applied
    }

    /// Writes the rows of those commits that are new.
    pub(super) fn write<'a>(
        &mut self,
        commits: impl Iterator<Item = &'a Arc<Committed>>,
        source: Source,
    ) -> Result<Wrote, IndexFault> {
        let (mut written, mut is_whole) = (0, true);
        let rows = Arc::clone(&self.rows);
        let mut batch = Derivation::on(&*rows, self.highs, self.applied);
        for commit in commits {
            if self.is_new(commit) {
                if let Some(end) = batch.chain_fault(commit)? {
                    if source == Source::Heard {
                        is_whole = false;
                        break;
                    }
                    self.broken_chains.tell(commit, end);
                }
                batch.add(commit)?;
                written += 1;
            }
            if batch.len() >= BATCH_ROWS {
                let next = |highs, applied| Derivation::on(&*rows, highs, applied);
                self.apply(std::mem::replace(&mut batch, next(self.highs, self.applied)))?;
                batch = next(self.highs, self.applied);
            }
        }
        if !batch.is_empty() {
            self.apply(batch)?;
        }
        Ok(if is_whole { Wrote::All(written) } else { Wrote::UpToABreak })
    }

    fn apply(&mut self, batch: Derivation<'_>) -> Result<(), IndexFault> {
        let last = batch.last();
        let (changes, highs, applied) = batch.finish()?;
        self.moment.advance(last, || self.rows.apply(changes))?;
        self.highs = highs;
        self.applied = applied;
        self.any = true;
        Ok(())
    }

    /// Applies from the journal until nothing newer is durable, and tells how far it is.
    pub(super) fn catch_up(&mut self, tell: &mut dyn FnMut(Cursor)) -> Result<u64, IndexFault> {
        let mut replayed = 0;
        let mut from = self.applied;
        loop {
            let stretch = self.journal.scan(from, SCAN_BYTES)?;
            if stretch.commits.is_empty() {
                return Ok(replayed);
            }
            if let Wrote::All(written) = self.write(stretch.commits.iter(), Source::Journal)? {
                replayed += written;
            }
            from = stretch.next;
            tell(self.newest());
        }
    }
}
