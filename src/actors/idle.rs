//! Passivation: a room that nobody asks any more leaves the directory and stops.

use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, ActorContext, AsyncContext, Context};

use crate::clock::Clock;
use crate::domain::time::Monotonic;

/// How long a room stays without work.
const IDLE_MILLIS: u64 = 5 * 60 * 1000;
/// How often a room looks whether it is idle.
const IDLE_CHECK: Duration = Duration::from_secs(60);

/// When a room last worked, and how it leaves the directory.
pub struct Idle {
    since: Monotonic,
    clock: Arc<dyn Clock>,
    leave: Box<dyn Fn() + Send>,
}

impl Idle {
    /// A room that begins to work now, and how it leaves the directory.
    pub fn new(clock: Arc<dyn Clock>, leave: impl Fn() + Send + 'static) -> Self {
        Self { since: clock.now().mono, clock, leave: Box::new(leave) }
    }

    /// The room worked just now.
    pub fn touch(&mut self, now: Monotonic) {
        self.since = now;
    }

    /// Looks now and then whether the room may stop. `of` tells whether everything is
    /// durable, and gives the room's own `Idle`.
    pub fn watch<A: Actor<Context = Context<A>>>(
        &self,
        ctx: &mut Context<A>,
        of: fn(&mut A) -> (bool, &mut Self),
    ) {
        ctx.run_interval(IDLE_CHECK, move |room, ctx| {
            let (is_durable, idle) = of(room);
            let rested = idle.clock.now().mono.millis_since(idle.since);
            if is_durable && rested >= IDLE_MILLIS {
                // Out of the directory first. What still reaches the closed mailbox
                // comes back to the asker, who starts the room again.
                (idle.leave)();
                ctx.stop();
            }
        });
    }
}
