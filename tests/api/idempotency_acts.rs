//! Every POST under an `Idempotency-Key`: done once, and answered the same each time, even by a
//! server that was restarted.

use serde_json::{Value, json};

use crate::group_acts::member;
use crate::idempotency::repeats;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};
use crate::world::server::Setup;

/// A POST and its first answer.
struct Done<'a> {
    by: &'a Person,
    path: String,
    body: Value,
    key: String,
    first: Answer,
}

/// All POSTs made so far, in order.
#[derive(Default)]
struct Acts<'a>(Vec<Done<'a>>);

impl<'a> Acts<'a> {
    /// Sends a POST twice under a key of its own; returns the payload of the first answer.
    async fn does(&mut self, by: &'a Person, path: &str, body: Value, status: u16) -> Value {
        let key = format!("act {}", self.0.len()).replace(' ', "-");
        let asks = || by.posts(path).json(&body).key(&key);
        let first = asks().await;
        assert_eq!(first.status, status, "{path}: {}", first.text);
        repeats(&asks().await, &first);
        let answer = serde_json::from_str::<Value>(&first.text).unwrap()["response"].take();
        self.0.push(Done { by, path: path.to_owned(), body, key, first });
        answer
    }

    /// Repeats every POST.
    async fn repeat(&self) {
        for done in &self.0 {
            let asked = done.by.posts(&done.path).json(&done.body).key(&done.key);
            repeats(&asked.await, &done.first);
            let other = done.by.posts(&done.path).json(&json!({"another": "body"}));
            other.key(&done.key).await.refused(422);
        }
    }
}

/// What these people are shown of everything.
async fn seen(people: &[&Person]) -> Vec<Value> {
    let mut seen = Vec::new();
    for person in people {
        let mut snapshot = person.gets("/v3/sync").await.ok();
        // The cursor moves with the journal, in which answers are stored too.
        snapshot["c"].take();
        seen.push(snapshot);
        seen.push(person.gets("/v3/users/me").await.ok());
        seen.push(person.gets("/v3/bots").await.ok());
        seen.push(person.gets(&format!("/v3/blocks?user={}", person.id)).await.ok());
        seen.push(person.gets("/v3/groups/former").await.ok());
    }
    seen
}

/// Repeats every POST before and after a restart, and asserts that people are shown no difference.
async fn nothing_happens_again(world: &mut World, acts: Acts<'_>, people: &[&Person]) {
    let before = seen(people).await;
    // Guids are forgotten by then, so only the keys identify a repeat.
    world.seconds_pass(120);
    acts.repeat().await;
    world.restarts().await;
    acts.repeat().await;
    assert_eq!(seen(people).await, before);
}

#[tokio::test]
async fn groups_and_members() {
    // The port changes at the restart, which must not change the share URL.
    let setup = Setup::default().option("--public-url", "http://chat.example");
    let mut world = World::with(setup).await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let mut acts = Acts::default();
    let made = acts.does(&ana, "/v3/groups", json!({"name": "Climbers", "share": true}), 201).await;
    let group = Group { id: text(&made["id"]).to_owned() };
    let (_, token) = text(&made["share_url"]).rsplit_once('/').unwrap();
    acts.does(&ben, &group.path(&format!("/join/{token}")), json!({}), 200).await;
    acts.does(&ana, &group.path("/update"), json!({"name": "Walkers"}), 200).await;
    let item = json!({"nickname": "Cem", "user_id": cem.id});
    let asked = acts.does(&ana, &group.path("/members/add"), json!({"members": [item]}), 202).await;
    assert_eq!(ana.sees_results(&group, text(&asked["results_id"])).await.len(), 1);
    let rename = json!({"membership": {"nickname": "Benny"}});
    acts.does(&ben, &group.path("/memberships/update"), rename, 200).await;
    let shown = ana.sees(&group).await;
    let remove =
        |who: &Person| group.path(&format!("/members/{}/remove", text(&member(&shown, who)["id"])));
    acts.does(&cem, &remove(&cem), json!({}), 200).await;
    acts.does(&cem, "/v3/groups/join", json!({"group_id": group.id}), 200).await;
    cem.leaves(&group).await;
    acts.does(&cem, &group.path("/rejoin"), json!({}), 200).await;
    acts.does(&ana, &remove(&ben), json!({}), 200).await;
    let hand = json!({"requests": [
        {"group_id": group.id, "owner_id": cem.id}, {"group_id": "1", "owner_id": cem.id},
    ]});
    let handed = acts.does(&ana, "/v3/groups/change_owners", hand, 200).await;
    let statuses: Vec<&Value> =
        handed["results"].as_array().unwrap().iter().map(|it| &it["status"]).collect();
    assert_eq!(statuses[0], "200");
    let other = ana.creates_group("Gone").await;
    acts.does(&ana, &other.path("/destroy"), json!({}), 200).await;
    nothing_happens_again(&mut world, acts, &[&ana, &ben, &cem]).await;
}

#[tokio::test]
async fn messages_and_likes() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut acts = Acts::default();
    let post = json!({"message": {"source_guid": "1", "text": "rope at six"}});
    let said = acts.does(&ana, &climbers.path("/messages"), post, 201).await;
    let letter = json!({"direct_message": {
        "source_guid": "1", "recipient_id": ben.id, "text": "hello"}});
    let written = acts.does(&ana, "/v3/direct_messages", letter, 201).await;
    let here = format!("/v3/messages/{}/{}", climbers.id, text(&said["message"]["id"]));
    let chat = text(&written["message"]["conversation_id"]);
    let there = format!("/v3/messages/{chat}/{}", text(&written["message"]["id"]));
    for message in [here, there] {
        acts.does(&ben, &format!("{message}/like"), json!({}), 200).await;
        acts.does(&ben, &format!("{message}/unlike"), json!({}), 200).await;
        ben.posts(&format!("{message}/like")).await.ok();
    }
    nothing_happens_again(&mut world, acts, &[&ana, &ben]).await;
    assert_eq!(ana.reads(&climbers, "").await[0]["favorited_by"], json!([ben.id]));
}

#[tokio::test]
async fn bots() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut acts = Acts::default();
    let new = json!({"bot": {"name": "Tides", "group_id": climbers.id}});
    let made = acts.does(&ana, "/v3/bots", new, 201).await;
    let [bot, other] = [text(&made["bot_id"]).to_owned(), {
        let new = json!({"name": "Weather", "group_id": climbers.id});
        text(&ana.posts("/v3/bots").json(&new).await.created()["bot_id"]).to_owned()
    }];
    let says = |bot: &str, words: &str| {
        let body = json!({"bot_id": bot, "text": words});
        world.post("/v3/bots/post").json(&body).key("k")
    };
    let first = says(&bot, "high").await;
    assert_eq!(first.status, 201);
    repeats(&says(&bot, "high").await, &first);
    says(&bot, "low").await.refused(422);
    // Keys belong to the bot: another bot has its own.
    assert_eq!(says(&other, "high").await.header("idempotency-replayed"), None);
    acts.does(&ana, "/v3/bots/destroy", json!({"bot_id": bot}), 200).await;
    nothing_happens_again(&mut world, acts, &[&ana]).await;
    let says = |bot: &str| {
        let body = json!({"bot_id": bot, "text": "high"});
        world.post("/v3/bots/post").json(&body).key("k")
    };
    repeats(&says(&bot).await, &first);
    repeats(&says(&other).await, &first);
    let words = ana.reads_texts(&climbers, "").await;
    assert_eq!(words.iter().filter(|it| *it == "high").count(), 2, "one of each bot");
}

#[tokio::test]
async fn users_and_blocks() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut acts = Acts::default();
    acts.does(&ana, "/v3/users/update", json!({"name": "Anna"}), 200).await;
    ana.posts("/v3/users/update").json(&json!({"name": "Ann"})).await.ok();
    acts.does(&ana, "/v3/users/sms_mode", json!({"duration": 1}), 201).await;
    acts.does(&ana, "/v3/users/sms_mode/delete", json!({}), 200).await;
    let block = format!("?user={}&otherUser={}", ana.id, ben.id);
    acts.does(&ana, &format!("/v3/blocks{block}"), json!({}), 201).await;
    acts.does(&ana, &format!("/v3/blocks/delete{block}"), json!({}), 200).await;
    nothing_happens_again(&mut world, acts, &[&ana, &ben]).await;
    assert_eq!(
        member(&ana.sees(&climbers).await, &ana)["name"],
        "Ann",
        "as the newest change says"
    );
}
