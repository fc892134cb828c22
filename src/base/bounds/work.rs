//! Work budgets: how much a reader of foreign input may do before it stops.
//!
//! A reader takes a [`WorkBudget`] as a parameter, and spends a step for each piece that it looks
//! at. A reader that is linear never meets the limit of steps; the time stops what nobody foresaw.

use std::time::Duration;

use crate::clock::Deadline;

/// Steps between two looks at the clock.
const STEPS_BETWEEN_LOOKS: u64 = 1024;

/// The budget is spent; the reader has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the input takes too much time to process")]
pub struct Spent;

/// The limits of a budget.
#[derive(Debug, Clone, Copy)]
pub struct WorkLimits {
    /// Units of work that take some nanoseconds each. They do not depend on the machine, so tests
    /// count them.
    pub steps: u64,
    /// Entries of a dictionary that one expression stands for.
    pub terms: u64,
    /// Bytes that are read, or held at the same time.
    pub bytes: u64,
    /// Time from the beginning to the end.
    pub time: Duration,
}

/// The remaining work that a reader may do.
#[derive(Debug)]
pub struct WorkBudget {
    limits: WorkLimits,
    until: Deadline,
    steps: u64,
    terms: u64,
    bytes: u64,
    /// Steps until the next look at the clock.
    unwatched: u64,
}

impl WorkBudget {
    /// A whole budget, whose time begins now.
    pub fn new(limits: WorkLimits) -> Self {
        let until = Deadline::after(limits.time);
        Self { limits, until, steps: 0, terms: 0, bytes: 0, unwatched: STEPS_BETWEEN_LOOKS }
    }

    /// Spends one step, which reads so many bytes.
    ///
    /// # Errors
    /// If steps, bytes or time are spent.
    pub fn step(&mut self, bytes: usize) -> Result<(), Spent> {
        self.hold(bytes)?;
        self.spend(1)
    }

    /// Spends steps.
    ///
    /// # Errors
    /// If steps or time are spent.
    pub fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.limits.steps {
            return Err(Spent);
        }
        if let Some(unwatched) = self.unwatched.checked_sub(steps).filter(|it| *it > 0) {
            self.unwatched = unwatched;
            return Ok(());
        }
        self.unwatched = STEPS_BETWEEN_LOOKS;
        if self.until.left().is_zero() { Err(Spent) } else { Ok(()) }
    }

    /// Spends a term and the steps that it costs.
    ///
    /// # Errors
    /// If terms, steps or time are spent.
    pub fn term(&mut self, steps: u64) -> Result<(), Spent> {
        self.terms += 1;
        if self.terms > self.limits.terms {
            return Err(Spent);
        }
        self.spend(steps)
    }

    /// Holds bytes from now on.
    ///
    /// # Errors
    /// If the bytes are spent.
    pub fn hold(&mut self, bytes: usize) -> Result<(), Spent> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.bytes > self.limits.bytes { Err(Spent) } else { Ok(()) }
    }

    /// Gives back bytes that are no longer held.
    pub const fn release(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes as u64);
    }

    /// The steps that were spent.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// The terms that were spent.
    pub const fn terms(&self) -> u64 {
        self.terms
    }

    /// The bytes that were read or are held.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: WorkLimits =
        WorkLimits { steps: 10_000, terms: 2, bytes: 100_000, time: Duration::from_secs(3600) };

    #[test]
    fn budget_ends_by_steps_bytes_and_time() {
        let mut by_steps = WorkBudget::new(LIMITS);
        assert!((0..10_000).all(|_| by_steps.step(0).is_ok()));
        assert_eq!(by_steps.step(0), Err(Spent));
        let mut by_terms = WorkBudget::new(LIMITS);
        assert!((0..2).all(|_| by_terms.term(5).is_ok()));
        assert_eq!((by_terms.term(0), by_terms.steps()), (Err(Spent), 10));
        let mut by_bytes = WorkBudget::new(LIMITS);
        assert_eq!(by_bytes.step(100_000), Ok(()));
        by_bytes.release(1);
        assert_eq!(by_bytes.step(1), Ok(()));
        assert_eq!(by_bytes.step(1), Err(Spent));
        let mut by_time = WorkBudget::new(WorkLimits { time: Duration::ZERO, ..LIMITS });
        let steps = (1..).find(|_| by_time.step(0).is_err());
        assert_eq!(steps, Some(STEPS_BETWEEN_LOOKS));
    }
}
