//! File descriptors: every connection, file and database page of this process takes one. Raises the
//! limit as far as the system allows, and divides it so that connections leave enough for what must
//! continue when all of them are taken, above all the journal. Takes the sockets that the service
//! manager opened.

use std::io;
use std::net::{SocketAddr, TcpListener};

use listenfd::ListenFd;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors left for the journal, the index, images, tools, and requests that leave the server.
const RESERVE: usize = 128;
/// How many callbacks, notices and imports may be under way together, each on a connection.
const OUTGOING: usize = 288;
/// The minimum for a server to start.
const LEAST: usize = 256;
/// The maximum number of connections of one thread.
const MOST_PER_THREAD: usize = 25_600;

/// The number of descriptors that this process may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptors(usize);

/// The system allows too few descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this process may open only {0} files and connections, it needs {LEAST}: raise the limit \
     (ulimit -n, or LimitNOFILE= in a systemd unit)"
)]
pub struct TooFew(usize);

impl Descriptors {
    /// Raises the limit as far as this process may.
    ///
    /// # Errors
    /// If the limit is too low for a server.
    pub fn raise() -> Result<Self, TooFew> {
        let maximum = getrlimit(Resource::Nofile).maximum;
        if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
            tracing::debug!(
                %error,
                "raising the limit of file descriptors failed; it stays as it is"
            );
        }
        Self::of(count(getrlimit(Resource::Nofile).current))
    }

    fn of(count: usize) -> Result<Self, TooFew> {
        if count < LEAST { Err(TooFew(count)) } else { Ok(Self(count)) }
    }

    /// The number of connections that each of so many threads may have.
    pub fn connections(self, threads: usize) -> usize {
        let left = self.0 - RESERVE - OUTGOING.min((self.0 - RESERVE) / 4);
        (left / threads.max(1)).clamp(1, MOST_PER_THREAD)
    }
}

fn count(limit: Option<u64>) -> usize {
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// The sockets that the service manager opened (socket activation of systemd), in the order in which
/// its unit names them.
#[derive(Debug, Default)]
pub struct PassedSockets {
    /// In place of the address to listen on.
    pub listen: Option<TcpListener>,
    /// In place of the address of HTTP without TLS.
    pub redirect: Option<TcpListener>,
}

impl PassedSockets {
    /// Takes the sockets that were passed to this process; none if it was started without any.
    ///
    /// # Errors
    /// If more than two were passed, or one is no listening TCP socket.
    pub fn take() -> io::Result<Self> {
        let mut passed = ListenFd::from_env();
        if passed.len() > 2 {
            return Err(io::Error::other("more than two sockets were passed"));
        }
        let mut next = |at: usize| match at < passed.len() {
            true => passed.take_tcp_listener(at),
            false => Ok(None),
        };
        Ok(Self { listen: next(0)?, redirect: next(1)? })
    }

    /// The address of the first socket.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listen.as_ref().and_then(|it| it.local_addr().ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_to_the_journal() {
        let connections = |count, threads| Descriptors::of(count).unwrap().connections(threads);
        assert_eq!(connections(256, 2), 48);
        assert_eq!(connections(1024, 2), 336);
        assert_eq!(connections(usize::MAX, 2), MOST_PER_THREAD);
        assert_eq!(connections(256, 1000), 1);
        assert_eq!(Descriptors::of(255), Err(TooFew(255)));
    }
}
