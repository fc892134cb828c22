//! R8: users who post and read while abusive clients attack.
//!
//! Half-sent requests, bodies and pictures that unpack to far more than they are, JSON and frames
//! of excessive size, subscriptions by the ten thousand; and one user without rights who searches,
//! uploads and makes bots on forty connections: each kind in turn. Excessive input must be refused
//! or disconnected, the server's memory must stay bounded, and the other users must be served.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::environment::{Environment, OpenFiles};
use super::idle::mebibytes;
use super::{RunError, posts, run_id, say};
use crate::cli::sizes::Abuse as Args;
use crate::http::connection::Connection;
use crate::http::request;
use crate::http::request::PostTarget;
use crate::http::response::HttpError;
use crate::load::abuse::{ALL, Abuse, Abusers};
use crate::load::meter::{Phase, Window};
use crate::load::poster::Poster;
use crate::process::proc_fs::resident_bytes;
use crate::process::server::UserLimits;
use crate::process::target::Target;
use crate::report::bar::{Bar, Bound};
use crate::report::{POSTS, Report};
use crate::stats::{Latencies, Percentiles, Seen};
use crate::world::listing;
use crate::world::people::World;
use crate::world::rest::Api;

/// How many users post meanwhile, in how many groups, and how many members each group has.
const SENDERS: usize = 8;
const GROUPS: usize = 4;
const MEMBERS: usize = 3;
/// Posts of all senders together in a second. A closed loop would take all cores for itself, so
/// that the reads showed the posts and not the abuse, and would reach the limits of its writers.
const POSTS_A_SECOND: f64 = 1000.0;
const ALONE: &str = "posts alone";
/// The time between two samples of the server's memory.
const LOOK: Duration = Duration::from_millis(50);
/// The time between two reads of the user who reads.
const READ_PAUSE: Duration = Duration::from_millis(10);

pub async fn run(args: &Args) -> Result<Report, RunError> {
    let options = &args.common;
    let kinds = chosen(args.only.as_deref())?;
    let connections = options.size(args.connections, 500, 8);
    let files = OpenFiles::one_side(connections + 64);
    let environment = Environment::open_with(options, files, UserLimits::OfWrites)?;
    let target = environment.target();
    let run = run_id();
    say(format_args!("registering {SENDERS} people in {GROUPS} groups"));
    let mut api = Api::new(target.addr);
    let world = World::build(&mut api, run, SENDERS, GROUPS, MEMBERS).await?;
    let post_targets: Vec<PostTarget> =
        (0..SENDERS).map(|sender| world.post_target(sender)).collect();
    // One person more, in a group of their own, so that no share of a user is one of the others'.
    let stranger = World::build(&mut api, run.wrapping_add(1), 1, 1, 1).await?.post_target(0);
    let cursor = newest_cursor(&mut api, &stranger).await?;
    let reads = Reads::new(target, &post_targets[SENDERS - 1]);
    let mut posters = posts::posters(environment.nodes(), &post_targets, run, options.text_bytes());
    let setting = format!(
        "{SENDERS} senders with {POSTS_A_SECOND} posts/s beside {connections} connections of each kind in turn, {} s each",
        options.turn().as_secs_f64()
    );
    let mut report = Report::new("abuse", POSTS, options.smoke, setting);
    let window = Window::of(options.turn());
    let mut before = None;
    let mut peaks = Vec::new();
    let mut slowest = Vec::new();
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        let phase;
        (posters, phase) = posts::turn_at(posters, target, Some(POSTS_A_SECOND), window).await?;
        report.row(round, ALONE, phase);
        before = before.or(memory(target)?);
        let mut most: Option<f64> = None;
        for &(abuse, words) in &kinds {
            say(words);
            let abusers = Abusers::new(target.addr, abuse, connections, &stranger, &cursor);
            let phase;
            let beside_abuse;
            (posters, phase, beside_abuse) =
                beside(posters, target, window, &abusers, &reads).await?;
            report.row(round, words, phase);
            let BesideAbuse { peak, reads } = beside_abuse;
            let grown = peak.zip(before).map(|(peak, before)| (peak - before).max(0.0));
            report.figure(format!("round {round}, memory beside {words}"), grown, "MiB");
            let read = (reads.count > 0).then_some(reads.p99_ms);
            report.figure(format!("round {round}, p99 of reads beside {words}"), read, "ms");
            slowest.extend(read);
            most = most.into_iter().chain(grown).reduce(f64::max);
            judge(&mut report, abuse, words, &abusers);
        }
        peaks.extend(most);
    }
    say("listing everything that was posted");
    let posters: Vec<&Poster> = posters.iter().collect();
    report.check_listing(&listing::check(&mut api, &post_targets, &posters).await?.listing);
    let odd: u64 = posters.iter().flat_map(|it| it.odd_answers().values()).sum();
    report.check("posts are served", odd == 0, format!("{odd} answers other than 201"));
    let odd = reads.odd_answers.load(Ordering::Relaxed);
    report.check(
        "reads are served",
        odd == 0,
        format!("{odd} rounds of reads with a failed request or a status of 500 or more"),
    );
    report.bars = bars(&peaks, &slowest);
    Ok(report)
}

/// The kinds of abuse whose name contains this text; all of them without a text.
fn chosen(only: Option<&str>) -> Result<Vec<(Abuse, &'static str)>, RunError> {
    let is_chosen = |words: &str| only.is_none_or(|only| words.contains(only));
    let kinds: Vec<_> = ALL.into_iter().filter(|(_, words)| is_chosen(words)).collect();
    if kinds.is_empty() {
        let names: Vec<&str> = ALL.iter().map(|(_, words)| *words).collect();
        let names = names.join(", ");
        return Err(RunError::Size(format!("--only must be part of one of these names: {names}")));
    }
    Ok(kinds)
}

/// MiB that the server's own limits allow it to use for such clients: the work on pictures (384
/// MiB), bodies (64 MiB), and 128 KiB that are read ahead from each connection.
const MEMORY_MIB: f64 = 512.0;
/// How many times the memory of the first round a later round may take: memory that grows in every
/// round is not bounded.
const LATER_ROUNDS: f64 = 1.15;

/// Milliseconds within which 99 of 100 reads of other users are answered beside each abuse.
const READ_MS: f64 = 250.0;

/// Returns the bars; `peaks` is the most memory above the start in each round, `reads` the p99 of
/// reads beside each abuse in milliseconds.
fn bars(peaks: &[f64], reads: &[f64]) -> Vec<Bar> {
    let most = peaks.iter().copied().reduce(f64::max);
    let later = peaks.iter().skip(1).copied().reduce(f64::max);
    let per_first = later.zip(peaks.first()).map(|(later, first)| later / first);
    let slowest = reads.iter().copied().reduce(f64::max);
    let (memory, growth) = (Bound::AtMost(MEMORY_MIB), Bound::AtMost(LATER_ROUNDS));
    vec![
        Bar::new("R8", "server memory above the start", most, memory, "MiB"),
        Bar::new("R8", "memory of later rounds per first", per_first, growth, "×"),
        Bar::new("R8", "slowest p99 of other users' reads", slowest, Bound::AtMost(READ_MS), "ms"),
    ]
}

/// The cursor after which an abuser reads events.
async fn newest_cursor(api: &mut Api, of: &PostTarget) -> Result<String, RunError> {
    #[derive(Deserialize)]
    struct Page {
        c: String,
    }
    Ok(api.get("/v3/events?wait=0", &of.token).await?.response::<Page>(200)?.c)
}

/// One more user, who reads lists, pages and search results one after the other.
struct Reads {
    target: Target,
    requests: Vec<Vec<u8>>,
    latencies: Latencies,
    odd_answers: AtomicU64,
}

impl Reads {
    fn new(target: Target, of: &PostTarget) -> Self {
        let group = &of.group_id;
        let paths = [
            "/v3/groups".to_owned(),
            "/v3/sync".to_owned(),
            format!("/v3/groups/{group}/messages?limit=20"),
            format!("/v3/poll/{group}"),
            format!("/v3/conversations/{group}/events/list"),
            "/v3/search/messages?q=load".to_owned(),
        ];
        let requests = paths.iter().map(|path| request::get(target.addr, path, &of.token));
        let (latencies, odd_answers) = (Latencies::default(), AtomicU64::default());
        Self { target, requests: requests.collect(), latencies, odd_answers }
    }

    /// Reads until dropped; a read that is under way then counts with the time it took so far.
    async fn run(&self) {
        loop {
            let all_served = self.in_turn().await.unwrap_or(false);
            if !all_served {
                self.odd_answers.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(READ_PAUSE).await;
            }
        }
    }

    /// Sends each request once; returns whether the server served all of them.
    async fn in_turn(&self) -> Result<bool, HttpError> {
        let mut connection = Connection::open(self.target.addr).await?;
        let mut all_served = true;
        for request in &self.requests {
            let timed = Timed { latencies: &self.latencies, began: Instant::now() };
            let status = connection.exchange(request).await?.status;
            drop(timed);
            all_served &= status < 500;
            tokio::time::sleep(READ_PAUSE).await;
            connection.freshen(self.target.addr).await?;
        }
        Ok(all_served)
    }
}

/// Records the time from `began` to its drop.
struct Timed<'a> {
    latencies: &'a Latencies,
    began: Instant,
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        self.latencies.record(self.began.elapsed());
    }
}

/// The server beside one abuse.
struct BesideAbuse {
    /// The most memory of the server, in MiB.
    peak: Option<f64>,
    /// The latencies of the user who reads.
    reads: Percentiles,
}

/// Runs a turn of the posters and of the user who reads while the abusers attack.
async fn beside(
    posters: Vec<Poster>,
    target: Target,
    window: Window,
    abusers: &Abusers,
    reads: &Reads,
) -> Result<(Vec<Poster>, Phase, BesideAbuse), RunError> {
    let peak = AtomicU64::new(0);
    let mut seen = Seen::default();
    reads.latencies.percentiles_since(&mut seen);
    let looks = async {
        loop {
            match target.pid.map(resident_bytes).transpose() {
                Ok(bytes) => peak.fetch_max(bytes.unwrap_or(0), Ordering::Relaxed),
                Err(error) => return error,
            };
            tokio::time::sleep(LOOK).await;
        }
    };
    let (posters, phase) = tokio::select! {
        turn = posts::turn_at(posters, target, Some(POSTS_A_SECOND), window) => turn?,
        ended = abusers.run() => {
            ended?;
            return Err(RunError::Size("the abusers stopped on their own".to_owned()));
        }
        error = looks => return Err(error.into()),
        () = reads.run() => return Err(RunError::Size("the reads stopped on their own".to_owned())),
    };
    let peak = target.pid.map(|_| mebibytes(peak.load(Ordering::Relaxed)));
    Ok((posters, phase, BesideAbuse { peak, reads: reads.latencies.percentiles_since(&mut seen) }))
}

fn memory(target: Target) -> Result<Option<f64>, RunError> {
    Ok(target.pid.map(resident_bytes).transpose()?.map(mebibytes))
}

fn judge(report: &mut Report, abuse: Abuse, words: &'static str, abusers: &Abusers) {
    let endings = abusers.endings();
    let told: Vec<String> =
        endings.iter().map(|(ending, times)| format!("{times} × {ending}")).collect();
    let told = if told.is_empty() { "all wait still".to_owned() } else { told.join(", ") };
    let is_sound = endings.keys().all(|ending| ending.is_sound(abuse));
    report.check("refused or cut", is_sound, format!("{words}: {told}"));
}
