//! A disk in memory that can lose power at any step, then keeps a random part of what was not
//! synced, sector by sector; it also fails, fills up and is slow.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use coterie::journal::disk::{Disk, DiskFile};
use fastrand::Rng;

use crate::scheduler::Turns;

const SECTOR: usize = 512;
const EIO: i32 = 5;
const ENOSPC: i32 = 28;

/// How unreliable a disk is. Chances are per thousand.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Temper {
    /// The chance that a write fails halfway.
    pub(crate) bad_writes: u32,
    /// The chance that a sync fails, and the data it was for is lost.
    pub(crate) bad_syncs: u32,
    /// The chance that a read fails on a thread other than the simulation's own.
    pub(crate) bad_reads: u32,
    /// The chance that a sync takes long.
    pub(crate) slow_syncs: u32,
    /// How long a slow sync takes at most, in milliseconds.
    pub(crate) slowness: u64,
    /// The chance that another thread runs between two steps.
    pub(crate) pauses: u32,
    /// Whether syncs of records report success without having synced: the planted fault. Then a
    /// caller is answered before its record is durable.
    pub(crate) lies: bool,
}

/// How a machine ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The process is killed; the system still has what it wrote.
    Killed,
    /// Power is lost, and with it all or some of what was not synced.
    PowerLoss,
    /// The server stops in an orderly way, and everything is finished.
    Stopped,
}

#[derive(Debug, Default, Clone)]
struct Bytes {
    now: Vec<u8>,
    unsynced: Vec<(usize, Vec<u8>)>,
    stable: Vec<u8>,
}

type Names = BTreeMap<String, usize>;

#[derive(Debug)]
struct Platter {
    random: Rng,
    temper: Temper,
    is_off: bool,
    is_full: bool,
    /// Power is lost after so many more steps.
    fuse: Option<u64>,
    /// Whether a write or a sync has failed.
    has_failed: bool,
    names: Names,
    unsynced_names: Vec<Names>,
    stable_names: Names,
    files: Vec<Bytes>,
}

/// A simulated disk; clones are the same disk.
#[derive(Debug, Clone)]
pub(crate) struct SimDisk {
    platter: Arc<Mutex<Platter>>,
    turns: Arc<Turns>,
}

#[derive(Debug)]
struct SimFile {
    disk: SimDisk,
    number: usize,
}

fn failure(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}

impl SimDisk {
    /// An empty disk.
    pub(crate) fn new(turns: &Arc<Turns>, random: Rng) -> Self {
        let platter = Platter {
            random,
            temper: Temper::default(),
            is_off: false,
            is_full: false,
            fuse: None,
            has_failed: false,
            names: Names::new(),
            unsynced_names: Vec::new(),
            stable_names: Names::new(),
            files: Vec::new(),
        };
        Self { platter: Arc::new(Mutex::new(platter)), turns: Arc::clone(turns) }
    }

    /// Sets how unreliable the disk is from now on.
    pub(crate) fn set_temper(&self, temper: Temper) {
        self.lock().temper = temper;
    }

    /// Makes power fail after so many steps.
    pub(crate) fn light_fuse(&self, steps: u64) {
        self.lock().fuse = Some(steps);
    }

    /// Makes the disk full, or gives it room again.
    pub(crate) fn set_full(&self, is_full: bool) {
        self.lock().is_full = is_full;
    }

    /// Whether the disk is full.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().is_full
    }

    /// Whether the disk is switched off: every operation fails.
    pub(crate) fn is_off(&self) -> bool {
        self.lock().is_off
    }

    /// Whether a write or a sync has failed since the disk was switched on.
    pub(crate) fn has_failed(&self) -> bool {
        self.lock().has_failed
    }

    /// Switches the disk off: every operation fails from now on.
    pub(crate) fn switch_off(&self) {
        self.lock().is_off = true;
    }

    /// The disk as it is found after this end.
    pub(crate) fn after(&self, end: End) -> Self {
        let mut platter = self.lock();
        platter.is_off = true;
        let mut random = platter.random.fork();
        let names = match end {
            End::Killed | End::Stopped => platter.names.clone(),
            End::PowerLoss => {
                let kept = random.usize(..=platter.unsynced_names.len());
                let states = &platter.unsynced_names;
                kept.checked_sub(1).map_or(&platter.stable_names, |last| &states[last]).clone()
            }
        };
        let found = Self::new(&self.turns, random.fork());
        let mut new = found.lock();
        for (name, number) in names {
            let file = &platter.files[number];
            let bytes = match end {
                End::Killed | End::Stopped => file.now.clone(),
                End::PowerLoss => file.after_power_loss(&mut random),
            };
            // The system has what a killed process has written, but the disk does not have it yet;
            // a later loss of power may still take it.
            let file = match end {
                End::Killed | End::Stopped => Bytes { now: bytes, ..file.clone() },
                End::PowerLoss => Bytes { now: bytes.clone(), unsynced: vec![], stable: bytes },
            };
            let number = new.files.len();
            new.files.push(file);
            new.names.insert(name, number);
        }
        new.stable_names = new.names.clone();
        drop(new);
        found
    }

    fn lock(&self) -> MutexGuard<'_, Platter> {
        self.platter.lock().unwrap()
    }

    /// To be called before each operation: another thread may run, and power may be lost.
    fn step(&self) -> io::Result<MutexGuard<'_, Platter>> {
        let mut platter = self.lock();
        let pauses = platter.temper.pauses;
        if !platter.is_off && platter.random.u32(..1000) < pauses {
            drop(platter);
            self.turns.give_way();
            platter = self.lock();
        }
        if let Some(left) = &mut platter.fuse {
            *left = left.saturating_sub(1);
            platter.is_off |= *left == 0;
        }
        if platter.is_off { Err(failure(EIO)) } else { Ok(platter) }
    }
}

impl Bytes {
    fn after_power_loss(&self, random: &mut Rng) -> Vec<u8> {
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
        found
    }
}

fn put(into: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    if into.len() < offset + bytes.len() {
        into.resize(offset + bytes.len(), 0);
    }
    into[offset..offset + bytes.len()].copy_from_slice(bytes);
}

impl Platter {
    fn change_names<T>(&mut self, change: impl FnOnce(&mut Names) -> T) -> T {
        let result = change(&mut self.names);
        let state = self.names.clone();
        self.unsynced_names.push(state);
        result
    }
}

impl Disk for SimDisk {
    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.step()?.names.keys().cloned().collect())
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut platter = self.step()?;
        if platter.is_full {
            return Err(failure(ENOSPC));
        }
        let number = platter.files.len();
        platter.files.push(Bytes::default());
        platter.change_names(|names| names.insert(name.to_owned(), number));
        Ok(Arc::new(SimFile { disk: self.clone(), number }))
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        // A reader may hold a lock, so no other thread may run meanwhile.
        let platter = self.lock();
        if platter.is_off {
            return Err(failure(EIO));
        }
        let number = platter.names.get(name).copied();
        let number = number.ok_or(io::ErrorKind::NotFound)?;
        Ok(Arc::new(SimFile { disk: self.clone(), number }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.step()?.change_names(|names| {
            let file = names.remove(from).ok_or(io::ErrorKind::NotFound)?;
            names.insert(to.to_owned(), file);
            Ok(())
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let gone = self.step()?.change_names(|names| names.remove(name));
        gone.map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn sync(&self) -> io::Result<()> {
        let mut platter = self.step()?;
        platter.stable_names = platter.names.clone();
        platter.unsynced_names.clear();
        Ok(())
    }
}

impl DiskFile for SimFile {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        // No other thread may run, as in `open`.
        let mut platter = self.disk.lock();
        let chance = if Turns::is_own() { platter.temper.bad_reads } else { 0 };
        if platter.is_off || platter.random.u32(..1000) < chance {
            return Err(failure(EIO));
        }
        let bytes = &platter.files[self.number].now;
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let got = rest.len().min(into.len());
        into[..got].copy_from_slice(&rest[..got]);
        Ok(got)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut platter = self.disk.step()?;
        let chance = platter.temper.bad_writes;
        let fails = platter.random.u32(..1000) < chance;
        let written = if fails { platter.random.usize(..=bytes.len()) } else { bytes.len() };
        let file = &mut platter.files[self.number];
        put(&mut file.now, offset as usize, &bytes[..written]);
        file.unsynced.push((offset as usize, bytes[..written].to_vec()));
        platter.has_failed |= fails;
        if fails { Err(failure(EIO)) } else { Ok(()) }
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        let mut platter = self.disk.step()?;
        if platter.is_full {
            return Err(failure(ENOSPC));
        }
        let file = &mut platter.files[self.number];
        let size = file.now.len().max(bytes as usize);
        file.now.resize(size, 0);
        file.stable.resize(size, 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut platter = self.disk.step()?;
        let Temper { slow_syncs, slowness, bad_syncs, lies, .. } = platter.temper;
        let covered = platter.files[self.number].unsynced.len();
        if platter.random.u32(..1000) < slow_syncs {
            let millis = platter.random.u64(..=slowness);
            drop(platter);
            self.disk.turns.dawdle(Duration::from_millis(millis));
            platter = self.disk.step()?;
        }
        let fails = platter.random.u32(..1000) < bad_syncs;
        platter.has_failed |= fails;
        let file = &mut platter.files[self.number];
        if lies && file.unsynced.iter().all(|(offset, _)| *offset >= SECTOR) {
            return Ok(());
        }
        let synced: Vec<_> = file.unsynced.drain(..covered).collect();
        if fails {
            // The system drops the data that it could not write, and goes on showing it to readers.
            return Err(failure(EIO));
        }
        for (offset, bytes) in synced {
            put(&mut file.stable, offset, &bytes);
        }
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.disk.lock().files[self.number].now.len() as u64)
    }
}
