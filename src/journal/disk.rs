//! The files that the journal needs, and no more: one directory, written at places,
//! synced on demand. A narrow trait, so that tests can lose power and fill the disk.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FallocateFlags, fallocate, fdatasync};

use crate::space::Space;

/// The directory of the journal.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Names of all files in it.
    ///
    /// # Errors
    /// As the system says.
    fn list(&self) -> io::Result<Vec<String>>;

    /// An empty file of this name; one that was there is gone.
    ///
    /// # Errors
    /// As the system says.
    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;

    /// A file that is there, for reading and writing.
    ///
    /// # Errors
    /// As the system says.
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;

    /// Gives a file another name. Durable after the next [`Disk::sync`].
    ///
    /// # Errors
    /// As the system says.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file. Durable after the next [`Disk::sync`].
    ///
    /// # Errors
    /// As the system says.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Whether so many bytes more can be taken, and enough is left for others.
    fn has_room_for(&self, _bytes: u64) -> bool {
        true
    }

    /// Waits until all names are on stable storage.
    ///
    /// # Errors
    /// As the system says.
    fn sync(&self) -> io::Result<()>;
}

/// One open file.
pub trait DiskFile: Send + Sync + fmt::Debug {
    /// Reads up to the buffer's length; less only where the file ends.
    ///
    /// # Errors
    /// As the system says.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all of it.
    ///
    /// # Errors
    /// As the system says.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Takes this much space on the disk, from the file's beginning.
    ///
    /// # Errors
    /// As the system says; above all that there is no space.
    fn reserve(&self, bytes: u64) -> io::Result<()>;

    /// Waits until what was written is on stable storage.
    ///
    /// # Errors
    /// As the system says. What was written since the last sync is then in doubt.
    fn sync(&self) -> io::Result<()>;

    /// How long it is.
    ///
    /// # Errors
    /// As the system says.
    fn size(&self) -> io::Result<u64>;
}

/// A directory of the machine's file system.
#[derive(Debug)]
pub struct DiskDirectory {
    path: PathBuf,
    access: Access,
    space: Space,
}

/// Whether files are written too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    ReadOnly,
    ReadWrite,
}

impl DiskDirectory {
    /// Opens it; makes it, durably, if it is not there.
    ///
    /// # Errors
    /// As the system says.
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

    /// Opens it if it is there, for reading only.
    ///
    /// # Errors
    /// As the system says.
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

    fn has_room_for(&self, bytes: u64) -> bool {
        self.space.has_room_for(bytes)
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
            // Some file systems cannot; there the zeros written next take the space.
            Err(rustix::io::Errno::OPNOTSUPP) => Ok(()),
            done => done.map_err(io::Error::from),
        }
    }

    fn sync(&self) -> io::Result<()> {
        // Never tried again after a failure: the kernel then forgets what it could
        // not write, and a second call would report success for lost data.
        fdatasync(&self.0).map_err(io::Error::from)
    }

    fn size(&self) -> io::Result<u64> {
        self.0.metadata().map(|data| data.len())
    }
}
