//! Applies durable commits: derives their rows and writes them batch by batch, each batch together
//! with the position that it leads to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::derive::{Derivation, Derived};
use crate::moment::IndexPosition;
use crate::read_marks::PendingMarks;
use crate::rows::{self, LAYOUT};
use crate::runs::{self, OpenRuns};
use crate::{IndexFault, Rows, keys};
use base::threads::Threads;
use domain::highest_ids::HighestIds;
use journal::{Committed, Cursor, Journal, JournalFault, StreamHead};

/// Bytes of journal read at once while catching up.
const SCAN_BYTES: usize = 1 << 20;
/// Size of a batch at which it is written: rows, and messages in rows that they share.
const BATCH_ROWS: usize = 4096;

/// Returns the cursor of the newest record whose rows are there, if any is.
///
/// # Errors
/// If the rows cannot be read, or have another layout.
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

/// The origin of commits, which decides the meaning of a broken chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Handed over in memory. Commits may have been lost on the way, so nothing is written from the
    /// first one on that does not continue its stream.
    Heard,
    /// Read from the journal. What it holds is what happened, so a broken chain is logged and
    /// applied anyway.
    Journal,
}

/// The reaction of the indexer to an unreadable part of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDamage {
    /// It gives up, since an index without that part would hide what was acknowledged.
    Fail,
    /// It leaves that part out and says so, because an operator continues without it.
    PassOver,
}

/// How many of the given commits were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrote {
    /// All of them; the number of those that were new.
    All(u64),
    /// Only those before the first one that does not continue its stream.
    UpToABreak,
}

/// Rows, and how far they have followed a journal.
pub(super) struct State {
    pub(super) rows: Arc<dyn Rows>,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) highs: HighestIds,
    pub(super) applied: Cursor,
    pub(super) moment: Arc<IndexPosition>,
    /// Runs of messages that may grow, since they are not in the store yet.
    open_runs: OpenRuns,
    /// Read marks that wait for their rows.
    pub(super) pending_marks: Arc<PendingMarks>,
    /// Whether any record is applied. `applied` cannot tell: the default is also the cursor of the
    /// first record.
    any: bool,
    pub(super) on_damage: OnDamage,
    pub(super) broken_chains: Arc<BrokenChains>,
}

impl State {
    /// Reads from the rows how far they are, and continues from there.
    pub(super) fn load(
        rows: Arc<dyn Rows>,
        journal: Arc<dyn Journal>,
        threads: Threads,
        on_damage: OnDamage,
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
            open_runs: OpenRuns::new(),
            pending_marks: Arc::default(),
            any: applied.is_some(),
            on_damage,
            broken_chains: Arc::default(),
            rows,
            journal,
        })
    }

    /// Sets the moment to what the rows contain, before anything is written.
    pub(super) fn begin(&self) -> Result<(), IndexFault> {
        if !self.any {
            return Ok(());
        }
        let newest = self.journal.read(self.applied)?;
        self.moment.advance(newest.last_cursor(), || Ok(()))
    }

    /// The newest event whose rows are there. Readers wait for the cursor of an event, which need
    /// not be the first of its record.
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
        let mut written = 0;
        let mut is_whole = true;
        let rows = Arc::clone(&self.rows);
        let mut open = std::mem::take(&mut self.open_runs);
        let mut batch = Derivation::on(&*rows, &open, self.highs, self.applied);
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
                let runs = self.apply(batch)?;
                self.keep_open(&mut open, runs);
                batch = Derivation::on(&*rows, &open, self.highs, self.applied);
            }
        }
        if !batch.is_empty() {
            let runs = self.apply(batch)?;
            self.keep_open(&mut open, runs);
        }
        self.open_runs = open;
        Ok(if is_whole { Wrote::All(written) } else { Wrote::UpToABreak })
    }

    /// Applies a batch, and returns the newest runs of the conversations in it.
    fn apply(&mut self, batch: Derivation<'_>) -> Result<OpenRuns, IndexFault> {
        let last = batch.last();
        let Derived { changes, runs, reads, highs, applied } = batch.finish()?;
        self.moment.advance(last, || self.rows.apply(changes))?;
        self.pending_marks.settle(&reads);
        self.highs = highs;
        self.applied = applied;
        self.any = true;
        Ok(runs)
    }

    /// Notes which runs may grow, and writes rows to the store if there are many.
    fn keep_open(&self, open: &mut OpenRuns, runs: OpenRuns) {
        if self.rows.is_full() {
            self.rows.write_out();
            return open.clear();
        }
        for (stream, run) in runs {
            if runs::is_open(&run) {
                open.insert(stream, run);
            } else {
                open.remove(&stream);
            }
        }
    }

    /// Writes all rows to the store.
    pub(super) fn write_out(&mut self) {
        self.open_runs.clear();
        self.rows.write_out();
    }

    /// Applies commits from the journal until nothing newer is durable, and tells the position
    /// after each stretch. Returns how many commits were applied.
    pub(super) fn catch_up(&mut self, tell: &mut dyn FnMut(Cursor)) -> Result<u64, IndexFault> {
        let mut replayed = 0;
        let mut from = self.applied;
        loop {
            let stretch = match self.journal.scan(from, SCAN_BYTES) {
                Ok(stretch) => stretch,
                Err(fault) => {
                    from = self.pass_over(fault)?;
                    continue;
                }
            };
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

    /// The position at which to continue behind damage, if it may be skipped.
    fn pass_over(&self, fault: JournalFault) -> Result<Cursor, IndexFault> {
        if self.on_damage == OnDamage::PassOver
            && let JournalFault::Damaged { at, reason } | JournalFault::Unreadable { at, reason } =
                &fault
        {
            let next = self.journal.next_whole(Cursor::new(*at));
            tracing::warn!(
                at,
                next = next.get(),
                reason,
                "a part of the journal is damaged; building the index without it"
            );
            return Ok(next);
        }
        Err(fault.into())
    }
}

/// Counts commits in the journal that do not continue where their stream ended: records in between
/// are missing, or two rooms wrote. Their rows are made anyway, since the commits were
/// acknowledged; `coterie check` lists every one.
#[derive(Debug, Default)]
pub struct BrokenChains(AtomicU64);

impl BrokenChains {
    /// How many were found since the start.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts a broken chain, and logs it if it is among the first 100.
    pub(super) fn tell(&self, commit: &Committed, end: StreamHead) {
        const TOLD: u64 = 100;
        if self.0.fetch_add(1, Ordering::Relaxed) < TOLD {
            let stream = commit.stream;
            let at = commit.cursor.get();
            let ended = end.n;
            let follows = commit.before.n;
            tracing::error!(
                %stream, at, ended, follows,
                "a commit does not follow the end of its stream; run `coterie check`"
            );
        }
    }
}
