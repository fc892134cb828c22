//! How a node puts together the parts of a long commit, from any sender.

use crate::JournalFault;
use crate::queue::Pending;
use crate::replicated::lane::Lane;
use crate::replicated::log::{Delivered, Subject};
use crate::replicated::mark::Mark;
use crate::replicated::message::{CommitPart, Content, LogMessage};
use crate::replicated::node::Node;
use crate::replicated::parts::{PartlySent, PartsSoFar};

impl Lane {
    /// Adds a part that stands at `sequence` in the log; a first part begins a new commit.
    fn collect(&mut self, sequence: u64, part: &CommitPart) {
        match &mut self.parts {
            _ if part.first == 0 => self.parts = Some(PartsSoFar::begin(sequence, part)),
            Some(so_far) => so_far.add(part),
            None => {}
        }
    }

    /// Whether this last part completes the commit.
    fn lacks_only(&self, part: &CommitPart) -> bool {
        part.first == 0 || self.parts.as_ref().is_some_and(|so_far| so_far.lacks_only(part))
    }
}

impl Node {
    /// Begins to read earlier parts again that came before this node had its copy open. Returns
    /// whether that is needed; the message is then ignored until it comes again.
    pub(super) fn recollects(&mut self, message: &LogMessage) -> bool {
        let Content::Part(part) = &message.content else { return false };
        if part.left > 0 || self.lanes.of(message.subject).lacks_only(part) {
            return false;
        }
        tracing::info!(from = part.first, "reading the parts of a long commit again");
        self.is_rereading = true;
        self.lanes.of(message.subject).unmarked.clear();
        self.log.read_again(part.first);
        true
    }

    /// Handles a message that is in the copy already: while parts are read again, a part is
    /// collected.
    pub(super) fn came_again(&mut self, delivered: &Delivered, message: &LogMessage) {
        if let (true, Content::Part(part)) = (self.is_rereading, &message.content) {
            let lane = self.lanes.of(message.subject);
            lane.unmarked.extend(delivered.code);
            lane.collect(delivered.sequence, part);
        }
    }

    /// Handles a part at its place in the log; `came` is the long commit if this node sent the
    /// part. The last part appends the commit.
    pub(super) fn part(
        &mut self,
        mark: Mark,
        subject: Subject,
        part: &CommitPart,
        mut came: Vec<Pending>,
    ) -> Result<(), JournalFault> {
        let sequence = mark.sequence;
        let lane = self.lanes.of(subject);
        lane.collect(sequence, part);
        if part.left > 0 {
            let first = if part.first == 0 { sequence } else { part.first };
            let left = part.left;
            lane.partly = came.pop().map(|commit| PartlySent { commit, left, first });
            self.copy.pass(sequence);
            return Ok(());
        }
        let bytes = lane.parts.take().map(PartsSoFar::joined).unwrap_or_default();
        self.commits(mark, bytes, came)
    }
}
