//! The room of the installation, one for all nodes: decides its settings.

use std::convert::Infallible;
use std::sync::Arc;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};
use serde::{Deserialize, Serialize};

use crate::ask::{Answers, Ask, Fault, Posted, Question, Travel};
use crate::ledger::{Ledger, Recording, Room};
use crate::room_context::RoomContext;
use base::bounds::turns::Owner;
use domain::audience::Audience;
use domain::event::{Event, Fact, RoomState};
use domain::ids::StreamId;
use domain::instance::{ChangedSettings, NewSetting, PlaceSettings};
use domain::time::Moment;
use index::IndexFault;
use journal::{Committed, StreamHead};

/// The room's actor.
pub struct InstanceActor {
    context: RoomContext,
    settings: PlaceSettings,
    ledger: Ledger<Self>,
}

/// Changes settings. Sent by `http::operators`, which has checked that no option fixes them.
#[derive(Debug, Serialize, Deserialize)]
pub struct SetSettings {
    /// The new values.
    pub new: Vec<NewSetting>,
}

impl Question for SetSettings {
    type Answer = ChangedSettings;
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("SetSettings"));
}

impl InstanceActor {
    /// A room that will load itself when it starts.
    pub fn new(context: RoomContext) -> Self {
        let ledger = Ledger::at(StreamHead::default());
        Self { context, settings: PlaceSettings::default(), ledger }
    }
}

impl Actor for InstanceActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        Self::watch(ctx);
        let load = load(self.context.clone());
        ctx.wait(load.into_actor(self).map(|loaded, room, ctx| match loaded {
            Ok((settings, head)) => {
                room.settings = settings;
                room.ledger = Ledger::at(head);
            }
            Err(fault) => {
                tracing::error!(%fault, "loading the settings failed; the next change loads them again");
                room.ledger.close(Fault::from(fault));
                ctx.stop();
            }
        }));
    }
}

async fn load(context: RoomContext) -> Result<(PlaceSettings, StreamHead), IndexFault> {
    let read = context.archive.read_current(Owner::Server, |archive| {
        let tail = archive.index.tail(StreamId::Instance)?.unwrap_or_default();
        Ok((archive.index.place_settings()?, tail.head()))
    });
    read.await
}

impl<Q: Question> Handler<Posted<Q>> for InstanceActor
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

impl Room for InstanceActor {
    fn stream(&self) -> StreamId {
        StreamId::Instance
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

    fn stage(&mut self, event: &Event, _: Moment) -> RoomState {
        if let Fact::Instance(fact) = &event.fact {
            self.settings.apply(fact);
        }
        RoomState::default()
    }

    fn settled(&mut self, _: &Arc<Committed>) {}
}

impl Answers<SetSettings> for InstanceActor {
    fn answer(&mut self, ask: Ask<SetSettings>, ctx: &mut Context<Self>) {
        let decided = self.settings.change(ask.question.new);
        let now = self.context.clock.now();
        self.record(Ok(decided), now, ask.reply, ctx);
    }
}
