//! Joins the other nodes, before anything else is opened: the log and this node's copy of it, the
//! numbers and keys that are the same at every node, and which nodes are alive.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;

use crate::boot::data_dir::{DataDir, DataDirError};
use crate::boot::storage::{self, SharedJournal, StartError};
use crate::config::Options;
use auth::seal::SealKey;
use auth::secrets::SecretsKey;
use base::clock::Clock;
use base::clock::disciplined::DisciplinedClock;
use base::secret_file;
use base::threads::Threads;
use cluster::bus::{Bus, BusOptions};
use cluster::bus_guard::BusGuard;
use cluster::liveness::NodeName;
use cluster::membership::Membership;
use cluster::sync_check;
use journal::file::JournalOptions;
use journal::replicated::key::InstallationKey;
use journal::replicated::nats::NatsLog;
use journal::replicated::nats_options::NatsOptions;
use journal::replicated::nats_refusals::LogRefusal;
use journal::replicated::nats_servers::NatsServers;
use journal::replicated::nats_survey::{self, ServerReport};
use journal::replicated::{NodeIdentity, NodeKey, ReplicatedJournal};
use media::files::links::LinkKey;
use notify::vapid::VapidKey;

/// The pause before servers that did not answer are asked again.
const SURVEY_AGAIN: Duration = Duration::from_secs(1);

/// The parts of a server that is one of several nodes; everything is `None` for a single server.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    pub(crate) shared: Option<SharedJournal>,
    pub(crate) membership: Option<Membership>,
    /// The bus over which pictures and files are shared, and the number of the installation.
    pub(crate) sharing: Option<(Arc<Bus>, u64)>,
    /// The key with which every node seals values.
    pub(crate) seal: Option<SealKey>,
    /// The clock whose time the node compares with that of the others.
    pub(crate) discipline: Option<Arc<DisciplinedClock>>,
}

/// The options of joining.
struct Joining<'a> {
    servers: NatsServers,
    name: &'a NodeName,
    replicas: usize,
    /// Whether the log is trimmed.
    is_trimmed: bool,
    /// The file with the key of the installation, if the options name one.
    key_file: Option<PathBuf>,
    /// Whether servers may accept clients without a login.
    may_be_open: bool,
    /// Whether no server has to report that it syncs.
    may_hide_sync: bool,
}

impl Joined {
    /// Joins the other nodes if the options say so. Retries while the servers cannot be reached.
    ///
    /// # Errors
    /// If the servers do not meet the log's requirements, or the data directory does not belong to
    /// this installation.
    pub(crate) fn join(
        options: &Options,
        data: &mut DataDir,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, StartError> {
        let (Some(servers), Some(name)) = (&options.nats, &options.node) else {
            return Ok(Self::default());
        };
        // clap accepts only 1, 3 and 5.
        let replicas = options.replicas.parse().unwrap_or(3);
        let is_trimmed = options.log_keep.is_some();
        let joining = Joining {
            servers: NatsServers::parse(&servers.0, options.nats_ca.as_deref())?,
            name,
            replicas,
            is_trimmed,
            key_file: options.cluster_key_file.clone(),
            may_be_open: options.allow_open_log,
            may_hide_sync: options.allow_unknown_sync,
        };
        // Joining blocks, which a thread that runs tasks must not do.
        let joined = std::thread::scope(|scope| {
            scope.spawn(|| joining.join(data, Arc::clone(clock))).join()
        });
        let failed = |_| StartError::System("the thread that joins the others panicked".to_owned());
        joined.map_err(failed)?
    }
}

impl Joining<'_> {
    fn join(self, data: &mut DataDir, clock: Arc<dyn Clock>) -> Result<Joined, StartError> {
        if self.replicas == 1 {
            tracing::warn!("the log has one replica: if its server fails, everything is lost");
        }
        let threads = Threads::System;
        let client = format!("coterie {}", self.name);
        let replicas = self.replicas;
        let is_trimmed = self.is_trimmed;
        let servers = &self.servers;
        let log = NatsOptions { replicas, is_trimmed, ..NatsOptions::on(servers.clone(), &client) };
        let log = Arc::new(NatsLog::connect(log, &threads)?);
        let sync_always = self.check_servers(&client)?;
        let run = u64::from_be_bytes(base::random::random()).max(1);
        let (before, grew_from) = grown_from(data)?;
        let key_path = self.key_file.clone().unwrap_or_else(|| data.installation_key());
        let key_file = KeyFile::open(key_path, before.is_none_or(|it| it == 0))?;
        data.join(grew_from.unwrap_or(0))?;
        let (space, watch) = storage::watch_space(data)?;
        let options = JournalOptions { space: space.clone(), ..JournalOptions::default() };
        let who = NodeIdentity { run, grew_from, key: key_file.key() };
        let (journal, report) = ReplicatedJournal::open(&data.journal(), log, who, options)?;
        storage::tell(&report);
        tracing::info!(node = %self.name, "reading the part of the log that this node lacks");
        if let Err(fault) = journal.wait_until_current() {
            key_file.settle(false);
            drop(journal);
            undo_join(data, before, grew_from)?;
            return Err(StartError::Join(fault));
        }
        let has_codes = journal.has_codes();
        let key = settle_key(key_file, has_codes.load(Ordering::SeqCst));
        let installation = journal.installation().unwrap_or(0);
        data.join(installation)?;
        // The history of a single machine continues in the installation that grew from it.
        data.go_on_with_history(installation as u32)?;
        let system = |error: std::io::Error| StartError::System(error.to_string());
        let connects = || {
            let servers = servers.clone();
            let client = client.clone();
            let guard = BusGuard::new(key, Arc::clone(&has_codes));
            let options = BusOptions { servers, client, replicas, sync_always, guard };
            Bus::connect(options, &threads).map(Arc::new).map_err(system)
        };
        let bus = connects()?;
        let objects = connects()?;
        share_keys(&bus, data)?;
        let seal = SealKey::of(
            &bus.get_or_store("seal", Bytes::copy_from_slice(SealKey::fresh().reveal())),
        );
        let journal = Arc::new(journal);
        let identity = (self.name.clone(), run);
        let discipline = Arc::new(DisciplinedClock::over(clock));
        let clock: Arc<dyn Clock> = Arc::<DisciplinedClock>::clone(&discipline);
        let membership =
            Membership::join(bus, Arc::clone(&journal), identity.0, identity.1, clock)?;
        let shared = Some(SharedJournal { journal, space, watch });
        let sharing = Some((objects, installation));
        let membership = Some(membership);
        let discipline = Some(discipline);
        Ok(Joined { shared, membership, sharing, seal, discipline })
    }
}

impl Joining<'_> {
    /// Refuses servers that are open or sync late. Returns whether they sync before they
    /// acknowledge; `None` if no server reports it.
    fn check_servers(&self, client: &str) -> Result<Option<bool>, StartError> {
        let (reports, sync_always) = self.survey(client)?;
        let open: Vec<&str> =
            reports.iter().filter(|it| it.is_open).map(|it| it.place.as_str()).collect();
        if !open.is_empty() {
            let servers = open.join(", ");
            if !self.may_be_open {
                return Err(LogRefusal::Open { servers }.into());
            }
            tracing::warn!(
                servers,
                "servers of the log accept clients without a login: every machine that reaches \
                 their ports can read and forge messages"
            );
        }
        match sync_always {
            Some(true) => {}
            Some(false) => return Err(LogRefusal::SyncsLate.into()),
            None if self.may_hide_sync => tracing::warn!(
                servers = %self.servers,
                "no server of the log reports whether it syncs before it acknowledges: make sure \
                 that each has sync_interval: always"
            ),
            None => {
                return Err(LogRefusal::SyncUnknown { servers: self.servers.to_string() }.into());
            }
        }
        Ok(sync_always)
    }

    /// Asks each server how it is set, and whether they sync. Retries while that is unknown and a
    /// server does not answer.
    fn survey(&self, client: &str) -> Result<(Vec<ServerReport>, Option<bool>), StartError> {
        loop {
            let reports = nats_survey::survey(&self.servers, client)
                .map_err(|error| StartError::System(error.to_string()))?;
            let sync_always = sync_check::syncs_always(&reports);
            let silent = reports.iter().find(|it| it.id.is_none());
            let Some(silent) = silent.filter(|_| sync_always.is_none() && !self.may_hide_sync)
            else {
                return Ok((reports, sync_always));
            };
            tracing::warn!(
                server = silent.place,
                "a server of the log does not answer, so it is unknown whether the servers sync; \
                 retrying"
            );
            Threads::System.sleep(SURVEY_AGAIN);
        }
    }
}

/// Leaves a data directory as it was before a join that failed. A journal that was made for the
/// join is removed, since at the next start it would count as that of one machine.
fn undo_join(
    data: &DataDir,
    before: Option<u64>,
    grew_from: Option<u64>,
) -> Result<(), StartError> {
    data.forget_joining(before)?;
    if before.is_none() && grew_from.is_none() {
        let path = data.journal();
        fs::remove_dir_all(&path).map_err(|source| DataDirError::File { path, source })?;
    }
    Ok(())
}

/// Returns the key of the installation, and warns if messages are not authenticated.
fn settle_key(file: KeyFile, has_codes: bool) -> Option<InstallationKey> {
    let path = file.path().display().to_string();
    let key = file.settle(has_codes);
    if key.is_none() {
        tracing::warn!(
            path,
            "an earlier version created this installation without a key, so the messages of its \
             log are not authenticated: put the same 32 random bytes into this file at every \
             node, and restart the nodes one after another"
        );
    }
    key
}

/// Returns what was noted of an earlier join, and the number of the installation that this node
/// joined, or that it was itself before there was a log.
fn grown_from(data: &DataDir) -> Result<(Option<u64>, Option<u64>), StartError> {
    let joined = data.joined()?;
    let grew_from = match joined {
        Some(installation) => Some(installation).filter(|it| *it != 0),
        None => {
            let has_journal =
                fs::read_dir(data.journal()).is_ok_and(|mut files| files.next().is_some());
            has_journal.then_some(u64::from(data.epoch()))
        }
    };
    Ok((joined, grew_from))
}

/// Makes the keys the same at every node: those of the node that came first.
fn share_keys(bus: &Bus, data: &DataDir) -> Result<(), StartError> {
    let trouble =
        |error: std::io::Error| StartError::System(format!("storing a key failed: {error}"));
    drop(VapidKey::read_or_make(&data.vapid_key()).map_err(trouble)?);
    drop(SecretsKey::read_or_make(&data.secrets_key()).map_err(trouble)?);
    fs::create_dir_all(data.files()).map_err(trouble)?;
    LinkKey::open(&data.files()).map_err(trouble)?;
    let keys = [
        ("push", data.vapid_key()),
        ("secrets", data.secrets_key()),
        ("links", LinkKey::path(&data.files())),
    ];
    for (name, path) in keys {
        let own = fs::read(&path).map_err(trouble)?;
        let kept = bus.get_or_store(name, Bytes::from(own.clone()));
        if kept != own {
            secret_file::write(&path, &kept).map_err(trouble)?;
        }
    }
    Ok(())
}

/// The key of this node, and its file.
pub(crate) struct KeyFile {
    path: PathBuf,
    key: NodeKey,
}

impl KeyFile {
    /// Reads the key. If there is no file and `may_found` is set, makes a new key, since this node
    /// may found the log.
    ///
    /// # Errors
    /// If the file cannot be read or written, or is no key.
    pub(crate) fn open(path: PathBuf, may_found: bool) -> Result<Self, StartError> {
        let unusable = |reason: String| StartError::Key { path: path.clone(), reason };
        let key = match secret_file::read(&path) {
            Ok(bytes) => match InstallationKey::from_bytes(&bytes) {
                Some(key) => NodeKey::Given(key),
                None => {
                    return Err(unusable(format!("it has {} bytes instead of 32", bytes.len())));
                }
            },
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(unusable(error.to_string()));
            }
            Err(_) if may_found => {
                let key = InstallationKey::fresh();
                secret_file::write(&path, key.reveal())
                    .map_err(|error| unusable(error.to_string()))?;
                NodeKey::New(key)
            }
            Err(_) => NodeKey::Absent,
        };
        Ok(Self { path, key })
    }

    /// The key to open the copy with.
    pub(crate) const fn key(&self) -> NodeKey {
        self.key
    }

    /// The path of the key.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the key of the installation, once it is known whether the log has codes. Removes the
    /// file of a new key that is not the installation's.
    pub(crate) fn settle(self, has_codes: bool) -> Option<InstallationKey> {
        match self.key {
            NodeKey::Absent => None,
            NodeKey::Given(key) => Some(key),
            NodeKey::New(key) if has_codes => Some(key),
            NodeKey::New(_) => {
                if let Err(error) = fs::remove_file(&self.path) {
                    let path = self.path.display();
                    tracing::warn!(%error, %path, "removing an unused key failed; remove it by hand");
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path, may_found: bool) -> KeyFile {
        KeyFile::open(path.to_owned(), may_found).unwrap()
    }

    #[test]
    fn only_a_node_that_founds_the_log_keeps_a_new_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("installation.key");
        assert_eq!(open(&path, false).key(), NodeKey::Absent);
        assert!(!path.exists());
        assert_eq!(open(&path, true).settle(false), None);
        assert!(!path.exists());
        let key = open(&path, true).settle(true).unwrap();
        assert_eq!(open(&path, true).key(), NodeKey::Given(key));
        assert_eq!(open(&path, false).settle(false), Some(key));
        fs::write(&path, "too short").unwrap();
        assert!(KeyFile::open(path, true).is_err());
    }
}
