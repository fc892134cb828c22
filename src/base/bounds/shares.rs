//! A budget of which one owner holds at most a share.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bounds::places::Places;
use crate::bounds::{Bound, Budget, Full, Permit};

/// A budget with a largest share for each owner. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Shares {
    budget: Budget,
    /// The share of one owner.
    share: Bound,
    held: Arc<Mutex<HashMap<u64, Bound>>>,
    hasher: RandomState,
}

/// The reservation of an owner, released on drop.
#[derive(Debug)]
pub struct OwnedShare {
    shares: Shares,
    owner: u64,
    permit: Permit,
}

/// Why an owner may not hold more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareRefusal {
    /// The owner holds its share already.
    OfOwner,
    /// All owners together hold the whole budget.
    OfAll,
}

impl From<Full> for ShareRefusal {
    fn from(_: Full) -> Self {
        Self::OfAll
    }
}

impl Shares {
    /// An empty budget, registered under this name among the places. One owner holds at most
    /// `share` of it.
    pub fn new(places: &Places, name: &'static str, bound: Bound, share: Bound) -> Self {
        Self {
            budget: Budget::new(places, name, bound),
            share,
            held: Arc::default(),
            hasher: RandomState::new(),
        }
    }

    /// Holds one item of this many bytes for an owner.
    ///
    /// # Errors
    /// If it does not fit beside what the owner or all owners hold; the refusal is counted. An owner
    /// that holds nothing is refused only by the limit of all.
    pub fn try_hold(&self, owner: &impl Hash, bytes: usize) -> Result<OwnedShare, ShareRefusal> {
        let owner = self.hasher.hash_one(owner);
        let mut held = self.held();
        let own = held.get(&owner).copied().unwrap_or_default();
        if !self.share.fits(own, bytes) {
            self.budget.refuse();
            return Err(ShareRefusal::OfOwner);
        }
        let permit = self.budget.try_hold(bytes)?;
        held.insert(owner, Bound { items: own.items + 1, bytes: own.bytes + bytes });
        Ok(OwnedShare { shares: self.clone(), owner, permit })
    }

    fn held(&self) -> MutexGuard<'_, HashMap<u64, Bound>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OwnedShare {
    /// The bytes that are held.
    pub const fn bytes(&self) -> usize {
        self.permit.bytes()
    }

    /// Holds more bytes for the same item.
    ///
    /// # Errors
    /// If the bytes do not fit; the refusal is counted, and the item keeps what it holds. The only
    /// item of an owner is refused only by the limit of all.
    pub fn grow(&mut self, bytes: usize) -> Result<(), ShareRefusal> {
        let mut held = self.shares.held();
        let own = held.entry(self.owner).or_default();
        if own.items > 1 && own.bytes.saturating_add(bytes) > self.shares.share.bytes {
            self.shares.budget.refuse();
            return Err(ShareRefusal::OfOwner);
        }
        self.permit.grow(bytes)?;
        own.bytes += bytes;
        Ok(())
    }
}

impl Drop for OwnedShare {
    fn drop(&mut self) {
        let mut held = self.shares.held();
        if let Some(own) = held.get_mut(&self.owner) {
            own.items -= 1;
            own.bytes -= self.permit.bytes();
            if own.items == 0 {
                held.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: Bound = Bound { items: 2, bytes: 40 };

    fn shares() -> Shares {
        Shares::new(&Places::default(), "test", Bound::of_bytes(100), SHARE)
    }

    #[test]
    fn owner_holds_at_most_its_share() {
        let shares = shares();
        let first = shares.try_hold(&"ana", 30).unwrap();
        assert_eq!(shares.try_hold(&"ana", 20).unwrap_err(), ShareRefusal::OfOwner);
        let second = shares.try_hold(&"ana", 10).unwrap();
        assert_eq!(shares.try_hold(&"ana", 0).unwrap_err(), ShareRefusal::OfOwner, "items");
        let whole = shares.try_hold(&"ben", 60).unwrap();
        assert_eq!(shares.try_hold(&"cem", 1).unwrap_err(), ShareRefusal::OfAll);
        assert_eq!(shares.held().len(), 2);
        drop((first, second, whole));
        assert!(shares.held().is_empty());
        assert_eq!(shares.budget.held(), Bound::default());
    }

    #[test]
    fn growing_item_stays_within_the_share() {
        let shares = shares();
        let mut first = shares.try_hold(&"ana", 10).unwrap();
        let second = shares.try_hold(&"ana", 10).unwrap();
        first.grow(20).unwrap();
        assert_eq!(first.grow(1), Err(ShareRefusal::OfOwner));
        assert_eq!(first.bytes(), 30);
        drop(second);
        first.grow(60).unwrap();
        assert_eq!(first.grow(20), Err(ShareRefusal::OfAll));
        drop(first);
        assert_eq!(shares.budget.held(), Bound::default());
    }
}
