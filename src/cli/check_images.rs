//! Checking images: each file holds the bytes that its name was made of, and each image
//! that somebody named is there. Images that nobody names are listed; they are no problem.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::cli::check_files::KeptWhere;
use crate::cli::{say, when};
use crate::domain::time::Timestamp;
use crate::journal::Journal;
use crate::media::name::ImageName;
use crate::media::orphans::{self, Used};
use crate::media::store;

/// Checks those in this folder against this journal; how many problems there are. `now` is the
/// journal as it is later: what messages lost meanwhile is not missed. `kept` says whether they
/// are kept here alone.
pub(super) fn check(
    (folder, kept): (&Path, KeptWhere),
    journal: &dyn Journal,
    now: impl FnOnce() -> Result<Box<dyn Journal>, String>,
) -> Result<usize, String> {
    let plain = |error: std::io::Error| format!("the images cannot be looked at: {error}");
    let Used { listed, mut missing, unnamed } = if folder.exists() {
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
            // It went with what showed it, meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            held => held.map_err(plain)?,
        };
        if ImageName::of(&held, image.name.size, image.name.format) != image.name {
            say(&format!("images: {} does not hold what its name says", path.display()))?;
            problems += 1;
        }
    }
    let elsewhere: Vec<&String> = missing.iter().collect();
    problems += kept.tell_missing("images", &elsewhere, "is named and missing")?;
    for image in &unnamed {
        let since = image.stored_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (name, length) = (image.name.text(), image.length);
        let stored = when::written(Timestamp::from_seconds(since.as_secs()));
        say(&format!("images: nobody names {name}, {length} bytes, stored {stored}"))?;
    }
    Ok(problems)
}
