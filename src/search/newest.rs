//! The newest of many, in whichever order they come.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Keeps those with the highest numbers, so many at most.
#[derive(Debug)]
pub(super) struct Newest<T> {
    most: usize,
    kept: BinaryHeap<Reverse<(u64, T)>>,
}

impl<T: Ord> Newest<T> {
    /// Keeps nothing yet.
    pub(super) const fn new(most: usize) -> Self {
        Self { most, kept: BinaryHeap::new() }
    }

    /// Whether one with this number would be kept.
    pub(super) fn wants(&self, number: u64) -> bool {
        let is_newer = |Reverse((lowest, _)): &Reverse<(u64, T)>| *lowest < number;
        self.kept.len() < self.most || self.kept.peek().is_some_and(is_newer)
    }

    /// Takes one, in place of the lowest if there are enough.
    pub(super) fn take(&mut self, number: u64, one: T) {
        if self.wants(number) {
            self.kept.push(Reverse((number, one)));
            if self.kept.len() > self.most {
                self.kept.pop();
            }
        }
    }

    /// All that were kept, the highest number first.
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
