//! Trouble with the journal, made to order: what the next commit of a room meets.

use std::sync::{Arc, Mutex, Weak};

use coterie::domain::ids::{GroupId, Pair, StreamId, UserId};
use coterie::journal::Journal;
use coterie::journal::faulty::FaultyJournal;

use crate::world::person::{Group, Person};

/// What stands before a journal.
pub(crate) type BeforeJournal = Arc<dyn Fn(Arc<dyn Journal>) -> Arc<dyn Journal> + Send + Sync>;

/// The hand on the journal of a server, also after a restart. It holds nothing of a server
/// that has stopped, since its successor waits for that.
#[derive(Clone, Default)]
pub(crate) struct Trouble(Arc<Mutex<Weak<FaultyJournal>>>);

impl Trouble {
    /// How a server comes by its journal.
    pub(crate) fn before_journal(&self) -> BeforeJournal {
        let hand = Arc::clone(&self.0);
        Arc::new(move |journal| {
            let faulty = Arc::new(FaultyJournal::around(journal));
            *hand.lock().unwrap() = Arc::downgrade(&faulty);
            faulty
        })
    }

    /// The journal of the server that runs.
    pub(crate) fn journal(&self) -> Arc<FaultyJournal> {
        self.0.lock().unwrap().upgrade().expect("a server runs")
    }
}

impl Group {
    /// Where its events are.
    pub(crate) fn stream(&self) -> StreamId {
        StreamId::Group(GroupId::new(self.id.parse().unwrap()))
    }
}

impl Person {
    fn number(&self) -> UserId {
        UserId::new(self.id.parse().unwrap())
    }

    /// Where the events of this account are.
    pub(crate) fn stream(&self) -> StreamId {
        StreamId::User(self.number())
    }

    /// Where the events of the chat of these two are.
    pub(crate) fn chat_stream(&self, other: &Self) -> StreamId {
        StreamId::Chat(Pair::of(self.number(), other.number()).unwrap())
    }
}
