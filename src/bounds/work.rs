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
#[error("the input takes too much work")]
pub struct Spent;

/// The limits of a budget.
#[derive(Debug, Clone, Copy)]
pub struct WorkLimits {
    /// Pieces that are looked at.
    pub steps: u64,
    /// Bytes that are read.
    pub bytes: u64,
    /// Time from the beginning to the end.
    pub time: Duration,
}

/// What a reader may still do.
#[derive(Debug)]
pub struct WorkBudget {
    limits: WorkLimits,
    until: Deadline,
    steps: u64,
    bytes: u64,
}

impl WorkBudget {
    /// A whole budget, whose time begins now.
    pub fn new(limits: WorkLimits) -> Self {
        Self { limits, until: Deadline::after(limits.time), steps: 0, bytes: 0 }
    }

    /// Spends one step, which reads so many bytes.
    ///
    /// # Errors
    /// If steps, bytes or time are spent.
    pub fn step(&mut self, bytes: usize) -> Result<(), Spent> {
        self.steps += 1;
        self.bytes = self.bytes.saturating_add(bytes as u64);
        let is_late =
            || self.steps.is_multiple_of(STEPS_BETWEEN_LOOKS) && self.until.left().is_zero();
        if self.steps > self.limits.steps || self.bytes > self.limits.bytes || is_late() {
            return Err(Spent);
        }
        Ok(())
    }

    /// The steps that were spent.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// The bytes that were read.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: WorkLimits =
        WorkLimits { steps: 10_000, bytes: 100_000, time: Duration::from_secs(3600) };

    #[test]
    fn budget_ends_by_steps_bytes_and_time() {
        let mut by_steps = WorkBudget::new(LIMITS);
        assert!((0..10_000).all(|_| by_steps.step(0).is_ok()));
        assert_eq!(by_steps.step(0), Err(Spent));
        let mut by_bytes = WorkBudget::new(LIMITS);
        assert_eq!(by_bytes.step(100_000), Ok(()));
        assert_eq!(by_bytes.step(1), Err(Spent));
        let mut by_time = WorkBudget::new(WorkLimits { time: Duration::ZERO, ..LIMITS });
        let steps = (1..).find(|_| by_time.step(0).is_err());
        assert_eq!(steps, Some(STEPS_BETWEEN_LOOKS));
    }
}
