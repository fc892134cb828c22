//! Limits attempts at the password of an account: one at a time, and none for a while after too
//! many failures.
//!
//! With several nodes, the node that owns the name of the account counts, and lends turns to the
//! others (`actors/directory/attempts.rs` asks it for them). A turn that is lent counts as a
//! failure in advance: if the other node never reports back, the attempt has failed. Everything is
//! in memory; a node that takes the name over starts counting from zero.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::throttle::{Failures, LOGIN_FAILURES, PasswordTurn};
use base::bounds::places::{Fullness, Places};
use base::clock::Clock;
use domain::ids::NameId;
use domain::time::Monotonic;

/// How long another node may keep a turn. After that the next attempt may begin, and the failure
/// stays counted.
const LENT_FOR: Duration = Duration::from_secs(10);
/// How long the question of another node waits for its turn; after that the node has to ask again.
const WAITED_FOR: Duration = Duration::from_secs(5);
/// Turns that may be lent to other nodes at the same time.
const LENT: usize = 4096;

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PasswordVerdict {
    /// The password was right: earlier failures are forgotten.
    Right,
    /// The password was wrong.
    Wrong,
    /// The password was not checked.
    Unchecked,
}

/// Why nobody may try the password of an account now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAttempt {
    /// Too many attempts failed.
    Locked {
        /// Milliseconds until the next attempt is allowed.
        wait_millis: u64,
    },
    /// The node that counts cannot be asked.
    Uncounted,
}

/// An attempt that may be made. Nobody else can try this account until it ends.
pub trait PasswordAttempt: Send {
    /// Ends the attempt and reports its outcome.
    fn end(self: Box<Self>, outcome: PasswordVerdict) -> BoxFuture<'static, ()>;
}

/// The attempt, or why none may be made.
pub type Attempted = Result<Box<dyn PasswordAttempt>, NoAttempt>;

/// Grants attempts, wherever they are counted.
pub trait PasswordAttempts: Send + Sync {
    /// Waits until nobody else tries this account; refuses if too many attempts failed.
    fn begin(&self, account: NameId) -> BoxFuture<'static, Attempted>;
}

/// Counts the attempts at the accounts whose names this node owns. Cheap to clone.
#[derive(Clone)]
pub struct AttemptBook(Arc<Inner>);

struct Inner {
    failures: Failures,
    clock: Arc<dyn Clock>,
    lent: Mutex<LentTurns>,
}

/// The turns that other nodes have.
struct LentTurns {
    /// The number of the newest lent turn. Starts at a random value, so that numbers of an earlier
    /// run mean nothing.
    number: u64,
    turns: HashMap<u64, (NameId, PasswordTurn)>,
    refused: u64,
}

/// The answer to a node that asks for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TurnAnswer {
    /// The node has this turn.
    Lent {
        /// The number under which the node gives the turn back.
        number: u64,
    },
    /// Too many attempts failed.
    Locked {
        /// Milliseconds until the next attempt is allowed.
        wait_millis: u64,
    },
}

/// An attempt that is made on this node.
struct OwnAttempt {
    book: AttemptBook,
    account: NameId,
    began: Monotonic,
    turn: PasswordTurn,
}

impl AttemptBook {
    /// A book without any failures; shows how many turns are lent in `places`.
    pub fn new(clock: Arc<dyn Clock>, places: &Places) -> Self {
        let failures = Failures::at_most(LOGIN_FAILURES, places, "failed_accounts");
        let number = u64::from_be_bytes(base::random::random());
        let lent = Mutex::new(LentTurns { number, turns: HashMap::new(), refused: 0 });
        let book = Self(Arc::new(Inner { failures, clock, lent }));
        let shown = book.clone();
        places.add("lent_attempts", move || {
            let lent = shown.lent();
            Fullness::of_items(lent.turns.len(), LENT, lent.refused)
        });
        book
    }

    fn lent(&self) -> MutexGuard<'_, LentTurns> {
        self.0.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn own(&self, account: NameId) -> Result<OwnAttempt, NoAttempt> {
        let failures = &self.0.failures;
        let turn = failures.turn(&account.to_string()).await;
        let began = self.0.clock.now().mono;
        match failures.locked_for(&account.to_string(), began) {
            Some(wait_millis) => Err(NoAttempt::Locked { wait_millis }),
            None => Ok(OwnAttempt { book: self.clone(), account, began, turn }),
        }
    }

    /// Lends a turn to another node, which may never report back. `None` if all turns are lent, or
    /// if the turn for this account did not become free in time.
    pub async fn lend(&self, account: NameId) -> Option<TurnAnswer> {
        let attempt = match tokio::time::timeout(WAITED_FOR, self.own(account)).await.ok()? {
            Ok(attempt) => attempt,
            Err(NoAttempt::Locked { wait_millis }) => {
                return Some(TurnAnswer::Locked { wait_millis });
            }
            Err(NoAttempt::Uncounted) => return None,
        };
        let number = {
            let mut lent = self.lent();
            if lent.turns.len() >= LENT {
                lent.refused += 1;
                return None;
            }
            lent.number = lent.number.wrapping_add(1);
            let number = lent.number;
            lent.turns.insert(number, (account, attempt.turn));
            number
        };
        self.0.failures.note(&account.to_string(), attempt.began);
        let book = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(LENT_FOR).await;
            drop(book.lent().turns.remove(&number));
        });
        Some(TurnAnswer::Lent { number })
    }

    /// Takes back a turn with the outcome that another node reports. The turn may have expired, or
    /// may be of an earlier run of this process.
    pub fn give_back(&self, account: NameId, number: u64, outcome: PasswordVerdict) {
        let turn = {
            let mut lent = self.lent();
            let is_its = lent.turns.get(&number).is_some_and(|(of, _)| *of == account);
            is_its.then(|| lent.turns.remove(&number)).flatten()
        };
        match outcome {
            PasswordVerdict::Right => self.0.failures.clear(&account.to_string()),
            PasswordVerdict::Unchecked if turn.is_some() => {
                self.0.failures.forgive(&account.to_string());
            }
            PasswordVerdict::Unchecked | PasswordVerdict::Wrong => {}
        }
    }
}

impl PasswordAttempts for AttemptBook {
    fn begin(&self, account: NameId) -> BoxFuture<'static, Attempted> {
        let book = self.clone();
        Box::pin(async move { Ok(Box::new(book.own(account).await?) as Box<dyn PasswordAttempt>) })
    }
}

impl PasswordAttempt for OwnAttempt {
    fn end(self: Box<Self>, outcome: PasswordVerdict) -> BoxFuture<'static, ()> {
        let failures = &self.book.0.failures;
        let account = self.account.to_string();
        match outcome {
            PasswordVerdict::Right => failures.clear(&account),
            PasswordVerdict::Wrong => failures.note(&account, self.began),
            PasswordVerdict::Unchecked => {}
        }
        Box::pin(std::future::ready(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::clock::ManualClock;
    use domain::time::Timestamp;

    const ANA: NameId = NameId::new([1; 16]);
    const BEN: NameId = NameId::new([2; 16]);

    fn book() -> AttemptBook {
        let clock = ManualClock::at(Timestamp::from_millis(0));
        AttemptBook::new(Arc::new(clock), &Places::default())
    }

    async fn lends(book: &AttemptBook, account: NameId) -> u64 {
        match book.lend(account).await {
            Some(TurnAnswer::Lent { number }) => number,
            other => panic!("{other:?}"),
        }
    }

    async fn is_locked(book: &AttemptBook, account: NameId) -> bool {
        matches!(book.lend(account).await, Some(TurnAnswer::Locked { .. }))
    }

    #[tokio::test(start_paused = true)]
    async fn failures_here_and_at_other_nodes_are_counted_together() {
        let book = book();
        for round in 0..LOGIN_FAILURES {
            if round % 2 == 0 {
                let attempt = book.begin(ANA).await.ok().unwrap();
                attempt.end(PasswordVerdict::Wrong).await;
            } else {
                let number = lends(&book, ANA).await;
                book.give_back(ANA, number, PasswordVerdict::Wrong);
            }
        }
        assert!(is_locked(&book, ANA).await && !is_locked(&book, BEN).await);
        assert!(matches!(book.begin(ANA).await, Err(NoAttempt::Locked { .. })));
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_run_one_by_one_and_lost_ones_fail() {
        let book = book();
        for _ in 0..LOGIN_FAILURES {
            lends(&book, ANA).await;
            // The turn of the other node is not over yet.
            assert_eq!(book.lend(ANA).await, None);
            let own = tokio::time::timeout(WAITED_FOR / 2, book.begin(ANA)).await;
            assert!(own.is_err());
            tokio::time::sleep(LENT_FOR).await;
        }
        assert!(is_locked(&book, ANA).await);
    }

    #[tokio::test(start_paused = true)]
    async fn success_and_unchecked_attempts_are_no_failures() {
        let book = book();
        for _ in 0..LOGIN_FAILURES * 2 {
            let number = lends(&book, ANA).await;
            book.give_back(ANA, number, PasswordVerdict::Unchecked);
        }
        for _ in 1..LOGIN_FAILURES {
            let number = lends(&book, ANA).await;
            book.give_back(ANA, number, PasswordVerdict::Wrong);
        }
        let late = lends(&book, ANA).await;
        let bens = lends(&book, BEN).await;
        // The number of the other account's turn does not give back this one.
        book.give_back(ANA, bens, PasswordVerdict::Unchecked);
        assert_eq!(book.lend(BEN).await, None);
        tokio::time::sleep(LENT_FOR).await;
        assert!(is_locked(&book, ANA).await);
        book.give_back(ANA, late, PasswordVerdict::Unchecked);
        assert!(is_locked(&book, ANA).await, "it was counted, and nobody knows who had it since");
        book.give_back(ANA, late, PasswordVerdict::Right);
        assert!(!is_locked(&book, ANA).await);
    }
}
