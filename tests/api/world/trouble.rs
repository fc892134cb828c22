//! Faults of the journal on order: what happens to the next commit of a room.

use std::sync::{Arc, Mutex, Weak};

use coterie::domain::ids::{GroupId, Pair, StreamId, UserId};
use coterie::journal::Journal;
use coterie::journal::faulty::FaultyJournal;

use crate::world::person::{Group, Person};

/// The function that wraps the journal of a starting server.
pub(crate) type BeforeJournal = Arc<dyn Fn(Arc<dyn Journal>) -> Arc<dyn Journal> + Send + Sync>;

/// Access to the faulty journal of a server, also after the server restarted. The reference is
/// weak, since a server starts only after the journal of its predecessor was dropped.
#[derive(Clone, Default)]
pub(crate) struct Trouble(Arc<Mutex<Weak<FaultyJournal>>>);

impl Trouble {
    /// The function that wraps a server's journal in a faulty one and remembers it.
    pub(crate) fn before_journal(&self) -> BeforeJournal {
        let hand = Arc::clone(&self.0);
        Arc::new(move |journal| {
            let faulty = Arc::new(FaultyJournal::around(journal));
            *hand.lock().unwrap() = Arc::downgrade(&faulty);
            faulty
        })
    }

    /// The faulty journal of the running server.
    pub(crate) fn journal(&self) -> Arc<FaultyJournal> {
        self.0.lock().unwrap().upgrade().expect("a server runs")
    }
}

impl Group {
    /// The stream of the group's events.
    pub(crate) fn stream(&self) -> StreamId {
        StreamId::Group(GroupId::new(self.id.parse().unwrap()))
    }
}

impl Person {
    fn number(&self) -> UserId {
        UserId::new(self.id.parse().unwrap())
    }

    /// The stream of the user's own events.
    pub(crate) fn stream(&self) -> StreamId {
        StreamId::User(self.number())
    }

    /// The stream of the chat between these two users.
    pub(crate) fn chat_stream(&self, other: &Self) -> StreamId {
        StreamId::Chat(Pair::of(self.number(), other.number()).unwrap())
    }
}
