//! Those who carry events out. They follow the journal; no room knows of them.
//!
//! Live delivery is a hint, the journal is the truth: whoever falls behind reads on
//! from its cursor.

use std::sync::Arc;

use crate::auth::keyring::{Caller, Keyring};
use crate::clock::Clock;
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::Cursor;
use crate::subscribers::live_feed::Feeds;
use crate::subscribers::sockets::Sockets;
use crate::wire::site::Site;

pub mod closing;
pub mod frames;
pub mod live_feed;
pub mod resume;
pub mod session;
pub mod sockets;

/// How long things may take on a socket. Tests shorten it.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the first frame of a client.
    pub hello: std::time::Duration,
    /// Of silence from the server before it pings.
    pub heartbeat: std::time::Duration,
    /// Of silence from the client before it is closed.
    pub silence: std::time::Duration,
}

impl Default for Patience {
    fn default() -> Self {
        use std::time::Duration;
        Self {
            hello: Duration::from_secs(5),
            heartbeat: Duration::from_secs(crate::wire::live::HEARTBEAT_SECONDS),
            silence: Duration::from_secs(60),
        }
    }
}

/// What every subscriber shares.
pub struct Subscribers {
    /// Index and journal.
    pub archive: Archive,
    /// Whose tokens are.
    pub keyring: Arc<Keyring>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The addresses that JSON contains.
    pub site: Arc<Site>,
    /// The live feeds, one per thread.
    pub feeds: Feeds,
    /// Who has how many sockets open.
    pub sockets: Sockets,
    /// How long things may take.
    pub patience: Patience,
}

impl Subscribers {
    /// Whether a caller's token still stands, asked once their session has joined its
    /// feed: a revocation that was durable before that reached no session.
    pub async fn confirms(&self, caller: &Caller) -> bool {
        let (index, newest) = (Arc::clone(&self.archive.index), self.archive.journal.newest());
        if index.reached(newest).await.is_err() {
            return false;
        }
        let (user, token) = (caller.user, caller.token);
        let look = tokio::task::spawn_blocking(move || index.has_token(user, token)).await;
        matches!(look, Ok(Ok(true)))
    }

    /// The position after everything durable, as a cursor to go on from: every event
    /// that is not durable yet comes after it.
    pub fn here(&self) -> Cursor {
        // A record is longer than it has events, so its last byte is after them all
        // and before the next record.
        Cursor::new(self.archive.journal.end().get().saturating_sub(1))
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
