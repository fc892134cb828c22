//! Backup sets: making one, reading it back, verifying all, and removing old ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::encryption::BackupKey;
use crate::manifest::{Copied, MANIFEST, Manifest, VERSION};
use crate::object::BackupStoreFault;
use crate::source::{Item, Opened, SetSource};
use crate::store::{BackupStore, pass};
use domain::hex::hex;
use domain::time::Timestamp;

/// The folder of the sets.
const SETS: &str = "sets/";
/// The folder of the objects.
const OBJECTS: &str = "objects/";
/// The name of an encrypted manifest.
const SEALED_MANIFEST: &str = "manifest.sealed";
/// The level of compression. Pictures are compressed already, so a higher one costs time alone.
const LEVEL: i32 = 3;
/// How often a file that changes while it is read is read again.
const ATTEMPTS: usize = 3;

/// Why a set could not be made or read.
#[derive(Debug, thiserror::Error)]
pub enum SetFault {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] BackupStoreFault),
    /// A file of the data could not be read.
    #[error("reading {path} failed: {source}")]
    Source {
        /// The path in the data directory.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// There is no set, or none of the wanted time.
    #[error("there is no set {0}")]
    NoSet(String),
    /// A set is encrypted and no key was given.
    #[error("the set {0} is encrypted: --backup-key-file must name its key")]
    Locked(String),
    /// A set or an object is not as it was made.
    #[error("{0}")]
    Damaged(String),
}

/// The sets at a place.
pub struct Sets {
    /// The store.
    pub store: BackupStore,
    /// The key that encrypts new sets and opens old ones.
    pub key: Option<BackupKey>,
}

/// A set that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetMade {
    /// The name.
    pub name: String,
    /// When it began, in Unix seconds.
    pub made_at: u64,
    /// The number of files.
    pub files: usize,
    /// The bytes of all files.
    pub bytes: u64,
    /// The number of objects that were stored for it.
    pub new_objects: usize,
    /// The bytes that these take.
    pub new_bytes: u64,
}

/// A set that is stored but not read back.
pub struct StoredSet {
    /// The set.
    pub made: SetMade,
    manifest: Manifest,
    /// The SHA-256 of the contents that were stored for it.
    new: BTreeSet<String>,
}

/// The result of reading everything.
#[derive(Debug, Default)]
pub struct Verified {
    /// The number of sets.
    pub sets: usize,
    /// The number of objects.
    pub objects: usize,
    /// The bytes of their contents.
    pub bytes: u64,
    /// What is wrong, one line each.
    pub problems: Vec<String>,
}

/// A set that is being stored.
struct Storing {
    /// The bytes of the objects at the place, by name.
    listed: HashMap<String, u64>,
    /// The files of the set before, by path.
    before: HashMap<String, Copied>,
    stored: BTreeMap<String, u64>,
    new: BTreeSet<String>,
    new_bytes: u64,
}

/// The name of a set that was made at this moment. Names are in the order of time.
pub fn name_of(at: Timestamp) -> String {
    let moment = UNIX_EPOCH + Duration::from_millis(at.millis());
    humantime::format_rfc3339_millis(moment).to_string().replace(':', "")
}

impl Sets {
    /// The names of all sets, the oldest first.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub async fn names(&self) -> Result<Vec<String>, SetFault> {
        let listed = self.store.list(SETS).await?;
        let set = |name: &str| {
            let (set, file) = name.strip_prefix(SETS)?.split_once('/')?;
            matches!(file, MANIFEST | SEALED_MANIFEST).then(|| set.to_owned())
        };
        Ok(listed.iter().filter_map(|it| set(&it.name)).collect())
    }

    /// The newest set that was made on this day or before, or at this moment or before.
    ///
    /// # Errors
    /// If there is none, or the store cannot be listed.
    pub async fn newest(&self, until: Option<&str>) -> Result<String, SetFault> {
        let names = self.names().await?;
        let is_early =
            |name: &str| until.is_none_or(|until| name.starts_with(until) || name < until);
        let newest = names.into_iter().rfind(|name| is_early(name));
        newest.ok_or_else(|| {
            SetFault::NoSet(until.map_or_else(String::new, |it| format!("until {it}")))
        })
    }

    /// Reads the manifest of a set.
    ///
    /// # Errors
    /// If it is missing, damaged or encrypted with another key.
    pub async fn manifest(&self, set: &str) -> Result<Manifest, SetFault> {
        let mut text = Vec::new();
        let plain = format!("{SETS}{set}/{MANIFEST}");
        let name = match self.store.get(&plain, &mut text).await {
            Err(BackupStoreFault::Absent(_)) => {
                let sealed = format!("{SETS}{set}/{SEALED_MANIFEST}");
                let key = self.key.as_ref().ok_or_else(|| SetFault::Locked(set.to_owned()))?;
                self.read_sealed(&sealed, key, &mut text).await?;
                sealed
            }
            read => {
                read?;
                plain
            }
        };
        Manifest::parse(&text).map_err(|reason| SetFault::Damaged(format!("{name} {reason}")))
    }

    /// Reads the content of a file, and compares it with the manifest.
    ///
    /// # Errors
    /// If it is missing or not the same, or writing it fails.
    pub async fn read(&self, file: &Copied, into: &mut dyn Write) -> Result<(), SetFault> {
        let mut content = Hashing { inner: into, hasher: Sha256::new(), bytes: 0 };
        if file.bytes > 0 {
            let name = self.object(&file.sha256);
            match &self.key {
                Some(key) => self.read_sealed(&name, key, &mut content).await?,
                None => self.read_packed(&name, &mut content).await?,
            }
        }
        if content.matches(file) {
            return Ok(());
        }
        Err(SetFault::Damaged(format!("{} differs from the backed-up file", file.path)))
    }

    async fn read_sealed(
        &self,
        name: &str,
        key: &BackupKey,
        into: &mut dyn Write,
    ) -> Result<(), SetFault> {
        let fault = |source| BackupStoreFault::file(name, source);
        let mut unpacking = zstd::stream::write::Decoder::new(into).map_err(fault)?;
        let mut opening = key.opening(name, &mut unpacking);
        self.store.get(name, &mut opening).await?;
        opening.finish().map_err(fault)?;
        Ok(unpacking.flush().map_err(fault)?)
    }

    async fn read_packed(&self, name: &str, into: &mut dyn Write) -> Result<(), SetFault> {
        let fault = |source| BackupStoreFault::file(name, source);
        let mut unpacking = zstd::stream::write::Decoder::new(into).map_err(fault)?;
        self.store.get(name, &mut unpacking).await?;
        Ok(unpacking.flush().map_err(fault)?)
    }

    /// Stores compressed content, encrypted if there is a key.
    async fn put(&self, name: &str, content: &mut dyn Read) -> Result<u64, BackupStoreFault> {
        let packing = zstd::stream::read::Encoder::new(content, LEVEL);
        let mut packing = packing.map_err(|source| BackupStoreFault::file(name, source))?;
        match &self.key {
            Some(key) => self.store.put(name, &mut key.sealing(name, packing)).await,
            None => self.store.put(name, &mut packing).await,
        }
    }

    /// The name of the object with this content.
    fn object(&self, sha256: &str) -> String {
        let (name, end) = match &self.key {
            Some(key) => (key.object_name(sha256), ""),
            None => (sha256.to_owned(), ".zst"),
        };
        format!("{OBJECTS}{}/{name}{end}", name.get(..2).unwrap_or_default())
    }

    /// Stores a set: new objects, then the manifest.
    ///
    /// # Errors
    /// If a file cannot be read, or the store fails.
    pub async fn make(&self, source: &SetSource<'_>, at: Timestamp) -> Result<StoredSet, SetFault> {
        let mut storing = self.begin(&source.history).await?;
        let mut files = Vec::with_capacity(source.items.len());
        for item in &source.items {
            if let Some(copied) = self.store_item(item, &mut storing).await? {
                files.push(copied);
            }
        }
        let name = name_of(at);
        let manifest = Manifest {
            version: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            made_at: iso8601(at),
            history: source.history.clone(),
            end: source.end,
            files,
            stored: storing.stored,
        };
        let text = serde_json::to_vec(&manifest).map_err(io::Error::from);
        let text = text.map_err(|source| BackupStoreFault::file(MANIFEST, source))?;
        let new_bytes = storing.new_bytes
            + match &self.key {
                Some(_) => {
                    self.put(&format!("{SETS}{name}/{SEALED_MANIFEST}"), &mut &*text).await?
                }
                None => self.store.put(&format!("{SETS}{name}/{MANIFEST}"), &mut &*text).await?,
            };
        let made = SetMade {
            name,
            made_at: at.seconds(),
            files: manifest.files.len(),
            bytes: manifest.files.iter().map(|file| file.bytes).sum(),
            new_objects: storing.new.len(),
            new_bytes,
        };
        Ok(StoredSet { made, manifest, new: storing.new })
    }

    async fn begin(&self, history: &str) -> Result<Storing, SetFault> {
        let listed = self.store.list(OBJECTS).await?;
        let listed = listed.into_iter().map(|it| (it.name, it.bytes)).collect();
        let before = match self.names().await?.last() {
            Some(name) => self.manifest(name).await,
            None => Err(SetFault::NoSet(String::new())),
        };
        // A set of another history or key only costs that every file is read.
        let before = before.ok().filter(|before| before.history == history);
        let files = before.map(|before| before.files).unwrap_or_default();
        Ok(Storing {
            listed,
            before: files.into_iter().map(|file| (file.path.clone(), file)).collect(),
            stored: BTreeMap::new(),
            new: BTreeSet::new(),
            new_bytes: 0,
        })
    }

    /// Stores the content of a file unless it is there; `None` if the file is gone.
    async fn store_item(
        &self,
        item: &Item<'_>,
        storing: &mut Storing,
    ) -> Result<Option<Copied>, SetFault> {
        let failed = |source| SetFault::Source { path: item.path.clone(), source };
        for attempt in 1.. {
            let Some(mut opened) = item.open().map_err(failed)? else { return Ok(None) };
            if let Some(known) = storing.known(item, opened.bytes).cloned()
                && let Some(bytes) = storing.listed.get(&self.object(&known.sha256))
            {
                storing.stored.insert(known.sha256.clone(), *bytes);
                return Ok(Some(known));
            }
            let copied = hashed(&item.path, &mut opened).await.map_err(failed)?;
            if copied.bytes == 0 {
                return Ok(Some(copied));
            }
            let object = self.object(&copied.sha256);
            if let Some(bytes) = storing.listed.get(&object) {
                storing.stored.insert(copied.sha256.clone(), *bytes);
                return Ok(Some(copied));
            }
            let Some(Opened { content, .. }) = item.open().map_err(failed)? else {
                return Ok(None);
            };
            let put = self.put(&object, &mut Expected::of(content, &copied)).await;
            match put {
                Ok(bytes) => {
                    storing.new.insert(copied.sha256.clone());
                    storing.new_bytes += bytes;
                    storing.stored.insert(copied.sha256.clone(), bytes);
                    storing.listed.insert(object, bytes);
                    return Ok(Some(copied));
                }
                Err(BackupStoreFault::File { source, .. })
                    if source.kind() == ErrorKind::InvalidData && attempt < ATTEMPTS => {}
                Err(fault) => return Err(fault.into()),
            }
        }
        Ok(None)
    }

    /// Reads a new set back: its manifest and its new objects in full, the others by their size.
    ///
    /// # Errors
    /// If anything is not as it was stored.
    pub async fn read_back(&self, set: &StoredSet) -> Result<(), SetFault> {
        let damaged = |what: String| Err(SetFault::Damaged(what));
        if self.manifest(&set.made.name).await? != set.manifest {
            return damaged("the manifest differs from the stored one".to_owned());
        }
        let listed = self.store.list(OBJECTS).await?;
        let listed: HashMap<String, u64> =
            listed.into_iter().map(|it| (it.name, it.bytes)).collect();
        let mut read = BTreeSet::new();
        for file in set.manifest.files.iter().filter(|file| file.bytes > 0) {
            let object = self.object(&file.sha256);
            match (listed.get(&object), set.manifest.stored.get(&file.sha256)) {
                (None, _) => return damaged(format!("{object} of {} is missing", file.path)),
                (Some(bytes), Some(stored)) if bytes == stored => {}
                (Some(_), _) => return damaged(format!("{object} has another size")),
            }
            if set.new.contains(&file.sha256) && read.insert(&file.sha256) {
                self.read(file, &mut io::sink()).await?;
            }
        }
        Ok(())
    }

    /// Removes all sets but the newest ones, then the objects that no set names. Returns the number
    /// of removed sets.
    ///
    /// # Errors
    /// If the store fails, or a set that stays cannot be read: its objects are unknown, so none is
    /// removed.
    pub async fn prune(&self, keep: usize) -> Result<usize, SetFault> {
        let names = self.names().await?;
        let (old, kept) = names.split_at(names.len().saturating_sub(keep.max(1)));
        for name in old {
            for file in [MANIFEST, SEALED_MANIFEST] {
                self.store.remove(&format!("{SETS}{name}/{file}")).await?;
            }
        }
        if old.is_empty() {
            return Ok(0);
        }
        let mut used = BTreeSet::new();
        for name in kept {
            let manifest = self.manifest(name).await?;
            used.extend(manifest.files.iter().map(|file| self.object(&file.sha256)));
        }
        for object in self.store.list(OBJECTS).await? {
            if !used.contains(&object.name) {
                self.store.remove(&object.name).await?;
            }
        }
        Ok(old.len())
    }

    /// Reads every object of every set, or of one.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub async fn verify(&self, only: Option<&str>) -> Result<Verified, SetFault> {
        let names = match only {
            Some(name) => vec![name.to_owned()],
            None => self.names().await?,
        };
        let mut verified = Verified::default();
        let mut read: BTreeSet<String> = BTreeSet::new();
        for name in names {
            verified.sets += 1;
            let manifest = match self.manifest(&name).await {
                Ok(manifest) => manifest,
                Err(fault) => {
                    verified.problems.push(format!("set {name}: {fault}"));
                    continue;
                }
            };
            for file in &manifest.files {
                if !read.insert(file.sha256.clone()) {
                    continue;
                }
                match self.read(file, &mut io::sink()).await {
                    Ok(()) => {
                        verified.objects += 1;
                        verified.bytes += file.bytes;
                    }
                    Err(fault) => {
                        verified.problems.push(format!("set {name}: {}: {fault}", file.path));
                    }
                }
            }
        }
        Ok(verified)
    }
}

impl Storing {
    /// The file as the set before has it, if its content cannot have changed since.
    fn known(&self, item: &Item<'_>, bytes: u64) -> Option<&Copied> {
        self.before.get(&item.path).filter(|known| item.is_final && known.bytes == bytes)
    }
}

/// The moment in ISO 8601.
fn iso8601(at: Timestamp) -> String {
    let moment = UNIX_EPOCH + Duration::from_millis(at.millis());
    humantime::format_rfc3339_seconds(moment).to_string()
}

async fn hashed(path: &str, opened: &mut Opened<'_>) -> io::Result<Copied> {
    let mut hashing = Hashing { inner: io::sink(), hasher: Sha256::new(), bytes: 0 };
    pass(&mut *opened.content, &mut hashing).await?;
    let sha256 = hex(&hashing.hasher.finalize());
    Ok(Copied { path: path.to_owned(), bytes: hashing.bytes, sha256 })
}

/// Hashes what is written to it, and writes it on.
struct Hashing<W> {
    inner: W,
    hasher: Sha256,
    bytes: u64,
}

impl<W> Hashing<W> {
    fn matches(self, file: &Copied) -> bool {
        self.bytes == file.bytes && hex(&self.hasher.finalize()) == file.sha256
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Reads a file whose content is known; its end is an error if the content was another.
struct Expected<'a> {
    from: Hashing<Box<dyn Read + 'a>>,
    file: &'a Copied,
}

impl<'a> Expected<'a> {
    fn of(content: Box<dyn Read + 'a>, file: &'a Copied) -> Self {
        Self { from: Hashing { inner: content, hasher: Sha256::new(), bytes: 0 }, file }
    }
}

impl Read for Expected<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.inner.read(into)?;
        if count > 0 {
            self.from.hasher.update(&into[..count]);
            self.from.bytes += count as u64;
            return Ok(count);
        }
        let sha256 = hex(&self.from.hasher.clone().finalize());
        if into.is_empty() || (self.from.bytes, &sha256) == (self.file.bytes, &self.file.sha256) {
            return Ok(0);
        }
        Err(io::Error::new(ErrorKind::InvalidData, "it changed while it was read"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(folder: &std::path::Path, key: Option<BackupKey>) -> Sets {
        Sets { store: BackupStore::Folder(folder.to_owned()), key }
    }

    fn manifest(files: Vec<Copied>) -> Manifest {
        Manifest {
            version: VERSION,
            program: String::new(),
            made_at: String::new(),
            history: String::new(),
            end: 0,
            files,
            stored: BTreeMap::new(),
        }
    }

    /// Stores a set with one file.
    async fn stores(sets: &Sets, name: &str, content: &[u8]) -> Copied {
        let opened = |content| Opened { content, bytes: 0 };
        let copied = hashed("history", &mut opened(Box::new(content))).await.unwrap();
        sets.put(&sets.object(&copied.sha256), &mut &*content).await.unwrap();
        let text = serde_json::to_vec(&manifest(vec![copied.clone()])).unwrap();
        sets.store.put(&format!("sets/{name}/{MANIFEST}"), &mut &*text).await.unwrap();
        copied
    }

    #[test]
    fn names_are_in_the_order_of_time() {
        let at = |millis| name_of(Timestamp::from_millis(millis));
        assert_eq!(at(1_763_604_000_123), "2025-11-20T020000.123Z");
        assert!(at(1_763_604_000_123) < at(1_763_604_000_124));
        assert!(at(1_763_604_000_999) < at(1_763_604_001_000));
    }

    #[tokio::test]
    async fn newest_set_until_a_day_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let sets = sets(folder.path(), None);
        assert!(sets.newest(None).await.is_err());
        for name in ["2026-11-19T030000.000Z", "2026-11-20T030000.000Z", "2026-11-21T030000.000Z"] {
            stores(&sets, name, name.as_bytes()).await;
        }
        for (until, day) in [(None, "21"), (Some("2026-11-20"), "20"), (Some("2026-11"), "21")] {
            let found = sets.newest(until).await.unwrap();
            assert_eq!(found, format!("2026-11-{day}T030000.000Z"), "{until:?}");
        }
        assert_eq!(sets.newest(Some("2026-11-20T02")).await.unwrap(), "2026-11-19T030000.000Z");
        assert!(sets.newest(Some("2026-11-18")).await.is_err());
    }

    #[tokio::test]
    async fn prune_keeps_objects_of_kept_sets() {
        let folder = tempfile::tempdir().unwrap();
        let sets = sets(folder.path(), None);
        let first = stores(&sets, "1", b"only in the first").await;
        stores(&sets, "2", b"in two").await;
        let both = stores(&sets, "3", b"in two").await;
        assert_eq!(sets.prune(3).await.unwrap(), 0);
        assert_eq!(sets.prune(1).await.unwrap(), 2);
        assert_eq!(sets.names().await.unwrap(), ["3"]);
        assert!(sets.read(&first, &mut io::sink()).await.is_err());
        sets.read(&both, &mut io::sink()).await.unwrap();
    }

    #[tokio::test]
    async fn prune_removes_no_object_while_a_set_is_unreadable() {
        let folder = tempfile::tempdir().unwrap();
        let sets = sets(folder.path(), None);
        let file = stores(&sets, "1", b"content").await;
        sets.store.put("sets/2/manifest.sealed", &mut &b"?"[..]).await.unwrap();
        stores(&sets, "3", b"other").await;
        assert!(matches!(sets.prune(2).await, Err(SetFault::Locked(_))));
        sets.read(&file, &mut io::sink()).await.unwrap();
    }

    #[tokio::test]
    async fn changed_file_is_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let sets = sets(folder.path(), None);
        let file = stores(&sets, "1", b"before").await;
        let mut changed = Expected::of(Box::new(&b"after"[..]), &file);
        assert!(sets.put("objects/aa/x", &mut changed).await.is_err());
        assert_eq!(sets.store.list("objects/aa").await.unwrap(), []);
    }
}
