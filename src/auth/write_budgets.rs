//! Budgets of bytes: how much a user may write each second and each day, over all rooms of this
//! node. Memory is bounded: the least recently used entries are evicted first.

use std::sync::{Mutex, PoisonError};

use crate::throttle::Remembered;
use base::bounds::places::Places;
use domain::ids::UserId;
use domain::time::Monotonic;

/// Seconds of the rate that a user who was silent may write at once.
const BURST_SECONDS: u64 = 30;
/// Milliseconds of a day.
const DAY_MILLIS: u64 = 86_400_000;

/// How many bytes a user may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteRate {
    /// Bytes each second; thirty times as many at once.
    pub per_second: u64,
    /// Bytes in 24 hours, which begin with the first one.
    pub per_day: u64,
}

/// The budget that is spent, and for how many milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpentBudget {
    /// The budget of a second.
    Second(u64),
    /// The budget of a day.
    Day(u64),
}

/// Recent writes of one user.
#[derive(Debug)]
struct Written {
    /// Bytes that may be written at once; below zero after a write larger than what was left.
    left: i64,
    filled_at: Monotonic,
    /// When the day began, and the bytes since.
    day: (Monotonic, u64),
}

/// A budget for each user.
#[derive(Debug)]
pub struct WriteBudgets {
    rate: WriteRate,
    known: Remembered<UserId, Mutex<Written>>,
}

impl WriteBudgets {
    /// Makes budgets of this size. Shows in `places` under `name` how full the cache of them is.
    pub fn new(rate: WriteRate, places: &Places, name: &'static str) -> Self {
        Self { rate, known: Remembered::new(places, name) }
    }

    /// The size of a budget.
    pub const fn rate(&self) -> WriteRate {
        self.rate
    }

    /// Counts what a user writes, if anything of their budgets is left. A single write may take
    /// more than is left, so that none is too large for ever; later ones wait for it.
    ///
    /// # Errors
    /// If a budget is spent.
    pub fn spend(&self, user: UserId, bytes: usize, now: Monotonic) -> Result<(), SpentBudget> {
        let spent = self.with(user, now, |written| written.spend(self.rate, bytes as u64, now));
        if spent.is_err() {
            self.known.refuse();
        }
        spent
    }

    /// Counts what was written for a user anyway.
    pub fn count(&self, user: UserId, bytes: usize, now: Monotonic) {
        self.with(user, now, |written| written.count(bytes as u64));
    }

    fn with<T>(&self, user: UserId, now: Monotonic, act: impl FnOnce(&mut Written) -> T) -> T {
        let written = self.known.get_or_insert(&user, || Mutex::new(Written::none(self.rate, now)));
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        written.refill(self.rate, now);
        act(&mut written)
    }
}

impl Written {
    fn none(rate: WriteRate, now: Monotonic) -> Self {
        Self { left: burst(rate), filled_at: now, day: (now, 0) }
    }

    fn refill(&mut self, rate: WriteRate, now: Monotonic) {
        let millis = now.millis_since(self.filled_at);
        let gained = millis.saturating_mul(rate.per_second) / 1000;
        // A write within the same millisecond gains nothing and keeps the time for the next one.
        if gained > 0 {
            let left = self.left.saturating_add(i64::try_from(gained).unwrap_or(i64::MAX));
            (self.left, self.filled_at) = (left.min(burst(rate)), now);
        }
        if now.millis_since(self.day.0) >= DAY_MILLIS {
            self.day = (now, 0);
        }
    }

    fn spend(&mut self, rate: WriteRate, bytes: u64, now: Monotonic) -> Result<(), SpentBudget> {
        if self.day.1 >= rate.per_day {
            let since = now.millis_since(self.day.0);
            return Err(SpentBudget::Day(DAY_MILLIS.saturating_sub(since).max(1)));
        }
        if self.left <= 0 {
            let missing = self.left.unsigned_abs() + 1;
            let wait = missing.saturating_mul(1000).div_ceil(rate.per_second);
            return Err(SpentBudget::Second(wait));
        }
        self.count(bytes);
        Ok(())
    }

    fn count(&mut self, bytes: u64) {
        self.left = self.left.saturating_sub(i64::try_from(bytes).unwrap_or(i64::MAX));
        self.day.1 = self.day.1.saturating_add(bytes);
    }
}

fn burst(rate: WriteRate) -> i64 {
    i64::try_from(rate.per_second.saturating_mul(BURST_SECONDS)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId::new(1);

    const fn at(millis: u64) -> Monotonic {
        Monotonic::from_millis(millis)
    }

    fn budgets(per_second: u64, per_day: u64) -> WriteBudgets {
        WriteBudgets::new(WriteRate { per_second, per_day }, &Places::default(), "test")
    }

    #[test]
    fn burst_of_thirty_seconds_passes_and_refills() {
        let budgets = budgets(100, 1_000_000);
        assert_eq!(budgets.spend(ANA, 2999, at(0)), Ok(()));
        assert_eq!(budgets.spend(ANA, 1001, at(0)), Ok(()), "one byte was left");
        assert_eq!(budgets.spend(ANA, 1, at(0)), Err(SpentBudget::Second(10_010)));
        assert_eq!(budgets.spend(UserId::new(2), 1, at(0)), Ok(()));
        assert_eq!(budgets.spend(ANA, 1, at(10_000)), Err(SpentBudget::Second(10)));
        assert_eq!(budgets.spend(ANA, 1, at(10_010)), Ok(()));
    }

    #[test]
    fn day_begins_with_the_first_write() {
        let budgets = budgets(1000, 5000);
        assert_eq!(budgets.spend(ANA, 4999, at(1000)), Ok(()));
        assert_eq!(budgets.spend(ANA, 1, at(10_000)), Ok(()));
        assert!(budgets.spend(ANA, 1, at(61_000)) == Err(SpentBudget::Day(DAY_MILLIS - 60_000)));
        assert_eq!(budgets.spend(ANA, 1, at(1000 + DAY_MILLIS)), Ok(()));
    }

    #[test]
    fn uncounted_writes_use_up_the_budget() {
        let budgets = budgets(100, 1_000_000);
        budgets.count(ANA, 4000, at(0));
        assert!(budgets.spend(ANA, 1, at(0)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn nobody_writes_more_than_rate_and_burst(
            writes in proptest::collection::vec((0u64..3000, 1usize..2000), 1..100)
        ) {
            let budgets = budgets(100, u64::MAX);
            let mut now = 0;
            let mut written = 0;
            for (pause, bytes) in writes {
                now += pause;
                if budgets.spend(ANA, bytes, at(now)).is_ok() {
                    written += bytes as u64;
                }
            }
            proptest::prop_assert!(written <= 3000 + now / 10 + 2000);
        }
    }
}
