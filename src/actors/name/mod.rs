//! The room of a name (an email address or a phone number), which only one account at a time may
//! take.

use std::sync::Arc;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::ask::{AbsentAnswer, Answers, Ask, Fault, Posted, Question};
use crate::idle::Idle;
use crate::ledger::{Ledger, Recording, Room};
use crate::name::protocol::{ClaimName, ConfirmName, GiveUpName, ReleaseName};
use crate::room_context::RoomContext;
use domain::audience::Audience;
use domain::event::{Decision, Event, Fact, RoomState};
use domain::ids::{NameId, StreamId};
use domain::name::{Name, NameFact};
use domain::time::{Moment, Monotonic};
use index::IndexFault;
use journal::{Committed, StreamHead};

pub mod protocol;

/// The room's actor.
pub struct NameActor {
    id: NameId,
    context: RoomContext,
    name: Name,
    /// When the newest claim was made. For a claim that was found when the room started, it is the
    /// start: its maker may still be at work on another thread.
    since: Monotonic,
    ledger: Ledger<Self>,
    idle: Idle,
}

impl NameActor {
    /// A room that will load itself when it starts.
    pub fn new(id: NameId, context: RoomContext, idle: Idle) -> Self {
        let since = context.clock.now().mono;
        let ledger = Ledger::at(StreamHead::default());
        Self { id, context, name: Name::default(), since, ledger, idle }
    }

    fn record_plain(
        &mut self,
        decided: Decision<()>,
        reply: crate::ask::Reply<(), std::convert::Infallible>,
        ctx: &mut Context<Self>,
    ) {
        let now = self.context.clock.now();
        self.record(Ok(decided), now, reply, ctx);
    }
}

impl Actor for NameActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        Self::watch(ctx);
        self.idle.watch(ctx, |room| (room.ledger.is_idle(), &mut room.idle));
        let load = load(self.id, self.context.clone());
        ctx.wait(load.into_actor(self).map(|loaded, room, ctx| match loaded {
            Ok((name, head)) => {
                room.name = name;
                room.ledger = Ledger::at(head);
            }
            Err(fault) => {
                tracing::error!(
                    name.id = %room.id, %fault,
                    "loading the claims of a name failed; the next request loads them again"
                );
                room.ledger.close(Fault::from(fault));
                ctx.stop();
            }
        }));
    }
}

async fn load(id: NameId, context: RoomContext) -> Result<(Name, StreamHead), IndexFault> {
    let read = move |archive: &index::archive::Archive| {
        let tail = archive.index.tail(StreamId::Name(id))?.unwrap_or_default();
        Ok((archive.index.name(id)?.unwrap_or_default(), tail.head()))
    };
    context.archive.read_current(StreamId::Name(id), read).await
}

impl<Q: Question> Handler<Posted<Q>> for NameActor
where
    Self: Answers<Q>,
{
    type Result = ();

    fn handle(&mut self, posted: Posted<Q>, ctx: &mut Context<Self>) {
        if let Some(ask) = posted.open(Some(self.idle.asked())) {
            Answers::<Q>::answer(self, ask, ctx);
        }
    }
}

impl Room for NameActor {
    fn is_alone(&self) -> bool {
        self.idle.is_alone()
    }

    fn stream(&self) -> StreamId {
        StreamId::Name(self.id)
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

    fn stage(&mut self, event: &Event, now: Moment) -> RoomState {
        let Fact::Name(fact) = &event.fact else { return RoomState::default() };
        if matches!(fact, NameFact::Claimed { .. }) {
            self.since = now.mono;
        }
        self.name.apply(fact);
        RoomState::default()
    }

    fn settled(&mut self, _: &Arc<Committed>) {}
}

impl Answers<ClaimName> for NameActor {
    fn answer(&mut self, ask: Ask<ClaimName>, ctx: &mut Context<Self>) {
        let ClaimName { by, instead_of } = ask.question;
        let now = self.context.clock.now();
        let decided = self.name.claim(by, instead_of, self.since, now.mono);
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ConfirmName> for NameActor {
    fn answer_if_absent() -> AbsentAnswer<ConfirmName> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<ConfirmName>, ctx: &mut Context<Self>) {
        let decided = self.name.confirm(ask.question.number);
        self.record_plain(decided, ask.reply, ctx);
    }
}

impl Answers<ReleaseName> for NameActor {
    fn answer_if_absent() -> AbsentAnswer<ReleaseName> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<ReleaseName>, ctx: &mut Context<Self>) {
        let decided = self.name.release(ask.question.number);
        self.record_plain(decided, ask.reply, ctx);
    }
}

impl Answers<GiveUpName> for NameActor {
    fn answer_if_absent() -> AbsentAnswer<GiveUpName> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<GiveUpName>, ctx: &mut Context<Self>) {
        let decided = self.name.give_up(ask.question.by);
        self.record_plain(decided, ask.reply, ctx);
    }
}
