//! The moment that the rows show: up to where in the order of the whole installation
//! everything is in them and nothing is that came later.
//!
//! Rows have no versions, so whoever needs many of one moment holds it: the indexer writes
//! nothing meanwhile. Posts go on; only those wait who look for what was just written.
//! So the least possible is read while it is held, and nothing is waited for.

use crate::index::IndexFault;
use crate::journal::Cursor;
use crate::threads::{Monitor, Threads};

/// Where the rows are, changed together with them.
#[derive(Debug)]
pub(super) struct IndexPosition(Monitor<State>);

#[derive(Debug, Default)]
struct State {
    last: Cursor,
    /// How many hold it.
    holders: usize,
    /// Whether rows are being written, or will be as soon as nobody holds it: those who
    /// come now wait for it, so that the indexer is never kept from writing for long.
    is_due: bool,
}

/// A moment that is held: while this is there, no row changes. Not to be kept over
/// anything that waits for the index.
#[derive(Debug)]
pub struct IndexHold<'moment> {
    moment: &'moment IndexPosition,
    last: Cursor,
}

impl IndexPosition {
    /// Of no rows yet.
    pub(super) fn new(threads: Threads) -> Self {
        Self(Monitor::new(State::default(), threads))
    }

    /// Changes rows; the moment that they show then ends with this event. The indexer
    /// alone does so.
    pub(super) fn advance(
        &self,
        last: Cursor,
        change: impl FnOnce() -> Result<(), IndexFault>,
    ) -> Result<(), IndexFault> {
        let mut state = self.0.lock();
        state.is_due = true;
        while state.holders > 0 {
            state = self.0.wait(state);
        }
        drop(state);
        let changed = change();
        let mut state = self.0.lock();
        state.is_due = false;
        if changed.is_ok() {
            state.last = last;
        }
        self.0.notify_all();
        changed
    }

    /// Holds the moment that the rows show now. Blocks while rows are being written.
    pub(super) fn hold(&self) -> IndexHold<'_> {
        let mut state = self.0.lock();
        while state.is_due {
            state = self.0.wait(state);
        }
        state.holders += 1;
        IndexHold { moment: self, last: state.last }
    }
}

impl IndexHold<'_> {
    /// The newest event in the rows: every other one there is before it, and every one
    /// that is not there comes after it.
    pub const fn cursor(&self) -> Cursor {
        self.last
    }
}

impl Drop for IndexHold<'_> {
    fn drop(&mut self) {
        let mut state = self.moment.0.lock();
        state.holders -= 1;
        if state.holders == 0 {
            self.moment.0.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::sync_channel;

    use super::*;

    #[test]
    fn nothing_is_written_while_a_moment_is_held_and_all_of_it_afterwards() {
        let moment = Arc::new(IndexPosition::new(Threads::System));
        moment.advance(Cursor::new(7), || Ok(())).unwrap();
        let (one, other) = (moment.hold(), moment.hold());
        let (begin, begun) = sync_channel(1);
        let writing = std::thread::spawn({
            let moment = Arc::clone(&moment);
            move || {
                moment.advance(Cursor::new(9), || {
                    begin.send(()).unwrap();
                    Ok(())
                })
            }
        });
        while !moment.0.lock().is_due {
            std::thread::yield_now();
        }
        assert_eq!((one.cursor(), other.cursor()), (Cursor::new(7), Cursor::new(7)));
        drop(one);
        assert!(begun.try_recv().is_err(), "somebody holds it still");
        drop(other);
        begun.recv().unwrap();
        writing.join().unwrap().unwrap();
        assert_eq!(moment.hold().cursor(), Cursor::new(9));
    }

    #[test]
    fn what_could_not_be_written_is_not_shown() {
        let moment = IndexPosition::new(Threads::System);
        assert!(moment.advance(Cursor::new(9), || Err(IndexFault::Stopped)).is_err());
        assert_eq!(moment.hold().cursor(), Cursor::START);
    }
}
