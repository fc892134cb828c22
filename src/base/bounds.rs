//! Bounds: how much a place may hold for others, in items and in bytes, and how full it is.
//!
//! Everything that is kept because of a request (a body that is being read, a commit that waits for
//! the disk, a frame that waits for a socket) has a [`Bound`]. A bound that many share is a
//! [`Budget`], which registers among the [`Places`] that the metrics show. A caller that finds a
//! place full is refused and may retry; items that are already held stay.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::bounds::places::{Fullness, Places};

pub mod places;
pub mod sharded;
pub mod shares;
pub mod turns;
pub mod work;

/// The limit for a unit in which a place is not bounded.
pub const UNBOUNDED: usize = usize::MAX;

/// How much may be held in items and in bytes; the limit that is reached first counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bound {
    /// The number of items.
    pub items: usize,
    /// The total bytes of the items.
    pub bytes: usize,
}

impl Bound {
    /// A bound on items only.
    pub const fn of_items(items: usize) -> Self {
        Self { items, bytes: UNBOUNDED }
    }

    /// A bound on bytes only.
    pub const fn of_bytes(bytes: usize) -> Self {
        Self { items: UNBOUNDED, bytes }
    }

    /// Whether one more item of this size fits beside what is held. The first item always fits: an
    /// empty place takes anything that its own size limit lets through.
    pub const fn fits(self, held: Self, bytes: usize) -> bool {
        held.items == 0
            || (held.items < self.items && held.bytes.saturating_add(bytes) <= self.bytes)
    }

    /// Whether nothing more may be taken.
    pub const fn is_reached(self, held: Self) -> bool {
        held.items >= self.items || held.bytes >= self.bytes
    }
}

/// The place is full now; the caller may retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many requests of this kind at once")]
pub struct Full;

/// A bound that many callers share, with what they hold of it. Cheap to clone.
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
    /// An empty budget, registered under this name among the places.
    pub fn new(places: &Places, name: &'static str, bound: Bound) -> Self {
        let items = AtomicUsize::new(0);
        let bytes = AtomicUsize::new(0);
        let budget = Self(Arc::new(Inner { bound, items, bytes, refused: AtomicU64::new(0) }));
        let shown = budget.clone();
        places.add(name, move || Fullness {
            held: shown.held(),
            limit: bound,
            refused: shown.0.refused.load(Ordering::Relaxed),
        });
        budget
    }

    /// The limit.
    pub fn bound(&self) -> Bound {
        self.0.bound
    }

    /// The current content.
    pub fn held(&self) -> Bound {
        let items = &self.0.items;
        let bytes = &self.0.bytes;
        Bound { items: items.load(Ordering::Relaxed), bytes: bytes.load(Ordering::Relaxed) }
    }

    /// Whether nothing more should be taken.
    pub fn is_full(&self) -> bool {
        self.0.bound.is_reached(self.held())
    }

    /// Holds one item of this size.
    ///
    /// # Errors
    /// If the item does not fit; the refusal is counted.
    pub fn try_hold(&self, bytes: usize) -> Result<Permit, Full> {
        let mut permit = self.hold(0);
        permit.grow(bytes)?;
        if self.held().items > self.0.bound.items {
            self.refuse();
            return Err(Full);
        }
        Ok(permit)
    }

    /// Holds one item of this size, even above the limit: for callers that checked
    /// [`is_full`](Self::is_full) before and cannot go back.
    pub fn hold(&self, bytes: usize) -> Permit {
        self.0.items.fetch_add(1, Ordering::Relaxed);
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        Permit { of: self.clone(), items: 1, bytes }
    }

    /// Counts a caller that was refused.
    pub fn refuse(&self) {
        self.0.refused.fetch_add(1, Ordering::Relaxed);
    }
}

/// A share of a budget, which is given back on drop.
#[derive(Debug)]
pub struct Permit {
    of: Budget,
    items: usize,
    bytes: usize,
}

impl Permit {
    /// The bytes that are held.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Holds more bytes.
    ///
    /// # Errors
    /// If the bytes do not fit; the refusal is counted, and what was held stays held.
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

    /// Holds more bytes, even above the limit: for callers that checked [`Budget::is_full`] before.
    pub fn extend(&mut self, bytes: usize) {
        self.of.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
    }

    /// Takes over what another permit holds of the same budget.
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
    fn budget_limits_items_and_bytes() {
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
