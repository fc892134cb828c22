//! Keeping an answer that was not recorded with its act, in the stream of a room.

use std::convert::Infallible;
use std::sync::Arc;

use actix::Context;
use serde::{Deserialize, Serialize};

use crate::ask::{Answers, Ask, Question, Travel};
use crate::group::GroupActor;
use crate::ledger::{Recording, Room};
use crate::user::UserActor;
use domain::event::{Decision, Fact};
use domain::first_answer::FirstAnswer;
use domain::ids::StreamId;
use journal::weight::weight;

/// Keeps an answer that was not recorded with its act: a refusal, or the end of an act of several
/// steps. Sent by `http::once`; answered once the answer is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeepAnswer {
    /// The first answer to keep.
    pub first: Arc<FirstAnswer>,
}

impl Question for KeepAnswer {
    type Answer = ();
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("KeepAnswer"));
}

/// Records the answer in the room's stream. It counts for the user whose stream it is, and is never
/// refused: the act may have been done.
fn keep<R: Room>(room: &mut R, ask: Ask<KeepAnswer>, ctx: &mut R::Context) {
    let now = room.context().clock.now();
    let fact = Fact::Answered(ask.question.first);
    if let StreamId::User(user) = room.stream() {
        room.context().write_limits.count(user, weight(&fact), now.mono);
    }
    let facts = vec![fact];
    room.record_for_server(Ok(Decision { facts, answer: () }), now, ask.reply, ctx);
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
