//! Gives back the permission for a direct message that was not stored: it counts against no limit.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::UserRefusal;
use domain::event::Decision;

/// Takes back that the newest direct message of this user was counted. Sent by
/// `http::direct_messages` and `http::calendar` if the chat did not store it.
#[derive(Debug)]
pub struct ReturnPermit;

impl Question for ReturnPermit {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = false;
}

impl Answers<ReturnPermit> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<ReturnPermit> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<ReturnPermit>, ctx: &mut Context<Self>) {
        self.flood.give_back();
        let now = self.context.clock.now();
        self.record(Ok(Decision::unchanged(())), now, ask.reply, ctx);
    }
}
