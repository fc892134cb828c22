//! How many connections there are, and how many there may be. When most places are taken,
//! whoever is slow has to make room sooner, so that others still find the HTTP layer open.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::bounds::Bound;
use crate::bounds::places::Fullness;
use crate::metrics::exposition::{Exposition, MetricKind};

/// How long a client may take for what it has to send: the rest of a head, or a body from
/// the end of its head.
pub const SENT_WITHIN: Duration = Duration::from_secs(60);
/// The same while three quarters of all places are taken.
pub const SENT_WITHIN_IF_CROWDED: Duration = Duration::from_secs(10);

/// The connections of this server.
#[derive(Debug, Clone)]
pub struct Connections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    most: usize,
    patience: Duration,
    open: AtomicUsize,
    cut: AtomicU64,
}

/// One connection; closing it drops this.
#[derive(Debug)]
pub struct OpenConnection(Connections);

impl Connections {
    /// With so many places, and so much time for whoever is slow.
    pub fn new(most: usize, patience: Duration) -> Self {
        let (open, cut) = (AtomicUsize::new(0), AtomicU64::new(0));
        Self(Arc::new(Inner { most, patience, open, cut }))
    }

    /// Takes a place. Nobody is turned away here: the listener stops accepting first.
    pub fn open(&self) -> OpenConnection {
        self.0.open.fetch_add(1, Ordering::Relaxed);
        OpenConnection(self.clone())
    }

    /// How long a client may take now.
    pub fn patience(&self) -> Duration {
        let is_crowded = self.0.open.load(Ordering::Relaxed) * 4 >= self.0.most * 3;
        if is_crowded { self.0.patience.min(SENT_WITHIN_IF_CROWDED) } else { self.0.patience }
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
        self.0.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_slow_has_less_time_when_most_places_are_taken() {
        let connections = Connections::new(4, SENT_WITHIN);
        let mut open = vec![connections.open(), connections.open()];
        assert_eq!(connections.patience(), SENT_WITHIN);
        open.push(connections.open());
        assert_eq!(connections.patience(), SENT_WITHIN_IF_CROWDED);
        open.pop();
        assert_eq!(connections.patience(), SENT_WITHIN);
    }
}
