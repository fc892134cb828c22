//! Pictures under ids that were given before their bytes: what the room does with each question.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{NamePicture, UserRefusal};
use domain::event::{Decision, Fact};
use domain::user::UserFact;

impl Answers<NamePicture> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<NamePicture> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<NamePicture>, ctx: &mut Context<Self>) {
        let NamePicture { picture, image } = ask.question;
        let decided = match &self.user {
            Some(user) if !user.is_disabled() => {
                let fact = Fact::User(UserFact::PictureNamed { picture, image });
                Ok(Decision { facts: vec![fact], answer: () })
            }
            Some(_) | None => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}
