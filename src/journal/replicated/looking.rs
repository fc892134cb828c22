//! Looking through a copy, little by little and again and again: what nobody reads may be
//! damaged too, and would be missed on the day on which the other copies are gone.

use std::sync::Weak;
use std::time::Duration;

use crate::journal::reader;
use crate::journal::replicated::Core;
use crate::threads::Threads;

/// Bytes that are looked through at a time, which takes a few milliseconds.
const STRIDE: u64 = 1 << 20;
/// How often that is done. A gigabyte is looked through in a quarter of an hour.
const EVERY: Duration = Duration::from_secs(1);
/// How many of these times pass by between the end and the next beginning.
const RESTS: u32 = 10;

/// Goes on until the journal has stopped, or is gone.
pub(super) fn look_through(core: &Weak<Core>, threads: &Threads) {
    let (mut from, mut rests) = (0, 0);
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
    /// Looks through the records from this position on; tells where to go on, 0 at the end.
    fn look(&self, from: u64) -> u64 {
        // What the log does not have yet cannot be mended from it.
        if self.installation.get().is_none() {
            return 0;
        }
        let end = self.segments.end();
        let looked = reader::each(&self.segments, from, end.min(from + STRIDE), |_, _| {});
        // What cannot be read for now is looked at another time.
        let next = self.looked_at(looked).unwrap_or(0);
        if next < end { next } else { 0 }
    }
}
