//! Points in time as numbers. `base::clock` reads them off the machine's clocks.

use serde::{Deserialize, Serialize};

/// Wall-clock time in Unix milliseconds. For people; not for measuring windows.
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

    /// Milliseconds from `earlier` to this time; zero if the clock went backwards.
    pub const fn millis_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The time this many milliseconds later.
    #[must_use]
    pub const fn plus_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

/// Time in milliseconds on a clock that never goes backwards. For windows and deadlines.
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

    /// Milliseconds from `earlier` to this time; zero if `earlier` is later.
    pub const fn millis_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The time this many milliseconds earlier, but not before the clock's beginning.
    #[must_use]
    pub const fn minus_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_sub(millis))
    }

    /// The time this many milliseconds later.
    #[must_use]
    pub const fn plus_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

/// The present time on both clocks, as passed to rules that decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Wall-clock time, for what people see.
    pub wall: Timestamp,
    /// Monotonic time, for measuring windows.
    pub mono: Monotonic,
}
