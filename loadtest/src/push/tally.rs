//! What one socket received, and whether that was right.
//!
//! Two promises are checked: in every conversation `n` goes up by one, and each message comes once.
//! The second follows from the first only if the server numbers correctly, so it is checked on its
//! own.

use serde::Serialize;

use super::event::Event;

/// Counted faults, of one socket or of all sockets together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// How often `n` went up by more than one.
    pub gaps: u64,
    /// How often `n` did not go up.
    pub out_of_order: u64,
    /// How often a message of ours came again.
    pub duplicates: u64,
}

impl std::ops::AddAssign for Faults {
    fn add_assign(&mut self, other: Self) {
        self.gaps += other.gaps;
        self.out_of_order += other.out_of_order;
        self.duplicates += other.duplicates;
    }
}

#[derive(Debug, Default)]
pub struct Tally {
    last_n: Vec<(Box<[u8]>, u64)>,
    seen: Vec<u64>,
    pub events: u64,
    pub faults: Faults,
}

impl Tally {
    /// Checks `n`. Called for every event, no matter who caused it.
    pub fn follow(&mut self, event: &Event<'_>) {
        self.events += 1;
        // A person is in few conversations, so a list is faster than a map.
        let Some((_, last)) = self.last_n.iter_mut().find(|(conv, _)| **conv == *event.conv) else {
            self.last_n.push((event.conv.into(), event.n));
            return;
        };
        if event.n <= *last {
            self.faults.out_of_order += 1;
        } else if event.n > *last + 1 {
            self.faults.gaps += 1;
        }
        *last = event.n.max(*last);
    }

    /// Records message number `index` of the load; returns false, and counts a duplicate, if it was
    /// recorded before.
    pub fn note(&mut self, index: usize) -> bool {
        let (word, bit) = (index / 64, 1u64 << (index % 64));
        if self.seen.len() <= word {
            self.seen.resize(word + 1, 0);
        }
        let first = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        self.faults.duplicates += u64::from(!first);
        first
    }

    pub fn has(&self, index: usize) -> bool {
        self.seen.get(index / 64).is_some_and(|word| word & (1 << (index % 64)) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(numbers: &[u64]) -> Faults {
        let mut tally = Tally::default();
        for n in numbers {
            tally.follow(&Event { conv: b"g:1", n: *n, guid: None });
        }
        tally.faults
    }

    #[test]
    fn dense_numbers_are_right_wherever_they_start() {
        assert_eq!(follow(&[7, 8, 9, 10]), Faults::default());
    }

    #[test]
    fn a_hole_a_step_back_and_a_repeat_are_noticed() {
        assert_eq!(follow(&[1, 2, 4, 5]), Faults { gaps: 1, ..Faults::default() });
        assert_eq!(follow(&[1, 3, 2, 4]), Faults { gaps: 1, out_of_order: 1, ..Faults::default() });
        assert_eq!(follow(&[1, 2, 2, 3]), Faults { out_of_order: 1, ..Faults::default() });
    }

    #[test]
    fn conversations_count_apart() {
        let mut tally = Tally::default();
        for (conv, n) in [("g:1", 4), ("u:1", 9), ("g:1", 5), ("u:1", 10)] {
            tally.follow(&Event { conv: conv.as_bytes(), n, guid: None });
        }
        assert_eq!(tally.faults, Faults::default());
        assert_eq!(tally.events, 4);
    }

    #[test]
    fn a_message_counts_once() {
        let mut tally = Tally::default();
        assert!(!tally.has(1000));
        assert!(tally.note(1000));
        assert!(!tally.note(1000));
        assert!(tally.has(1000));
        assert!(!tally.has(999));
        assert_eq!(tally.faults.duplicates, 1);
    }
}
