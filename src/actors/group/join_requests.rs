//! Requests to become a member: what the room does with each question about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Failure};
use crate::group::GroupActor;
use crate::group::protocol::{DecideJoinRequest, ListJoinRequests, WithdrawJoinRequest};
use crate::ledger::Recording;
use domain::group::RequestRefusal;

impl Answers<ListJoinRequests> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListJoinRequests> {
        Some(Err(RequestRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListJoinRequests>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let reader = ask.question.reader;
        self.when_durable(move |room| {
            ask.reply.send(match room {
                Ok(room) => {
                    let now = room.context.clock.now().wall;
                    let group = room.group.as_ref().ok_or(RequestRefusal::NotAMember);
                    group.and_then(|it| it.requests_for(reader, now)).map_err(Failure::Refused)
                }
                Err(fault) => Err(fault.into()),
            });
        });
    }
}

impl Answers<DecideJoinRequest> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<DecideJoinRequest> {
        Some(Err(RequestRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<DecideJoinRequest>, ctx: &mut Context<Self>) {
        let DecideJoinRequest { by, membership, is_approved } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, RequestRefusal::NotAMember, |group, now, id_generator| {
            group.decide_request(by, membership, is_approved, now, id_generator)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<WithdrawJoinRequest> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<WithdrawJoinRequest> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<WithdrawJoinRequest>, ctx: &mut Context<Self>) {
        let user = ask.question.user;
        let now = self.context.clock.now();
        let decided = self.decide(now, RequestRefusal::NotAMember, |group, now, _| {
            Ok(group.withdraw_request(user, now.wall))
        });
        self.record(decided, now, ask.reply, ctx);
    }
}
