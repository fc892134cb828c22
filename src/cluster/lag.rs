//! Whether a node is behind: for how long another node has shown what this one does not show yet.

use crate::domain::time::Monotonic;
use crate::journal::Cursor;

/// For how many milliseconds a node may show less than another one before others stop waiting for
/// it.
const LAG: u64 = 250;

/// The position that this node has to reach to catch up, and since when; `None` while it is not
/// behind.
#[derive(Debug, Default)]
pub(super) struct Lag(Option<(Cursor, Monotonic)>);

impl Lag {
    /// Updates the state with this node's position and the farthest position of all nodes.
    pub(super) fn look(&mut self, own: Cursor, farthest: Option<Cursor>, now: Monotonic) {
        self.0.take_if(|(target, _)| own >= *target);
        if self.0.is_none() {
            self.0 = farthest.filter(|it| *it > own).map(|it| (it, now));
        }
    }

    /// Whether the node has been behind for too long.
    pub(super) fn is_behind(&self, now: Monotonic) -> bool {
        self.0.is_some_and(|(_, since)| now.millis_since(since) > LAG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Monotonic = Monotonic::from_millis(1_000_000);

    #[test]
    fn lag_under_250_ms_counts_as_current() {
        let mut lag = Lag::default();
        let at = |number| Some(Cursor::new(number));
        for round in 1..20 {
            // The node is always a little behind, never for long.
            let now = NOW.plus_millis(round * 200);
            lag.look(Cursor::new(round * 100), at(round * 100 + 100), now);
            assert!(!lag.is_behind(now.plus_millis(100)));
        }
        let now = NOW.plus_millis(10_000);
        lag.look(Cursor::new(5000), at(5001), now);
        lag.look(Cursor::new(5000), at(9000), now.plus_millis(LAG));
        assert!(!lag.is_behind(now.plus_millis(LAG)));
        assert!(lag.is_behind(now.plus_millis(LAG + 1)));
        lag.look(Cursor::new(5001), at(9000), now.plus_millis(LAG + 2));
        assert!(!lag.is_behind(now.plus_millis(LAG + 2)));
        lag.look(Cursor::new(9000), at(9000), now.plus_millis(LAG + 3));
        assert!(!lag.is_behind(now.plus_millis(60_000)));
    }
}
