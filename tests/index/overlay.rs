//! Rows that outlive the failure of their store: what the store cannot take is kept in memory and
//! shown; a store that is opened again, or rebuilt, has everything.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use coterie::index::applier::OnDamage;
use coterie::index::memory::MemoryRows;
use coterie::index::overlay::{OverlayRows, StoreSource};
use coterie::index::{IndexFault, RowChange, RowVisitor, Rows, Walk, comparison, indexer};
use coterie::journal::Journal;
use coterie::journal::memory::MemoryJournal;

use crate::history::History;

/// Which operation of a store fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Nothing,
    Writing,
    Reading,
}

/// A store that fails when told to, and the drive that holds it.
#[derive(Debug)]
struct Drive {
    wrong: Mutex<Wrong>,
    has_space: AtomicBool,
    opened: AtomicUsize,
    aside: AtomicUsize,
    rows: Mutex<Arc<MemoryRows>>,
}

impl Drive {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            wrong: Mutex::new(Wrong::Nothing),
            has_space: AtomicBool::new(true),
            opened: AtomicUsize::new(0),
            aside: AtomicUsize::new(0),
            rows: Mutex::default(),
        })
    }

    fn is(&self, wrong: Wrong) {
        *self.wrong.lock().unwrap() = wrong;
    }

    fn rows(&self) -> Arc<MemoryRows> {
        Arc::clone(&self.rows.lock().unwrap())
    }
}

#[derive(Debug)]
struct Told(Arc<Drive>);

#[derive(Debug)]
struct Store(Arc<Drive>, Arc<MemoryRows>);

impl StoreSource for Told {
    fn open(&self) -> Result<Arc<dyn Rows>, IndexFault> {
        self.0.opened.fetch_add(1, Ordering::SeqCst);
        Ok(Arc::new(Store(Arc::clone(&self.0), self.0.rows())))
    }

    fn set_aside(&self) -> Result<(), IndexFault> {
        self.0.aside.fetch_add(1, Ordering::SeqCst);
        *self.0.rows.lock().unwrap() = Arc::default();
        self.0.is(Wrong::Nothing);
        Ok(())
    }

    fn has_space(&self) -> bool {
        self.0.has_space.load(Ordering::SeqCst)
    }
}

impl Store {
    fn fails_by(&self, wrong: Wrong) -> Result<(), IndexFault> {
        match (*self.0.wrong.lock().unwrap(), wrong) {
            (Wrong::Writing, Wrong::Writing) => Err(IndexFault::System("no space".to_owned())),
            (Wrong::Reading, Wrong::Reading) => Err(IndexFault::Store("a bad page".to_owned())),
            _ => Ok(()),
        }
    }
}

impl Rows for Store {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFault> {
        self.fails_by(Wrong::Reading)?;
        self.1.get(key)
    }

    fn scan(
        &self,
        low: &[u8],
        high: &[u8],
        walk: Walk,
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), IndexFault> {
        self.fails_by(Wrong::Reading)?;
        self.1.scan(low, high, walk, visit)
    }

    fn apply(&self, changes: Vec<RowChange>) -> Result<(), IndexFault> {
        // Like a real store, it may have applied a part before it fails.
        let failed = self.fails_by(Wrong::Writing);
        let part = if failed.is_err() { changes.len() / 2 } else { changes.len() };
        self.1.apply(changes.into_iter().take(part).collect())?;
        failed
    }

    fn flush(&self) -> Result<(), IndexFault> {
        self.1.flush()
    }
}

/// Rows that are written to the store after some batches and not after others.
#[derive(Debug)]
pub(crate) struct WrittenNowAndThen {
    rows: OverlayRows,
    /// Whether the store is written after each of the next batches; the last value is repeated.
    writes: Mutex<Vec<bool>>,
}

impl WrittenNowAndThen {
    pub(crate) fn new(writes: &[bool]) -> Self {
        let rows = OverlayRows::open(Box::new(Told(Drive::new()))).unwrap();
        Self { rows, writes: Mutex::new(writes.iter().rev().copied().collect()) }
    }
}

impl Rows for WrittenNowAndThen {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFault> {
        self.rows.get(key)
    }

    fn scan(
        &self,
        low: &[u8],
        high: &[u8],
        walk: Walk,
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), IndexFault> {
        self.rows.scan(low, high, walk, visit)
    }

    fn apply(&self, changes: Vec<RowChange>) -> Result<(), IndexFault> {
        self.rows.apply(changes)?;
        let mut writes = self.writes.lock().unwrap();
        let is_written = if writes.len() > 1 { writes.pop() } else { writes.first().copied() };
        if is_written == Some(true) {
            self.rows.write_out();
            assert!(!self.rows.has_unwritten());
        }
        Ok(())
    }

    fn flush(&self) -> Result<(), IndexFault> {
        self.rows.flush()
    }
}

/// Writes a history while the store fails, and checks that all rows are found then and afterwards.
fn told_through(trouble: Wrong) -> Arc<Drive> {
    let drive = Drive::new();
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let overlay = Arc::new(OverlayRows::open(Box::new(Told(Arc::clone(&drive)))).unwrap());
    let opened =
        indexer::open_over(Arc::clone(&overlay), Arc::clone(&journal), OnDamage::Fail).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let reaches = || runtime.block_on(opened.index.reached(journal.newest())).unwrap();
    let mut history = History::of(7);
    history.goes_on(&*journal, 200);
    reaches();
    drive.has_space.store(trouble != Wrong::Writing, Ordering::SeqCst);
    drive.is(trouble);
    if trouble == Wrong::Reading {
        overlay.get(b"anything").unwrap_err();
    }
    for _ in 0..20 {
        history.goes_on(&*journal, 10);
        reaches();
    }
    let all = |rows: &dyn Rows| {
        let rebuilt: Arc<dyn Rows> = Arc::new(MemoryRows::default());
        drop(indexer::open(Arc::clone(&rebuilt), Arc::clone(&journal)).unwrap());
        let compared = comparison::compare(rows, &*rebuilt).unwrap();
        let told: Vec<String> = compared.differences.iter().map(ToString::to_string).collect();
        assert!(told.is_empty(), "{told:#?}");
    };
    all(&*overlay);
    while trouble == Wrong::Writing && opened.index.is_well() {
        std::thread::yield_now();
    }
    all(&*overlay);
    drive.is(Wrong::Nothing);
    drive.has_space.store(true, Ordering::SeqCst);
    while !opened.index.is_well() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let written = || {
        while overlay.has_unwritten() {
            std::thread::yield_now();
        }
        all(&*drive.rows());
    };
    written();
    history.goes_on(&*journal, 50);
    reaches();
    written();
    drive
}

#[test]
fn a_store_without_room_is_opened_again_once_there_is_some() {
    let drive = told_through(Wrong::Writing);
    assert_eq!((drive.opened.load(Ordering::SeqCst), drive.aside.load(Ordering::SeqCst)), (2, 0));
}

#[test]
fn damaged_store_is_set_aside_and_rebuilt() {
    let drive = told_through(Wrong::Reading);
    assert_eq!((drive.opened.load(Ordering::SeqCst), drive.aside.load(Ordering::SeqCst)), (2, 1));
}
