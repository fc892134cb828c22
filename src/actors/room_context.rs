//! The parts of the server that every room uses: storage, clock, ids.

use std::sync::Arc;
use std::time::Duration;

use crate::drain::Drain;
use crate::operator_rules::SharedOperatorRules;
use crate::topic_parents::TopicParents;
use crate::write_limits::WriteLimits;
use auth::accounts::Accounts;
use base::bounds::places::Places;
use base::bounds::{Bound, Budget};
use base::clock::Clock;
use domain::group::AddressTrust;
use domain::id_generator::IdGenerator;
use domain::user::FloodLimits;
use index::archive::Archive;
use wire::instance::Instance;

/// Commits that rooms gather or have under way, and bytes of them: what a disk writes in some
/// seconds, and half of what the journal lets wait.
const UNDURABLE: Bound = Bound { items: 64 << 10, bytes: 64 << 20 };

/// Makes the budget of what is not durable yet.
pub fn undurable(places: &Places) -> Budget {
    Budget::new(places, "commits", UNDURABLE)
}

/// Bytes of the compiled rules of all groups.
const RULES: Bound = Bound::of_bytes(64 << 20);

/// Makes the budget of compiled rules.
pub fn rules_memory(places: &Places) -> Budget {
    Budget::new(places, "rules", RULES)
}

/// The parts of the server that every room gets when it starts.
#[derive(Clone)]
pub struct RoomContext {
    /// Index and journal.
    pub archive: Archive,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of fresh ids.
    pub id_generator: Arc<dyn IdGenerator>,
    /// Finds accounts, for adding people to groups.
    pub accounts: Accounts,
    /// The server's addresses, which JSON contains.
    pub instance: Arc<Instance>,
    /// The budget that all rooms share for facts that are not durable yet.
    pub undurable: Budget,
    /// The budget that all rooms share for compiled rules.
    pub rules_memory: Budget,
    /// The rules of the operators.
    pub operator_rules: SharedOperatorRules,
    /// What topics have from their groups.
    pub topic_parents: TopicParents,
    /// Answers that have to become durable before the server stops.
    pub drain: Drain,
    /// How often a room checks whether it was asked.
    pub look_every: Duration,
    /// How many direct messages a user may send.
    pub flood_limits: FloodLimits,
    /// How far addresses are trusted that users entered as theirs.
    pub address_trust: AddressTrust,
    /// How much users and bots may write.
    pub write_limits: WriteLimits,
}
