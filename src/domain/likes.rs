//! Likes: who likes a message, and when giving or taking back a like changes anything.
//!
//! Likes are kept beside the messages, one small row each, so that a burst of likes rewrites no
//! message, and liking a message from years ago costs the same as liking the newest one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::group::permissions::Denied;
use crate::ids::{MessageId, UserId};
use crate::limits::{TOLD_LIKERS, TOLD_REACTIONS};
use crate::message::Author;
use crate::reaction::Reaction;
use crate::time::Timestamp;

/// A like that is given or taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikeChange {
    /// The message.
    pub message: MessageId,
    /// The author of the message, for lists of what others liked.
    pub author: Author,
    /// The user who likes the message.
    pub by: UserId,
    /// When the like was first given, also if it is taken back, so that its row is found.
    pub liked_at: Timestamp,
    /// The reaction of the like.
    #[serde(default, skip_serializing_if = "Reaction::is_heart")]
    pub reaction: Reaction,
}

/// The like of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Like {
    /// When the like was first given; changing the reaction does not change it.
    pub at: Timestamp,
    /// The reaction of the like.
    pub reaction: Reaction,
}

/// The likes of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Likes {
    /// The message.
    pub message: MessageId,
    /// The author of the message.
    pub author: Author,
    /// The likes, by user.
    pub by: LikesByUser,
}

/// The likes of one message by user, and how often each reaction was given: events about a message
/// with thousands of likes need only the numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LikesByUser {
    likes: BTreeMap<UserId, Like>,
    reactions: HashMap<Reaction, Given>,
}

/// How often a reaction was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Given {
    count: usize,
    /// The earliest of these likes; the smaller id first among likes of one time.
    first: (Timestamp, UserId),
}

impl LikesByUser {
    /// The like of a user.
    pub fn get(&self, user: UserId) -> Option<&Like> {
        self.likes.get(&user)
    }

    /// The number of likes.
    pub fn len(&self) -> usize {
        self.likes.len()
    }

    /// Whether nobody likes the message.
    pub fn is_empty(&self) -> bool {
        self.likes.is_empty()
    }

    /// Adds the like of a user, in place of the one before.
    pub fn insert(&mut self, user: UserId, like: Like) {
        self.remove(user);
        let given = (like.at, user);
        let of_reaction = self.reactions.entry(like.reaction.clone());
        let known = of_reaction.or_insert(Given { count: 0, first: given });
        known.count += 1;
        known.first = given.min(known.first);
        self.likes.insert(user, like);
    }

    /// Removes the like of a user, if there is one.
    pub fn remove(&mut self, user: UserId) {
        let Some(Like { at, reaction }) = self.likes.remove(&user) else { return };
        let Some(known) = self.reactions.get_mut(&reaction) else { return };
        known.count -= 1;
        if known.count == 0 {
            self.reactions.remove(&reaction);
        } else if known.first == (at, user) {
            let others = self.likes.iter().filter(|(_, like)| like.reaction == reaction);
            if let Some(first) = others.map(|(user, like)| (like.at, *user)).min() {
                known.first = first;
            }
        }
    }

    /// Applies a change to the likes.
    pub fn apply(&mut self, change: &LikeChange, is_given: bool) {
        if is_given {
            self.insert(change.by, change.into());
        } else {
            self.remove(change.by);
        }
    }

    /// The users who like the message, earliest like first.
    pub fn likers(&self) -> Likers {
        let mut likers: Vec<(&UserId, &Like)> = self.likes.iter().collect();
        likers.sort_unstable_by_key(|(user, like)| (like.at, **user));
        Likers(likers.into_iter().map(|(user, like)| (*user, like.reaction.clone())).collect())
    }

    fn tally(&self) -> LikeTally {
        let mut reactions: Vec<_> = self.reactions.iter().collect();
        reactions.sort_unstable_by_key(|(_, given)| (Reverse(given.count), given.first));
        reactions.truncate(TOLD_REACTIONS);
        reactions.sort_unstable_by_key(|(_, given)| given.first);
        let counted = |(reaction, given): (&Reaction, &Given)| (reaction.clone(), given.count);
        LikeTally {
            count: self.likes.len(),
            reactions: reactions.into_iter().map(counted).collect(),
        }
    }
}

impl FromIterator<(UserId, Like)> for LikesByUser {
    fn from_iter<I: IntoIterator<Item = (UserId, Like)>>(likes: I) -> Self {
        let mut by_user = Self::default();
        likes.into_iter().for_each(|(user, like)| by_user.insert(user, like));
        by_user
    }
}

impl Likes {
    /// Gives the user's like with this reaction; `None` if the user already likes the message with it.
    /// Another reaction replaces the one before.
    pub fn give(&self, by: UserId, reaction: Reaction, now: Timestamp) -> Option<LikeChange> {
        match self.by.get(by) {
            Some(known) if known.reaction == reaction => None,
            known => Some(self.change(by, known.map_or(now, |known| known.at), reaction)),
        }
    }

    /// Takes back the user's like; `None` if there is none.
    pub fn take_back(&self, by: UserId) -> Option<LikeChange> {
        self.by.get(by).map(|like| self.change(by, like.at, like.reaction.clone()))
    }

    /// The users who like the message, earliest like first.
    pub fn likers(&self) -> Likers {
        self.by.likers()
    }

    /// The users who like the message as events show them: named if they are at most
    /// [`TOLD_LIKERS`], else counted.
    pub fn told(&self) -> ToldLikers {
        match self.by.len() {
            0..=TOLD_LIKERS => ToldLikers::Named(self.likers()),
            _ => ToldLikers::Counted(self.by.tally()),
        }
    }

    fn change(&self, by: UserId, liked_at: Timestamp, reaction: Reaction) -> LikeChange {
        LikeChange { message: self.message, author: self.author.clone(), by, liked_at, reaction }
    }
}

impl From<&LikeChange> for Like {
    fn from(change: &LikeChange) -> Self {
        Self { at: change.liked_at, reaction: change.reaction.clone() }
    }
}

/// The users who like a message with their reactions, earliest like first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Likers(Vec<(UserId, Reaction)>);

impl Likers {
    /// Nobody.
    pub const NOBODY: &'static Self = &Self(Vec::new());

    /// The ids of the users.
    pub fn ids(&self) -> impl Iterator<Item = UserId> {
        self.0.iter().map(|(user, _)| *user)
    }

    /// The users who gave this reaction.
    pub fn with(&self, reaction: &Reaction) -> impl Iterator<Item = UserId> {
        self.0.iter().filter(move |(_, known)| known == reaction).map(|(user, _)| *user)
    }

    /// Each reaction with the users who gave it, in the order in which the reactions were first given.
    pub fn by_reaction(&self) -> Vec<(&Reaction, Vec<UserId>)> {
        let mut reactions: Vec<(&Reaction, Vec<UserId>)> = Vec::new();
        let mut places: HashMap<&Reaction, usize> = HashMap::new();
        for (user, reaction) in &self.0 {
            let place = *places.entry(reaction).or_insert(reactions.len());
            match reactions.get_mut(place) {
                Some((_, users)) => users.push(*user),
                None => reactions.push((reaction, vec![*user])),
            }
        }
        reactions
    }
}

/// The users who like a message, as events show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToldLikers {
    /// At most [`TOLD_LIKERS`] users, named.
    Named(Likers),
    /// More users, counted.
    Counted(LikeTally),
}

impl Default for ToldLikers {
    /// Nobody.
    fn default() -> Self {
        Self::Named(Likers::default())
    }
}

/// The number of likes of a message, and of each reaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikeTally {
    /// The number of users who like the message.
    pub count: usize,
    /// The reactions that most users gave, at most [`TOLD_REACTIONS`], with the numbers of these
    /// users; in the order in which the reactions were first given.
    pub reactions: Vec<(Reaction, usize)>,
}

/// Why a like was not given or taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum LikeRefusal {
    /// The caller is not in the conversation, or it does not exist.
    #[error("there is no such conversation")]
    NotAMember,
    /// The conversation has no such message.
    #[error("there is no such message")]
    NoMessage,
    /// The message was deleted.
    #[error("this message was deleted")]
    Deleted,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likes(by: &[(u64, u64)]) -> Likes {
        let like = |at| Like { at: Timestamp::from_millis(at), reaction: Reaction::default() };
        let by = by.iter().map(|(user, at)| (UserId::new(*user), like(*at)));
        Likes { message: MessageId::new(1), author: Author::System, by: by.collect() }
    }

    fn fire() -> Reaction {
        Reaction::emoji("🔥").unwrap()
    }

    fn heart() -> Reaction {
        Reaction::default()
    }

    #[test]
    fn liking_twice_changes_nothing() {
        let likes = likes(&[(7, 100)]);
        assert_eq!(likes.give(UserId::new(7), heart(), Timestamp::from_millis(200)), None);
        let second = likes.give(UserId::new(8), heart(), Timestamp::from_millis(200)).unwrap();
        assert_eq!((second.by, second.liked_at.millis()), (UserId::new(8), 200));
    }

    #[test]
    fn another_reaction_takes_the_place_of_the_one_before() {
        let mut likes = likes(&[(7, 100), (8, 150)]);
        let other = likes.give(UserId::new(7), fire(), Timestamp::from_millis(200)).unwrap();
        assert_eq!((other.liked_at.millis(), &other.reaction), (100, &fire()));
        likes.by.apply(&other, true);
        let likers = likes.likers();
        assert_eq!(likers.ids().map(UserId::get).collect::<Vec<_>>(), [7, 8]);
        let seven = vec![UserId::new(7)];
        let eight = vec![UserId::new(8)];
        assert_eq!(likers.by_reaction(), [(&fire(), seven), (&heart(), eight)]);
        assert_eq!(likes.take_back(UserId::new(7)).unwrap().reaction, fire());
    }

    #[test]
    fn events_name_a_hundred_likers_and_count_more() {
        let given = |number| likes(&(1..=number).map(|user| (user, user)).collect::<Vec<_>>());
        let few = given(TOLD_LIKERS as u64);
        assert_eq!(few.told(), ToldLikers::Named(few.likers()));
        let mut many = given(TOLD_LIKERS as u64 + 1);
        // The earliest like has the newest reaction, so that reaction comes first.
        let first = many.give(UserId::new(1), fire(), Timestamp::from_millis(999)).unwrap();
        many.by.apply(&first, true);
        let reactions = vec![(fire(), 1), (heart(), TOLD_LIKERS)];
        let tally = LikeTally { count: TOLD_LIKERS + 1, reactions };
        assert_eq!(many.told(), ToldLikers::Counted(tally));
        let last = many.take_back(UserId::new(7)).unwrap();
        many.by.apply(&last, false);
        assert_eq!(many.told(), ToldLikers::Named(many.likers()));
    }

    #[test]
    fn events_count_the_reactions_that_most_users_gave() {
        let picture = |pack_index| Reaction::Picture { pack_id: 1, pack_index };
        let mut likes = likes(&[]);
        for user in 0..1000 {
            // Each picture is given once, and every fifth user gives one and the same.
            let index = if user % 5 == 4 { 0 } else { user };
            let now = Timestamp::from_millis(2000 - u64::try_from(user).unwrap());
            let by = UserId::new(u64::try_from(user + 1).unwrap());
            let change = likes.give(by, picture(index), now).unwrap();
            likes.by.apply(&change, true);
        }
        let ToldLikers::Counted(tally) = likes.told() else { panic!("1,000 users are named") };
        assert_eq!((tally.count, tally.reactions.len()), (1000, TOLD_REACTIONS));
        assert!(tally.reactions.contains(&(picture(0), 201)), "{tally:?}");
        // Of those that were given once, the earliest.
        assert!(tally.reactions.contains(&(picture(998), 1)), "{tally:?}");
    }

    #[test]
    fn counts_of_reactions_follow_each_change() {
        let reactions = [heart(), fire(), Reaction::emoji("👍").unwrap()];
        let mut by = LikesByUser::default();
        for step in 0..5000_u64 {
            // Few users and times, so that every like is replaced and removed, and times are equal.
            let user = UserId::new(step * 7 % 31);
            let at = Timestamp::from_millis(step * 5 % 13);
            if step % 3 == 0 {
                by.remove(user);
            } else {
                let reaction = reactions[(step * 11 % 17 % 3) as usize].clone();
                by.insert(user, Like { at, reaction });
            }
            let again: LikesByUser = by.likes.clone().into_iter().collect();
            assert_eq!(by, again, "after step {step}");
        }
        assert!(!by.is_empty());
    }

    #[test]
    fn taking_back_needs_a_like_and_names_its_time() {
        let likes = likes(&[(7, 100)]);
        assert_eq!(likes.take_back(UserId::new(8)), None);
        assert_eq!(likes.take_back(UserId::new(7)).unwrap().liked_at.millis(), 100);
    }

    #[test]
    fn the_earliest_like_comes_first() {
        let likes = likes(&[(7, 300), (8, 100), (9, 200)]);
        let ids: Vec<u64> = likes.likers().ids().map(UserId::get).collect();
        assert_eq!(ids, [8, 9, 7]);
    }
}
