//! Time. The only file that reads the machine's clocks.
//!
//! The wall clock may jump, so time windows and deadlines use the monotonic clock. The time that a
//! server shows goes through [`disciplined`].

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

use domain::time::{Moment, Monotonic, Timestamp};

pub mod disciplined;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The current time on both clocks.
    fn now(&self) -> Moment;
}

/// Measures how long something takes, for metrics. No decision depends on it, so tests need not
/// control it.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts a stopwatch.
    #[expect(clippy::disallowed_methods, reason = "this is the clock that the ban points to")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Microseconds since the start.
    pub fn micros(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// The moment at which a wait for somebody outside the process ends. It uses the machine's clock,
/// since sockets know no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// A deadline that ends now.
    #[expect(clippy::disallowed_methods, reason = "this is the clock that the ban points to")]
    pub fn now() -> Self {
        Self(Instant::now())
    }

    /// A deadline this long from now.
    pub fn after(span: Duration) -> Self {
        Self::now().later(span)
    }

    /// The deadline this much later.
    pub fn later(self, span: Duration) -> Self {
        Self(self.0 + span)
    }

    /// The time that is left; zero if the deadline has passed.
    #[expect(clippy::disallowed_methods, reason = "this is the clock that the ban points to")]
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}

/// The value at which the monotonic clock of a process starts. It is a day from zero, so that
/// moments before the start, which a room remembers, can be expressed too.
const HEAD_START_MILLIS: u64 = 24 * 60 * 60 * 1000;

/// The machine's clocks.
#[derive(Debug)]
pub struct SystemClock {
    /// The time since boot at which this clock was started.
    start: Duration,
}

impl SystemClock {
    /// Starts the monotonic clock.
    pub fn new() -> Self {
        Self { start: since_boot() }
    }
}

/// Returns the time since boot, including suspend: a laptop that was closed for a night has passed
/// a night, for locks, windows and retries as for everybody else. The clock of `Instant` stands
/// still meanwhile, and the wall clock would seem to jump.
fn since_boot() -> Duration {
    let now = clock_gettime(ClockId::Boottime);
    // Neither number is ever negative.
    let seconds = now.tv_sec.unsigned_abs();
    let nanos = now.tv_nsec.unsigned_abs();
    Duration::from_secs(seconds) + Duration::from_nanos(nanos)
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that the ban points to")]
    fn now(&self) -> Moment {
        // A wall clock before 1970 counts as the beginning of 1970.
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment {
            wall: Timestamp::from_millis(millis(wall)),
            mono: Monotonic::from_millis(
                HEAD_START_MILLIS + millis(since_boot().saturating_sub(self.start)),
            ),
        }
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// A clock that only moves when told, for tests. Both of its clocks move together; the wall clock
/// can also jump alone.
#[derive(Debug)]
pub struct ManualClock {
    wall: AtomicU64,
    mono: AtomicU64,
}

impl ManualClock {
    /// A clock that stands at this wall time.
    pub fn at(wall: Timestamp) -> Self {
        Self { wall: AtomicU64::new(wall.millis()), mono: AtomicU64::new(1_000_000) }
    }

    /// Lets time pass.
    pub fn pass(&self, millis: u64) {
        self.wall.fetch_add(millis, Ordering::SeqCst);
        self.mono.fetch_add(millis, Ordering::SeqCst);
    }

    /// Sets the wall clock alone, as an operator or a time server would.
    pub fn jump_to(&self, wall: Timestamp) {
        self.wall.store(wall.millis(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Moment {
        Moment {
            wall: Timestamp::from_millis(self.wall.load(Ordering::SeqCst)),
            mono: Monotonic::from_millis(self.mono.load(Ordering::SeqCst)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::limits::DEDUP_MILLIS;

    /// A regression: the clock stood still while the machine slept, so after a night with a closed
    /// laptop the wall clock seemed to have jumped, and locks lasted for a night longer.
    #[test]
    fn the_time_that_a_machine_slept_has_passed() {
        let before = since_boot();
        let told = clock_gettime(ClockId::Boottime);
        let after = since_boot();
        let told = Duration::new(told.tv_sec.unsigned_abs(), told.tv_nsec.unsigned_abs() as u32);
        assert!(before <= told && told <= after);
        // The clock is never behind the one that leaves sleep out.
        let awake = clock_gettime(ClockId::Monotonic);
        assert!(since_boot().as_secs() + 1 >= awake.tv_sec.unsigned_abs());
        let clock = SystemClock::new();
        let first = clock.now().mono;
        let second = clock.now().mono;
        assert!(first <= second && second.millis_since(first) < 60_000);
    }

    /// A regression: the clock began at zero, so everything from before a start seemed as old as
    /// the process, and a guid of 59 seconds ago was refused for a minute more.
    #[test]
    fn a_process_that_just_started_can_look_back_a_minute() {
        let now = SystemClock::new().now().mono;
        assert_eq!(now.millis_since(now.minus_millis(DEDUP_MILLIS)), DEDUP_MILLIS);
    }
}
