//! Images that users uploaded and have not used yet: an empty file for each, whose name says which
//! image, which user, and until when. Consulted for images that nothing shows any more.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::name::ImageName;
use domain::ids::UserId;
use domain::time::Timestamp;

/// The folder of these files, below the folder with all images.
pub(super) const WAITING: &str = "waiting";

/// The folder of the notes.
#[derive(Debug)]
pub(super) struct UnusedImages {
    folder: PathBuf,
}

/// A note that an image waits.
#[derive(Debug)]
struct WaitingImage {
    name: ImageName,
    user: UserId,
    until: Timestamp,
    path: PathBuf,
}

impl WaitingImage {
    fn read(path: PathBuf) -> Option<Self> {
        let text = path.file_name()?.to_str()?;
        let (text, until) = text.rsplit_once('.')?;
        let (name, user) = text.rsplit_once('.')?;
        let name = ImageName::parse(name)?;
        let user = UserId::new(user.parse().ok()?);
        let until = Timestamp::from_millis(until.parse().ok()?);
        Some(Self { name, user, until, path })
    }

    fn file(name: &ImageName, user: UserId, until: Timestamp) -> String {
        format!("{}.{}.{}", name.text(), user.get(), until.millis())
    }
}

impl UnusedImages {
    /// Opens the notes in this folder of images.
    ///
    /// # Errors
    /// If the disk fails; the same for every function here.
    pub(super) fn open(images: &Path) -> io::Result<Self> {
        let folder = images.join(WAITING);
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// Notes that an image waits. Not synced: a note lost in a power failure matters only if the
    /// image is let go of meanwhile, and then the user sends it once more.
    pub(super) fn add(&self, name: &ImageName, user: UserId, until: Timestamp) -> io::Result<()> {
        let shelf = self.folder.join(name.shelf());
        fs::create_dir_all(&shelf)?;
        File::create(shelf.join(WaitingImage::file(name, user, until))).map(drop)
    }

    /// Ends the waiting of an image for this user, who uses it.
    pub(super) fn end(&self, name: &ImageName, user: UserId, now: Timestamp) -> io::Result<()> {
        for waits in Self::on(&self.folder.join(name.shelf()))? {
            if waits.name == *name && waits.user == user && waits.until > now {
                let ended = waits.path.with_file_name(WaitingImage::file(name, user, now));
                match fs::rename(&waits.path, ended) {
                    // Another request ended it at the same time.
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    ended => ended?,
                }
            }
        }
        Ok(())
    }

    /// Whether a user may still be about to use the image at this time.
    pub(super) fn has(&self, name: &ImageName, now: Timestamp) -> io::Result<bool> {
        let all = Self::on(&self.folder.join(name.shelf()))?;
        Ok(all.iter().any(|waits| waits.name == *name && waits.until > now))
    }

    /// The images whose waiting ended by this time, each with the path of its note.
    pub(super) fn ended(&self, until: Timestamp) -> io::Result<Vec<(ImageName, PathBuf)>> {
        let mut found = Vec::new();
        for shelf in fs::read_dir(&self.folder)? {
            let all = Self::on(&shelf?.path())?.into_iter();
            let over = all.filter(|waits| waits.until <= until);
            found.extend(over.map(|waits| (waits.name, waits.path)));
        }
        Ok(found)
    }

    fn on(shelf: &Path) -> io::Result<Vec<WaitingImage>> {
        let entries = match fs::read_dir(shelf) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let paths = entries.map(|entry| Ok(entry?.path()));
        Ok(paths
            .collect::<io::Result<Vec<_>>>()?
            .into_iter()
            .filter_map(WaitingImage::read)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::name::Format;

    #[test]
    fn unused_image_waits_per_uploader_until_expiry() {
        let data = TempDir::new().unwrap();
        let images = UnusedImages::open(data.path()).unwrap();
        let name = ImageName::of(b"bytes", (30, 20), Format::Png);
        let [ana, ben] = [1, 2].map(UserId::new);
        let at = Timestamp::from_millis;
        assert!(!images.has(&name, at(0)).unwrap());
        images.add(&name, ana, at(100)).unwrap();
        images.add(&name, ben, at(90)).unwrap();
        images.end(&name, ana, at(10)).unwrap();
        assert!(images.has(&name, at(89)).unwrap());
        assert!(!images.has(&name, at(90)).unwrap());
        let ended = images.ended(at(10)).unwrap();
        assert_eq!(ended.len(), 1);
        assert_eq!(ended[0].0, name);
        assert_eq!(images.ended(at(90)).unwrap().len(), 2);
    }
}
