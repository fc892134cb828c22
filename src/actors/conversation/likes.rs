//! Liking: finds the message and its likes, asks the rule, records the change.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Question};
use crate::conversation::pending_messages::PendingMessages;
use crate::conversation::{ConversationRoom, absent};
use crate::ledger::Recording;
use domain::conversation::ConversationRules;
use domain::event::Decision;
use domain::ids::{MessageId, UserId};
use domain::likes::{LikeChange, LikeRefusal, ToldLikers};
use domain::reaction::Reaction;
use domain::time::Timestamp;

/// Gives or takes back a like. Sent by `http::likes`; answered, once the change is on disk, with
/// the users who like the message, also if nothing had to change.
#[derive(Debug, Clone)]
pub struct LikeMessage {
    /// The user who likes or no longer likes.
    pub by: UserId,
    /// The message.
    pub message: MessageId,
    /// Whether to give or take back the like.
    pub action: LikeAction,
}

/// The change of a like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LikeAction {
    /// Give it, with this reaction; a like that is there gets this reaction.
    Like(Reaction),
    /// Take it back.
    Unlike,
}

impl Question for LikeMessage {
    type Answer = ToldLikers;
    type Refusal = LikeRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

impl<Room: ConversationRoom> Answers<LikeMessage> for Room {
    fn answer_if_absent() -> AbsentAnswer<LikeMessage> {
        Some(Err(absent::<Room::Rules, _>(LikeRefusal::NotAMember, LikeRefusal::NoMessage)))
    }

    fn answer(&mut self, ask: Ask<LikeMessage>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        if !self.is_participant(ask.question.by) {
            return ask.reply.send(Err(Failure::Refused(LikeRefusal::NotAMember)));
        }
        self.with_message(ask.question.message, ask, ctx, like_known);
    }
}

/// Gives or takes back a like of a message that was looked up.
fn like_known<Room: ConversationRoom>(
    room: &mut Room,
    ask: Ask<LikeMessage>,
    ctx: &mut Context<Room>,
) {
    let LikeMessage { by, message, action } = ask.question;
    let now = room.context().clock.now();
    // The user may have left while the message was looked up.
    let is_permitted = match room.rules() {
        Some(rules) => rules.permit_like(by, now.wall),
        None => Err(LikeRefusal::NotAMember),
    };
    let change = is_permitted.and_then(|()| room.log().pending.like(by, message, action, now.wall));
    let fact = |(change, is_given)| Room::Rules::like_fact(change, is_given);
    let decided =
        change.map(|change| Decision { facts: change.map(fact).into_iter().collect(), answer: () });
    room.record_as(decided, now, ask.reply, ctx, move |room, ()| {
        room.log().pending.get(message).map(|(_, likes)| likes.told()).unwrap_or_default()
    });
}

impl PendingMessages {
    /// Decides on a like: the change, and whether it gives the like; `None` if nothing changes.
    fn like(
        &self,
        by: UserId,
        message: MessageId,
        action: LikeAction,
        now: Timestamp,
    ) -> Result<Option<(LikeChange, bool)>, LikeRefusal> {
        let (known, likes) = self.get(message).ok_or(LikeRefusal::NoMessage)?;
        match action {
            LikeAction::Like(_) if known.is_deleted() => Err(LikeRefusal::Deleted),
            LikeAction::Like(reaction) => {
                Ok(likes.give(by, reaction, now).map(|change| (change, true)))
            }
            LikeAction::Unlike => Ok(likes.take_back(by).map(|change| (change, false))),
        }
    }
}
