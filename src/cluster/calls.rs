//! Calls: the questions and answers that travel between nodes, and how far each node is, in bundles
//! for each pair of nodes.
//!
//! One message per question and per answer would cost servers and nodes more than the questions
//! themselves. See `pair.rs` for what is sent when.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Notify, oneshot};

use crate::bundle::{Bundle, BundleItem, ItemKind, NodeProgress};
use crate::pair::{BundleToSend, NodePair};
use base::metrics::exposition::{Exposition, MetricKind};
use domain::time::Monotonic;

/// When a bundle without acknowledgement is sent again. On a busy machine an acknowledgement takes
/// tens of milliseconds; a bundle that arrives twice costs little.
pub(super) const AGAIN: Duration = Duration::from_millis(250);
/// How long a bundle for a node that is not alive is kept, in milliseconds, before everything that
/// waits for that node is discarded.
const GIVEN_UP: u64 = 20_000;

/// The other nodes, by their runs.
#[derive(Debug)]
pub(super) struct OtherNodes {
    /// Those that are alive.
    pub(super) living: Vec<u64>,
    /// The last run of every node that has been heard, alive or not. A node that was only suspended
    /// continues in its run; a run that is not among these never comes back.
    pub(super) known: Vec<u64>,
}

/// The questions and answers that one node has for the others, and the questions that wait for an
/// answer.
pub struct Calls {
    run: u64,
    state: Mutex<CallState>,
    /// Notified when there may be something to send.
    pub(super) news: Notify,
    bundles: AtomicU64,
    bundled: AtomicU64,
}

#[derive(Debug, Default)]
struct CallState {
    pairs: BTreeMap<u64, NodePair>,
    asked: HashMap<u64, oneshot::Sender<Bytes>>,
    asks: u64,
}

impl fmt::Debug for Calls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Calls").field("run", &self.run).finish_non_exhaustive()
    }
}

impl CallState {
    fn pair(&mut self, own: u64, other: u64) -> &mut NodePair {
        self.pairs.entry(other).or_insert_with(|| NodePair::new(own))
    }
}

impl Calls {
    /// The empty state of this run.
    pub(super) fn of(run: u64) -> Self {
        let bundles = AtomicU64::new(0);
        let bundled = AtomicU64::new(0);
        Self { run, state: Mutex::default(), news: Notify::new(), bundles, bundled }
    }

    fn state(&self) -> MutexGuard<'_, CallState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a question for the node with this run; returns its number and the receiver of its
    /// answer, or `None` if too much waits for that node.
    pub(super) fn ask(
        &self,
        run: u64,
        body: Bytes,
        within: u32,
    ) -> Option<(u64, oneshot::Receiver<Bytes>)> {
        let mut state = self.state();
        state.asks += 1;
        let id = state.asks;
        let item = BundleItem { id, kind: ItemKind::Ask { within }, body };
        state.pair(self.run, run).push(item).ok()?;
        let (answer, answered) = oneshot::channel();
        state.asked.insert(id, answer);
        drop(state);
        self.news.notify_one();
        Some((id, answered))
    }

    /// Stops waiting for an answer. Returns true if the question was still queued, and so will
    /// never be asked.
    pub(super) fn forget(&self, run: u64, id: u64) -> bool {
        let mut state = self.state();
        state.asked.remove(&id).is_some() && state.pair(self.run, run).take_back(id)
    }

    pub(super) fn answer(&self, run: u64, id: u64, body: Bytes) {
        let item = BundleItem { id, kind: ItemKind::Answer, body };
        if self.state().pair(self.run, run).push(item).is_err() {
            tracing::warn!("dropped an answer for another node: its queue is full");
        }
        self.news.notify_one();
    }

    /// Takes a received bundle; returns its items, unless they were received before.
    pub(super) fn hear(&self, bundle: Bundle) -> Vec<BundleItem> {
        let run = bundle.from;
        self.state().pair(self.run, run).hear(bundle)
    }

    /// Passes a received answer to its asker.
    pub(super) fn deliver_answer(&self, id: u64, answer: Bytes) {
        if let Some(asked) = self.state().asked.remove(&id) {
            // The asker may have stopped waiting.
            drop(asked.send(answer));
        }
    }

    /// Handles the notice that a bundle found no subscriber.
    pub(super) fn unheard(&self, run: u64, number: u64) {
        let mut state = self.state();
        for id in state.pair(self.run, run).unheard(number) {
            // Dropping the sender tells the asker.
            drop(state.asked.remove(&id));
        }
    }

    /// Returns the bundles that are to be sent now, each with the run that it is for. Forgets runs
    /// that are over.
    pub(super) fn to_send(
        &self,
        (standing, others): (NodeProgress, OtherNodes),
        now: Monotonic,
    ) -> Vec<(u64, BundleToSend)> {
        let mut state = self.state();
        for run in &others.living {
            state.pair(self.run, *run).lives();
        }
        state.pairs.retain(|run, pair| {
            let is_given_up = !others.living.contains(run) && pair.is_dead(GIVEN_UP, now);
            !is_given_up || others.known.contains(run)
        });
        let mut sending = Vec::new();
        for (run, pair) in &mut state.pairs {
            if !others.living.contains(run) {
                continue;
            }
            if let Some(bundle) = pair.next(standing, now) {
                self.bundles.fetch_add(u64::from(bundle.items > 0), Ordering::Relaxed);
                self.bundled.fetch_add(bundle.items as u64, Ordering::Relaxed);
                sending.push((*run, bundle));
            }
            let again = pair.again(AGAIN.as_millis() as u64, now);
            sending.extend(again.map(|bundle| (*run, bundle)));
        }
        sending
    }

    /// Whether a bundle is on its way, or something is queued: then it may have to be sent again or
    /// discarded without any news.
    pub(super) fn is_under_way(&self) -> bool {
        self.state().pairs.values().any(|pair| pair.is_under_way() || pair.has_items())
    }

    /// Whether other nodes have acknowledged every question and answer of this node.
    pub(super) fn is_all_acknowledged(&self) -> bool {
        !self.state().pairs.values().any(NodePair::has_items)
    }

    /// Writes the number of bundles, and of questions and answers in them.
    pub fn write(&self, page: &mut Exposition) {
        let counts = [
            ("coterie_cluster_bundles_total", "Bundles sent to other nodes.", &self.bundles),
            ("coterie_cluster_bundled_total", "Questions and answers in them.", &self.bundled),
        ];
        for (name, help, count) in counts {
            page.single(name, MetricKind::Counter, help, count.load(Ordering::Relaxed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use journal::Cursor;

    const NOW: Monotonic = Monotonic::from_millis(1000);
    const LATER: Monotonic = NOW.plus_millis(GIVEN_UP);
    const STANDING: NodeProgress = NodeProgress { shown: Cursor::new(64), is_ready: true };

    fn looks(calls: &Calls, living: &[u64], known: &[u64], now: Monotonic) -> Vec<u64> {
        let others = OtherNodes { living: living.to_vec(), known: known.to_vec() };
        calls.to_send((STANDING, others), now).into_iter().map(|(run, _)| run).collect()
    }

    fn runs(calls: &Calls) -> Vec<u64> {
        calls.state().pairs.keys().copied().collect()
    }

    #[test]
    fn a_run_is_forgotten_when_its_node_has_started_again() {
        let calls = Calls::of(1);
        assert_eq!(looks(&calls, &[2, 3], &[2, 3], NOW), [2, 3]);
        // One node starts again as another run, and the other one is suspended.
        looks(&calls, &[4], &[3, 4], NOW);
        looks(&calls, &[4], &[3, 4], LATER);
        assert_eq!(runs(&calls), [3, 4]);
        // A last answer for the run that is over does not keep it.
        calls.answer(2, 1, Bytes::from_static(b"that"));
        looks(&calls, &[4], &[3, 4], LATER);
        assert!(runs(&calls).contains(&2), "a node may be asked before its first sign of life");
        looks(&calls, &[4], &[3, 4], LATER.plus_millis(GIVEN_UP));
        assert_eq!(runs(&calls), [3, 4]);
    }

    #[test]
    fn queue_for_dead_node_is_discarded_later() {
        let calls = Calls::of(1);
        looks(&calls, &[2], &[2], NOW);
        calls.hear(Bundle { from: 2, number: 0, heard: 1, standing: STANDING, items: Vec::new() });
        assert!(!calls.is_under_way());
        calls.answer(2, 1, Bytes::from_static(b"that"));
        looks(&calls, &[], &[2], NOW);
        assert!(calls.is_under_way() && !calls.is_all_acknowledged(), "it may live again");
        looks(&calls, &[], &[2], LATER);
        assert!(!calls.is_under_way() && calls.is_all_acknowledged());
    }
}
