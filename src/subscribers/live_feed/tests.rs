//! Readers that come and go faster than their feed looks.

use futures_util::FutureExt;

use super::*;
use crate::clock::ManualClock;
use crate::domain::ids::{Conversation, GroupId};
use crate::domain::time::Timestamp;
use crate::subscribers::ephemeral::WatchEphemeral;

const CLIMBERS: Conversation = Conversation::Group(GroupId::new(7));

fn feed() -> Local {
    let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_800_000_000)));
    Feeds::default().start_here(Arc::new(Instance::new("http://here", "http://here", 1)), clock)
}

/// The reader with this number, of a user of its own.
fn user(id: u64) -> Subscriber {
    let (user, token) = (UserId::new(id), TokenId::new(id));
    Subscriber::User(Caller { user, token, expires_at: None, client: None })
}

fn watch(id: u64, slot: &Arc<Slot>) -> WatchEphemeral {
    let (reader, slot) = ((id, UserId::new(id)), Some(Arc::clone(slot)));
    WatchEphemeral { reader, slot, conversations: vec![CLIMBERS] }
}

#[actix::test]
async fn more_readers_than_fit_into_the_mailbox_leave_at_once() {
    let local = feed();
    let (mut seats, mut slots) = (Vec::new(), Vec::new());
    for id in 0..2 * MAILBOX as u64 {
        let slot = Arc::<Slot>::default();
        seats.push(local.join(id, user(id), Arc::clone(&slot)).await.unwrap());
        local.feed.send(watch(id, &slot)).await.unwrap();
        slots.push(slot);
    }
    drop(seats);
    local.feed.send(Goodbye).await.unwrap();
    let kept = slots.iter().filter(|slot| Arc::strong_count(slot) > 1).count();
    assert_eq!(kept, 0, "slots of readers that left");
}

#[actix::test]
async fn a_reader_that_leaves_before_it_joined_stays_away() {
    let (local, slot) = (feed(), Arc::<Slot>::default());
    // Its messages wait in the mailbox behind the one that removes readers.
    drop(local.feed.try_send(Leave));
    let joining = local.join(1, user(1), Arc::clone(&slot)).now_or_never();
    assert!(joining.is_none(), "the feed had no turn");
    drop(local.feed.try_send(watch(1, &slot)));
    local.feed.send(Goodbye).await.unwrap();
    assert_eq!(Arc::strong_count(&slot), 1);
}
