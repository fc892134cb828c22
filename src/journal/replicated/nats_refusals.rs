//! Reasons to refuse servers for the shared log.

use std::io;
use std::path::PathBuf;

/// The oldest server version whose fences, syncs and readers were measured and found to hold.
const OLDEST: (u32, u32) = (2, 15);

/// Why servers are refused for the log. Waiting does not help.
#[derive(Debug, thiserror::Error)]
pub enum LogRefusal {
    /// The operating system reported an error.
    #[error("the log cannot be opened: {0}")]
    System(#[from] io::Error),
    /// An address cannot be parsed.
    #[error("the log cannot be opened: address {number} of --nats is invalid: {reason}")]
    Address {
        /// The place of the address in the list, from 1.
        number: usize,
        /// The problem.
        reason: String,
    },
    /// The file with certificates cannot be read.
    #[error("the certificates of --nats-ca cannot be read: {}: {reason}", path.display())]
    Authority {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// A server refuses the login.
    #[error(
        "{servers}: the server of the log refuses {login}; --nats takes one as \
         nats://user:password@host:port or nats://token@host:port"
    )]
    Login {
        /// The addresses of the refusing servers.
        servers: String,
        /// The refused login.
        login: &'static str,
    },
    /// A server's certificate is not trusted.
    #[error(
        "{servers}: the certificate of a server of the log is not trusted: {reason}; --nats-ca \
         names a file with the certificate that signs it"
    )]
    Untrusted {
        /// The addresses of the servers.
        servers: String,
        /// The problem of the certificate.
        reason: String,
    },
    /// A server accepts clients without a login.
    #[error(
        "{servers}: the server of the log accepts clients without a login, so every machine that \
         reaches its port can read and forge messages; give it users and put a login into --nats, \
         or start with --allow-open-log"
    )]
    Open {
        /// The addresses of the open servers.
        servers: String,
    },
    /// No server reports whether it syncs.
    #[error(
        "{servers}: no server of the log reports whether it has sync_interval: always, since no \
         monitoring port answers (8222, or 4000 above its own, there or at 127.0.0.1); open one, \
         like http: 127.0.0.1:8222, or start with --allow-unknown-sync"
    )]
    SyncUnknown {
        /// The addresses of the servers.
        servers: String,
    },
    /// The server's version is older than the oldest that was measured.
    #[error("the log needs nats-server 2.15 or newer, and this one is {found}")]
    TooOld {
        /// The version that the server reports.
        found: String,
    },
    /// The servers do not sync each write: a loss of power would lose acknowledged messages.
    #[error(
        "the log needs servers with sync_interval: always; without it, a power failure of all \
         servers loses acknowledged messages"
    )]
    SyncsLate,
    /// The log would be lost with fewer servers than its operator thinks.
    #[error("the log needs {wanted} replicas: {reason}")]
    TooFewReplicas {
        /// How many servers are to keep the log.
        wanted: usize,
        /// The report of the servers.
        reason: String,
    },
    /// Messages of the stream cannot be purged, so it cannot be trimmed.
    #[error(
        "an earlier version created this log, and its messages cannot be removed: start without \
         --log-keep"
    )]
    KeptForEver,
}

impl LogRefusal {
    /// Refuses a version that is too old.
    pub(super) fn of_version(version: &str) -> Result<(), Self> {
        let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
        let found = parts.next().zip(parts.next());
        let is_good = found.is_some_and(|found| found >= OLDEST);
        if is_good { Ok(()) } else { Err(Self::TooOld { found: version.to_owned() }) }
    }

    /// Refuses a stream that is to be trimmed but denies purging.
    pub(super) const fn of_purge(is_trimmed: bool, is_denied: bool) -> Result<(), Self> {
        if is_trimmed && is_denied { Err(Self::KeptForEver) } else { Ok(()) }
    }

    /// Refuses an existing stream that is kept on too few servers.
    pub(super) fn of_replicas(wanted: usize, found: usize) -> Result<(), Self> {
        let reason = format!("the stream that is there has {found}");
        if found < wanted { Err(Self::TooFewReplicas { wanted, reason }) } else { Ok(()) }
    }
}

/// An error of the client library.
pub(super) type ClientTrouble = Box<dyn std::error::Error + Send + Sync>;

/// Why the log could not be opened.
pub(super) enum Unopened {
    /// The servers are refused; trying again does not help.
    Refused(LogRefusal),
    /// An error that may pass.
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
