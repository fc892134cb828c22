//! Presence: who has a socket open now, told to those who asked for a conversation.
//!
//! Off for groups over 200 members, where it would be noise. Nothing is looked up while
//! nobody has asked, so a storm of reconnecting sockets costs nothing here.

use std::sync::Arc;

use dashmap::DashMap;

use crate::domain::ids::{Conversation, Pair, StreamId, UserId};
use crate::index::{Index, IndexFault};
use crate::subscribers::asides::Aside;
use crate::subscribers::live_feed::Feeds;
use crate::wire::live;

/// Members of a group in which presence is told, at most.
pub const COMPANY: usize = 200;

/// Who is here, and what was asked for, over all threads.
#[derive(Debug, Clone)]
pub struct Presence(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    here: DashMap<UserId, usize>,
    asked: DashMap<Conversation, usize>,
    index: Arc<Index>,
    feeds: Feeds,
}

/// Somebody's being here by one socket; it ends when this is dropped.
#[derive(Debug)]
pub struct Being {
    presence: Presence,
    user: UserId,
}

/// One socket's wish to hear who is here, in these conversations.
#[derive(Debug)]
pub struct Watch {
    presence: Presence,
    watched: Vec<Conversation>,
}

impl Presence {
    /// Nobody yet.
    pub fn new(index: Arc<Index>, feeds: Feeds) -> Self {
        Self(Arc::new(Inner { here: DashMap::new(), asked: DashMap::new(), index, feeds }))
    }

    /// Somebody has one more socket.
    pub fn enter(&self, user: UserId) -> Being {
        let is_first = add(&self.0.here, user);
        if is_first {
            self.announce(user, true);
        }
        Being { presence: self.clone(), user }
    }

    /// Begins to watch nothing yet.
    pub fn watch(&self) -> Watch {
        Watch { presence: self.clone(), watched: Vec::new() }
    }

    /// Tells those who asked, in every conversation of this user. Looks them up on a
    /// thread that may wait.
    fn announce(&self, user: UserId, online: bool) {
        if self.0.asked.is_empty() {
            return;
        }
        let inner = Arc::clone(&self.0);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn_blocking(move || match inner.company_of(user) {
            Ok(conversations) => {
                for conversation in conversations {
                    inner.feeds.tell_aside(&presence(conversation, user, online));
                }
            }
            Err(fault) => tracing::warn!(%fault, "presence is not told"),
        });
    }

    /// Who else is here, of the people in a conversation; nobody in a large group. Blocks
    /// on the disk.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn others(
        &self,
        user: UserId,
        conversation: Conversation,
    ) -> Result<Vec<UserId>, IndexFault> {
        let people = self.0.people(conversation)?;
        let is_here = |other: &UserId| *other != user && self.0.here.contains_key(other);
        Ok(people.into_iter().filter(is_here).collect())
    }
}

/// The frame that says so, for those who asked.
pub(super) fn presence(conversation: Conversation, user: UserId, online: bool) -> Aside {
    let conv = StreamId::from(conversation).to_string();
    Aside { conversation, about: user, frame: live::presence(&conv, user, online) }
}

impl Inner {
    /// The people of a conversation in which presence is told.
    fn people(&self, conversation: Conversation) -> Result<Vec<UserId>, IndexFault> {
        Ok(match conversation {
            Conversation::Group(id) => {
                let members = self.index.members(id)?;
                let is_small = members.len() <= COMPANY;
                members.into_iter().filter(|_| is_small).map(|it| it.user_id).collect()
            }
            Conversation::Chat(pair) => match self.index.are_apart(pair.low(), conversation)? {
                true => Vec::new(),
                false => vec![pair.low(), pair.high()],
            },
        })
    }

    /// The conversations that somebody watches and this user is in.
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

impl Watch {
    /// Watches these too.
    pub fn add(&mut self, conversations: &[Conversation]) {
        for conversation in conversations {
            if !self.watched.contains(conversation) {
                add(&self.presence.0.asked, *conversation);
                self.watched.push(*conversation);
            }
        }
    }

    /// Watches these no more.
    pub fn remove(&mut self, conversations: &[Conversation]) {
        for conversation in conversations {
            if let Some(place) = self.watched.iter().position(|it| it == conversation) {
                self.watched.swap_remove(place);
                take(&self.presence.0.asked, *conversation);
            }
        }
    }

    /// How many are watched.
    pub fn len(&self) -> usize {
        self.watched.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.watched.is_empty()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for conversation in &self.watched {
            take(&self.presence.0.asked, *conversation);
        }
    }
}

impl Drop for Being {
    fn drop(&mut self) {
        if take(&self.presence.0.here, self.user) {
            self.presence.announce(self.user, false);
        }
    }
}

/// Counts one more; whether it is the first.
fn add<K: Eq + std::hash::Hash>(counts: &DashMap<K, usize>, key: K) -> bool {
    let mut count = counts.entry(key).or_insert(0);
    *count += 1;
    *count == 1
}

/// Counts one less; whether it was the last.
fn take<K: Eq + std::hash::Hash>(counts: &DashMap<K, usize>, key: K) -> bool {
    let dashmap::Entry::Occupied(mut count) = counts.entry(key) else { return false };
    *count.get_mut() -= 1;
    let was_last = *count.get() == 0;
    if was_last {
        count.remove();
    }
    was_last
}
