//! `coterie backup`: a copy of everything, of a running or a stopped server.
//!
//! First the server is asked for the end of its durable journal; the copy of the journal holds
//! exactly the part before it. A node then fetches the pictures and files that it does not have on
//! its disk. Images and files are copied after the journal: each that a message names was there
//! before the message, and the server removes none while the copy holds them. One that is
//! missing nevertheless is named. The index is left out, since it can be made from the journal.
//!
//! The damaged journal of a stopped server is copied file by file, as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::ExitCode;

use crate::admin::protocol::{AdminCommand, AdminResult, MediaNames};
use crate::boot::data_dir::{self, DataDir, DataDirError, DirLock};
use crate::cli::check::{self, KeptWhere};
use crate::cli::command::DataDirArgs;
use crate::cli::copy;
use crate::cli::reach::{self, CommandError, ReachedInstance};
use crate::cli::{REFUSED, say, when};
use crate::log::{self, LogFormat};
use backup::manifest::{Copied, MANIFEST, Manifest, VERSION};
use backup::source;
use base::clock::{Clock, SystemClock};
use journal::open_error::OpenError;
use journal::view::View;
use journal::{Cursor, Journal, verification};
use media::files::disk;
use media::files::named::contents_named;
use media::removal_hold::CopyHold;
use media::{orphans, store};

/// Makes the backup and verifies it.
pub(super) fn run(to: &Path, place: &DataDirArgs) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    let dir = place.data_dir.as_path();
    let plain = |error: io::Error| format!("the backup failed: {error}");
    if !copy::is_empty(to).map_err(plain)? {
        return Err(format!("{} is not empty", to.display()));
    }
    let made_at = when::iso8601(SystemClock::new().now().wall);
    let _held = CopyHold::of(dir).map_err(plain)?;
    let source = Source::of(dir)?;
    let view = open_journal(dir, &source)?;
    copy::make_folder(to).map_err(plain)?;
    let mut files = Vec::new();
    match &view {
        Ok(view) => copy_journal(view, to, &mut files).map_err(plain)?,
        Err(_) => copy_rest(dir, Path::new("journal"), to, &mut files).map_err(plain)?,
    }
    let gathered = match &view {
        Ok(view) if DataDir::is_of_a_node(dir) => gather(dir, view),
        Ok(_) | Err(_) => Ok(()),
    };
    copy_rest(dir, Path::new(""), to, &mut files).map_err(plain)?;
    let manifest = Manifest {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        made_at,
        history: source.history,
        end: view.as_ref().map_or(0, |view| view.end().get()),
        files,
        stored: BTreeMap::new(),
    };
    finish(&manifest, to).map_err(plain)?;
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    say(&format!("{} files, {bytes} bytes, in {}", manifest.files.len(), to.display()))?;
    let mut problems = tell_damage(to, view.as_ref().err())?;
    if let Err(why) = gathered {
        say(&format!("the copy lacks pictures or files: {why}"))?;
        problems += 1;
    } else if let Ok(view) = &view
        && !DataDir::is_of_a_node(dir)
    {
        problems += tell_missing(to, view)?;
    }
    Ok(if problems == 0 { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
}

/// Opens the journal for copying. The inner error says why the journal of a stopped server can only
/// be copied as it is.
fn open_journal(dir: &Path, source: &Source) -> Result<Result<View, OpenError>, String> {
    match View::open(&dir.join("journal"), source.end) {
        Err(error @ (OpenError::Damaged { .. } | OpenError::Missing { .. }))
            if source.end.is_none() =>
        {
            Ok(Err(error))
        }
        opened => opened.map(Ok).map_err(|error| error.to_string()),
    }
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
            | DataDirError::File { .. }
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

fn copy_journal(view: &View, to: &Path, files: &mut Vec<Copied>) -> io::Result<()> {
    for mut part in view.parts()? {
        let path = format!("journal/{}", part.name);
        files.push(copy::copy(&mut part, to, &path)?);
    }
    Ok(())
}

/// Copies the files below a folder of the data directory.
fn copy_rest(dir: &Path, below: &Path, to: &Path, files: &mut Vec<Copied>) -> io::Result<()> {
    for path in source::files_of(dir, below)? {
        match fs::File::open(dir.join(&path)) {
            // The temporary file of an upload may be gone by now.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            file => files.push(copy::copy(&mut file?, to, &path)?),
        }
    }
    Ok(())
}

/// Writes the manifest last, so that an interrupted backup has none.
fn finish(manifest: &Manifest, to: &Path) -> io::Result<()> {
    copy::sync_folders(to)?;
    let text = serde_json::to_vec_pretty(manifest)?;
    data_dir::write_durably(to, &to.join(MANIFEST), &text)?;
    let parent = to.canonicalize()?;
    parent.parent().map_or(Ok(()), |parent| fs::File::open(parent)?.sync_all())
}

/// Verifies the copied journal; returns the number of problems. A copy of a damaged journal is
/// better than none, but its owner should know. `why` says why the journal did not open.
fn tell_damage(to: &Path, why: Option<&OpenError>) -> Result<usize, String> {
    let checked = verification::check(&to.join("journal")).map_err(|error| error.to_string())?;
    if checked.findings.is_empty() && why.is_none() {
        say(&format!("verified: {} commits, {} events", checked.commits, checked.events))?;
        return Ok(0);
    }
    checked.findings.iter().try_for_each(|finding| say(&format!("journal: {finding}")))?;
    if let Some(why) = why.filter(|_| checked.findings.is_empty()) {
        say(&format!("journal: {why}"))?;
    }
    say("the copy is complete, but the journal is damaged")?;
    Ok(1)
}

/// Names the pictures and files that messages have and the copy has not; returns how many.
fn tell_missing(to: &Path, journal: &View) -> Result<usize, String> {
    let MediaNames { images, files } = match missing(to, journal) {
        Ok(missing) => missing,
        Err(why) => {
            say(&format!("images and files: not compared: {why}"))?;
            return Ok(1);
        }
    };
    let files: Vec<&String> = files.iter().map(|(digest, _)| digest).collect();
    let missing =
        check::report_missing_images(KeptWhere::Here, &images.iter().collect::<Vec<_>>())?
            + check::report_missing_files(KeptWhere::Here, &files)?;
    if missing > 0 {
        say("the copy lacks them too")?;
    }
    Ok(missing)
}

/// How many pictures are requested at a time; each has 10 MB at most.
const IMAGES_AT_ONCE: usize = 64;
/// How many bytes of files are requested at a time (a larger file goes alone). A server fetches
/// that much in a fraction of the time that it has for an answer.
const BYTES_AT_ONCE: u64 = 256 << 20;

/// Makes the node that runs on this directory fetch every picture and file that this journal names.
///
/// # Errors
/// If some of them could not be fetched: the reason. The caller still makes the backup, which is
/// better than none.
pub(super) fn gather(dir: &Path, journal: &dyn Journal) -> Result<(), String> {
    let wanted = missing(dir, journal)?;
    let count = wanted.images.len() + wanted.files.len();
    if count == 0 {
        return Ok(());
    }
    let running = reach::running(dir).ok_or_else(|| {
        format!("{count} are stored with the log only, and no node runs here to fetch them")
    })?;
    say(&format!("fetching {count} images and files that are not on this disk"))?;
    let mut node = ReachedInstance::Running(running);
    let mut nowhere = 0;
    for some in in_steps(wanted) {
        match node.ask(AdminCommand::BringMedia(some)) {
            Ok(AdminResult::Media { missing }) => {
                nowhere += missing.images.len() + missing.files.len();
            }
            Ok(other) => return Err(reach::unexpected_reply(&other)),
            Err(CommandError::Refused(why) | CommandError::Failed(why)) => return Err(why),
        }
    }
    if nowhere > 0 {
        say(&format!("no node has {nowhere} of them; their messages may be deleted since"))?;
    }
    Ok(())
}

/// The pictures and files that this journal names and this directory does not have.
///
/// # Errors
/// If the journal or a folder cannot be read.
pub(super) fn missing(dir: &Path, journal: &dyn Journal) -> Result<MediaNames, String> {
    let folder = dir.join("images");
    let listed = if folder.exists() { store::list(&folder) } else { Ok(Vec::new()) };
    let listed = listed.map_err(|error| error.to_string())?;
    let used = orphans::used_of(listed, journal).map_err(|error| error.to_string())?;
    let mut files = contents_named(journal).map_err(|error| error.to_string())?;
    let folder = dir.join("files");
    let here = if folder.exists() { disk::contents(&folder) } else { Ok(Vec::new()) };
    let here = here.map_err(|error| error.to_string())?;
    let here: BTreeSet<String> = here.into_iter().map(|(digest, _)| digest).collect();
    files.retain(|digest, _| !here.contains(digest));
    Ok(MediaNames { images: used.missing, files: files.into_iter().collect() })
}

fn in_steps(MediaNames { images, files }: MediaNames) -> Vec<MediaNames> {
    let of_images = images.chunks(IMAGES_AT_ONCE);
    let mut steps: Vec<MediaNames> =
        of_images.map(|some| MediaNames { images: some.to_vec(), files: Vec::new() }).collect();
    let mut bytes = BYTES_AT_ONCE;
    for (digest, size) in files {
        if bytes + size > BYTES_AT_ONCE {
            steps.push(MediaNames::default());
            bytes = 0;
        }
        bytes += size;
        steps.last_mut().into_iter().for_each(|step| step.files.push((digest.clone(), size)));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_asked_for_once_and_few_at_a_time() {
        let images: Vec<String> = (0..130).map(|number| number.to_string()).collect();
        let sizes = [BYTES_AT_ONCE - 1, 1, 1, 5 * BYTES_AT_ONCE, 2];
        let files: Vec<(String, u64)> = sizes.map(|size| (size.to_string(), size)).to_vec();
        let steps = in_steps(MediaNames { images: images.clone(), files: files.clone() });
        let counts: Vec<_> = steps.iter().map(|it| (it.images.len(), it.files.len())).collect();
        assert_eq!(counts, [(64, 0), (64, 0), (2, 0), (0, 2), (0, 1), (0, 1), (0, 1)]);
        let asked: Vec<String> = steps.iter().flat_map(|it| it.images.clone()).collect();
        assert_eq!(asked, images);
        let asked: Vec<_> = steps.into_iter().flat_map(|it| it.files).collect();
        assert_eq!(asked, files);
        assert!(in_steps(MediaNames::default()).is_empty());
    }
}
