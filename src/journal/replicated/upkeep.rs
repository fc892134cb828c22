//! Support for trimming the log: reports how far this node's copy is durable, and renews the newest
//! message of quiet shards. Also handles messages that this node lacks and that the log has trimmed.

use std::sync::atomic::Ordering;

use crate::JournalFault;
use crate::replicated::copy::stopped;
use crate::replicated::foundation::Founding;
use crate::replicated::log::Subject;
use crate::replicated::node::Node;
use crate::replicated::parts::PartsSoFar;
use crate::replicated::shard::Shard;

impl Node {
    /// Handles the log's report that it has the messages from `first` to `last`.
    pub(super) fn reaches(&mut self, first: u64, last: u64) -> Result<(), JournalFault> {
        self.codes.check_copy()?;
        let here = self.copy.state.known.sequence;
        if here > last {
            let reason =
                format!("the log ends at {last}, but this node has copied {here} messages of it");
            return Err(stopped("join", &reason));
        }
        if last > 0 && first > here + 1 {
            return Err(self.lacks(first));
        }
        self.reach = Some(last);
        self.check_current();
        Ok(())
    }

    /// The fault of a copy that lacks messages older than `first`, the oldest that the log still
    /// has.
    pub(super) fn lacks(&self, first: u64) -> JournalFault {
        let here = self.copy.state.known.sequence;
        let reason = format!(
            "the log is kept from {first} on, and the journal here ends at {here}: take a backup \
             of another node now, and restore it as the data directory of this one"
        );
        stopped("join", &reason)
    }

    /// Syncs the copy, so that the log may trim what is in it, and repeats the take-over of each
    /// shard on which no message came since the last upkeep: a shard's newest message is its fence,
    /// and the log keeps everything that is newer than the oldest of them.
    pub(super) fn keep_up(&mut self) -> Result<(), JournalFault> {
        self.copy.sync()?;
        // Parts that were collected are in memory only; after a crash they are read again from the
        // first one on.
        let parts =
            self.lanes.all().filter_map(|it| it.parts.as_ref()).map(PartsSoFar::first).min();
        let kept = parts.map_or(u64::MAX, |first| first - 1).min(self.copy.marked);
        self.core.kept.store(kept, Ordering::SeqCst);
        let before = std::mem::replace(&mut self.kept_up_at, self.copy.state.known.sequence);
        if !self.is_caught_up() || self.founding != Founding::Done {
            return Ok(());
        }
        if !self.core.leading.leads() {
            return Ok(());
        }
        for subject in Shard::all().map(Subject::Of) {
            let lane = self.lanes.of(subject);
            if lane.is_idle() && lane.last.is_some_and(|last| last <= before) {
                self.send_take_over(subject);
            }
        }
        Ok(())
    }
}
