//! A disk in memory that can lose power and fail.
//!
//! After a loss of power, bytes that were not synced are kept, lost, or kept in part and out of
//! order, sector by sector; changes of names that were not synced are kept up to some point. After
//! a failed sync readers still see the lost bytes, as on Linux.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;
use std::time::Duration;

use coterie::journal::disk::{Disk, DiskFile};
use fastrand::Rng;

const SECTOR: usize = 512;

/// Which operation fails from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Failing {
    #[default]
    Nothing,
    Writes,
    Syncs,
    Space,
}

#[derive(Debug, Default)]
pub(crate) struct BrittleDisk {
    names: Mutex<Names>,
    /// Held for reading during each operation, so that power is lost between two of them.
    failing: Arc<RwLock<Failing>>,
}

/// Files by name: as they are now, as they are on the disk, and every state in between.
#[derive(Debug, Default)]
struct Names {
    now: BTreeMap<String, Arc<BrittleFile>>,
    unsynced: Vec<BTreeMap<String, Arc<BrittleFile>>>,
    stable: BTreeMap<String, Arc<BrittleFile>>,
}

#[derive(Debug)]
struct BrittleFile {
    bytes: Mutex<Bytes>,
    failing: Arc<RwLock<Failing>>,
    is_unreadable: AtomicBool,
}

#[derive(Debug, Default, Clone)]
struct Bytes {
    now: Vec<u8>,
    unsynced: Vec<(usize, Vec<u8>)>,
    stable: Vec<u8>,
}

impl BrittleDisk {
    /// Makes an operation fail from now on, or none.
    pub(crate) fn fail(&self, what: Failing) {
        *self.failing.write().unwrap() = what;
    }

    /// From now on reading this file fails, as at a bad sector.
    pub(crate) fn cannot_be_read(&self, name: &str) {
        self.names.lock().unwrap().now[name].is_unreadable.store(true, Ordering::SeqCst);
    }

    /// Flips a bit of a file.
    pub(crate) fn flips_a_bit(&self, name: &str, at: usize) {
        self.names.lock().unwrap().now[name].bytes.lock().unwrap().now[at] ^= 2;
    }

    /// The disk as it is found after a loss of power at this moment.
    pub(crate) fn after_power_loss(&self, random: &mut Rng) -> Self {
        let _power = self.failing.write().unwrap();
        let names = self.names.lock().unwrap();
        let states = names.unsynced.len();
        let kept = random.usize(..=states);
        let survivors = if kept == 0 { &names.stable } else { &names.unsynced[kept - 1] };
        let found = Self::default();
        let mut after = Names::default();
        for (name, file) in survivors {
            let bytes = file.bytes.lock().unwrap().after_power_loss(random);
            let failing = found.failing.clone();
            let file = Arc::new(BrittleFile::new(bytes, failing));
            after.now.insert(name.clone(), file);
        }
        after.stable = after.now.clone();
        *found.names.lock().unwrap() = after;
        found
    }

    fn change<T>(&self, change: impl FnOnce(&mut Names) -> T) -> T {
        let _power = self.failing.read().unwrap();
        let mut names = self.names.lock().unwrap();
        let result = change(&mut names);
        let state = names.now.clone();
        names.unsynced.push(state);
        result
    }
}

impl BrittleFile {
    fn new(bytes: Bytes, failing: Arc<RwLock<Failing>>) -> Self {
        Self { bytes: Mutex::new(bytes), failing, is_unreadable: AtomicBool::new(false) }
    }
}

impl Bytes {
    fn after_power_loss(&self, random: &mut Rng) -> Self {
        let mut found = self.stable.clone();
        let luck = [0.0, 0.5, 0.9, 1.0][random.usize(..4)];
        for (offset, bytes) in &self.unsynced {
            let mut from = 0;
            while from < bytes.len() {
                let until = (((offset + from) / SECTOR + 1) * SECTOR - offset).min(bytes.len());
                if random.f64() < luck {
                    put(&mut found, offset + from, &bytes[from..until]);
                }
                from = until;
            }
        }
        Self { now: found.clone(), unsynced: Vec::new(), stable: found }
    }
}

fn put(into: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    if into.len() < offset + bytes.len() {
        into.resize(offset + bytes.len(), 0);
    }
    into[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// Fails if `what` is the operation that fails now.
fn check(now: Failing, what: Failing) -> io::Result<()> {
    let errno = if what == Failing::Space { 28 } else { 5 };
    if now == what { Err(io::Error::from_raw_os_error(errno)) } else { Ok(()) }
}

impl Disk for BrittleDisk {
    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.names.lock().unwrap().now.keys().cloned().collect())
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let failing = self.failing.clone();
        let file = Arc::new(BrittleFile::new(Bytes::default(), failing));
        self.change(|names| names.now.insert(name.to_owned(), file.clone()));
        Ok(file)
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let file = self.names.lock().unwrap().now.get(name).cloned();
        file.map(|file| file as Arc<dyn DiskFile>).ok_or(io::ErrorKind::NotFound.into())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.change(|names| {
            let file = names.now.remove(from).ok_or(io::ErrorKind::NotFound)?;
            names.now.insert(to.to_owned(), file);
            Ok(())
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.change(|names| names.now.remove(name)).ok_or(io::ErrorKind::NotFound)?;
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let _power = self.failing.read().unwrap();
        let mut names = self.names.lock().unwrap();
        names.stable = names.now.clone();
        names.unsynced.clear();
        Ok(())
    }
}

impl DiskFile for BrittleFile {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.is_unreadable.load(Ordering::SeqCst) {
            return Err(io::Error::from_raw_os_error(5));
        }
        let bytes = self.bytes.lock().unwrap();
        let rest = bytes.now.get(offset as usize..).unwrap_or_default();
        let got = rest.len().min(into.len());
        into[..got].copy_from_slice(&rest[..got]);
        Ok(got)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let failing = self.failing.read().unwrap();
        check(*failing, Failing::Writes)?;
        let mut inside = self.bytes.lock().unwrap();
        put(&mut inside.now, offset as usize, bytes);
        inside.unsynced.push((offset as usize, bytes.to_vec()));
        Ok(())
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        check(*self.failing.read().unwrap(), Failing::Space)?;
        self.write_at(&vec![0; bytes as usize], 0)
    }

    fn sync(&self) -> io::Result<()> {
        // Takes a while, like a sync of a real disk; power is mostly lost during it.
        thread::sleep(Duration::from_micros(200));
        let failing = self.failing.read().unwrap();
        let mut inside = self.bytes.lock().unwrap();
        let unsynced = std::mem::take(&mut inside.unsynced);
        check(*failing, Failing::Syncs)?;
        for (offset, bytes) in unsynced {
            put(&mut inside.stable, offset, &bytes);
        }
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.lock().unwrap().now.len() as u64)
    }
}
