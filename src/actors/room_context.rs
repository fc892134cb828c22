//! What every room stands on: storage, time, ids.

use std::sync::Arc;
use std::time::Duration;

use crate::actors::drain::Drain;
use crate::auth::accounts::Accounts;
use crate::bounds::places::Places;
use crate::bounds::{Bound, Budget};
use crate::clock::Clock;
use crate::domain::id_generator::IdGenerator;
use crate::domain::user::FloodLimits;
use crate::index::archive::Archive;
use crate::wire::instance::Instance;

/// Commits that rooms gather or have under way, and bytes of them: seconds of what a disk
/// takes, and a half of what the journal lets wait.
const UNDURABLE: Bound = Bound { items: 64 << 10, bytes: 64 << 20 };

/// A budget for what is not durable yet.
pub fn undurable(places: &Places) -> Budget {
    Budget::new(places, "commits", UNDURABLE)
}

/// Handed to each room at its start.
#[derive(Clone)]
pub struct RoomContext {
    /// Index and journal.
    pub archive: Archive,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Fresh ids.
    pub id_generator: Arc<dyn IdGenerator>,
    /// Who is who, for adding people.
    pub accounts: Accounts,
    /// The addresses that JSON contains.
    pub instance: Arc<Instance>,
    /// What rooms hold of facts that are not durable yet, all together.
    pub undurable: Budget,
    /// What is owed to people before the server stops.
    pub drain: Drain,
    /// How often rooms look whether they were asked.
    pub look_every: Duration,
    /// How many direct messages somebody may send.
    pub flood_limits: FloodLimits,
}
