//! Link previews in a chat, on top of what every room with messages does (`actors/previews.rs`).

use std::sync::Arc;

use actix::Context;

use crate::actors::ask::{AbsentAnswer, Answers, Ask};
use crate::actors::chat::ChatActor;
use crate::actors::previews::{PreviewingRoom, ShowPreviews};
use crate::domain::chat::ChatFact;
use crate::domain::event::Fact;
use crate::domain::revision::Revision;

impl Answers<ShowPreviews> for ChatActor {
    fn answer_if_absent() -> AbsentAnswer<ShowPreviews> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<ShowPreviews>, ctx: &mut Context<Self>) {
        self.preview(ask, ctx);
    }
}

impl PreviewingRoom for ChatActor {
    fn revision_fact(&self, revision: Revision) -> Option<Fact> {
        Some(Fact::Chat(ChatFact::Revised(Arc::new(revision))))
    }
}
