//! The scheduler: threads of which one runs at a time, in an order that a seed determines.
//!
//! Each is a thread of the system that waits at a gate until it is let through, so it runs the
//! product's own code, with its loops and waits. The simulation's own thread, on which rooms and
//! readers run, opens one gate at a time.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use coterie::threads::{Scheduler, Work};
use fastrand::Rng;

/// If a turn takes longer than this, its thread waits for a lock for ever.
const STUCK: Duration = Duration::from_secs(120);
/// The simulated time that passes with each turn while the simulation's own thread waits for
/// others.
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

    /// As `pass`; returns false after [`STUCK`].
    fn comes_through(&self) -> bool {
        let is_open = self.is_open.lock().unwrap();
        let wait = self.opened.wait_timeout_while(is_open, STUCK, |is_open| !*is_open);
        std::mem::take(&mut *wait.unwrap().0)
    }
}

/// A thread that has work to do.
struct Runner {
    name: &'static str,
    gate: Arc<Gate>,
    /// When the thread may have its next turn.
    due: Duration,
}

/// A thread of the system, and the work that it is to do next.
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
    /// Indexes of the threads in `hands` that have no work.
    spare: Vec<usize>,
    panic: Option<Box<dyn Any + Send>>,
    turns: u64,
}

/// The scheduler, which gives turns to threads. Its threads must have no more work when
/// [`Self::end_all`] is called.
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
    /// A scheduler with this source of random numbers.
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

    /// The gate of this thread, if the scheduler runs it.
    fn own() -> Option<Arc<Gate>> {
        OWN.with_borrow(Clone::clone)
    }

    /// Whether the scheduler runs this thread.
    pub(crate) fn is_own() -> bool {
        Self::own().is_some()
    }

    /// Gives one thread a turn and waits until it ends; false if none may have one now.
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

    /// Ends the turn of the calling thread, if the scheduler runs it. Called by a simulated disk
    /// between two of its steps.
    pub(crate) fn give_way(&self) {
        if Self::own().is_some() {
            self.sleep(Duration::ZERO);
        }
    }

    /// Ends the turn of the calling thread for this long, if the scheduler runs it.
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
                        // If the scheduler still exists, it waits for the end of this turn.
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

    /// Ends a thread's work, and the turn in which it ended.
    fn end(&self, gate: &Arc<Gate>, hand: usize, panic: Option<Box<dyn Any + Send>>) {
        let mut state = self.state();
        state.runners.retain(|runner| !Arc::ptr_eq(&runner.gate, gate));
        state.spare.push(hand);
        state.panic = state.panic.take().or(panic);
        drop(state);
        self.main.open();
    }

    /// The names of the threads that have work to do, to explain why a run does not end.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.state().runners.iter().map(|runner| runner.name).collect()
    }

    /// Ends all threads, which must have no work any more.
    pub(crate) fn end_all(&self) {
        let hands = std::mem::take(&mut self.state().hands);
        for hand in hands {
            hand.gate.open();
            hand.thread.join().expect("a thread of the scheduler ends");
        }
    }
}

/// The scheduler as the product sees it: threads are started and wait through it.
#[derive(Debug)]
pub(crate) struct Shared(pub(crate) Arc<Turns>);

impl Scheduler for Shared {
    fn start(&self, name: &'static str, work: Work) {
        self.0.begin(name, work);
    }

    fn wait(&self) {
        match Turns::own() {
            Some(_) => self.0.sleep(Duration::ZERO),
            // The simulation's own thread waits, so nothing else lets time pass.
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
