//! People who register, and the groups that they are in.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::rest::{Api, CallError};
use crate::http::request::PostTarget;

const READY_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Person {
    pub id: String,
    pub token: String,
}

/// A group; `members` are indexes into the list of people, the owner first.
#[derive(Debug, Clone)]
pub struct Group {
    pub id: String,
    pub members: Vec<usize>,
}

#[derive(Debug, Clone, Default)]
pub struct World {
    pub people: Vec<Person>,
    pub groups: Vec<Group>,
}

impl World {
    /// Registers `people` people and creates `groups` groups of `size` members. Each group begins
    /// one person further in the list, so that everyone is in about as many groups.
    ///
    /// Registering costs a password hash, so there are fewer people than memberships.
    pub async fn build(
        api: &mut Api,
        run: u32,
        people: usize,
        groups: usize,
        size: usize,
    ) -> Result<Self, CallError> {
        Self::of_sizes(api, run, people, std::iter::repeat_n(size, groups)).await
    }

    /// Like [`build`](Self::build), with groups of different sizes.
    pub async fn of_sizes(
        api: &mut Api,
        run: u32,
        people: usize,
        sizes: impl Iterator<Item = usize>,
    ) -> Result<Self, CallError> {
        let mut world = Self::default();
        for number in 0..people {
            world.people.push(register(api, run, number).await?);
        }
        for (number, size) in sizes.enumerate() {
            let members: Vec<usize> =
                (0..size.min(people)).map(|seat| (number + seat) % people).collect();
            let group = world.create_group(api, number, members).await?;
            world.groups.push(group);
        }
        Ok(world)
    }

    /// Waits until another node knows all groups and their members.
    ///
    /// # Errors
    /// If a request fails, or the node takes longer than 30 s.
    pub async fn known_at(&self, addr: SocketAddr) -> Result<(), CallError> {
        let mut api = Api::new(addr);
        let deadline = Instant::now() + READY_TIMEOUT;
        for group in &self.groups {
            let newest = group.members.last().copied().unwrap_or_default();
            let path = format!("/v3/groups/{}/messages?limit=1", group.id);
            while !matches!(api.get(&path, &self.people[newest].token).await?.status, 200 | 304) {
                if Instant::now() >= deadline {
                    return Err(CallError::NeverReady(path));
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        Ok(())
    }

    /// Returns where sender number `sender` posts: senders go round the groups, and within a group
    /// round its members.
    pub fn post_target(&self, sender: usize) -> PostTarget {
        let (group, member) = self.seat(sender);
        let group = &self.groups[group];
        PostTarget { group_id: group.id.clone(), token: self.people[member].token.clone() }
    }

    /// Returns the indexes of a sender's group and person.
    pub fn seat(&self, sender: usize) -> (usize, usize) {
        let place = sender % self.groups.len();
        let members = &self.groups[place].members;
        (place, members[(sender / self.groups.len()) % members.len()])
    }

    async fn create_group(
        &self,
        api: &mut Api,
        number: usize,
        members: Vec<usize>,
    ) -> Result<Group, CallError> {
        #[derive(Deserialize)]
        struct Created {
            id: String,
        }
        let owner = &self.people[members[0]];
        let body = json!({ "name": format!("load {number}") });
        let created: Created = api.post("/v3/groups", &owner.token, &body).await?.response(201)?;
        let others: Vec<Value> = members[1..].iter().map(|place| self.invitation(*place)).collect();
        if !others.is_empty() {
            add_members(api, &created.id, &owner.token, &others).await?;
        }
        Ok(Group { id: created.id, members })
    }

    fn invitation(&self, place: usize) -> Value {
        json!({ "nickname": format!("u{place}"), "user_id": self.people[place].id })
    }
}

pub(crate) async fn register(api: &mut Api, run: u32, number: usize) -> Result<Person, CallError> {
    #[derive(Deserialize)]
    struct Registered {
        user: User,
        access_token: String,
    }
    #[derive(Deserialize)]
    struct User {
        id: String,
    }
    let body = json!({
        "name": format!("Load {number}"),
        "email": format!("load-{run:08x}-{number}@example.org"),
        "password": format!("load-{run:08x}-{number}"),
    });
    let registered: Registered = api.post("/auth/register", "", &body).await?.response(201)?;
    Ok(Person { id: registered.user.id, token: registered.access_token })
}

/// Adds members, at most 1,000, and waits until the server has processed all of them.
pub(crate) async fn add_members(
    api: &mut Api,
    group: &str,
    token: &str,
    members: &[Value],
) -> Result<(), CallError> {
    #[derive(Deserialize)]
    struct Accepted {
        results_id: String,
    }
    #[derive(Deserialize)]
    struct Results {
        members: Vec<Value>,
    }
    let path = format!("/v3/groups/{group}/members/add");
    let accepted: Accepted =
        api.post(&path, token, &json!({ "members": members })).await?.response(202)?;
    let path = format!("/v3/groups/{group}/members/results/{}", accepted.results_id);
    let deadline = Instant::now() + READY_TIMEOUT;
    while Instant::now() < deadline {
        let reply = api.get(&path, token).await?;
        if reply.status == 503 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        }
        let call = reply.call.clone();
        let results: Results = reply.response(200)?;
        return match results.members.len() == members.len() {
            true => Ok(()),
            false => Err(CallError::Status {
                call,
                status: 200,
                body: "not all members were added".to_owned(),
            }),
        };
    }
    Err(CallError::NeverReady(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senders_go_round_groups_and_members() {
        let person = |name: &str| Person { id: name.to_owned(), token: format!("t{name}") };
        let group = |name: &str, members: [usize; 2]| Group {
            id: name.to_owned(),
            members: members.into(),
        };
        let world = World {
            people: vec![person("0"), person("1"), person("2")],
            groups: vec![group("a", [0, 1]), group("b", [1, 2])],
        };
        let post_targets: Vec<_> = (0..5)
            .map(|sender| world.post_target(sender))
            .map(|post_target| (post_target.group_id, post_target.token))
            .collect();
        let expected = [("a", "t0"), ("b", "t1"), ("a", "t1"), ("b", "t2"), ("a", "t0")];
        assert_eq!(
            post_targets,
            expected.map(|(group, token)| (group.to_owned(), token.to_owned()))
        );
    }
}
