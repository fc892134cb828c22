//! P14: how soon a thousand bots receive a message while a tenth of them fail.
//!
//! Messages are posted at fixed times, to one group after the other. A latency is the time from the
//! answer, which says that the message is durable, to the listener of a healthy bot. The same
//! groups with their healthy bots alone are the yardstick for "unchanged".

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;

use super::environment::{Environment, OpenFiles};
use super::{RunError, run_id, say};
use crate::callbacks::{Arrivals, Manner, listen};
use crate::cli::sizes::Bots;
use crate::load::meter::{Meter, Phase, Window};
use crate::process::target::Target;
use crate::report::bar::{Bar, Bound};
use crate::report::{DELIVERIES, Report};
use crate::stats::{Latencies, median, median_ratio};
use crate::world::people::World;
use crate::world::rest::Api;

const ALONE: &str = "healthy bots alone";
const AMONG: &str = "a tenth failing";
/// The most bots in one group.
const PER_GROUP: usize = 100;

/// A group with its owner's token and the numbers of its bots that take messages.
struct Audience {
    id: String,
    token: String,
    healthy: HashSet<usize>,
}

/// A message that the server has acknowledged.
struct Said {
    id: u64,
    group: usize,
    at: Instant,
    is_measured: bool,
}

/// What every turn needs.
struct Stage {
    api: Api,
    target: Target,
    run: u32,
    said: usize,
    arrivals: Arc<Arrivals>,
    meter: Arc<Mutex<Arc<Meter>>>,
    patience: Duration,
    text: String,
}

pub async fn run(args: &Bots) -> Result<Report, RunError> {
    let options = &args.common;
    let bots = options.size(args.bots, 1000, 40);
    let per_group = PER_GROUP.min(bots.div_ceil(4));
    let rate = options.size(args.rate, 5, 20);
    let environment = Environment::open(options, OpenFiles::one_side(512))?;
    let arrivals = Arc::<Arrivals>::default();
    let meter = Arc::new(Mutex::new(Arc::<Meter>::default()));
    let mut stage = Stage {
        api: Api::new(environment.target().addr),
        target: environment.target(),
        run: run_id(),
        said: 0,
        arrivals,
        meter,
        patience: options.patience(),
        text: "x".repeat(options.text_bytes()),
    };
    let groups = bots.div_ceil(per_group);
    say(format_args!("making {bots} bots, a tenth of them failing, and the healthy ones again"));
    let world = World::build(&mut stage.api, stage.run, 1, 2 * groups, 1).await?;
    let (alone, among) = world.groups.split_at(groups);
    let token = &world.people[0].token;
    let among = stage.populate(among, token, per_group, true).await?;
    let alone = stage.populate(alone, token, per_group, false).await?;

    let mut report = Report::new("bots", DELIVERIES, options.smoke, setting(args, bots, rate));
    let window = Window::of(options.turn());
    let mut all = Vec::new();
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        for (what, groups) in [(ALONE, &alone), (AMONG, &among)] {
            let (said, phase) = stage.turn(groups, rate, window).await?;
            report.row(round, what, phase);
            all.push((what, said));
        }
    }
    check(&mut report, &stage, &all, &alone, &among);
    bars(&mut report);
    Ok(report)
}

fn setting(args: &Bots, bots: usize, rate: usize) -> String {
    let options = &args.common;
    format!(
        "{rate} posts/s in an open loop to groups of {PER_GROUP} bots at most, {bots} bots in all; \
         of ten that fail, one answers 500, the next never, and so on; {} rounds of {} s each",
        options.rounds(),
        options.turn().as_secs_f64()
    )
}

impl Stage {
    /// Creates the bots of some groups; with `with_failing` every tenth fails, otherwise it is left
    /// out.
    async fn populate(
        &mut self,
        groups: &[crate::world::people::Group],
        token: &str,
        per_group: usize,
        with_failing: bool,
    ) -> Result<Vec<Audience>, RunError> {
        #[derive(Deserialize)]
        struct Made {
            bot_id: String,
        }
        let mut hooks = Vec::new();
        for manner in [Manner::Takes, Manner::Fails, Manner::Sleeps] {
            let place = listen(manner, Arc::clone(&self.arrivals), Arc::clone(&self.meter)).await?;
            hooks.push(place);
        }
        let mut audiences = Vec::new();
        for group in groups {
            let (mut healthy, mut made_bots) = (HashSet::new(), Vec::new());
            for seat in 0..per_group {
                let is_tenth = seat % 10 == 9;
                if is_tenth && !with_failing {
                    continue;
                }
                let manner = if is_tenth { 1 + seat / 10 % 2 } else { 0 };
                if manner == 0 {
                    healthy.insert(seat);
                }
                let url = format!("http://{}/{seat}", hooks[manner]);
                // Bots are switched on once all of them exist: the arrival of each posts a line,
                // which active bots would receive.
                let bot = json!({
                    "name": "Bot", "group_id": group.id, "callback_url": url, "active": false,
                });
                let made = self.api.post("/v3/bots", token, &json!({"bot": bot})).await?;
                made_bots.push(made.response::<Made>(201)?.bot_id);
            }
            for bot in made_bots {
                let path = format!("/v3/bots/{bot}/update");
                let changed = self.api.post(&path, token, &json!({"active": true})).await?;
                changed.response::<serde_json::Value>(200)?;
            }
            audiences.push(Audience { id: group.id.clone(), token: token.to_owned(), healthy });
        }
        Ok(audiences)
    }

    /// Posts at fixed times into one group after the other, then waits until all healthy bots have
    /// received all messages.
    async fn turn(
        &mut self,
        groups: &[Audience],
        rate: usize,
        window: Window,
    ) -> Result<(Vec<Said>, Phase), RunError> {
        let meter = Arc::<Meter>::default();
        *self.meter.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&meter);
        let began = Instant::now();
        let pid = self.target.pid;
        let posting = self.post_until(groups, rate, Arc::clone(&meter));
        let (said, phase) = tokio::join!(posting, meter.observe(window, pid));
        let (mut said, mut phase) = (said?, phase?);
        let measured = began + window.warm_up..began + window.warm_up + window.measured;
        said.iter_mut().for_each(|it| it.is_measured = measured.contains(&it.at));
        self.all_heard(groups, &said).await;
        let latencies = Latencies::default();
        for said in said.iter().filter(|said| said.is_measured) {
            for (bot, at) in self.arrivals.of(said.id) {
                if groups[said.group].healthy.contains(&bot) {
                    latencies.record(at.saturating_duration_since(said.at));
                }
            }
        }
        phase.latency = latencies.percentiles();
        Ok((said, phase))
    }

    async fn post_until(
        &mut self,
        groups: &[Audience],
        rate: usize,
        meter: Arc<Meter>,
    ) -> Result<Vec<Said>, RunError> {
        #[derive(Deserialize)]
        struct Stored {
            message: Id,
        }
        #[derive(Deserialize)]
        struct Id {
            id: String,
        }
        let mut beat = tokio::time::interval(Duration::from_secs(1) / rate.max(1) as u32);
        let mut said = Vec::new();
        while !meter.is_stopped() {
            beat.tick().await;
            let group = self.said % groups.len();
            let audience = &groups[group];
            let guid = format!("{}-{}", self.run, self.said);
            self.said += 1;
            let body = json!({"message": {"source_guid": guid, "text": self.text}});
            let path = format!("/v3/groups/{}/messages", audience.id);
            let answer = self.api.post(&path, &audience.token, &body).await?;
            let at = Instant::now();
            let stored: Stored = answer.response(201)?;
            let id = stored.message.id.parse().unwrap_or(0);
            said.push(Said { id, group, at, is_measured: false });
        }
        Ok(said)
    }

    async fn all_heard(&self, groups: &[Audience], said: &[Said]) {
        let deadline = Instant::now() + self.patience;
        let is_heard = |it: &Said| self.arrivals.of(it.id).len() >= groups[it.group].healthy.len();
        while Instant::now() < deadline && !said.iter().all(is_heard) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Checks that every healthy bot received each message of its group once.
fn check(
    report: &mut Report,
    stage: &Stage,
    all: &[(&str, Vec<Said>)],
    alone: &[Audience],
    among: &[Audience],
) {
    let (mut owed, mut missing, mut twice) = (0_usize, 0_usize, 0_usize);
    for (what, said) in all {
        let groups = if *what == ALONE { alone } else { among };
        for said in said {
            let healthy = &groups[said.group].healthy;
            let heard = stage.arrivals.of(said.id);
            let bots: HashSet<usize> = heard.iter().map(|(bot, _)| *bot).collect();
            owed += healthy.len();
            missing += healthy.difference(&bots).count();
            twice += heard.len() - bots.len();
        }
    }
    let detail = format!("{owed} owed; {missing} missing, {twice} twice");
    let passed = owed > 0 && missing == 0 && twice == 0;
    report.check("every healthy bot received every acknowledged message once", passed, detail);
}

fn bars(report: &mut Report) {
    let p99 = |phase: &Phase| phase.latency.p99_ms;
    let among = median(&report.each(AMONG, p99));
    let ratio = median_ratio(&report.each(AMONG, p99), &report.each(ALONE, p99));
    let cpu = median(&report.each_cpu(ALONE));
    report.bars = vec![
        Bar::new("P14", "p99 from commit to a healthy bot", among, Bound::AtMost(15.0), "ms"),
        Bar::new("P14", "p99 among failing bots per alone", ratio, Bound::AtMost(1.1), "×"),
        Bar::new("P14", "server CPU per callback", cpu, Bound::AtMost(80.0), "µs"),
    ];
}
