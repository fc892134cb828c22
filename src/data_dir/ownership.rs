//! Whose the files in a data directory are, and who may look at them.

use std::fs::{self, Metadata, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};

/// The folders of an installation: only their owner may look into them.
const FOLDERS: [&str; 5] = ["journal", "index", "search", "images", "files"];
/// The permissions of everybody but the owner.
const OTHERS: u32 = 0o077;

/// Takes from everybody but the owner the right to look into the folders of an installation. They
/// may be open in a directory that somebody else made, or that an earlier version filled.
pub(super) fn close_to_others(data: &Path) {
    for folder in FOLDERS.map(|name| data.join(name)) {
        let Ok(found) = fs::metadata(&folder) else { continue };
        let mode = found.permissions().mode();
        if mode & OTHERS == 0 {
            continue;
        }
        let closed = Permissions::from_mode(mode & !OTHERS & 0o7777);
        if let Err(error) = fs::set_permissions(&folder, closed) {
            let folder = folder.display();
            tracing::warn!(%folder, %error, "others may look into this folder");
        }
    }
}

/// Gives what root made in a data directory to the directory's owner, when it is dropped. Does
/// nothing for other users, and nothing where the directory is root's.
#[derive(Debug)]
pub(super) struct HandOver(PathBuf);

impl HandOver {
    /// For this data directory.
    pub(super) fn of(data: &Path) -> Self {
        Self(data.to_owned())
    }

    fn carry_out(&self) -> io::Result<()> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        let owner = fs::metadata(&self.0)?;
        if owner.uid() == 0 { Ok(()) } else { hand_over_below(&self.0, &owner) }
    }
}

impl Drop for HandOver {
    fn drop(&mut self) {
        if let Err(error) = self.carry_out() {
            let folder = self.0.display();
            tracing::warn!(%folder, %error, "files made here may not belong to the folder's owner");
        }
    }
}

fn hand_over_below(folder: &Path, owner: &Metadata) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, found) = (entry.path(), entry.metadata());
        let found = match found {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            found => found?,
        };
        if found.uid() == 0 {
            lchown(&path, Some(owner.uid()), Some(owner.gid()))?;
        }
        if found.is_dir() {
            hand_over_below(&path, owner)?;
        }
    }
    Ok(())
}
