//! Bans: what the room does with each question about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Reply};
use crate::group::GroupActor;
use crate::group::protocol::{BanUser, FindMembership, ListBans, UnbanUser};
use crate::ledger::Recording;
use domain::group::{BanRefusal, Group};
use domain::time::Timestamp;

impl Answers<BanUser> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<BanUser> {
        Some(Err(BanRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<BanUser>, ctx: &mut Context<Self>) {
        let BanUser { by, ban } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, BanRefusal::NotAMember, |group, now, id_generator| {
            group.ban(by, ban, now, id_generator)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<UnbanUser> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<UnbanUser> {
        Some(Err(BanRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<UnbanUser>, ctx: &mut Context<Self>) {
        let UnbanUser { by, user } = ask.question;
        let now = self.context.clock.now();
        let decided = self
            .decide(now, BanRefusal::NotAMember, |group, now, _| group.unban(by, user, now.wall));
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ListBans> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListBans> {
        Some(Err(BanRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListBans>, ctx: &mut Context<Self>) {
        let reader = ask.question.reader;
        self.settle_ready(ctx);
        self.look_up_when_durable(ask.reply, move |group, now| group.bans_for(reader, now));
    }
}

impl Answers<FindMembership> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<FindMembership> {
        Some(Err(BanRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<FindMembership>, ctx: &mut Context<Self>) {
        let FindMembership { reader, membership } = ask.question;
        self.settle_ready(ctx);
        self.look_up_when_durable(ask.reply, move |group, _| {
            group.user_of_membership(reader, membership)
        });
    }
}

impl GroupActor {
    /// Answers from the group once everything that was decided so far is durable.
    fn look_up_when_durable<T: Send + 'static>(
        &mut self,
        reply: Reply<T, BanRefusal>,
        find: impl FnOnce(&Group, Timestamp) -> Result<T, BanRefusal> + 'static,
    ) {
        self.when_durable(move |room| {
            reply.send(match room {
                Ok(room) => {
                    let now = room.context.clock.now().wall;
                    let group = room.group.as_ref().ok_or(BanRefusal::NotAMember);
                    group.and_then(|group| find(group, now)).map_err(Failure::Refused)
                }
                Err(fault) => Err(fault.into()),
            });
        });
    }
}
