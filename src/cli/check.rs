//! `coterie check`: verifies that journal, index, images, files and the rest of a data directory are
//! as they were written.
//!
//! `coterie check --json` checks the journal alone, and prints a value by which programs can compare it
//! with another node's. Images and files that nothing names are listed; they are no problem.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::admin::protocol::AdminCommand;
use crate::boot::data_dir::{self, DataDir, DirLock};
use crate::cli::command::DataDirArgs;
use crate::cli::{REFUSED, reach, say, say_json, when};
use crate::config::Options;
use crate::http::acme::store::AcmeStore;
use crate::log::{self, LogFormat};
use auth::secrets::SecretsKey;
use domain::hex::hex;
use domain::time::Timestamp;
use index::comparison::{self, Compared};
use index::sled_index::SledRows;
use index::{IndexFault, Rows, applier, indexer};
use journal::open_error::OpenError;
use journal::verification::{self, Checked, Finding};
use journal::view::View;
use journal::{Cursor, Journal, inventory};
use media::files::disk::{self, UNSENT};
use media::files::links::LinkKey;
use media::files::named::contents_named;
use media::files::unsent::UnsentFile;
use media::name::ImageName;
use media::orphans::{self, ImageComparison};
use media::store;
use notify::vapid::VapidKey;

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
    let mut checked = verification::check_view(&view);
    checked.segments = view.parts().map_err(|error| error.to_string())?.len();
    let problems = tell_journal(&checked)? + media(dir, &checked, &view)? + check_other_files(dir)?;
    say("index: in use by the running server; stop it to check the index too")?;
    Ok(problems)
}

fn check_stopped(dir: &Path) -> Result<usize, String> {
    let _held = DirLock::of_installation(dir).map_err(|error| error.to_string())?;
    let journal = dir.join("journal");
    let checked = verification::check(&journal).map_err(|error| error.to_string())?;
    let mut problems = tell_journal(&checked)?;
    if checked.findings.is_empty() {
        problems += check_index(dir)?;
        let view = View::open(&journal, None).map_err(|error| error.to_string())?;
        problems += media(dir, &checked, &view)?;
    } else {
        say("index, images and files: not compared, since the journal is damaged")?;
    }
    Ok(problems + check_other_files(dir)?)
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
    let reached = applier::reached(&found).map_err(CompareError::Found)?;
    let Some(applied) = reached else { return Ok(None) };
    view.set_end(after(&view, applied).map_err(CompareError::Found)?);
    let folder = dir.join(SCRATCH);
    drop(std::fs::remove_dir_all(&folder));
    let wanted = SledRows::open(&folder, options.index_cache.0).map_err(|it| scratch(&it))?;
    let wanted: Arc<dyn Rows> = Arc::new(wanted);
    let opened = indexer::open(Arc::clone(&wanted), Arc::new(view)).map_err(|it| scratch(&it))?;
    drop(opened);
    let compared = comparison::compare(&found, &*wanted).map_err(CompareError::Found);
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
    Ok(check_images(&dir.join("images"), kept, view, later)?
        + check_files(&dir.join("files"), kept, view, later)?)
}

/// The store of pictures and files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptWhere {
    /// On this disk only.
    Here,
    /// With the log, where all nodes find them; this disk is a cache.
    ByAllNodes,
}

impl KeptWhere {
    /// Reports what is named but not on this disk; returns how many problems that makes. `what` is
    /// the kind, `why` the explanation of one entry.
    pub(super) fn tell(self, what: &str, missing: &[&String], why: &str) -> Result<usize, String> {
        match self {
            Self::Here => {
                missing.iter().try_for_each(|name| say(&format!("{what}: {name} {why}")))?;
                return Ok(missing.len());
            }
            Self::ByAllNodes if missing.is_empty() => {}
            Self::ByAllNodes => say(&format!(
                "{what}: {} of them are not on this disk; they are stored with the log and \
                 fetched on demand",
                missing.len()
            ))?,
        }
        Ok(0)
    }
}

/// Reports files that messages name and that are missing; returns how many problems that makes.
pub(super) fn report_missing_files(kept: KeptWhere, missing: &[&String]) -> Result<usize, String> {
    kept.tell("files", missing, "is in a message but missing")
}

/// How many bytes are read at a time.
const STRIDE: usize = 1 << 20;

/// Checks the files in this folder against this journal; returns the number of problems. `now`
/// opens the journal at its later end: files whose messages were deleted meanwhile do not count as
/// missing.
pub(super) fn check_files(
    folder: &Path,
    kept: KeptWhere,
    journal: &dyn Journal,
    now: impl FnOnce() -> Result<Box<dyn Journal>, String>,
) -> Result<usize, String> {
    let plain = |error: io::Error| format!("listing the files failed: {error}");
    let listed = if folder.exists() { disk::contents(folder).map_err(plain)? } else { Vec::new() };
    let bytes: u64 = listed.iter().map(|(_, size)| size).sum();
    say(&format!("files: {} of them, {bytes} bytes", listed.len()))?;
    let mut named = contents_named(journal).map_err(|error| error.to_string())?;
    let here: BTreeSet<&String> = listed.iter().map(|(digest, _)| digest).collect();
    let is_there = |digest: &String| here.contains(digest);
    if !named.keys().all(is_there) {
        let later = contents_named(&*now()?).map_err(|error| error.to_string())?;
        named.retain(|digest, _| later.contains_key(digest));
    }
    let mut problems = 0;
    let elsewhere: Vec<&String> = named.keys().filter(|digest| !is_there(digest)).collect();
    problems += report_missing_files(kept, &elsewhere)?;
    let waiting = unsent_files(folder).map_err(plain)?;
    for (digest, size) in &listed {
        let path = disk::path_in(folder, digest);
        if digest_of(&path).map_err(plain)?.is_some_and(|held| held != *digest) {
            say(&format!("files: {} has other content than its name says", path.display()))?;
            problems += 1;
        }
        if !named.contains_key(digest) && !waiting.contains(digest) {
            say(&format!("files: {digest} is not used, {size} bytes"))?;
        }
    }
    Ok(problems)
}

/// The digests of files that were uploaded and are not in a message yet.
fn unsent_files(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder.join(UNSENT)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let note = |text: Vec<u8>| serde_json::from_slice::<UnsentFile>(&text).ok();
    let read = entries.filter_map(|entry| fs::read(entry.ok()?.path()).ok());
    Ok(read.filter_map(note).map(|note| note.file.digest).collect())
}

/// Hashes a file's content; `None` if the file was removed meanwhile.
fn digest_of(path: &Path) -> io::Result<Option<String>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut hasher = Sha256::new();
    let mut piece = vec![0; STRIDE];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(Some(hex(&hasher.finalize()))),
            got => hasher.update(&piece[..got]),
        }
    }
}

/// Checks the images in this folder against this journal; returns the number of problems. `now`
/// opens the journal at its later end: images that nothing names any more do not count as missing.
pub(super) fn check_images(
    folder: &Path,
    kept: KeptWhere,
    journal: &dyn Journal,
    now: impl FnOnce() -> Result<Box<dyn Journal>, String>,
) -> Result<usize, String> {
    let plain = |error: std::io::Error| format!("listing the images failed: {error}");
    let ImageComparison { listed, mut missing, unnamed } = if folder.exists() {
        orphans::used(folder, journal).map_err(|error| error.to_string())?
    } else {
        orphans::used_of(Vec::new(), journal).map_err(|error| error.to_string())?
    };
    if !missing.is_empty() {
        let later =
            orphans::used_of(listed.clone(), &*now()?).map_err(|error| error.to_string())?;
        missing.retain(|name| later.missing.contains(name));
    }
    let mut problems = 0;
    let bytes: u64 = listed.iter().map(|image| image.length).sum();
    say(&format!("images: {} of them, {bytes} bytes", listed.len()))?;
    for image in &listed {
        let path = store::path_in(folder, &image.name);
        let held = match fs::read(&path) {
            // The image was removed meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            held => held.map_err(plain)?,
        };
        if ImageName::of(&held, image.name.size, image.name.format) != image.name {
            say(&format!("images: {} has other content than its name says", path.display()))?;
            problems += 1;
        }
    }
    let elsewhere: Vec<&String> = missing.iter().collect();
    problems += report_missing_images(kept, &elsewhere)?;
    for image in &unnamed {
        let since = image.stored_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = image.name.text();
        let length = image.length;
        let stored = when::iso8601(Timestamp::from_seconds(since.as_secs()));
        say(&format!("images: {name} is not used, {length} bytes, stored {stored}"))?;
    }
    Ok(problems)
}

/// Reports images that are named and missing; returns how many problems that makes.
pub(super) fn report_missing_images(kept: KeptWhere, missing: &[&String]) -> Result<usize, String> {
    kept.tell("images", missing, "is used but missing")
}

/// The JSON that is printed.
#[derive(Debug, Serialize)]
struct JournalCheckView {
    journal: CheckedJournal,
}

#[derive(Debug, Serialize)]
struct CheckedJournal {
    /// The position at which the journal ends; of a stopped server with a damaged journal, where
    /// the damage begins.
    end: u64,
    /// The running check value up to the end, as 16 hexadecimal digits; `None` if the journal is
    /// damaged.
    sum: Option<String>,
    /// The damage that was found.
    findings: Vec<String>,
}

/// Checks the journal, also while a server uses it.
pub(super) fn run_json(place: &DataDirArgs) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    let dir = place.data_dir.as_path();
    let journal = match reach::running(dir) {
        Some(running) => {
            let end = reach::end_of(running, AdminCommand::TellPlace)?.0;
            check_journal(dir, Some(end))?
        }
        None => {
            let _held = DirLock::of_installation(dir).map_err(|error| error.to_string())?;
            check_journal(dir, None)?
        }
    };
    let is_whole = journal.findings.is_empty();
    let text = serde_json::to_string(&JournalCheckView { journal });
    say_json(&text.map_err(|error| error.to_string())?)?;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
}

fn check_journal(dir: &Path, end: Option<Cursor>) -> Result<CheckedJournal, String> {
    let folder = dir.join("journal");
    let view = match View::open(&folder, end) {
        Err(why @ (OpenError::Damaged { .. } | OpenError::Missing { .. })) if end.is_none() => {
            return damaged(&folder, &why);
        }
        opened => opened.map_err(|error| error.to_string())?,
    };
    let checked = verification::check_view(&view);
    let findings: Vec<String> = checked.findings.iter().map(ToString::to_string).collect();
    let sum = view.sum().ok().filter(|_| findings.is_empty());
    let sum = sum.map(|sum| format!("{sum:016x}"));
    Ok(CheckedJournal { end: view.end().get(), sum, findings })
}

/// The output for a journal that does not open.
fn damaged(folder: &Path, why: &OpenError) -> Result<CheckedJournal, String> {
    let found = verification::check(folder).map_err(|error| error.to_string())?.findings;
    let end = found.first().map_or(0, Finding::position);
    let mut findings: Vec<String> = found.iter().map(ToString::to_string).collect();
    if findings.is_empty() {
        findings.push(why.to_string());
    }
    Ok(CheckedJournal { end, sum: None, findings })
}

/// Names that a server or a tool creates in a data directory.
const KNOWN: [&str; 15] = [
    "node",
    "journal",
    "index",
    "search",
    "images",
    "files",
    "tls",
    "history",
    "setup.code",
    "vapid.key",
    "secrets.key",
    "installation.key",
    "lock",
    "admin.sock",
    "restoring",
];

/// Checks the rest of the data directory; returns the number of problems. Unknown files are
/// reported, but are no problem.
pub(super) fn check_other_files(dir: &Path) -> Result<usize, String> {
    let mut problems = check_keys(dir)?;
    // A server has both a key and an image folder from its first start on.
    if !dir.join("vapid.key").exists() && dir.join("images").exists() {
        say("vapid.key: it is missing; with a new key, browsers must subscribe to notices again")?;
        problems += 1;
    }
    if !dir.join(data_dir::HISTORY).exists() {
        say("history: it is missing; with another number, clients load everything again")?;
        problems += 1;
    }
    let plain = |error: std::io::Error| format!("{} cannot be listed: {error}", dir.display());
    for name in names(dir).map_err(plain)? {
        let is_aside = ["index.", "journal.broken-"].iter().any(|it| name.starts_with(it));
        if !KNOWN.contains(&name.as_str()) && !is_aside {
            say(&format!("{name}: this is unknown, and the server does not use it"))?;
        }
    }
    for name in names(&dir.join("journal")).map_err(plain)? {
        if inventory::is_foreign(&name) {
            say(&format!("journal/{name}: this is unknown, and the server does not use it"))?;
        }
    }
    Ok(problems)
}

/// Checks whether history and keys are as they were written, if they exist; returns the number of
/// problems.
pub(super) fn check_keys(dir: &Path) -> Result<usize, String> {
    let mut problems = 0;
    if dir.join(data_dir::HISTORY).exists() && data_dir::history_of(dir).is_none() {
        say("history: its number cannot be read; cursors of clients depend on it")?;
        problems += 1;
    }
    match VapidKey::read(&dir.join("vapid.key")) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => {
            say(&format!("vapid.key: {error}; browsers that want notices depend on it"))?;
            problems += 1;
        }
    }
    match SecretsKey::read(&dir.join("secrets.key")) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => {
            say(&format!("secrets.key: {error}; one-time codes of users depend on it"))?;
            problems += 1;
        }
    }
    if let Err(error) = LinkKey::check(&dir.join("files")) {
        say(&format!("files/link.key: {error}; the next start replaces it, and file links end"))?;
        problems += 1;
    }
    for fault in AcmeStore::of(dir).check() {
        say(&format!("{fault}; the next start orders another certificate"))?;
        problems += 1;
    }
    Ok(problems)
}

fn names(dir: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
