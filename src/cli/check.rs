//! `coterie check`: verifies that the data is as it was written.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::admin::protocol::AdminCommand;
use crate::cli::check_files::KeptWhere;
use crate::cli::command::DataDirArgs;
use crate::cli::{REFUSED, check_files, check_images, check_rest, reach, say};
use crate::config::Options;
use crate::data_dir::{DataDir, DirLock};
use crate::index::comparing::{self, Compared};
use crate::index::sled_index::SledRows;
use crate::index::{IndexFault, Rows};
use crate::index::{applying, indexer};
use crate::journal::checking::{self, Checked};
use crate::journal::view::View;
use crate::journal::{Cursor, Journal};
use crate::log::{self, LogFormat};

/// The folder in which an index is made from the journal for comparison.
const SCRATCH: &str = "index.check";

/// Checks everything, and prints what was found.
pub(super) fn run(place: &DataDirArgs) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    let dir = place.data_dir.as_path();
    let problems = match reach::running(dir) {
        Some(running) => check_running(dir, reach::end_of(running, AdminCommand::TellPlace)?.0)?,
        None => check_stopped(dir)?,
    };
    match problems {
        0 => say("no problems").map(|()| ExitCode::SUCCESS),
        1 => say("1 problem").map(|()| ExitCode::from(REFUSED)),
        many => say(&format!("{many} problems")).map(|()| ExitCode::from(REFUSED)),
    }
}

/// Checks a running server: the durable part of its journal, images, files and keys, but not the
/// index.
fn check_running(dir: &Path, end: Cursor) -> Result<usize, String> {
    let view = View::open(&dir.join("journal"), Some(end));
    let view = view.map_err(|error| error.to_string())?;
    let mut checked = checking::check_view(&view);
    checked.segments = view.parts().map_err(|error| error.to_string())?.len();
    let problems = tell_journal(&checked)? + media(dir, &checked, &view)? + check_rest::check(dir)?;
    say("index: in use by the running server; stop it to check the index too")?;
    Ok(problems)
}

fn check_stopped(dir: &Path) -> Result<usize, String> {
    let _held = DirLock::of_installation(dir).map_err(|error| error.to_string())?;
    let journal = dir.join("journal");
    let checked = checking::check(&journal).map_err(|error| error.to_string())?;
    let mut problems = tell_journal(&checked)?;
    if checked.findings.is_empty() {
        problems += check_index(dir)?;
        let view = View::open(&journal, None).map_err(|error| error.to_string())?;
        problems += media(dir, &checked, &view)?;
    } else {
        say("index, images and files: not compared, since the journal is damaged")?;
    }
    Ok(problems + check_rest::check(dir)?)
}

fn tell_journal(checked: &Checked) -> Result<usize, String> {
    let Checked { segments, commits, events, streams, torn, findings } = checked;
    say(&format!(
        "journal: {segments} segments, {commits} commits, {events} events, {streams} streams"
    ))?;
    if let Some(torn) = torn {
        say(&format!(
            "journal: {} bytes at the end of {} are an incomplete write; the next start removes \
             them, which is no damage",
            torn.bytes, torn.file
        ))?;
    }
    findings.iter().try_for_each(|finding| say(&format!("journal: {finding}")))?;
    Ok(findings.len())
}

fn check_index(dir: &Path) -> Result<usize, String> {
    if !dir.join("index").exists() {
        say("index: it is missing; the next start builds it")?;
        return Ok(0);
    }
    match compare_index(dir) {
        Ok(None) => {
            say("index: it is empty; the next start builds it")?;
            Ok(0)
        }
        Ok(Some(Compared { same, differences })) => {
            say(&format!("index: {same} rows match the journal"))?;
            differences.iter().try_for_each(|it| say(&format!("index: {it}")))?;
            if !differences.is_empty() {
                say("index: run coterie rebuild")?;
            }
            Ok(differences.len())
        }
        Err(CompareError::Found(fault @ IndexFault::Ahead { .. })) => {
            say(&format!("journal: it lost its end: {fault}"))?;
            Ok(1)
        }
        Err(CompareError::Found(fault)) => {
            say(&format!("index: {fault}; run coterie rebuild"))?;
            Ok(1)
        }
        Err(CompareError::Scratch(why)) => Err(why),
    }
}

/// The index that failed.
enum CompareError {
    /// The index that is checked.
    Found(IndexFault),
    /// The index that was to be made for comparison.
    Scratch(String),
}

/// Makes an index from the journal, up to where the existing index is, and compares the two.
/// Returns `None` if the existing index is empty.
fn compare_index(dir: &Path) -> Result<Option<Compared>, CompareError> {
    let scratch = |error: &dyn std::fmt::Display| {
        CompareError::Scratch(format!("building an index to compare with failed: {error}"))
    };
    let options = Options::of(dir).map_err(|error| scratch(&error))?;
    let view = View::open(&dir.join("journal"), None).map_err(|error| scratch(&error))?;
    let found =
        SledRows::open(&dir.join("index"), options.index_cache.0).map_err(CompareError::Found)?;
    let reached = applying::reached(&found).map_err(CompareError::Found)?;
    let Some(applied) = reached else { return Ok(None) };
    view.set_end(after(&view, applied).map_err(CompareError::Found)?);
    let folder = dir.join(SCRATCH);
    drop(std::fs::remove_dir_all(&folder));
    let wanted = SledRows::open(&folder, options.index_cache.0).map_err(|it| scratch(&it))?;
    let wanted: Arc<dyn Rows> = Arc::new(wanted);
    let opened = indexer::open(Arc::clone(&wanted), Arc::new(view)).map_err(|it| scratch(&it))?;
    drop(opened);
    let compared = comparing::compare(&found, &*wanted).map_err(CompareError::Found);
    drop(wanted);
    std::fs::remove_dir_all(&folder).map_err(|error| scratch(&error))?;
    compared.map(Some)
}

/// Returns the position after the record at `applied`.
fn after(view: &View, applied: Cursor) -> Result<Cursor, IndexFault> {
    if applied >= view.end() {
        return Err(IndexFault::Ahead { reached: applied, end: view.end() });
    }
    Ok(view.scan(applied, 1)?.next)
}

/// Checks images and files against the journal, unless the journal is damaged: then it cannot tell
/// what should be there.
fn media(dir: &Path, checked: &Checked, view: &View) -> Result<usize, String> {
    if !checked.findings.is_empty() {
        say("images and files: not compared, since the journal is damaged")?;
        return Ok(0);
    }
    let later = || -> Result<Box<dyn Journal>, String> {
        let end = match reach::running(dir) {
            Some(running) => Some(reach::end_of(running, AdminCommand::TellPlace)?.0),
            None => None,
        };
        let view = View::open(&dir.join("journal"), end).map_err(|error| error.to_string())?;
        Ok(Box::new(view))
    };
    let kept = if DataDir::is_of_a_node(dir) { KeptWhere::ByAllNodes } else { KeptWhere::Here };
    Ok(check_images::check((&dir.join("images"), kept), view, later)?
        + check_files::check((&dir.join("files"), kept), view, later)?)
}
