//! Rows in memory in front of the store.
//!
//! The indexer applies each batch to memory, where readers see it at once, and writes it to the
//! store later: a row that changes often is written once, and readers never wait for the disk. When
//! the store fails, mostly for lack of disk space, the changes stay in memory up to a limit and
//! reads continue. Later the store is opened again and brought up to date.
//!
//! The overlay only records the fault of a store; the indexer (`repair.rs`) repairs the store. A
//! damaged store is set aside and made again from the journal.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::time::Duration;

use crate::{Flow, IndexFault, RowChange, RowVisitor, Rows, Walk};
use base::threads::Threads;

/// Bytes of changes that are kept while the store cannot be written; a mebibyte holds those of
/// hundreds of log-ins.
const KEPT_BYTES: usize = 16 << 20;
/// Changed rows at which they are written to the store. The store's readers wait during a write,
/// which takes some 10 ms for this many.
const WRITTEN_ROWS: usize = 2048;
/// Bytes of changed rows at which they are written to the store.
const WRITTEN_BYTES: usize = 1 << 20;
/// How often it is checked whether somebody still reads a store that is being taken away.
const LOOK: Duration = Duration::from_millis(1);
/// Memory that a change takes beside its key and value, in bytes.
const CHANGE_BYTES: usize = 96;

/// Opens the store below an overlay, and sets it aside.
pub trait StoreSource: Send + Sync + fmt::Debug {
    /// Opens the store, or begins an empty one.
    ///
    /// # Errors
    /// If the store cannot be opened.
    fn open(&self) -> Result<Arc<dyn Rows>, IndexFault>;

    /// Moves a store that cannot be used out of the way, without deleting anything.
    ///
    /// # Errors
    /// The error that the operating system reported.
    fn set_aside(&self) -> Result<(), IndexFault>;

    /// Whether there is room on the disk for a store to be written.
    fn has_space(&self) -> bool;
}

/// The fault of a store.
#[derive(Debug, Clone)]
pub enum Trouble {
    /// The operating system refused an operation; the store may be intact.
    Refused(IndexFault),
    /// The store is damaged.
    Damaged(IndexFault),
}

/// Changed rows in memory, and the store below, which may fail.
#[derive(Debug)]
pub struct OverlayRows {
    source: Box<dyn StoreSource>,
    inside: RwLock<Inside>,
    trouble: Mutex<Option<Trouble>>,
    is_troubled: AtomicBool,
    alarm: OnceLock<TroubleListener>,
    threads: Threads,
}

/// Wakes the indexer when something goes wrong.
struct TroubleListener(Box<dyn Fn() + Send + Sync>);

impl fmt::Debug for TroubleListener {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("TroubleListener")
    }
}

#[derive(Debug)]
struct Inside {
    /// `None` while the store is being opened again or rebuilt.
    store: Option<Arc<dyn Rows>>,
    /// Changes that are being written to the store.
    writing: Arc<Changes>,
    /// Changes that the store does not have; they are newer than those being written.
    recent: Changes,
    /// The size of `recent`, in bytes.
    bytes: usize,
}

/// Changed rows by key; `None` deletes.
type Changes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

impl OverlayRows {
    /// Opens the store of this source.
    ///
    /// # Errors
    /// If the store cannot be opened.
    pub fn open(source: Box<dyn StoreSource>) -> Result<Self, IndexFault> {
        Self::open_with(source, Threads::System)
    }

    /// Like [`Self::open`], for use by threads of this kind.
    ///
    /// # Errors
    /// If the store cannot be opened.
    pub fn open_with(source: Box<dyn StoreSource>, threads: Threads) -> Result<Self, IndexFault> {
        let inside = RwLock::new(Inside::over(source.open()?));
        let trouble = Mutex::default();
        let alarm = OnceLock::new();
        let is_troubled = AtomicBool::new(false);
        Ok(Self { source, inside, trouble, is_troubled, alarm, threads })
    }

    /// The source of the store.
    pub(super) fn source(&self) -> &dyn StoreSource {
        &*self.source
    }

    /// Runs the threads that use the rows.
    pub(super) const fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Whether something is wrong with the store.
    pub fn is_troubled(&self) -> bool {
        self.is_troubled.load(Ordering::SeqCst)
    }

    /// Returns what is wrong with the store, if anything is.
    pub fn trouble(&self) -> Option<Trouble> {
        self.lock_trouble().clone()
    }

    /// Whether there is a store to read from.
    pub fn is_open(&self) -> bool {
        self.read().store.is_some()
    }

    /// Takes the store away from readers, and waits for reads that are under way.
    pub(super) fn take_store(&self) {
        let store = self.write().store.take();
        let Some(store) = store else { return };
        while Arc::strong_count(&store) > 1 {
            self.threads.sleep(LOOK);
        }
    }

    /// Notes that the damaged store was set aside: what is left is to open a new one, which only
    /// the operating system can refuse.
    pub(super) fn note_set_aside(&self) {
        let fault = IndexFault::System("it is being rebuilt".to_owned());
        *self.lock_trouble() = Some(Trouble::Refused(fault));
    }

    /// Sets what is called when something goes wrong.
    pub(super) fn wake_on_trouble(&self, wake: Box<dyn Fn() + Send + Sync>) {
        drop(self.alarm.set(TroubleListener(wake)));
    }

    /// Puts a store that has every row in place; changes in memory and trouble are cleared.
    pub(super) fn put_store(&self, store: Arc<dyn Rows>) {
        *self.write() = Inside::over(store);
        *self.lock_trouble() = None;
        self.is_troubled.store(false, Ordering::SeqCst);
    }

    /// Notes the fault and wakes the repair. The first fault of a kind stays; damage replaces
    /// a refusal.
    fn note(&self, fault: &IndexFault) {
        let found = match fault {
            IndexFault::System(_) => Trouble::Refused(fault.clone()),
            IndexFault::Store(_) => Trouble::Damaged(fault.clone()),
            IndexFault::Row { .. }
            | IndexFault::Journal(_)
            | IndexFault::Ahead { .. }
            | IndexFault::Mending
            | IndexFault::Stopped => return,
        };
        let mut trouble = self.lock_trouble();
        match (&*trouble, &found) {
            (Some(Trouble::Damaged(_)), _) | (Some(_), Trouble::Refused(_)) => return,
            (None, _) | (Some(Trouble::Refused(_)), Trouble::Damaged(_)) => {}
        }
        tracing::error!(%fault, "an operation on the stored index failed; the indexer repairs it");
        *trouble = Some(found);
        self.is_troubled.store(true, Ordering::SeqCst);
        drop(trouble);
        if let Some(TroubleListener(wake)) = self.alarm.get() {
            wake();
        }
    }

    /// Passes a result on, noting its fault.
    pub(super) fn noted<T>(&self, done: Result<T, IndexFault>) -> Result<T, IndexFault> {
        if let Err(fault) = &done {
            self.note(fault);
        }
        done
    }

    fn read(&self) -> RwLockReadGuard<'_, Inside> {
        self.inside.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inside> {
        self.inside.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_trouble(&self) -> MutexGuard<'_, Option<Trouble>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The memory that a change takes, in bytes.
fn size((key, value): (&Vec<u8>, &Option<Vec<u8>>)) -> usize {
    key.len() + value.as_ref().map_or(0, Vec::len) + CHANGE_BYTES
}

impl Inside {
    fn over(store: Arc<dyn Rows>) -> Self {
        Self { store: Some(store), writing: Arc::default(), recent: Changes::new(), bytes: 0 }
    }

    fn store(&self) -> Result<Arc<dyn Rows>, IndexFault> {
        self.store.clone().ok_or(IndexFault::Mending)
    }

    fn changed(&self, key: &[u8]) -> Option<&Option<Vec<u8>>> {
        self.recent.get(key).or_else(|| self.writing.get(key))
    }

    /// The changes from `low` to `high`, in order.
    fn changes(&self, low: &[u8], high: &[u8]) -> Vec<RowChange> {
        let range = (Bound::Included(low), Bound::Included(high));
        let own = |(key, value): (&Vec<u8>, &Option<Vec<u8>>)| (key.clone(), value.clone());
        let recent = self.recent.range::<[u8], _>(range).map(own);
        if self.writing.is_empty() {
            return recent.collect();
        }
        let mut merged: Changes = self.writing.range::<[u8], _>(range).map(own).collect();
        merged.extend(recent);
        merged.into_iter().collect()
    }

    fn keep(&mut self, changes: Vec<RowChange>, limit: usize) -> Result<(), IndexFault> {
        let more: usize = changes.iter().map(|(key, value)| size((key, value))).sum();
        if self.store.is_none() || self.bytes + more > limit {
            let reason = "more than is kept in memory waits for the store".to_owned();
            return Err(IndexFault::System(reason));
        }
        self.bytes += more;
        self.recent.extend(changes);
        Ok(())
    }
}

impl Rows for OverlayRows {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFault> {
        let store = {
            let inside = self.read();
            if let Some(changed) = inside.changed(key) {
                return Ok(changed.clone());
            }
            inside.store()?
        };
        self.noted(store.get(key))
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
        let (store, changes) = {
            let inside = self.read();
            (inside.store()?, inside.changes(low, high))
        };
        if changes.is_empty() {
            return self.noted(store.scan(low, high, walk, visit));
        }
        let mut merge = Merge { changes, walk, has_stopped: false };
        if walk == Walk::Up {
            // The next row to show must be at the end.
            merge.changes.reverse();
        }
        let scanned = store.scan(low, high, walk, &mut |key, value| merge.row(key, value, visit));
        self.noted(scanned)?;
        merge.rest(visit)
    }

    fn apply(&self, changes: Vec<RowChange>) -> Result<(), IndexFault> {
        let limit = if self.is_troubled() { KEPT_BYTES } else { usize::MAX };
        self.write().keep(changes, limit)
    }

    fn is_full(&self) -> bool {
        let inside = self.read();
        inside.recent.len() >= WRITTEN_ROWS || inside.bytes >= WRITTEN_BYTES
    }

    fn has_unwritten(&self) -> bool {
        let inside = self.read();
        !inside.recent.is_empty() || !inside.writing.is_empty()
    }

    /// Writes all changes as one batch. If that fails, they stay in memory and the fault is noted.
    fn write_out(&self) {
        if self.is_troubled() {
            return;
        }
        if !self.source.has_space() {
            return self.note(&IndexFault::System("the disk is full".to_owned()));
        }
        let (store, changes) = {
            let mut inside = self.write();
            let Some(store) = inside.store.clone() else { return };
            if inside.recent.is_empty() {
                return;
            }
            inside.bytes = 0;
            inside.writing = Arc::new(std::mem::take(&mut inside.recent));
            (store, Arc::clone(&inside.writing))
        };
        let batch = changes.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        let written = self.noted(store.apply(batch));
        drop(changes);
        let mut inside = self.write();
        let changes = std::mem::take(&mut inside.writing);
        if written.is_err() {
            inside.recent = Arc::unwrap_or_clone(changes);
            inside.bytes = inside.recent.iter().map(size).sum();
        }
    }

    fn is_well(&self) -> bool {
        !self.is_troubled()
    }

    fn flush(&self) -> Result<(), IndexFault> {
        self.write_out();
        let store = self.read().store()?;
        self.noted(store.flush())
    }
}

/// Merges the rows of the store with the changes in memory in one scan.
struct Merge {
    /// The changes not shown yet, the next one at the end.
    changes: Vec<RowChange>,
    walk: Walk,
    has_stopped: bool,
}

impl Merge {
    /// Shows a row of the store, after the changed ones that precede it. A change of the same key
    /// replaces the row.
    fn row(
        &mut self,
        key: &[u8],
        value: &[u8],
        visit: &mut RowVisitor<'_>,
    ) -> Result<Flow, IndexFault> {
        while let Some((next, _)) = self.changes.last() {
            let is_due = match self.walk {
                Walk::Up => next.as_slice() <= key,
                Walk::Down => next.as_slice() >= key,
            };
            if !is_due {
                break;
            }
            let Some((next, value)) = self.changes.pop() else { break };
            let go = value.map_or(Ok(Flow::Continue), |value| visit(&next, &value))?;
            if go == Flow::Stop {
                self.has_stopped = true;
                return Ok(Flow::Stop);
            }
            if next == key {
                return Ok(Flow::Continue);
            }
        }
        let go = visit(key, value)?;
        self.has_stopped = go == Flow::Stop;
        Ok(go)
    }

    /// Shows the changed rows that follow the last one of the store.
    fn rest(mut self, visit: &mut RowVisitor<'_>) -> Result<(), IndexFault> {
        while let Some((key, value)) = self.changes.pop().filter(|_| !self.has_stopped) {
            if let Some(value) = value
                && visit(&key, &value)? == Flow::Stop
            {
                return Ok(());
            }
        }
        Ok(())
    }
}
