//! How many connections there are, and how many there may be. When most places are taken,
//! whoever is slow has to make room sooner, and nobody gets more than a share, so that others
//! still find the HTTP layer open.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;

use crate::auth::client_network::ClientNetwork;
use crate::bounds::Bound;
use crate::bounds::places::Fullness;
use crate::metrics::exposition::{Exposition, MetricKind};

/// How long a client may take for what it has to send: the rest of a head, or a body from
/// the end of its head.
pub const SENT_WITHIN: Duration = Duration::from_secs(60);
/// The same while three quarters of all places are taken.
pub const SENT_WITHIN_IF_CROWDED: Duration = Duration::from_secs(10);

/// While three quarters of all places are taken, one address gets no more than the eighth
/// part: whoever takes them all is left with three quarters at most, and the rest is for
/// others.
const SHARES: usize = 8;

/// The connections of this server.
#[derive(Debug, Clone)]
pub struct Connections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    most: usize,
    patience: Duration,
    open: AtomicUsize,
    cut: AtomicU64,
    /// Of those that are no proxy of ours.
    by_network: DashMap<ClientNetwork, usize>,
    turned_away: AtomicU64,
}

/// One connection; closing it drops this.
#[derive(Debug)]
pub struct OpenConnection {
    of: Connections,
    from: Option<ClientNetwork>,
    /// Whether it is to be closed at once: its address has its share.
    pub is_turned_away: bool,
}

impl Connections {
    /// With so many places, and so much time for whoever is slow.
    pub fn new(most: usize, patience: Duration) -> Self {
        let (open, cut, turned_away) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let by_network = DashMap::new();
        Self(Arc::new(Inner { most, patience, open, cut, by_network, turned_away }))
    }

    /// Takes a place, for somebody from there; a proxy of ours and this machine come from
    /// nowhere, since they bring many.
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

    fn is_crowded(&self) -> bool {
        self.0.open.load(Ordering::Relaxed) * 4 >= self.0.most * 3
    }

    fn share(&self) -> usize {
        (self.0.most / SHARES).max(1)
    }

    /// How many somebody has who has most of them, and what anybody may have while most
    /// places are taken.
    pub fn fullness_of_an_address(&self) -> Fullness {
        let most = self.0.by_network.iter().map(|own| *own).max().unwrap_or(0);
        Fullness::of_items(most, self.share(), self.0.turned_away.load(Ordering::Relaxed))
    }

    /// How long a client may take now.
    pub fn patience(&self) -> Duration {
        if self.is_crowded() {
            self.0.patience.min(SENT_WITHIN_IF_CROWDED)
        } else {
            self.0.patience
        }
    }

    /// A client was too slow.
    pub(super) fn note_cut(&self) {
        self.0.cut.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there may be.
    pub fn bound(&self) -> Bound {
        Bound::of_items(self.0.most)
    }

    /// How full it is. More than fit wait outside, so nobody is counted as refused.
    pub fn fullness(&self) -> Fullness {
        Fullness::of_items(self.0.open.load(Ordering::Relaxed), self.0.most, 0)
    }

    /// Writes everything down.
    pub fn write(&self, page: &mut Exposition) {
        let open = self.0.open.load(Ordering::Relaxed);
        page.single("coterie_connections", MetricKind::Gauge, "Open connections.", open);
        let help = "Connections that may be open; more wait until one closes.";
        page.single("coterie_connections_limit", MetricKind::Gauge, help, self.0.most);
        let help = "Clients cut because they took too long to send something.";
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
    fn who_is_slow_has_less_time_when_most_places_are_taken() {
        let connections = Connections::new(4, SENT_WITHIN);
        let mut open = vec![connections.open(None), connections.open(None)];
        assert_eq!(connections.patience(), SENT_WITHIN);
        open.push(connections.open(None));
        assert_eq!(connections.patience(), SENT_WITHIN_IF_CROWDED);
        open.pop();
        assert_eq!(connections.patience(), SENT_WITHIN);
    }

    /// One stranger could take every place and keep it by asking for something now and then;
    /// nobody else got in before time had freed one.
    #[test]
    fn whoever_takes_most_places_leaves_some_to_others() {
        let connections = Connections::new(80, SENT_WITHIN);
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
