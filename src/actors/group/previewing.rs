//! Link previews in a group, on top of what every room with messages does (`actors/previews.rs`).

use std::sync::Arc;

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::group::GroupActor;
use crate::actors::previews::{PreviewingRoom, ShowPreviews};
use crate::domain::event::Fact;
use crate::domain::group::GroupFact;
use crate::domain::revision::Revision;

impl Answers<ShowPreviews> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ShowPreviews> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<ShowPreviews>, ctx: &mut Context<Self>) {
        self.preview(ask, ctx);
    }
}

impl PreviewingRoom for GroupActor {
    fn revision_fact(&self, revision: Revision) -> Option<Fact> {
        self.group.as_ref().filter(|group| !group.disbanded)?;
        Some(Fact::Group(GroupFact::Revised(Arc::new(revision))))
    }
}
