//! Where the shared log is, and which servers it is not entrusted to.

use std::io;

/// The oldest servers whose fences, syncs and readers were measured and found to hold.
const OLDEST: (u32, u32) = (2, 15);

/// What the stream of an installation's log is called.
pub const STREAM: &str = "COTERIE_LOG";

/// What its subjects begin with.
pub const SUBJECTS: &str = "coterie.log";

/// Where the log is.
#[derive(Debug, Clone)]
pub struct NatsOptions {
    /// Addresses of servers, with commas between them: `nats://[user:word@]host:port`.
    pub servers: String,
    /// What the stream is called.
    pub stream: String,
    /// What its subjects begin with.
    pub prefix: String,
    /// On how many servers the stream is kept.
    pub replicas: usize,
    /// What the servers call this client.
    pub client: String,
    /// Whether what is old is to be removed from it.
    pub is_trimmed: bool,
}

impl NatsOptions {
    /// The log of an installation on these servers.
    pub fn on(servers: &str, client: &str) -> Self {
        let (stream, prefix) = (STREAM.to_owned(), SUBJECTS.to_owned());
        let (servers, client) = (servers.to_owned(), client.to_owned());
        Self { servers, stream, prefix, replicas: 3, client, is_trimmed: false }
    }
}

/// Why servers are not taken for the log. Waiting does not help.
#[derive(Debug, thiserror::Error)]
pub enum LogRefusal {
    /// An address cannot be read, or the system refuses.
    #[error("the log cannot be opened: {0}")]
    System(#[from] io::Error),
    /// What was measured of the log holds for newer servers only.
    #[error("the log needs nats-server 2.15 or newer, and this one is {found}")]
    TooOld {
        /// What it says it is.
        found: String,
    },
    /// A loss of power would lose what was acknowledged.
    #[error(
        "the log needs servers with sync_interval: always; what these acknowledge is lost when \
         all of them lose power"
    )]
    SyncsLate,
    /// The log would be lost with fewer servers than its operator thinks.
    #[error("the log needs {wanted} replicas: {reason}")]
    TooFewReplicas {
        /// On how many servers it is to be.
        wanted: usize,
        /// What the servers say.
        reason: String,
    },
    /// Nothing can be removed from it.
    #[error(
        "the log was made by a version of which nothing can be removed: it cannot be bounded by \
         --log-keep"
    )]
    KeptForEver,
}

impl LogRefusal {
    /// Refuses a server of a version that is too old.
    pub(super) fn of_version(version: &str) -> Result<(), Self> {
        let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
        let found = parts.next().zip(parts.next());
        let is_good = found.is_some_and(|found| found >= OLDEST);
        if is_good { Ok(()) } else { Err(Self::TooOld { found: version.to_owned() }) }
    }

    /// Refuses a stream of which something is to be removed, and nothing can be.
    pub(super) const fn of_purge(is_trimmed: bool, is_denied: bool) -> Result<(), Self> {
        if is_trimmed && is_denied { Err(Self::KeptForEver) } else { Ok(()) }
    }

    /// Refuses a stream that is there and is kept on too few servers.
    pub(super) fn of_replicas(wanted: usize, found: usize) -> Result<(), Self> {
        let reason = format!("the stream that is there has {found}");
        if found < wanted { Err(Self::TooFewReplicas { wanted, reason }) } else { Ok(()) }
    }
}

/// What went wrong, as the client library tells it.
pub(super) type ClientTrouble = Box<dyn std::error::Error + Send + Sync>;

/// Why there is no log yet.
pub(super) enum Unopened {
    /// There never will be, with these servers.
    Refused(LogRefusal),
    /// It may pass.
    Passing(ClientTrouble),
}

impl From<LogRefusal> for Unopened {
    fn from(refusal: LogRefusal) -> Self {
        Self::Refused(refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_from_2_15_on_are_taken() {
        for good in ["2.15.0", "2.15.1-RC.3", "2.16.0", "3.0.0", "2.100.1"] {
            assert!(LogRefusal::of_version(good).is_ok(), "{good}");
        }
        for bad in ["2.9.10", "2.14.99", "1.20.0", "", "2", "new"] {
            let told = LogRefusal::of_version(bad).unwrap_err().to_string();
            assert!(told.contains("2.15") && told.contains(bad), "{told}");
        }
    }
}
