//! What a piece of work cost others, told by how long it had to wait for a core itself.
//!
//! The lowest priority does not make a thread harmless: it runs whenever others pause for a
//! moment, and what it leaves in caches, and takes from a core's other half, slows them when
//! they go on. A thread that was kept waiting knows that others wanted the machine. So it
//! rests in proportion to that: not at all where cores are free, most of the time where all
//! are busy.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Rest for each moment of waiting.
const REST: u32 = 4;
/// However busy the machine is, a piece of work is followed by so many times its own length
/// of rest at most, so that pictures go on.
const MOST: u32 = 3;

/// One piece of work, timed by the machine itself and not by the server's clock: what is
/// asked is what the machine had to give.
pub(super) struct CpuThrottle {
    began: Duration,
    had_run: Duration,
}

impl CpuThrottle {
    /// Begins now, on this thread.
    pub(super) fn begin() -> Self {
        Self { began: passed(), had_run: ran() }
    }

    /// Ends it: how long to rest now.
    pub(super) fn rest(self) -> Duration {
        rest_after(passed().saturating_sub(self.began), ran().saturating_sub(self.had_run))
    }
}

/// How long to rest after work that took so much time, of which it ran this much.
fn rest_after(took: Duration, ran: Duration) -> Duration {
    let waited = took.saturating_sub(ran);
    (waited * REST).min(took * MOST)
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
        assert_eq!(rest_after(second, second), Duration::ZERO);
        assert_eq!(rest_after(second, second * 3 / 4), second);
        assert_eq!(rest_after(second, Duration::ZERO), second * MOST);
    }

    #[test]
    fn time_without_a_core_is_no_work() {
        let before = ran();
        let cpu_throttle = CpuThrottle::begin();
        std::thread::sleep(Duration::from_millis(20));
        assert!(ran() >= before);
        assert!(cpu_throttle.rest() >= Duration::from_millis(20));
    }
}
