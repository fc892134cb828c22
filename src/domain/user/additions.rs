//! Adding people to groups, as the adder's own room limits it: how many strangers a user may add,
//! and into how many groups the same person.
//!
//! Counted on the monotonic clock and kept in memory only: a restart resets the counts.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::ids::UserId;
use crate::time::Monotonic;
use crate::user::Pace;

/// A person who is to be added to a group that they are not in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Person {
    /// A user who shares a group with the adder, or has a chat with them.
    Known(UserId),
    /// A user who shares no group and has no chat with the adder.
    Stranger(UserId),
    /// The owner of an address or a number that no account has.
    Unknown,
}

impl Person {
    /// The user's id, if the person has an account.
    const fn user(self) -> Option<UserId> {
        match self {
            Self::Known(user) | Self::Stranger(user) => Some(user),
            Self::Unknown => None,
        }
    }
}

/// A user who may add the people of one request. Only [`Additions`] makes one, so no request goes
/// around the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Adder(UserId);

impl Adder {
    /// The user's id.
    pub const fn user(self) -> UserId {
        self.0
    }
}

/// Why people may not be added now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AddingRefusal {
    /// The adder has no account.
    #[error("unauthorized")]
    Unknown,
    /// Too many of the people share no group and no chat with the adder.
    #[error(
        "you may add at most {most} people with whom you share no group and no chat in {seconds} \
         seconds; others can join with the share link"
    )]
    Strangers {
        /// How many may be added in that time.
        most: usize,
        /// The time in seconds.
        seconds: u64,
        /// Milliseconds until one more may be added.
        wait_millis: u64,
    },
    /// The adder put one of the people into too many groups.
    #[error("you may add the same person to at most {most} groups in {seconds} seconds")]
    Groups {
        /// How many groups in that time.
        most: usize,
        /// The time in seconds.
        seconds: u64,
        /// Milliseconds until the person may be added again.
        wait_millis: u64,
    },
}

/// Whom one user added lately. Never holds more strangers than the limit allows.
#[derive(Debug, Clone, Default)]
pub struct Additions {
    strangers: VecDeque<(Monotonic, UserId)>,
    /// For each person, when counting began, and into how many groups they were put since.
    groups: BTreeMap<UserId, (Monotonic, usize)>,
    /// Until when nobody but acquaintances may be added, since one request had too many strangers.
    closed_until: Option<Monotonic>,
}

impl Additions {
    /// Counts the people of one request.
    ///
    /// Once the strangers are used up, addresses and numbers without an account are refused as
    /// well, and a request with too many strangers uses them up: otherwise refusals would reveal
    /// which addresses and numbers have an account.
    ///
    /// # Errors
    /// If there are too many strangers, or one person was put into too many groups.
    pub fn admit(
        &mut self,
        adder: UserId,
        people: &[Person],
        pace: Pace,
        now: Monotonic,
    ) -> Result<Adder, AddingRefusal> {
        self.forget_old(pace, now);
        let most = pace.most;
        let seconds = pace.millis / 1000;
        let strangers = self.new_strangers(people);
        let needs_room = !strangers.is_empty() || people.contains(&Person::Unknown);
        if self.strangers.len() + strangers.len() > most {
            self.closed_until = Some(now.plus_millis(pace.millis));
        }
        if let Some(until) = self.full_until(pace).filter(|_| needs_room) {
            let wait_millis = until.millis_since(now);
            return Err(AddingRefusal::Strangers { most, seconds, wait_millis });
        }
        for user in people.iter().filter_map(|person| person.user()) {
            if let Some((began, count)) = self.groups.get(&user)
                && *count >= most
            {
                let wait_millis = began.plus_millis(pace.millis).millis_since(now);
                return Err(AddingRefusal::Groups { most, seconds, wait_millis });
            }
        }
        self.strangers.extend(strangers.into_iter().map(|user| (now, user)));
        for user in people.iter().filter_map(|person| person.user()) {
            self.groups.entry(user).or_insert((now, 0)).1 += 1;
        }
        Ok(Adder(adder))
    }

    /// Lets a user add people without counting them, on a server without rate limits.
    pub const fn admit_uncounted(adder: UserId) -> Adder {
        Adder(adder)
    }

    /// The strangers among these people that are not counted yet, each once.
    fn new_strangers(&self, people: &[Person]) -> Vec<UserId> {
        let mut strangers = Vec::new();
        for person in people {
            if let Person::Stranger(user) = person
                && !strangers.contains(user)
                && !self.strangers.iter().any(|(_, counted)| counted == user)
            {
                strangers.push(*user);
            }
        }
        strangers
    }

    /// Until when no stranger may be added; `None` if one may be added now.
    fn full_until(&self, pace: Pace) -> Option<Monotonic> {
        let oldest = self.strangers.front().filter(|_| self.strangers.len() >= pace.most);
        self.closed_until.or_else(|| oldest.map(|(at, _)| at.plus_millis(pace.millis)))
    }

    /// Whether there is nothing to remember.
    pub fn is_calm(&mut self, pace: Pace, now: Monotonic) -> bool {
        self.forget_old(pace, now);
        self.strangers.is_empty() && self.groups.is_empty() && self.closed_until.is_none()
    }

    fn forget_old(&mut self, pace: Pace, now: Monotonic) {
        let is_over = |at: &Monotonic| now.millis_since(*at) >= pace.millis;
        while self.strangers.front().is_some_and(|(at, _)| is_over(at)) {
            self.strangers.pop_front();
        }
        self.groups.retain(|_, (began, _)| !is_over(began));
        self.closed_until = self.closed_until.filter(|until| now < *until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { most: 3, millis: 600_000 };
    const ANA: UserId = UserId::new(1);

    const fn at(millis: u64) -> Monotonic {
        Monotonic::from_millis(millis)
    }

    const fn stranger(id: u64) -> Person {
        Person::Stranger(UserId::new(id))
    }

    const fn known(id: u64) -> Person {
        Person::Known(UserId::new(id))
    }

    fn adds(additions: &mut Additions, people: &[Person], now: u64) -> Result<(), AddingRefusal> {
        additions.admit(ANA, people, PACE, at(now)).map(drop)
    }

    fn too_many(wait_millis: u64) -> Result<(), AddingRefusal> {
        Err(AddingRefusal::Strangers { most: 3, seconds: 600, wait_millis })
    }

    #[test]
    fn excess_stranger_blocks_further_strangers() {
        let mut additions = Additions::default();
        let four = [stranger(2), stranger(3), stranger(4), stranger(5)];
        assert_eq!(adds(&mut additions, &four, 0), too_many(600_000));
        assert_eq!(adds(&mut additions, &four[..1], 1), too_many(599_999));
        assert_eq!(adds(&mut additions, &[Person::Unknown], 1), too_many(599_999));
        assert_eq!(adds(&mut additions, &[known(6)], 1), Ok(()));
        assert_eq!(adds(&mut additions, &four[..1], 600_000), Ok(()));
    }

    #[test]
    fn unknown_addresses_need_free_budget_but_use_none() {
        let mut additions = Additions::default();
        assert_eq!(adds(&mut additions, &[Person::Unknown; 100], 0), Ok(()));
        let three = [stranger(2), Person::Unknown, stranger(3), stranger(4), Person::Unknown];
        assert_eq!(adds(&mut additions, &three, 100), Ok(()));
        assert_eq!(adds(&mut additions, &[Person::Unknown], 200), too_many(599_900));
        assert_eq!(adds(&mut additions, &[Person::Unknown], 600_100), Ok(()));
    }

    #[test]
    fn a_repeated_stranger_counts_once() {
        let mut additions = Additions::default();
        let twice = [stranger(2), stranger(2), stranger(3), stranger(4)];
        assert_eq!(adds(&mut additions, &twice, 0), Ok(()));
        assert_eq!(adds(&mut additions, &[known(5), stranger(3)], 1), Ok(()));
        assert_eq!(adds(&mut additions, &[stranger(6)], 2), too_many(600_000));
    }

    #[test]
    fn adding_one_person_to_many_groups_is_limited() {
        let mut additions = Additions::default();
        assert_eq!(adds(&mut additions, &[stranger(2)], 0), Ok(()));
        for now in 1..3 {
            assert_eq!(adds(&mut additions, &[known(2)], now), Ok(()));
        }
        let refusal = AddingRefusal::Groups { most: 3, seconds: 600, wait_millis: 599_000 };
        assert_eq!(adds(&mut additions, &[known(2)], 1000), Err(refusal));
        assert_eq!(adds(&mut additions, &[known(3)], 1000), Ok(()));
        assert_eq!(adds(&mut additions, &[known(2)], 600_000), Ok(()));
    }

    #[test]
    fn additions_are_remembered_for_their_time() {
        let mut additions = Additions::default();
        adds(&mut additions, &[known(2), stranger(3)], 0).unwrap();
        assert!(!additions.is_calm(PACE, at(599_999)));
        assert!(additions.is_calm(PACE, at(600_000)));
    }
}
