//! Puts the numbers of all parts of the server onto one page of metrics.

use std::sync::Arc;

use crate::cluster::membership::Membership;
use crate::core_services::CoreServices;
use crate::http::connections::Connections;
use crate::http::counts::RequestCounts;
use crate::journal::Cursor;
use crate::metrics::exposition::{Exposition, MetricKind};
use crate::metrics::{Metrics, process};
use crate::subscribers::live_feed::Feeds;

/// The sources of all metrics, in the order of the page.
pub(crate) fn metrics(
    services: &CoreServices,
    requests: &Arc<RequestCounts>,
    feeds: &Feeds,
    connections: &Connections,
) -> Metrics {
    let started_at = services.clock.now().wall.seconds();
    let (requests, feeds) = (Arc::clone(requests), feeds.clone());
    let (journal, archive) = (Arc::clone(&services.counts), services.archive.clone());
    let (directory, connections) = (services.directory.clone(), connections.clone());
    let (space, places) = (services.space.clone(), services.places.clone());
    let (clock, passwords) = (Arc::clone(&services.discipline), services.passwords.clone());
    let (log_counts, membership) = (services.journal.log_counts(), services.membership.clone());
    let shared = archive.clone();
    let broken_chains = Arc::clone(&services.broken_chains);
    let rooms = move |page: &mut Exposition| {
        let help = "Running actors of groups, chats and accounts, by kind.";
        page.family("coterie_rooms", MetricKind::Gauge, help);
        for (kind, awake) in ["group", "chat", "user"].iter().zip(directory.awake()) {
            page.sample(&[("kind", kind)], awake);
        }
    };
    let storage = move |page: &mut Exposition| {
        journal.write(page);
        let (newest, applied) = (archive.journal.newest().get(), archive.index.applied().get());
        let help = "Bytes of the journal up to its end, before compression.";
        let end = archive.journal.end().get();
        page.single("coterie_journal_bytes", MetricKind::Gauge, help, end);
        let help = "Bytes of the journal that the index does not have yet.";
        let lag = newest.saturating_sub(applied);
        page.single("coterie_index_lag_bytes", MetricKind::Gauge, help, lag);
        let help = "Commits that do not follow the end of their stream: run coterie check.";
        let name = "coterie_broken_chains_total";
        page.single(name, MetricKind::Counter, help, broken_chains.count());
    };
    Metrics::default()
        .with(move |page| {
            page.family("coterie_info", MetricKind::Gauge, "The version that runs.");
            page.sample(&[("version", env!("CARGO_PKG_VERSION"))], 1);
        })
        .with(move |page| {
            let help = "Seconds by which the machine's clock jumped, while the server ignores it.";
            let name = "coterie_clock_refused_seconds";
            page.single(name, MetricKind::Gauge, help, clock.refused_seconds().unsigned_abs());
        })
        .with(move |page| {
            let help = "Passwords that were hashed or checked, also for unknown accounts.";
            let name = "coterie_passwords_total";
            page.single(name, MetricKind::Counter, help, passwords.worked_on());
        })
        .with(move |page| requests.write(page))
        .with(move |page| connections.write(page))
        .with(storage)
        .with(move |page| space.write(page))
        .with(move |page| {
            let Some(counts) = &log_counts else { return };
            counts.write(page);
            membership.iter().for_each(|it| it.calls().write(page));
            membership.iter().for_each(|it| it.bus().write(page));
            let end = membership.as_ref().and_then(Membership::farthest).map_or(0, Cursor::get);
            let lag = end.saturating_sub(shared.journal.end().get());
            let help = "Bytes of the journal that another node shows and this one does not have.";
            page.single("coterie_cluster_lag_bytes", MetricKind::Gauge, help, lag);
            let (wait_timeouts, help) = (
                membership.as_ref().map_or(0, Membership::wait_timeouts),
                "Responses that waited a quarter of a second for another node in vain.",
            );
            page.single("coterie_cluster_unwaited_total", MetricKind::Counter, help, wait_timeouts);
        })
        .with(rooms)
        .with(move |page| places.write(page))
        .with(move |page| feeds.read().write(page))
        .with(move |page| process::write(page, started_at))
}
