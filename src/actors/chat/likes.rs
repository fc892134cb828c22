//! Likes and threads in a chat, on top of what every room with messages does (`actors/likes.rs`,
//! `actors/threads.rs`).

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::chat::ChatActor;
use crate::actors::likes::{LikeMessage, LikingRoom};
use crate::actors::message_room::MessageRoom;
use crate::actors::pending_messages::PendingMessages;
use crate::actors::threads::{ListReplies, ThreadedRoom};
use crate::domain::chat::ChatFact;
use crate::domain::event::Fact;
use crate::domain::ids::UserId;
use crate::domain::likes::{LikeChange, LikeRefusal};
use crate::domain::time::Timestamp;
use crate::journal::Cursor;

impl Answers<LikeMessage> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<LikeMessage> {
        Some(Err(LikeRefusal::NoMessage))
    }

    fn answer(&mut self, ask: Ask<LikeMessage>, ctx: &mut Context<Self>) {
        self.like(ask, ctx);
    }
}

impl Answers<ListReplies> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<ListReplies> {
        Some(Err(LikeRefusal::NoMessage))
    }

    fn answer(&mut self, ask: Ask<ListReplies>, ctx: &mut Context<Self>) {
        self.list_replies(ask, ctx);
    }
}

impl MessageRoom for ChatActor {
    fn pending(&mut self) -> &mut PendingMessages {
        &mut self.pending
    }

    fn is_participant(&self, user: UserId) -> bool {
        self.chat.pair.other(user).is_some()
    }

    fn set_newest_change(&mut self, record: Cursor) {
        self.newest_change = record;
    }
}

impl LikingRoom for ChatActor {
    fn may_like(&self, _: UserId, _: Timestamp) -> Result<(), LikeRefusal> {
        Ok(())
    }

    fn like_fact(&self, change: LikeChange, is_given: bool) -> Fact {
        Fact::Chat(match is_given {
            true => ChatFact::Liked(change),
            false => ChatFact::Unliked(change),
        })
    }
}
