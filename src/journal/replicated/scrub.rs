//! Checks a copy in the background, little by little and again and again: damage in parts that
//! nobody reads would otherwise be noticed only on the day when the other copies are gone.

use std::sync::Weak;
use std::time::Duration;

use crate::replicated::Core;
use crate::{JournalFault, reader};
use base::threads::Threads;

/// Bytes checked at a time, which takes a few milliseconds.
const STRIDE: u64 = 1 << 20;
/// The pause between two checks. A gigabyte is checked in a quarter of an hour.
const EVERY: Duration = Duration::from_secs(1);
/// How many pauses lie between the end of one pass and the beginning of the next.
const RESTS: u32 = 10;

/// Checks the copy until the journal has stopped or is gone.
pub(super) fn look_through(core: &Weak<Core>, threads: &Threads) {
    let mut from = 0;
    let mut rests = 0;
    loop {
        threads.sleep(EVERY);
        let Some(core) = core.upgrade().filter(|core| !core.is_over()) else { return };
        if rests > 0 {
            rests -= 1;
            continue;
        }
        from = core.look(from);
        if from == 0 {
            rests = RESTS;
        }
    }
}

impl Core {
    /// Checks the records from this position on; returns where to continue, or 0 at the end.
    fn look(&self, from: u64) -> u64 {
        // Until the copy is current, its bytes may not all be in the log, and could not be repaired
        // from it.
        if self.installation.get().is_none() {
            return 0;
        }
        let end = self.segments.end();
        let looked = reader::each(&self.segments, from, end.min(from + STRIDE), |_, _| {});
        let next = looked.unwrap_or_else(|fault| self.pass_by(from, &fault));
        if next < end { next } else { 0 }
    }

    /// Handles a failed read. If the segment is damaged, stops the journal; otherwise the failure
    /// may pass. Returns where the next segment begins: what cannot be read now must not hide what
    /// follows it.
    fn pass_by(&self, from: u64, fault: &JournalFault) -> u64 {
        tracing::warn!(
            %fault,
            "checking a part of this node's journal failed; checking the next one"
        );
        if let JournalFault::Damaged { at, .. } = fault
            && let Some(damage) = self.suspicion.check(*at)
        {
            self.stop(damage);
        }
        let base = self.segments.covering(from).map(|(base, _)| base);
        base.and_then(|base| self.segments.after(base)).unwrap_or(0)
    }
}
