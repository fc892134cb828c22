//! Pinning messages, and the list of pinned messages. The same for groups and chats.

use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, WrapFuture};
use serde::{Deserialize, Serialize};

use crate::actors::ask::{Ask, Failure, Fault, Question, Travel};
use crate::actors::ledger::Recording;
use crate::actors::message_page::MessagePage;
use crate::actors::message_room::MessageRoom;
use crate::actors::recent::LoadedMessage;
use crate::domain::event::Decision;
use crate::domain::ids::{MessageId, UserId};
use crate::domain::message::{Message, MessageJson};
use crate::domain::pins::{PinAction, PinRefusal};
use crate::domain::time::Moment;
use crate::wire::message;

/// Pins or unpins a message. Sent by `http::pinning`; answered with the message as it is on disk by
/// then, also if nothing had to change.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct PinMessage {
    /// The user who pins or unpins.
    pub by: UserId,
    /// The message.
    pub message: MessageId,
    /// Whether to pin or unpin.
    pub action: PinAction,
}

impl Question for PinMessage {
    type Answer = MessageJson;
    type Refusal = PinRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::shown("PinMessage"));
}

/// Lists the pinned messages, the newest pin first. Sent by `http::pinning`; shows every pin that
/// was answered or delivered before.
#[derive(Debug, Clone, Copy)]
pub struct ListPinned {
    /// The user who wants to see the list.
    pub reader: UserId,
}

impl Question for ListPinned {
    type Answer = MessagePage;
    type Refusal = PinRefusal;
}

/// A room whose messages can be pinned.
pub(super) trait PinnableRoom: MessageRoom {
    /// Asks the rule.
    fn decide_pin(
        &self,
        asked: PinMessage,
        message: &Message,
        now: Moment,
    ) -> Result<Decision<()>, PinRefusal>;

    /// Pins or unpins a message, if the user may read it.
    fn pin(&mut self, ask: Ask<PinMessage>, ctx: &mut Self::Context) {
        self.settle_ready(ctx);
        if !self.is_participant(ask.question.by) {
            return ask.reply.send(Err(Failure::Refused(PinRefusal::NotAMember)));
        }
        self.with_message(ask.question.message, ask, ctx, Self::pin_known);
    }

    /// Pins or unpins a message that was looked up.
    fn pin_known(&mut self, ask: Ask<PinMessage>, ctx: &mut Self::Context) {
        let asked = ask.question;
        let now = self.context().clock.now();
        let message = self.pending().get(asked.message).map(|(message, _)| Arc::clone(message));
        let decided = match message {
            Some(message) => self.decide_pin(asked, &message, now),
            None => Err(PinRefusal::NoMessage),
        };
        self.record_as(decided, now, ask.reply, ctx, move |room, ()| {
            let conversation = room.conversation();
            let (message, likes) = room.pending().get(asked.message).expect("it was looked up");
            let message = Arc::clone(message);
            let likers = likes.likers();
            message::json(conversation, &message, &likers, &room.context().instance)
        });
    }

    /// Answers with the pinned messages, if the user may read them.
    fn list_pinned(&mut self, ask: Ask<ListPinned>, ctx: &mut Self::Context) {
        self.settle_ready(ctx);
        let reader = ask.question.reader;
        if !self.is_participant(reader) {
            return ask.reply.send(Err(Failure::Refused(PinRefusal::NotAMember)));
        }
        let archive = self.context().archive.clone();
        let stream = self.stream();
        let read = async move {
            archive
                .read_current(reader, move |archive| {
                    let pinned = archive.index.pinned(stream)?.into_iter();
                    let found = pinned.map(|id| archive.message(stream, id));
                    found.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()
                })
                .await
        };
        ctx.spawn(read.into_actor(self).map(move |found, room: &mut Self, _| {
            let page = |found: Vec<_>| MessagePage {
                count: found.len() as u64,
                messages: found.into_iter().map(LoadedMessage::archived).collect(),
            };
            let found = found.map(page).map_err(|fault| Fault::from(fault).into());
            room.send_read(reader, found, PinRefusal::NotAMember, ask.reply);
        }));
    }
}
