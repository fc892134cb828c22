//! Liking: finds the message and its likes, asks the rule, records the change. The same for groups
//! and chats.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::actors::ask::{Ask, Failure, Question, Travel};
use crate::actors::ledger::Recording;
use crate::actors::message_room::MessageRoom;
use crate::domain::event::{Decision, Fact};
use crate::domain::ids::{MessageId, UserId};
use crate::domain::likes::{LikeChange, LikeRefusal, ToldLikers};
use crate::domain::reaction::Reaction;
use crate::domain::time::Timestamp;
use crate::journal::Cursor;

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

/// The change of a like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LikeAction {
    /// Give it, with this reaction; a like that is there gets this reaction.
    Like(Reaction),
    /// Take it back.
    Unlike,
}

impl Question for LikeMessage {
    type Answer = ToldLikers;
    type Refusal = LikeRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("LikeMessage"));
}

/// A room whose messages can be liked.
pub(super) trait LikingRoom: MessageRoom {
    /// The fact of a given or taken-back like, for this kind of room.
    fn like_fact(&self, change: LikeChange, is_given: bool) -> Fact;

    /// Whether a participant may like now.
    ///
    /// # Errors
    /// If they may not.
    fn may_like(&self, by: UserId, now: Timestamp) -> Result<(), LikeRefusal>;

    /// Gives or takes back a like, if the user may.
    fn like(&mut self, ask: Ask<LikeMessage>, ctx: &mut Self::Context) {
        self.settle_ready(ctx);
        if !self.is_participant(ask.question.by) {
            return ask.reply.send(Err(Failure::Refused(LikeRefusal::NotAMember)));
        }
        self.with_message(ask.question.message, ask, ctx, Self::like_known);
    }

    /// Gives or takes back a like of a message that was found.
    fn like_known(&mut self, ask: Ask<LikeMessage>, ctx: &mut Self::Context) {
        let LikeMessage { by, message, action } = ask.question;
        let now = self.context().clock.now();
        let is_given = matches!(action, LikeAction::Like(_));
        // The user may have left while the message was looked up.
        let is_participant = self.is_participant(by);
        let may_like = self.may_like(by, now.wall);
        let decided = match (self.pending().get(message), action) {
            _ if !is_participant => Err(LikeRefusal::NotAMember),
            _ if may_like.is_err() => Err(may_like.err().unwrap_or(LikeRefusal::NotAMember)),
            (None, _) => Err(LikeRefusal::NoMessage),
            (Some((known, _)), LikeAction::Like(_)) if known.is_deleted() => {
                Err(LikeRefusal::Deleted)
            }
            (Some((_, likes)), LikeAction::Like(reaction)) => {
                Ok(likes.give(by, reaction, now.wall))
            }
            (Some((_, likes)), LikeAction::Unlike) => Ok(likes.take_back(by)),
        };
        let facts = |change: Option<LikeChange>| {
            change.map(|change| self.like_fact(change, is_given)).into_iter().collect()
        };
        let decided = decided.map(|change| Decision { facts: facts(change), answer: () });
        self.record_as(decided, now, ask.reply, ctx, move |room, ()| {
            room.pending().get(message).map(|(_, likes)| likes.told()).unwrap_or_default()
        });
    }

    /// Applies a like that was decided just now. Returns who likes the message then; `None` for
    /// other facts.
    fn stage_like(&mut self, fact: &Fact) -> Option<Arc<ToldLikers>> {
        let (change, is_given) = fact.like()?;
        Some(self.pending().stage(change, is_given).into())
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
