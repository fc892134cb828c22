//! The moment that the rows show: a position in the order of the whole installation up to which all
//! events are in the rows, and after which none is.
//!
//! Rows have no versions, so a reader that needs several rows of one moment holds it, and the
//! indexer writes nothing meanwhile. Posts continue; only readers of what was just written wait. So
//! a holder reads as little as possible and waits for nothing.

use crate::IndexFault;
use base::threads::{Monitor, Threads};
use journal::Cursor;

/// The position of the rows, changed together with them.
#[derive(Debug)]
pub(super) struct IndexPosition(Monitor<State>);

#[derive(Debug, Default)]
struct State {
    last: Cursor,
    /// How many readers hold the moment.
    holders: usize,
    /// Whether rows are being written, or will be as soon as nobody holds the moment. New holders
    /// wait for the write, so that the indexer is never kept from writing for long.
    is_due: bool,
}

/// A held moment: no row changes until it is dropped. It must not be kept while waiting for the
/// index.
#[derive(Debug)]
pub struct IndexHold<'moment> {
    moment: &'moment IndexPosition,
    last: Cursor,
}

impl IndexPosition {
    /// The position of an empty index.
    pub(super) fn new(threads: Threads) -> Self {
        Self(Monitor::new(State::default(), threads))
    }

    /// Waits until nobody holds the moment, changes rows, and then moves the moment to the event
    /// `last`. Only the indexer calls this.
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
    /// The newest event in the rows: they have every event up to it and none after it.
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
    fn writes_wait_while_a_moment_is_held() {
        let moment = Arc::new(IndexPosition::new(Threads::System));
        moment.advance(Cursor::new(7), || Ok(())).unwrap();
        let one = moment.hold();
        let other = moment.hold();
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
    fn unwritten_rows_are_not_readable() {
        let moment = IndexPosition::new(Threads::System);
        assert!(moment.advance(Cursor::new(9), || Err(IndexFault::Stopped)).is_err());
        assert_eq!(moment.hold().cursor(), Cursor::START);
    }
}
