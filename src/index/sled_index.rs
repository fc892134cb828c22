//! Rows in sled. No other file depends on sled.
//!
//! sled acknowledges writes before they are on disk, and may fail to open after a kill. Both are
//! acceptable here: the journal is the truth, and the caller sets a broken store aside and makes it
//! anew.

use std::fs;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::index::{Flow, IndexFault, RowChange, RowVisitor, Rows, Walk};

/// How often sled flushes by itself, in milliseconds. Only the length of a replay after a crash
/// depends on it.
const FLUSH_MILLIS: u64 = 1000;

/// An ordered map on disk.
#[derive(Debug)]
pub struct SledRows(sled::Db);

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

/// Runs an operation, and treats a panic as damage: sled panics when it finds something that it
/// cannot go on with.
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
        guarded(|| Ok(Self(config.open()?)))
    }
}

/// Removes snapshots that sled could not finish, for want of space, say: it would take them for
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
        guarded(|| Ok(self.0.get(key)?.map(|value| value.to_vec())))
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
        let mut range = self.0.range(low..=high);
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
        let mut batch = sled::Batch::default();
        for (key, value) in changes {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        guarded(|| Ok(self.0.apply_batch(batch)?))
    }

    fn flush(&self) -> Result<(), IndexFault> {
        guarded(|| Ok(self.0.flush().map(drop)?))
    }
}
