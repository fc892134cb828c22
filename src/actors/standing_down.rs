//! Standing down: a room whose stream another node has written stops, and the next question starts
//! a room that knows of it.

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

/// After how long a room with a commit under way checks again whether it may stop.
const AGAIN: Duration = Duration::from_millis(5);

/// Tells a room that another node has written its stream. Sent by the directory's follower.
#[derive(Debug, Clone, Copy)]
pub struct StandDown;

impl Question for StandDown {
    type Answer = ();
    type Refusal = Infallible;
}

/// Stops the room, which has left the directory already, once it is idle. A commit under way either
/// meets the fence or was written before it; both end soon, and callers that wait get their
/// answers.
fn stand_down<R: Room>(room: &mut R, ctx: &mut R::Context) {
    if room.ledger().is_idle() && room.is_alone() {
        return ctx.stop();
    }
    ctx.run_later(AGAIN, stand_down);
}

impl Answers<StandDown> for GroupActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for ChatActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for UserActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        self.flush_marks(ctx);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for NameActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for AuditActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        stand_down(self, ctx);
    }
}
