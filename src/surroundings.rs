//! The environment of a server: clock, timeouts, name resolution. Tests choose it, operators do
//! not.

use std::sync::Arc;
use std::time::Duration;

use crate::actors::directory::routing::Router;
use crate::actors::idle::LOOK_EVERY;
use crate::auth::password::PasswordCost;
use crate::auth::throttle::Rate;
use crate::bounds::places::Places;
use crate::clock::{Clock, SystemClock};
use crate::core_services::CoreSettings;
use crate::http::connections::{Connections, IDLE_WITHIN, SENT_WITHIN};
use crate::outgoing::resolver::{Resolve, SystemResolver};
use crate::storage::BeforeJournal;
use crate::subscribers::Timeouts;

/// The rate of sockets from one address: generous, since a proxy in front is one address too.
const UPGRADES: Rate = Rate { per_second: 200.0, burst: 2000.0 };
/// After how long the kernel cuts a socket whose peer takes no bytes (RFC 5482).
const JAMMED_AFTER: Duration = Duration::from_secs(30);
/// How often the token uses that are due are written down.
const NOTE_EVERY: Duration = Duration::from_secs(60);
/// How often the files with the certificate are looked at: a change counts within seconds, and two
/// small files cost nothing to read.
const CERTIFICATE_EVERY: Duration = Duration::from_secs(10);
/// How long a client waits for an image before it is told to retry.
const IMAGES_WITHIN: Duration = Duration::from_secs(30);

/// Settings that tests choose and operators do not.
pub struct Surroundings {
    /// The machine's clock.
    pub clock: Arc<dyn Clock>,
    /// The timeouts of sockets and streams.
    pub timeouts: Timeouts,
    /// After how long the kernel cuts a socket whose peer takes no bytes.
    pub jammed_after: Duration,
    /// How long a callback may take; `None` is the usual time.
    pub callback_time: Option<Duration>,
    /// Returns random numbers between 0 and 1, which spread what should not happen at the same
    /// time.
    pub chance: fn() -> f64,
    /// Resolves host names.
    pub resolver: Arc<dyn Resolve>,
    /// The rate at which one address may open sockets.
    pub upgrades: Rate,
    /// How often the token uses that are due are written down.
    pub note_every: Duration,
    /// How long clients may take to send a request.
    pub sent_within: Duration,
    /// How long a connection without a request stays open.
    pub idle_within: Duration,
    /// How long a client waits for an image before it is told to retry.
    pub images_within: Duration,
    /// The cost of hashing a password.
    pub password_cost: PasswordCost,
    /// The number of HTTP threads; `None` is the number of cores.
    pub threads: Option<usize>,
    /// Wraps the journal that all others use; usually it does nothing.
    pub before_journal: BeforeJournal,
    /// How often an idle room checks whether it was asked; after some checks it stops.
    pub rooms_look_every: Duration,
    /// How often the files with the certificate are looked at.
    pub certificate_every: Duration,
    /// Carries questions to other nodes over the same journal, if there are any.
    pub router: Option<Arc<dyn Router>>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock::new()),
            timeouts: Timeouts::default(),
            jammed_after: JAMMED_AFTER,
            callback_time: None,
            chance: crate::actors::id_generator::chance,
            resolver: Arc::new(SystemResolver::default()),
            upgrades: UPGRADES,
            note_every: NOTE_EVERY,
            sent_within: SENT_WITHIN,
            idle_within: IDLE_WITHIN,
            images_within: IMAGES_WITHIN,
            password_cost: PasswordCost::default(),
            threads: None,
            before_journal: Arc::new(|journal| journal),
            rooms_look_every: LOOK_EVERY,
            certificate_every: CERTIFICATE_EVERY,
            router: None,
        }
    }
}

impl Surroundings {
    /// The counter of connections, for at most so many.
    pub(crate) fn connections(&self, places: usize) -> Connections {
        Connections::new(places, self.sent_within, self.idle_within)
    }

    /// The part of these settings on which storage and rooms are built.
    pub(crate) fn core_settings(&self) -> CoreSettings {
        CoreSettings {
            clock: Arc::clone(&self.clock),
            before_journal: Arc::clone(&self.before_journal),
            look_every: self.rooms_look_every,
            password_cost: self.password_cost,
            places: Places::default(),
        }
    }
}
