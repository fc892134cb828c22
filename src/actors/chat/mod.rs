//! The room of a chat: owns the messages between two users.

use std::sync::Arc;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::ask::{Answers, Fault, Posted, Question};
use crate::conversation::{ConversationRoom, MessageLog};
use crate::idle::Idle;
use crate::ledger::{Ledger, Recording, Room};
use crate::operator_rules::KnownOperatorRules;
use crate::room_context::RoomContext;
use domain::audience::Audience;
use domain::chat::Chat;
use domain::event::{Decision, Event, Fact, RoomState};
use domain::group::BrokenRule;
use domain::ids::{Conversation, MessageId, Pair, StreamId};
use domain::time::Moment;
use journal::{Committed, StreamHead};

mod posts;
pub mod protocol;
mod start;
mod view;

/// The room's actor. The chat is empty until the first message.
pub struct ChatActor {
    context: RoomContext,
    chat: Chat,
    audience: Audience,
    log: MessageLog,
    ledger: Ledger<Self>,
    idle: Idle,
    /// The rules of the operators.
    operator_rules: KnownOperatorRules,
}

impl ChatActor {
    /// A room that will load itself when it starts.
    pub fn new(pair: Pair, context: RoomContext, idle: Idle) -> Self {
        let chat = Chat::silent(pair);
        Self {
            context,
            audience: chat.audience(),
            chat,
            log: MessageLog::default(),
            ledger: Ledger::at(StreamHead::default()),
            idle,
            operator_rules: KnownOperatorRules::default(),
        }
    }
}

impl ChatActor {
    /// The chat as decided so far.
    pub(super) fn chat(&self) -> &Chat {
        &self.chat
    }
}

impl Actor for ChatActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        Self::watch(ctx);
        self.idle.watch(ctx, |room| (room.ledger.is_idle(), &mut room.idle));
        let load = start::load(self.chat.pair, self.context.clone());
        ctx.wait(load.into_actor(self).map(|loaded, room, ctx| match loaded {
            Ok(loaded) => {
                room.log = MessageLog::starting(loaded.chat.count, loaded.last);
                room.chat = loaded.chat;
                room.ledger = Ledger::at(loaded.head);
            }
            Err(fault) => {
                tracing::error!(
                    chat.id = %room.chat.pair, %fault,
                    "loading a chat failed; the next request loads it again"
                );
                room.ledger.close(Fault::from(fault));
                ctx.stop();
            }
        }));
    }
}

impl<Q: Question> Handler<Posted<Q>> for ChatActor
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

impl Room for ChatActor {
    fn is_alone(&self) -> bool {
        self.idle.is_alone()
    }

    fn stream(&self) -> StreamId {
        StreamId::Chat(self.chat.pair)
    }

    fn context(&self) -> &RoomContext {
        &self.context
    }

    fn ledger(&mut self) -> &mut Ledger<Self> {
        &mut self.ledger
    }

    fn audience_of(&self, fact: &Fact) -> Audience {
        if fact.is_audible() { self.audience.clone() } else { Audience::nobody() }
    }

    fn stage(&mut self, event: &Event, now: Moment) -> RoomState {
        if let Fact::Chat(fact) = &event.fact {
            self.chat.apply(event.at, fact, now);
        }
        self.stage_in_log(event).unwrap_or_default()
    }

    fn settled(&mut self, commit: &Arc<Committed>) {
        self.settle_in_log(commit);
    }
}

impl ConversationRoom for ChatActor {
    type Rules = Chat;

    fn conversation(&self) -> Conversation {
        Conversation::Chat(self.chat.pair)
    }

    fn rules(&self) -> Option<&Chat> {
        Some(&self.chat)
    }

    fn log(&mut self) -> &mut MessageLog {
        &mut self.log
    }

    fn screen<T>(
        &mut self,
        decided: Decision<T>,
        changed: Option<MessageId>,
        now: Moment,
    ) -> Decision<Result<T, BrokenRule>> {
        self.operator_rules.refresh(&self.context.operator_rules);
        let Some(rules) = self.operator_rules.running() else {
            return Decision { facts: decided.facts, answer: Ok(decided.answer) };
        };
        let changed = changed.and_then(|message| self.log.pending_message(message));
        self.chat.screen(decided, changed.as_deref(), rules, now.wall)
    }
}
