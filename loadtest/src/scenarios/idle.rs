//! P6: the cost of ten thousand sockets when nothing happens.
//!
//! The server is restarted after people are registered, since password hashes leave their mark on
//! its memory, and before the sockets are opened.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use super::crowd::SOCKETS_PER_PERSON;
use super::environment::{Environment, OpenFiles};
use super::{RunError, run_id, say};
use crate::cli::sizes::Idle;
use crate::load::audience::open_all;
use crate::process::proc_fs::{cpu_time, resident_bytes};
use crate::push::event::Event;
use crate::push::listener::{FrameHandler, Opening, SocketError};
use crate::report::bar::{Bar, Bound};
use crate::report::{REQUESTS, Report};
use crate::world::people::World;
use crate::world::rest::Api;

/// The pause after a start or after the last socket opened, so that what the server still does then
/// does not count.
const REST: Duration = Duration::from_secs(3);

/// Receives nothing but pings, if all is well.
#[derive(Debug, Clone, Default)]
struct Sleeper {
    pings: Arc<AtomicU64>,
}

impl FrameHandler for Sleeper {
    fn hear(&mut self, _event: &Event<'_>) {}

    fn pinged(&mut self) {
        self.pings.fetch_add(1, Ordering::Relaxed);
    }
}

pub async fn run(args: &Idle) -> Result<Report, RunError> {
    let options = &args.common;
    let sockets = options.size(args.sockets, 10_000, 100);
    let people = sockets.div_ceil(SOCKETS_PER_PERSON);
    let turn = options.turn_or(60);
    let rest = if options.smoke { REST / 10 } else { REST };
    let mut environment = Environment::open(options, OpenFiles::one_side(sockets))?;
    say(format_args!("registering {people} people"));
    let mut api = Api::new(environment.target().addr);
    let world = World::build(&mut api, run_id(), people, 1, people.min(10)).await?;
    environment.restart()?;
    tokio::time::sleep(rest).await;

    let target = environment.target();
    let memory = || target.pid.map(resident_bytes).transpose();
    let before = memory()?;
    say(format_args!("opening {sockets} sockets"));
    let sleeper = Sleeper::default();
    let seats = (0..sockets)
        .map(|socket| (Opening::of(&world.people[socket % people].token), sleeper.clone()));
    let listeners = open_all(target.addr, seats.collect()).await?;
    let asleep: Vec<_> =
        listeners.into_iter().map(|listener| tokio::spawn(listener.listen())).collect();
    tokio::time::sleep(rest).await;

    say(format_args!("doing nothing for {} s", turn.as_secs_f64()));
    let mut report = Report::new("idle", REQUESTS, options.smoke, setting(sockets, people, turn));
    let cpu = cpu_share(target.pid, turn).await?;
    let after = memory()?;
    let each = before
        .zip(after)
        .map(|(before, after)| after.saturating_sub(before) as f64 / 1024.0 / sockets as f64);
    report.figure("memory before the sockets", before.map(mebibytes), "MiB");
    report.figure("memory with the sockets", after.map(mebibytes), "MiB");
    report.figure("pings answered", Some(sleeper.pings.load(Ordering::Relaxed) as f64), "");
    check_open(&mut report, asleep).await;
    report.bars = vec![
        Bar::new("P6", "server memory per socket", each, Bound::AtMost(12.0), "KiB"),
        Bar::new("P6", "server CPU with heartbeats", cpu, Bound::AtMost(0.5), "% of a core"),
    ];
    Ok(report)
}

fn setting(sockets: usize, people: usize, turn: Duration) -> String {
    format!(
        "{sockets} sockets of {people} people, {} s in which nothing happens",
        turn.as_secs_f64()
    )
}

/// Returns the percentage of one core that the server used during `turn`.
async fn cpu_share(pid: Option<u32>, turn: Duration) -> Result<Option<f64>, RunError> {
    let began = Instant::now();
    let before = pid.map(cpu_time).transpose()?;
    tokio::time::sleep(turn).await;
    let after = pid.map(cpu_time).transpose()?;
    let elapsed = began.elapsed();
    let share = |(before, after): (Duration, Duration)| {
        (after - before).as_secs_f64() / elapsed.as_secs_f64()
    };
    Ok(before.zip(after).map(|pair| 100.0 * share(pair)))
}

pub(super) fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / 1024.0 / 1024.0
}

/// Checks that every socket is still open; one that has ended would make the others look cheap.
async fn check_open(report: &mut Report, asleep: Vec<JoinHandle<SocketError>>) {
    let count = asleep.len();
    let mut ended = Vec::new();
    for task in asleep {
        if task.is_finished() {
            ended
                .push(task.await.map_or_else(|error| error.to_string(), |error| error.to_string()));
        } else {
            task.abort();
        }
    }
    let why = ended.first().map(|first| format!(" ({first})")).unwrap_or_default();
    let detail = format!("{} of {count} open at the end{why}", count - ended.len());
    report.check("every socket stays open", ended.is_empty(), detail);
}
