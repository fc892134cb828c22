//! Keeping an answer that no act brought along, in the stream of a room.

use std::convert::Infallible;
use std::sync::Arc;

use actix::Context;
use serde::{Deserialize, Serialize};

use crate::actors::ask::{Answers, Ask, Question, Travel};
use crate::actors::group::GroupActor;
use crate::actors::ledger::{Recording, Room};
use crate::actors::user::UserActor;
use crate::domain::event::{Decision, Fact};
use crate::domain::first_answer::FirstAnswer;

/// Keeps an answer that no act brought along: a refusal, or the end of an act of several
/// steps. Asked by `http::once`; the answer is on disk when it is given.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeepAnswer {
    /// The first answer, as it is kept.
    pub first: Arc<FirstAnswer>,
}

impl Question for KeepAnswer {
    type Answer = ();
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("KeepAnswer"));
}

/// A room that keeps answers in its stream.
fn keep<R: Room>(room: &mut R, ask: Ask<KeepAnswer>, ctx: &mut R::Context) {
    let now = room.context().clock.now();
    let facts = vec![Fact::Answered(ask.question.first)];
    room.record(Ok(Decision { facts, answer: () }), now, ask.reply, ctx);
}

impl Answers<KeepAnswer> for UserActor {
    fn answer(&mut self, ask: Ask<KeepAnswer>, ctx: &mut Context<Self>) {
        keep(self, ask, ctx);
    }
}

impl Answers<KeepAnswer> for GroupActor {
    fn answer(&mut self, ask: Ask<KeepAnswer>, ctx: &mut Context<Self>) {
        keep(self, ask, ctx);
    }
}
