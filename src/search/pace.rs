//! How long messages gather before their words are written.
//!
//! A moment, usually. While messages come faster than people write, indexing would take a fifth
//! of the machine from those who post: then words wait until the rush is over, for some seconds
//! at most, and not at all once somebody searches.

use std::time::Duration;

/// How long messages gather for one commit.
pub(super) const GATHER: Duration = Duration::from_millis(400);
/// Bytes of the journal that come in that time during a rush: some 2,000 short messages a second.
const RUSH: u64 = 256 << 10;
/// How long words wait for the end of a rush.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether they gather on, having waited so long, if so many bytes of the journal came within
/// the last [`GATHER`].
pub(super) fn gathers_on(waited: Duration, came: u64) -> bool {
    came >= RUSH && waited < PATIENCE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wait_for_the_end_of_a_rush_but_not_for_ever() {
        assert!(!gathers_on(GATHER, 0));
        assert!(!gathers_on(GATHER, RUSH - 1));
        assert!(gathers_on(GATHER, RUSH));
        assert!(!gathers_on(PATIENCE, RUSH));
    }
}
