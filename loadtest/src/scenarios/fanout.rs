//! P3: posts into one group, each of which is delivered to a thousand sockets.

use super::crowd::{self, Cast, CrowdSize, Formation, Plan, Stage};
use super::environment::{Environment, OpenFiles};
use super::posts::at;
use super::{RunError, run_id, say};
use crate::cli::sizes::Fanout;
use crate::load::meter::{Phase, Window};
use crate::process::server::ServerProcess;
use crate::reference;
use crate::report::bar::{Bar, Bound};
use crate::report::{DELIVERIES, Report};
use crate::stats::median_ratio;

const SERVER: &str = "coterie";
const RAW: &str = "raw broadcaster";

pub async fn run(args: &Fanout) -> Result<Report, RunError> {
    let options = &args.common;
    let size = CrowdSize::of(options, &args.crowd, 1000)?;
    let senders = options.size(args.senders, 2, 2);
    let environment = Environment::open_nodes(options, OpenFiles::both_sides(size.sockets))?;
    let raw = ServerProcess::reference(reference::BROADCAST)?;
    let run = run_id();
    say(format_args!(
        "registering {} members, opening {} sockets on each side",
        size.members, size.sockets
    ));
    let cast = Cast::on_server(environment.nodes(), run, size).await?;
    let plan = Plan {
        run,
        sockets: size.sockets,
        senders,
        text_bytes: options.text_bytes(),
        patience: options.patience(),
    };
    let mut ours = Stage::open(environment.target(), environment.nodes(), &cast, plan).await?;
    let raw_plan = Plan { run: run + 1, ..plan };
    let mut theirs =
        Stage::open(raw.target(), &[raw.target().addr], &Cast::on_broadcaster(), raw_plan).await?;

    let mut report = Report::new("fanout", DELIVERIES, options.smoke, setting(args, size, senders));
    let alone = Formation { teams: senders, posts: 1 };
    let (window, rate) = (Window::of(options.turn()), args.rate.map(f64::from));
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        report.row(round, RAW, theirs.turn_at(alone, rate, window).await?);
        report.row(round, SERVER, ours.turn_at(alone, rate, window).await?);
    }
    crowd::check(&mut report, environment.nodes(), ours, &cast).await?;
    if rate.is_none() {
        bars(&mut report);
    }
    Ok(report)
}

fn setting(args: &Fanout, size: CrowdSize, senders: usize) -> String {
    let CrowdSize { sockets, members } = size;
    let (rounds, turn) = (args.common.rounds(), args.common.turn().as_secs_f64());
    format!(
        "one group, {sockets} sockets of {members} members, {senders} messages under way, {}-byte texts, \
         {rounds} rounds of {turn} s a side; latency is from post to last socket{}",
        args.common.text_bytes(),
        at(args.rate)
    )
}

fn bars(report: &mut Report) {
    let rate = |phase: &Phase| phase.per_second;
    let ratio = median_ratio(&report.each(SERVER, rate), &report.each(RAW, rate));
    let cpu = median_ratio(&report.each_cpu(SERVER), &report.each_cpu(RAW));
    report.bars = vec![
        Bar::new("P3", "deliveries per raw broadcaster's", ratio, Bound::AtLeast(0.97), "×"),
        Bar::new("P3", "server CPU per raw delivery's", cpu, Bound::AtMost(1.15), "×"),
    ];
}
