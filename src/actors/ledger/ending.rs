//! How a commit ends: who waits for it, and what becomes of one that was not simply written.
//! It is looked for by its name, whoever waits is told, and the room loads itself again.

use std::sync::Arc;

use actix::{ActorContext, ActorFutureExt, AsyncContext, WrapFuture};

use crate::actors::ask::Fault;
use crate::actors::ledger::Room;
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::{CommitId, Committed, Cursor, StreamHead};
use crate::random::random;

type Look<R> = Box<dyn FnOnce(Result<&mut R, Fault>)>;

/// Who waits for what is decided to be durable.
pub(super) enum Waiting<R> {
    /// Somebody whose answer was made with the decision.
    Answered(Box<dyn FnOnce(Result<(), Fault>)>),
    /// Somebody who looks at the room then.
    Looking(Look<R>),
}

impl<R> Waiting<R> {
    /// Whether the answer was made with the decision.
    pub(super) const fn is_answered(&self) -> bool {
        matches!(self, Self::Answered(_))
    }

    /// It will not become durable.
    pub(super) fn fail(self, fault: Fault) {
        match self {
            Self::Answered(answer) => answer(Err(fault)),
            Self::Looking(look) => look(Err(fault)),
        }
    }

    /// It is durable, and the room shows it.
    pub(super) fn go_on(self, room: &mut R) {
        match self {
            Self::Answered(answer) => answer(Ok(())),
            Self::Looking(look) => look(Ok(room)),
        }
    }
}

/// The commit under way, as far as it takes to find out what became of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    /// Its name.
    pub(super) id: CommitId,
    /// Where the journal ended before.
    pub(super) since: Cursor,
}

impl Sent {
    /// The commit, if it was written.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(super) async fn look_up(
        self,
        archive: Archive,
    ) -> Result<Option<Arc<Committed>>, IndexFault> {
        let Self { id, since } = self;
        let found = move |archive: &Archive| archive.journal.look_up(id, since);
        archive.blocking(move |archive| found(archive).map_err(IndexFault::Journal)).await
    }
}

/// Names commits: random for each start of a room, then counted, since asking the
/// system for random bits at every post would cost more than the post's own rules.
pub(super) struct CommitNames {
    start: u64,
    count: u64,
}

impl CommitNames {
    /// Of a room that starts.
    pub(super) fn fresh() -> Self {
        Self { start: u64::from_be_bytes(random()), count: 0 }
    }

    /// A name that no other commit has.
    pub(super) fn next(&mut self) -> CommitId {
        self.count += 1;
        CommitId(u128::from(self.start) << 64 | u128::from(self.count))
    }
}

/// What every room does then.
pub(super) trait Ending: Room {
    /// Goes on once everything decided so far is durable; at once if it is.
    fn once_durable(&mut self, waiting: Waiting<Self>) {
        if self.ledger().is_idle() {
            waiting.go_on(self);
        } else {
            self.ledger().wait(waiting);
        }
    }

    /// Finds out whether the commit under way was written after all. Then the room loads
    /// itself again in any case: somebody else may have written its stream.
    fn find_out(&mut self, fault: Fault, ctx: &mut Self::Context) {
        let Some(sent) = self.ledger().sent else { return self.give_up(fault, ctx) };
        self.ledger().failed = Some(fault.clone());
        let looking = sent.look_up(self.context().archive.clone());
        ctx.spawn(looking.into_actor(self).map(move |found, room, ctx| {
            let fault = match found {
                Ok(Some(commit)) => {
                    room.answer_written(commit.after);
                    fault
                }
                Ok(None) => fault,
                Err(trouble) => Fault::Storage(trouble.to_string()),
            };
            room.give_up(fault, ctx);
        }));
    }

    /// Answers those whose commit was written; whoever looks would not see it there yet.
    fn answer_written(&mut self, head: StreamHead) {
        self.ledger().head = head;
        let all = std::mem::take(&mut self.ledger().under_way).into_iter();
        let (answered, looking) = all.partition::<Vec<_>, _>(Waiting::is_answered);
        self.ledger().under_way = looking;
        answered.into_iter().for_each(|it| it.go_on(self));
    }

    /// Drops a state that may be ahead of what is durable: everything waiting is
    /// answered with the fault, and the directory loads the room again.
    fn give_up(&mut self, fault: Fault, ctx: &mut Self::Context) {
        if matches!(fault, Fault::Elsewhere) {
            tracing::info!(stream = %self.stream(), "another node took a conversation over");
        } else {
            let stream = self.stream();
            tracing::error!(%stream, %fault, "a commit failed; the room loads again");
        }
        let ledger = self.ledger();
        ledger.failed = Some(fault.clone());
        ledger.gathered.clear();
        ledger.gathered_room = None;
        let mut waiting = std::mem::take(&mut ledger.under_way);
        waiting.append(&mut ledger.gathering);
        waiting.into_iter().for_each(|waiting| waiting.fail(fault.clone()));
        ctx.stop();
    }
}

impl<R: Room> Ending for R {}
