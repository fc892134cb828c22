//! P20 to P26: what each kind of act costs the server, as a curve over members, likers, messages,
//! old polls and events, alarms and sockets.
//!
//! Each measurement does a fixed number of acts and waits until the server rests, so that work
//! which the server leaves for later counts too.

mod alarms;
mod cold;
mod crew;
mod large;
mod marks;
mod plans;
mod sockets;

use std::time::{Duration, Instant};

use super::environment::{Environment, OpenFiles};
use super::{RunError, run_id, say};
use crate::cli::sizes::{Act, Growth};
use crate::load::closed_loop::{self, LoadError};
use crate::load::meter::{Phase, Rest};
use crate::load::series::{Series, send_all};
use crate::process::proc_fs::{at_rest, cpu_time};
use crate::process::target::Target;
use crate::report::bar::{Bar, Bound};
use crate::report::curve::{Curve, Point};
use crate::report::{ACTS, Report};
use crew::Crew;

/// Members who have a socket each, and who do the acts.
const ONLINE: usize = 10;
/// Connections of the set-up.
const LANES: usize = 16;
/// How long a measurement or a step of the set-up may take.
const PATIENCE: Duration = Duration::from_secs(900);
/// The time over which an idle server is measured.
const IDLE: Duration = Duration::from_secs(2);
/// The share of a core below which a server does nothing, and how often it is looked at.
const MOST_IDLE: f64 = 0.02;
const IDLE_LOOKS: usize = 30;
/// The most members that a group can have.
const MOST_MEMBERS: usize = 10_000;

/// The sizes of all curves.
#[derive(Debug)]
struct Sizes {
    members: Vec<usize>,
    likers: Vec<usize>,
    history: Vec<usize>,
    old: Vec<usize>,
    messages: usize,
    due: Vec<usize>,
    beside: Vec<usize>,
    sockets: Vec<usize>,
    acts: usize,
    joiners: usize,
}

impl Sizes {
    fn of(args: &Growth) -> Self {
        let options = &args.common;
        let list = |asked: &[u32], full: &[usize], smoke: &[usize]| match (asked, options.smoke) {
            ([], true) => smoke.to_vec(),
            ([], false) => full.to_vec(),
            (asked, _) => asked.iter().map(|size| *size as usize).collect(),
        };
        Self {
            members: list(&args.members, &[10, 100, 1000, 5000, MOST_MEMBERS], &[10, 12]),
            likers: list(&args.likers, &[10, 100, 1000, MOST_MEMBERS], &[4, 8]),
            history: list(&args.history, &[1000, 10_000, 100_000], &[40, 80]),
            old: list(&args.old, &[10, 500, 5000], &[2, 8]),
            messages: options.size(args.messages, 1_000_000, 40),
            due: list(&args.due, &[100, 1000, 10_000], &[30, 60]),
            beside: list(&args.beside, &[0, 100, 400], &[0, 50]),
            sockets: list(&args.sockets, &[1000, 10_000], &[10, 20]),
            acts: options.size(args.acts, 4000, 20),
            joiners: options.size(None, 40, 2),
        }
    }

    fn people(&self, wants: impl Fn(Act) -> bool) -> usize {
        let largest = |sizes: &[usize]| sizes.iter().copied().max().unwrap_or_default();
        let needs = [
            (Act::Posts, largest(&self.members)),
            (Act::Joins, (largest(&self.members) + self.joiners).min(MOST_MEMBERS)),
            (Act::Likes, largest(&self.likers)),
            (Act::Sockets, sockets::people(largest(&self.sockets))),
            (Act::Alarms, alarms::MUTERS),
        ];
        let needs = needs.into_iter().filter(|(act, _)| wants(*act)).map(|(_, people)| people);
        needs.max().unwrap_or_default().max(2 * ONLINE)
    }
}

/// The server with its people, and the report that the acts fill.
struct Ground {
    environment: Environment,
    crew: Crew,
    sizes: Sizes,
    rounds: usize,
    /// Marks the guids of this run.
    run: u32,
    /// Numbers the guids.
    guids: usize,
    idle_cores: f64,
    is_smoke: bool,
    report: Report,
}

pub async fn run(args: &Growth) -> Result<Report, RunError> {
    let options = &args.common;
    let is_wanted = |act: Act| args.only.is_empty() || args.only.contains(&act);
    let sizes = Sizes::of(args);
    let files = sizes.sockets.iter().copied().max().unwrap_or_default() + 200;
    let environment = Environment::open(options, OpenFiles::one_side(files))?;
    let (run, people) = (run_id(), sizes.people(is_wanted));
    say(format_args!("registering {people} people"));
    let crew = Crew::gather(environment.target().addr, run, people, args.people.as_deref()).await?;
    let rounds = options.rounds();
    let setting = format!("{} acts each, {ONLINE} members online, {rounds} rounds", sizes.acts);
    let report = Report::new("growth", ACTS, options.smoke, setting);
    let is_smoke = options.smoke;
    let mut ground = Ground {
        environment,
        crew,
        sizes,
        rounds,
        run,
        guids: 0,
        idle_cores: 0.0,
        is_smoke,
        report,
    };
    ground.measure_idle().await?;
    // An own server can be started again, and a poll runs for at least a minute.
    let is_own = options.url.is_empty();
    for act in [Act::Marks, Act::Posts, Act::Likes, Act::Joins, Act::Beside, Act::Alarms] {
        if is_wanted(act) && !(is_smoke && act == Act::Alarms) {
            ground.measure_act(act).await?;
        }
    }
    if is_wanted(Act::Sockets) {
        ground.sockets(is_own).await?;
    }
    if is_wanted(Act::Cold) && is_own {
        ground.cold().await?;
    }
    Ok(ground.report)
}

impl Ground {
    async fn measure_act(&mut self, act: Act) -> Result<(), RunError> {
        match act {
            Act::Marks => self.marks().await,
            Act::Posts => self.posts().await,
            Act::Likes => self.likes().await,
            Act::Joins => self.joins().await,
            Act::Beside => self.beside().await,
            Act::Alarms => self.alarms().await,
            Act::Cold => self.cold().await,
            Act::Sockets => self.sockets(false).await,
        }
    }

    fn target(&self) -> Target {
        self.environment.target()
    }

    fn rest(&self) -> Rest {
        Rest { pid: self.target().pid, waits: !self.is_smoke, idle_cores: self.idle_cores }
    }

    /// Measures what the server uses when nothing happens, which is no part of any act.
    async fn measure_idle(&mut self) -> Result<(), RunError> {
        self.become_idle().await?;
        self.report.figure("idle server", Some(self.idle_cores * 100.0), "% of a core");
        Ok(())
    }

    /// Waits until the server does nothing any more, such as merging what it stored for searches.
    async fn become_idle(&mut self) -> Result<(), RunError> {
        let Some(pid) = self.target().pid.filter(|_| !self.is_smoke) else { return Ok(()) };
        at_rest(pid).await?;
        for _ in 0..IDLE_LOOKS {
            let (before, began) = (cpu_time(pid)?, Instant::now());
            tokio::time::sleep(IDLE).await;
            let used = cpu_time(pid)?.saturating_sub(before);
            self.idle_cores = used.as_secs_f64() / began.elapsed().as_secs_f64();
            if self.idle_cores < MOST_IDLE {
                break;
            }
        }
        Ok(())
    }

    /// Waits until the server has finished the set-up.
    async fn settle(&self) -> Result<(), RunError> {
        match self.target().pid.filter(|_| !self.is_smoke) {
            Some(pid) => Ok(at_rest(pid).await?),
            None => Ok(()),
        }
    }

    /// Sends requests over several connections, unmeasured.
    async fn send(&self, requests: Vec<Vec<u8>>) -> Result<Vec<String>, LoadError> {
        let series = Series::deal(self.target().addr, requests, LANES);
        Ok(send_all(series, PATIENCE).await?.into_iter().flatten().collect())
    }

    /// Measures these series, as a row named `what` of the report.
    async fn measure(
        &mut self,
        round: usize,
        what: String,
        series: Vec<Series>,
    ) -> Result<Phase, LoadError> {
        let (_, phase) = closed_loop::measure(series, self.rest(), PATIENCE).await?;
        self.report.row(round, what, phase.clone());
        Ok(phase)
    }

    /// Returns the median CPU of an act over the rounds in which it was measured, in µs.
    fn cost(&self, what: &str) -> Option<f64> {
        crate::stats::median(&self.report.each_cpu(what))
    }

    /// Returns the median CPU of the acts named by `name` at each size.
    fn points(&self, sizes: &[usize], name: impl Fn(usize) -> String) -> Vec<Point> {
        sizes.iter().map(|size| Point { size: *size, figure: self.cost(&name(*size)) }).collect()
    }

    fn curve(&mut self, curve: Curve) {
        say(curve.verdict());
        self.report.curves.push(curve);
    }

    fn bar(
        &mut self,
        id: &'static str,
        what: &'static str,
        figure: Option<f64>,
        most: f64,
        unit: &'static str,
    ) {
        self.report.bars.push(Bar::new(id, what, figure, Bound::AtMost(most), unit));
    }

    /// Returns a guid for the next message.
    fn guid(&mut self) -> String {
        self.guids += 1;
        format!("growth-{:08x}-{}", self.run, self.guids)
    }
}
