//! Members, their nicknames and mutes: what the room does with each question about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Reply};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::group::protocol::{
    ChangeRole, JoinShared, JoinedView, MuteGroup, RejoinGroup, RemoveMember, RenameMember,
};
use crate::ledger::Recording;
use domain::group::{
    Contact, JoinRefusal, MuteRefusal, Newcomer, RemoveRefusal, RenameRefusal, RoleRefusal,
};

impl Answers<RemoveMember> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RemoveMember> {
        Some(Err(RemoveRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<RemoveMember>, ctx: &mut Context<Self>) {
        let RemoveMember { by, membership } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, RemoveRefusal::NotAMember, |group, now, id_generator| {
            group.remove(by, membership, now, id_generator)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ChangeRole> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ChangeRole> {
        Some(Err(RoleRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ChangeRole>, ctx: &mut Context<Self>) {
        let ChangeRole { by, membership, role } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, RoleRefusal::NotAMember, |group, now, id_generator| {
            group.change_role(by, (membership, role), now, id_generator)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<RenameMember> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RenameMember> {
        Some(Err(RenameRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<RenameMember>, ctx: &mut Context<Self>) {
        let RenameMember { by, nickname } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, RenameRefusal::NotAMember, |group, now, id_generator| {
            group.rename(by, nickname, now, id_generator)
        });
        self.record_screened(decided, now, ask.reply, ctx, |_, member| member);
    }
}

impl Answers<MuteGroup> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<MuteGroup> {
        Some(Err(MuteRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<MuteGroup>, ctx: &mut Context<Self>) {
        let MuteGroup { by, muting } = ask.question;
        let now = self.context.clock.now();
        let decided = self
            .decide(now, MuteRefusal::NotAMember, |group, now, _| group.mute(by, muting, now.wall));
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<JoinShared> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<JoinShared> {
        Some(Err(JoinRefusal::NoSuchGroup))
    }

    fn answer(&mut self, ask: Ask<JoinShared>, ctx: &mut Context<Self>) {
        let JoinShared { user, attempt } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, JoinRefusal::NoSuchGroup, |group, now, id_generator| {
            group.join(user, attempt, now, id_generator)
        });
        self.record_as(decided, now, ask.reply, ctx, |room, joining| JoinedView {
            view: room.view(),
            joining,
        });
    }
}

impl Answers<RejoinGroup> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RejoinGroup> {
        Some(Err(JoinRefusal::NoSuchGroup))
    }

    fn answer(&mut self, ask: Ask<RejoinGroup>, ctx: &mut Context<Self>) {
        let user = ask.question.user;
        let now = self.context.clock.now();
        let decided = self.decide(now, JoinRefusal::NoSuchGroup, |group, now, id_generator| {
            group.rejoin(user, now, id_generator)
        });
        self.record_as(decided, now, ask.reply, ctx, |room, ()| room.view());
    }
}

impl GroupActor {
    /// Makes a member of a user who was invited under one of these names.
    pub(super) fn admit(
        &mut self,
        user: Newcomer,
        names: &[Contact],
        reply: Reply<(), JoinRefusal>,
        ctx: &mut Context<Self>,
    ) {
        let trust = self.context.address_trust;
        let now = self.context.clock.now();
        let decided = self.decide(now, JoinRefusal::NoSuchGroup, |group, now, id_generator| {
            group.redeem_invites(user, names, trust, now, id_generator)
        });
        self.record_for_server(decided, now, reply, ctx);
    }
}
