//! The scheduler: threads of which one goes on at a time, in an order from a seed.
//!
//! Each is a thread of the system that stands at a gate until it is let through, so what
//! it runs is the product's own code, with loops and waits as they are. The simulation's
//! own thread, on which rooms and readers run, opens one gate at a time.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use coterie::threads::{Scheduler, Work};
use fastrand::Rng;

/// How long a turn may take before somebody must be waiting for a lock for ever.
const STUCK: Duration = Duration::from_secs(120);
/// What passes with each turn while the simulation's own thread waits for others.
const ALONE: Duration = Duration::from_millis(10);

thread_local! {
    /// The gate of this thread, if the scheduler runs it.
    static OWN: RefCell<Option<Arc<Gate>>> = const { RefCell::new(None) };
}

/// Lets one thread through each time it is opened.
#[derive(Debug, Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_one();
    }

    fn pass(&self) {
        let mut is_open = self.is_open.lock().unwrap();
        while !*is_open {
            is_open = self.opened.wait(is_open).unwrap();
        }
        *is_open = false;
    }

    /// The same; false if that takes so long that it will never be.
    fn comes_through(&self) -> bool {
        let is_open = self.is_open.lock().unwrap();
        let wait = self.opened.wait_timeout_while(is_open, STUCK, |is_open| !*is_open);
        std::mem::take(&mut *wait.unwrap().0)
    }
}

/// A thread that has something to do.
struct Runner {
    name: &'static str,
    gate: Arc<Gate>,
    /// When it may have its next turn.
    due: Duration,
}

/// A thread of the system, and what it is to do next.
struct Hand {
    gate: Arc<Gate>,
    next: Arc<Mutex<Option<Work>>>,
    thread: JoinHandle<()>,
}

struct State {
    random: Rng,
    now: Duration,
    runners: Vec<Runner>,
    hands: Vec<Hand>,
    /// Gates of threads that have nothing to do.
    spare: Vec<usize>,
    panic: Option<Box<dyn Any + Send>>,
    turns: u64,
}

/// Gives turns. Dropping it ends its threads, which must have nothing to do any more.
pub(crate) struct Turns {
    state: Mutex<State>,
    main: Gate,
}

impl fmt::Debug for Turns {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Turns")
    }
}

impl Turns {
    /// With an order from these numbers.
    pub(crate) fn new(random: Rng) -> Arc<Self> {
        let (runners, hands, spare) = (Vec::new(), Vec::new(), Vec::new());
        let state =
            State { random, now: Duration::ZERO, runners, hands, spare, panic: None, turns: 0 };
        Arc::new(Self { state: Mutex::new(state), main: Gate::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets simulated time pass.
    pub(crate) fn pass(&self, time: Duration) {
        self.state().now += time;
    }

    /// How many turns there were.
    pub(crate) fn count(&self) -> u64 {
        self.state().turns
    }

    /// The gate of this thread, if it is one of those that get turns.
    fn own() -> Option<Arc<Gate>> {
        OWN.with_borrow(Clone::clone)
    }

    /// Whether this thread is one that gets turns.
    pub(crate) fn is_own() -> bool {
        Self::own().is_some()
    }

    /// Gives one thread a turn; false if none may have one now.
    pub(crate) fn give(&self) -> bool {
        assert!(Self::own().is_none(), "only the simulation's own thread gives turns");
        let mut state = self.state();
        let now = state.now;
        let ready: Vec<usize> =
            (0..state.runners.len()).filter(|it| state.runners[*it].due <= now).collect();
        if ready.is_empty() {
            return false;
        }
        let chosen = ready[state.random.usize(..ready.len())];
        let Runner { name, gate, .. } = &state.runners[chosen];
        let (name, gate) = (*name, Arc::clone(gate));
        state.turns += 1;
        assert!(
            state.turns < 2_000_000,
            "no end: {:?}",
            state.runners.iter().map(|it| it.name).collect::<Vec<_>>()
        );
        drop(state);
        gate.open();
        assert!(self.main.comes_through(), "{name} waits for a lock for ever");
        let panic = self.state().panic.take();
        if let Some(panic) = panic {
            std::panic::resume_unwind(panic);
        }
        true
    }

    /// Ends the turn of the thread that calls, if it is one of those that get turns. What
    /// a simulated disk does between two of its steps.
    pub(crate) fn give_way(&self) {
        if Self::own().is_some() {
            self.sleep(Duration::ZERO);
        }
    }

    /// The same, for a while. Nothing on the simulation's own thread.
    pub(crate) fn dawdle(&self, time: Duration) {
        if Self::own().is_some() {
            self.sleep(time);
        }
    }

    fn begin(self: &Arc<Self>, name: &'static str, work: Work) {
        let mut state = self.state();
        let due = state.now;
        let hand = match state.spare.pop() {
            Some(hand) => hand,
            None => {
                let gate = Arc::<Gate>::default();
                let next = Arc::<Mutex<Option<Work>>>::default();
                let (own, mine, turns) = (gate.clone(), next.clone(), Arc::downgrade(self));
                let number = state.hands.len();
                let thread = thread::spawn(move || {
                    OWN.set(Some(Arc::clone(&own)));
                    loop {
                        own.pass();
                        let work = mine.lock().unwrap().take();
                        let Some(work) = work else { return };
                        let done = catch_unwind(AssertUnwindSafe(work));
                        // The simulation waits for this turn to end.
                        let Some(turns) = turns.upgrade() else { return };
                        turns.end(&own, number, done.err());
                    }
                });
                state.hands.push(Hand { gate, next, thread });
                number
            }
        };
        let gate = Arc::clone(&state.hands[hand].gate);
        *state.hands[hand].next.lock().unwrap() = Some(work);
        state.runners.push(Runner { name, gate, due });
    }

    /// The work of a thread is done.
    fn end(&self, gate: &Arc<Gate>, hand: usize, panic: Option<Box<dyn Any + Send>>) {
        let mut state = self.state();
        state.runners.retain(|runner| !Arc::ptr_eq(&runner.gate, gate));
        state.spare.push(hand);
        state.panic = state.panic.take().or(panic);
        drop(state);
        self.main.open();
    }

    /// Who has something to do, for whoever wonders why nothing ends.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.state().runners.iter().map(|runner| runner.name).collect()
    }

    /// Ends the threads.
    pub(crate) fn end_all(&self) {
        let hands = std::mem::take(&mut self.state().hands);
        for hand in hands {
            hand.gate.open();
            hand.thread.join().expect("a thread of the scheduler ends");
        }
    }
}

/// What the product sees: the turns, and a way to start threads among them.
#[derive(Debug)]
pub(crate) struct Shared(pub(crate) Arc<Turns>);

impl Scheduler for Shared {
    fn start(&self, name: &'static str, work: Work) {
        self.0.begin(name, work);
    }

    fn wait(&self) {
        match Turns::own() {
            Some(_) => self.0.sleep(Duration::ZERO),
            // The simulation's own thread waits, so nobody else lets time pass.
            None => {
                self.0.pass(ALONE);
                self.0.give();
            }
        }
    }

    fn sleep(&self, time: Duration) {
        match Turns::own() {
            Some(_) => self.0.sleep(time),
            None => self.wait(),
        }
    }
}

impl Turns {
    fn sleep(&self, time: Duration) {
        let own = Self::own().expect("a thread that has turns");
        let mut state = self.state();
        let due = state.now + time;
        if let Some(runner) = state.runners.iter_mut().find(|it| Arc::ptr_eq(&it.gate, &own)) {
            runner.due = due;
        }
        drop(state);
        self.main.open();
        own.pass();
    }
}
