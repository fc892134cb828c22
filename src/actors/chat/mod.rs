//! The room of a chat: owns the messages between two users.

use std::sync::Arc;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

use crate::actors::ask::{Answers, Fault, Posted, Question};
use crate::actors::calendar::PlanningRoom;
use crate::actors::idle::Idle;
use crate::actors::ledger::{Ledger, Recording, Room};
use crate::actors::likes::LikingRoom;
use crate::actors::message_page::ConversationRoom;
use crate::actors::message_room::MessageRoom;
use crate::actors::pending_messages::PendingMessages;
use crate::actors::recent::Recent;
use crate::actors::room_context::RoomContext;
use crate::domain::audience::Audience;
use crate::domain::chat::Chat;
use crate::domain::event::{Event, Fact, RoomState};
use crate::domain::ids::{Conversation, Pair, StreamId};
use crate::domain::likes::Likers;
use crate::domain::time::Moment;
use crate::journal::{Committed, Cursor, StreamHead};
use crate::wire::message;

mod alarms;
mod calendar;
mod likes;
mod pins;
mod posts;
mod previews;
pub mod protocol;
mod revisions;
mod start;
mod view;

/// The room's actor. The chat is empty until the first message.
pub struct ChatActor {
    context: RoomContext,
    chat: Chat,
    audience: Audience,
    recent: Recent,
    pending: PendingMessages,
    /// The record of the newest durable like, revision or answer to a message.
    newest_change: Cursor,
    ledger: Ledger<Self>,
    idle: Idle,
}

impl ChatActor {
    /// A room that will load itself when it starts.
    pub fn new(pair: Pair, context: RoomContext, idle: Idle) -> Self {
        let chat = Chat::silent(pair);
        Self {
            context,
            audience: chat.audience(),
            chat,
            recent: Recent::default(),
            pending: PendingMessages::default(),
            newest_change: Cursor::START,
            ledger: Ledger::at(StreamHead::default()),
            idle,
        }
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
                room.recent = Recent::starting(loaded.chat.count, loaded.last);
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
        if let Some(revised) = self.stage_revision(event) {
            return revised;
        }
        if let Some(change) = event.fact.planned() {
            let planned = self.known_event(change.event());
            return RoomState { planned, ..RoomState::default() };
        }
        self.stage_reply(&event.fact, event.at);
        let likers = self.stage_like(&event.fact);
        let pair = self.chat.pair;
        let instance = &self.context.instance;
        let message =
            event.fact.message().map(|it| message::json(pair, it, Likers::NOBODY, instance));
        RoomState { message, likers, ..RoomState::default() }
    }

    fn settled(&mut self, commit: &Arc<Committed>) {
        let applied = self.context.archive.index.applied();
        for entry in &commit.entries {
            match entry.shown_message() {
                Some(shown) => {
                    self.recent.push(shown, commit.cursor, applied);
                    self.settle_reply(entry, commit.cursor);
                }
                None => {
                    self.settle_like(&entry.event.fact, commit.cursor);
                    self.settle_revision(entry, commit.cursor);
                }
            }
        }
    }
}

impl ConversationRoom for ChatActor {
    fn conversation(&self) -> Conversation {
        Conversation::Chat(self.chat.pair)
    }

    fn recent(&mut self) -> &mut Recent {
        &mut self.recent
    }

    fn newest_change(&self) -> Cursor {
        self.newest_change
    }
}
