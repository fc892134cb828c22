//! Editing and deleting in a chat, on top of what every room with messages does
//! (`actors/revisions.rs`).

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::chat::ChatActor;
use crate::actors::revisions::{DeleteMessage, EditMessage, RevisableRoom, ShowHistory};
use crate::domain::event::Decision;
use crate::domain::message::Message;
use crate::domain::revision::{Reviser, ReviserId, RevisionRefusal};
use crate::domain::time::Moment;

impl Answers<EditMessage> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<EditMessage> {
        Some(Err(RevisionRefusal::NoMessage))
    }

    fn answer(&mut self, ask: Ask<EditMessage>, ctx: &mut Context<Self>) {
        self.edit(ask, ctx);
    }
}

impl Answers<DeleteMessage> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<DeleteMessage> {
        Some(Err(RevisionRefusal::NoMessage))
    }

    fn answer(&mut self, ask: Ask<DeleteMessage>, ctx: &mut Context<Self>) {
        self.delete(ask, ctx);
    }
}

impl Answers<ShowHistory> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<ShowHistory> {
        Some(Err(RevisionRefusal::NoMessage))
    }

    fn answer(&mut self, ask: Ask<ShowHistory>, ctx: &mut Context<Self>) {
        self.show_history(ask, ctx);
    }
}

impl RevisableRoom for ChatActor {
    fn reviser(&self, by: &ReviserId) -> Result<Reviser, RevisionRefusal> {
        self.chat.reviser(by)
    }

    fn decide_edit(
        &self,
        asked: EditMessage,
        message: &Message,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal> {
        self.chat.edit(&asked.by, message, asked.change, now)
    }

    fn decide_deletion(
        &self,
        asked: &DeleteMessage,
        message: &Message,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal> {
        self.chat.delete(&asked.by, message, now)
    }
}
