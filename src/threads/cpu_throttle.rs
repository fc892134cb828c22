//! What a piece of work cost others, told by how long it had to wait for a core itself.
//!
//! The lowest priority does not make a thread harmless: it runs whenever others pause for a
//! moment, and what it leaves in caches, and takes from a core's other half, slows them when
//! they go on. A thread that was kept waiting knows that others wanted the machine. So it
//! rests in proportion to that: not at all where cores are free, most of the time where all
//! are busy.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

use crate::threads::Threads;

/// How far a piece of work stands back.
#[derive(Debug, Clone, Copy)]
pub struct Deference {
    /// Rest for each moment of waiting.
    pub rest: u32,
    /// However busy the machine is, a piece of work is followed by so many times its own length
    /// of rest at most, so that it gets on.
    pub most: u32,
}

/// One piece of work after the other, timed by the machine itself and not by the server's clock:
/// what is asked is what the machine had to give. In a simulation it has all there is.
#[derive(Debug)]
pub struct CpuThrottle(Option<Begun>);

/// When the piece of work began: how long the machine had been up, and the thread had had a core.
#[derive(Debug, Clone, Copy)]
struct Begun {
    passed: Duration,
    ran: Duration,
}

impl CpuThrottle {
    /// Begins now, on this thread.
    pub fn begin(threads: &Threads) -> Self {
        Self(matches!(threads, Threads::System).then(Begun::now))
    }

    /// Ends a piece of work: how long this thread is to rest now.
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
    /// How long to rest after work that took so much time, of which it ran this much.
    fn rest_after(self, took: Duration, ran: Duration) -> Duration {
        let waited = took.saturating_sub(ran);
        (waited * self.rest).min(took * self.most)
    }
}

/// For how long this thread has had a core.
fn ran() -> Duration {
    since_start(clock_gettime(ClockId::ThreadCPUTime))
}

/// How long the machine has been up.
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
    fn who_had_a_core_all_the_time_does_not_rest_and_who_waited_does() {
        let second = Duration::from_secs(1);
        let deference = Deference { rest: 4, most: 3 };
        assert_eq!(deference.rest_after(second, second), Duration::ZERO);
        assert_eq!(deference.rest_after(second, second * 3 / 4), second);
        assert_eq!(deference.rest_after(second, Duration::ZERO), second * 3);
    }

    #[test]
    fn time_without_a_core_is_no_work() {
        let (before, deference) = (ran(), Deference { rest: 4, most: 3 });
        let cpu_throttle = CpuThrottle::begin(&Threads::System);
        std::thread::sleep(Duration::from_millis(20));
        assert!(ran() >= before);
        assert!(cpu_throttle.rest(deference) >= Duration::from_millis(20));
    }
}
