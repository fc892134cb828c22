//! A long run of everything at once: whether memory, open files, threads and latencies hold still.
//!
//! The traffic sets its own pace (each worker pauses between two acts), so that every minute is
//! like the one before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::environment::{Environment, OpenFiles};
use super::idle::mebibytes;
use super::{RunError, run_id, say};
use crate::cli::sizes::Soak;
use crate::load::drift::{Allowance, Drift};
use crate::load::meter::{Phase, Point};
use crate::load::pace::Posting;
use crate::load::traffic::{Cast, Traffic};
use crate::process::proc_fs::{open_files, resident_bytes, threads};
use crate::report::{POSTS, Report};
use crate::stats::{Percentiles, median};
use crate::world::people::World;
use crate::world::rest::Api;

/// The time between two samples of the server, in a long run.
const LOOK: Duration = Duration::from_secs(10);
/// The least number of samples, in a short run.
const LOOKS: u32 = 24;

/// By how much each figure may grow.
const MEMORY: Allowance = Allowance { share: 0.1, beside: 24.0 };
const FILES: Allowance = Allowance { share: 0.05, beside: 24.0 };
/// A thread pool has as many threads as there is blocking work under way, and there is more of it
/// on a machine that is busy with something else.
const THREADS: Allowance = Allowance { share: 0.25, beside: 8.0 };
const MEDIAN: Allowance = Allowance { share: 0.5, beside: 2.0 };
const TAIL: Allowance = Allowance { share: 1.0, beside: 25.0 };

/// The server at one moment; figures of its process are absent if the process is not known.
#[derive(Debug, Clone, Copy)]
struct Sample {
    memory: Option<f64>,
    files: Option<f64>,
    threads: Option<f64>,
    latency: Percentiles,
}

pub async fn run(args: &Soak) -> Result<Report, RunError> {
    let options = &args.common;
    let length = match options.smoke {
        // Long enough for every kind of traffic to have had its turn.
        true => options.turn_or(0).max(Duration::from_secs(3)),
        false => options.turn_or(600),
    };
    let look = LOOK.min(length / LOOKS);
    let environment = Environment::open(options, OpenFiles::one_side(256))?;
    let target = environment.target();
    let (groups, members) = (options.size(args.groups, 8, 8), options.size(args.members, 10, 10));
    let people = 2 * members;
    let posting = Posting {
        senders: options.size(args.senders, 8, 8),
        rate: options.size(args.rate, 300, 80) as f64,
    };
    say(format_args!("registering {people} people in {groups} groups"));
    let mut api = Api::new(target.addr);
    let world = World::build(&mut api, run_id(), people, groups, members).await?;
    let traffic = Arc::new(Traffic::new(target.addr, world, options.text_bytes(), posting));
    let cast = Cast::begins(&traffic, &mut api).await?;
    let (began, mut samples, mut timeline) = (Instant::now(), Vec::new(), Vec::new());
    while began.elapsed() < length {
        tokio::time::sleep(look).await;
        let sample = Sample {
            memory: target.pid.map(resident_bytes).transpose()?.map(mebibytes),
            files: target.pid.map(open_files).transpose()?.map(|count| count as f64),
            threads: target.pid.map(threads).transpose()?.map(|count| count as f64),
            latency: traffic.take_latencies(),
        };
        tell(began.elapsed(), &sample);
        timeline.push(sample.point(began.elapsed(), look));
        samples.push(sample);
    }
    cast.ends().await;
    let setting = format!(
        "{} s of posts ({} a second by {} senders into {groups} groups of {members}, in an open loop), \
         pages, lists, likes, sockets that come and go, long-polls and callbacks; looked at every {:.1} s",
        length.as_secs(),
        posting.rate,
        posting.senders,
        look.as_secs_f64()
    );
    let mut report = Report::new("soak", POSTS, options.smoke, setting);
    report.row(1, "posts", phase(timeline, &samples, length));
    judge(&mut report, &samples);
    traffic.judge(&mut report);
    Ok(report)
}

impl Sample {
    /// Converts the sample into a point of the report's curves.
    fn point(&self, at: Duration, look: Duration) -> Point {
        Point {
            at: at.as_secs_f64(),
            per_second: self.latency.count as f64 / look.as_secs_f64(),
            p50_ms: self.latency.p50_ms,
            p99_ms: self.latency.p99_ms,
            server_cores: None,
            server_mib: self.memory,
        }
    }
}

/// Summarizes the whole run as a row, whose percentiles are the medians of the samples'
/// percentiles.
fn phase(timeline: Vec<Point>, samples: &[Sample], length: Duration) -> Phase {
    let of = |value: fn(&Percentiles) -> f64| {
        median(&samples.iter().map(|it| value(&it.latency)).collect::<Vec<_>>()).unwrap_or_default()
    };
    let units = samples.iter().map(|it| it.latency.count).sum();
    Phase {
        units,
        per_second: units as f64 / length.as_secs_f64(),
        server_us_per_unit: None,
        client_us_per_unit: 0.0,
        latency: Percentiles {
            count: units,
            p50_ms: of(|it| it.p50_ms),
            p90_ms: of(|it| it.p90_ms),
            p99_ms: of(|it| it.p99_ms),
            p999_ms: of(|it| it.p999_ms),
            max_ms: of(|it| it.max_ms),
        },
        timeline,
    }
}

fn tell(at: Duration, sample: &Sample) {
    let shown = |value: Option<f64>| value.map_or("?".to_owned(), |value| format!("{value:.0}"));
    let Percentiles { count, p50_ms, p99_ms, .. } = sample.latency;
    say(format_args!(
        "{:>5.0} s: {} MiB, {} files, {} threads; {count} posts, p50 {p50_ms:.2} ms, p99 {p99_ms:.2} ms",
        at.as_secs_f64(),
        shown(sample.memory),
        shown(sample.files),
        shown(sample.threads),
    ));
}

/// Checks that each figure holds still; if one does not, the run has failed.
fn judge(report: &mut Report, samples: &[Sample]) {
    type Of = fn(&Sample) -> Option<f64>;
    let figures: [(&'static str, Of, Allowance, &'static str); 5] = [
        ("memory holds still", |it| it.memory, MEMORY, "MiB"),
        ("open files hold still", |it| it.files, FILES, "files"),
        ("threads hold still", |it| it.threads, THREADS, "threads"),
        ("p50 of posts holds still", |it| Some(it.latency.p50_ms), MEDIAN, "ms"),
        ("p99 of posts holds still", |it| Some(it.latency.p99_ms), TAIL, "ms"),
    ];
    for (what, of, allowed, unit) in figures {
        let values: Vec<f64> = samples.iter().filter_map(of).collect();
        let Some(drift) = Drift::of(&values) else {
            report.figure(format!("{what}: too few samples"), None, unit);
            continue;
        };
        report.check(what, !drift.is_over(allowed), drift.words(allowed, unit));
        report.figure(format!("{what}: at the end"), Some(drift.end), unit);
    }
}
