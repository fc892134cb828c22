//! What a server stands in: time, patience, names that are resolved. Operators do not
//! choose it, tests do.

use std::sync::Arc;
use std::time::Duration;

use crate::actors::directory::routing::Router;
use crate::actors::idle::LOOK_EVERY;
use crate::auth::password::PasswordCost;
use crate::auth::throttle::Rate;
use crate::bounds::places::Places;
use crate::clock::{Clock, SystemClock};
use crate::core_services::Beneath;
use crate::http::connections::{Connections, IDLE_WITHIN, SENT_WITHIN};
use crate::outgoing::resolver::{Resolve, SystemResolver};
use crate::storage::BeforeJournal;
use crate::subscribers::Patience;

/// Sockets of one address: generous, since a proxy in front is one address too.
const UPGRADES: Rate = Rate { per_second: 200.0, burst: 2000.0 };
/// Milliseconds after which the kernel cuts a socket that takes no bytes (RFC 5482).
const JAMMED_AFTER: Duration = Duration::from_secs(30);
/// How often the use of tokens is written down, where that is due.
const NOTE_EVERY: Duration = Duration::from_secs(60);
/// How long somebody waits for their image before they are asked to come again.
const IMAGES_WITHIN: Duration = Duration::from_secs(30);

/// What tests choose and operators do not.
pub struct Surroundings {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// How long things may take on a socket.
    pub patience: Patience,
    /// When the kernel cuts a socket that takes no bytes.
    pub jammed_after: Duration,
    /// How long a callback may take, if not as long as usual.
    pub callback_time: Option<Duration>,
    /// Numbers between 0 and 1, for what should not happen at the same time.
    pub chance: fn() -> f64,
    /// Where host names lead.
    pub resolver: Arc<dyn Resolve>,
    /// Sockets that one address may open.
    pub upgrades: Rate,
    /// How often the use of tokens is written down, where that is due.
    pub note_every: Duration,
    /// How long clients may take for what they have to send.
    pub sent_within: Duration,
    /// How long a connection without a request stays open.
    pub idle_within: Duration,
    /// How long an image may take before whoever waits for it is asked to come again.
    pub images_within: Duration,
    /// What making the hash of a password costs.
    pub password_cost: PasswordCost,
    /// HTTP threads; as many as the machine has cores if absent.
    pub threads: Option<usize>,
    /// What stands between everybody and the journal on disk; usually nothing.
    pub before_journal: BeforeJournal,
    /// How often rooms look whether they were asked; after some looks they stop.
    pub rooms_look_every: Duration,
    /// Brings questions to other nodes over the same journal, where there are any.
    pub router: Option<Arc<dyn Router>>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock::new()),
            patience: Patience::default(),
            jammed_after: JAMMED_AFTER,
            callback_time: None,
            chance: crate::actors::id_generator::chance,
            resolver: Arc::new(SystemResolver),
            upgrades: UPGRADES,
            note_every: NOTE_EVERY,
            sent_within: SENT_WITHIN,
            idle_within: IDLE_WITHIN,
            images_within: IMAGES_WITHIN,
            password_cost: PasswordCost::default(),
            threads: None,
            before_journal: Arc::new(|journal| journal),
            rooms_look_every: LOOK_EVERY,
            router: None,
        }
    }
}

impl Surroundings {
    /// The connections of a server with so many places.
    pub(crate) fn connections(&self, places: usize) -> Connections {
        Connections::new(places, self.sent_within, self.idle_within)
    }

    /// What of them is beneath storage.
    pub(crate) fn beneath(&self) -> Beneath {
        Beneath {
            clock: Arc::clone(&self.clock),
            before_journal: Arc::clone(&self.before_journal),
            look_every: self.rooms_look_every,
            password_cost: self.password_cost,
            places: Places::default(),
        }
    }
}
