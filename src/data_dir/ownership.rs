//! Owners and modes of the files in a data directory.

use std::fs::{Permissions, metadata, set_permissions, symlink_metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{self, AtFlags, Dir, FileType, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;

/// The folders of an installation: only their owner may look into them.
const FOLDERS: [&str; 6] = ["journal", "index", "search", "images", "files", "tls"];
/// The files with keys.
const KEYS: [&str; 5] =
    ["vapid.key", "installation.key", "files/link.key", "tls/account.json", "tls/certificate.pem"];
/// The permissions of everybody but the owner.
const OTHERS: u32 = 0o077;
/// How a folder is opened to go through it: only if it is one, and no link to one.
const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Takes from everybody but the owner the right to look into the folders of an installation. They
/// may be open in a directory that somebody else made, or that an earlier version filled.
pub(super) fn close_to_others(data: &Path) {
    for folder in FOLDERS.map(|name| data.join(name)) {
        let Ok(found) = metadata(&folder) else { continue };
        let mode = found.permissions().mode();
        if mode & OTHERS == 0 {
            continue;
        }
        let closed = Permissions::from_mode(mode & !OTHERS & 0o7777);
        if let Err(error) = set_permissions(&folder, closed) {
            let folder = folder.display();
            tracing::warn!(
                %folder, %error,
                "closing a folder to other accounts failed; they may be able to read it"
            );
        }
    }
}

/// The folders and the files with keys that other accounts may access.
pub(crate) fn open_to_others(data: &Path) -> Vec<PathBuf> {
    let paths = FOLDERS.iter().chain(&KEYS).map(|name| data.join(name));
    paths
        .filter(|path| metadata(path).is_ok_and(|it| it.permissions().mode() & OTHERS != 0))
        .collect()
}

/// The files and folders directly in a data directory that do not belong to its owner.
///
/// # Errors
/// If the directory cannot be read.
pub(crate) fn of_other_owners(data: &Path) -> io::Result<Vec<PathBuf>> {
    let owner = metadata(data)?.uid();
    let mut others = Vec::new();
    for entry in std::fs::read_dir(data)? {
        let path = entry?.path();
        // A file may have been removed meanwhile.
        if symlink_metadata(&path).is_ok_and(|it| it.uid() != owner) {
            others.push(path);
        }
    }
    Ok(others)
}

/// Gives what root made in a data directory to the directory's owner, when it is dropped. Does
/// nothing for other users, and nothing where the directory is root's.
#[derive(Debug)]
pub(super) struct OwnershipTransfer(PathBuf);

impl OwnershipTransfer {
    /// For this data directory.
    pub(super) fn of(data: &Path) -> Self {
        Self(data.to_owned())
    }

    fn carry_out(&self) -> io::Result<()> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        let folder = fs::open(&self.0, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())?;
        let owner = fs::fstat(&folder)?;
        if owner.st_uid == 0 { Ok(()) } else { hand_over_below(&folder, &owner) }
    }
}

impl Drop for OwnershipTransfer {
    fn drop(&mut self) {
        if let Err(error) = self.carry_out() {
            let folder = self.0.display();
            tracing::warn!(
                %folder, %error,
                "giving new files to the folder's owner failed; the server may be unable to open \
                 them"
            );
        }
    }
}

/// Goes from folder to folder by their descriptors and follows no link: the owner of the directory
/// might put one in the place of a folder meanwhile, and root would give away what it leads to. A
/// file with a second name is left alone for the same reason.
fn hand_over_below(folder: &OwnedFd, owner: &Stat) -> io::Result<()> {
    let (user, group) = (Uid::from_raw(owner.st_uid), Gid::from_raw(owner.st_gid));
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let found = match fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => continue,
            found => found?,
        };
        let is_folder = FileType::from_raw_mode(found.st_mode).is_dir();
        if found.st_uid == 0 && (is_folder || found.st_nlink == 1) {
            fs::chownat(folder, name, Some(user), Some(group), AtFlags::SYMLINK_NOFOLLOW)?;
        }
        if is_folder {
            hand_over_below(&fs::openat(folder, name, FOLDER, Mode::empty())?, owner)?;
        }
    }
    Ok(())
}
