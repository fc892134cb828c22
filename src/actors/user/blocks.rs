//! Blocks and direct messages: who may write to this user, and whether this user may write to
//! others.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Reply};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::{
    AdmitSender, BlockUser, HasBlocked, NoteReportResolved, PermitAdding, PermitReporting,
    PermitWriting, ShowBlocks, UnblockUser, UserRefusal,
};
use domain::chat::{Sender, WriteRefusal};
use domain::event::{Decision, Fact};
use domain::user::{AddingRefusal, Additions, BlockRefusal, ReportingRefusal, User, UserFact};

impl UserActor {
    /// Whether the room may stop: everything is durable, no read marks are gathered, and neither
    /// direct messages nor additions to groups are counted against the limits.
    pub(super) fn is_calm(&mut self) -> bool {
        let now = self.context.clock.now().mono;
        self.ledger.is_idle()
            && self.marks.is_empty()
            && self.flood.is_calm(self.context.flood_limits, now)
            && self.additions.is_calm(self.context.flood_limits.strangers, now)
            && self.reports.is_calm(now)
    }

    /// Answers with something of the account as decided so far, once all of that is durable.
    fn show<T: Send + 'static>(
        &mut self,
        reply: Reply<T, UserRefusal>,
        ctx: &mut Context<Self>,
        look: impl FnOnce(&User) -> T,
    ) {
        self.settle_ready(ctx);
        let seen = self.user.as_ref().map(look);
        self.when_durable(move |room| {
            reply.send(match room {
                Ok(_) => seen.ok_or(Failure::Refused(UserRefusal::Unknown)),
                Err(fault) => Err(fault.into()),
            });
        });
    }

    /// Permits a message, which accepts a request of its recipient.
    fn permit(&mut self, question: &PermitWriting) -> Result<Decision<Sender>, WriteRefusal> {
        let user = self.user.as_ref().ok_or(WriteRefusal::Unknown)?;
        user.may_write_to(question.to)?;
        let accepted = user.accept_request(question.to);
        let limits = self.context.flood_limits;
        let now = self.context.clock.now().mono;
        self.flood
            .admit(question.to, question.acquaintance, limits, now)
            .map_err(|wait_millis| WriteRefusal::Banned { wait_millis })?;
        let profile = &user.profile;
        let sender =
            Sender { id: user.id, name: profile.name.clone(), image: profile.image.clone() };
        Ok(Decision { facts: accepted.facts, answer: sender })
    }
}

impl Answers<AdmitSender> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<AdmitSender> {
        Some(Err(WriteRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<AdmitSender>, ctx: &mut Context<Self>) {
        let admitted = match &self.user {
            Some(user) => user.admit(ask.question.from),
            None => Err(WriteRefusal::Unknown),
        };
        // Recorded although nothing changes, so that the answer waits until what it rests on is
        // durable.
        let now = self.context.clock.now();
        self.record(admitted.map(Decision::unchanged), now, ask.reply, ctx);
    }
}

impl Answers<PermitWriting> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<PermitWriting> {
        Some(Err(WriteRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<PermitWriting>, ctx: &mut Context<Self>) {
        let permitted = self.permit(&ask.question);
        let now = self.context.clock.now();
        self.record(permitted, now, ask.reply, ctx);
    }
}

impl Answers<PermitAdding> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<PermitAdding> {
        Some(Err(AddingRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<PermitAdding>, ctx: &mut Context<Self>) {
        let pace = self.context.flood_limits.strangers;
        let now = self.context.clock.now();
        let permitted = match self.user {
            None => Err(AddingRefusal::Unknown),
            Some(_) if self.context.write_limits.are_off() => {
                Ok(Additions::admit_uncounted(self.id))
            }
            Some(_) => self.additions.admit(self.id, &ask.question.people, pace, now.mono),
        };
        self.record(permitted.map(Decision::unchanged), now, ask.reply, ctx);
    }
}

impl Answers<PermitReporting> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<PermitReporting> {
        Some(Err(ReportingRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<PermitReporting>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let permitted = match self.user {
            None => Err(ReportingRefusal::Unknown),
            Some(_) if self.context.write_limits.are_off() => Ok(()),
            Some(_) => self.reports.admit(now.mono),
        };
        self.record(permitted.map(Decision::unchanged), now, ask.reply, ctx);
    }
}

impl Answers<NoteReportResolved> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<NoteReportResolved> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<NoteReportResolved>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let report = ask.question.report;
        let decided = match self.user {
            None => Err(UserRefusal::Unknown),
            Some(_) => {
                let fact = Fact::User(UserFact::ReportResolved { report });
                Ok(Decision { facts: vec![fact], answer: () })
            }
        };
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<BlockUser> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<BlockUser> {
        Some(Err(BlockRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<BlockUser>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let decided = match &self.user {
            Some(user) => user.block(ask.question.other, now.wall),
            None => Err(BlockRefusal::Unknown),
        };
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<UnblockUser> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<UnblockUser> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<UnblockUser>, ctx: &mut Context<Self>) {
        let decided = match &self.user {
            Some(user) => Ok(user.unblock(ask.question.other)),
            None => Err(UserRefusal::Unknown),
        };
        let now = self.context.clock.now();
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ShowBlocks> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<ShowBlocks> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<ShowBlocks>, ctx: &mut Context<Self>) {
        self.show(ask.reply, ctx, User::all_blocks);
    }
}

impl Answers<HasBlocked> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<HasBlocked> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<HasBlocked>, ctx: &mut Context<Self>) {
        let other = ask.question.other;
        self.show(ask.reply, ctx, move |user| user.blocks(other));
    }
}
