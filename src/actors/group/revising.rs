//! Editing and deleting in a group, on top of what every room with messages does
//! (`actors/revisions.rs`).

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::group::GroupActor;
use crate::actors::revisions::{DeleteMessage, EditMessage, RevisableRoom, ShowHistory};
use crate::domain::event::Decision;
use crate::domain::message::Message;
use crate::domain::revision::{Reviser, ReviserId, RevisionRefusal};
use crate::domain::time::Moment;

impl Answers<EditMessage> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<EditMessage> {
        Some(Err(RevisionRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<EditMessage>, ctx: &mut Context<Self>) {
        self.edit(ask, ctx);
    }
}

impl Answers<DeleteMessage> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<DeleteMessage> {
        Some(Err(RevisionRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<DeleteMessage>, ctx: &mut Context<Self>) {
        self.delete(ask, ctx);
    }
}

impl Answers<ShowHistory> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ShowHistory> {
        Some(Err(RevisionRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ShowHistory>, ctx: &mut Context<Self>) {
        self.show_history(ask, ctx);
    }
}

impl RevisableRoom for GroupActor {
    fn reviser(&self, by: &ReviserId) -> Result<Reviser, RevisionRefusal> {
        self.group.as_ref().ok_or(RevisionRefusal::NotAMember)?.reviser(by)
    }

    fn decide_edit(
        &self,
        asked: EditMessage,
        message: &Message,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal> {
        let EditMessage { by, change, .. } = asked;
        self.decide(now, RevisionRefusal::NotAMember, |group, now, _| {
            group.edit(&by, message, change, now)
        })
    }

    fn decide_deletion(
        &self,
        asked: &DeleteMessage,
        message: &Message,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal> {
        self.decide(now, RevisionRefusal::NotAMember, |group, now, id_generator| {
            group.delete(&asked.by, message, now, id_generator)
        })
    }
}
