//! Counts open connections and limits them. When most places are taken, slow clients have less time
//! and each address gets only a share, so that other clients still get a connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;

use base::bounds::Bound;
use base::bounds::places::Fullness;
use base::metrics::exposition::{Exposition, MetricKind};
use domain::client_network::ClientNetwork;

/// How long a client may take to send a head, from its first byte, or a body, from the end of its
/// head.
pub const SENT_WITHIN: Duration = Duration::from_secs(60);
/// Replaces [`SENT_WITHIN`] while three quarters of all places are taken.
pub const SENT_WITHIN_IF_CROWDED: Duration = Duration::from_secs(10);
/// How long a connection without a request stays open: longer than clients and proxies keep
/// connections for reuse (nginx and Amazon's load balancers a minute, Go's and Rust's clients a
/// minute and a half, Caddy two), so that none of them sends a request on a connection that is just
/// being closed.
pub const IDLE_WITHIN: Duration = Duration::from_secs(150);
/// Replaces [`IDLE_WITHIN`] while three quarters of all places are taken.
pub const IDLE_WITHIN_IF_CROWDED: Duration = Duration::from_secs(5);

/// While three quarters of all places are taken, one address gets no more than one in this many. An
/// address that takes all it can gets three quarters at most; the rest is left for others.
const SHARES: usize = 8;

/// The connections of this server.
#[derive(Debug, Clone)]
pub struct Connections(Arc<Inner>);

/// How long something may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimit {
    /// The time while the server is not crowded.
    pub usually: Duration,
    /// The time while three quarters of all places are taken.
    pub if_crowded: Duration,
}

impl TimeLimit {
    /// The same time, however full the server is.
    pub const fn always(time: Duration) -> Self {
        Self { usually: time, if_crowded: time }
    }

    /// At most `if_crowded` while most places are taken.
    fn at_most(usually: Duration, if_crowded: Duration) -> Self {
        Self { usually, if_crowded: usually.min(if_crowded) }
    }
}

#[derive(Debug)]
struct Inner {
    most: usize,
    patience: TimeLimit,
    idle: TimeLimit,
    open: AtomicUsize,
    cut: AtomicU64,
    /// Open connections by address, without those of trusted proxies and of this machine.
    by_network: DashMap<ClientNetwork, usize>,
    turned_away: AtomicU64,
}

/// One open connection; dropping it frees its place.
#[derive(Debug)]
pub struct OpenConnection {
    of: Connections,
    from: Option<ClientNetwork>,
    /// Whether the connection is to be closed at once, because its address has its share.
    pub is_turned_away: bool,
}

impl Connections {
    /// Creates a counter for at most `most` connections, with the time that a client may take to
    /// send something and the time that an unused connection stays open.
    pub fn new(most: usize, sent_within: Duration, idle_within: Duration) -> Self {
        let open = AtomicUsize::new(0);
        let cut = AtomicU64::new(0);
        let turned_away = AtomicU64::new(0);
        let patience = TimeLimit::at_most(sent_within, SENT_WITHIN_IF_CROWDED);
        let idle = TimeLimit::at_most(idle_within, IDLE_WITHIN_IF_CROWDED);
        let by_network = DashMap::new();
        Self(Arc::new(Inner { most, patience, idle, open, cut, by_network, turned_away }))
    }

    /// Takes a place for a connection from this address. `None` stands for trusted proxies and this
    /// machine, which bring connections of many clients.
    pub fn open(&self, from: Option<ClientNetwork>) -> OpenConnection {
        self.0.open.fetch_add(1, Ordering::Relaxed);
        let own = from.map_or(0, |from| {
            let mut own = self.0.by_network.entry(from).or_insert(0);
            *own += 1;
            *own
        });
        let is_turned_away = own > self.share() && self.is_crowded();
        self.0.turned_away.fetch_add(u64::from(is_turned_away), Ordering::Relaxed);
        OpenConnection { of: self.clone(), from, is_turned_away }
    }

    /// Whether three quarters of all places are taken.
    fn is_crowded(&self) -> bool {
        self.0.open.load(Ordering::Relaxed) * 4 >= self.0.most * 3
    }

    fn share(&self) -> usize {
        (self.0.most / SHARES).max(1)
    }

    /// How many connections the address with the most of them has, out of its share.
    pub fn fullness_of_an_address(&self) -> Fullness {
        let most = self.0.by_network.iter().map(|own| *own).max().unwrap_or(0);
        Fullness::of_items(most, self.share(), self.0.turned_away.load(Ordering::Relaxed))
    }

    /// How long a client may take for what it sends or receives.
    pub fn patience(&self) -> TimeLimit {
        self.0.patience
    }

    /// How long a client may take, as full as the server is now.
    pub fn patience_now(&self) -> Duration {
        self.limit_now(self.patience())
    }

    /// How long a connection may be open without a request, as full as the server is now.
    pub fn idle_now(&self) -> Duration {
        self.limit_now(self.idle())
    }

    /// The time of a limit, as full as the server is now.
    pub fn limit_now(&self, time: TimeLimit) -> Duration {
        if self.is_crowded() { time.if_crowded } else { time.usually }
    }

    /// How long a connection may be open without a request.
    pub fn idle(&self) -> TimeLimit {
        self.0.idle
    }

    /// Counts a client that was too slow.
    pub(super) fn note_cut(&self) {
        self.0.cut.fetch_add(1, Ordering::Relaxed);
    }

    /// The maximum number of connections.
    pub fn bound(&self) -> Bound {
        Bound::of_items(self.0.most)
    }

    /// How many connections are open, out of the maximum. None counts as refused, since further
    /// ones wait to be accepted.
    pub fn fullness(&self) -> Fullness {
        Fullness::of_items(self.0.open.load(Ordering::Relaxed), self.0.most, 0)
    }

    /// Writes the metrics.
    pub fn write(&self, page: &mut Exposition) {
        let open = self.0.open.load(Ordering::Relaxed);
        page.single("coterie_connections", MetricKind::Gauge, "Open connections.", open);
        let help = "Connections that may be open; more wait until one closes.";
        page.single("coterie_connections_limit", MetricKind::Gauge, help, self.0.most);
        let help = "Connections closed because the client took too long to send something.";
        let cut = self.0.cut.load(Ordering::Relaxed);
        page.single("coterie_connections_too_slow_total", MetricKind::Counter, help, cut);
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let inner = &self.of.0;
        inner.open.fetch_sub(1, Ordering::Relaxed);
        let Some(from) = self.from else { return };
        if let dashmap::Entry::Occupied(mut own) = inner.by_network.entry(from) {
            *own.get_mut() -= 1;
            if *own.get() == 0 {
                own.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_is_crowded_at_three_quarters() {
        let connections = Connections::new(4, SENT_WITHIN, IDLE_WITHIN);
        let mut open = vec![connections.open(None), connections.open(None)];
        assert!(!connections.is_crowded());
        open.push(connections.open(None));
        assert!(connections.is_crowded());
        open.pop();
        assert!(!connections.is_crowded());
    }

    /// One client could take every place and keep them by sending a request now and then; other
    /// clients did not get in before a connection timed out.
    #[test]
    fn one_address_cannot_take_all_connections() {
        let connections = Connections::new(80, SENT_WITHIN, IDLE_WITHIN);
        let from = |text: &str| Some(ClientNetwork::of(text.parse().unwrap()));
        let greedy: Vec<_> = (0..59).map(|_| connections.open(from("192.0.2.7"))).collect();
        assert!(greedy.iter().all(|it| !it.is_turned_away), "there was room for all of them");
        let one_more = connections.open(from("192.0.2.7"));
        assert!(one_more.is_turned_away);
        let others: Vec<_> = (0..10).map(|_| connections.open(from("2001:db8::1"))).collect();
        assert!(others.iter().all(|it| !it.is_turned_away));
        assert!(connections.open(from("2001:db8::2")).is_turned_away, "the same network");
        assert!(!connections.open(None).is_turned_away, "a proxy brings many");
        assert_eq!(connections.fullness_of_an_address(), Fullness::of_items(60, 10, 2));
        drop((greedy, one_more));
        assert!(!connections.open(from("192.0.2.7")).is_turned_away);
        drop(others);
        assert!(connections.0.by_network.is_empty());
    }
}
