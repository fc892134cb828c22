//! The room of the audit log, one for the whole installation. It records what the facts of no other
//! room tell, and limits failed log-ins, so that attackers cannot fill the disk with them.

use std::sync::Arc;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::ask::{Answers, Ask, Fault, Posted, Question};
use crate::audit::protocol::{Note, NoteFailure};
use crate::ledger::{Ledger, Recording, Room};
use crate::room_context::RoomContext;
use base::bounds::turns::Owner;
use domain::audience::Audience;
use domain::audit::AuditFact;
use domain::event::{Decision, Event, Fact, RoomState};
use domain::failure_budget::FailureBudget;
use domain::ids::StreamId;
use domain::time::Moment;
use index::IndexFault;
use journal::{Committed, StreamHead};

pub mod protocol;

/// The room's actor.
pub struct AuditActor {
    context: RoomContext,
    budget: FailureBudget,
    ledger: Ledger<Self>,
}

impl AuditActor {
    /// A room that will load itself when it starts.
    pub fn new(context: RoomContext) -> Self {
        Self {
            context,
            budget: FailureBudget::default(),
            ledger: Ledger::at(StreamHead::default()),
        }
    }
}

impl Actor for AuditActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        Self::watch(ctx);
        let load = head(self.context.clone());
        ctx.wait(load.into_actor(self).map(|loaded, room, ctx| match loaded {
            Ok(head) => room.ledger = Ledger::at(head),
            Err(fault) => {
                tracing::error!(
                    %fault,
                    "loading the audit log failed; the next entry loads it again"
                );
                room.ledger.close(Fault::from(fault));
                ctx.stop();
            }
        }));
    }
}

async fn head(context: RoomContext) -> Result<StreamHead, IndexFault> {
    let tail = context
        .archive
        .read_current(Owner::Server, |archive| archive.index.tail(StreamId::Audit))
        .await?;
    Ok(tail.unwrap_or_default().head())
}

impl<Q: Question> Handler<Posted<Q>> for AuditActor
where
    Self: Answers<Q>,
{
    type Result = ();

    fn handle(&mut self, posted: Posted<Q>, ctx: &mut Context<Self>) {
        if let Some(ask) = posted.open(None) {
            Answers::<Q>::answer(self, ask, ctx);
        }
    }
}

impl Room for AuditActor {
    fn stream(&self) -> StreamId {
        StreamId::Audit
    }

    fn context(&self) -> &RoomContext {
        &self.context
    }

    fn ledger(&mut self) -> &mut Ledger<Self> {
        &mut self.ledger
    }

    fn audience_of(&self, _: &Fact) -> Audience {
        Audience::nobody()
    }

    fn stage(&mut self, _: &Event, _: Moment) -> RoomState {
        RoomState::default()
    }

    fn settled(&mut self, _: &Arc<Committed>) {}
}

impl Answers<Note> for AuditActor {
    fn answer(&mut self, ask: Ask<Note>, ctx: &mut Context<Self>) {
        let decided = Decision { facts: vec![Fact::Audit(ask.question.0)], answer: () };
        let now = self.context.clock.now();
        self.record(Ok(decided), now, ask.reply, ctx);
    }
}

impl Answers<NoteFailure> for AuditActor {
    fn answer(&mut self, ask: Ask<NoteFailure>, ctx: &mut Context<Self>) {
        let NoteFailure { user, email, from } = ask.question;
        let failure = AuditFact::LoginFailed { user, email, from: from.clone() };
        let now = self.context.clock.now();
        let decided = self.budget.note(failure, &from, now.mono);
        self.record(Ok(decided), now, ask.reply, ctx);
    }
}
