//! One run: takes a seed, and returns what was wrong, if anything was.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use coterie::clock::Clock;
use coterie::domain::time::Timestamp;
use coterie::journal::Journal;
use coterie::threads::Threads;
use fastrand::Rng;

use crate::book::{Book, Person, Shared, Subscription};
use crate::checks::{self, Log};
use crate::disk::{End, Temper};
use crate::listener::Listener;
use crate::machine::{Machine, Plant, Server};
use crate::person::Worker;
use crate::scheduler::{Shared as SharedTurns, Turns};

/// If a run has not come to rest after so many steps, it never will.
const RESTLESS: u32 = 400_000;

/// Which fault is planted, and what is recorded.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Setting {
    /// Whether syncs of records do nothing.
    pub(crate) lies: bool,
    /// A fault between rooms and journal.
    pub(crate) plant: Option<Plant>,
    /// Whether each stream has two rooms that do not know of each other.
    pub(crate) has_twins: bool,
    /// Whether everything that happens is recorded in words.
    pub(crate) is_loud: bool,
}

/// The result of a run, or of several.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) crashes: u64,
    pub(crate) told: u64,
    pub(crate) heard: u64,
    pub(crate) hash: u64,
    pub(crate) wrong: Vec<String>,
    pub(crate) trace: Vec<String>,
}

impl Report {
    /// Whether anything went wrong.
    pub(crate) const fn is_wrong(&self) -> bool {
        !self.wrong.is_empty()
    }

    /// Adds the result of one more seed.
    pub(crate) fn add(&mut self, seed: u64, other: Self) {
        self.crashes += other.crashes;
        self.told += other.told;
        self.heard += other.heard;
        let first = other.wrong.into_iter().next();
        self.wrong.extend(first.map(|first| format!("SIMULATION_SEED={seed}: {first}")));
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { crashes, told, heard, wrong, .. } = self;
        write!(out, "{crashes} crashes, {told} answers, {heard} events heard")?;
        wrong.first().map_or(Ok(()), |first| write!(out, "; {} wrong: {first}", wrong.len()))
    }
}

/// The conditions of a run, which its seed determines.
struct Weather {
    people: usize,
    subscriptions: usize,
    crashes: u32,
    /// Steps from one crash to the next, at most.
    steps: u32,
    pace: u64,
    temper: Temper,
    /// Whether the disk is full now and then.
    fills: bool,
    /// Whether the wall clock jumps.
    jumps: bool,
    /// Whether nothing happens for many minutes now and then.
    rests: bool,
}

impl Weather {
    fn of(random: &mut Rng, setting: &Setting) -> Self {
        let one_in = |random: &mut Rng, many: u8| random.u8(..many) == 0;
        let temper = Temper {
            bad_writes: if one_in(random, 4) { random.u32(1..20) } else { 0 },
            bad_syncs: if one_in(random, 4) { random.u32(1..20) } else { 0 },
            bad_reads: if one_in(random, 4) { random.u32(1..20) } else { 0 },
            slow_syncs: if one_in(random, 2) { random.u32(1..700) } else { 0 },
            slowness: [5, 50, 500, 45_000][random.usize(..4)],
            pauses: [0, 50, 300, 800][random.usize(..4)],
            lies: setting.lies,
        };
        Self {
            people: random.usize(1..6),
            subscriptions: random.usize(1..7),
            crashes: random.u32(1..9),
            steps: [300, 1000, 3000][random.usize(..3)],
            pace: [5, 30, 200][random.usize(..3)],
            temper,
            fills: one_in(random, 4),
            jumps: one_in(random, 4),
            rests: one_in(random, 3),
        }
    }
}

struct Run {
    random: Rng,
    weather: Weather,
    machine: Machine,
    book: Shared,
}

/// Runs a seed to its end.
pub(crate) fn run(seed: u64, setting: Setting) -> Report {
    let mut random = Rng::with_seed(seed);
    let weather = Weather::of(&mut random, &setting);
    let turns = Turns::new(random.fork());
    let mut machine = Machine::new(&turns, &mut random);
    (machine.plant, machine.has_twins) = (setting.plant, setting.has_twins);
    let mut book = Book::new(setting.is_loud);
    book.has_twins = setting.has_twins;
    book.people.resize_with(weather.people, Person::default);
    for _ in 0..weather.subscriptions {
        let who = random.usize(..weather.people);
        book.subscriptions.push(Subscription { who, ..Subscription::default() });
    }
    let book = Rc::new(RefCell::new(book));
    let mut run = Run { random, weather, machine, book };
    for _ in 0..run.weather.crashes {
        run.lives_and_dies();
    }
    run.ends();
    turns.end_all();
    let book = run.book.borrow();
    Report {
        crashes: u64::from(book.crashes),
        told: book.told,
        heard: book.subscriptions.iter().map(|subscription| subscription.heard.len() as u64).sum(),
        hash: book.hash() ^ turns.count(),
        wrong: book.wrong().to_vec(),
        trace: book.trace().to_vec(),
    }
}

impl Run {
    fn note(&self, what: impl FnOnce() -> String) {
        self.book.borrow_mut().note(what);
    }

    /// One life of the server: opens the journal and, if it opens, lets everybody act until this
    /// life ends.
    fn lives_and_dies(&mut self) {
        self.machine.disk.set_temper(self.weather.temper);
        self.machine.disk.set_full(false);
        if self.random.u8(..3) == 0 {
            let steps = self.random.u64(1..400);
            self.machine.disk.light_fuse(steps);
        }
        let end = match self.random.u8(..6) {
            0 => End::Stopped,
            1 | 2 => End::Killed,
            _ => End::PowerLoss,
        };
        match self.machine.open_journal() {
            Ok(journal) => {
                self.checks(&journal);
                let steps = self.random.u32(1..self.weather.steps);
                self.in_system(journal, end, |run, server| {
                    Box::pin(async move { run.acts(server, steps).await })
                });
            }
            Err(error) if self.machine.disk.is_off() || self.machine.disk.has_failed() => {
                self.note(|| format!("does not open: {error}"));
            }
            Err(error) => self.book.borrow_mut().object(format!("does not open: {error}")),
        }
        self.finishes_turns();
        self.book.borrow_mut().crashes += u32::from(end != End::Stopped);
        self.note(|| format!("{end:?}"));
        self.machine = self.machine.after(end, &mut self.random);
    }

    /// Runs a server until `live` has finished; then everything of the server ends at once.
    fn in_system(
        &mut self,
        journal: Arc<dyn Journal>,
        end: End,
        live: impl for<'a> FnOnce(
            &'a mut Self,
            Rc<Server>,
        ) -> std::pin::Pin<Box<dyn Future<Output = ()> + 'a>>,
    ) {
        let system = actix::System::with_tokio_rt(|| {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.enable_time().start_paused(true).build().expect("a runtime")
        });
        let server = system.block_on(async {
            let server = Rc::new(self.machine.start(journal));
            live(self, Rc::clone(&server)).await;
            server
        });
        match end {
            End::Killed | End::PowerLoss => self.machine.disk.switch_off(),
            // What is queued is written, and the rows are flushed.
            End::Stopped => {}
        }
        drop(system);
        drop(server);
    }

    /// Lets threads that nothing waits for finish their work.
    fn finishes_turns(&self) {
        let mut left = RESTLESS;
        while !self.machine.turns.names().is_empty() {
            self.machine.turns.pass(Duration::from_millis(10));
            self.machine.turns.give();
            left -= 1;
            assert!(left > 0, "these never end: {:?}", self.machine.turns.names());
        }
    }

    fn checks(&self, journal: &Arc<dyn Journal>) {
        let mut book = self.book.borrow_mut();
        let commits = checks::all_of(&**journal);
        book.note(|| format!("opens with {} commits", commits.len()));
        Log::of(&commits, &mut book).check(&mut book);
    }

    async fn acts(&mut self, server: Rc<Server>, steps: u32) {
        for who in 0..self.weather.people {
            let (book, random) = (Rc::clone(&self.book), self.random.fork());
            let (server, pace) = (Rc::clone(&server), self.weather.pace);
            actix::spawn(Worker { who, server, book, random, pace }.lives());
        }
        self.listen(&server, true);
        for _ in 0..steps {
            self.step().await;
            self.mishaps().await;
            if self.machine.disk.is_off() {
                return;
            }
            // After a journal has stopped, the process ends, a little later.
            if self.machine.disk.has_failed() && self.random.u8(..100) == 0 {
                return;
            }
        }
    }

    fn listen(&mut self, server: &Rc<Server>, is_cut: bool) {
        for subscription in 0..self.weather.subscriptions {
            let (server, book) = (Rc::clone(server), Rc::clone(&self.book));
            let random = self.random.fork();
            actix::spawn(Listener { subscription, server, book, random, is_cut }.lives());
        }
    }

    /// One step of the simulation: a thread runs, or a task, or time passes.
    async fn step(&mut self) {
        match self.random.u8(..10) {
            0..6 => drop(self.machine.turns.give()),
            6..9 => tokio::task::yield_now().await,
            _ => {
                let time = Duration::from_millis(self.random.u64(1..20));
                self.passes(time).await;
            }
        }
    }

    async fn passes(&mut self, time: Duration) {
        self.machine.turns.pass(time);
        self.machine.clock.pass(time.as_millis() as u64);
        tokio::time::advance(time).await;
    }

    async fn mishaps(&mut self) {
        match self.random.u16(..1000) {
            0 if self.weather.jumps => {
                let wall = self.machine.clock.now().wall.millis();
                let jumped = wall + self.random.u64(..1_200_000) - 600_000;
                self.machine.clock.jump_to(Timestamp::from_millis(jumped));
                self.book.borrow_mut().jumps += 1;
            }
            4 if self.weather.rests => {
                // Long enough for idle rooms to stop.
                let time = Duration::from_secs(self.random.u64(60..1200));
                self.passes(time).await;
            }
            1..4 if self.weather.fills => self.machine.disk.set_full(self.random.bool()),
            _ => {}
        }
    }

    /// Starts once more, on a disk without faults: everything acknowledged must be there, and every
    /// listener must hear everything.
    fn ends(&mut self) {
        let lies = self.weather.temper.lies;
        self.machine.disk.set_temper(Temper { lies, ..Temper::default() });
        let journal = match self.machine.open_journal() {
            Ok(journal) => journal,
            Err(error) => {
                let what = format!("does not open at the end: {error}");
                self.book.borrow_mut().object(what);
                return self.finishes_turns();
            }
        };
        self.checks(&journal);
        self.in_system(Arc::clone(&journal), End::Stopped, |run, server| {
            Box::pin(async move { run.comes_to_rest(server).await })
        });
        drop(journal);
        self.finishes_turns();
    }

    async fn comes_to_rest(&mut self, server: Rc<Server>) {
        self.book
            .borrow_mut()
            .subscriptions
            .iter_mut()
            .for_each(|subscription| subscription.is_synced = false);
        self.listen(&server, false);
        let is_done = |run: &Self| {
            let book = run.book.borrow();
            let listens =
                |subscription: &Subscription| book.people[subscription.who].account.is_some();
            let is_told = book
                .subscriptions
                .iter()
                .all(|subscription| subscription.is_synced || !listens(subscription));
            is_told && server.shared.archive.index.applied() >= server.journal.newest()
        };
        let mut left = RESTLESS;
        // Some more steps once all seems done, since a listener may not have been told everything
        // yet.
        let mut more = 300;
        while left > 0 && more > 0 {
            self.step().await;
            left -= 1;
            more = if is_done(self) { more - 1 } else { 300 };
        }
        let commits = checks::all_of(&*server.journal);
        let mut book = self.book.borrow_mut();
        let log = Log::of(&commits, &mut book);
        log.check(&mut book);
        checks::check_subscriptions(&commits, &mut book);
        let threads = Threads::Simulated(Arc::new(SharedTurns(Arc::clone(&self.machine.turns))));
        if let Some(what) = checks::check_rows(&server.rows, &server.journal, threads) {
            book.object(what);
        }
    }
}
