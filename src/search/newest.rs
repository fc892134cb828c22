//! Keeps the newest of many items that come in any order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Keeps up to `most` items, those with the highest numbers.
#[derive(Debug)]
pub(super) struct Newest<T> {
    most: usize,
    kept: BinaryHeap<Reverse<(u64, T)>>,
}

impl<T: Ord> Newest<T> {
    /// Starts empty.
    pub(super) const fn new(most: usize) -> Self {
        Self { most, kept: BinaryHeap::new() }
    }

    /// Whether an item with this number would be kept.
    pub(super) fn wants(&self, number: u64) -> bool {
        let is_newer = |Reverse((lowest, _)): &Reverse<(u64, T)>| *lowest < number;
        self.kept.len() < self.most || self.kept.peek().is_some_and(is_newer)
    }

    /// Adds an item if it is wanted; drops the one with the lowest number if there are too many.
    pub(super) fn take(&mut self, number: u64, one: T) {
        if self.wants(number) {
            self.kept.push(Reverse((number, one)));
            if self.kept.len() > self.most {
                self.kept.pop();
            }
        }
    }

    /// Returns the items that were kept, the highest number first.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = (u64, T)> {
        self.kept.into_sorted_vec().into_iter().map(|Reverse(one)| one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_are_kept_in_order() {
        let mut newest = Newest::new(3);
        for number in [4, 9, 1, 7, 8, 2] {
            newest.take(number, ());
        }
        assert!(newest.wants(8) && !newest.wants(7));
        let kept: Vec<u64> = newest.into_sorted().map(|(number, ())| number).collect();
        assert_eq!(kept, [9, 8, 7]);
        assert!(!Newest::<()>::new(0).wants(1));
    }
}
