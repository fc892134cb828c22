//! Message requests to a user: the questions about them, and their handling in the room.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::ledger::Recording;
use crate::user::UserActor;
use domain::chat::WriteRefusal;
use domain::event::Decision;
use domain::ids::UserId;
use domain::user::MessageRequestRefusal;

/// Opens a request to a user, who takes none but requests from this sender. Sent by
/// `http::direct_messages` before the first message goes to the chat; answered once it is on disk.
#[derive(Debug)]
pub struct OpenRequest {
    /// The user who is about to write.
    pub from: UserId,
}

impl Question for OpenRequest {
    type Answer = ();
    type Refusal = WriteRefusal;
    const DECIDES: bool = true;
}

/// Accepts or declines a request. Sent by `http::message_requests`; answered once it is on disk.
#[derive(Debug)]
pub struct DecideRequest {
    /// The sender of the request.
    pub from: UserId,
    /// Whether it is accepted.
    pub accept: bool,
}

impl Question for DecideRequest {
    type Answer = ();
    type Refusal = MessageRequestRefusal;
    const DECIDES: bool = true;
}

impl Answers<OpenRequest> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<OpenRequest> {
        Some(Err(WriteRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<OpenRequest>, ctx: &mut Context<Self>) {
        let user = self.user.as_ref().ok_or(WriteRefusal::Unknown);
        let decided = user.and_then(|user| user.open_request(ask.question.from));
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<DecideRequest> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<DecideRequest> {
        Some(Err(MessageRequestRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<DecideRequest>, ctx: &mut Context<Self>) {
        let DecideRequest { from, accept } = ask.question;
        let decided: Result<Decision<()>, _> = match &self.user {
            None => Err(MessageRequestRefusal::Unknown),
            Some(user) if accept => Ok(user.accept_request(from)),
            Some(user) => user.decline_request(from),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
