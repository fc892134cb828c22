//! Bounds: how much a place holds for others, in things and in bytes, and how full it is.
//!
//! Whatever keeps something because somebody asked (a body that is being read, a commit
//! that waits for the disk, a frame that waits for a socket) has a [`Bound`]. One that all
//! share is a [`Budget`], which is among the [`Places`] that the metrics show. Who finds it
//! full is told so and may try again; what is held already stays.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::bounds::places::{Fullness, Places};

pub mod places;
pub mod sharded;

/// A unit that does not count.
pub const UNBOUNDED: usize = usize::MAX;

/// How much may be held: so many things and so many bytes, whichever is reached first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bound {
    /// Things.
    pub items: usize,
    /// Bytes of them.
    pub bytes: usize,
}

impl Bound {
    /// So many things, whatever their bytes.
    pub const fn of_items(items: usize) -> Self {
        Self { items, bytes: UNBOUNDED }
    }

    /// So many bytes, in however many things.
    pub const fn of_bytes(bytes: usize) -> Self {
        Self { items: UNBOUNDED, bytes }
    }

    /// Whether one thing more of so many bytes fits beside what is held. The first thing
    /// always does: a place that is empty takes whatever its own limit lets through.
    pub const fn fits(self, held: Self, bytes: usize) -> bool {
        held.items == 0
            || (held.items < self.items && held.bytes.saturating_add(bytes) <= self.bytes)
    }

    /// Whether nothing more is taken.
    pub const fn is_reached(self, held: Self) -> bool {
        held.items >= self.items || held.bytes >= self.bytes
    }
}

/// There is no room for it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too much of this at once")]
pub struct Full;

/// A bound that many share, and what they hold of it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bound: Bound,
    items: AtomicUsize,
    bytes: AtomicUsize,
    refused: AtomicU64,
}

impl Budget {
    /// All of it is free. By its name it stands among the places.
    pub fn new(places: &Places, name: &'static str, bound: Bound) -> Self {
        let (items, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let budget = Self(Arc::new(Inner { bound, items, bytes, refused: AtomicU64::new(0) }));
        let shown = budget.clone();
        places.add(name, move || Fullness {
            held: shown.held(),
            limit: bound,
            refused: shown.0.refused.load(Ordering::Relaxed),
        });
        budget
    }

    /// How much there is.
    pub fn bound(&self) -> Bound {
        self.0.bound
    }

    /// How much is held.
    pub fn held(&self) -> Bound {
        let (items, bytes) = (&self.0.items, &self.0.bytes);
        Bound { items: items.load(Ordering::Relaxed), bytes: bytes.load(Ordering::Relaxed) }
    }

    /// Whether nothing more should be taken.
    pub fn is_full(&self) -> bool {
        self.0.bound.is_reached(self.held())
    }

    /// Holds one thing of so many bytes.
    ///
    /// # Errors
    /// When there is no room for it; that is counted.
    pub fn try_hold(&self, bytes: usize) -> Result<Permit, Full> {
        let mut permit = self.hold(0);
        permit.grow(bytes)?;
        if self.held().items > self.0.bound.items {
            self.refuse();
            return Err(Full);
        }
        Ok(permit)
    }

    /// Holds one thing of so many bytes, whether there is room or not: for whoever asked
    /// [`is_full`](Self::is_full) before and cannot go back any more.
    pub fn hold(&self, bytes: usize) -> Permit {
        self.0.items.fetch_add(1, Ordering::Relaxed);
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        Permit { of: self.clone(), items: 1, bytes }
    }

    /// Counts that somebody was told to try again.
    pub fn refuse(&self) {
        self.0.refused.fetch_add(1, Ordering::Relaxed);
    }
}

/// What somebody holds of a budget, until it is dropped.
#[derive(Debug)]
pub struct Permit {
    of: Budget,
    items: usize,
    bytes: usize,
}

impl Permit {
    /// Bytes that are held.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Holds so many bytes more.
    ///
    /// # Errors
    /// When there is no room for them; that is counted, and what was held stays held.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Full> {
        let before = self.of.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > self.of.0.bound.bytes {
            self.of.0.bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.of.refuse();
            return Err(Full);
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Holds so many bytes more, whether there is room or not: for whoever asked
    /// [`Budget::is_full`] before.
    pub fn extend(&mut self, bytes: usize) {
        self.of.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
    }

    /// Takes over what another one holds of the same budget.
    pub fn absorb(&mut self, mut other: Self) {
        self.items += std::mem::take(&mut other.items);
        self.bytes += std::mem::take(&mut other.bytes);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.of.0.items.fetch_sub(self.items, Ordering::Relaxed);
        self.of.0.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Bound = Bound { items: 3, bytes: 100 };

    #[test]
    fn a_budget_ends_by_things_and_by_bytes_and_is_given_back() {
        let budget = Budget::new(&Places::default(), "test", BOUND);
        let first = budget.try_hold(90).unwrap();
        assert_eq!(budget.try_hold(11).unwrap_err(), Full);
        let others = [budget.try_hold(1).unwrap(), budget.try_hold(1).unwrap()];
        assert_eq!(budget.try_hold(1).unwrap_err(), Full);
        assert_eq!(budget.held(), Bound { items: 3, bytes: 92 });
        drop((first, others));
        assert_eq!(budget.held(), Bound { items: 0, bytes: 0 });
    }

    #[test]
    fn a_permit_grows_and_takes_others_over() {
        let budget = Budget::new(&Places::default(), "test", BOUND);
        let mut permit = budget.try_hold(40).unwrap();
        permit.grow(50).unwrap();
        assert_eq!(permit.grow(11), Err(Full));
        permit.absorb(budget.hold(60));
        assert_eq!((permit.bytes(), budget.held().bytes), (150, 150));
        assert!(budget.is_full());
        drop(permit);
        assert!(!budget.is_full());
    }

    #[test]
    fn an_empty_place_takes_one_thing_of_any_size() {
        let held = |items, bytes| Bound { items, bytes };
        assert!(BOUND.fits(held(0, 0), 1000));
        assert!(!BOUND.fits(held(1, 50), 51));
        assert!(BOUND.fits(held(1, 50), 50));
        assert!(!BOUND.fits(held(3, 3), 1));
    }
}
