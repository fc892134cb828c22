//! Editing and deleting messages: finds the message, asks the rule, records the revision. The same
//! for groups and chats.

use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, WrapFuture};
use serde::{Deserialize, Serialize};

use crate::actors::ask::{Ask, Failure, Fault, Question, Travel};
use crate::actors::ledger::Recording;
use crate::actors::message_room::MessageRoom;
use crate::domain::event::Decision;
use crate::domain::ids::{MessageId, UserId};
use crate::domain::message::{Message, MessageJson};
use crate::domain::revision::{MessageChange, Reviser, ReviserId, RevisionRefusal};
use crate::domain::time::Moment;
use crate::wire::message;

/// Edits a message. Sent by `http::revising`; answered with the message as it is on disk by then,
/// also if nothing had to change.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    const TRAVEL: Option<Travel<Self>> = Some(Travel::shown("EditMessage"));
}

/// Deletes a message. Sent by `http::revising`; answered once the deletion is on disk, also if the
/// message was deleted before.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeleteMessage {
    /// The user or bot who deletes.
    pub by: ReviserId,
    /// The message.
    pub message: MessageId,
}

impl Question for DeleteMessage {
    type Answer = ();
    type Refusal = RevisionRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("DeleteMessage"));
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
}

/// A room whose messages can be edited and deleted.
pub(super) trait RevisableRoom: MessageRoom {
    /// Returns what the rules have to know of a user or bot who wants to revise a message.
    fn reviser(&self, by: &ReviserId) -> Result<Reviser, RevisionRefusal>;

    /// Asks the rule for edits.
    fn decide_edit(
        &self,
        asked: EditMessage,
        message: &Message,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal>;

    /// Asks the rule for deletions.
    fn decide_deletion(
        &self,
        asked: &DeleteMessage,
        message: &Message,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal>;

    /// Edits a message, if the user or bot may enter the conversation.
    fn edit(&mut self, ask: Ask<EditMessage>, ctx: &mut Self::Context) {
        let by = ask.question.by.clone();
        let message = ask.question.message;
        self.revise(&by, message, ask, ctx, Self::edit_known);
    }

    /// Passes a revision on once its message was found, if the user or bot may enter the
    /// conversation.
    fn revise<Q: Question<Refusal = RevisionRefusal>>(
        &mut self,
        by: &ReviserId,
        message: MessageId,
        ask: Ask<Q>,
        ctx: &mut Self::Context,
        act: fn(&mut Self, Ask<Q>, &mut Self::Context),
    ) {
        self.settle_ready(ctx);
        match self.reviser(by) {
            Ok(_) => self.with_message(message, ask, ctx, act),
            Err(refusal) => ask.reply.send(Err(Failure::Refused(refusal))),
        }
    }

    /// Edits a message that was looked up.
    fn edit_known(&mut self, ask: Ask<EditMessage>, ctx: &mut Self::Context) {
        let id = ask.question.message;
        let now = self.context().clock.now();
        let decided = match self.pending().get(id).map(|(message, _)| Arc::clone(message)) {
            Some(message) => self.decide_edit(ask.question, &message, now),
            None => Err(RevisionRefusal::NoMessage),
        };
        self.record_as(decided, now, ask.reply, ctx, move |room, ()| {
            let conversation = room.conversation();
            let (message, likes) = room.pending().get(id).expect("what was edited is here");
            let message = Arc::clone(message);
            let likers = likes.likers();
            message::json(conversation, &message, &likers, &room.context().instance)
        });
    }

    /// Deletes a message, if the user or bot may enter the conversation.
    fn delete(&mut self, ask: Ask<DeleteMessage>, ctx: &mut Self::Context) {
        let by = ask.question.by.clone();
        let message = ask.question.message;
        self.revise(&by, message, ask, ctx, Self::delete_known);
    }

    /// Deletes a message that was looked up.
    fn delete_known(&mut self, ask: Ask<DeleteMessage>, ctx: &mut Self::Context) {
        let now = self.context().clock.now();
        let message = self.pending().get(ask.question.message);
        let decided = match message.map(|(message, _)| Arc::clone(message)) {
            Some(message) => self.decide_deletion(&ask.question, &message, now),
            None => Err(RevisionRefusal::NoMessage),
        };
        self.record(decided, now, ask.reply, ctx);
    }

    /// Answers with the earlier versions of a message, for its author and for admins.
    fn show_history(&mut self, ask: Ask<ShowHistory>, ctx: &mut Self::Context) {
        let ShowHistory { reader, message } = ask.question;
        if let Err(refusal) = self.reviser(&ReviserId::User(reader)) {
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
            let reviser = room.reviser(&ReviserId::User(reader));
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
