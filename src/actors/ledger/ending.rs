//! How a commit ends: who waits for it, and what happens if its outcome is a conflict or unknown.
//! Then the journal is searched for it by its id, all who wait are answered, and the room loads
//! itself again.

use std::sync::Arc;

use actix::{ActorContext, ActorFutureExt, AsyncContext, WrapFuture};

use crate::actors::ask::Fault;
use crate::actors::ledger::Room;
use crate::domain::ids::StreamId;
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::{CommitId, Committed, Cursor, StreamHead};
use crate::random::random;

type ReadCallback<R> = Box<dyn FnOnce(Result<&mut R, Fault>)>;

/// A waiter for a decision to become durable.
pub(super) enum CommitWaiter<R> {
    /// An answer that was made together with the decision.
    Reply(Box<dyn FnOnce(Result<(), Fault>)>),
    /// A read, which looks at the room once the decision is durable.
    Read(ReadCallback<R>),
}

impl<R> CommitWaiter<R> {
    /// Whether the answer was made with the decision.
    pub(super) const fn is_reply(&self) -> bool {
        matches!(self, Self::Reply(_))
    }

    /// Answers with a fault, because the decision will not become durable.
    pub(super) fn fail(self, fault: Fault) {
        match self {
            Self::Reply(answer) => answer(Err(fault)),
            Self::Read(look) => look(Err(fault)),
        }
    }

    /// Continues: the decision is durable, and the room shows it.
    pub(super) fn complete(self, room: &mut R) {
        match self {
            Self::Reply(answer) => answer(Ok(())),
            Self::Read(look) => look(Ok(room)),
        }
    }
}

/// The commit under way, as far as is needed to search the journal for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SubmittedCommit {
    /// The commit's id.
    pub(super) id: CommitId,
    /// The end of the journal before the commit was submitted.
    pub(super) since: Cursor,
}

impl SubmittedCommit {
    /// Returns the commit, if it was written.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub(super) async fn look_up(
        self,
        archive: Archive,
        stream: StreamId,
    ) -> Result<Option<Arc<Committed>>, IndexFault> {
        let Self { id, since } = self;
        let found = move |archive: &Archive| archive.journal.look_up(id, since);
        archive.blocking(stream, move |archive| found(archive).map_err(IndexFault::Journal)).await
    }
}

/// Makes ids of commits: a random start for each start of a room, then a count. Asking the system
/// for random bits at every post would cost more than the rules of the post itself.
pub(super) struct CommitIds {
    start: u64,
    count: u64,
}

impl CommitIds {
    /// The ids of a room that is starting.
    pub(super) fn fresh() -> Self {
        Self { start: u64::from_be_bytes(random()), count: 0 }
    }

    /// Returns an id that no other commit has.
    pub(super) fn next(&mut self) -> CommitId {
        self.count += 1;
        CommitId(u128::from(self.start) << 64 | u128::from(self.count))
    }
}

/// Completion of commits, the same in every room.
pub(super) trait Ending: Room {
    /// Continues once everything decided so far is durable, which may be at once.
    fn once_durable(&mut self, waiting: CommitWaiter<Self>) {
        if self.ledger().is_idle() {
            waiting.complete(self);
        } else {
            self.ledger().wait(waiting);
        }
    }

    /// Searches the journal for the commit under way, which may have been written after all. The
    /// room then loads itself again in any case, since another node may have written its stream.
    fn resolve_unknown_commit(&mut self, fault: Fault, ctx: &mut Self::Context) {
        let Some(sent) = self.ledger().sent else { return self.stop_with_fault(fault, ctx) };
        self.ledger().failed = Some(fault.clone());
        let looking = sent.look_up(self.context().archive.clone(), self.stream());
        ctx.spawn(looking.into_actor(self).map(move |found, room, ctx| {
            let fault = match found {
                Ok(Some(commit)) => {
                    room.reply_to_written(commit.after);
                    fault
                }
                Ok(None) => fault,
                Err(trouble) => Fault::Storage(trouble.to_string()),
            };
            room.stop_with_fault(fault, ctx);
        }));
    }

    /// Sends the answers that waited for a commit that was written. Reads keep waiting, since the
    /// room does not show the commit yet.
    fn reply_to_written(&mut self, head: StreamHead) {
        self.ledger().head = head;
        let all = std::mem::take(&mut self.ledger().under_way).into_iter();
        let (answered, looking) = all.partition::<Vec<_>, _>(CommitWaiter::is_reply);
        self.ledger().under_way = looking;
        answered.into_iter().for_each(|it| it.complete(self));
    }

    /// Drops the room's state, which may be ahead of what is durable: everything that waits is
    /// answered with the fault, and the room stops, to be loaded again by the directory.
    fn stop_with_fault(&mut self, fault: Fault, ctx: &mut Self::Context) {
        if matches!(fault, Fault::Elsewhere) {
            tracing::info!(
                stream = %self.stream(),
                "another node took this stream over; dropping its state here"
            );
        } else {
            let stream = self.stream();
            tracing::error!(
                %stream, %fault,
                "a commit failed; dropping the state of its stream and loading it again"
            );
        }
        let ledger = self.ledger();
        ledger.failed = Some(fault.clone());
        ledger.gathered.clear();
        ledger.gathered_permit = None;
        let mut waiting = std::mem::take(&mut ledger.under_way);
        waiting.append(&mut ledger.gathering);
        waiting.into_iter().for_each(|waiting| waiting.fail(fault.clone()));
        ctx.stop();
    }
}

impl<R: Room> Ending for R {}
