//! Settings and ownership: what the room does with each question about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::group::protocol::{ArchiveGroup, ChangeSettings, DisbandGroup, HandOver, OperateGroup};
use crate::ledger::Recording;
use domain::group::{ChangeRefusal, DisbandRefusal, OperatorGroupRefusal, OwnerRefusal};

impl Answers<ChangeSettings> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ChangeSettings> {
        Some(Err(ChangeRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ChangeSettings>, ctx: &mut Context<Self>) {
        let ChangeSettings { by, change } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, ChangeRefusal::NotAMember, |group, now, id_generator| {
            group.change(by, change, now, id_generator)
        });
        self.record_screened(decided, now, ask.reply, ctx, |room, ()| room.view());
    }
}

impl Answers<DisbandGroup> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<DisbandGroup> {
        Some(Err(DisbandRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<DisbandGroup>, ctx: &mut Context<Self>) {
        let by = ask.question.by;
        let now = self.context.clock.now();
        let decided = self.decide(now, DisbandRefusal::NotAMember, |group, _, _| group.disband(by));
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ArchiveGroup> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ArchiveGroup> {
        Some(Err(ChangeRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ArchiveGroup>, ctx: &mut Context<Self>) {
        let ArchiveGroup { by, is_archived } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, ChangeRefusal::NotAMember, |group, now, id_generator| {
            group.archive(by, is_archived, now, id_generator)
        });
        self.record_screened(decided, now, ask.reply, ctx, |room, ()| room.view());
    }
}

impl Answers<OperateGroup> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<OperateGroup> {
        Some(Err(OperatorGroupRefusal::NoSuchGroup))
    }

    fn answer(&mut self, ask: Ask<OperateGroup>, ctx: &mut Context<Self>) {
        let OperateGroup(act) = ask.question;
        let now = self.context.clock.now();
        let gone = OperatorGroupRefusal::NoSuchGroup;
        let decided = self
            .decide(now, gone, |group, now, id_generator| group.operate(act, now, id_generator));
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<HandOver> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<HandOver> {
        Some(Err(OwnerRefusal::NoSuchGroup))
    }

    fn answer(&mut self, ask: Ask<HandOver>, ctx: &mut Context<Self>) {
        let HandOver { by, to } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, OwnerRefusal::NoSuchGroup, |group, now, id_generator| {
            group.hand_to(by, to, now, id_generator)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}
