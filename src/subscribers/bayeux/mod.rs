//! Bayeux 1.0, as existing clients of this API speak it: `/faye`.
//!
//! A client is a `clientId` with a cursor. Whatever transport it comes by, it talks to the
//! same session; what it hears is read from the same journal by the same reader as every
//! other push. Nothing is queued here: what a client has not confirmed is read again.

use std::sync::Arc;
use std::time::Duration;

use crate::subscribers::SubscriberContext;
use crate::subscribers::bayeux::sessions::Sessions;
use crate::subscribers::live_feed::Local;

mod acknowledgements;
mod channel_messages;
mod channels;
pub mod connection;
pub mod exchange;
mod feed;
pub mod message;
mod pending_connect;
mod publishing;
mod sending;
mod session;
pub mod sessions;
pub mod socket;
mod subscribing;
mod translate;

/// How long a `/meta/connect` is held, as clients are advised.
pub const HOLD: Duration = Duration::from_secs(30);
/// Milliseconds for which a session waits for a client that is away.
pub const ABSENCE_MILLIS: u64 = 10 * 60 * 1000;
/// The same, while it has subscribed to nothing: then nothing can be missed.
pub const FRESH_MILLIS: u64 = 60 * 1000;
/// Bytes of one request or of one text on a socket.
pub const TEXT_BYTES: usize = 64 << 10;
/// Messages of one request.
pub const BATCH: usize = 100;
/// Channels of one client.
pub const CHANNELS: usize = 1000;

/// What everything here needs.
#[derive(Clone)]
pub struct BayeuxContext {
    /// What subscribers share.
    pub shared: Arc<SubscriberContext>,
    /// The feed of this thread.
    pub local: Local,
    /// All clients.
    pub sessions: Sessions,
}
