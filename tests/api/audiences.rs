//! Who receives an event at a node that does not decide is who receives it where it was decided: members come
//! and go in every order, several in one commit, and two servers tell everybody the same.

use std::collections::BTreeSet;
use std::future::IntoFuture;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::shared_log::{SharedJournals, told};
use crate::world::World;
use crate::world::asking::Asking;
use crate::world::feed::Feed;
use crate::world::person::{Group, Person, fresh_guid, text};

/// How many times several acts happen at once; `AUDIENCE_ROUNDS` for more.
fn rounds() -> usize {
    std::env::var("AUDIENCE_ROUNDS").map_or(60, |text| text.parse().unwrap())
}

/// A user with a socket at each of two servers, and a group of their own that ends a round.
struct Listener {
    person: Person,
    own: Group,
    feeds: [Feed; 2],
}

impl Listener {
    async fn at(servers: &[World; 2], person: &Person) -> Self {
        let own = person.creates_group("own").await;
        let feeds = [person.listens().await, servers[1].welcomes(person).listens().await];
        Self { person: person.clone(), own, feeds }
    }

    /// What both sockets received in this round.
    async fn hears_all(&mut self) -> [Vec<Value>; 2] {
        self.person.says(&self.own, "over").await;
        let conv = self.own.conv();
        let mut heard = [Vec::new(), Vec::new()];
        for (feed, heard) in self.feeds.iter_mut().zip(&mut heard) {
            loop {
                let event = told(feed.next().await);
                if event["conv"] == conv.as_str() && event["type"] == "line.create" {
                    break;
                }
                heard.push(event);
            }
        }
        heard
    }
}

/// The group about which the listeners are told, and what may happen to it.
struct Stage<'a> {
    people: &'a [Person],
    group: Group,
    token: String,
    bot: String,
}

impl Stage<'_> {
    async fn of(people: &[Person]) -> Stage<'_> {
        let owner = &people[0];
        let climbers = json!({"name": "Climbers", "share": true});
        let made = owner.posts("/v3/groups").json(&climbers).await.created();
        let group = Group { id: text(&made["id"]).to_owned() };
        let token = text(&made["share_url"]).rsplit('/').next().unwrap().to_owned();
        let bot = json!({"bot": {"name": "Bot", "group_id": group.id}});
        let bot = owner.posts("/v3/bots").json(&bot).await.created();
        let bot = text(&bot["bot"]["bot_id"]).to_owned();
        Stage { people, group, token, bot }
    }

    /// Something that happens at once with others, and the number of the person who goes by it.
    fn act(&self, random: &mut fastrand::Rng, members: &[Value]) -> (Asking, Option<usize>) {
        let (owner, group) = (&self.people[0], &self.group);
        let number = random.usize(1..self.people.len());
        let anybody = &self.people[number];
        let member = members.iter().find(|it| it["user_id"] == anybody.id);
        let words = json!({"text": "hello", "source_guid": fresh_guid()});
        match (random.u8(..9), member.map(|it| text(&it["id"]))) {
            (0, Some(id)) => {
                (owner.posts(&group.path(&format!("/members/{id}/remove"))), Some(number))
            }
            (1, Some(id)) => {
                (anybody.posts(&group.path(&format!("/members/{id}/remove"))), Some(number))
            }
            (0..=2, None) => (anybody.posts(&group.path(&format!("/join/{}", self.token))), None),
            (3, _) => {
                let all = self.people.iter().filter(|_| random.bool());
                let items = all.map(|it| json!({"nickname": it.name, "user_id": it.id}));
                let items = json!({"members": items.collect::<Vec<_>>()});
                (owner.posts(&group.path("/members/add")).json(&items), None)
            }
            (4, _) => {
                let nickname = json!({"membership": {"nickname": format!("It {}", random.u8(..))}});
                (anybody.posts(&group.path("/memberships/update")).json(&nickname), None)
            }
            (5, _) => {
                let words = json!({"bot_id": self.bot, "text": "beep"});
                (owner.posts("/v3/bots/post").json(&words), None)
            }
            (6, _) => {
                let name = json!({"name": format!("Climbers {}", random.u8(..))});
                (owner.posts(&group.path("/update")).json(&name), None)
            }
            _ => (anybody.posting(group, words), None),
        }
    }
}

#[tokio::test]
async fn members_who_come_and_go_hear_the_same_everywhere() {
    let shared = SharedJournals::new();
    let servers = shared.two().await;
    let names = ["Ana", "Ben", "Cem", "Dan", "Eva", "Fay"];
    let people = servers[0].people(names).await;
    shared.are_even().await;
    let mut listeners = Vec::new();
    for person in &people {
        listeners.push(Listener::at(&servers, person).await);
    }
    let stage = Stage::of(&people).await;
    let conv = stage.group.conv();
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut heard_of_the_group = 0;
    for round in 0..rounds() {
        let members = people[0].gets(&stage.group.path("")).await.ok()["members"].clone();
        let members = members.as_array().unwrap();
        let count = random.usize(1..9);
        let acts: Vec<_> = (0..count).map(|_| stage.act(&mut random, members)).collect();
        let going: BTreeSet<usize> = acts.iter().filter_map(|(_, going)| *going).collect();
        for answer in join_all(acts.into_iter().map(|(act, _)| act.into_future())).await {
            // Bots may not post so often.
            assert!(answer.status <= 429, "seed {seed}, round {round}: {answer:?}");
        }
        for (number, listener) in listeners.iter_mut().enumerate() {
            let mut heard = listener.hears_all().await;
            heard_of_the_group += heard[0].iter().filter(|it| it["conv"] == conv.as_str()).count();
            // Who goes gets nothing of the group that was not yet on its way.
            if going.contains(&number) {
                heard.iter_mut().for_each(|it| it.retain(|event| event["conv"] != conv.as_str()));
            }
            let [here, there] = heard;
            assert_eq!(here, there, "seed {seed}, round {round}: {}", listener.person.name);
        }
    }
    assert!(heard_of_the_group > rounds(), "seed {seed}: {heard_of_the_group}");
}
