//! P4: fifty posts at once into one group, compared with single posts.
//!
//! A burst saves writes: frames that wait for the same socket are sent in one write. So it is
//! compared with the same server, not with a reference.

use super::crowd::{self, Cast, CrowdSize, Formation, Plan, Stage};
use super::environment::{Environment, OpenFiles};
use super::{RunError, run_id, say};
use crate::cli::sizes::Burst;
use crate::load::meter::{Phase, Window};
use crate::report::bar::{Bar, Bound};
use crate::report::{DELIVERIES, Report};
use crate::stats::median_ratio;

const SINGLE: &str = "single posts";
const BURSTS: &str = "bursts";

pub async fn run(args: &Burst) -> Result<Report, RunError> {
    let options = &args.common;
    let size = CrowdSize::of(options, &args.crowd, 1000)?;
    let single = Formation { teams: options.size(args.senders, 2, 2), posts: 1 };
    let burst = Formation { teams: 1, posts: options.size(args.posts, 50, 10) };
    let environment = Environment::open_nodes(options, OpenFiles::one_side(size.sockets))?;
    let run = run_id();
    say(format_args!("registering {} members, opening {} sockets", size.members, size.sockets));
    let cast = Cast::on_server(environment.nodes(), run, size).await?;
    let plan = Plan {
        run,
        sockets: size.sockets,
        senders: single.teams.max(burst.posts),
        text_bytes: options.text_bytes(),
        patience: options.patience(),
    };
    let mut stage = Stage::open(environment.target(), environment.nodes(), &cast, plan).await?;

    let setting = format!(
        "one group, {} sockets of {} members, {} posts at once against {} under way, {}-byte texts, {} rounds of {} s \
         a side; latency is from first post to last delivery",
        size.sockets,
        size.members,
        burst.posts,
        single.teams,
        plan.text_bytes,
        options.rounds(),
        options.turn().as_secs_f64()
    );
    let mut report = Report::new("burst", DELIVERIES, options.smoke, setting);
    let window = Window::of(options.turn());
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        report.row(round, SINGLE, stage.turn(single, window).await?);
        report.row(round, BURSTS, stage.turn(burst, window).await?);
    }
    crowd::check(&mut report, environment.nodes(), stage, &cast).await?;
    let rate = |phase: &Phase| phase.per_second;
    let ratio = median_ratio(&report.each(BURSTS, rate), &report.each(SINGLE, rate));
    report.bars = vec![Bar::new(
        "P4",
        "deliveries in bursts per single posts'",
        ratio,
        Bound::AtLeast(12.0),
        "×",
    )];
    Ok(report)
}
