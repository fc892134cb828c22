//! Throttles: how often log-ins to one account or from one address may fail, how many requests one
//! token may send, how often one address may register. Memory is bounded: the least recently used
//! entries are evicted first.

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use quick_cache::sync::Cache;

use crate::first_answers::Hashing;
use base::bounds::places::{Fullness, Places};
use domain::time::Monotonic;

/// Failures of one account after which it is locked for a while.
pub const LOGIN_FAILURES: usize = 10;
/// Failures of one address, over all accounts, after which it is locked for a while.
pub const ADDRESS_FAILURES: usize = 100;
/// Milliseconds for which a failure counts.
pub const LOGIN_WINDOW_MILLIS: u64 = 15 * 60 * 1000;
/// Accounts, tokens or addresses that one throttle remembers.
const REMEMBERED: usize = 65_536;

/// Counts failures per account, or per address.
#[derive(Debug)]
pub struct Failures {
    most: usize,
    known: Remembered<Name, FailureCount>,
}

/// Hashes an account or address: the text that a client sends may be of any length, and would be
/// kept in memory.
fn name(text: &str) -> Name {
    Hashing::new().part(text.as_bytes()).finish()
}

/// The hash of an account or address.
type Name = u128;

/// The failures of one account or address.
#[derive(Debug, Default)]
struct FailureCount {
    failed_at: Mutex<Vec<Monotonic>>,
    /// Held while a password of the account is checked.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// The right to check one password of an account; ends when it is dropped.
#[derive(Debug)]
pub struct PasswordTurn {
    _held: tokio::sync::OwnedMutexGuard<()>,
}

impl Failures {
    /// Locks after `most` failures. Shows in `places` under `name` how full it is.
    pub fn at_most(most: usize, places: &Places, name: &'static str) -> Self {
        let known = Remembered::new(places, name);
        Self { most, known }
    }

    /// Waits until nobody else checks a password of this account. A caller that asks whether the
    /// account is locked, checks the password and notes a failure within one turn gets no more
    /// guesses by sending them in parallel.
    pub async fn turn(&self, account: &str) -> PasswordTurn {
        let turn = Arc::clone(&self.account(account).turn);
        PasswordTurn { _held: turn.lock_owned().await }
    }

    fn account(&self, account: &str) -> Arc<FailureCount> {
        let fresh = || Ok::<_, std::convert::Infallible>(Arc::default());
        let Ok(account) = self.known.0.get_or_insert_with(&name(account), fresh);
        account
    }

    /// Milliseconds until the next attempt is allowed; `None` if it is allowed now.
    pub fn locked_for(&self, account: &str, now: Monotonic) -> Option<u64> {
        let account = self.known.0.get(&name(account))?;
        let mut failures = account.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        self.wait(&mut failures, now)
    }

    /// Forgets old failures; returns for how long the others lock the account.
    fn wait(&self, failures: &mut Vec<Monotonic>, now: Monotonic) -> Option<u64> {
        failures.retain(|at| now.millis_since(*at) < LOGIN_WINDOW_MILLIS);
        let oldest = failures.first().filter(|_| failures.len() >= self.most)?;
        self.known.refuse();
        Some(LOGIN_WINDOW_MILLIS - now.millis_since(*oldest))
    }

    /// Notes a failure in advance, of an attempt that begins now: a client that sends attempts in
    /// parallel gets no more of them. [`Failures::forgive`] takes it back.
    ///
    /// # Errors
    /// The milliseconds until the next attempt is allowed. Nothing is noted then.
    pub fn begin(&self, account: &str, now: Monotonic) -> Result<(), u64> {
        let state = self.account(account);
        let mut failures = state.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(wait_millis) = self.wait(&mut failures, now) {
            return Err(wait_millis);
        }
        failures.push(now);
        Ok(())
    }

    /// Notes a failure.
    pub fn note(&self, account: &str, now: Monotonic) {
        let account = self.account(account);
        let mut failures = account.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() < self.most {
            failures.push(now);
        }
    }

    /// Takes back a failure that was noted in advance, of an attempt that did not fail.
    pub fn forgive(&self, account: &str) {
        if let Some(account) = self.known.0.get(&name(account)) {
            account.failed_at.lock().unwrap_or_else(PoisonError::into_inner).pop();
        }
    }

    /// Forgets the failures of an account or address, after a success.
    pub fn clear(&self, account: &str) {
        if let Some(account) = self.known.0.get(&name(account)) {
            account.failed_at.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }
}

/// A bounded cache of the state of each key, and how often a request was refused.
#[derive(Debug)]
pub(super) struct Remembered<K, V>(Arc<Cache<K, Arc<V>>>, Arc<AtomicU64>);

impl<K, V> Remembered<K, V>
where
    K: Eq + Hash + Send + Sync + 'static,
    V: Send + Sync + 'static,
{
    /// An empty cache. Shows in `places` under `name` how full it is.
    pub(super) fn new(places: &Places, name: &'static str) -> Self {
        let (known, refused) = (Arc::new(Cache::new(REMEMBERED)), Arc::<AtomicU64>::default());
        let shown: (Arc<Cache<K, Arc<V>>>, _) = (Arc::clone(&known), Arc::clone(&refused));
        places.add(name, move || {
            let (known, refused) = &shown;
            Fullness::of_items(known.len(), REMEMBERED, refused.load(Ordering::Relaxed))
        });
        Self(known, refused)
    }

    /// The state of a key, made if it is not there.
    pub(super) fn get_or_insert(&self, key: &K, fresh: impl FnOnce() -> V) -> Arc<V>
    where
        K: Clone,
    {
        let fresh = || Ok::<_, std::convert::Infallible>(Arc::new(fresh()));
        let Ok(state) = self.0.get_or_insert_with(key, fresh);
        state
    }

    /// Counts a refused request.
    pub(super) fn refuse(&self) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

/// The size of a token bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Requests refilled per second.
    pub per_second: f64,
    /// Requests that the full bucket holds.
    pub burst: f64,
}

/// The answer of a bucket to one request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Allowance {
    /// Whether the request may pass.
    pub passes: bool,
    /// How many more requests may pass at once.
    pub left: u64,
    /// Milliseconds until one more request may pass; zero if one may now.
    pub wait_millis: u64,
}

/// A token bucket.
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    level: f64,
    filled_at: Monotonic,
}

impl Bucket {
    /// A full bucket.
    pub const fn full(rate: Rate, now: Monotonic) -> Self {
        Self { level: rate.burst, filled_at: now }
    }

    /// Looks at the bucket and takes nothing.
    pub fn look(&self, rate: Rate, now: Monotonic) -> Allowance {
        let gained = now.millis_since(self.filled_at) as f64 / 1000.0 * rate.per_second;
        Self::allowance((self.level + gained).min(rate.burst), rate, true)
    }

    fn allowance(level: f64, rate: Rate, passes: bool) -> Allowance {
        let missing = (1.0 - level).max(0.0);
        let wait_millis = (missing / rate.per_second * 1000.0).ceil() as u64;
        Allowance { passes, left: level as u64, wait_millis }
    }

    /// Takes one request out, if one is left.
    pub fn take(&mut self, rate: Rate, now: Monotonic) -> Allowance {
        let gained = now.millis_since(self.filled_at) as f64 / 1000.0 * rate.per_second;
        let level = (self.level + gained).min(rate.burst);
        let passes = level >= 1.0;
        let level = if passes { level - 1.0 } else { level };
        *self = Self { level, filled_at: now };
        Self::allowance(level, rate, passes)
    }
}

/// A bucket per key.
#[derive(Debug)]
pub struct Buckets<K: Eq + Hash> {
    rate: Rate,
    known: Remembered<K, Mutex<Bucket>>,
}

impl<K: Eq + Hash + Clone + Send + Sync + 'static> Buckets<K> {
    /// Makes buckets of this size. Shows in `places` under `name` how full the cache of buckets is.
    pub fn new(rate: Rate, places: &Places, name: &'static str) -> Self {
        Self { rate, known: Remembered::new(places, name) }
    }

    /// The size of a bucket.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// Looks at a key's bucket and takes nothing.
    pub fn look(&self, key: &K, now: Monotonic) -> Allowance {
        let bucket = self.known.0.get(key);
        let bucket = bucket.map(|it| *it.lock().unwrap_or_else(PoisonError::into_inner));
        bucket.unwrap_or_else(|| Bucket::full(self.rate, now)).look(self.rate, now)
    }

    /// Takes one request out of a key's bucket, if one is left.
    pub fn take(&self, key: &K, now: Monotonic) -> Allowance {
        let bucket = self.known.get_or_insert(key, || Mutex::new(Bucket::full(self.rate, now)));
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
    fn concurrent_attempts_are_forgiven_once() {
        let failures = Failures::at_most(2, &Places::default(), "test");
        assert_eq!(failures.begin("office", at(0)), Ok(()));
        assert_eq!(failures.begin("office", at(0)), Ok(()));
        assert_eq!(failures.begin("office", at(1)), Err(LOGIN_WINDOW_MILLIS - 1));
        failures.forgive("office");
        assert_eq!(failures.begin("office", at(2)), Ok(()));
        assert!(failures.begin("office", at(2)).is_err());
        assert_eq!(failures.begin("office", at(LOGIN_WINDOW_MILLIS)), Ok(()));
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
