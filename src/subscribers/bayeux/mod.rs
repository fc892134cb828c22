//! Bayeux 1.0 at `/faye`, as existing clients of this API speak it.
//!
//! A client is a `clientId` with a cursor. Over whichever transport it comes, it talks to the same
//! session, and its events come from the same journal and reader as every other push. Nothing is
//! queued here: what a client has not confirmed is read again.

use std::sync::Arc;
use std::time::Duration;

use crate::SubscriberContext;
use crate::bayeux::sessions::Sessions;
use crate::live_feed::ThreadFeed;
use wire::instance::Instance;
use wire::old_form::MessageForm;

mod acknowledgements;
mod channel_messages;
mod channels;
pub mod connection;
pub mod exchange;
mod feed;
pub mod message;
mod output;
mod pending_connect;
mod publications;
mod session;
pub mod sessions;
pub mod socket;
mod subscriptions;
mod translate;

/// How long a `/meta/connect` is held at most.
pub const HOLD: Duration = Duration::from_secs(30);
/// Milliseconds for which a session waits for a client that is away.
pub const ABSENCE_MILLIS: u64 = 10 * 60 * 1000;
/// The same for a client without subscriptions, which can miss nothing.
pub const FRESH_MILLIS: u64 = 60 * 1000;
/// How long the server delays a refusal after which the client is to try again.
pub const REFUSAL_DELAY: Duration = Duration::from_secs(1);
/// Bytes of one request, or of one text on a socket.
pub const TEXT_BYTES: usize = 64 << 10;
/// Messages in one request or text.
pub const BATCH: usize = 100;
/// Subscriptions of one client.
pub const CHANNELS: usize = 1000;

/// The context of every part of the protocol.
#[derive(Clone)]
pub struct BayeuxContext {
    /// State that all subscribers share.
    pub shared: Arc<SubscriberContext>,
    /// The live feed of this thread.
    pub local: ThreadFeed,
    /// The sessions of all clients.
    pub sessions: Sessions,
    /// The form in which the client is answered: by the host that it asked.
    pub form: MessageForm,
    /// The addresses of this installation as the client sees them: by the host that it asked.
    pub instance: Arc<Instance>,
}
