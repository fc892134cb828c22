//! `coterie backup`: a copy of everything, of a running or a stopped server.
//!
//! First the server is asked for the end of its durable journal; the copy of the journal holds
//! exactly the part before it. A node then fetches the pictures and files that it does not have on
//! its disk. Images and files are copied after the journal: each that a message names was there
//! before the message, and the server removes none while the copy holds them, so none is missing.
//! The index is left out, since it can be made from the journal.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::admin::protocol::AdminCommand;
use crate::cli::command::DataDirArgs;
use crate::cli::copying::{self, Copied, MANIFEST, Manifest, VERSION};
use crate::cli::{REFUSED, gathering, reach, say, when};
use crate::clock::{Clock, SystemClock};
use crate::data_dir::{self, DataDir, DataDirError, DirLock};
use crate::journal::checking;
use crate::journal::view::View;
use crate::journal::{Cursor, Journal};
use crate::log::{self, LogFormat};
use crate::media::holding::CopyHold;

/// Paths of a data directory that the generic copy skips: the journal is copied on its own; the
/// rest is made anew or belongs to the running process.
const LEFT_OUT: [&str; 7] =
    ["journal", "search", "lock", data_dir::RESTORING, "images/new", "files/new", "files/partial"];

/// Makes the backup and verifies it.
pub(super) fn run(to: &Path, place: &DataDirArgs) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    let dir = place.data_dir.as_path();
    let plain = |error: io::Error| format!("the copy cannot be made: {error}");
    if !copying::is_empty(to).map_err(plain)? {
        return Err(format!("{} is not empty", to.display()));
    }
    let made_at = when::written(SystemClock::new().now().wall);
    let _held = CopyHold::of(dir).map_err(plain)?;
    let source = Source::of(dir)?;
    let view = View::open(&dir.join("journal"), source.end).map_err(|error| error.to_string())?;
    copying::make_folder(to).map_err(plain)?;
    let mut files = copy_journal(&view, to).map_err(plain)?;
    let gathered = if DataDir::is_of_a_node(dir) { gathering::gather(dir, &view) } else { Ok(()) };
    copy_rest(dir, Path::new(""), to, &mut files).map_err(plain)?;
    let manifest = Manifest {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        made_at,
        history: source.history,
        end: view.end().get(),
        files,
    };
    finish(&manifest, to).map_err(plain)?;
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    say(&format!("{} files, {bytes} bytes, in {}", manifest.files.len(), to.display()))?;
    let verified = verify(to)?;
    let Err(why) = gathered else { return Ok(verified) };
    say(&format!("the copy lacks pictures or files: {why}"))?;
    Ok(ExitCode::from(REFUSED))
}

/// The data that is copied.
struct Source {
    end: Option<Cursor>,
    history: String,
    /// Keeps a server from starting during the backup.
    _held: Option<DirLock>,
}

impl Source {
    fn of(dir: &Path) -> Result<Self, String> {
        if let Some(running) = reach::running(dir) {
            let (end, history) = reach::end_of(running, AdminCommand::BeginBackup)?;
            return Ok(Self { end: Some(end), history: format!("{history:08x}"), _held: None });
        }
        let held = DirLock::of_installation(dir).map_err(|error| match error {
            DataDirError::Locked { .. } => {
                format!("{error}, and its admin socket does not answer")
            }
            DataDirError::Unusable { .. }
            | DataDirError::Absent { .. }
            | DataDirError::JournalLost { .. }
            | DataDirError::OfANode { .. }
            | DataDirError::Unfinished { .. }
            | DataDirError::Damaged { .. } => error.to_string(),
        })?;
        let history = data_dir::history_of(dir).map(|it| format!("{it:08x}")).unwrap_or_default();
        Ok(Self { end: None, history, _held: Some(held) })
    }
}

fn copy_journal(view: &View, to: &Path) -> io::Result<Vec<Copied>> {
    let copied = |mut part: crate::journal::view::Part<'_>| {
        let path = format!("journal/{}", part.name);
        copying::copy(&mut part, to, &path)
    };
    view.parts()?.into_iter().map(copied).collect()
}

/// Copies everything else in the data directory, including files that later versions may add.
fn copy_rest(dir: &Path, below: &Path, to: &Path, files: &mut Vec<Copied>) -> io::Result<()> {
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(dir.join(below))? {
        names.push(below.join(entry?.file_name()));
    }
    names.sort();
    for path in names {
        let Some(text) = path.to_str().filter(|text| !is_left_out(text)) else { continue };
        let from = dir.join(&path);
        // The temporary file of an upload may be gone by now.
        let kind = match fs::metadata(&from) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            kind => kind?,
        };
        if kind.is_dir() {
            copy_rest(dir, &path, to, files)?;
        } else if kind.is_file() {
            match fs::File::open(&from) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                file => files.push(copying::copy(&mut file?, to, text)?),
            }
        }
    }
    Ok(())
}

fn is_left_out(path: &str) -> bool {
    let is_of_index = path == "index" || path.starts_with("index.");
    let is_draft = [".new", ".tmp", ".sock"].iter().any(|end| path.ends_with(end));
    LEFT_OUT.contains(&path) || is_of_index || is_draft
}

/// Writes the manifest last, so that an interrupted backup has none.
fn finish(manifest: &Manifest, to: &Path) -> io::Result<()> {
    copying::sync_folders(to)?;
    let text = serde_json::to_vec_pretty(manifest)?;
    data_dir::write_durably(to, &to.join(MANIFEST), &text)?;
    let parent = to.canonicalize()?;
    parent.parent().map_or(Ok(()), |parent| fs::File::open(parent)?.sync_all())
}

/// Verifies the copied journal. A copy of a damaged journal is better than none, but its owner
/// should know.
fn verify(to: &Path) -> Result<ExitCode, String> {
    let checked = checking::check(&to.join("journal")).map_err(|error| error.to_string())?;
    if checked.findings.is_empty() {
        say(&format!("verified: {} commits, {} events", checked.commits, checked.events))?;
        return Ok(ExitCode::SUCCESS);
    }
    checked.findings.iter().try_for_each(|finding| say(&format!("journal: {finding}")))?;
    say("the copy is complete, but the journal is damaged")?;
    Ok(ExitCode::from(REFUSED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_made_anew_is_left_out() {
        for path in [
            "journal",
            "index",
            "search",
            "index.broken",
            "lock",
            "admin.sock",
            "images/new",
            "files/new",
            "files/partial",
        ] {
            assert!(is_left_out(path), "{path}");
        }
        for path in ["history", "images", "images/ab/cd.png", "files/ab/cd", "keys/vapid.json"] {
            assert!(!is_left_out(path), "{path}");
        }
    }
}
