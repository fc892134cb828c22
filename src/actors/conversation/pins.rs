//! Pinning messages, and the list of pinned messages.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Question};
use crate::conversation::{ConversationRoom, MessagePage, absent};
use crate::ledger::Recording;
use crate::recent::LoadedMessage;
use domain::conversation::ConversationRules;
use domain::ids::{MessageId, UserId};
use domain::message::MessageJson;
use domain::pins::{PinAction, PinRefusal};
use index::archive::Archive;

/// Pins or unpins a message. Sent by `http::pinning`; answered with the message as it is on disk by
/// then, also if nothing had to change.
#[derive(Debug, Clone, Copy)]
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
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
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
    const IN_TOPICS: bool = true;
}

impl<Room: ConversationRoom> Answers<PinMessage> for Room {
    fn answer_if_absent() -> AbsentAnswer<PinMessage> {
        Some(Err(absent::<Room::Rules, _>(PinRefusal::NotAMember, PinRefusal::NoMessage)))
    }

    fn answer(&mut self, ask: Ask<PinMessage>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        if !self.is_participant(ask.question.by) {
            return ask.reply.send(Err(Failure::Refused(PinRefusal::NotAMember)));
        }
        self.with_message(ask.question.message, ask, ctx, |room, ask, ctx| {
            let PinMessage { by, message, action } = ask.question;
            let now = room.context().clock.now();
            let decided = room.decide_on(message, PinRefusal::NoMessage, |rules, message, ids| {
                rules.pin(by, message, action, now, ids)
            });
            room.record_as(decided, now, ask.reply, ctx, move |room, ()| room.json_of(message));
        });
    }
}

impl<Room: ConversationRoom> Answers<ListPinned> for Room {
    fn answer_if_absent() -> AbsentAnswer<ListPinned> {
        let nothing = MessagePage { count: 0, messages: Vec::new() };
        Some(absent::<Room::Rules, _>(Err(PinRefusal::NotAMember), Ok(nothing)))
    }

    fn answer(&mut self, ask: Ask<ListPinned>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let reader = ask.question.reader;
        if !self.is_participant(reader) {
            return ask.reply.send(Err(Failure::Refused(PinRefusal::NotAMember)));
        }
        let stream = self.stream();
        let read = move |archive: &Archive| {
            let pinned = archive.index.pinned(stream)?.into_iter();
            let found = pinned.map(|id| archive.message(stream, id));
            let found: Vec<_> = found.filter_map(Result::transpose).collect::<Result<_, _>>()?;
            Ok(MessagePage {
                count: found.len() as u64,
                messages: found.into_iter().map(LoadedMessage::archived).collect(),
            })
        };
        self.answer_from_archive(reader, read, PinRefusal::NotAMember, ask.reply, ctx);
    }
}
