//! A disk in memory with given files.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use coterie::journal::disk::{Disk, DiskFile};

/// The files of the disk by name.
#[derive(Debug, Default)]
pub(crate) struct MemoryDisk(Mutex<BTreeMap<String, Arc<MemoryFile>>>);

#[derive(Debug, Default)]
struct MemoryFile(Mutex<Vec<u8>>);

impl MemoryDisk {
    /// A disk with these files.
    pub(crate) fn with(files: &[(String, Vec<u8>)]) -> Self {
        let file = |(name, bytes): &(String, Vec<u8>)| {
            (name.clone(), Arc::new(MemoryFile(Mutex::new(bytes.clone()))))
        };
        Self(Mutex::new(files.iter().map(file).collect()))
    }

    /// The names and contents of all files.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let files = self.0.lock().unwrap();
        files.iter().map(|(name, file)| (name.clone(), file.0.lock().unwrap().clone())).collect()
    }
}

impl Disk for MemoryDisk {
    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.0.lock().unwrap().keys().cloned().collect())
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let file = Arc::<MemoryFile>::default();
        self.0.lock().unwrap().insert(name.to_owned(), Arc::clone(&file));
        Ok(file)
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let file = self.0.lock().unwrap().get(name).cloned();
        file.map(|file| file as Arc<dyn DiskFile>).ok_or(io::ErrorKind::NotFound.into())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut files = self.0.lock().unwrap();
        let file = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.to_owned(), file);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.lock().unwrap().remove(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

impl DiskFile for MemoryFile {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.0.lock().unwrap();
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let got = into.len().min(bytes.len() - from);
        into[..got].copy_from_slice(&bytes[from..from + got]);
        Ok(got)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let (mut inside, from) = (self.0.lock().unwrap(), offset as usize);
        let end = inside.len().max(from + bytes.len());
        inside.resize(end, 0);
        inside[from..from + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.write_at(&vec![0; bytes as usize], 0)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().len() as u64)
    }
}
