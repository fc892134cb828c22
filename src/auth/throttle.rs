//! Throttles: how often one account and one address may fail to log in, one token may
//! ask, one address may register. Bounded memory: the least recent are forgotten first.

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use quick_cache::sync::Cache;

use crate::auth::first_answers::Hashing;
use crate::bounds::places::{Fullness, Places};
use crate::domain::time::Monotonic;

/// Failures of one account after which it is locked for a while.
pub const LOGIN_FAILURES: usize = 10;
/// Failures of one address, over all accounts, after which it is locked for a while.
pub const ADDRESS_FAILURES: usize = 100;
/// Milliseconds in which they are counted.
pub const LOGIN_WINDOW_MILLIS: u64 = 15 * 60 * 1000;
/// Accounts, tokens or addresses that one throttle remembers.
const REMEMBERED: usize = 65_536;

/// Counts failures per account, or per address.
#[derive(Debug)]
pub struct Failures {
    most: usize,
    known: Remembered<Name, FailureCount>,
}

/// Hashes an account or address: what somebody sends as one may be of any length, and is
/// remembered.
fn name(text: &str) -> Name {
    Hashing::new().part(text.as_bytes()).finish()
}

/// What an account or address is remembered by.
type Name = u128;

/// What is known of one account or address.
#[derive(Debug, Default)]
struct FailureCount {
    failed_at: Mutex<Vec<Monotonic>>,
    /// Who checks a password of it now.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// The right to check one password of an account, until it is dropped.
#[derive(Debug)]
pub struct PasswordTurn {
    _held: tokio::sync::OwnedMutexGuard<()>,
}

impl Failures {
    /// Locks after so many. By its name it stands among the places.
    pub fn at_most(most: usize, places: &Places, name: &'static str) -> Self {
        let known = Remembered::new(places, name);
        Self { most, known }
    }

    /// Waits until nobody else checks a password of this account. Whoever asks whether
    /// it is locked, checks and notes a failure within one turn has no more guesses by
    /// sending them at the same time.
    pub async fn turn(&self, account: &str) -> PasswordTurn {
        let turn = Arc::clone(&self.account(account).turn);
        PasswordTurn { _held: turn.lock_owned().await }
    }

    fn account(&self, account: &str) -> Arc<FailureCount> {
        let fresh = || Ok::<_, std::convert::Infallible>(Arc::default());
        let Ok(account) = self.known.0.get_or_insert_with(&name(account), fresh);
        account
    }

    /// Milliseconds until the account may try again; `None` if it may now.
    pub fn locked_for(&self, account: &str, now: Monotonic) -> Option<u64> {
        let account = self.known.0.get(&name(account))?;
        let mut failures = account.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|at| now.millis_since(*at) < LOGIN_WINDOW_MILLIS);
        let oldest = failures.first().filter(|_| failures.len() >= self.most)?;
        self.known.refuse();
        Some(LOGIN_WINDOW_MILLIS - now.millis_since(*oldest))
    }

    /// Notes a failure.
    pub fn note(&self, account: &str, now: Monotonic) {
        let account = self.account(account);
        let mut failures = account.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() < self.most {
            failures.push(now);
        }
    }

    /// Takes back the newest failure: what was noted in advance was none.
    pub fn forgive(&self, account: &str) {
        if let Some(account) = self.known.0.get(&name(account)) {
            account.failed_at.lock().unwrap_or_else(PoisonError::into_inner).pop();
        }
    }

    /// Forgets the failures of somebody who got in.
    pub fn clear(&self, account: &str) {
        if let Some(account) = self.known.0.get(&name(account)) {
            account.failed_at.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }
}

/// What is known of each of those who ask, and how often one of them was refused.
#[derive(Debug)]
struct Remembered<K, V>(Arc<Cache<K, Arc<V>>>, Arc<AtomicU64>);

impl<K, V> Remembered<K, V>
where
    K: Eq + Hash + Send + Sync + 'static,
    V: Send + Sync + 'static,
{
    fn new(places: &Places, name: &'static str) -> Self {
        let (known, refused) = (Arc::new(Cache::new(REMEMBERED)), Arc::<AtomicU64>::default());
        let shown: (Arc<Cache<K, Arc<V>>>, _) = (Arc::clone(&known), Arc::clone(&refused));
        places.add(name, move || {
            let (known, refused) = &shown;
            Fullness::of_items(known.len(), REMEMBERED, refused.load(Ordering::Relaxed))
        });
        Self(known, refused)
    }

    fn refuse(&self) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

/// So much per second, and so much at once (a token bucket).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Refilled per second.
    pub per_second: f64,
    /// What the full bucket holds.
    pub burst: f64,
}

/// What a bucket answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Allowance {
    /// Whether this one may pass.
    pub passes: bool,
    /// How many more may pass at once.
    pub left: u64,
    /// Milliseconds until one more may pass; zero if one may now.
    pub wait_millis: u64,
}

/// One bucket.
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    level: f64,
    filled_at: Monotonic,
}

impl Bucket {
    /// A full one.
    pub const fn full(rate: Rate, now: Monotonic) -> Self {
        Self { level: rate.burst, filled_at: now }
    }

    /// Takes one out.
    pub fn take(&mut self, rate: Rate, now: Monotonic) -> Allowance {
        let gained = now.millis_since(self.filled_at) as f64 / 1000.0 * rate.per_second;
        let level = (self.level + gained).min(rate.burst);
        let passes = level >= 1.0;
        let level = if passes { level - 1.0 } else { level };
        *self = Self { level, filled_at: now };
        let missing = (1.0 - level).max(0.0);
        Allowance {
            passes,
            left: level as u64,
            wait_millis: (missing / rate.per_second * 1000.0).ceil() as u64,
        }
    }
}

/// A bucket per key.
#[derive(Debug)]
pub struct Buckets<K: Eq + Hash> {
    rate: Rate,
    known: Remembered<K, Mutex<Bucket>>,
}

impl<K: Eq + Hash + Clone + Send + Sync + 'static> Buckets<K> {
    /// Buckets of this size. By their name they stand among the places.
    pub fn new(rate: Rate, places: &Places, name: &'static str) -> Self {
        Self { rate, known: Remembered::new(places, name) }
    }

    /// The size of a bucket.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// Takes one out of a key's bucket.
    pub fn take(&self, key: &K, now: Monotonic) -> Allowance {
        let full = || Ok::<_, ()>(Arc::new(Mutex::new(Bucket::full(self.rate, now))));
        let Ok(bucket) = self.known.0.get_or_insert_with(key, full) else {
            return Allowance { passes: true, left: 0, wait_millis: 0 };
        };
        let taken = bucket.lock().unwrap_or_else(PoisonError::into_inner).take(self.rate, now);
        if !taken.passes {
            self.known.refuse();
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Monotonic {
        Monotonic::from_millis(millis)
    }

    #[test]
    fn the_tenth_failure_locks_and_time_unlocks() {
        let failures = Failures::at_most(LOGIN_FAILURES, &Places::default(), "test");
        for minute in 0..10 {
            assert_eq!(failures.locked_for("ana", at(minute * 1000)), None);
            failures.note("ana", at(minute * 1000));
        }
        assert_eq!(failures.locked_for("ana", at(9000)), Some(LOGIN_WINDOW_MILLIS - 9000));
        assert_eq!(failures.locked_for("ben", at(9000)), None);
        assert_eq!(failures.locked_for("ana", at(LOGIN_WINDOW_MILLIS)), None);
    }

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let buckets =
            Buckets::new(Rate { per_second: 10.0, burst: 2.0 }, &Places::default(), "test");
        assert!(buckets.take(&1, at(0)).passes);
        assert_eq!(buckets.take(&1, at(0)), Allowance { passes: true, left: 0, wait_millis: 100 });
        assert!(!buckets.take(&1, at(50)).passes);
        assert!(buckets.take(&2, at(50)).passes);
        assert!(buckets.take(&1, at(150)).passes);
    }
}
