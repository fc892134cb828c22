//! The circuit breaker of one host: after many failures in a row nothing is sent to the host,
//! except a probe now and then. Pure.

use crate::domain::time::Timestamp;

/// Failures in a row after which the breaker opens.
const FAILURES: u32 = 10;
/// Milliseconds until the first probe.
const FIRST_WAIT: u64 = 30_000;
/// The longest wait between two probes, in milliseconds; each wait is twice the one before.
const LONGEST_WAIT: u64 = 300_000;
/// Milliseconds after which a failure is forgotten if nobody calls the host any more.
const FORGOTTEN: u64 = 3_600_000;

/// The state of one host.
#[derive(Debug, Clone)]
pub(super) struct Breaker {
    failures: u32,
    failed_at: Option<Timestamp>,
    wait: u64,
    open_until: Option<Timestamp>,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { failures: 0, failed_at: None, wait: FIRST_WAIT, open_until: None }
    }
}

impl Breaker {
    /// Whether a request may be sent, when `under_way` requests to the host are not answered yet.
    pub(super) fn admits(&self, now: Timestamp, under_way: usize) -> bool {
        match self.open_until {
            None => true,
            // One probe at a time, so that a host that recovers slowly is not overloaded.
            Some(until) => now >= until && under_way == 0,
        }
    }

    /// Whether the host has not failed within the last hour, so that nothing need be remembered.
    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        self.failed_at.is_none_or(|at| now.millis_since(at) >= FORGOTTEN)
    }

    /// Notes an answer that shows that the host works.
    pub(super) fn note_success(&mut self) {
        *self = Self::default();
    }

    /// Notes a failure of the host.
    pub(super) fn note_failure(&mut self, now: Timestamp) {
        self.failures = self.failures.saturating_add(1);
        self.failed_at = Some(now);
        if self.failures < FAILURES {
            return;
        }
        // Requests that were sent before the breaker opened are no probes, so their failures do not
        // prolong the wait.
        if self.open_until.is_some_and(|until| now < until) {
            return;
        }
        self.open_until = Some(Timestamp::from_millis(now.millis().saturating_add(self.wait)));
        self.wait = self.wait.saturating_mul(2).min(LONGEST_WAIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    #[test]
    fn it_opens_after_ten_failures_in_a_row() {
        let mut breaker = Breaker::default();
        (0..9).for_each(|_| breaker.note_failure(at(0)));
        breaker.note_success();
        (0..9).for_each(|_| breaker.note_failure(at(0)));
        assert!(breaker.admits(at(0), 3));
        breaker.note_failure(at(0));
        assert!(!breaker.admits(at(29), 0));
        assert!(breaker.admits(at(30), 0));
        assert!(!breaker.admits(at(30), 1));
    }

    #[test]
    fn probes_come_less_and_less_often_but_every_five_minutes() {
        let mut breaker = Breaker::default();
        (0..10).for_each(|_| breaker.note_failure(at(0)));
        let (mut now, mut waits) = (0, Vec::new());
        for _ in 0..6 {
            let next = (now..).find(|second| breaker.admits(at(*second), 0)).unwrap();
            waits.push(next - now);
            now = next;
            breaker.note_failure(at(now));
        }
        assert_eq!(waits, [30, 60, 120, 240, 300, 300]);
        breaker.note_success();
        assert!(breaker.is_fresh(at(now)));
    }

    #[test]
    fn attempts_before_opening_do_not_lengthen_the_wait() {
        let mut breaker = Breaker::default();
        (0..13).for_each(|_| breaker.note_failure(at(0)));
        assert!(breaker.admits(at(30), 0));
    }
}
