//! Chat contacts: the users who have a chat with somebody and are told when that user's public
//! profile changes.
//!
//! The room that decides a change looks the contacts up a moment before. Chats that began in
//! between are remembered here, on the journal's thread, which receives every commit in order. So
//! exactly those users are told whose chat stands before the change in the journal, as in a replay.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::audience::ChatContacts;
use domain::event::Origin;
use domain::ids::{Pair, StreamId, UserId};
use domain::time::Monotonic;
use journal::{Committed, Cursor};

/// Chats that are remembered: those that began between a look-up and its commit.
const REMEMBERED: usize = 4096;

/// The chats that began most recently.
#[derive(Debug, Default)]
pub(super) struct RecentChats {
    newest: VecDeque<(Monotonic, Pair)>,
    /// When the newest chat began that is no longer remembered.
    forgotten: Option<Monotonic>,
}

/// The events of a batch that change public profiles, each with the chat contacts who are told;
/// mostly there is none.
#[derive(Debug, Clone, Default)]
pub(super) struct ProfileUpdates(Option<Arc<[ProfileUpdate]>>);

type ProfileUpdate = (Cursor, Option<Arc<[UserId]>>);

impl ProfileUpdates {
    /// The users who receive an event beside its audience; `None` if they are unknown, so that
    /// anybody may be one.
    pub(super) fn chat_contacts(&self, commit: &Committed, at: Cursor) -> Option<&[UserId]> {
        if commit.origin == Origin::Read {
            return None;
        }
        let mut public_profiles = self.0.iter().flat_map(|public_profiles| public_profiles.iter());
        match public_profiles.find(|(cursor, _)| *cursor == at) {
            Some((_, chat_contacts)) => chat_contacts.as_deref(),
            None => Some(&[]),
        }
    }
}

impl RecentChats {
    /// Notes the chats that begin in a batch, and finds the events that change public profiles.
    pub(super) fn public_profiles(
        &mut self,
        batch: &[Arc<Committed>],
        now: impl Fn() -> Monotonic,
    ) -> ProfileUpdates {
        let mut found = Vec::new();
        for commit in batch {
            if let StreamId::Chat(pair) = commit.stream {
                self.hear(pair, commit, &now);
            } else if let StreamId::User(user) = commit.stream {
                for ((at, ..), entry) in commit.numbered().zip(&commit.entries) {
                    let known = entry.state.chat_contacts.iter();
                    found.extend(known.map(|known| (at, self.all(user, known))));
                }
            }
        }
        ProfileUpdates((!found.is_empty()).then(|| found.into()))
    }

    /// Notes the chat if it begins with this commit.
    fn hear(&mut self, pair: Pair, commit: &Committed, now: impl Fn() -> Monotonic) {
        let mut said = commit.entries.iter().filter_map(|entry| entry.event.fact.message());
        if said.all(|message| message.count != 1) {
            return;
        }
        if self.newest.len() >= REMEMBERED {
            self.forgotten = self.newest.pop_front().map(|(at, _)| at);
        }
        self.newest.push_back((now(), pair));
    }

    /// All chat contacts of a user; `None` if so many chats have begun since the look-up that some
    /// are forgotten.
    fn all(&self, user: UserId, known: &ChatContacts) -> Option<Arc<[UserId]>> {
        if self.forgotten.is_some_and(|at| at >= known.as_of) {
            return None;
        }
        let since = self.newest.iter().rev().take_while(|(at, _)| *at >= known.as_of);
        let others = since.filter_map(|(_, pair)| pair.other(user));
        let late: Vec<UserId> =
            others.filter(|other| known.users.binary_search(other).is_err()).collect();
        Some(match late.is_empty() {
            true => Arc::clone(&known.users),
            false => known.users.iter().copied().chain(late).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::chat::ChatFact;
    use domain::event::{Entry, Event, Fact};
    use domain::message::Message;
    use domain::time::Timestamp;
    use journal::{CommitId, StreamHead};

    const ANA: UserId = UserId::new(1);

    const fn at(millis: u64) -> Monotonic {
        Monotonic::from_millis(millis)
    }

    /// A commit with a message, which is number `count` of a chat.
    fn said(with: u64, count: u64) -> Arc<Committed> {
        let message = Message::silent_by(ANA, count, count);
        let fact = Fact::Chat(ChatFact::Posted(Arc::new(message)));
        Arc::new(Committed {
            stream: StreamId::Chat(Pair::of(ANA, UserId::new(with)).unwrap()),
            cursor: Cursor::new(count),
            before: StreamHead::default(),
            after: StreamHead::default(),
            id: CommitId(1),
            at: Timestamp::default(),
            entries: vec![Entry::stored(Arc::new(Event { at: Timestamp::default(), fact }))],
            origin: Origin::Here,
        })
    }

    fn known(users: &[u64], millis: u64) -> ChatContacts {
        let users = users.iter().map(|id| UserId::new(*id)).collect();
        ChatContacts { users, as_of: at(millis) }
    }

    fn all(beginnings: &RecentChats, known: &ChatContacts) -> Option<Vec<u64>> {
        let all = beginnings.all(ANA, known)?;
        Some(all.iter().map(|user| user.get()).collect())
    }

    #[test]
    fn new_chats_count_once_as_contacts() {
        let mut beginnings = RecentChats::default();
        for (with, count, millis) in [(2, 1, 5), (3, 1, 10), (4, 1, 11), (5, 2, 12)] {
            beginnings.public_profiles(&[said(with, count)], || at(millis));
        }
        assert_eq!(all(&beginnings, &known(&[3, 9], 10)), Some(vec![3, 9, 4]));
        assert_eq!(all(&beginnings, &known(&[9], 13)), Some(vec![9]));
        assert_eq!(beginnings.all(UserId::new(8), &known(&[], 0)).unwrap().len(), 0);
    }

    #[test]
    fn nobody_guesses_when_too_much_has_begun() {
        let mut beginnings = RecentChats::default();
        for millis in 1..=REMEMBERED as u64 + 1 {
            beginnings.public_profiles(&[said(millis + 1, 1)], || at(millis));
        }
        assert_eq!(all(&beginnings, &known(&[], 1)), None);
        assert_eq!(all(&beginnings, &known(&[], 2)).unwrap().len(), REMEMBERED);
    }
}
