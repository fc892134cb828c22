//! P12: sockets that read nothing, beside a thousand that do.
//!
//! They are compared with the same server without such sockets. Their kernel buffers are small, so
//! that it is up to the server to hold or drop what they do not read. A turn in which these buffers
//! fill passes before they count.

use super::crowd::{self, Cast, CrowdSize, Formation, Plan, SOCKETS_PER_PERSON, Stage};
use super::environment::{Environment, OpenFiles};
use super::idle::mebibytes;
use super::{RunError, run_id, say};
use crate::cli::sizes::Stalled;
use crate::load::audience::open_all;
use crate::load::meter::{Phase, Window};
use crate::process::proc_fs::resident_bytes;
use crate::process::target::Target;
use crate::push::event::Event;
use crate::push::listener::{FrameHandler, Listener, Opening};
use crate::report::bar::{Bar, Bound};
use crate::report::{DELIVERIES, Report};
use crate::stats::median_ratio;

const ALONE: &str = "readers alone";
const FILLING: &str = "while they stall";
const BESIDE: &str = "beside stalled";
/// Posts at once that fill the buffers: the operating system gives a socket up to megabytes.
const FILLING_POSTS: usize = 50;

/// Receives nothing, because its socket is not read.
#[derive(Debug, Clone, Copy)]
struct Deaf;

impl FrameHandler for Deaf {
    fn hear(&mut self, _event: &Event<'_>) {}
}

pub async fn run(args: &Stalled) -> Result<Report, RunError> {
    let options = &args.common;
    let size = CrowdSize::of(options, &args.crowd, 1000)?;
    let stalled = options.size(args.stalled, 1000, 20);
    if size.sockets + stalled > size.members * SOCKETS_PER_PERSON {
        return Err(RunError::Size(format!(
            "{} sockets need more --members: the server allows {SOCKETS_PER_PERSON} of one user",
            size.sockets + stalled
        )));
    }
    let alone = Formation { teams: options.size(args.senders, 2, 2), posts: 1 };
    let filling = Formation { teams: 1, posts: options.size(None, FILLING_POSTS, 5) };
    let environment = Environment::open(options, OpenFiles::one_side(size.sockets + stalled))?;
    let run = run_id();
    say(format_args!("registering {} members, opening {} sockets", size.members, size.sockets));
    let cast = Cast::on_server(environment.nodes(), run, size).await?;
    let plan = Plan {
        run,
        sockets: size.sockets,
        senders: alone.teams.max(filling.posts),
        text_bytes: options.text_bytes(),
        patience: options.patience(),
    };
    let mut stage = Stage::open(environment.target(), environment.nodes(), &cast, plan).await?;

    let setting = format!(
        "one group, {} sockets of {} members that read, {stalled} that do not; {} messages under way, {}-byte texts, \
         {} rounds of {} s a side; latency is from post to last reader",
        size.sockets,
        size.members,
        alone.teams,
        plan.text_bytes,
        options.rounds(),
        options.turn().as_secs_f64()
    );
    let mut report = Report::new("stalled", DELIVERIES, options.smoke, setting);
    let window = Window::of(options.turn());
    let mut growth: Vec<f64> = Vec::new();
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        report.row(round, ALONE, stage.turn(alone, window).await?);
        let before = memory(environment.target())?;
        // Held, and never read from, until the turn is over.
        let held = stall(environment.target(), &cast, stalled).await?;
        // A stalled socket takes frames until its buffers are full: until then there are twice as
        // many sockets, and none is stalled.
        report.row(round, FILLING, stage.turn(filling, window).await?);
        report.row(round, BESIDE, stage.turn(alone, window).await?);
        let after = memory(environment.target())?;
        growth.extend(before.zip(after).map(|(before, after)| (after - before).max(0.0)));
        drop(held);
    }
    crowd::check(&mut report, environment.nodes(), stage, &cast).await?;
    bars(&mut report, &growth);
    Ok(report)
}

async fn stall(
    target: Target,
    cast: &Cast,
    stalled: usize,
) -> Result<Vec<Listener<Deaf>>, RunError> {
    let seat = |number| {
        let narrow = Opening { narrow: true, ..Opening::of(&cast.post_target(number).token) };
        (narrow, Deaf)
    };
    Ok(open_all(target.addr, (0..stalled).map(seat).collect()).await?)
}

fn memory(target: Target) -> Result<Option<f64>, RunError> {
    Ok(target.pid.map(resident_bytes).transpose()?.map(mebibytes))
}

fn bars(report: &mut Report, growth: &[f64]) {
    let p99 = |phase: &Phase| phase.latency.p99_ms;
    let ratio = median_ratio(&report.each(BESIDE, p99), &report.each(ALONE, p99));
    let most = growth.iter().copied().reduce(f64::max);
    report.bars = vec![
        Bar::new("P12", "p99 beside stalled sockets per alone", ratio, Bound::AtMost(1.1), "×"),
        Bar::new("P12", "server memory for stalled sockets", most, Bound::AtMost(32.0), "MiB"),
    ];
}
