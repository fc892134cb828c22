//! Slows down background work in proportion to how long it had to wait for a core itself.
//!
//! The lowest priority does not make a thread harmless: it runs whenever others pause for a moment,
//! and its use of caches, and of the other half of a core, slows them when they continue. A thread
//! that had to wait knows that others wanted the machine. So it rests in proportion to that: not at
//! all if cores are free, most of the time if all are busy.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

use crate::threads::Threads;

/// The nice value of threads that do background work. The lowest priority, 19, gives a thread a
/// seventieth of what a usual one gets: on a machine that is busy with other programs as well,
/// pictures and search stood still. With 10 it gets a tenth, and resting does the rest.
pub const NICENESS: i32 = 10;

/// How strongly background work yields to other work.
#[derive(Debug, Clone, Copy)]
pub struct Deference {
    /// How long to rest, as a multiple of the time that the work waited for a core.
    pub rest: u32,
    /// The work takes at least one part in so many of a core, however busy the machine is: what it
    /// waited longer than that, it has rested already.
    pub part: u32,
}

/// Times one piece of background work, by the machine's clock and not by the server's, since it
/// measures what the machine had to give. In a simulation there is no rest.
#[derive(Debug)]
pub struct CpuThrottle(Option<Begun>);

/// When the work began: the time since boot, and the processor time of the thread.
#[derive(Debug, Clone, Copy)]
struct Begun {
    passed: Duration,
    ran: Duration,
}

impl CpuThrottle {
    /// Starts to time a piece of work on this thread.
    pub fn begin(threads: &Threads) -> Self {
        Self(matches!(threads, Threads::System).then(Begun::now))
    }

    /// Ends the piece of work; returns how long this thread is to rest now.
    pub fn rest(&self, deference: Deference) -> Duration {
        let Some(begun) = self.0 else { return Duration::ZERO };
        let now = Begun::now();
        let took = now.passed.saturating_sub(begun.passed);
        deference.rest_after(took, now.ran.saturating_sub(begun.ran))
    }
}

impl Begun {
    fn now() -> Self {
        Self { passed: passed(), ran: ran() }
    }
}

impl Deference {
    /// How long to rest after work that took so much time, and ran for this part of it.
    fn rest_after(self, took: Duration, ran: Duration) -> Duration {
        let waited = took.saturating_sub(ran);
        (waited * self.rest).min((ran * self.part).saturating_sub(took))
    }
}

/// The processor time of this thread.
fn ran() -> Duration {
    since_start(clock_gettime(ClockId::ThreadCPUTime))
}

/// The time since boot.
fn passed() -> Duration {
    since_start(clock_gettime(ClockId::Monotonic))
}

fn since_start(Timespec { tv_sec, tv_nsec }: Timespec) -> Duration {
    let part = |number: i64| u64::try_from(number).unwrap_or_default();
    Duration::from_secs(part(tv_sec)) + Duration::from_nanos(part(tv_nsec))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttle_rests_only_after_waiting_for_a_core() {
        let second = Duration::from_secs(1);
        let deference = Deference { rest: 4, part: 10 };
        assert_eq!(deference.rest_after(second, second), Duration::ZERO);
        assert_eq!(deference.rest_after(second, second * 3 / 4), second);
        assert_eq!(deference.rest_after(second * 3, second), second * 7);
    }

    /// On a machine that gives background work next to nothing, resting would make it nothing.
    #[test]
    fn work_that_was_starved_goes_on_at_once() {
        let second = Duration::from_secs(1);
        let deference = Deference { rest: 4, part: 10 };
        assert_eq!(deference.rest_after(second * 10, second), Duration::ZERO);
        assert_eq!(deference.rest_after(second * 100, second), Duration::ZERO);
    }

    #[test]
    fn time_without_a_core_is_no_work() {
        let cpu_throttle = CpuThrottle::begin(&Threads::System);
        std::thread::sleep(Duration::from_millis(20));
        let Begun { passed: began, ran: before } = cpu_throttle.0.unwrap();
        assert!(passed() - began >= Duration::from_millis(20));
        assert!(ran() - before < passed() - began);
        let deference = Deference { rest: 4, part: 1_000_000 };
        assert!(cpu_throttle.rest(deference) >= Duration::from_millis(20));
    }
}
