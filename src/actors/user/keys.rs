//! Credentials of an account: tokens and the password, and the deletion that ends both. Issuing
//! tokens is in `issuing`.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{ChangePassword, DeleteUser, NoteTokenUse, RevokeToken, UserRefusal};
use domain::user::{DeleteRefusal, LogoutRefusal, PasswordRefusal};

impl Answers<RevokeToken> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<RevokeToken> {
        Some(Err(LogoutRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<RevokeToken>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => user.revoke(ask.question.id),
            None => Err(LogoutRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<NoteTokenUse> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<NoteTokenUse> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<NoteTokenUse>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => Ok(user.note_use(ask.question.id)),
            None => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ChangePassword> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<ChangePassword> {
        Some(Err(PasswordRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<ChangePassword>, ctx: &mut Context<Self>) {
        let ChangePassword { checked_hash, password, keep, note } = ask.question;
        let now = self.context.clock.now();
        let decided = match &self.user {
            Some(user) => user.change_own_password(&checked_hash, password, keep, note, now.wall),
            None => Err(PasswordRefusal::Unknown),
        };
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<DeleteUser> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<DeleteUser> {
        Some(Err(DeleteRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<DeleteUser>, ctx: &mut Context<Self>) {
        let has_picture = self.user.as_ref().is_some_and(|user| user.profile.image.is_some());
        if !has_picture {
            return self.delete(ask, ctx);
        }
        self.with_chat_contacts(ctx, |room, looked_up, ctx| match looked_up {
            Ok(()) => room.delete(ask, ctx),
            Err(fault) => ask.reply.send(Err(fault.into())),
        });
    }
}

impl UserActor {
    fn delete(&mut self, ask: Ask<DeleteUser>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => user.delete(&ask.question.checked_hash),
            None => Err(DeleteRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
