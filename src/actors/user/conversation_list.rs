//! The arrangement of a user's list: what the room does with the question about it.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{ArrangeList, UserRefusal};

impl Answers<ArrangeList> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<ArrangeList> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<ArrangeList>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => Ok(user.arrange_list(ask.question.change)),
            None => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
