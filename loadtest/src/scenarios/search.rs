//! P17: searching many messages by three words, the cost of indexing them, and posts while they are
//! indexed.
//!
//! Words are drawn as they are in a language: few occur in most messages, most in few. A search is
//! for three words of one message, so there is always something to find. To measure the cost of
//! indexing, the server is started without its search directory and rebuilds it; posts meanwhile
//! are compared with posts once it is built.

use std::path::Path;
use std::time::{Duration, Instant};

use super::environment::{Environment, OpenFiles};
use super::posts;
use super::{RunError, run_id, say};
use crate::cli::sizes::Search;
use crate::http::connection::Connection;
use crate::http::request::{self, PostTarget};
use crate::load::closed_loop::{self, LoadError, Step, Worker};
use crate::load::meter::{Meter, Phase, Window};
use crate::load::pace;
use crate::load::words::{Length, Talker, mixed, word, words_of};
use crate::process::proc_fs::cpu_time;
use crate::process::target::Target;
use crate::report::bar::{Bar, Bound};
use crate::report::{REQUESTS, Report};
use crate::stats::{median, median_ratio};
use crate::world::people::World;
use crate::world::rest::{Api, CallError};

const SEARCHES: &str = "three words";
const ALONE: &str = "posts alone";
const BESIDE: &str = "posts beside indexing";

const PEOPLE: usize = 16;
const MEMBERS: usize = 4;
const SEEDERS: usize = 64;
/// Words in a message.
const WORDS: u64 = 10;
/// The slowest disk that the run waits for, in posts per second.
const SLOWEST_SEEDING: u64 = 500;
/// The slowest indexing that the run waits for, in messages per second.
const SLOWEST_INDEXING: u64 = 2_000;

struct Sizes {
    groups: usize,
    messages: usize,
    readers: usize,
}

pub async fn run(args: &Search) -> Result<Report, RunError> {
    let options = &args.common;
    let sizes = Sizes {
        groups: options.size(args.groups, 100, 3),
        messages: options.size(args.messages, 1_000_000, 500),
        readers: options.size(args.readers, 4, 2),
    };
    let mut environment =
        Environment::open(options, OpenFiles::one_side(sizes.readers.max(SEEDERS)))?;
    let mut api = Api::new(environment.target().addr);
    let run = run_id();
    let world = World::build(&mut api, run, PEOPLE, sizes.groups, MEMBERS).await?;
    let setting = format!(
        "{} messages of {WORDS} words in {} groups, {} readers, each in a quarter of them{}",
        sizes.messages,
        sizes.groups,
        sizes.readers,
        posts::at(args.rate)
    );
    let mut report = Report::new("search", REQUESTS, options.smoke, setting);
    seed(&environment, &world, &sizes, run).await?;
    until_indexed(environment.target(), sizes.messages).await?;
    let window = Window::of(options.turn());
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        let rate = args.rate.map(f64::from);
        let phase = search(environment.target(), &world, &sizes, rate, window).await?;
        report.row(round, SEARCHES, phase);
    }
    let p99 = median(&report.each(SEARCHES, |phase| phase.latency.p99_ms));
    report.bars.push(Bar::new("P17", "p99 of three words", p99, Bound::AtMost(100.0), "ms"));
    if options.url.is_empty() {
        rebuild(&mut environment, &world, &sizes, &mut report).await?;
        beside(&mut environment, &world, &sizes, (options.rounds(), window), &mut report).await?;
    }
    Ok(report)
}

async fn seed(
    environment: &Environment,
    world: &World,
    sizes: &Sizes,
    run: u32,
) -> Result<(), RunError> {
    say(format_args!("posting {} messages", sizes.messages));
    let talkers = (0..SEEDERS).zip(0_u16..).map(|(place, sender)| Talker {
        addr: environment.target().addr,
        connection: None,
        place: world.post_target(place),
        run,
        sender,
        next: place,
        step: SEEDERS,
        end: sizes.messages,
        length: Length::Words(WORDS),
    });
    let patience = Duration::from_secs(60 + sizes.messages as u64 / SLOWEST_SEEDING);
    closed_loop::run_out(talkers.collect(), patience).await?;
    Ok(())
}

/// Waits until all messages are indexed.
async fn until_indexed(target: Target, messages: usize) -> Result<(), RunError> {
    say("waiting for the search index");
    let patience = Duration::from_secs(60 + messages as u64 / SLOWEST_INDEXING);
    let deadline = Instant::now() + patience;
    let mut api = Api::new(target.addr);
    while Instant::now() < deadline {
        let page = api.get("/metrics", "").await?;
        let page = String::from_utf8_lossy(&page.body).into_owned();
        if metric(&page, "coterie_search_lag_bytes") == Some(0.0)
            && metric(&page, "coterie_search_messages") > Some(0.0)
        {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err(CallError::NeverReady("/metrics".to_owned()).into())
}

fn metric(page: &str, name: &str) -> Option<f64> {
    page.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// A worker that searches for three words, again and again.
struct Seeker {
    target: Target,
    connection: Connection,
    token: String,
    messages: u64,
    next: u64,
}

impl Worker for Seeker {
    async fn step(&mut self) -> Result<Step, LoadError> {
        let message = mixed(self.next) % self.messages;
        self.next += 1;
        let all: Vec<u64> = words_of(message, WORDS).collect();
        let words: Vec<String> = [0, 3, 7].iter().map(|place| word(all[*place])).collect();
        let path = format!("/v3/search/messages?q={}", words.join("+"));
        let request = request::get(self.target.addr, &path, &self.token);
        let started = Instant::now();
        self.connection.freshen(self.target.addr).await?;
        let status = self.connection.exchange(&request).await?.status;
        match status {
            200 | 304 => Ok(Step::Done { latency: started.elapsed(), units: 1 }),
            status => Err(LoadError::Status { status, request: format!("GET {path}") }),
        }
    }
}

async fn search(
    target: Target,
    world: &World,
    sizes: &Sizes,
    rate: Option<f64>,
    window: Window,
) -> Result<Phase, RunError> {
    let mut seekers = Vec::with_capacity(sizes.readers);
    for reader in 0..sizes.readers {
        seekers.push(Seeker {
            target,
            connection: Connection::open(target.addr).await.map_err(LoadError::from)?,
            token: world.people[reader % world.people.len()].token.clone(),
            messages: sizes.messages as u64,
            next: mixed(reader as u64),
        });
    }
    let (_, phase) = pace::run(seekers, rate, Meter::default(), window, target.pid).await?;
    Ok(phase)
}

/// Restarts the server without its search directory.
fn without_words(environment: &mut Environment) -> Result<(), RunError> {
    let words = environment.directory().join("data").join("search");
    environment.restart_after(|| std::fs::remove_dir_all(words))
}

/// Measures what rebuilding the search directory costs, and how large it is.
async fn rebuild(
    environment: &mut Environment,
    world: &World,
    sizes: &Sizes,
    report: &mut Report,
) -> Result<(), RunError> {
    without_words(environment)?;
    let target = environment.target();
    let pid = target.pid.unwrap_or_default();
    let before = cpu_time(pid)?;
    until_indexed(target, sizes.messages).await?;
    let messages = sizes.messages as f64;
    let micros = (cpu_time(pid)? - before).as_secs_f64() * 1e6 / messages;
    let bytes = bytes_below(&environment.directory().join("data").join("search"))? as f64;
    let (indexing, size) = ("indexing a message", "its words on disk");
    report.bars.push(Bar::new("P17", indexing, Some(micros), Bound::AtMost(15.0), "µs"));
    let bytes = Some(bytes / messages);
    report.bars.push(Bar::new("P17", size, bytes, Bound::AtMost(120.0), "B"));
    let found = search(target, world, sizes, None, Window::of(Duration::from_millis(200))).await?;
    report.check("the rebuilt index finds messages", found.units > 0, format!("{}", found.units));
    Ok(())
}

async fn beside(
    environment: &mut Environment,
    world: &World,
    sizes: &Sizes,
    (rounds, window): (usize, Window),
    report: &mut Report,
) -> Result<(), RunError> {
    let places: Vec<PostTarget> = (0..SEEDERS).map(|sender| world.post_target(sender)).collect();
    for round in 1..=rounds {
        without_words(environment)?;
        // Other guids and other connections each time.
        for (what, run) in [(BESIDE, run_id()), (ALONE, run_id() + 1)] {
            if what == ALONE {
                until_indexed(environment.target(), sizes.messages).await?;
            }
            let posters = posts::posters(environment.nodes(), &places, run, 200);
            let (_, phase) = posts::turn(posters, environment.target(), window).await?;
            report.row(round, what, phase);
        }
    }
    let rate = |phase: &Phase| phase.per_second;
    let ratio = median_ratio(&report.each(BESIDE, rate), &report.each(ALONE, rate));
    report.bars.push(Bar::new("P17", "posts beside indexing", ratio, Bound::AtLeast(0.9), "×"));
    Ok(())
}

fn bytes_below(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        // A file that was merged away may be gone by now.
        bytes += entry?.metadata().map_or(0, |file| file.len());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_read_from_its_line() {
        let page = "# HELP coterie_search_lag_bytes x\ncoterie_search_lag_bytes 12\n";
        assert_eq!(metric(page, "coterie_search_lag_bytes"), Some(12.0));
        assert_eq!(metric(page, "coterie_search_messages"), None);
    }
}
