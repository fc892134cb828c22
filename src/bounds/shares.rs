//! A budget of which one owner holds at most a share.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use crate::bounds::places::Places;
use crate::bounds::{Bound, Budget, Full, Permit};

/// A budget of bytes with a largest share for each owner. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Shares {
    budget: Budget,
    /// Bytes that one owner may hold.
    share: usize,
    held: Arc<Mutex<HashMap<u64, usize>>>,
    hasher: RandomState,
}

/// What an owner holds, which is given back on drop.
#[derive(Debug)]
pub struct OwnedShare {
    shares: Shares,
    owner: u64,
    permit: Permit,
}

impl Shares {
    /// An empty budget, registered under this name among the places. One owner holds at most
    /// `share` bytes of it.
    pub fn new(places: &Places, name: &'static str, bound: Bound, share: usize) -> Self {
        Self {
            budget: Budget::new(places, name, bound),
            share,
            held: Arc::default(),
            hasher: RandomState::new(),
        }
    }

    /// Holds this many bytes for an owner.
    ///
    /// # Errors
    /// If they do not fit beside what the owner or all owners hold; the refusal is counted. An owner
    /// that holds nothing is refused only by the limit of all.
    pub fn try_hold(&self, owner: &impl Hash, bytes: usize) -> Result<OwnedShare, Full> {
        let owner = self.hasher.hash_one(owner);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let own = held.entry(owner).or_default();
        if *own > 0 && *own + bytes > self.share {
            self.budget.refuse();
            return Err(Full);
        }
        let permit = self.budget.try_hold(bytes);
        match &permit {
            Ok(_) => *own += bytes,
            Err(_) if *own == 0 => drop(held.remove(&owner)),
            Err(_) => {}
        }
        Ok(OwnedShare { shares: self.clone(), owner, permit: permit? })
    }
}

impl Drop for OwnedShare {
    fn drop(&mut self) {
        let mut held = self.shares.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = held.get_mut(&self.owner) {
            *own -= self.permit.bytes();
            if *own == 0 {
                held.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owner_holds_at_most_its_share() {
        let shares = Shares::new(&Places::default(), "test", Bound::of_bytes(100), 40);
        let first = shares.try_hold(&"ana", 30).unwrap();
        assert!(shares.try_hold(&"ana", 20).is_err());
        let second = shares.try_hold(&"ana", 10).unwrap();
        let whole = shares.try_hold(&"ben", 60).unwrap();
        assert!(shares.try_hold(&"cem", 1).is_err(), "all owners together");
        assert_eq!(shares.held.lock().unwrap().len(), 2);
        drop((first, second, whole));
        assert!(shares.held.lock().unwrap().is_empty());
        assert_eq!(shares.budget.held(), Bound::default());
    }
}
