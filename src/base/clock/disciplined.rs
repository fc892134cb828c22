//! A wall clock that does not jump: the machine's wall clock, checked against its monotonic clock.
//! A wrong time, even for a moment, would stay for ever in what people read.
//!
//! A step of up to a minute is accepted at once. A larger step ahead is refused, and logged, until
//! it has lasted for an hour or an operator accepts it; a larger step back is accepted after a
//! minute. A return to a time that was believed before is accepted at once. The time at the start
//! of the process has to be believed, since there is nothing to check it against.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::Clock;
use domain::time::{Moment, Timestamp};

/// The largest step of the wall clock, in milliseconds, that is accepted at once.
const STEP: i64 = 60 * 1000;
/// How long a larger step ahead has to last before it is accepted, in milliseconds.
const AHEAD_STANDS: u64 = 60 * 60 * 1000;
/// How long a larger step back has to last before it is accepted, in milliseconds.
const BACK_STANDS: u64 = 60 * 1000;

/// A clock whose wall time is believed only as far as it agrees with its monotonic time.
pub struct DisciplinedClock {
    raw: Arc<dyn Clock>,
    /// The believed offset: wall time minus monotonic time, in milliseconds.
    believed: AtomicI64,
    is_doubtful: AtomicBool,
    belief: Mutex<Belief>,
}

/// The state of steps that were not accepted at once.
#[derive(Debug, Clone, Copy)]
struct Belief {
    /// The furthest ahead that the wall clock was believed to be lately, as an offset.
    highest: i64,
    /// The monotonic time since which only small steps were accepted.
    calm_since: u64,
    doubt: Option<Doubt>,
}

/// A step that is not accepted yet: its offset, and the monotonic time at which it was first seen.
#[derive(Debug, Clone, Copy)]
struct Doubt {
    offset: i64,
    since: u64,
}

impl fmt::Debug for DisciplinedClock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("DisciplinedClock").finish_non_exhaustive()
    }
}

impl DisciplinedClock {
    /// A clock that believes the machine's present wall time.
    pub fn over(raw: Arc<dyn Clock>) -> Self {
        let now = raw.now();
        let offset = offset(now);
        let belief = Belief { highest: offset, calm_since: now.mono.millis(), doubt: None };
        let believed = AtomicI64::new(offset);
        let is_doubtful = AtomicBool::new(false);
        Self { raw, believed, is_doubtful, belief: Mutex::new(belief) }
    }

    /// Accepts the machine's wall time, whatever it is. Returns by how many milliseconds this moved
    /// the believed time; negative is back.
    pub fn accept(&self) -> i64 {
        let now = self.raw.now();
        let mut belief = self.belief();
        let moved = offset(now) - self.believed.load(Ordering::Relaxed);
        self.believe(&mut belief, now);
        moved
    }

    /// By how many seconds the machine's clock differs from the believed time; 0 while it is
    /// believed.
    pub fn refused_seconds(&self) -> i64 {
        let believed = self.believed.load(Ordering::Relaxed);
        self.belief().doubt.map_or(0, |doubt| (doubt.offset - believed) / 1000)
    }

    /// Decides about a reading with a large step, or while a step is in doubt.
    fn judge(&self, now: Moment) -> Moment {
        let mut belief = self.belief();
        let offset = offset(now);
        let mono = now.mono.millis();
        let believed = self.believed.load(Ordering::Relaxed);
        let step = offset - believed;
        if step.abs() <= STEP {
            self.believed.store(offset, Ordering::Relaxed);
            if belief.doubt.take().is_some() {
                tracing::warn!("the machine's clock agrees with the server's time again");
            }
            self.is_doubtful.store(false, Ordering::Relaxed);
            return now;
        }
        if mono.saturating_sub(belief.calm_since) >= AHEAD_STANDS {
            belief.highest = believed;
        }
        let stands = if step > 0 { AHEAD_STANDS } else { BACK_STANDS };
        let doubt = belief.doubt.filter(|doubt| (doubt.offset - offset).abs() <= STEP);
        let has_stood = doubt.is_some_and(|it| mono.saturating_sub(it.since) >= stands);
        if has_stood || (step > 0 && offset <= belief.highest + STEP) {
            tracing::warn!(
                seconds = step / 1000,
                "the machine's clock stepped; the server's time follows it"
            );
            self.believe(&mut belief, now);
            return now;
        }
        if doubt.is_none() {
            tracing::error!(
                seconds = step / 1000,
                "the machine's clock jumped; the server keeps its own time until the clock has \
                 been steady for a while, or until `coterie clock accept`"
            );
            belief.doubt = Some(Doubt { offset, since: mono });
            self.is_doubtful.store(true, Ordering::Relaxed);
        }
        Moment { wall: wall_at(mono, believed), ..now }
    }

    fn believe(&self, belief: &mut Belief, now: Moment) {
        let offset = offset(now);
        let before = self.believed.swap(offset, Ordering::Relaxed);
        *belief = Belief {
            highest: belief.highest.max(before).max(offset),
            calm_since: now.mono.millis(),
            doubt: None,
        };
        self.is_doubtful.store(false, Ordering::Relaxed);
    }

    fn belief(&self) -> MutexGuard<'_, Belief> {
        self.belief.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for DisciplinedClock {
    fn now(&self) -> Moment {
        let now = self.raw.now();
        let offset = offset(now);
        let believed = self.believed.load(Ordering::Relaxed);
        if offset.abs_diff(believed) > STEP.unsigned_abs()
            || self.is_doubtful.load(Ordering::Relaxed)
        {
            return self.judge(now);
        }
        if offset != believed {
            self.believed.store(offset, Ordering::Relaxed);
        }
        now
    }
}

/// Wall time minus monotonic time, in milliseconds.
fn offset(now: Moment) -> i64 {
    let signed = |millis: u64| i64::try_from(millis).unwrap_or(i64::MAX);
    signed(now.wall.millis()).saturating_sub(signed(now.mono.millis()))
}

fn wall_at(mono: u64, offset: i64) -> Timestamp {
    Timestamp::from_millis(mono.saturating_add_signed(offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    const START: u64 = 1_800_000_000;
    const MINUTE: u64 = 60_000;
    const YEARS: u64 = 10 * 365 * 24 * 3600;

    fn fixture() -> (Arc<ManualClock>, DisciplinedClock) {
        let raw = Arc::new(ManualClock::at(Timestamp::from_seconds(START)));
        let disciplined = DisciplinedClock::over(Arc::clone(&raw) as Arc<dyn Clock>);
        (raw, disciplined)
    }

    fn jump(raw: &ManualClock, seconds: i64) {
        let wall = raw.now().wall.seconds().saturating_add_signed(seconds);
        raw.jump_to(Timestamp::from_seconds(wall));
    }

    fn passed(clock: &DisciplinedClock) -> u64 {
        clock.now().wall.seconds() - START
    }

    #[test]
    fn a_wrong_moment_is_never_seen() {
        let (raw, clock) = fixture();
        raw.pass(5000);
        jump(&raw, YEARS as i64);
        assert_eq!(passed(&clock), 5);
        raw.pass(200);
        assert_eq!((passed(&clock), clock.refused_seconds()), (5, YEARS as i64));
        jump(&raw, -(YEARS as i64));
        raw.pass(1000);
        assert_eq!((passed(&clock), clock.refused_seconds()), (6, 0));
    }

    #[test]
    fn clock_step_is_accepted_after_an_hour() {
        let (raw, clock) = fixture();
        jump(&raw, 7200);
        assert_eq!(passed(&clock), 0);
        for minute in 1..60 {
            raw.pass(MINUTE);
            assert_eq!(passed(&clock), 60 * minute);
        }
        raw.pass(MINUTE);
        assert_eq!(passed(&clock), 3600 + 7200);
        assert_eq!(clock.refused_seconds(), 0);
    }

    #[test]
    fn an_operator_is_believed_at_once() {
        let (raw, clock) = fixture();
        jump(&raw, 7200);
        assert_eq!(passed(&clock), 0);
        assert_eq!(clock.accept(), 7_200_000);
        assert_eq!((passed(&clock), clock.accept()), (7200, 0));
    }

    #[test]
    fn small_steps_are_taken_as_they_come() {
        let (raw, clock) = fixture();
        for step in [1, 60, -60, 59] {
            let before = passed(&clock);
            jump(&raw, step);
            assert_eq!(passed(&clock), before.saturating_add_signed(step));
        }
    }

    #[test]
    fn a_step_back_is_believed_after_a_minute_and_its_end_at_once() {
        let (raw, clock) = fixture();
        raw.pass(10 * MINUTE);
        jump(&raw, -300);
        assert_eq!(passed(&clock), 600);
        raw.pass(MINUTE);
        assert_eq!(passed(&clock), 360);
        jump(&raw, 300);
        assert_eq!(passed(&clock), 660, "it was there before");
    }

    #[test]
    fn two_wrong_times_do_not_add_up_to_an_hour() {
        let (raw, clock) = fixture();
        for round in 0..10_u64 {
            jump(&raw, if round % 2 == 0 { 7200 } else { -1800 });
            assert_eq!(passed(&clock), round * 50 * 60);
            raw.pass(50 * MINUTE);
        }
    }
}
