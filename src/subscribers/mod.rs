//! Those who carry events out. They follow the journal; no room knows of them.
//!
//! Live delivery is a hint, the journal is the truth: whoever falls behind reads on
//! from its cursor.

use std::sync::Arc;
use std::time::Duration;

use crate::actors::directory::Directory;
use crate::auth::keyring::Keyring;
use crate::clock::{Clock, Deadline};
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::Cursor;
use crate::subscribers::closing::Close;
use crate::subscribers::live_feed::Feeds;
use crate::subscribers::presence::Presence;
use crate::subscribers::replayed_frames::ReplayedFrames;
use crate::subscribers::sockets::Sockets;
use crate::subscribers::soft_news::SoftState;
use crate::wire::instance::Instance;

pub mod alarms;
pub mod bayeux;
pub mod bot_admission;
mod bot_listeners;
pub mod callbacks;
mod chat_contacts;
pub mod client_requests;
pub mod closing;
pub mod encoded;
pub mod ephemeral;
pub mod feed_counts;
pub mod frames;
mod hush;
mod interest;
pub mod live_feed;
pub mod notices;
pub mod presence;
pub mod previews;
pub mod reader;
pub mod reconciler;
pub mod replayed_frames;
pub mod resume;
mod rosters;
pub mod server_sent;
pub mod session;
pub mod slot;
pub mod sockets;
pub mod soft_news;
pub mod soft_state;
pub mod subscriber;
pub mod telling;
pub mod websocket;

/// How long things may take on a socket. Tests shorten it.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the first frame of a client.
    pub hello: Duration,
    /// Of silence from the server before it pings.
    pub heartbeat: Duration,
    /// Of silence from the client before it is closed.
    pub silence: Duration,
    /// Without a transport taking anything of what waits for it.
    pub slow: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            hello: Duration::from_secs(5),
            heartbeat: Duration::from_secs(crate::wire::live::HEARTBEAT_SECONDS),
            silence: Duration::from_secs(60),
            slow: Duration::from_secs(30),
        }
    }
}

/// How long a reader waits at a node for what another node told already.
const CATCHES_UP: Duration = Duration::from_secs(2);
/// How often it looks whether it is there.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What every subscriber shares.
pub struct SubscriberContext {
    /// Index and journal.
    pub archive: Archive,
    /// Whose tokens are.
    pub keyring: Arc<Keyring>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The addresses that JSON contains.
    pub instance: Arc<Instance>,
    /// The live feeds, one per thread.
    pub feeds: Feeds,
    /// What readers who come back are told alike.
    pub replayed_frames: ReplayedFrames,
    /// Who has how many readers.
    pub sockets: Sockets,
    /// Who is here.
    pub presence: Presence,
    /// How other nodes hear who types.
    pub soft: SoftState,
    /// Finds rooms, for what clients mark as read.
    pub directory: Directory,
    /// How long things may take.
    pub patience: Patience,
    /// Whether this is one of several nodes, which may tell what this one lacks.
    pub is_one_of_several: bool,
}

impl SubscriberContext {
    /// Milliseconds after which somebody may come back when the server stops: spread over
    /// two seconds, so that a restart is not met by everybody at once.
    pub const fn jitter(&self, number: u64) -> u64 {
        500 + number.wrapping_mul(2_654_435_761) % 2000
    }

    /// The position after everything durable, as a cursor to go on from: every event
    /// that is not durable yet comes after it.
    pub fn here(&self) -> Cursor {
        self.archive.here()
    }

    /// The cursor that a client hands back; nothing if it is none of this installation. One
    /// that another node gave is waited for.
    ///
    /// # Errors
    /// When this node is too far behind to go on from it.
    pub async fn known_cursor(&self, text: &str) -> Result<Option<Cursor>, Close> {
        let Ok(cursor) = self.instance.parse_cursor(text) else { return Ok(None) };
        let patience = Deadline::after(CATCHES_UP);
        while cursor > self.here() {
            if !self.is_one_of_several {
                return Ok(None);
            }
            if patience.left().is_zero() {
                return Err(Close::BEHIND);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(Some(cursor))
    }

    /// [`Self::here`], once lists and look-ups show everything up to it: what a reader
    /// who goes on from there must find in the snapshot.
    ///
    /// # Errors
    /// When the indexer has stopped.
    pub async fn indexed_here(&self) -> Result<Cursor, IndexFault> {
        let here = self.here();
        // A room may not have heard yet that its commit is durable, so what rooms have
        // noted is not enough.
        self.archive.index.reached(self.archive.journal.newest()).await?;
        Ok(here)
    }
}
