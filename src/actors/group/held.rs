//! Held messages: what the room does with each question about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::group::GroupActor;
use crate::group::protocol::{ListHeld, SettleHeld};
use crate::ledger::Recording;
use domain::group::HeldRefusal;

impl Answers<ListHeld> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListHeld> {
        Some(Err(HeldRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListHeld>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let now = self.context.clock.now().wall;
        let reader = ask.question.reader;
        let reply = ask.reply;
        let group = self.group.as_ref().ok_or(HeldRefusal::NotAMember);
        match group.and_then(|group| group.held_for(reader, now)) {
            Ok(held) => self.when_durable(move |room| {
                reply.send(room.map(|_| held).map_err(Into::into));
            }),
            Err(refusal) => self.refuse_once_durable(refusal, reply),
        }
    }
}

impl Answers<SettleHeld> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<SettleHeld> {
        Some(Err(HeldRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<SettleHeld>, ctx: &mut Context<Self>) {
        let SettleHeld { by, held, verdict } = ask.question;
        let now = self.context.clock.now();
        self.refresh_operator_rules();
        let rules = self.operator_rules.running();
        let decided = self.decide(now, HeldRefusal::NotAMember, |group, now, id_generator| {
            group.settle_held(by, held, verdict, rules, now, id_generator)
        });
        // The author paid for the message when they sent it.
        self.record_for_server(decided, now, ask.reply, ctx);
    }
}
