//! Presence: who is online now, told to those who watch a conversation.
//!
//! Not told in groups over 200 members, where it would be noise. Nothing is looked up while nobody
//! watches, so a storm of reconnecting sockets costs nothing here. Who is online at another node is
//! known as far as that node says so (`ephemeral_exchange.rs`), and only for a while.

use std::sync::Arc;

use dashmap::DashMap;

use crate::ephemeral_queue::{EphemeralQueue, EphemeralUpdate};
use crate::live_feed::Feeds;
use domain::ids::{Conversation, Pair, UserId};
use domain::time::Monotonic;
use index::{Index, IndexFault};
use wire::live::{EncodedEphemeral, EphemeralKind};

pub mod remote;

/// The largest group, in members, in which presence is told.
pub const COMPANY: usize = 200;

/// Online users, and the watched conversations, over all threads.
#[derive(Debug, Clone)]
pub struct Presence(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    here: DashMap<UserId, Here>,
    asked: DashMap<Conversation, usize>,
    index: Arc<Index>,
    feeds: Feeds,
    /// Sends other nodes the users who come and go.
    ephemeral_queue: EphemeralQueue,
}

/// The presence of one user at this node, and the presence that was last sent.
#[derive(Debug, Default)]
struct Here {
    /// The user's open sockets and Bayeux sessions at this node.
    sockets: usize,
    /// The runs of other nodes at which the user is online, and until when each is believed.
    elsewhere: Vec<(u64, Monotonic)>,
    /// Whether watchers were last told that the user is online.
    told: bool,
    /// Whether a task is telling watchers now; it checks for changes again before it ends. So news
    /// of one user are told one after another, and the last news told is true.
    is_telling: bool,
}

/// One open socket of a user, who counts as online; dropping it ends that.
#[derive(Debug)]
pub struct PresenceGuard {
    presence: Presence,
    user: UserId,
}

/// The conversations whose presence one socket watches; dropping it ends that.
#[derive(Debug)]
pub struct PresenceWatch {
    presence: Presence,
    watched: Vec<Conversation>,
}

impl Presence {
    /// Nobody is online yet.
    pub fn new(index: Arc<Index>, feeds: Feeds, ephemeral_queue: EphemeralQueue) -> Self {
        Self(Arc::new(Inner {
            here: DashMap::new(),
            asked: DashMap::new(),
            index,
            feeds,
            ephemeral_queue,
        }))
    }

    /// Counts one more socket of a user.
    pub fn enter(&self, user: UserId) -> PresenceGuard {
        {
            let mut here = self.0.here.entry(user).or_default();
            here.sockets += 1;
            if here.sockets == 1 {
                self.0.ephemeral_queue.tell(EphemeralUpdate::Here(user));
            }
        }
        self.announce(user);
        PresenceGuard { presence: self.clone(), user }
    }

    /// Makes a watch without conversations.
    pub fn watch(&self) -> PresenceWatch {
        PresenceWatch { presence: self.clone(), watched: Vec::new() }
    }

    /// Notifies watchers whether a user is online, if that has changed. Conversations are looked up
    /// on a thread that may block.
    fn announce(&self, user: UserId) {
        let inner = &self.0;
        if !inner.begins_telling(user) {
            return;
        }
        let inner = Arc::clone(inner);
        let tell = move || {
            while let Some(online) = inner.news_of(user) {
                inner.tell(user, online);
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(tell)),
            Err(_) => tell(),
        }
    }

    /// The other people of a conversation who are online; nobody in a large group. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn others(
        &self,
        user: UserId,
        conversation: Conversation,
    ) -> Result<Vec<UserId>, IndexFault> {
        let people = self.0.people(conversation)?;
        let is_online = |other: &UserId| self.0.here.get(other).is_some_and(|it| it.is_online());
        let is_here = |other: &UserId| *other != user && is_online(other);
        Ok(people.into_iter().filter(is_here).collect())
    }
}

impl Here {
    fn is_online(&self) -> bool {
        self.sockets > 0 || !self.elsewhere.is_empty()
    }
}

impl Inner {
    /// Whether the caller has to tell news of a user: there are some, and no other task is telling
    /// them.
    fn begins_telling(&self, user: UserId) -> bool {
        let dashmap::Entry::Occupied(mut entry) = self.here.entry(user) else { return false };
        let here = entry.get_mut();
        if here.is_telling {
            return false;
        }
        if self.asked.is_empty() {
            // Those who start to watch later look up who is online.
            here.told = here.is_online();
        }
        here.is_telling = here.told != here.is_online();
        let is_telling = here.is_telling;
        let is_gone = !here.is_online();
        if !is_telling && is_gone {
            entry.remove();
        }
        is_telling
    }

    /// Whether the user is online, if watchers were not told so yet; `None` ends the telling.
    fn news_of(&self, user: UserId) -> Option<bool> {
        let dashmap::Entry::Occupied(mut entry) = self.here.entry(user) else { return None };
        let here = entry.get_mut();
        let online = here.is_online();
        if here.told != online {
            here.told = online;
            return Some(online);
        }
        here.is_telling = false;
        if !online {
            entry.remove();
        }
        None
    }

    fn tell(&self, user: UserId, online: bool) {
        match self.company_of(user) {
            Ok(conversations) => {
                for conversation in conversations {
                    let frame = EncodedEphemeral::new(
                        conversation,
                        user,
                        EphemeralKind::Presence { online },
                    );
                    self.feeds.tell_ephemeral_event(&frame);
                }
            }
            Err(fault) => tracing::warn!(
                %fault,
                "reading the conversations of a user failed; their presence is not sent"
            ),
        }
    }

    /// The people of a conversation in which presence is told; nobody if it is not.
    fn people(&self, conversation: Conversation) -> Result<Vec<UserId>, IndexFault> {
        Ok(match conversation {
            Conversation::Group(id) => self.index.members_up_to(id, COMPANY)?.unwrap_or_default(),
            Conversation::Chat(pair) => match self.index.are_kept_apart(conversation)? {
                true => Vec::new(),
                false => vec![pair.low(), pair.high()],
            },
        })
    }

    /// The watched conversations in which this user's presence is told.
    fn company_of(&self, user: UserId) -> Result<Vec<Conversation>, IndexFault> {
        let seats = self.index.seats(user)?.into_iter().filter(|(_, seat)| seat.is_active());
        let groups = seats.map(|(group, _)| Conversation::from(group));
        let chats = self.index.chats(user)?.into_iter();
        let chats = chats.filter_map(|(other, _)| Pair::of(user, other).map(Conversation::from));
        let mut company = Vec::new();
        for conversation in groups.chain(chats).filter(|it| self.asked.contains_key(it)) {
            if !self.people(conversation)?.is_empty() {
                company.push(conversation);
            }
        }
        Ok(company)
    }
}

impl PresenceWatch {
    /// Watches these conversations too.
    pub fn add(&mut self, conversations: &[Conversation]) {
        for conversation in conversations {
            if !self.watched.contains(conversation) {
                add(&self.presence.0.asked, *conversation);
                self.watched.push(*conversation);
            }
        }
    }

    /// Stops watching these conversations.
    pub fn remove(&mut self, conversations: &[Conversation]) {
        for conversation in conversations {
            if let Some(place) = self.watched.iter().position(|it| it == conversation) {
                self.watched.swap_remove(place);
                take(&self.presence.0.asked, *conversation);
            }
        }
    }

    /// How many conversations are watched.
    pub fn len(&self) -> usize {
        self.watched.len()
    }

    /// Whether no conversation is watched.
    pub fn is_empty(&self) -> bool {
        self.watched.is_empty()
    }
}

impl Drop for PresenceWatch {
    fn drop(&mut self) {
        for conversation in &self.watched {
            take(&self.presence.0.asked, *conversation);
        }
    }
}

impl Drop for PresenceGuard {
    fn drop(&mut self) {
        if let Some(mut here) = self.presence.0.here.get_mut(&self.user) {
            here.sockets -= 1;
            if here.sockets == 0 {
                self.presence.0.ephemeral_queue.tell(EphemeralUpdate::Gone(self.user));
            }
        }
        self.presence.announce(self.user);
    }
}

fn add(counts: &DashMap<Conversation, usize>, key: Conversation) {
    *counts.entry(key).or_insert(0) += 1;
}

/// Subtracts one, and removes a count of zero.
fn take(counts: &DashMap<Conversation, usize>, key: Conversation) {
    let dashmap::Entry::Occupied(mut count) = counts.entry(key) else { return };
    *count.get_mut() -= 1;
    if *count.get() == 0 {
        count.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::GroupId;
    use index::indexer;
    use index::memory::MemoryRows;
    use journal::memory::MemoryJournal;

    const ANA: UserId = UserId::new(1);

    /// One task sends presence at a time, whatever changes meanwhile, and the last presence that it
    /// sends is true.
    #[test]
    fn presence_changes_of_a_user_are_sent_in_order() {
        let rows = Arc::new(MemoryRows::default());
        let opened = indexer::open(rows, Arc::new(MemoryJournal::new())).unwrap();
        let presence = Presence::new(opened.index, Feeds::default(), EphemeralQueue::default());
        let inner = &presence.0;
        let mut watch = presence.watch();
        watch.add(&[Conversation::Group(GroupId::new(7))]);
        let comes = |count: usize| inner.here.entry(ANA).or_default().sockets = count;
        comes(1);
        assert!(inner.begins_telling(ANA));
        assert_eq!(inner.news_of(ANA), Some(true));
        // While that is being told, she goes, comes and goes again.
        for sockets in [0, 1, 0] {
            comes(sockets);
            assert!(!inner.begins_telling(ANA), "somebody tells already");
        }
        assert_eq!((inner.news_of(ANA), inner.news_of(ANA)), (Some(false), None));
        assert!(inner.here.is_empty());
        drop(watch);
        comes(1);
        assert!(!inner.begins_telling(ANA), "nobody asked");
        comes(0);
        assert!(!inner.begins_telling(ANA) && inner.here.is_empty());
    }
}
