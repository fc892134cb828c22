//! A user's applications: what the room does with each question about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{RegisterApplication, RemoveApplication};
use domain::user::ApplicationRefusal;

impl Answers<RegisterApplication> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<RegisterApplication> {
        Some(Err(ApplicationRefusal::NoUser))
    }

    fn answer(&mut self, ask: Ask<RegisterApplication>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => user.register_application(ask.question.application),
            None => Err(ApplicationRefusal::NoUser),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<RemoveApplication> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<RemoveApplication> {
        Some(Err(ApplicationRefusal::NoUser))
    }

    fn answer(&mut self, ask: Ask<RemoveApplication>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => user.remove_application(ask.question.client),
            None => Err(ApplicationRefusal::NoUser),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
