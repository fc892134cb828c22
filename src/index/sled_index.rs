//! Rows in sled. No other file depends on sled.
//!
//! sled acknowledges writes before they are on disk, and may fail to open after a kill. Both are
//! acceptable here: the journal is the truth, and the caller sets a broken store aside and rebuilds
//! it.

use std::fs;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::{Flow, IndexFault, RowChange, RowVisitor, Rows, Walk};

/// How often sled flushes by itself, in milliseconds. Only the length of a replay after a crash
/// depends on it.
const FLUSH_MILLIS: u64 = 1000;

/// How often the lock of a store that was closed just now is tried again, and the pause before each
/// attempt.
const RELEASE_LOOKS: usize = 100;
const RELEASE_PAUSE: Duration = Duration::from_millis(20);

/// A key after all rows, written to find out whether a store still takes writes.
const PROBE: &[u8] = &[0xff; 8];

/// An ordered map on disk.
///
/// sled reserves a place in its log before it writes a large value to a file of its own. If that
/// file cannot be written, the place is never released, and a flush waits for it forever, holding a
/// lock that all stores of the process share. sled flushes when it is dropped, too. Such a store is
/// stuck: it is never flushed and never dropped, and the caller sets it aside.
#[derive(Debug)]
pub struct SledRows {
    db: sled::Db,
    is_stuck: AtomicBool,
}

impl From<sled::Error> for IndexFault {
    fn from(error: sled::Error) -> Self {
        match &error {
            sled::Error::Io(cause) if !is_damage(cause.kind()) => Self::System(cause.to_string()),
            sled::Error::Io(_)
            | sled::Error::CollectionNotFound(_)
            | sled::Error::Unsupported(_)
            | sled::Error::ReportableBug(_)
            | sled::Error::Corruption { .. } => Self::Store(error.to_string()),
        }
    }
}

/// Whether an I/O error tells of damaged files rather than of the machine: files that end too
/// early, or have content that they cannot have. Everything else (no space, no descriptors, no
/// permission, a failing drive) may be over tomorrow.
fn is_damage(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput)
}

/// Whether the store is open. Two servers never share a folder, so it was closed just now: sled's
/// threads release the lock a moment after the last handle is dropped.
fn is_locked(error: &sled::Error) -> bool {
    matches!(error, sled::Error::Io(cause) if cause.to_string().starts_with("could not acquire lock"))
}

/// Runs an operation, and treats a panic as damage: sled panics when it finds something that it
/// cannot continue with.
fn guarded<T>(act: impl FnOnce() -> Result<T, IndexFault>) -> Result<T, IndexFault> {
    catch_unwind(AssertUnwindSafe(act))
        .unwrap_or_else(|_| Err(IndexFault::Store("it panicked".to_owned())))
}

impl SledRows {
    /// Opens or creates the store in this folder, with a cache of `cache_bytes`.
    ///
    /// # Errors
    /// If sled cannot open what lies there.
    pub fn open(folder: &Path, cache_bytes: u64) -> Result<Self, IndexFault> {
        // sled's default cache is a gigabyte, so the size is always set.
        let config = sled::Config::new()
            .path(folder)
            .cache_capacity(cache_bytes)
            .mode(sled::Mode::HighThroughput)
            .flush_every_ms(Some(FLUSH_MILLIS));
        remove_drafts(folder).map_err(|error| IndexFault::System(error.to_string()))?;
        let db = guarded(|| {
            let mut opened = config.open();
            for _ in 0..RELEASE_LOOKS {
                match &opened {
                    Err(error) if is_locked(error) => thread::sleep(RELEASE_PAUSE),
                    Ok(_) | Err(_) => break,
                }
                opened = config.open();
            }
            Ok(opened?)
        })?;
        Ok(Self { db, is_stuck: AtomicBool::new(false) })
    }

    fn check_stuck(&self) -> Result<(), IndexFault> {
        if !self.is_stuck.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(IndexFault::Store(
            "a large value could not be written, so sled cannot flush".to_owned(),
        ))
    }

    /// Finds out what a failed write left. When its log failed, sled refuses every further write
    /// and flushes nothing; when it still takes one, the place of a large value is lost.
    fn find_stuck(&self) {
        let takes_writes = guarded(|| {
            self.db.insert(PROBE, &[])?;
            self.db.remove(PROBE)?;
            Ok(())
        });
        if takes_writes.is_ok() && !self.is_stuck.swap(true, Ordering::SeqCst) {
            // One reference stays, so that the store is never dropped.
            std::mem::forget(self.db.clone());
        }
    }
}

/// Removes snapshots that sled could not finish, for lack of space, say: it would take them for
/// whole ones, and the store for damaged. What they were made of is still there.
fn remove_drafts(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let is_draft = |name: &str| name.starts_with("snap.") && name.ends_with(".generating");
        if name.to_str().is_some_and(is_draft) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

impl Rows for SledRows {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFault> {
        guarded(|| Ok(self.db.get(key)?.map(|value| value.to_vec())))
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
        let mut range = self.db.range(low..=high);
        loop {
            let next = guarded(|| match walk {
                Walk::Up => Ok(range.next()),
                Walk::Down => Ok(range.next_back()),
            });
            let Some(row) = next? else { return Ok(()) };
            let (key, value) = row?;
            if visit(&key, &value)? == Flow::Stop {
                return Ok(());
            }
        }
    }

    fn apply(&self, changes: Vec<RowChange>) -> Result<(), IndexFault> {
        self.check_stuck()?;
        let mut batch = sled::Batch::default();
        for (key, value) in changes {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        guarded(|| Ok(self.db.apply_batch(batch)?)).or_else(|fault| {
            self.find_stuck();
            self.check_stuck()?;
            Err(fault)
        })
    }

    fn flush(&self) -> Result<(), IndexFault> {
        self.check_stuck()?;
        guarded(|| Ok(self.db.flush().map(drop)?))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// Opens a store, and removes the folder in which sled writes large values.
    fn open_without_blobs(folder: &Path) -> SledRows {
        let rows = SledRows::open(folder, 1 << 20).unwrap();
        fs::remove_dir_all(folder.join("blobs")).unwrap();
        rows
    }

    #[test]
    fn failed_large_value_stops_no_other_store() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let (tell, ended) = mpsc::channel();
        let one = folder.path().to_owned();
        let two = other.path().to_owned();
        thread::spawn(move || {
            let rows = open_without_blobs(&one);
            let large = vec![b'x'; 256 << 10];
            let fault = rows.apply(vec![(b"large".to_vec(), Some(large))]).unwrap_err();
            assert!(matches!(fault, IndexFault::Store(_)), "{fault}");
            assert!(rows.flush().is_err());
            assert!(rows.apply(vec![(b"small".to_vec(), Some(vec![1]))]).is_err());
            drop(rows);
            let rows = SledRows::open(&two, 1 << 20).unwrap();
            rows.apply(vec![(b"small".to_vec(), Some(vec![1]))]).unwrap();
            rows.flush().unwrap();
            tell.send(rows.get(b"small").unwrap()).unwrap();
        });
        let found = ended.recv_timeout(Duration::from_secs(120)).expect("nobody waits forever");
        assert_eq!(found, Some(vec![1]));
    }

    #[test]
    fn store_with_large_values_is_flushed_and_opens_again() {
        let folder = tempfile::tempdir().unwrap();
        let large = vec![b'x'; 256 << 10];
        let rows = SledRows::open(folder.path(), 1 << 20).unwrap();
        rows.apply(vec![(b"large".to_vec(), Some(large.clone()))]).unwrap();
        rows.flush().unwrap();
        drop(rows);
        let rows = SledRows::open(folder.path(), 1 << 20).unwrap();
        assert_eq!(rows.get(b"large").unwrap(), Some(large));
    }
}
