//! The rooms and what they depend on, opened in the same way for a server and for a tool that works
//! on the data of a stopped one.

use std::sync::Arc;
use std::time::Duration;

use crate::actors::directory::Directory;
use crate::actors::drain::Drain;
use crate::actors::id_generator::CountingIdGenerator;
use crate::actors::idle::LOOK_EVERY;
use crate::actors::names::Names;
use crate::actors::room_context::{self, RoomContext};
use crate::actors::write_limits::WriteLimits;
use crate::admin::Administration;
use crate::auth::accounts::Accounts;
use crate::auth::keyring::{Keyring, KeyringFollower};
use crate::auth::password::{PasswordCost, Passwords};
use crate::auth::seal::SealKey;
use crate::bounds::places::Places;
use crate::clock::disciplined::DisciplinedClock;
use crate::clock::{Clock, SystemClock};
use crate::cluster::bus::Bus;
use crate::cluster::membership::Membership;
use crate::config::Options;
use crate::data_dir::DataDir;
use crate::domain::group::AddressTrust;
use crate::index::applying::BrokenChains;
use crate::index::archive::Archive;
use crate::index::indexer::Indexer;
use crate::joining::Joined;
use crate::journal::JournalFault;
use crate::journal::own::OwnJournal;
use crate::journal::status::JournalCounts;
use crate::space::{Space, Watch};
use crate::start_error::StartError;
use crate::storage::{BeforeJournal, Storage};
use crate::wire::instance::Instance;

use tokio::sync::{Notify, watch};

/// The number of passwords that are hashed at the same time.
const HASHES_AT_ONCE: usize = 2;

/// The foundation of storage and rooms; tests replace it.
pub(crate) struct CoreSettings {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) before_journal: BeforeJournal,
    /// How often an idle room checks whether it was asked.
    pub(crate) look_every: Duration,
    /// The cost of hashing a password.
    pub(crate) password_cost: PasswordCost,
    /// The registry of bounded places.
    pub(crate) places: Places,
}

impl CoreSettings {
    /// The machine's clock, the default settings, and nothing in front of the journal.
    pub(crate) fn machine() -> Self {
        let (clock, before_journal) = (Arc::new(SystemClock::new()), Arc::new(|journal| journal));
        Self {
            clock,
            before_journal,
            look_every: LOOK_EVERY,
            password_cost: PasswordCost::default(),
            places: Places::default(),
        }
    }
}

/// The opened services. Rooms can be asked once the directory has a thread for them.
pub(crate) struct CoreServices {
    pub(crate) archive: Archive,
    pub(crate) directory: Directory,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) passwords: Passwords,
    pub(crate) names: Names,
    pub(crate) instance: Arc<Instance>,
    pub(crate) clock: Arc<dyn Clock>,
    /// The same clock, with what operators may do to it.
    pub(crate) discipline: Arc<DisciplinedClock>,
    pub(crate) counts: Arc<JournalCounts>,
    pub(crate) broken_chains: Arc<BrokenChains>,
    /// Keeps the index current until the very end.
    pub(crate) indexer: Indexer,
    /// The journal itself, to be closed at the end.
    pub(crate) journal: OwnJournal,
    pub(crate) space: Space,
    /// Set when the journal stops for good.
    pub(crate) stopped: watch::Receiver<Option<JournalFault>>,
    /// The thread that watches the free space of the disk.
    pub(crate) watch: Watch,
    /// The registry of bounded places.
    pub(crate) places: Places,
    /// The server's place among the nodes; `None` if it is alone.
    pub(crate) membership: Option<Membership>,
    /// The bus over which pictures and files are shared, and the number of the installation; `None`
    /// if the server is alone.
    pub(crate) sharing: Option<(Arc<Bus>, u64)>,
    /// The key that seals values which clients bring back. On a single machine it is new at each
    /// start.
    pub(crate) seal: SealKey,
    /// Notified when an operator wants the server to end.
    pub(crate) drain: Arc<Notify>,
}

impl CoreServices {
    /// Opens storage and the rooms; of a node, with the journal that it has already opened.
    ///
    /// # Errors
    /// If the journal or the index cannot be opened.
    pub(crate) fn open(
        options: &Options,
        data: &DataDir,
        instance: Instance,
        core_settings: CoreSettings,
        joined: Joined,
    ) -> Result<Self, StartError> {
        let Joined { shared, membership, sharing, seal, discipline } = joined;
        let CoreSettings { clock, before_journal, look_every, password_cost, places } =
            core_settings;
        let discipline = discipline.unwrap_or_else(|| Arc::new(DisciplinedClock::over(clock)));
        let clock: Arc<dyn Clock> = Arc::<DisciplinedClock>::clone(&discipline);
        let Storage {
            archive,
            highs,
            indexer,
            counts,
            journal,
            space,
            stopped,
            watch,
            broken_chains,
        } = Storage::open(data, options, &before_journal, shared)?;
        let instance = Arc::new(instance);
        let context = RoomContext {
            accounts: Accounts::new(Arc::clone(&archive.index)),
            archive: archive.clone(),
            clock: Arc::clone(&clock),
            id_generator: Arc::new(CountingIdGenerator::after(highs)),
            instance: Arc::clone(&instance),
            undurable: room_context::undurable(&places),
            drain: Drain::default(),
            look_every,
            flood_limits: options.dm_limit.0,
            // No address can be confirmed yet.
            address_trust: match options.is_local() {
                true => AddressTrust::Trusted,
                false => AddressTrust::Unconfirmed,
            },
            write_limits: match options.rate_limit.0 {
                Some(_) => WriteLimits::new(options.write_limit.0, &places),
                None => WriteLimits::off(),
            },
        };
        let keyring = Arc::new(Keyring::new(Arc::clone(&archive.index), Arc::clone(&clock)));
        archive.journal.follow(Box::new(KeyringFollower(Arc::clone(&keyring))));
        let directory = Directory::new(context);
        archive.journal.follow(directory.follower());
        let (asked, waiting) = (directory.clone(), journal.clone());
        archive.register(&places);
        places.add("mailboxes", move || asked.mailboxes());
        places.add("journal_queue", move || waiting.fullness());
        Ok(Self {
            keyring,
            passwords: Passwords::new(HASHES_AT_ONCE, password_cost)
                .map_err(|error| StartError::System(error.to_string()))?,
            names: Names::new(directory.clone()),
            directory,
            archive,
            instance,
            clock,
            discipline,
            counts,
            broken_chains,
            indexer,
            journal,
            space,
            stopped,
            watch,
            places,
            membership,
            sharing,
            seal: seal.unwrap_or_else(SealKey::fresh),
            drain: Arc::default(),
        })
    }

    /// The executor of operators' commands on these services.
    pub(crate) fn administration(&self, history: u32) -> Administration {
        Administration {
            directory: self.directory.clone(),
            passwords: self.passwords.clone(),
            names: self.names.clone(),
            clock: Arc::clone(&self.discipline),
            history,
            membership: self.membership.clone(),
            drain: Arc::clone(&self.drain),
            media: None,
            mails: None,
            settings: None,
        }
    }
}
