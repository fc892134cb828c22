//! The readers that watch the ephemeral events of conversations (`sub`), on one thread.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smallvec::SmallVec;

use crate::slot::Slot;
use domain::ids::{Conversation, UserId};
use wire::live::{EncodedEphemeral, EphemeralKind};

/// A reader that watches ephemeral events.
#[derive(Debug, Clone, Copy)]
pub struct WatchingReader {
    /// The reader's number.
    pub id: u64,
    /// The user of the reader.
    pub user: UserId,
    /// Whether the reader wants the typing signals of its own user too.
    pub hears_own: bool,
}

/// One reader that watches a conversation.
#[derive(Debug)]
struct Watcher {
    id: u64,
    user: UserId,
    hears_own: bool,
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
        reader: WatchingReader,
        slot: &Arc<Slot>,
        conversations: &[Conversation],
    ) {
        let WatchingReader { id, user, hears_own } = reader;
        let asked = self.asked.entry(id).or_default();
        for conversation in conversations {
            if asked.insert(*conversation) {
                let asker = Watcher { id, user, hears_own, slot: Arc::clone(slot) };
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
    /// it is about. A user's own typing goes to their readers that want it.
    pub(super) fn tell(&self, frame: &EncodedEphemeral) {
        let is_typing = matches!(frame.what, EphemeralKind::Typing { .. });
        for asker in self.askers.get(&frame.conversation).into_iter().flatten() {
            if asker.user != frame.user || (is_typing && asker.hears_own) {
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
    use crate::slot::Taken;
    use domain::ids::GroupId;
    use domain::time::Monotonic;

    const CLIMBERS: Conversation = Conversation::Group(GroupId::new(7));
    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);

    const fn reader(id: u64, user: UserId) -> WatchingReader {
        WatchingReader { id, user, hears_own: false }
    }

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
    fn subscribers_receive_ephemeral_events_of_others() {
        let mut interest = Interest::default();
        let bens = live();
        let anas = live();
        interest.add(reader(1, BEN), &bens, &[CLIMBERS, CLIMBERS]);
        interest.add(reader(1, BEN), &bens, &[CLIMBERS]);
        interest.add(reader(2, ANA), &anas, &[CLIMBERS]);
        interest.tell(&EncodedEphemeral::new(CLIMBERS, ANA, EphemeralKind::Typing { until: 0 }));
        assert_eq!((heard(&bens), heard(&anas)), (1, 0));
    }

    #[test]
    fn own_typing_is_optional_and_own_receipts_are_never_sent() {
        let mut interest = Interest::default();
        let plain = live();
        let echoing = live();
        interest.add(reader(1, ANA), &plain, &[CLIMBERS]);
        let wants_own = WatchingReader { hears_own: true, ..reader(2, ANA) };
        interest.add(wants_own, &echoing, &[CLIMBERS]);
        interest.tell(&EncodedEphemeral::new(CLIMBERS, ANA, EphemeralKind::Typing { until: 0 }));
        assert_eq!((heard(&plain), heard(&echoing)), (0, 1));
        interest.tell(&EncodedEphemeral::new(CLIMBERS, ANA, EphemeralKind::Receipt { n: 1 }));
        assert_eq!((heard(&plain), heard(&echoing)), (0, 0));
    }

    #[test]
    fn former_member_receives_no_ephemeral_events() {
        for end in [
            |interest: &mut Interest| interest.end_stay(CLIMBERS, BEN),
            |interest: &mut Interest| interest.end(CLIMBERS),
            |interest: &mut Interest| interest.forget(1),
            |interest: &mut Interest| interest.remove(1, &[CLIMBERS]),
        ] {
            let mut interest = Interest::default();
            let bens = live();
            interest.add(reader(1, BEN), &bens, &[CLIMBERS]);
            end(&mut interest);
            interest.tell(&EncodedEphemeral::new(
                CLIMBERS,
                ANA,
                EphemeralKind::Typing { until: 0 },
            ));
            assert_eq!(heard(&bens), 0);
            // They are in again, and watch again.
            interest.add(reader(1, BEN), &bens, &[CLIMBERS]);
            interest.tell(&EncodedEphemeral::new(
                CLIMBERS,
                ANA,
                EphemeralKind::Typing { until: 0 },
            ));
            assert_eq!(heard(&bens), 1);
        }
    }
}
