//! Liking: finds the message and its likes, asks the rule, records. The same for groups
//! and chats.

use std::sync::Arc;

use actix::{Actor, ActorFutureExt, AsyncContext, WrapFuture};
use serde::{Deserialize, Serialize};

use crate::actors::ask::{Ask, Failure, Fault, Question, Travel};
use crate::actors::ledger::Recording;
use crate::actors::paging::Logging;
use crate::actors::pending_messages::PendingMessages;
use crate::domain::addressing::{answer_of, thread_of};
use crate::domain::event::{Decision, Entry, Event, Fact, RoomState};
use crate::domain::ids::{MessageId, StreamId, UserId};
use crate::domain::likes::{LikeChange, LikeRefusal, Likers, Likes};
use crate::domain::message::Message;
use crate::domain::reaction::Reaction;
use crate::domain::time::Timestamp;
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::Cursor;
use crate::wire::message;

/// Gives or takes back a like. Asked by `http::likes`; answers with those who like the message
/// then when it is on disk, also when nothing had to change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LikeMessage {
    /// Whose like.
    pub by: UserId,
    /// Of which message.
    pub message: MessageId,
    /// Which of the two.
    pub action: LikeAction,
}

/// What is to become of a like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LikeAction {
    /// That it be there, with this sign.
    Like(Reaction),
    /// That it be gone.
    Unlike,
}

impl Question for LikeMessage {
    type Answer = Likers;
    type Refusal = LikeRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("LikeMessage"));
}

/// What a room does with a question, once the message that it answers is here.
type ActOnAnswered<Room, Q> =
    fn(&mut Room, Ask<Q>, Option<Arc<Message>>, &mut <Room as Actor>::Context);

/// A room whose messages can be liked.
pub(super) trait LikeableRoom: Logging {
    /// The messages it is working on.
    fn pending(&mut self) -> &mut PendingMessages;

    /// Notes the record of its newest durable like or revision.
    fn set_liked_at(&mut self, record: Cursor);

    /// Whether this user may like here.
    fn may_like(&self, user: UserId) -> bool;

    /// The fact of a change here.
    fn like_fact(&self, change: LikeChange, is_given: bool) -> Fact;

    /// Hands a question on once its message is here: looked up, if it is none of the newest.
    /// Whoever acts finds out whether there is such a message.
    fn with_message<Q: Question>(
        &mut self,
        message: MessageId,
        ask: Ask<Q>,
        ctx: &mut Self::Context,
        act: impl FnOnce(&mut Self, Ask<Q>, &mut Self::Context) + 'static,
    ) {
        if self.pending().get(message).is_none()
            && let Some((known, likes)) = self.recent().known(message)
        {
            let mark = self.pending().mark();
            self.pending().lay(known, likes, mark);
        }
        let applied = self.context().archive.index.applied();
        self.pending().tidy(message, applied);
        if self.pending().get(message).is_some() {
            return act(self, ask, ctx);
        }
        let mark = self.pending().mark();
        let (archive, stream) = (self.context().archive.clone(), self.stream());
        let find = find(archive, stream, message, self.liked_at());
        ctx.spawn(find.into_actor(self).map(move |found, room: &mut Self, ctx| match found {
            Ok(Some((known, likes))) => {
                // Not laid means stale; then the next attempt looks again.
                room.pending().lay(known, likes, mark);
                room.with_message(message, ask, ctx, act);
            }
            Ok(None) => act(room, ask, ctx),
            Err(fault) => ask.reply.send(Err(Fault::from(fault).into())),
        }));
    }

    /// Hands a question on with the message that it answers, if it answers one, once that and
    /// the beginning of its thread are here.
    fn with_answered<Q: Question>(
        &mut self,
        answered: Option<MessageId>,
        ask: Ask<Q>,
        ctx: &mut Self::Context,
        act: ActOnAnswered<Self, Q>,
    ) {
        let Some(answered) = answered else { return act(self, ask, None, ctx) };
        self.settle_ready(ctx);
        self.with_message(answered, ask, ctx, move |room, ask, ctx| {
            let known = room.pending().get(answered).map(|(message, _)| Arc::clone(message));
            let Some(message) = known else { return act(room, ask, None, ctx) };
            room.with_message(thread_of(&message), ask, ctx, move |room, ask, ctx| {
                let known = room.pending().get(answered).map(|(message, _)| Arc::clone(message));
                act(room, ask, Some(known.unwrap_or(message)), ctx);
            });
        });
    }

    /// Notes the message that was decided just now in the thread that it stands in.
    fn stage_answer(&mut self, fact: &Fact, at: Timestamp) {
        if let Some(base) = fact.message().and_then(|message| answer_of(message)) {
            self.pending().answer(base, at);
        }
    }

    /// Learns that a message is durable, which may stand in a thread.
    fn settle_answer(&mut self, entry: &Entry, record: Cursor) {
        let Some(base) = entry.event.fact.message().and_then(|message| answer_of(message)) else {
            return;
        };
        let applied = self.context().archive.index.applied();
        self.pending().settle(base, record, applied);
        self.recent().answer(base, entry.event.at, record);
        self.set_liked_at(record);
    }

    /// Does what was asked.
    fn like(&mut self, ask: Ask<LikeMessage>, ctx: &mut Self::Context) {
        self.settle_ready(ctx);
        if !self.may_like(ask.question.by) {
            return ask.reply.send(Err(Failure::Refused(LikeRefusal::NotAMember)));
        }
        self.with_message(ask.question.message, ask, ctx, Self::like_known);
    }

    /// Gives or takes back a like of a message that is here.
    fn like_known(&mut self, ask: Ask<LikeMessage>, ctx: &mut Self::Context) {
        let LikeMessage { by, message, action } = ask.question;
        let now = self.context().clock.now();
        let is_given = matches!(action, LikeAction::Like(_));
        let decided = match (self.pending().get(message), action) {
            (None, _) => Err(LikeRefusal::NoMessage),
            (Some((known, _)), LikeAction::Like(_)) if known.is_deleted() => {
                Err(LikeRefusal::Deleted)
            }
            (Some((_, likes)), LikeAction::Like(sign)) => Ok(likes.give(by, sign, now.wall)),
            (Some((_, likes)), LikeAction::Unlike) => Ok(likes.take_back(by)),
        };
        let facts = |change: Option<LikeChange>| {
            change.map(|change| self.like_fact(change, is_given)).into_iter().collect()
        };
        let decided = decided.map(|change| Decision { facts: facts(change), answer: () });
        self.record_as(decided, now, ask.reply, ctx, move |room, ()| {
            room.pending().get(message).map(|(_, likes)| likes.likers()).unwrap_or_default()
        });
    }

    /// Makes a change true that was decided just now, if the fact is one. Who likes the
    /// message then.
    fn stage_like(&mut self, fact: &Fact) -> Option<Arc<Likers>> {
        let (change, is_given) = fact.like()?;
        Some(self.pending().stage(change, is_given).into())
    }

    /// Makes a revision true that was decided just now, if the event is one. What is shown of
    /// the message then.
    fn stage_revision(&mut self, event: &Event) -> Option<RoomState> {
        let (message, likers) = self.pending().revise(event.fact.revision()?, event.at)?;
        let conversation = self.conversation();
        let json = message::json(conversation, &message, &likers, &self.context().instance);
        Some(RoomState {
            message: Some(json),
            revised: Some(message),
            likers: Some(likers.into()),
            ..RoomState::default()
        })
    }

    /// Learns that a revision is durable, after which the message is this one.
    fn settle_revision(&mut self, entry: &Entry, record: Cursor) {
        let (Some(revision), Some(message)) = (entry.event.fact.revision(), &entry.state.revised)
        else {
            return;
        };
        let applied = self.context().archive.index.applied();
        self.pending().settle(revision.message, record, applied);
        self.recent().revise(message, record);
        self.set_liked_at(record);
    }

    /// Learns that a fact is durable; tells whether it was about a like.
    fn settle_like(&mut self, fact: &Fact, record: Cursor) {
        let Some((change, is_given)) = fact.like() else { return };
        let applied = self.context().archive.index.applied();
        self.pending().settle(change.message, record, applied);
        self.recent().change_like(change, is_given);
        self.set_liked_at(record);
    }
}

async fn find(
    archive: Archive,
    stream: StreamId,
    message: MessageId,
    changed: Cursor,
) -> Result<Option<(Arc<Message>, Likes)>, IndexFault> {
    archive.index.reached(changed).await?;
    let find = move |archive: &Archive| {
        let Some(found) = archive.message(stream, message)? else { return Ok(None) };
        let (author, by) = (found.message.author.clone(), found.likes);
        Ok(Some((found.message, Likes { message, author, by })))
    };
    archive.blocking(find).await
}
