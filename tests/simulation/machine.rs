//! The machine: what outlives a crash, and the server that runs on it between two crashes.
//!
//! The server is assembled as in `boot/services.rs` and `boot/mod.rs`, without HTTP.

use std::sync::Arc;

use coterie::actors::directory::Directory;
use coterie::actors::drain::Drain;
use coterie::actors::id_generator::CountingIdGenerator;
use coterie::actors::idle::LOOK_EVERY;
use coterie::actors::operator_rules::SharedOperatorRules;
use coterie::actors::room_context::{self, RoomContext};
use coterie::actors::topic_parents::TopicParents;
use coterie::actors::write_limits::WriteLimits;
use coterie::auth::accounts::Accounts;
use coterie::auth::first_answers::FirstAnswers;
use coterie::auth::keyring::{Keyring, KeyringFollower};
use coterie::bounds::places::Places;
use coterie::clock::{Clock, ManualClock};
use coterie::domain::group::AddressTrust;
use coterie::domain::time::Timestamp;
use coterie::domain::user::{FloodLimits, Pace};
use coterie::index::Rows;
use coterie::index::archive::Archive;
use coterie::index::indexer::{self, Indexer, OpenedIndex};
use coterie::journal::Journal;
use coterie::journal::disk::Disk;
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::open_error::OpenError;
use coterie::subscribers::ephemeral_queue::EphemeralQueue;
use coterie::subscribers::live_feed::{Feeds, LiveFeedFollower, ThreadFeed};
use coterie::subscribers::presence::Presence;
use coterie::subscribers::{SubscriberContext, Timeouts};
use coterie::threads::Threads;
use coterie::wire::instance::Instance;
use fastrand::Rng;

use crate::disk::{End, SimDisk};
use crate::rows::SimRows;
use crate::scheduler::{Shared, Turns};

/// Wraps the journal, so that a fault is put between rooms and journal.
pub(crate) type Plant = fn(Arc<dyn Journal>) -> Arc<dyn Journal>;

/// What outlives a crash.
pub(crate) struct Machine {
    pub(crate) disk: SimDisk,
    pub(crate) rows: Arc<SimRows>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) turns: Arc<Turns>,
    pub(crate) segment_bytes: u64,
    pub(crate) plant: Option<Plant>,
    pub(crate) has_twins: bool,
}

/// A running server.
pub(crate) struct Server {
    /// One directory; two, if each stream is to have two rooms that do not know of each other.
    pub(crate) directories: Vec<Directory>,
    pub(crate) first_answers: FirstAnswers,
    pub(crate) shared: Arc<SubscriberContext>,
    pub(crate) local: ThreadFeed,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) rows: Arc<SimRows>,
    /// The last field, so that it is dropped when all others have been.
    pub(crate) _indexer: Indexer,
}

impl Machine {
    /// A new machine, with nothing on its disk.
    pub(crate) fn new(turns: &Arc<Turns>, random: &mut Rng) -> Self {
        let start = Timestamp::from_millis(1_800_000_000_000);
        let disk = SimDisk::new(turns, random.fork());
        Self {
            rows: Arc::new(SimRows::new(turns, &disk, random.fork())),
            disk,
            clock: Arc::new(ManualClock::at(start)),
            turns: Arc::clone(turns),
            segment_bytes: random.u64(12..64) << 10,
            plant: None,
            has_twins: false,
        }
    }

    fn threads(&self) -> Threads {
        Threads::Simulated(Arc::new(Shared(Arc::clone(&self.turns))))
    }

    /// Opens the journal.
    pub(crate) fn open_journal(&self) -> Result<Arc<dyn Journal>, OpenError> {
        let options = JournalOptions {
            segment_bytes: self.segment_bytes,
            threads: self.threads(),
            ..JournalOptions::default()
        };
        let disk: Arc<dyn Disk> = Arc::new(self.disk.clone());
        let (journal, _) = FileJournal::open_on(disk, options)?;
        Ok(Arc::new(journal))
    }

    /// Starts the server. To be called inside an actix system; the journal is open.
    pub(crate) fn start(&self, journal: Arc<dyn Journal>) -> Server {
        let journal = match self.plant {
            Some(plant) => plant(journal),
            None => journal,
        };
        let rows = Arc::clone(&self.rows) as Arc<dyn Rows>;
        let opened = indexer::open_with(rows, Arc::clone(&journal), self.threads());
        let OpenedIndex { index, highs, indexer, .. } = opened.expect("an index opens");
        let archive = Archive::new(index, Arc::clone(&journal));
        let clock: Arc<dyn Clock> = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let instance = Arc::new(Instance::new("http://simulated", "http://simulated", 1));
        let often = Pace { most: 1_000_000, millis: 60_000 };
        let context = RoomContext {
            accounts: Accounts::new(Arc::clone(&archive.index)),
            archive: archive.clone(),
            clock: Arc::clone(&clock),
            id_generator: Arc::new(CountingIdGenerator::after(highs)),
            instance: Arc::clone(&instance),
            undurable: room_context::undurable(&Places::default()),
            rules_memory: room_context::rules_memory(&Places::default()),
            operator_rules: SharedOperatorRules::following(&*journal),
            drain: Drain::default(),
            look_every: LOOK_EVERY,
            flood_limits: FloodLimits { messages: often, strangers: often },
            topic_parents: TopicParents::default(),
            write_limits: WriteLimits::off(),
            address_trust: AddressTrust::Trusted,
        };
        let directories: Vec<Directory> = std::iter::repeat_with(|| {
            let directory = Directory::new(context.clone());
            directory.add_arbiter(actix::Arbiter::current());
            directory
        })
        .take(if self.has_twins { 2 } else { 1 })
        .collect();
        let keyring = Arc::new(Keyring::new(Arc::clone(&archive.index), Arc::clone(&clock)));
        journal.follow(Box::new(KeyringFollower(Arc::clone(&keyring))));
        let feeds = Feeds::default();
        journal.follow(Box::new(LiveFeedFollower::of(feeds.clone(), Arc::clone(&clock))));
        let local = feeds.start_here(Arc::clone(&instance), Arc::clone(&clock));
        let shared = Arc::new(SubscriberContext {
            keyring,
            presence: Presence::new(
                Arc::clone(&archive.index),
                feeds.clone(),
                EphemeralQueue::default(),
            ),
            ephemeral_queue: EphemeralQueue::default(),
            archive: archive.clone(),
            clock: Arc::clone(&clock),
            instance,
            feeds,
            replayed_frames: Default::default(),
            sockets: Default::default(),
            directory: directories[0].clone(),
            timeouts: Timeouts::default(),
            is_one_of_several: false,
        });
        let first_answers = FirstAnswers::new(archive, clock);
        let rows = Arc::clone(&self.rows);
        Server { directories, first_answers, shared, local, journal, rows, _indexer: indexer }
    }

    /// The machine as it is found some time after it ended in this way.
    pub(crate) fn after(&self, end: End, random: &mut Rng) -> Self {
        let down = random.u64(..5_000);
        let wall = self.clock.now().wall.millis() + down;
        let is_lost = random.u8(..20) == 0;
        let disk = self.disk.after(end);
        let rows = match is_lost {
            // The store does not open, and is set aside: the rows begin empty.
            true => SimRows::new(&self.turns, &disk, random.fork()),
            false => self.rows.after_crash(&disk),
        };
        Self {
            disk,
            rows: Arc::new(rows),
            clock: Arc::new(ManualClock::at(Timestamp::from_millis(wall))),
            turns: Arc::clone(&self.turns),
            segment_bytes: self.segment_bytes,
            plant: self.plant,
            has_twins: self.has_twins,
        }
    }
}
