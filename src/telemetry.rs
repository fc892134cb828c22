//! The metrics: everything that is counted anywhere, put onto one page.

use std::sync::Arc;

use crate::bounds::{self, Budget};
use crate::foundation::Foundation;
use crate::http::connections::Connections;
use crate::http::counts::Counts;
use crate::metrics::exposition::{Exposition, Kind};
use crate::metrics::{Metrics, process};
use crate::subscribers::live_feed::Feeds;

/// Everything that is counted.
pub(crate) fn metrics(
    foundation: &Foundation,
    requests: &Arc<Counts>,
    feeds: &Feeds,
    connections: &Connections,
    budgets: Vec<Budget>,
) -> Metrics {
    let started_at = foundation.clock.now().wall.seconds();
    let (requests, feeds) = (Arc::clone(requests), feeds.clone());
    let (journal, archive) = (Arc::clone(&foundation.counts), foundation.archive.clone());
    let (directory, connections) = (foundation.directory.clone(), connections.clone());
    let space = foundation.space.clone();
    let clock = Arc::clone(&foundation.discipline);
    let broken_chains = Arc::clone(&foundation.broken_chains);
    let rooms = move |page: &mut Exposition| {
        page.family("coterie_rooms", Kind::Gauge, "Rooms that are awake, by kind.");
        for (kind, awake) in ["group", "chat", "user"].iter().zip(directory.awake()) {
            page.sample(&[("kind", kind)], awake);
        }
    };
    let storage = move |page: &mut Exposition| {
        journal.write(page);
        let (newest, applied) = (archive.journal.newest().get(), archive.index.applied().get());
        let help = "Bytes of the journal up to its end, before compression.";
        let end = archive.journal.end().get();
        page.single("coterie_journal_bytes", Kind::Gauge, help, end);
        let help = "Bytes of the journal that the index does not have yet.";
        let lag = newest.saturating_sub(applied);
        page.single("coterie_index_lag_bytes", Kind::Gauge, help, lag);
        let help = "Commits that do not go on where their stream ended: run coterie check.";
        let name = "coterie_broken_chains_total";
        page.single(name, Kind::Counter, help, broken_chains.count());
    };
    Metrics::default()
        .with(move |page| {
            page.family("coterie_info", Kind::Gauge, "The version that runs.");
            page.sample(&[("version", env!("CARGO_PKG_VERSION"))], 1);
        })
        .with(move |page| {
            let help = "By how much the machine's clock jumped ahead (or back) unbelieved.";
            let name = "coterie_clock_refused_seconds";
            page.single(name, Kind::Gauge, help, clock.refused_seconds().unsigned_abs());
        })
        .with(move |page| requests.write(page))
        .with(move |page| connections.write(page))
        .with(storage)
        .with(move |page| space.write(page))
        .with(rooms)
        .with(move |page| bounds::write(&budgets, page))
        .with(move |page| feeds.read().write(page))
        .with(move |page| process::write(page, started_at))
}
