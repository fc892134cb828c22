//! A disk that is small enough to be filled: a file system in memory, in a mount namespace of its
//! own, which a sleeping process keeps alive. Its files are reached through that process.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A small disk, which is gone when it is dropped.
pub(crate) struct SmallDisk {
    keeper: Child,
    path: PathBuf,
    _place: TempDir,
}

impl SmallDisk {
    /// An empty disk of so many MiB.
    pub(crate) fn of_mib(size: u32) -> Self {
        Self::mounted(&format!("size={size}m"))
    }

    /// An empty disk with these options of `mount`.
    pub(crate) fn mounted(options: &str) -> Self {
        let place = TempDir::new().unwrap();
        let script = format!(
            "mount -t tmpfs -o {options},mode=700 tmpfs \"$0\" && echo mounted && exec sleep 900"
        );
        let mut command = Command::new("unshare");
        if !is_root() {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["--mount", "sh", "-c", &script]).arg(place.path());
        let mut keeper = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "mounted\n", "this test needs the right to mount in a namespace");
        let root = PathBuf::from(format!("/proc/{}/root", keeper.id()));
        let path = root.join(place.path().strip_prefix("/").unwrap());
        Self { keeper, path, _place: place }
    }

    /// The folder of the disk, as other processes see it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn filler(&self) -> PathBuf {
        self.path.join("filler")
    }

    /// Fills the disk to the last byte.
    pub(crate) fn fills(&self) {
        self.fills_but(0);
    }

    /// Fills the disk, leaving so many bytes free.
    pub(crate) fn fills_but(&self, left: usize) {
        let room = self.path.join("room");
        fs::write(&room, vec![1; left]).unwrap();
        let mut filler = File::create(self.filler()).unwrap();
        for size in [1 << 20, 4096, 1] {
            let piece = vec![1; size];
            loop {
                match filler.write_all(&piece) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
        fs::remove_file(&room).unwrap();
    }

    /// Frees the space again.
    pub(crate) fn is_cleared(&self) {
        fs::remove_file(self.filler()).unwrap();
    }
}

/// Whether this process is root's.
pub(crate) fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap().stdout;
    id == b"0\n"
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // The process may have ended by itself.
        drop(self.keeper.kill());
        drop(self.keeper.wait());
    }
}
