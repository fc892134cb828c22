//! Whose the files in a data directory are.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, lchown};
use std::path::{Path, PathBuf};

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
