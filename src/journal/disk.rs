//! The file operations that the journal needs, and no more: one directory whose files are written
//! at offsets and synced on demand. A narrow trait, so that tests can lose power and fill the disk.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FallocateFlags, fallocate, fdatasync};

use base::space::Space;

/// The directory of the journal.
pub trait Disk: Send + Sync + fmt::Debug {
    /// The names of all files in the directory.
    ///
    /// # Errors
    /// The error that the operating system reported.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Makes an empty file of this name; an existing one is truncated.
    ///
    /// # Errors
    /// The error that the operating system reported.
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;

    /// Opens an existing file for reading and, unless the disk is read-only, writing.
    ///
    /// # Errors
    /// The error that the operating system reported.
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;

    /// Renames a file. Durable after the next [`Disk::sync`].
    ///
    /// # Errors
    /// The error that the operating system reported.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file. Durable after the next [`Disk::sync`].
    ///
    /// # Errors
    /// The error that the operating system reported.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Whether the disk can take so many more bytes and still leave enough for other uses.
    fn has_space_for(&self, _bytes: u64) -> bool {
        true
    }

    /// Waits until all changes to file names are on stable storage.
    ///
    /// # Errors
    /// The error that the operating system reported.
    fn sync(&self) -> io::Result<()>;
}

/// One open file.
pub trait DiskFile: Send + Sync + fmt::Debug {
    /// Reads up to the buffer's length from `offset` on; less only at the end of the file.
    ///
    /// # Errors
    /// The error that the operating system reported.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all of `bytes` at `offset`.
    ///
    /// # Errors
    /// The error that the operating system reported.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Allocates this many bytes of disk space, from the file's beginning.
    ///
    /// # Errors
    /// The error that the operating system reported; above all that there is no space.
    fn reserve(&self, bytes: u64) -> io::Result<()>;

    /// Waits until the written bytes are on stable storage.
    ///
    /// # Errors
    /// The error that the operating system reported. Everything written since the last sync is then
    /// in doubt.
    fn sync(&self) -> io::Result<()>;

    /// The file's length in bytes.
    ///
    /// # Errors
    /// The error that the operating system reported.
    fn size(&self) -> io::Result<u64>;
}

/// A directory of the machine's file system, as the journal's disk.
#[derive(Debug)]
pub struct DiskDirectory {
    path: PathBuf,
    access: Access,
    space: Space,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    ReadOnly,
    ReadWrite,
}

impl DiskDirectory {
    /// Opens the directory; makes it, durably, if it does not exist.
    ///
    /// # Errors
    /// The error that the operating system reported.
    pub fn open(path: &Path, space: Space) -> io::Result<Self> {
        match fs::create_dir(path) {
            Ok(()) => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?;
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) => return Err(error),
        }
        Ok(Self { path: path.to_owned(), access: Access::ReadWrite, space })
    }

    /// Opens an existing directory, for reading only.
    ///
    /// # Errors
    /// The error that the operating system reported.
    pub fn existing(path: &Path) -> io::Result<Self> {
        fs::read_dir(path)?;
        Ok(Self { path: path.to_owned(), access: Access::ReadOnly, space: Space::endless() })
    }
}

impl Disk for DiskDirectory {
    fn list(&self) -> io::Result<Vec<String>> {
        let name = |entry: io::Result<fs::DirEntry>| entry.map(|entry| entry.file_name());
        let names = fs::read_dir(&self.path)?.map(name).collect::<io::Result<Vec<_>>>()?;
        Ok(names.into_iter().filter_map(|name| name.into_string().ok()).collect())
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true).mode(0o600);
        Ok(Arc::new(PlainFile(options.open(self.path.join(name))?)))
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let writes = self.access == Access::ReadWrite;
        let file = OpenOptions::new().read(true).write(writes).open(self.path.join(name))?;
        Ok(Arc::new(PlainFile(file)))
    }

    fn has_space_for(&self, bytes: u64) -> bool {
        self.space.has_space_for(bytes)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

#[derive(Debug)]
struct PlainFile(File);

impl DiskFile for PlainFile {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while done < into.len() {
            match self.0.read_at(&mut into[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(bytes) => done += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        match fallocate(&self.0, FallocateFlags::empty(), 0, bytes) {
            // Some file systems cannot preallocate; there the zeros written next take the space.
            Err(rustix::io::Errno::OPNOTSUPP) => Ok(()),
            done => done.map_err(io::Error::from),
        }
    }

    fn sync(&self) -> io::Result<()> {
        // Never retried after a failure: the kernel then drops the pages that it could not write,
        // and a second call would report success for lost data.
        fdatasync(&self.0).map_err(io::Error::from)
    }

    fn size(&self) -> io::Result<u64> {
        self.0.metadata().map(|data| data.len())
    }
}
