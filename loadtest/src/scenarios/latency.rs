//! P2 and P5: how long one post takes, alone and in a steady stream.
//!
//! Alone (P2), a post waits for one sync of the disk, so it is compared with `fdatasync` of the
//! same run. In a steady stream (P5), a hundred posts a second are sent at fixed times, and a
//! latency ends with the delivery to the last of a hundred sockets.

use super::crowd::{self, Cast, CrowdSize, Plan, Stage};
use super::environment::{Environment, OpenFiles};
use super::{RunError, run_id, say, sync_turn};
use crate::cli::sizes::Latency;
use crate::fdatasync::SyncFile;
use crate::http::request::PostTemplate;
use crate::load::closed_loop::{self, LoadError};
use crate::load::meter::{Meter, Phase, Window};
use crate::load::poster::Poster;
use crate::process::target::Target;
use crate::report::bar::{Bar, Bound};
use crate::report::{POSTS, Report};
use crate::stats::median_ratio;

const SYNC: &str = "fdatasync";
const ALONE: &str = "one sender";
const STEADY: &str = "steady, to last socket";

/// Milliseconds that a push to all sockets may take on top of the disk.
const PUSHED_MS: f64 = 2.0;

/// Connections of the steady stream: at 100 posts a second each has 80 ms for a post.
const DRUMMERS: usize = 8;

pub async fn run(args: &Latency) -> Result<Report, RunError> {
    let options = &args.common;
    let size = CrowdSize::of(options, &args.crowd, 100)?;
    let rate = options.size(args.rate, 100, 100);
    let environment = Environment::open_nodes(options, OpenFiles::one_side(size.sockets))?;
    let run = run_id();
    say(format_args!("registering {} members, opening {} sockets", size.members, size.sockets));
    // The one sender posts into another group, to which no socket listens.
    let quiet =
        Cast::on_server(environment.nodes(), run + 1, CrowdSize { sockets: 0, members: 1 }).await?;
    let cast = Cast::on_server(environment.nodes(), run, size).await?;
    let plan = Plan {
        run,
        sockets: size.sockets,
        senders: DRUMMERS,
        text_bytes: options.text_bytes(),
        patience: options.patience(),
    };
    let mut stage = Stage::open(environment.target(), environment.nodes(), &cast, plan).await?;
    let template =
        PostTemplate::new(environment.target().addr, &quiet.post_targets[0], plan.text_bytes);
    let mut alone = Poster::new(environment.target().addr, template, run + 1, 0);
    let mut file = SyncFile::create(environment.directory())?;

    let mut report = Report::new("latency", POSTS, options.smoke, setting(args, size, rate));
    let window = Window::of(options.turn());
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        let synced;
        (file, synced) = sync_turn(file, options.turn()).await?;
        report.row(round, SYNC, synced.phase());
        let phase;
        (alone, phase) = turn(alone, environment.target(), window).await?;
        report.row(round, ALONE, phase);
        report.row(round, STEADY, stage.beat(rate, window).await?);
    }
    crowd::check(&mut report, environment.nodes(), stage, &cast).await?;
    report.add_odd_answers(alone.odd_answers());
    bars(&mut report);
    Ok(report)
}

fn setting(args: &Latency, size: CrowdSize, rate: usize) -> String {
    let options = &args.common;
    format!(
        "one sender in a closed loop; then {rate} posts/s in an open loop to {} sockets of {} members; \
         {}-byte texts, {} rounds of {} s each",
        size.sockets,
        size.members,
        options.text_bytes(),
        options.rounds(),
        options.turn().as_secs_f64()
    )
}

async fn turn(
    mut alone: Poster,
    target: Target,
    window: Window,
) -> Result<(Poster, Phase), RunError> {
    alone.connect().await.map_err(LoadError::from)?;
    let (mut posters, phase) =
        closed_loop::run(vec![alone], Meter::default(), window, target.pid).await?;
    let mut alone = posters.pop().ok_or(LoadError::Stuck)?;
    alone.disconnect();
    Ok((alone, phase))
}

fn bars(report: &mut Report) {
    let p50 = |phase: &Phase| phase.latency.p50_ms;
    let ratio = median_ratio(&report.each(ALONE, p50), &report.each(SYNC, p50));
    let p99 = |phase: &Phase| phase.latency.p99_ms;
    let beyond = report.each(STEADY, |phase| p99(phase) - PUSHED_MS);
    let steady = median_ratio(&beyond, &report.each(SYNC, p99));
    report.bars = vec![
        Bar::new("P2", "p50 of one sender per fdatasync's", ratio, Bound::AtMost(1.8), "×"),
        Bar::new(
            "P5",
            "p99 to last socket, less 2 ms, per fdatasync's",
            steady,
            Bound::AtMost(2.0),
            "×",
        ),
    ];
}
