//! The address and settings of the shared log.

use crate::replicated::nats_servers::NatsServers;

/// The default name of the stream with an installation's log.
pub const STREAM: &str = "COTERIE_LOG";

/// The default prefix of the stream's subjects.
pub const SUBJECTS: &str = "coterie.log";

/// The address of the log, and the settings of its storage.
#[derive(Debug, Clone)]
pub struct NatsOptions {
    /// The servers.
    pub servers: NatsServers,
    /// The stream's name.
    pub stream: String,
    /// The prefix of the stream's subjects.
    pub prefix: String,
    /// On how many servers the stream is kept.
    pub replicas: usize,
    /// The name under which this client connects.
    pub client: String,
    /// Whether old messages are to be trimmed from the stream.
    pub is_trimmed: bool,
}

impl NatsOptions {
    /// The options for a log on these servers, with the default names and 3 replicas, not trimmed.
    pub fn on(servers: NatsServers, client: &str) -> Self {
        let stream = STREAM.to_owned();
        let prefix = SUBJECTS.to_owned();
        let client = client.to_owned();
        Self { servers, stream, prefix, replicas: 3, client, is_trimmed: false }
    }
}
