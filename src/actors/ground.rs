//! What every room stands on: storage, time, ids.

use std::sync::Arc;

use crate::auth::people::People;
use crate::clock::Clock;
use crate::domain::mint::Mint;
use crate::domain::user::FloodLimits;
use crate::index::archive::Archive;
use crate::wire::site::Site;

/// Handed to each room at its start.
#[derive(Clone)]
pub struct Ground {
    /// Index and journal.
    pub archive: Archive,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Fresh ids.
    pub mint: Arc<dyn Mint>,
    /// Who is who, for adding people.
    pub people: People,
    /// The addresses that JSON contains.
    pub site: Arc<Site>,
    /// How many direct messages somebody may send.
    pub flood_limits: FloodLimits,
}
