//! Editing and deleting messages: finds the message, asks the rule, records the revision.

use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Fault, Question};
use crate::conversation::{ConversationRoom, absent};
use crate::ledger::Recording;
use domain::conversation::ConversationRules;
use domain::event::Decision;
use domain::ids::{MessageId, UserId};
use domain::message::{Message, MessageJson};
use domain::revision::{MessageChange, Reviser, ReviserId, RevisionRefusal};

/// Edits a message. Sent by `http::revising`; answered with the message as it is on disk by then,
/// also if nothing had to change.
#[derive(Debug, Clone)]
pub struct EditMessage {
    /// The user or bot who edits.
    pub by: ReviserId,
    /// The message.
    pub message: MessageId,
    /// The new contents.
    pub change: MessageChange,
}

impl Question for EditMessage {
    type Answer = MessageJson;
    type Refusal = RevisionRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Deletes a message. Sent by `http::revising`; answered once the deletion is on disk, also if the
/// message was deleted before.
#[derive(Debug, Clone)]
pub struct DeleteMessage {
    /// The user or bot who deletes.
    pub by: ReviserId,
    /// The message.
    pub message: MessageId,
}

impl Question for DeleteMessage {
    type Answer = ();
    type Refusal = RevisionRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Deletes a reported message for the operators. Sent by `http::operator_reports`; answered once the
/// deletion is on disk, also if the message was deleted before.
#[derive(Debug, Clone, Copy)]
pub struct RemoveMessage {
    /// The message.
    pub message: MessageId,
}

impl Question for RemoveMessage {
    type Answer = ();
    type Refusal = RevisionRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Lists the earlier versions of a message. Sent by `http::revising`.
#[derive(Debug, Clone, Copy)]
pub struct ShowHistory {
    /// The user who wants to see them.
    pub reader: UserId,
    /// The message.
    pub message: MessageId,
}

impl Question for ShowHistory {
    /// Newest version first, without the current one.
    type Answer = Vec<Message>;
    type Refusal = RevisionRefusal;
    const IN_TOPICS: bool = true;
}

/// The role of a caller, to decide which messages they may revise.
fn reviser<Room: ConversationRoom>(
    room: &Room,
    by: &ReviserId,
) -> Result<Reviser, RevisionRefusal> {
    room.rules().ok_or(RevisionRefusal::NotAMember)?.reviser(by)
}

/// The answer where there is no such conversation.
fn nothing_to_revise<Rules: ConversationRules>() -> RevisionRefusal {
    absent::<Rules, _>(RevisionRefusal::NotAMember, RevisionRefusal::NoMessage)
}

impl<Room: ConversationRoom> Answers<EditMessage> for Room {
    fn answer_if_absent() -> AbsentAnswer<EditMessage> {
        Some(Err(nothing_to_revise::<Room::Rules>()))
    }

    fn answer(&mut self, ask: Ask<EditMessage>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        if let Err(refusal) = reviser(self, &ask.question.by) {
            return ask.reply.send(Err(Failure::Refused(refusal)));
        }
        self.with_message(ask.question.message, ask, ctx, |room, ask, ctx| {
            let EditMessage { by, message, change } = ask.question;
            let now = room.context().clock.now();
            let decided =
                room.decide_on(message, RevisionRefusal::NoMessage, |rules, message, _| {
                    rules.edit(&by, message, change, now)
                });
            let decided = decided.map(|decided| room.screen(decided, Some(message), now));
            room.record_or_refuse(decided, now, ask.reply, ctx, move |room, screened| {
                screened?;
                Ok(room.json_of(message))
            });
        });
    }
}

impl<Room: ConversationRoom> Answers<DeleteMessage> for Room {
    fn answer_if_absent() -> AbsentAnswer<DeleteMessage> {
        Some(Err(nothing_to_revise::<Room::Rules>()))
    }

    fn answer(&mut self, ask: Ask<DeleteMessage>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        if let Err(refusal) = reviser(self, &ask.question.by) {
            return ask.reply.send(Err(Failure::Refused(refusal)));
        }
        self.with_message(ask.question.message, ask, ctx, |room, ask, ctx| {
            let DeleteMessage { by, message } = ask.question;
            let now = room.context().clock.now();
            let decided =
                room.decide_on(message, RevisionRefusal::NoMessage, |rules, message, ids| {
                    rules.delete(&by, message, now, ids)
                });
            room.record(decided, now, ask.reply, ctx);
        });
    }
}

impl<Room: ConversationRoom> Answers<RemoveMessage> for Room {
    fn answer_if_absent() -> AbsentAnswer<RemoveMessage> {
        Some(Err(nothing_to_revise::<Room::Rules>()))
    }

    fn answer(&mut self, ask: Ask<RemoveMessage>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        self.with_message(ask.question.message, ask, ctx, |room, ask, ctx| {
            let now = room.context().clock.now();
            let unknown = RevisionRefusal::NoMessage;
            let decided = room.decide_on(ask.question.message, unknown, |rules, message, _| {
                let revision = message.remove()?;
                let facts = revision.and_then(|it| rules.revision_fact(it)).into_iter().collect();
                Ok(Decision { facts, answer: () })
            });
            room.record(decided, now, ask.reply, ctx);
        });
    }
}

impl<Room: ConversationRoom> Answers<ShowHistory> for Room {
    fn answer_if_absent() -> AbsentAnswer<ShowHistory> {
        Some(Err(nothing_to_revise::<Room::Rules>()))
    }

    /// Answers with the earlier versions of a message, for its author and for admins.
    fn answer(&mut self, ask: Ask<ShowHistory>, ctx: &mut Context<Self>) {
        let ShowHistory { reader, message } = ask.question;
        if let Err(refusal) = reviser(self, &ReviserId::User(reader)) {
            return ask.reply.send(Err(Failure::Refused(refusal)));
        }
        let archive = self.context().archive.clone();
        let stream = self.stream();
        let find = async move {
            archive.read_current(reader, move |archive| archive.history(stream, message)).await
        };
        ctx.spawn(find.into_actor(self).map(move |found, room: &mut Self, _| {
            let found = match found {
                Ok(found) => found,
                Err(fault) => return ask.reply.send(Err(Fault::from(fault).into())),
            };
            // The reader may have left, or lost their role, during the read.
            let reviser = reviser(room, &ReviserId::User(reader));
            match reviser.and_then(|reviser| shown(found, &reviser)) {
                Ok(earlier) => ask.reply.send(Ok(earlier)),
                Err(refusal) => room.refuse_once_durable(refusal, ask.reply),
            }
        }));
    }
}

fn shown(
    found: Option<(Arc<Message>, Vec<Message>)>,
    reader: &Reviser,
) -> Result<Vec<Message>, RevisionRefusal> {
    let (now, earlier) = found.ok_or(RevisionRefusal::NoMessage)?;
    if !reader.is_admin && now.author != reader.author {
        return Err(RevisionRefusal::NoHistory);
    }
    // Nothing is left of a deleted message, including its earlier versions.
    if now.is_deleted() { Err(RevisionRefusal::NoMessage) } else { Ok(earlier) }
}
