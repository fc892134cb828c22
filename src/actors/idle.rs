//! Passivation: a room that has not been asked for a while leaves the directory and stops.

use std::time::Duration;

use actix::{Actor, ActorContext, AsyncContext, Context};

use crate::ask::WaitingCaller;

/// How often a room of a server checks whether it was asked.
pub const LOOK_EVERY: Duration = Duration::from_secs(30);
/// How many checks without a question a room stays for; it stops at the next one, after about five
/// minutes.
const QUIET_LOOKS: u32 = 10;
/// Rooms that may be awake before memory is saved: if there are more, each stays for fewer checks.
const AT_EASE: usize = 4096;
/// How many checks without a question a room stays for while more than `AT_EASE` rooms are awake,
/// which is half a minute. A hundred thousand rooms, all touched once within five minutes, would
/// hold gigabytes.
const QUIET_LOOKS_IN_A_CROWD: u32 = 1;

/// Held by each room that is awake; its count is the number of such rooms.
pub type Awake = std::sync::Arc<()>;

/// How long a room was not asked, and how the room leaves the directory.
pub struct Idle {
    /// Checks since the last question; `None` before the first question.
    quiet_looks: Option<u32>,
    /// Cloned for each caller that waits for an answer; the count tells whether any caller waits.
    guest: WaitingCaller,
    awake: Awake,
    look_every: Duration,
    leave: Box<dyn Fn() + Send>,
}

impl Idle {
    /// The idle watch of a room that starts to work; `leave` takes the room out of the directory.
    pub fn new(look_every: Duration, awake: Awake, leave: impl Fn() + Send + 'static) -> Self {
        let guest = WaitingCaller::default();
        let leave = Box::new(leave);
        Self { quiet_looks: None, guest, awake, look_every, leave }
    }

    /// Notes that a question came. (Reads no clock: every question passes here.)
    pub(super) fn asked(&mut self) -> WaitingCaller {
        self.quiet_looks = Some(0);
        WaitingCaller::clone(&self.guest)
    }

    /// Whether no caller waits for an answer.
    pub(super) fn is_alone(&self) -> bool {
        WaitingCaller::strong_count(&self.guest) == 1
    }

    /// Counts a check, and returns whether the room may stop: no question for long enough, no
    /// caller waiting, and everything durable. A room that was not asked yet never stops: it was
    /// started for a question, which on a busy thread may come after some checks. Otherwise its
    /// caller would start one room after another in vain.
    fn has_rest(&mut self, is_durable: bool) -> bool {
        let Some(quiet_looks) = &mut self.quiet_looks else { return false };
        *quiet_looks = quiet_looks.saturating_add(1);
        let quiet_looks = *quiet_looks;
        let is_crowded = Awake::strong_count(&self.awake) > AT_EASE;
        let max_quiet_looks = if is_crowded { QUIET_LOOKS_IN_A_CROWD } else { QUIET_LOOKS };
        is_durable && self.is_alone() && quiet_looks > max_quiet_looks
    }

    /// Checks at intervals whether the room may stop. `of` returns whether everything is durable,
    /// and the room's own `Idle`.
    pub fn watch<A: Actor<Context = Context<A>>>(
        &self,
        ctx: &mut Context<A>,
        of: fn(&mut A) -> (bool, &mut Self),
    ) {
        ctx.run_interval(self.look_every, move |room, ctx| {
            let (is_durable, idle) = of(room);
            if idle.has_rest(is_durable) {
                // The room leaves the directory first. Questions that are in the mailbox, or still
                // come, go back to their callers, who ask the next room.
                (idle.leave)();
                ctx.stop();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The idle watch of a room that was asked once.
    fn idle() -> Idle {
        let mut idle = Idle::new(LOOK_EVERY, Awake::default(), || {});
        drop(idle.asked());
        idle
    }

    #[test]
    fn busy_room_does_not_become_idle() {
        let mut idle = Idle::new(LOOK_EVERY, Awake::default(), || {});
        (0..1000).for_each(|_| assert!(!idle.has_rest(true)));
        drop(idle.asked());
        (0..QUIET_LOOKS).for_each(|_| assert!(!idle.has_rest(true)));
        assert!(idle.has_rest(true));
    }

    #[test]
    fn crowded_server_rests_idle_rooms_early() {
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
