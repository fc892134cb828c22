//! Liking: finds the message and its likes, asks the rule, records the change. The same for groups
//! and chats.

use std::sync::Arc;

use actix::{Actor, ActorFutureExt, AsyncContext, WrapFuture};
use serde::{Deserialize, Serialize};

use crate::actors::ask::{Ask, Failure, Fault, Question, Travel};
use crate::actors::ledger::Recording;
use crate::actors::paging::ConversationRoom;
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

/// Gives or takes back a like. Sent by `http::likes`; answered, once the change is on disk, with
/// the users who like the message, also if nothing had to change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LikeMessage {
    /// The user who likes or no longer likes.
    pub by: UserId,
    /// The message.
    pub message: MessageId,
    /// Whether to give or take back the like.
    pub action: LikeAction,
}

/// What to do with a like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LikeAction {
    /// Give it, with this reaction; a like that is there gets this reaction.
    Like(Reaction),
    /// Take it back.
    Unlike,
}

impl Question for LikeMessage {
    type Answer = Likers;
    type Refusal = LikeRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("LikeMessage"));
}

/// What a room does with a question, once the message that the question's post answers was found.
type ActOnAnswered<Room, Q> =
    fn(&mut Room, Ask<Q>, Option<Arc<Message>>, &mut <Room as Actor>::Context);

/// A room whose messages can be liked.
pub(super) trait MessageRoom: ConversationRoom {
    /// The messages that the room is working on.
    fn pending(&mut self) -> &mut PendingMessages;

    /// Notes the record of the newest durable like, revision or answer.
    fn set_newest_change(&mut self, record: Cursor);

    /// Whether this user may like messages of this room.
    fn may_like(&self, user: UserId) -> bool;

    /// The fact of a given or taken-back like, for this kind of room.
    fn like_fact(&self, change: LikeChange, is_given: bool) -> Fact;

    /// Passes a question on once its message is among the pending ones, for which it is looked up
    /// if it is not one of the newest. `act` finds out whether the message exists.
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
            let evictions = self.pending().evictions();
            self.pending().insert_looked_up(known, likes, evictions);
        }
        let applied = self.context().archive.index.applied();
        self.pending().evict(message, applied);
        if self.pending().get(message).is_some() {
            return act(self, ask, ctx);
        }
        let evictions = self.pending().evictions();
        let (archive, stream) = (self.context().archive.clone(), self.stream());
        let find = find(archive, stream, message, self.newest_change());
        ctx.spawn(find.into_actor(self).map(move |found, room: &mut Self, ctx| match found {
            Ok(Some((known, likes))) => {
                // If it was not laid, the look-up was stale, and the next attempt repeats it.
                room.pending().insert_looked_up(known, likes, evictions);
                room.with_message(message, ask, ctx, act);
            }
            Ok(None) => act(room, ask, ctx),
            Err(fault) => ask.reply.send(Err(Fault::from(fault).into())),
        }));
    }

    /// Passes a question on with the message that its post answers, if any, once that message and
    /// the first one of its thread are among the pending ones.
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

    /// Counts a message that was decided just now in the thread that it answers in, if any.
    fn stage_answer(&mut self, fact: &Fact, at: Timestamp) {
        if let Some(base) = fact.message().and_then(|message| answer_of(message)) {
            self.pending().answer(base, at);
        }
    }

    /// Notes that a message is durable, which may be an answer in a thread.
    fn settle_answer(&mut self, entry: &Entry, record: Cursor) {
        let Some(base) = entry.event.fact.message().and_then(|message| answer_of(message)) else {
            return;
        };
        let applied = self.context().archive.index.applied();
        self.pending().settle(base, record, applied);
        self.recent().answer(base, entry.event.at, record);
        self.set_newest_change(record);
    }

    /// Gives or takes back a like, if the user may.
    fn like(&mut self, ask: Ask<LikeMessage>, ctx: &mut Self::Context) {
        self.settle_ready(ctx);
        if !self.may_like(ask.question.by) {
            return ask.reply.send(Err(Failure::Refused(LikeRefusal::NotAMember)));
        }
        self.with_message(ask.question.message, ask, ctx, Self::like_known);
    }

    /// Gives or takes back a like of a message that was found.
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

    /// Applies a like that was decided just now. Returns who likes the message then; `None` for
    /// other facts.
    fn stage_like(&mut self, fact: &Fact) -> Option<Arc<Likers>> {
        let (change, is_given) = fact.like()?;
        Some(self.pending().stage(change, is_given).into())
    }

    /// Applies a revision that was decided just now. Returns what is shown of the message then;
    /// `None` for other events.
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

    /// Notes that a revision is durable: from here on, reads show the revised message.
    fn settle_revision(&mut self, entry: &Entry, record: Cursor) {
        let (Some(revision), Some(message)) = (entry.event.fact.revision(), &entry.state.revised)
        else {
            return;
        };
        let applied = self.context().archive.index.applied();
        self.pending().settle(revision.message, record, applied);
        self.recent().revise(message, record);
        self.set_newest_change(record);
    }

    /// Notes that a like is durable, if the fact is one.
    fn settle_like(&mut self, fact: &Fact, record: Cursor) {
        let Some((change, is_given)) = fact.like() else { return };
        let applied = self.context().archive.index.applied();
        self.pending().settle(change.message, record, applied);
        self.recent().change_like(change, is_given);
        self.set_newest_change(record);
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
