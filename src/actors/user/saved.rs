//! Saved messages: the questions about them, and their handling in the user's room.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::ledger::Recording;
use crate::user::UserActor;
use domain::ids::{Conversation, MessageId};
use domain::user::{SaveRefusal, SavedMessage};

/// Saves a message. Sent by `http::saved`, which has checked that the user may read it; answered once
/// it is on disk.
#[derive(Debug)]
pub struct SaveMessage {
    /// The conversation.
    pub conv: Conversation,
    /// The message.
    pub message: MessageId,
}

impl Question for SaveMessage {
    type Answer = SavedMessage;
    type Refusal = SaveRefusal;
    const DECIDES: bool = true;
}

/// Takes a message out of the saved ones, also one that the user may not read any more. Sent by
/// `http::saved`; answered once it is on disk.
#[derive(Debug)]
pub struct UnsaveMessage {
    /// The conversation.
    pub conv: Conversation,
    /// The message.
    pub message: MessageId,
}

impl Question for UnsaveMessage {
    type Answer = ();
    type Refusal = SaveRefusal;
    const DECIDES: bool = true;
}

impl Answers<SaveMessage> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<SaveMessage> {
        Some(Err(SaveRefusal::NoMessage))
    }

    fn answer(&mut self, ask: Ask<SaveMessage>, ctx: &mut Context<Self>) {
        let SaveMessage { conv, message } = ask.question;
        let now = self.context.clock.now();
        let user = self.user.as_ref().ok_or(SaveRefusal::NoMessage);
        let decided = user.and_then(|user| user.save_message(conv, message, now.wall));
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<UnsaveMessage> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<UnsaveMessage> {
        Some(Err(SaveRefusal::NoMessage))
    }

    fn answer(&mut self, ask: Ask<UnsaveMessage>, ctx: &mut Context<Self>) {
        let UnsaveMessage { conv, message } = ask.question;
        let user = self.user.as_ref().ok_or(SaveRefusal::NoMessage);
        let decided = user.map(|user| user.unsave_message(conv, message));
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
