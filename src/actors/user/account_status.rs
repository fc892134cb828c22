//! Whether the account may be used: what a user's room does with the questions of operators.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{
    Disable, Enable, EndTokens, ResetPassword, SetGuest, SetOperatorRole, UserRefusal,
};
use domain::user::User;

impl Answers<Disable> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<Disable> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<Disable>, ctx: &mut Context<Self>) {
        let decided = self.user.as_ref().map(User::disable).ok_or(UserRefusal::Unknown);
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<Enable> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<Enable> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<Enable>, ctx: &mut Context<Self>) {
        let decided = self.user.as_ref().map(User::enable).ok_or(UserRefusal::Unknown);
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ResetPassword> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<ResetPassword> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<ResetPassword>, ctx: &mut Context<Self>) {
        let ResetPassword { password, note } = ask.question;
        let now = self.context.clock.now();
        let decided = match &self.user {
            Some(user) => Ok(user.reset_password(password, note, now.wall)),
            None => Err(UserRefusal::Unknown),
        };
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<EndTokens> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<EndTokens> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<EndTokens>, ctx: &mut Context<Self>) {
        let decided = self.user.as_ref().map(User::end_tokens).ok_or(UserRefusal::Unknown);
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<SetOperatorRole> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<SetOperatorRole> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<SetOperatorRole>, ctx: &mut Context<Self>) {
        let role = ask.question.role;
        let decided = self.user.as_ref().map(|user| user.set_operator_role(role));
        let now = self.context.clock.now();
        self.record(decided.ok_or(UserRefusal::Unknown), now, ask.reply, ctx);
    }
}

impl Answers<SetGuest> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<SetGuest> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<SetGuest>, ctx: &mut Context<Self>) {
        let guest = ask.question.guest;
        let decided = self.user.as_ref().map(|user| user.set_guest(guest));
        let now = self.context.clock.now();
        self.record(decided.ok_or(UserRefusal::Unknown), now, ask.reply, ctx);
    }
}
