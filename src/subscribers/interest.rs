//! The readers that watch the ephemeral events of conversations (`sub`), on one thread.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smallvec::SmallVec;

use crate::domain::ids::{Conversation, UserId};
use crate::subscribers::slot::Slot;
use crate::wire::live::EncodedEphemeral;

/// One reader that watches a conversation.
#[derive(Debug)]
struct Watcher {
    id: u64,
    user: UserId,
    slot: Arc<Slot>,
}

/// The watched conversations, with their readers.
#[derive(Debug, Default)]
pub(super) struct Interest {
    askers: HashMap<Conversation, SmallVec<[Watcher; 2]>>,
    asked: HashMap<u64, HashSet<Conversation>>,
}

impl Interest {
    /// A reader starts to watch these conversations.
    pub(super) fn add(
        &mut self,
        (id, user): (u64, UserId),
        slot: &Arc<Slot>,
        conversations: &[Conversation],
    ) {
        let asked = self.asked.entry(id).or_default();
        for conversation in conversations {
            if asked.insert(*conversation) {
                let asker = Watcher { id, user, slot: Arc::clone(slot) };
                self.askers.entry(*conversation).or_default().push(asker);
            }
        }
    }

    /// A reader stops watching these conversations.
    pub(super) fn remove(&mut self, id: u64, conversations: &[Conversation]) {
        for conversation in conversations {
            self.retain(*conversation, |asker| asker.id != id);
        }
    }

    /// Removes a reader that is closed.
    pub(super) fn forget(&mut self, id: u64) {
        for conversation in self.asked.remove(&id).into_iter().flatten() {
            self.retain(conversation, |asker| asker.id != id);
        }
    }

    /// Removes a user's readers from a conversation that the user left.
    pub(super) fn end_stay(&mut self, conversation: Conversation, user: UserId) {
        self.retain(conversation, |asker| asker.user != user);
    }

    /// Removes all readers of a conversation that has ended.
    pub(super) fn end(&mut self, conversation: Conversation) {
        self.retain(conversation, |_| false);
    }

    /// Removes the readers that do not stay, in both maps, so that they can watch again later.
    fn retain(&mut self, conversation: Conversation, stays: impl Fn(&Watcher) -> bool) {
        let Some(askers) = self.askers.get_mut(&conversation) else { return };
        askers.retain(|asker| {
            let stays = stays(asker);
            if !stays && let Some(asked) = self.asked.get_mut(&asker.id) {
                asked.remove(&conversation);
            }
            stays
        });
        if askers.is_empty() {
            self.askers.remove(&conversation);
        }
    }

    /// Offers the event to all readers that watch its conversation, except those of the user whom
    /// it is about.
    pub(super) fn tell(&self, frame: &EncodedEphemeral) {
        for asker in self.askers.get(&frame.conversation).into_iter().flatten() {
            if asker.user != frame.user {
                asker.slot.offer_ephemeral_event(frame);
                asker.slot.wake();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::*;
    use crate::domain::ids::GroupId;
    use crate::domain::time::Monotonic;
    use crate::subscribers::slot::Taken;
    use crate::wire::live::EphemeralKind;

    const CLIMBERS: Conversation = Conversation::Group(GroupId::new(7));
    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);

    fn live() -> Arc<Slot> {
        let slot = Arc::<Slot>::default();
        slot.go_live();
        slot
    }

    fn heard(slot: &Slot) -> usize {
        let now = || Monotonic::from_millis(0);
        match slot.take(now, Duration::from_secs(1)).now_or_never() {
            Some(Taken::EphemeralEvents(ephemeral_events)) => ephemeral_events.len(),
            Some(Taken::Frames(_) | Taken::Behind | Taken::Over(_)) | None => 0,
        }
    }

    #[test]
    fn only_those_who_asked_hear_and_nobody_about_themselves() {
        let (mut interest, bens, anas) = (Interest::default(), live(), live());
        interest.add((1, BEN), &bens, &[CLIMBERS, CLIMBERS]);
        interest.add((1, BEN), &bens, &[CLIMBERS]);
        interest.add((2, ANA), &anas, &[CLIMBERS]);
        interest.tell(&EncodedEphemeral::new(CLIMBERS, ANA, EphemeralKind::Typing { until: 0 }));
        assert_eq!((heard(&bens), heard(&anas)), (1, 0));
    }

    #[test]
    fn whoever_is_out_hears_nothing_more() {
        for end in [
            |interest: &mut Interest| interest.end_stay(CLIMBERS, BEN),
            |interest: &mut Interest| interest.end(CLIMBERS),
            |interest: &mut Interest| interest.forget(1),
            |interest: &mut Interest| interest.remove(1, &[CLIMBERS]),
        ] {
            let (mut interest, bens) = (Interest::default(), live());
            interest.add((1, BEN), &bens, &[CLIMBERS]);
            end(&mut interest);
            interest.tell(&EncodedEphemeral::new(
                CLIMBERS,
                ANA,
                EphemeralKind::Typing { until: 0 },
            ));
            assert_eq!(heard(&bens), 0);
            // They are in again, and watch again.
            interest.add((1, BEN), &bens, &[CLIMBERS]);
            interest.tell(&EncodedEphemeral::new(
                CLIMBERS,
                ANA,
                EphemeralKind::Typing { until: 0 },
            ));
            assert_eq!(heard(&bens), 1);
        }
    }
}
