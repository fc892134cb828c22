//! `coterie rebuild`: rebuilds the index and the search index from the journal.
//!
//! The new index is made in a folder of its own and replaces the old one in one step, so that an
//! interrupted rebuild leaves an index that works.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::boot::data_dir::{self, DirLock};
use crate::cli::command::DataDirArgs;
use crate::cli::say;
use crate::config::Options;
use crate::log::{self, LogFormat};
use base::bounds::places::Places;
use base::clock::Stopwatch;
use index::archive::Archive;
use index::sled_index::SledRows;
use index::{Rows, indexer};
use journal::Journal;
use journal::open_error::OpenError;
use journal::view::View;
use search::{self, Search};

/// Cache bytes for reading the old index's position.
const FOR_PROOF: u64 = 8 << 20;

/// Rebuilds the index and the search index.
pub(super) fn run(place: &DataDirArgs) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    let dir = place.data_dir.as_path();
    let _held = DirLock::of_installation(dir).map_err(|error| error.to_string())?;
    refuse_lost_end(dir)?;
    let watch = Stopwatch::start();
    let draft = dir.join("index.new");
    let index = dir.join("index");
    let plain = |error: io::Error| format!("the index cannot be replaced: {error}");
    remove(&draft).map_err(plain)?;
    let (commits, messages) = make(dir, &draft)?;
    exchange(&draft, &index).map_err(plain)?;
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(plain)?;
    // After the exchange, this folder holds the old index.
    remove(&draft).map_err(plain)?;
    let seconds = watch.micros() as f64 / 1e6;
    say(&format!("built the index from {commits} commits in {seconds:.1} s"))?;
    say(&format!("indexed {messages} messages for search"))?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to replace an index that has followed the journal further than the journal now goes,
/// since it is the only proof of the loss. An index that cannot be opened proves nothing.
fn refuse_lost_end(dir: &Path) -> Result<(), String> {
    let index = dir.join("index");
    if !index.exists() {
        return Ok(());
    }
    let Ok(rows) = SledRows::open(&index, FOR_PROOF) else { return Ok(()) };
    let Ok(Some(known)) = indexer::applied_in_any_layout(&rows) else { return Ok(()) };
    let view = View::open(&dir.join("journal"), None).map_err(|error| error.to_string())?;
    match OpenError::if_lost(known, view.end()) {
        Some(lost) => Err(lost.to_string()),
        None => Ok(()),
    }
}

/// Makes the new index and the search index; returns how many commits were replayed and how many
/// messages can be searched.
fn make(dir: &Path, draft: &Path) -> Result<(u64, u64), String> {
    let options = Options::of(dir).map_err(|error| error.to_string())?;
    let view = View::open(&dir.join("journal"), None).map_err(|error| error.to_string())?;
    let plain = |error| format!("building the index failed: {error}");
    let rows = SledRows::open(draft, options.index_cache.0).map_err(plain)?;
    let rows: Arc<dyn Rows> = Arc::new(rows);
    let journal: Arc<dyn Journal> = Arc::new(view);
    let opened = indexer::open(Arc::clone(&rows), Arc::clone(&journal)).map_err(plain)?;
    let replayed = opened.replayed;
    let search = Search::over(Archive::new(Arc::clone(&opened.index), journal), &Places::default());
    let history = data_dir::history_of(dir).unwrap_or_default();
    let messages = search::indexer::rebuild(&search, dir.join("search"), history)
        .map_err(|fault| fault.to_string())?;
    drop((search, opened));
    rows.flush().map_err(plain)?;
    Ok((replayed, messages))
}

fn exchange(draft: &Path, index: &Path) -> io::Result<()> {
    match renameat_with(CWD, draft, CWD, index, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::NOENT) => fs::rename(draft, index),
        // Some file systems cannot exchange two folders. A server that starts between the two
        // renames rebuilds the index.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            let old = index.with_extension("old");
            remove(&old)?;
            fs::rename(index, &old)?;
            fs::rename(draft, index)?;
            remove(&old)
        }
        Err(error) => Err(error.into()),
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
