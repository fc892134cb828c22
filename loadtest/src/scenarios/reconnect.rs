//! P13: thousands of sockets are disconnected at once, and reconnect for what they missed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::crowd::SOCKETS_PER_PERSON;
use super::environment::{Environment, OpenFiles};
use super::{RunError, run_id, say};
use crate::cli::sizes::Reconnect;
use crate::guid::Guid;
use crate::load::audience::{open_all, open_at_once};
use crate::process::proc_fs::cpu_time;
use crate::push::event::Event;
use crate::push::listener::{FrameHandler, Opening};
use crate::push::tally::{Faults, Tally};
use crate::report::bar::{Bar, Bound};
use crate::report::{REQUESTS, Report};
use crate::world::people::World;
use crate::world::rest::Api;

/// Sockets that reconnect at the same time; the tester holds back the others until one of these is
/// synced.
const AT_ONCE: usize = 1024;

/// The frame handler before the disconnection: ignores all events.
#[derive(Debug, Clone, Copy)]
struct Before;

impl FrameHandler for Before {
    fn hear(&mut self, _event: &Event<'_>) {}
}

/// The frame handler after the reconnection: records what the socket receives.
#[derive(Debug, Clone)]
struct Back {
    run: u32,
    tally: Arc<Mutex<Tally>>,
}

impl FrameHandler for Back {
    fn hear(&mut self, event: &Event<'_>) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.follow(event);
        if let Some(guid) = event.guid.filter(|guid| guid.run == self.run) {
            tally.note(guid.number as usize);
        }
    }
}

pub async fn run(args: &Reconnect) -> Result<Report, RunError> {
    let options = &args.common;
    let sockets = options.size(args.sockets, 5000, 100);
    let missed = options.size(args.missed, 50, 10);
    let people = sockets.div_ceil(SOCKETS_PER_PERSON);
    let environment = Environment::open(options, OpenFiles::one_side(sockets))?;
    let (run, addr) = (run_id(), environment.target().addr);
    say(format_args!("registering {people} people in one group, opening {sockets} sockets"));
    let mut api = Api::new(addr);
    let world = World::build(&mut api, run, people, 1, people).await?;
    let token = |socket: usize| world.people[socket % people].token.as_str();
    let seats = (0..sockets).map(|socket| (Opening::of(token(socket)), Before));
    let listeners = open_all(addr, seats.collect()).await?;
    // All of them have been sent the same events, so the cursor of any one is valid for all.
    let cursor = listeners.iter().map(|listener| listener.cursor.clone()).max();

    say(format_args!("cutting all of them, posting {missed} messages"));
    drop(listeners);
    let posts = Posts { run, text: "x".repeat(options.text_bytes()) };
    posts.send(&mut api, &world, missed).await?;

    say("letting them all come back");
    let tallies: Vec<Arc<Mutex<Tally>>> = (0..sockets).map(|_| Arc::default()).collect();
    let seats = tallies.iter().enumerate().map(|(socket, tally)| {
        let how = Opening { after: cursor.clone(), ..Opening::of(token(socket)) };
        (how, Back { run, tally: Arc::clone(tally) })
    });
    let cpu = || environment.target().pid.map(cpu_time).transpose();
    let (began, before) = (Instant::now(), cpu()?);
    let back = open_at_once(addr, seats.collect(), AT_ONCE).await?;
    let (took, after) = (began.elapsed(), cpu()?);

    let setting = format!(
        "{sockets} sockets of {people} people in one group are cut, miss {missed} events each and come back, \
         {AT_ONCE} at the same time"
    );
    let mut report = Report::new("reconnect", REQUESTS, options.smoke, setting);
    let each = before.zip(after).map(|(before, after)| micros(after - before) / sockets as f64);
    report.figure("server CPU per socket that came back", each, "µs");
    check(&mut report, &tallies, missed);
    drop(back);
    report.figure("until all are synced", Some(took.as_secs_f64()), "s");
    let cpu = before.zip(after).map(|(before, after)| (after - before).as_secs_f64());
    report.bars =
        vec![Bar::new("P13", "server CPU until all are synced", cpu, Bound::AtMost(1.0), "s")];
    Ok(report)
}

fn micros(span: Duration) -> f64 {
    span.as_secs_f64() * 1e6
}

/// The messages that are posted while no socket listens.
struct Posts {
    run: u32,
    text: String,
}

impl Posts {
    async fn send(&self, api: &mut Api, world: &World, count: usize) -> Result<(), RunError> {
        let post_target = world.post_target(0);
        let path = format!("/v3/groups/{}/messages", post_target.group_id);
        for number in 0..count as u32 {
            let guid = Guid { run: self.run, sender: 0, number };
            let message = json!({"source_guid": guid.text(), "text": self.text});
            let body = json!({"message": message});
            let _: Value = api.post(&path, &post_target.token, &body).await?.response(201)?;
        }
        Ok(())
    }
}

/// Checks that every socket received everything that it missed, once, and without a gap in `n`.
fn check(report: &mut Report, tallies: &[Arc<Mutex<Tally>>], missed: usize) {
    let (mut faults, mut missing) = (Faults::default(), 0);
    for tally in tallies {
        let tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        faults += tally.faults;
        missing += (0..missed).filter(|number| !tally.has(*number)).count();
    }
    let passed = missing == 0 && faults == Faults::default();
    let detail = format!(
        "{} owed; {missing} missing, {} twice, {} gaps and {} steps back in n",
        missed * tallies.len(),
        faults.duplicates,
        faults.gaps,
        faults.out_of_order
    );
    report.check("every socket received its missed events once, with n dense", passed, detail);
}
