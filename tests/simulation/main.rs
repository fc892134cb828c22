//! The server in a simulated world: the rooms, the journal, the index and the readers are the real
//! ones; disk, clock, connections and the order in which things happen come from a seed. After each
//! crash everything that was acknowledged is there, once and in order; at the end every reader has
//! heard everything, without a gap, and the rows are those that the journal makes.
//!
//! # How
//!
//! One thread (`run.rs`) runs an actix system on a tokio runtime whose time is paused. On it live
//! the rooms, the people who act (`person.rs`, `saying.rs`, `reading.rs`, `keys.rs`) and those who
//! listen (`listener.rs`). Code that has a thread of its own in the server (the journal's writer,
//! preparer and sealer, the indexer, reads outside a room) has one here, too, but waits through
//! `coterie::threads`, where a scheduler is put in (`scheduler.rs`): of all threads only one runs
//! at a time. So the code that runs is the product's, loops and waits included, and still a seed
//! determines everything that happens. Step by step the seed decides whether a thread, a task or
//! the time goes on.
//!
//! The disk (`disk.rs`) lets other threads run between two of its steps, is slow, fails, fills up,
//! and loses power at any step: of what was not synced it keeps a random part, sector by sector.
//! Rows (`rows.rs`) forget what sled had not flushed. The wall clock jumps. Connections are cut and
//! resume with their cursor; clients hang up, and repeat requests that were not answered.
//! `machine.rs` assembles a server for each life; the next life finds what the last one left
//! behind.
//!
//! The book (`book.rs`) records what was tried and answered. It is compared with the journal, as a
//! naive reading has it (`checks.rs`), at every start and at the end.
//!
//! # Use
//!
//! `cargo test --test simulation` runs 200 seeds. `SIMULATIONS=100000` runs so many,
//! `SIMULATION_SEED=7` runs one and prints all that happens in it.
//!
//! Not simulated: HTTP and the WebSocket (everything below their HTTP layers is), sled's own files
//! (it may forget, not break), bots' callbacks, images.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod book;
mod checks;
mod disk;
mod keys;
mod listener;
mod machine;
mod person;
mod planted;
mod reading;
mod rows;
mod run;
mod saying;
mod scheduler;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::machine::Plant;
use crate::run::{Report, Setting, run};

/// How many seeds are run unless `SIMULATIONS` is set.
const SEEDS: u64 = 200;
/// How many seeds may be needed until a planted fault is found.
const FOUND_WITHIN: u64 = 1000;

fn number(name: &str) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "these variables are the test's own")]
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// Runs a seed; a panic counts as something wrong, too.
fn outcome(seed: u64, setting: Setting) -> Report {
    let run = AssertUnwindSafe(|| run(seed, setting));
    catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default();
        Report { wrong: vec![format!("it panicked: {text}")], ..Report::default() }
    })
}

/// Runs seeds on all cores, until all have been run or `is_enough` returns true.
fn outcomes(seeds: u64, setting: Setting, is_enough: impl Fn(&Report) -> bool + Sync) -> Report {
    let (next, all) = (AtomicU64::new(0), Mutex::new(Report::default()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= seeds || is_enough(&all.lock().unwrap()) {
                return;
            }
            let report = outcome(seed, setting);
            all.lock().unwrap().add(seed, report);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().unwrap().get() {
            scope.spawn(work);
        }
    });
    all.into_inner().unwrap()
}

fn tells_all(seed: u64) {
    let report = outcome(seed, Setting { is_loud: true, ..Setting::default() });
    report.trace.iter().for_each(|line| println!("{line}"));
    println!("{report}");
    assert!(report.wrong.is_empty(), "{}", report.wrong.join("\n"));
}

#[test]
fn acknowledged_writes_are_never_lost() {
    if let Some(seed) = number("SIMULATION_SEED") {
        return tells_all(seed);
    }
    let seeds = number("SIMULATIONS").unwrap_or(SEEDS);
    let all = outcomes(seeds, Setting::default(), |_| false);
    println!("{seeds} seeds: {all}");
    assert!(all.wrong.is_empty(), "{}", all.wrong.join("\n"));
}

#[test]
fn a_seed_does_the_same_each_time() {
    let setting = Setting { is_loud: true, ..Setting::default() };
    for seed in 0..SEEDS / 10 {
        let (once, again) = (outcome(seed, setting), outcome(seed, setting));
        let steps = once.trace.iter().zip(&again.trace);
        let differs = steps.enumerate().find(|(_, (one, other))| one != other);
        assert_eq!(differs, None, "seed {seed}");
        assert_eq!((once.hash, once.trace.len()), (again.hash, again.trace.len()), "seed {seed}");
    }
}

#[test]
fn an_answer_before_the_sync_is_found() {
    let all =
        outcomes(FOUND_WITHIN, Setting { lies: true, ..Setting::default() }, Report::is_wrong);
    println!("{all}");
    assert!(all.is_wrong());
}

#[test]
fn two_rooms_of_one_stream_write_as_one() {
    let setting = Setting { has_twins: true, ..Setting::default() };
    let all = outcomes(SEEDS / 4, setting, |_| false);
    println!("{all}");
    assert!(all.wrong.is_empty(), "{}", all.wrong.join("\n"));
}

#[test]
fn a_fence_that_is_skipped_is_found() {
    let plant: Option<Plant> = Some(planted::fenceless);
    let setting = Setting { has_twins: true, plant, ..Setting::default() };
    let all = outcomes(FOUND_WITHIN, setting, Report::is_wrong);
    println!("{all}");
    assert!(all.is_wrong());
}
