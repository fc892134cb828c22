//! P1: durable posts into many groups while no socket listens.

use std::net::SocketAddr;

use super::environment::{Environment, OpenFiles};
use super::{RunError, run_id, say};
use crate::cli::sizes::{PacedPosts, Posts};
use crate::http::request::{PostTarget, PostTemplate};
use crate::load::closed_loop;
use crate::load::meter::{Meter, Phase, Window};
use crate::load::pace;
use crate::load::poster::Poster;
use crate::process::server::ServerProcess;
use crate::process::target::{Target, node_of};
use crate::reference;
use crate::report::bar::{Bar, Bound};
use crate::report::{POSTS, Report};
use crate::stats::{median, median_ratio};
use crate::world::listing;
use crate::world::people::World;
use crate::world::rest::Api;

const SERVER: &str = "coterie";
const TRIVIAL: &str = "trivial POST";

pub(super) struct Sizes {
    pub(super) groups: usize,
    pub(super) members: usize,
    pub(super) people: usize,
    pub(super) senders: usize,
    pub(super) text_bytes: usize,
}

pub async fn run(paced: &PacedPosts) -> Result<Report, RunError> {
    let args = &paced.posts;
    let sizes = sizes(args)?;
    let options = &args.common;
    let environment = Environment::open_nodes(options, OpenFiles::one_side(sizes.senders))?;
    let trivial = ServerProcess::reference(reference::HTTP)?;
    let run = run_id();
    say(format_args!("registering {} people, creating {} groups", sizes.people, sizes.groups));
    let mut api = Api::new(environment.target().addr);
    let world = World::build(&mut api, run, sizes.people, sizes.groups, sizes.members).await?;
    let post_targets: Vec<PostTarget> =
        (0..sizes.senders).map(|sender| world.post_target(sender)).collect();

    everywhere(&environment, &world).await?;
    let mut ours = posters(environment.nodes(), &post_targets, run, sizes.text_bytes);
    let mut theirs = posters(&[trivial.target().addr], &post_targets, run + 1, sizes.text_bytes);
    let mut report =
        Report::new("posts", POSTS, options.smoke, setting(&sizes, args) + &at(paced.rate));
    let (window, rate) = (Window::of(options.turn()), paced.rate.map(f64::from));
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        let phase;
        (theirs, phase) = turn_at(theirs, trivial.target(), rate, window).await?;
        report.row(round, TRIVIAL, phase);
        let phase;
        (ours, phase) = turn_at(ours, environment.target(), rate, window).await?;
        report.row(round, SERVER, phase);
    }
    say("listing everything that was posted");
    let posters: Vec<&Poster> = ours.iter().collect();
    for node in environment.nodes() {
        let mut api = Api::new(*node);
        report.check_listing(&listing::check(&mut api, &post_targets, &posters).await?.listing);
    }
    for poster in posters {
        report.add_odd_answers(poster.odd_answers());
    }
    if rate.is_none() {
        bars(&mut report);
    }
    Ok(report)
}

pub(super) fn sizes(args: &Posts) -> Result<Sizes, RunError> {
    let options = &args.common;
    let sizes = Sizes {
        groups: options.size(args.groups, 100, 5),
        members: options.size(args.members, 10, 3),
        people: options.size(args.people, 64, 4),
        senders: options.size(args.senders, 256, 16),
        text_bytes: options.text_bytes(),
    };
    if sizes.members > sizes.people {
        return Err(RunError::Size(format!("{} members need as many --people", sizes.members)));
    }
    Ok(sizes)
}

pub(super) fn setting(sizes: &Sizes, args: &Posts) -> String {
    let Sizes { groups, members, people, senders, text_bytes } = sizes;
    let (rounds, turn) = (args.common.rounds(), args.common.turn().as_secs_f64());
    format!(
        "{groups} groups of {members} out of {people} people, {senders} senders, {text_bytes}-byte texts, \
         {rounds} rounds of {turn} s a side"
    )
}

/// Describes a rate in the setting of a report.
pub(super) fn at(rate: Option<u32>) -> String {
    rate.map(|rate| format!(", {rate} a second in an open loop")).unwrap_or_default()
}

/// Waits until every node knows the world, which was built on the first.
pub(super) async fn everywhere(environment: &Environment, world: &World) -> Result<(), RunError> {
    for node in &environment.nodes()[1..] {
        world.known_at(*node).await?;
    }
    Ok(())
}

/// Creates one poster for each target; each stays with one of the nodes.
pub(super) fn posters(
    nodes: &[SocketAddr],
    post_targets: &[PostTarget],
    run: u32,
    text_bytes: usize,
) -> Vec<Poster> {
    let numbered = post_targets.iter().zip(0u16..);
    let poster = |(post_target, sender)| {
        let addr = node_of(nodes, usize::from(sender));
        Poster::new(addr, PostTemplate::new(addr, post_target, text_bytes), run, sender)
    };
    numbered.map(poster).collect()
}

/// Runs one side's turn in a closed loop, as fast as posts are answered.
pub(super) async fn turn(
    posters: Vec<Poster>,
    target: Target,
    window: Window,
) -> Result<(Vec<Poster>, Phase), RunError> {
    turn_at(posters, target, None, window).await
}

/// Runs one side's turn, at a rate if there is one. Connections are new in every turn, since
/// servers close idle ones.
pub(super) async fn turn_at(
    mut posters: Vec<Poster>,
    target: Target,
    rate: Option<f64>,
    window: Window,
) -> Result<(Vec<Poster>, Phase), RunError> {
    for poster in &mut posters {
        poster.connect().await.map_err(closed_loop::LoadError::from)?;
    }
    let (mut posters, phase) =
        pace::run(posters, rate, Meter::default(), window, target.pid).await?;
    for poster in &mut posters {
        poster.disconnect();
    }
    Ok((posters, phase))
}

fn bars(report: &mut Report) {
    let rate = |phase: &Phase| phase.per_second;
    let ratio = median_ratio(&report.each(SERVER, rate), &report.each(TRIVIAL, rate));
    let cpu = median_ratio(&report.each_cpu(SERVER), &report.each_cpu(TRIVIAL));
    let tail = median(&report.each(SERVER, |phase| phase.latency.p99_ms / phase.latency.p50_ms));
    report.bars = vec![
        Bar::new("P1", "posts per trivial POST", ratio, Bound::AtLeast(0.6), "×"),
        Bar::new("P1", "server CPU per trivial POST's", cpu, Bound::AtMost(2.0), "×"),
        Bar::new("P1", "p99 per p50", tail, Bound::AtMost(3.0), "×"),
    ];
}
