//! Timeouts: what the room does with each question about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::group::GroupActor;
use crate::group::protocol::{EndTimeout, TimeOutMember};
use crate::ledger::Recording;
use domain::group::TimeoutRefusal;

impl Answers<TimeOutMember> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<TimeOutMember> {
        Some(Err(TimeoutRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<TimeOutMember>, ctx: &mut Context<Self>) {
        let TimeOutMember { by, membership, timeout } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, TimeoutRefusal::NotAMember, |group, now, _| {
            group.time_out(by, membership, timeout, now.wall)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<EndTimeout> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<EndTimeout> {
        Some(Err(TimeoutRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<EndTimeout>, ctx: &mut Context<Self>) {
        let EndTimeout { by, membership } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, TimeoutRefusal::NotAMember, |group, now, _| {
            group.end_timeout(by, membership, now.wall)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}
