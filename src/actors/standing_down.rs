//! Standing down: a room whose stream another node has written stops, and the next question
//! starts one that knows of it.

use std::convert::Infallible;
use std::time::Duration;

use actix::{ActorContext, AsyncContext, Context};

use crate::actors::ask::{Answers, Ask, Question};
use crate::actors::audit::AuditActor;
use crate::actors::chat::ChatActor;
use crate::actors::group::GroupActor;
use crate::actors::ledger::Room;
use crate::actors::name::NameActor;
use crate::actors::user::UserActor;

/// When a room that has something under way looks again whether it may stop.
const AGAIN: Duration = Duration::from_millis(5);

/// Another node has written the room's stream. Asked by those who hear the journal for the
/// directory.
#[derive(Debug, Clone, Copy)]
pub struct StandDown;

impl Question for StandDown {
    type Answer = ();
    type Refusal = Infallible;
}

/// Stops. What is under way meets the fence, or was there before; either way it ends soon,
/// and whoever waits for an answer gets it. It is not in the directory any more.
fn stand_down<R: Room>(room: &mut R, ctx: &mut R::Context) {
    if room.ledger().is_idle() && room.is_alone() {
        return ctx.stop();
    }
    ctx.run_later(AGAIN, stand_down);
}

impl Answers<StandDown> for GroupActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Whoever asked waits for nothing.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for ChatActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Whoever asked waits for nothing.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for UserActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Whoever asked waits for nothing.
        drop(ask);
        self.hand_marks_on(ctx);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for NameActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Whoever asked waits for nothing.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for AuditActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Whoever asked waits for nothing.
        drop(ask);
        stand_down(self, ctx);
    }
}
