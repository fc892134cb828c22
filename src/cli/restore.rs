//! `coterie restore`: makes a data directory from a backup.
//!
//! Every file's checksum is verified while it is copied. The history gets another number: the
//! backup may lack events that clients have already received, so a cursor from before must be
//! answered with `reset`, never with silence.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::ExitCode;

use crate::boot::data_dir::{self, DirLock, HISTORY, LOCK, RESTORING};
use crate::cli::command::DataDirArgs;
use crate::cli::sets::OpenSets;
use crate::cli::{REFUSED, check, copy, say};
use crate::config::BackupAccess;
use crate::log::{self, LogFormat};
use backup::manifest::{MANIFEST, Manifest};
use backup::place::{BackupPlace, PlaceOfSet};
use journal::verification;

/// A backup that is restored.
enum Backup<'a> {
    /// A folder that `coterie backup` made.
    Folder(&'a Path),
    /// A set that the server made on its schedule.
    Set(Box<OpenSets>),
}

impl<'a> Backup<'a> {
    /// Opens a backup, and reads its manifest.
    fn open(from: &'a PlaceOfSet, access: &BackupAccess) -> Result<(Self, Manifest), String> {
        if let (BackupPlace::Folder(folder), None) = (&from.place, &from.until)
            && !folder.join("sets").exists()
        {
            return Ok((Self::Folder(folder), read_manifest(folder)?));
        }
        let sets = OpenSets::at(from, access)?;
        let (name, manifest) = sets.find(from.until.as_deref())?;
        say(&format!("restoring the set {name}"))?;
        Ok((Self::Set(Box::new(sets)), manifest))
    }

    fn copy_all(&self, manifest: &Manifest, to: &Path) -> Result<(), String> {
        match self {
            Self::Folder(from) => copy_all(manifest, from, to),
            Self::Set(sets) => sets.copy_all(manifest, to),
        }
    }
}

/// Restores a backup.
pub(super) fn run(
    from: &PlaceOfSet,
    access: &BackupAccess,
    place: &DataDirArgs,
) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    let dir = place.data_dir.as_path();
    let plain = |error: io::Error| format!("the backup cannot be restored: {error}");
    let (backup, manifest) = Backup::open(from, access)?;
    refuse_filled(dir)?;
    copy::make_folder(dir).map_err(plain)?;
    let _held = DirLock::take(dir).map_err(|error| error.to_string())?;
    let draft = dir.join(RESTORING);
    if draft.exists() {
        fs::remove_dir_all(&draft).map_err(plain)?;
    }
    copy::make_folder(&draft).map_err(plain)?;
    backup.copy_all(&manifest, &draft)?;
    let before = u32::from_str_radix(&manifest.history, 16).ok();
    data_dir::begin_history(&draft, before).map_err(plain)?;
    copy::sync_folders(&draft).map_err(plain)?;
    check::check_keys(&draft)?;
    if let Backup::Folder(from) = backup {
        tell_of_others(&manifest, from).map_err(plain)?;
    }
    let checked = verification::check(&draft.join("journal")).map_err(|error| error.to_string())?;
    checked.findings.iter().try_for_each(|finding| say(&format!("journal: {finding}")))?;
    take_place(&draft, dir).map_err(plain)?;
    say(&format!(
        "restored {} commits of {} into {}; clients load everything again",
        checked.commits,
        manifest.made_at,
        dir.display()
    ))?;
    if checked.findings.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    say("the backup is restored completely, but its journal is damaged")?;
    Ok(ExitCode::from(REFUSED))
}

/// Refuses a directory that holds anything but what a restore that failed has left: its lock, and
/// the folder with what it copied.
fn refuse_filled(dir: &Path) -> Result<(), String> {
    let plain = |error: io::Error| format!("{} cannot be listed: {error}", dir.display());
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(plain)?,
    };
    for entry in entries {
        let name = entry.map_err(plain)?.file_name();
        if name != LOCK && name != RESTORING {
            return Err(format!("the data directory {} is not empty", dir.display()));
        }
    }
    Ok(())
}

fn read_manifest(from: &Path) -> Result<Manifest, String> {
    let path = from.join(MANIFEST);
    let text = fs::read(&path).map_err(|error| {
        format!("{} is not a complete backup: {MANIFEST}: {error}", from.display())
    })?;
    Manifest::parse(&text).map_err(|reason| format!("{} {reason}", path.display()))
}

/// Reports files in the backup's folder that the manifest does not list; they are not restored.
fn tell_of_others(manifest: &Manifest, from: &Path) -> io::Result<()> {
    let is_listed = |path: &str| manifest.files.iter().any(|file| file.path == path);
    for path in copy::files_below(from, Path::new(""))? {
        if path != MANIFEST && !is_listed(&path) {
            drop(say(&format!("{path}: the backup does not list it; it is left out")));
        }
    }
    Ok(())
}

fn copy_all(manifest: &Manifest, from: &Path, to: &Path) -> Result<(), String> {
    for file in manifest.files.iter().filter(|file| file.path != HISTORY) {
        let path = from.join(&file.path);
        let plain = |error: io::Error| format!("{}: {error}", path.display());
        let mut source = File::open(&path).map_err(plain)?;
        let copied = copy::copy(&mut source, to, &file.path).map_err(plain)?;
        if copied != *file {
            return Err(format!("{} differs from the backed-up file", path.display()));
        }
    }
    Ok(())
}

/// Moves the restored files into place, the journal last: the directory is an installation only
/// once it has the journal.
fn take_place(draft: &Path, dir: &Path) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(draft)? {
        names.push(entry?.file_name());
    }
    names.sort_by_key(|name| name == "journal");
    for name in names {
        fs::rename(draft.join(&name), dir.join(&name))?;
    }
    fs::remove_dir(draft)?;
    File::open(dir)?.sync_all()
}
