//! Fetches the pictures and files that a backup of a node would lack: those that are stored with
//! the log and that this node never had to show. The node fetches them to its disk before its disk
//! is copied.

use std::collections::BTreeSet;
use std::path::Path;

use crate::admin::protocol::{AdminCommand, AdminResult, MediaNames};
use crate::cli::reach::{self, CommandError, ReachedInstance};
use crate::cli::say;
use crate::journal::Journal;
use crate::media::files::disk;
use crate::media::files::named::contents_named;
use crate::media::orphans;
use crate::media::store;

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
