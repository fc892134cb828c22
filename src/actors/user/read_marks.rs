//! Marking conversations as read. A busy reader sends a mark with every message that scrolls by, so
//! marks are answered from memory, gathered for a moment, and become durable together.

use std::sync::Arc;
use std::time::Duration;

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use futures_util::FutureExt;
use tokio::time::timeout;

use crate::ask::{AbsentAnswer, Answers, Ask, AskOutcome, Failure, Fault, Reply};
use crate::drain::DrainGuard;
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{MarkRead, MarkUnread, MarkedRead};
use domain::event::Decision;
use domain::ids::{Conversation, UserId};
use domain::user::UpTo;
use domain::user::{ReadMark, ReadRefusal, Unread};
use index::archive::Archive;
use index::{Index, IndexFault};

/// How long marks are gathered, so how much of them a crash can lose.
const GATHER: Duration = Duration::from_millis(250);
/// Most marks that become durable in one decision.
const TOGETHER: usize = 16;

/// The mark for the place that was asked for, and the user's mark when it was looked up.
struct MarkToMove {
    mark: ReadMark,
    known: Option<ReadMark>,
    /// What is unread after the further one of the two, if every message has its row.
    unread: Option<Unread>,
}

impl MarkToMove {
    fn new(
        index: &Index,
        user: UserId,
        mark: ReadMark,
        known: Option<ReadMark>,
    ) -> Result<Self, IndexFault> {
        let further = known.filter(|known| known.n > mark.n).unwrap_or(mark);
        let unread = match index.has_messages_of(mark.conv) {
            true => Some(index.unread_after(user, &further)?),
            false => None,
        };
        Ok(Self { mark, known, unread })
    }

    /// Returns what is unread after the mark that was decided.
    fn unread_after(&self, decided: ReadMark) -> Option<Unread> {
        self.unread.filter(|unread| unread.read_n == decided.n)
    }
}

async fn find(
    archive: Archive,
    user: UserId,
    conv: Conversation,
    upto: UpTo,
) -> Result<Result<MarkToMove, ReadRefusal>, IndexFault> {
    let read = move |archive: &Archive| look(&archive.index, user, conv, upto);
    let found = archive.blocking(user, read).await?;
    let is_missing = match (&found, upto) {
        (Err(_), _) => true,
        (Ok(found), UpTo::Event(n)) => found.mark.n < n,
        (Ok(_), UpTo::Message(_)) => false,
    };
    if !is_missing {
        return Ok(found);
    }
    // The rows may be behind what the user has seen.
    archive.index.reached(archive.journal.newest()).await?;
    archive.blocking(user, read).await
}

fn look(
    index: &Index,
    user: UserId,
    conv: Conversation,
    upto: UpTo,
) -> Result<Result<MarkToMove, ReadRefusal>, IndexFault> {
    if !index.is_in(user, conv)? {
        return Ok(Err(ReadRefusal::NotAMember));
    }
    let known = index.read_mark(user, conv)?;
    // A mark only moves forward, so a mark at or before the known one needs no look-up.
    if let (UpTo::Event(n), Some(mark)) = (upto, known)
        && n <= mark.n
    {
        return MarkToMove::new(index, user, mark, known).map(Ok);
    }
    match index.mark_at(conv, upto)? {
        Some(mark) => MarkToMove::new(index, user, mark, known).map(Ok),
        None => Ok(Err(ReadRefusal::NoMessage)),
    }
}

impl Answers<MarkRead> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<MarkRead> {
        Some(Err(ReadRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<MarkRead>, ctx: &mut Context<Self>) {
        let Ask { question: MarkRead { conv, upto }, reply } = ask;
        let index = &self.context.archive.index;
        if let Some(mark) = index.mark_at_newest(self.id, conv, upto) {
            let known = index.pending_marks.known(self.id, conv);
            let unread = Some(Unread { read_n: mark.n, ..Unread::default() });
            return self.mark(MarkToMove { mark, known, unread }, reply, ctx);
        }
        let found = find(self.context.archive.clone(), self.id, conv, upto);
        ctx.spawn(found.into_actor(self).map(move |found, room, ctx| match found {
            Ok(Ok(found)) => room.mark(found, reply, ctx),
            Ok(Err(refusal)) => reply.send(Err(Failure::Refused(refusal))),
            Err(fault) => reply.send(Err(Fault::from(fault).into())),
        }));
    }
}

impl Answers<MarkUnread> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<MarkUnread> {
        Some(Err(ReadRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<MarkUnread>, ctx: &mut Context<Self>) {
        let Ask { question: MarkUnread { conv, message }, reply } = ask;
        let found = find(self.context.archive.clone(), self.id, conv, UpTo::Message(message));
        ctx.spawn(found.into_actor(self).map(move |found, room, ctx| match found {
            Ok(Ok(found)) => room.set_back(&found, reply, ctx),
            Ok(Err(refusal)) => reply.send(Err(Failure::Refused(refusal))),
            Err(fault) => reply.send(Err(Fault::from(fault).into())),
        }));
    }
}

impl UserActor {
    /// Sets the mark back to before a message. Unlike a mark that moves forward, it is answered when
    /// it is durable.
    fn set_back(
        &mut self,
        found: &MarkToMove,
        reply: Reply<MarkedRead, ReadRefusal>,
        ctx: &mut Context<Self>,
    ) {
        let Some(user) = &self.user else {
            return reply.send(Err(Failure::Refused(ReadRefusal::Unknown)));
        };
        let back = found.mark.before_its_message();
        let Decision { facts, answer: mark } = user.set_back(back, found.known);
        if !facts.is_empty() {
            // A mark that is gathered is older than this.
            self.marks.remove(&back.conv);
        }
        let decision = Decision { facts, answer: MarkedRead { mark, unread: None } };
        self.record(Ok(decision), self.context.clock.now(), reply, ctx);
    }

    fn mark(
        &mut self,
        found: MarkToMove,
        reply: Reply<MarkedRead, ReadRefusal>,
        ctx: &mut Context<Self>,
    ) {
        let Some(user) = &self.user else {
            return reply.send(Err(Failure::Refused(ReadRefusal::Unknown)));
        };
        let Decision { facts, answer: mark } = user.read(found.mark, found.known);
        let answer = MarkedRead { mark, unread: found.unread_after(mark) };
        let decision = Decision { facts, answer };
        let now = self.context.clock.now();
        // Where several nodes serve, the mark is in the log before its answer: the user's next request
        // may reach another node.
        let gathers = !self.context.archive.journal.is_shared();
        let Some(owed) = self.context.drain.guard().filter(|_| gathers) else {
            return self.record(Ok(decision), now, reply, ctx);
        };
        if !decision.facts.is_empty() {
            if let Some(fault) = self.refuses_work() {
                return reply.send(Err(fault.into()));
            }
            if let Err(exceeded) = self.context.write_limits.check(self.id, now.mono) {
                return reply.send(Err(Fault::Limited(exceeded).into()));
            }
            self.context.archive.index.pending_marks.note(self.id, &found.mark, now.wall);
            self.gather(found, owed, ctx);
        }
        reply.send(Ok(decision.answer));
    }

    fn gather(&mut self, found: MarkToMove, owed: DrainGuard, ctx: &mut Context<Self>) {
        if self.owed.is_none() {
            self.owed = Some(owed);
            let drain = self.context.drain.clone();
            // A server that is stopping waits for these marks, so they are written at once.
            let gathered = async move { drop(timeout(GATHER, drain.wait_for_stop()).await) };
            ctx.spawn(gathered.into_actor(self).map(|(), room, ctx| room.write_marks(ctx)));
        }
        let mark = self.marks.entry(found.mark.conv).or_insert(found.mark);
        if mark.n < found.mark.n {
            *mark = found.mark;
        }
    }

    fn write_marks(&mut self, ctx: &mut Context<Self>) {
        if matches!(self.refuses_work(), Some(Fault::Busy)) {
            // The callers have their answers already, so the room itself tries again.
            ctx.run_later(GATHER, Self::write_marks);
            return;
        }
        let now = self.context.clock.now();
        let owed = Arc::new(self.owed.take());
        let marks: Vec<ReadMark> = std::mem::take(&mut self.marks).into_values().collect();
        for some in marks.chunks(TOGETHER) {
            let Some(user) = &self.user else { return };
            let decisions = some.iter().map(|mark| user.read(*mark, None));
            let facts = decisions.flat_map(|decision| decision.facts).collect();
            let decided = Ok::<_, ReadRefusal>(Decision { facts, answer: () });
            let (reply, written) = Reply::pair();
            self.record(decided, now, reply, ctx);
            let owed = Arc::clone(&owed);
            let id = self.id;
            let some = some.to_vec();
            let index = Arc::clone(&self.context.archive.index);
            // Only a server that is stopping waits for this. If it fails, the client marks again
            // with the next message.
            ctx.spawn(
                written
                    .map(move |written| {
                        if !matches!(written, AskOutcome::Answer(Ok(()))) {
                            some.iter().for_each(|mark| index.pending_marks.forget(id, mark));
                        }
                        drop(owed);
                    })
                    .into_actor(self),
            );
        }
    }
}
