//! Attendance: the users of large audiences whom a follower knows, such as those with readers on a
//! thread. The follower passes an event to these alone, however many members the group has.

use std::collections::{BTreeMap, HashMap};

use domain::audience::Audience;
use domain::ids::{StreamId, UserId};

/// The largest audience, in users, that is not noted: to look at each user costs little.
const SMALL: usize = 64;
/// Streams whose audiences are noted. The one that was not used for the longest time is dropped.
const NOTED: usize = 128;

/// Notes the known users of the audiences that were used last.
#[derive(Debug, Default)]
pub(super) struct Attendance {
    noted: BTreeMap<StreamId, Noted>,
    /// How often noted audiences were used.
    uses: u64,
}

/// A large audience.
#[derive(Debug)]
struct Noted {
    audience: Audience,
    /// The known users, sorted.
    known: Vec<UserId>,
    /// When it was last used, counted in uses.
    used: u64,
}

impl Attendance {
    /// Returns the users of a stream's audience that are keys of `all`. For a small audience, these
    /// are all its users. `all` must have no key that was not announced with [`Self::arrives`].
    pub(super) fn of<'a, T>(
        &'a mut self,
        stream: StreamId,
        audience: &'a Audience,
        all: &HashMap<UserId, T>,
    ) -> &'a [UserId] {
        if audience.users().len() <= SMALL {
            return audience.users();
        }
        self.uses += 1;
        let used = self.uses;
        let is_noted = self.noted.get(&stream).is_some_and(|it| it.audience.is_same(audience));
        if !is_noted {
            self.noted.remove(&stream);
            self.make_space();
        }
        let noted = self.noted.entry(stream).or_insert_with(|| {
            let (audience, known) = (audience.clone(), known(audience, all));
            Noted { audience, known, used }
        });
        noted.used = used;
        &noted.known
    }

    /// Notes that a user is known from now on.
    pub(super) fn arrives(&mut self, user: UserId) {
        for noted in self.noted.values_mut().filter(|it| it.audience.has(user)) {
            if let Err(place) = noted.known.binary_search(&user) {
                noted.known.insert(place, user);
            }
        }
    }

    /// Notes that a user is no longer known.
    pub(super) fn leaves(&mut self, user: UserId) {
        for noted in self.noted.values_mut() {
            if let Ok(place) = noted.known.binary_search(&user) {
                noted.known.remove(place);
            }
        }
    }

    fn make_space(&mut self) {
        let oldest = self.noted.iter().min_by_key(|(_, noted)| noted.used).map(|(key, _)| *key);
        if let Some(oldest) = oldest.filter(|_| self.noted.len() >= NOTED) {
            self.noted.remove(&oldest);
        }
    }
}

/// The users of an audience that are keys of `all`, sorted.
fn known<T>(audience: &Audience, all: &HashMap<UserId, T>) -> Vec<UserId> {
    let users = audience.users();
    if users.len() < all.len() {
        return users.iter().copied().filter(|user| all.contains_key(user)).collect();
    }
    let mut known: Vec<UserId> = all.keys().copied().filter(|it| audience.has(*it)).collect();
    known.sort_unstable();
    known
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use domain::ids::GroupId;

    fn audience(users: impl IntoIterator<Item = u64>) -> Audience {
        Audience::of(users.into_iter().map(UserId::new))
    }

    fn stream(group: u64) -> StreamId {
        StreamId::Group(GroupId::new(group))
    }

    #[test]
    fn large_audience_costs_its_known_users() {
        let mut attendance = Attendance::default();
        let crowd = audience(0..5000);
        let mut all: HashMap<UserId, ()> = (4990..9000).map(|it| (UserId::new(it), ())).collect();
        assert_eq!(attendance.of(stream(1), &crowd, &all).len(), 10);
        all.insert(UserId::new(7), ());
        attendance.arrives(UserId::new(7));
        assert_eq!(attendance.of(stream(1), &crowd, &all)[0], UserId::new(7));
        all.remove(&UserId::new(4990));
        attendance.leaves(UserId::new(4990));
        assert_eq!(attendance.of(stream(1), &crowd, &all).len(), 10);
    }

    #[test]
    fn attendance_is_the_connected_audience() {
        let mut random = Rng::with_seed(7);
        let mut attendance = Attendance::default();
        let mut all = HashMap::new();
        let groups = NOTED as u64 + 5;
        let mut audiences: Vec<Audience> = (0..groups).map(|_| audience(0..100)).collect();
        for _ in 0..20_000 {
            let user = UserId::new(random.u64(0..200));
            let group = random.u64(0..groups);
            let place = usize::try_from(group).unwrap();
            match random.u8(0..10) {
                0..3 => {
                    if all.insert(user, ()).is_none() {
                        attendance.arrives(user);
                    }
                }
                3..6 => {
                    if all.remove(&user).is_some() {
                        attendance.leaves(user);
                    }
                }
                6 => {
                    let first = random.u64(0..50);
                    let most = random.u64(0..150);
                    audiences[place] = audience(first..first + most);
                }
                _ => {
                    let audience = &audiences[place];
                    let mut found = attendance.of(stream(group), audience, &all).to_vec();
                    found.retain(|user| all.contains_key(user));
                    let mut expected = audience.users().to_vec();
                    expected.retain(|user| all.contains_key(user));
                    assert_eq!(found, expected);
                    assert!(attendance.noted.len() <= NOTED);
                }
            }
        }
    }
}
