//! What happens in a group by itself at a set time. `subscribers::alarms` asks for it, and repeats
//! until it is done; a question without anything to do changes nothing.

use std::convert::Infallible;

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::actors::group::GroupActor;
use crate::actors::ledger::Recording;
use crate::domain::event::Decision;
use crate::domain::ids::UserId;

/// Ends a mute whose time is over. Sent by `subscribers::alarms`.
#[derive(Debug)]
pub struct EndMute {
    /// The member who muted the group.
    pub user: UserId,
}

impl Question for EndMute {
    type Answer = ();
    type Refusal = Infallible;
}

impl Answers<EndMute> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<EndMute> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<EndMute>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let decided = self.group.as_ref().map(|it| it.end_mute(ask.question.user, now.wall));
        let decided = decided.unwrap_or_else(|| Decision::unchanged(()));
        self.record(Ok(decided), now, ask.reply, ctx);
    }
}
