//! How a commit ends that was not simply written: it is looked for, whoever waits is told,
//! and the room loads itself again.

use actix::{ActorContext, ActorFutureExt, AsyncContext, WrapFuture};

use crate::actors::ask::Fault;
use crate::actors::ledger::Room;
use crate::actors::waiting::Waiting;
use crate::journal::StreamHead;

/// What every room does then.
pub(super) trait Ending: Room {
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
