//! Rows that outlive their store: when the store fails, mostly for want of disk space, changes are
//! kept in memory up to a limit and shown together with what lies in the store, so that reading
//! goes on. Later the store is opened again and brought up to date.
//!
//! The shelter only records what is wrong: the indexer asks for it (`mending.rs`) and mends the
//! store. A damaged store is set aside and made anew, wherever the damage is noticed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::time::Duration;

use crate::index::{Flow, IndexFault, RowChange, RowVisitor, Rows, Walk};
use crate::threads::Threads;

/// Bytes of changes that are kept while the store cannot be written; a mebibyte holds those of
/// hundreds of log-ins.
const KEPT_BYTES: usize = 16 << 20;
/// How often it is checked whether somebody still reads a store that is being taken away.
const LOOK: Duration = Duration::from_millis(1);
/// Memory that a kept change takes beside its key and value, in bytes.
const KEPT_EACH: usize = 96;

/// Opens the store of a shelter, and sets it aside.
pub trait ShelterSource: Send + Sync + fmt::Debug {
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

/// What is wrong with a store.
#[derive(Debug, Clone)]
pub enum Trouble {
    /// The operating system refused an operation; the store may be intact.
    Refused(IndexFault),
    /// The store is damaged.
    Damaged(IndexFault),
}

/// Rows in a store that may fail.
#[derive(Debug)]
pub struct Shelter {
    source: Box<dyn ShelterSource>,
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
    /// `None` while the store is being opened again or made anew.
    store: Option<Arc<dyn Rows>>,
    /// Changes that the store does not have; `None` deletes.
    kept: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    bytes: usize,
}

impl Shelter {
    /// Opens the store of this source.
    ///
    /// # Errors
    /// If the store cannot be opened.
    pub fn open(source: Box<dyn ShelterSource>) -> Result<Self, IndexFault> {
        Self::open_with(source, Threads::System)
    }

    /// Like [`Self::open`], for use by threads of this kind.
    ///
    /// # Errors
    /// If the store cannot be opened.
    pub fn open_with(source: Box<dyn ShelterSource>, threads: Threads) -> Result<Self, IndexFault> {
        let inside = Inside { store: Some(source.open()?), kept: BTreeMap::new(), bytes: 0 };
        let (inside, trouble, alarm) = (RwLock::new(inside), Mutex::default(), OnceLock::new());
        let is_troubled = AtomicBool::new(false);
        Ok(Self { source, inside, trouble, is_troubled, alarm, threads })
    }

    /// Where the store comes from.
    pub(super) fn source(&self) -> &dyn ShelterSource {
        &*self.source
    }

    /// Runs the threads that use the shelter.
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
        let fault = IndexFault::System("it is being made anew".to_owned());
        *self.lock_trouble() = Some(Trouble::Refused(fault));
    }

    /// Sets what is called when something goes wrong.
    pub(super) fn wake_on_trouble(&self, wake: Box<dyn Fn() + Send + Sync>) {
        drop(self.alarm.set(TroubleListener(wake)));
    }

    /// Puts a store that has every row in place; kept changes and trouble are cleared.
    pub(super) fn put_store(&self, store: Arc<dyn Rows>) {
        *self.write() = Inside { store: Some(store), kept: BTreeMap::new(), bytes: 0 };
        *self.lock_trouble() = None;
        self.is_troubled.store(false, Ordering::SeqCst);
    }

    /// Notes what is wrong and calls for mending. The first fault of a kind stays; damage replaces
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
        tracing::error!(%fault, "the store of the index failed");
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

impl Inside {
    fn store(&self) -> Result<Arc<dyn Rows>, IndexFault> {
        self.store.clone().ok_or(IndexFault::Mending)
    }

    fn keep(&mut self, changes: Vec<RowChange>) -> Result<(), IndexFault> {
        let size =
            |(key, value): &RowChange| key.len() + value.as_ref().map_or(0, Vec::len) + KEPT_EACH;
        let more: usize = changes.iter().map(size).sum();
        if self.store.is_none() || self.bytes + more > KEPT_BYTES {
            let reason = "more than is kept in memory waits for the store".to_owned();
            return Err(IndexFault::System(reason));
        }
        self.bytes += more;
        self.kept.extend(changes);
        Ok(())
    }
}

impl Rows for Shelter {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFault> {
        let store = {
            let inside = self.read();
            if let Some(kept) = inside.kept.get(key) {
                return Ok(kept.clone());
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
        let (store, kept) = {
            let inside = self.read();
            let is_wanted = low <= high && !inside.kept.is_empty();
            let kept = is_wanted.then(|| inside.kept.range(low.to_vec()..=high.to_vec()));
            let own = |(key, value): (&Vec<u8>, &Option<Vec<u8>>)| (key.clone(), value.clone());
            (inside.store()?, kept.into_iter().flatten().map(own).collect::<Vec<RowChange>>())
        };
        if kept.is_empty() {
            return self.noted(store.scan(low, high, walk, visit));
        }
        let mut merge = Merge { kept, walk, has_stopped: false };
        if walk == Walk::Up {
            // The next row to show must be at the end.
            merge.kept.reverse();
        }
        let scanned = store.scan(low, high, walk, &mut |key, value| merge.row(key, value, visit));
        self.noted(scanned)?;
        merge.rest(visit)
    }

    fn apply(&self, changes: Vec<RowChange>) -> Result<(), IndexFault> {
        // Once something is wrong, every change is kept, so that their order is preserved.
        if self.is_troubled() || !self.source.has_space() {
            if !self.is_troubled() {
                self.note(&IndexFault::System("there is no room on the disk".to_owned()));
            }
            return self.write().keep(changes);
        }
        let store = self.read().store()?;
        match self.noted(store.apply(changes.clone())) {
            Err(IndexFault::System(_)) => self.write().keep(changes),
            done => done,
        }
    }

    fn is_well(&self) -> bool {
        !self.is_troubled()
    }

    fn flush(&self) -> Result<(), IndexFault> {
        let store = self.read().store()?;
        self.noted(store.flush())
    }
}

/// Merges the rows of the store with the kept changes in one scan.
struct Merge {
    /// The changes not shown yet, the next one at the end.
    kept: Vec<RowChange>,
    walk: Walk,
    has_stopped: bool,
}

impl Merge {
    /// Shows a row of the store, after the kept ones that precede it. A kept change of the same key
    /// replaces the row.
    fn row(
        &mut self,
        key: &[u8],
        value: &[u8],
        visit: &mut RowVisitor<'_>,
    ) -> Result<Flow, IndexFault> {
        while let Some((next, _)) = self.kept.last() {
            let is_due = match self.walk {
                Walk::Up => next.as_slice() <= key,
                Walk::Down => next.as_slice() >= key,
            };
            if !is_due {
                break;
            }
            let Some((next, kept)) = self.kept.pop() else { break };
            let go = kept.map_or(Ok(Flow::Continue), |kept| visit(&next, &kept))?;
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

    /// Shows the kept rows that follow the last one of the store.
    fn rest(mut self, visit: &mut RowVisitor<'_>) -> Result<(), IndexFault> {
        while let Some((key, kept)) = self.kept.pop().filter(|_| !self.has_stopped) {
            if let Some(kept) = kept
                && visit(&key, &kept)? == Flow::Stop
            {
                return Ok(());
            }
        }
        Ok(())
    }
}
