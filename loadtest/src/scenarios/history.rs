//! P7: reading the newest page, and pages deep in a long log.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::environment::{Environment, OpenFiles};
use super::posts::at;
use super::{RunError, run_id, say};
use crate::cli::sizes::History;
use crate::http::connection::Connection;
use crate::http::request::{self, PostTarget, PostTemplate};
use crate::load::closed_loop::{self, LoadError, Step, Worker};
use crate::load::meter::{Meter, Phase, Window};
use crate::load::pace;
use crate::load::poster::Poster;
use crate::load::seeder::Seeder;
use crate::process::server::ServerProcess;
use crate::process::target::Target;
use crate::reference;
use crate::report::bar::{Bar, Bound};
use crate::report::{REQUESTS, Report};
use crate::stats::median_ratio;
use crate::world::listing::{self, Listed};
use crate::world::people::World;
use crate::world::rest::{Api, CallError};

const TRIVIAL: &str = "trivial GET";
const SAME_SIZE: &str = "GET of the same size";
const NEWEST: &str = "newest 20";
const DEEP: &str = "deep page";

const PEOPLE: usize = 8;
const SEEDERS: usize = 64;
/// Messages in each group whose newest page is read: enough for a full page.
const SHALLOW: usize = 30;
/// The slowest disk that the run waits for, in posts per second.
const SLOWEST_SEEDING: u64 = 500;

struct Sizes {
    groups: usize,
    messages: usize,
    readers: usize,
}

pub async fn run(args: &History) -> Result<Report, RunError> {
    let options = &args.common;
    let sizes = Sizes {
        groups: options.size(args.groups, 100, 3),
        messages: options.size(args.messages, 1_000_000, 1000),
        readers: options.size(args.readers, 32, 4),
    };
    let environment =
        Environment::open(options, OpenFiles::one_side(sizes.readers.max(SEEDERS + sizes.groups)))?;
    let trivial = ServerProcess::reference(reference::HTTP)?;
    let mut api = Api::new(environment.target().addr);
    let run = run_id();
    let world = World::build(&mut api, run, PEOPLE, sizes.groups, PEOPLE).await?;
    let mut report = Report::new("history", REQUESTS, options.smoke, setting(args, &sizes));

    let listed = seed(&mut api, &world, &sizes, run, options.text_bytes(), &mut report).await?;
    let newest = newest_requests(environment.target(), &world);
    let deep = deep_requests(environment.target(), &world.post_target(0), &listed.page_ends);
    if deep.is_empty() {
        return Err(RunError::Size("too few --messages for deep pages".to_owned()));
    }
    let size = page_size(&mut api, &world.post_target(0)).await?;
    let get = |path: String| Arc::new(vec![request::get(trivial.target().addr, &path, "")]);
    let turns = [
        (TRIVIAL, trivial.target(), get("/trivial".to_owned())),
        (SAME_SIZE, trivial.target(), get(format!("/page/{size}"))),
        (NEWEST, environment.target(), Arc::new(newest)),
        (DEEP, environment.target(), Arc::new(deep)),
    ];
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        for (what, target, requests) in &turns {
            let readers = Readers { count: sizes.readers, rate: args.rate.map(f64::from) };
            let phase = read(*target, requests, readers, Window::of(options.turn())).await?;
            report.row(round, *what, phase);
        }
    }
    if args.rate.is_none() {
        bars(&mut report, size);
    }
    Ok(report)
}

fn setting(args: &History, sizes: &Sizes) -> String {
    let Sizes { groups, messages, readers } = sizes;
    let (rounds, turn) = (args.common.rounds(), args.common.turn().as_secs_f64());
    format!(
        "{messages} messages in one of {groups} groups, {readers} readers, {rounds} rounds of {turn} s each{}",
        at(args.rate)
    )
}

/// Fills the first group with the many messages and every other with a few, then lists them all,
/// which checks them and finds positions deep in the log.
async fn seed(
    api: &mut Api,
    world: &World,
    sizes: &Sizes,
    run: u32,
    text_bytes: usize,
    report: &mut Report,
) -> Result<Listed, RunError> {
    say(format_args!("posting {} messages", sizes.messages));
    let addr = api.addr();
    let post_targets: Vec<PostTarget> =
        (0..sizes.groups).map(|group| world.post_target(group)).collect();
    let deep = (0..SEEDERS).map(|_| (&post_targets[0], sizes.messages / SEEDERS));
    let shallow = post_targets[1..].iter().map(|post_target| (post_target, SHALLOW));
    let seeders = deep.chain(shallow).zip(0u16..).map(|((post_target, left), sender)| {
        let template = PostTemplate::new(addr, post_target, text_bytes);
        Seeder { poster: Poster::new(addr, template, run, sender), left }
    });
    let patience = Duration::from_secs(60 + sizes.messages as u64 / SLOWEST_SEEDING);
    let seeders = closed_loop::run_out(seeders.collect(), patience).await?;
    say("listing them");
    let posters: Vec<&Poster> = seeders.iter().map(|seeder| &seeder.poster).collect();
    let listed = listing::check(api, &post_targets, &posters).await?;
    report.check_listing(&listed.listing);
    for poster in posters {
        report.add_odd_answers(poster.odd_answers());
    }
    Ok(listed)
}

fn newest_requests(target: Target, world: &World) -> Vec<Vec<u8>> {
    let post_targets = (0..world.groups.len()).map(|group| world.post_target(group));
    post_targets
        .map(|post_target| {
            request::get(
                target.addr,
                &format!("/v3/groups/{}/messages", post_target.group_id),
                &post_target.token,
            )
        })
        .collect()
}

/// Builds a request for the page before the end of each listed page, in a mixed order, without the
/// newest tenth. The last page ends at the first message, so no page comes before it.
fn deep_requests(target: Target, post_target: &PostTarget, page_ends: &[String]) -> Vec<Vec<u8>> {
    let ends = &page_ends[page_ends.len() / 10..page_ends.len().saturating_sub(1)];
    // Steps of a large prime visit every place once, each far from the one before.
    let mixed = (0..ends.len()).map(|place| &ends[place.wrapping_mul(1_000_003) % ends.len()]);
    let path = |id: &String| format!("/v3/groups/{}/messages?before_id={id}", post_target.group_id);
    mixed.map(|id| request::get(target.addr, &path(id), &post_target.token)).collect()
}

/// Returns the size in bytes of one newest page, which must hold twenty messages.
async fn page_size(api: &mut Api, post_target: &PostTarget) -> Result<usize, RunError> {
    #[derive(serde::Deserialize)]
    struct Page {
        messages: Vec<serde::de::IgnoredAny>,
    }
    let reply = api
        .get(&format!("/v3/groups/{}/messages", post_target.group_id), &post_target.token)
        .await?;
    let (call, size) = (reply.call.clone(), reply.body.len());
    let page: Page = reply.response(200)?;
    match page.messages.len() {
        20 => Ok(size),
        other => {
            Err(CallError::Status { call, status: 200, body: format!("{other} messages, not 20") }
                .into())
        }
    }
}

/// A worker that requests one page after the other.
struct Reader {
    addr: SocketAddr,
    connection: Connection,
    requests: Arc<Vec<Vec<u8>>>,
    next: usize,
}

impl Worker for Reader {
    async fn step(&mut self) -> Result<Step, LoadError> {
        let request = &self.requests[self.next % self.requests.len()];
        self.next += 1;
        let started = Instant::now();
        self.connection.freshen(self.addr).await?;
        let answer = self.connection.exchange(request).await?;
        if answer.status == 200 {
            return Ok(Step::Done { latency: started.elapsed(), units: 1 });
        }
        let text = String::from_utf8_lossy(request);
        let line: Vec<&str> = text.split(' ').take(2).collect();
        Err(LoadError::Status { status: answer.status, request: line.join(" ") })
    }
}

/// How many readers there are, and how many pages per second they request together; without a rate,
/// as fast as pages are answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Readers {
    pub(super) count: usize,
    pub(super) rate: Option<f64>,
}

/// Reads for one turn: each reader requests one page after the other.
pub(super) async fn read(
    target: Target,
    requests: &Arc<Vec<Vec<u8>>>,
    readers: Readers,
    window: Window,
) -> Result<Phase, RunError> {
    let mut workers = Vec::with_capacity(readers.count);
    for reader in 0..readers.count {
        let connection = Connection::open(target.addr).await.map_err(LoadError::from)?;
        let next = reader * requests.len() / readers.count;
        workers.push(Reader {
            addr: target.addr,
            connection,
            requests: Arc::clone(requests),
            next,
        });
    }
    let (_, phase) = pace::run(workers, readers.rate, Meter::default(), window, target.pid).await?;
    Ok(phase)
}

fn bars(report: &mut Report, size: usize) {
    let rate = |phase: &Phase| phase.per_second;
    let newest = report.each(NEWEST, rate);
    let ratio = median_ratio(&newest, &report.each(TRIVIAL, rate));
    let same_size = median_ratio(&newest, &report.each(SAME_SIZE, rate));
    let p99 = |phase: &Phase| phase.latency.p99_ms;
    let deep = median_ratio(&report.each(DEEP, rate), &newest);
    let tail = median_ratio(&report.each(DEEP, p99), &report.each(NEWEST, p99));
    report.figure("bytes of a newest page", Some(size as f64), "");
    report.figure("newest pages per GET of the same size", same_size, "×");
    report.bars = vec![
        Bar::new("P7", "newest pages per trivial GET", ratio, Bound::AtLeast(0.8), "×"),
        Bar::new("P7", "deep pages per newest pages", deep, Bound::AtLeast(0.35), "×"),
        Bar::new("P7", "p99 of a deep page per a newest's", tail, Bound::AtMost(4.0), "×"),
    ];
}
