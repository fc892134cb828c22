//! Ephemeral news for other nodes: the queue in which they wait, and the message in which they
//! travel.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{self, Receiver, Sender};

use domain::ids::{Conversation, StreamId, UserId};

/// News that may wait to be sent.
const WAITING: usize = 1 << 16;

/// The queue of news for other nodes; nothing is queued on a server that is not one of several.
#[derive(Debug, Clone, Default)]
pub struct EphemeralQueue(Arc<OnceLock<Sender<EphemeralUpdate>>>);

/// News for other nodes.
#[derive(Debug, Clone, Copy)]
pub enum EphemeralUpdate {
    /// A user types in a conversation, until this time in Unix milliseconds.
    Types(Conversation, UserId, u64),
    /// A user is online now.
    Here(UserId),
    /// A user is no longer online.
    Gone(UserId),
}

/// The news that one node sends at one time, in MessagePack with field names, so that a later
/// version can add fields.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EphemeralMessage {
    pub(super) run: u64,
    pub(super) here: BTreeSet<u64>,
    pub(super) gone: BTreeSet<u64>,
    pub(super) types: Vec<(String, u64, u64)>,
}

impl EphemeralQueue {
    /// Queues news for the other nodes, if there are any. News that do not fit are lost.
    pub fn tell(&self, news: EphemeralUpdate) {
        if let Some(Err(_)) = self.0.get().map(|queue| queue.try_send(news)) {
            tracing::debug!("the queue for other nodes is full; dropping typing and presence");
        }
    }

    /// Opens the queue; before that, [`Self::tell`] does nothing.
    pub(super) fn open(&self) -> Receiver<EphemeralUpdate> {
        let (queue, waiting) = mpsc::channel(WAITING);
        // It is called once, so nothing is set yet.
        drop(self.0.set(queue));
        waiting
    }
}

impl EphemeralMessage {
    pub(super) fn of(run: u64, news: &[EphemeralUpdate]) -> Self {
        let mut said = Self { run, ..Self::default() };
        for news in news {
            match *news {
                EphemeralUpdate::Types(conversation, user, until) => {
                    let conversation = StreamId::from(conversation).to_string();
                    said.types.push((conversation, user.get(), until));
                }
                // The latest news of a user win.
                EphemeralUpdate::Here(user) => {
                    said.gone.remove(&user.get());
                    said.here.insert(user.get());
                }
                EphemeralUpdate::Gone(user) => {
                    said.here.remove(&user.get());
                    said.gone.insert(user.get());
                }
            }
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use base::msgpack;
    use domain::ids::GroupId;

    #[test]
    fn latest_presence_of_a_user_is_sent() {
        let ana = UserId::new(1);
        let ben = UserId::new(2);
        let group = Conversation::Group(GroupId::new(7));
        let news = [
            EphemeralUpdate::Here(ana),
            EphemeralUpdate::Gone(ben),
            EphemeralUpdate::Types(group, ana, 5),
            EphemeralUpdate::Gone(ana),
            EphemeralUpdate::Here(ben),
        ];
        let said = EphemeralMessage::of(9, &news);
        assert_eq!((&said.here, &said.gone), (&BTreeSet::from([2]), &BTreeSet::from([1])));
        assert_eq!(said.types, [("g:7".to_owned(), 1, 5)]);
        let sent = msgpack::to_vec_named(&said).unwrap();
        assert_eq!(msgpack::from_slice::<EphemeralMessage>(&sent).unwrap(), said);
        let less = msgpack::to_vec_named(&HashMap::from([("run", 3)])).unwrap();
        assert_eq!(msgpack::from_slice::<EphemeralMessage>(&less).unwrap().run, 3);
    }
}
