//! Passivation: a room that nobody asks any more leaves the directory and stops.

use std::time::Duration;

use actix::{Actor, ActorContext, AsyncContext, Context};

use crate::actors::ask::Guest;

/// How often a room looks whether it was asked, in a server.
pub const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Looks without a question between them after which it stops: it rests after five minutes.
const QUIET_LOOKS: u32 = 10;
/// Rooms that may be awake at their ease: past them each rests …
const AT_EASE: usize = 4096;
/// … after so many: it was asked nothing for half a minute. A hundred thousand rooms that were
/// all touched once within five minutes would hold gigabytes.
const QUIET_LOOKS_IN_A_CROWD: u32 = 1;

/// All rooms that are awake: each holds one, so whoever counts them knows how many there are.
pub type Awake = std::sync::Arc<()>;

/// How long a room was asked nothing, and how it leaves the directory.
pub struct Idle {
    /// Looks since the last question; none before the first.
    quiet_looks: Option<u32>,
    /// One of these is here; each who waits for an answer has another.
    guest: Guest,
    awake: Awake,
    look_every: Duration,
    leave: Box<dyn Fn() + Send>,
}

impl Idle {
    /// A room that begins to work now, among those that are awake, and how it leaves the
    /// directory.
    pub fn new(look_every: Duration, awake: Awake, leave: impl Fn() + Send + 'static) -> Self {
        let (guest, leave) = (Guest::default(), Box::new(leave));
        Self { quiet_looks: None, guest, awake, look_every, leave }
    }

    /// Somebody asked just now, whatever it was. (No clock is read: this is on the way of
    /// every question.)
    pub(super) fn asked(&mut self) -> Guest {
        self.quiet_looks = Some(0);
        Guest::clone(&self.guest)
    }

    /// Whether nobody waits for an answer.
    pub(super) fn is_alone(&self) -> bool {
        Guest::strong_count(&self.guest) == 1
    }

    /// Looks whether nobody asked for long enough, and whether all is done. A room works because
    /// somebody asks it: where a thread has so much to do that looks come before that question,
    /// it waits for it, or whoever asks would start one room after another in vain.
    fn has_rest(&mut self, is_durable: bool) -> bool {
        let Some(quiet_looks) = &mut self.quiet_looks else { return false };
        *quiet_looks = quiet_looks.saturating_add(1);
        let quiet_looks = *quiet_looks;
        let is_crowded = Awake::strong_count(&self.awake) > AT_EASE;
        let patience = if is_crowded { QUIET_LOOKS_IN_A_CROWD } else { QUIET_LOOKS };
        is_durable && self.is_alone() && quiet_looks > patience
    }

    /// Looks now and then whether the room may stop. `of` tells whether everything is
    /// durable, and gives the room's own `Idle`.
    pub fn watch<A: Actor<Context = Context<A>>>(
        &self,
        ctx: &mut Context<A>,
        of: fn(&mut A) -> (bool, &mut Self),
    ) {
        ctx.run_interval(self.look_every, move |room, ctx| {
            let (is_durable, idle) = of(room);
            if idle.has_rest(is_durable) {
                // Out of the directory first. What is in the mailbox, or still comes, goes
                // back to the asker, who takes it to the next room.
                (idle.leave)();
                ctx.stop();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a room that was asked once.
    fn idle() -> Idle {
        let mut idle = Idle::new(LOOK_EVERY, Awake::default(), || {});
        drop(idle.asked());
        idle
    }

    #[test]
    fn a_room_waits_for_the_question_for_which_it_works() {
        let mut idle = Idle::new(LOOK_EVERY, Awake::default(), || {});
        (0..1000).for_each(|_| assert!(!idle.has_rest(true)));
        drop(idle.asked());
        (0..QUIET_LOOKS).for_each(|_| assert!(!idle.has_rest(true)));
        assert!(idle.has_rest(true));
    }

    #[test]
    fn a_room_in_a_crowd_rests_as_soon_as_nobody_asked_between_two_looks() {
        let mut idle = idle();
        let others: Vec<Awake> = (0..AT_EASE).map(|_| Awake::clone(&idle.awake)).collect();
        for _ in 0..1000 {
            assert!(!idle.has_rest(true), "somebody asked since the last look");
            drop(idle.asked());
        }
        assert!(!idle.has_rest(true));
        assert!(idle.has_rest(true));
        drop((others, idle.asked()));
        (0..QUIET_LOOKS).for_each(|_| assert!(!idle.has_rest(true), "the crowd is gone"));
        assert!(idle.has_rest(true));
    }

    #[test]
    fn a_room_that_is_asked_now_and_then_stays() {
        let mut idle = idle();
        for _ in 0..1000 {
            (0..QUIET_LOOKS).for_each(|_| assert!(!idle.has_rest(true)));
            drop(idle.asked());
        }
    }

    #[test]
    fn a_room_that_somebody_waits_for_stays() {
        let mut idle = idle();
        let guest = idle.asked();
        (0..1000).for_each(|_| assert!(!idle.has_rest(true)));
        drop(guest);
        assert!(idle.has_rest(true));
    }

    #[test]
    fn a_room_rests_after_five_quiet_minutes_once_all_is_durable() {
        let mut idle = idle();
        (0..QUIET_LOOKS).for_each(|_| assert!(!idle.has_rest(true)));
        assert!(!idle.has_rest(false));
        assert!(idle.has_rest(true));
    }
}
