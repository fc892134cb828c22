//! Moments as numbers. Reading them off a clock is the business of `crate::clock`.

use serde::{Deserialize, Serialize};

/// Wall-clock time: Unix milliseconds. Shown to people; never used to measure a window.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(u64);

impl Timestamp {
    /// From Unix milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// From whole Unix seconds.
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Unix milliseconds.
    pub const fn millis(self) -> u64 {
        self.0
    }

    /// Unix seconds, rounded down.
    pub const fn seconds(self) -> u64 {
        self.0 / 1000
    }

    /// Milliseconds from `earlier` to here; zero when the clock went backwards.
    pub const fn millis_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The time so many milliseconds later.
    #[must_use]
    pub const fn plus_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

/// Milliseconds on a clock that never goes backwards. For windows and deadlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Monotonic(u64);

impl Monotonic {
    /// From milliseconds since the clock's own beginning.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the clock's own beginning.
    pub const fn millis(self) -> u64 {
        self.0
    }

    /// Milliseconds from `earlier` to here.
    pub const fn millis_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment so many milliseconds before this one, not before the beginning.
    #[must_use]
    pub const fn minus_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_sub(millis))
    }

    /// The moment so many milliseconds later.
    #[must_use]
    pub const fn plus_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

/// Now, on both clocks: what a rule is told when it has to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// What people will read.
    pub wall: Timestamp,
    /// What windows are measured by.
    pub mono: Monotonic,
}
