//! When the words of new messages are committed to the search index: soon while people search,
//! seldom otherwise.
//!
//! A commit costs milliseconds of a core however few messages it has, and under load the words cost
//! a fifth of the machine. So messages are gathered: for a moment while people search, for some
//! seconds otherwise; a search then ends the gathering and waits for its words. While others want
//! all cores, words wait longer still, until somebody searches.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use journal::Cursor;

/// How long messages are gathered for one commit while people search.
const SOON: Duration = Duration::from_millis(400);
/// How long messages are gathered while nobody searches.
const SELDOM: Duration = Duration::from_secs(10);
/// How many commits after the last search people still count as searching.
const ATTENTION: u32 = 25;
/// How long a search waits for words at most; then it makes do with those that are there.
const PATIENCE: Duration = Duration::from_secs(1);

/// State shared by searches and the thread that writes words.
#[derive(Debug)]
pub(super) struct WritingPace {
    /// Whether somebody searched since the last commit.
    is_asked: AtomicBool,
    /// Commits since the last search.
    unasked: AtomicU32,
    /// The position in the journal up to which words can be found.
    reached: watch::Sender<Cursor>,
}

impl Default for WritingPace {
    fn default() -> Self {
        Self {
            is_asked: AtomicBool::new(false),
            unasked: AtomicU32::new(ATTENTION),
            reached: watch::Sender::new(Cursor::START),
        }
    }
}

impl WritingPace {
    /// Whether messages that were gathered for this long are to be written now.
    pub(super) fn is_time(&self, waited: Duration) -> bool {
        if self.is_attentive() {
            return waited >= SOON;
        }
        waited >= SELDOM || self.somebody_searches()
    }

    /// Whether somebody searches now or did a moment ago, so that writing words may cost others
    /// something.
    pub(super) fn somebody_searches(&self) -> bool {
        self.is_attentive() || self.is_asked.load(Ordering::SeqCst)
    }

    /// Notes that the gathered messages are committed.
    pub(super) fn written(&self) {
        let unasked = match self.is_asked.swap(false, Ordering::SeqCst) {
            true => 0,
            false => self.unasked.load(Ordering::SeqCst).saturating_add(1),
        };
        self.unasked.store(unasked, Ordering::SeqCst);
    }

    /// Sets the position up to which words can be found.
    pub(super) fn reach(&self, cursor: Cursor) {
        self.reached.send_replace(cursor);
    }

    /// The position up to which words can be found.
    pub(super) fn reached(&self) -> Cursor {
        *self.reached.borrow()
    }

    /// Notes a search: words are written soon from now on. The first search waits until words can
    /// be found up to `end`, or for [`PATIENCE`]; later ones do not wait and miss only the last
    /// moments.
    pub(super) async fn hurry(&self, end: Cursor) {
        let was_attentive = self.is_attentive();
        self.is_asked.store(true, Ordering::SeqCst);
        if was_attentive {
            return;
        }
        let mut reached = self.reached.subscribe();
        let caught_up = reached.wait_for(|reached| *reached >= end);
        // On a timeout, or when writing has ended, the search uses what is there.
        tokio::time::timeout(PATIENCE, caught_up).await.ok();
    }

    fn is_attentive(&self) -> bool {
        self.unasked.load(Ordering::SeqCst) < ATTENTION
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn search_index_commits_more_often_during_searches() {
        let pace = WritingPace::default();
        assert!(!pace.is_time(SOON));
        assert!(pace.is_time(SELDOM));
        pace.hurry(Cursor::START).await;
        assert!(pace.is_time(Duration::ZERO), "somebody waits");
        assert!(pace.somebody_searches());
        pace.written();
        for _ in 0..ATTENTION {
            assert!(!pace.is_time(Duration::ZERO));
            assert!(pace.is_time(SOON));
            pace.written();
        }
        assert!(!pace.is_time(SOON), "nobody searches any more");
        assert!(!pace.somebody_searches());
    }

    #[tokio::test(start_paused = true)]
    async fn first_search_waits_a_bounded_time() {
        let pace = WritingPace::default();
        let end = Cursor::new(70);
        let (_, ()) = tokio::join!(pace.hurry(end), async {
            assert!(pace.is_time(Duration::ZERO));
            pace.reach(end);
        });
        let is_waiting = Cell::new(true);
        let moment = Duration::from_millis(1);
        let searching = async {
            pace.hurry(Cursor::new(71)).await;
            is_waiting.set(false);
        };
        let ((), ()) = tokio::join!(searching, async {
            tokio::time::sleep(PATIENCE - moment).await;
            assert!(is_waiting.get());
            tokio::time::sleep(2 * moment).await;
            assert!(!is_waiting.get());
        });
        pace.written();
        let later = tokio::time::timeout(moment, pace.hurry(Cursor::new(71))).await;
        assert!(later.is_ok(), "later ones do not wait");
    }
}
