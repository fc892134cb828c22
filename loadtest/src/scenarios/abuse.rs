//! R8: users who post while abusive clients attack.
//!
//! Half-sent requests, bodies and pictures that unpack to far more than they are, JSON and frames
//! of excessive size, subscriptions by the ten thousand: each kind in turn, on many connections at
//! once. The abusive clients must be refused or disconnected, the server's memory must stay
//! bounded, and the users who post must be served.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::environment::{Environment, OpenFiles};
use super::idle::mebibytes;
use super::{RunError, posts, run_id, say};
use crate::cli::sizes::Abuse as Args;
use crate::http::request::PostTarget;
use crate::load::abuse::{ALL, Abuse, Abusers};
use crate::load::meter::{Phase, Window};
use crate::load::poster::Poster;
use crate::process::proc_fs::resident_bytes;
use crate::process::target::Target;
use crate::report::bar::{Bar, Bound};
use crate::report::{POSTS, Report};
use crate::world::listing;
use crate::world::people::World;
use crate::world::rest::Api;

/// How many users post meanwhile, in how many groups, and how many members each group has.
const SENDERS: usize = 8;
const GROUPS: usize = 4;
const MEMBERS: usize = 3;
const ALONE: &str = "posts alone";
/// The time between two samples of the server's memory.
const LOOK: Duration = Duration::from_millis(50);

pub async fn run(args: &Args) -> Result<Report, RunError> {
    let options = &args.common;
    let connections = options.size(args.connections, 500, 8);
    let environment = Environment::open(options, OpenFiles::one_side(connections + 64))?;
    let target = environment.target();
    let run = run_id();
    say(format_args!("registering {SENDERS} people in {GROUPS} groups"));
    let mut api = Api::new(target.addr);
    let world = World::build(&mut api, run, SENDERS, GROUPS, MEMBERS).await?;
    let post_targets: Vec<PostTarget> =
        (0..SENDERS).map(|sender| world.post_target(sender)).collect();
    let mut posters = posts::posters(environment.nodes(), &post_targets, run, options.text_bytes());
    let setting = format!(
        "{SENDERS} senders beside {connections} connections of each kind in turn, {} s each",
        options.turn().as_secs_f64()
    );
    let mut report = Report::new("abuse", POSTS, options.smoke, setting);
    let window = Window::of(options.turn());
    let mut before = None;
    let mut peaks = Vec::new();
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        let phase;
        (posters, phase) = posts::turn(posters, target, window).await?;
        report.row(round, ALONE, phase);
        before = before.or(memory(target)?);
        let mut most: Option<f64> = None;
        for (abuse, words) in ALL {
            say(words);
            let abusers = Abusers::new(target.addr, abuse, connections, &post_targets[0]);
            let (phase, peak);
            (posters, phase, peak) = beside(posters, target, window, &abusers).await?;
            report.row(round, words, phase);
            let grown = peak.zip(before).map(|(peak, before)| (peak - before).max(0.0));
            report.figure(format!("round {round}, memory beside {words}"), grown, "MiB");
            most = most.into_iter().chain(grown).reduce(f64::max);
            judge(&mut report, abuse, words, &abusers);
        }
        peaks.extend(most);
    }
    say("listing everything that was posted");
    let posters: Vec<&Poster> = posters.iter().collect();
    report.check_listing(&listing::check(&mut api, &post_targets, &posters).await?.listing);
    let odd: u64 = posters.iter().flat_map(|it| it.odd_answers().values()).sum();
    report.check("who posts is served", odd == 0, format!("{odd} answers other than 201"));
    report.bars = bars(&peaks);
    Ok(report)
}

/// MiB that the server's own limits allow it to use for such clients: the work on pictures (384
/// MiB), bodies (64 MiB), and 128 KiB that are read ahead from each connection.
const MEMORY_MIB: f64 = 512.0;
/// How many times the memory of the first round a later round may take: memory that grows in every
/// round is not bounded.
const LATER_ROUNDS: f64 = 1.15;

/// Returns the bars; `peaks` is the most memory above the start in each round.
fn bars(peaks: &[f64]) -> Vec<Bar> {
    let most = peaks.iter().copied().reduce(f64::max);
    let later = peaks.iter().skip(1).copied().reduce(f64::max);
    let per_first = later.zip(peaks.first()).map(|(later, first)| later / first);
    let (memory, growth) = (Bound::AtMost(MEMORY_MIB), Bound::AtMost(LATER_ROUNDS));
    vec![
        Bar::new("R8", "server memory above the start", most, memory, "MiB"),
        Bar::new("R8", "memory of later rounds per first", per_first, growth, "×"),
    ]
}

/// Runs a turn of the posters while the abusers attack; returns the most memory that the server had
/// in it.
async fn beside(
    posters: Vec<Poster>,
    target: Target,
    window: Window,
    abusers: &Abusers,
) -> Result<(Vec<Poster>, Phase, Option<f64>), RunError> {
    let peak = AtomicU64::new(0);
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
        turn = posts::turn(posters, target, window) => turn?,
        () = abusers.run() => return Err(RunError::Size("harm ended by itself".to_owned())),
        error = looks => return Err(error.into()),
    };
    let peak = target.pid.map(|_| mebibytes(peak.load(Ordering::Relaxed)));
    Ok((posters, phase, peak))
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
