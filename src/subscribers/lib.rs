//! The subscribers, which carry events out. They follow the journal; no room knows of them.
//!
//! Live delivery is a hint, the journal is the truth: a reader that falls behind reads on from its
//! cursor.

use std::sync::Arc;
use std::time::Duration;

use crate::close::Close;
use crate::ephemeral_queue::EphemeralQueue;
use crate::live_feed::Feeds;
use crate::presence::Presence;
use crate::reader_counts::ReaderCounts;
use crate::replayed_frames::ReplayedFrames;
use actors::directory::Directory;
use auth::keyring::Keyring;
use base::clock::{Clock, Deadline};
use index::IndexFault;
use index::archive::Archive;
use journal::Cursor;
use wire::instance::Instance;
use wire::live::{HEARTBEAT_SECONDS, HELLO_SECONDS, SILENCE_SECONDS, SLOW_SECONDS};

pub mod alarms;
mod attendance;
pub mod bayeux;
pub mod broadcast;
pub mod callbacks;
mod chat_contacts;
pub mod client_requests;
pub mod close;
mod due_work;
pub mod encoded;
pub mod ephemeral;
pub mod ephemeral_exchange;
pub mod ephemeral_queue;
mod frame_sizes;
pub mod frames;
mod interest;
pub mod live_feed;
pub mod mail;
mod missed;
pub mod notices;
pub mod presence;
pub mod previews;
pub mod reader;
pub mod reader_counts;
pub mod reconciler;
pub mod replayed_frames;
pub mod resume;
mod rosters;
pub mod server_sent;
pub mod session;
pub mod slot;
pub mod subscriber;
mod topic_audiences;
pub mod waiting_accounts;
pub mod websocket;

/// Timeouts of sockets and streams. Tests shorten them.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For the `hello` of a client.
    pub hello: Duration,
    /// Silence of the server after which it pings.
    pub heartbeat: Duration,
    /// Silence of the client after which its socket is closed.
    pub silence: Duration,
    /// Time in which a transport may take nothing of what waits for it.
    pub slow: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            hello: Duration::from_secs(HELLO_SECONDS),
            heartbeat: Duration::from_secs(HEARTBEAT_SECONDS),
            silence: Duration::from_secs(SILENCE_SECONDS),
            slow: Duration::from_secs(SLOW_SECONDS),
        }
    }
}

/// How long a reader waits for this node to catch up with what another node told its client.
const CATCHES_UP: Duration = Duration::from_secs(2);
/// How often it is checked whether the node has caught up.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// State that every subscriber shares.
pub struct SubscriberContext {
    /// Index and journal.
    pub archive: Archive,
    /// Finds the user of a token.
    pub keyring: Arc<Keyring>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The addresses of this installation, and its cursors.
    pub instance: Arc<Instance>,
    /// The live feeds, one per thread.
    pub feeds: Feeds,
    /// Cache of message frames that readers read from the journal.
    pub replayed_frames: ReplayedFrames,
    /// Counts the readers of each user.
    pub sockets: ReaderCounts,
    /// Online users.
    pub presence: Presence,
    /// Sends typing and presence to other nodes.
    pub ephemeral_queue: EphemeralQueue,
    /// Finds rooms, to mark conversations as read.
    pub directory: Directory,
    /// The timeouts.
    pub timeouts: Timeouts,
    /// Whether the server is one of several nodes, so that cursors may be ahead of this node.
    pub is_one_of_several: bool,
}

impl SubscriberContext {
    /// Milliseconds after which a client may reconnect when the server stops: spread over two
    /// seconds, so that a restart is not met by all clients at once.
    pub const fn jitter(&self, number: u64) -> u64 {
        500 + number.wrapping_mul(2_654_435_761) % 2000
    }

    /// The cursor after everything that is durable: every event that is not durable yet comes after
    /// it.
    pub fn here(&self) -> Cursor {
        self.archive.here()
    }

    /// Parses a cursor that a client hands back; `None` if it is none of this installation. A
    /// cursor that is ahead of this node, as another node may give, is waited for.
    ///
    /// # Errors
    /// If this node does not catch up with the cursor in time.
    pub async fn known_cursor(&self, text: &str) -> Result<Option<Cursor>, Close> {
        let Ok(cursor) = self.instance.parse_cursor(text) else { return Ok(None) };
        let deadline = Deadline::after(CATCHES_UP);
        while cursor > self.here() {
            if !self.is_one_of_several {
                return Ok(None);
            }
            if deadline.left().is_zero() {
                return Err(Close::BEHIND);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(Some(cursor))
    }

    /// [`Self::here`], once lists and look-ups show everything up to it: a reader that continues
    /// from there must find all before it in the snapshot.
    ///
    /// # Errors
    /// If the indexer has stopped.
    pub async fn indexed_here(&self) -> Result<Cursor, IndexFault> {
        let here = self.here();
        // A room may not know yet that its commit is durable, so waiting for what rooms have noted
        // is not enough.
        self.archive.index.reached(self.archive.journal.newest()).await?;
        Ok(here)
    }
}
