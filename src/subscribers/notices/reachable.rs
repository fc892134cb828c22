//! The users who can be reached, and the devices that each application registered for them: when an
//! application ends, only its own devices are removed.

use std::collections::{HashMap, HashSet};

use crate::attendance::Attendance;
use crate::notices::reach::{DeviceClients, Reach};
use domain::audience::Audience;
use domain::ids::{ClientId, StreamId, TokenId, UserId};
use domain::user::{Device, TokenRecord, UserFact};

/// How each user is reached. A user who was reached once stays known: that costs little, and they
/// may be reachable again.
#[derive(Debug, Default)]
pub(super) struct Reachable {
    users: HashMap<UserId, Reach>,
    /// The known users, by group.
    attendance: Attendance,
    /// For each application, the tokens with which it registered devices.
    applications: HashMap<ClientId, HashSet<(UserId, TokenId)>>,
}

impl Reachable {
    /// Notes how a user is reached, and by which applications; `None` if there is no such account.
    pub(super) fn learn(&mut self, user: UserId, known: Option<(Reach, DeviceClients)>) {
        let Some((reach, clients)) = known else {
            self.users.remove(&user);
            self.attendance.leaves(user);
            return;
        };
        for (token, client) in clients {
            self.applications.entry(client).or_default().insert((user, token));
        }
        self.attendance.arrives(user);
        self.users.insert(user, reach);
    }

    /// Notes which application registered devices with a token. `record` is `None` if the token is
    /// gone, and its devices with it.
    pub(super) fn learn_application(
        &mut self,
        user: UserId,
        token: TokenId,
        record: Option<&TokenRecord>,
    ) {
        let Some(record) = record else { return self.end_token(user, token) };
        if let Some(client) = record.client {
            self.applications.entry(client).or_default().insert((user, token));
        }
    }

    /// Notes users about whom nothing is known yet.
    pub(super) fn expect(&mut self, users: impl IntoIterator<Item = UserId>) {
        for user in users {
            self.attendance.arrives(user);
            self.users.entry(user).or_default();
        }
    }

    /// Whether nobody can be reached.
    pub(super) fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    /// All users.
    pub(super) fn users(&self) -> Vec<UserId> {
        self.users.keys().copied().collect()
    }

    /// The users of a stream's audience who can be reached, or once could.
    pub(super) fn among(&mut self, stream: StreamId, audience: &Audience) -> Vec<UserId> {
        let users = self.attendance.of(stream, audience, &self.users).iter().copied();
        users.filter(|user| self.users.contains_key(user)).collect()
    }

    /// How a user is reached, if that is known.
    pub(super) fn get(&self, user: UserId) -> Option<&Reach> {
        self.users.get(&user)
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, user: UserId) -> Option<&mut Reach> {
        self.users.get_mut(&user)
    }

    /// Applies a fact about a user.
    pub(super) fn apply(&mut self, user: UserId, fact: &UserFact) {
        if let UserFact::ApplicationsRemoved { clients } = fact {
            clients.iter().for_each(|client| self.end(*client));
        }
        if let Some(reach) = self.users.get_mut(&user) {
            reach.apply(fact);
        }
    }

    /// Removes the devices of an application that ended.
    fn end(&mut self, client: ClientId) {
        for (user, token) in self.applications.remove(&client).into_iter().flatten() {
            self.end_token(user, token);
        }
    }

    fn end_token(&mut self, user: UserId, token: TokenId) {
        if let Some(reach) = self.users.get_mut(&user) {
            reach.devices.retain(|device: &Device| device.token != token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::GroupId;
    use domain::time::Timestamp;

    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);

    fn device(id: &str, token: u64) -> Device {
        let id = id.to_owned();
        let endpoint = "https://push.example.org/1".to_owned();
        let key = Vec::new();
        let secret = Vec::new();
        let since = Timestamp::default();
        Device { id, endpoint, key, secret, token: TokenId::new(token), since, scopes: None }
    }

    fn devices(reachable: &Reachable, user: UserId) -> Vec<&str> {
        let devices = reachable.get(user).map(|reach| reach.devices.iter());
        devices.into_iter().flatten().map(|device| device.id.as_str()).collect()
    }

    #[test]
    fn ended_application_loses_only_its_own_devices() {
        let [one, other] = [ClientId::new([1; 16]), ClientId::new([2; 16])];
        let mut reachable = Reachable::default();
        let reach = |devices| Reach { devices, ..Reach::default() };
        let of_ana = vec![device("one", 1), device("log-in", 2), device("other", 3)];
        let clients = vec![(TokenId::new(1), one), (TokenId::new(3), other)];
        reachable.learn(ANA, Some((reach(of_ana), clients)));
        reachable.learn(BEN, Some((reach(vec![device("one", 1)]), vec![(TokenId::new(1), other)])));
        reachable.apply(BEN, &UserFact::ApplicationsRemoved { clients: vec![one] });
        assert_eq!(devices(&reachable, ANA), ["log-in", "other"]);
        assert_eq!(devices(&reachable, BEN), ["one"]);
        reachable.apply(BEN, &UserFact::ApplicationsRemoved { clients: vec![other, one] });
        assert_eq!(devices(&reachable, ANA), ["log-in"]);
        assert!(devices(&reachable, BEN).is_empty());
        reachable.learn_application(ANA, TokenId::new(2), None);
        assert!(devices(&reachable, ANA).is_empty(), "its token is gone");
    }

    #[test]
    fn reachable_users_are_found_among_many() {
        let mut known = Reachable::default();
        let stream = StreamId::Group(GroupId::new(7));
        let crowd = Audience::of((0..1000).map(UserId::new));
        assert_eq!(known.among(stream, &crowd), []);
        known.expect([ANA, UserId::new(2000)]);
        assert_eq!(known.among(stream, &crowd), [ANA]);
        known.learn(BEN, Some((Reach::default(), Vec::new())));
        assert_eq!(known.among(stream, &crowd), [ANA, BEN]);
        known.learn(ANA, None);
        assert_eq!(known.among(stream, &crowd), [BEN]);
        assert_eq!(known.among(stream, &Audience::of([ANA, BEN])), [BEN]);
    }
}
