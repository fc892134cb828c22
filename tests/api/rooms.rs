//! Rooms: none starts for what does not exist; a room that nobody asks stops, and nobody notices
//! that.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use crate::direct_messages::{conversation, writes};
use crate::world::World;
use crate::world::person::{Group, SOON, fresh_guid};
use crate::world::server::Setup;

impl World {
    /// The number of running rooms of a kind.
    async fn awake(&self, kind: &str) -> u64 {
        self.metric(&format!("coterie_rooms{{kind=\"{kind}\"}}")).await
    }

    /// Waits until no room of any kind is running.
    async fn all_rest(&self) {
        let resting = async {
            for kind in ["group", "chat", "user"] {
                while self.awake(kind).await > 0 {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
        };
        tokio::time::timeout(SOON, resting).await.expect("rooms that nobody asks rest");
    }
}

#[tokio::test]
async fn questions_about_missing_ids_start_no_rooms() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let before = [world.awake("group").await, world.awake("chat").await, world.awake("user").await];
    for id in (90_000_000..90_000_020_u64).chain([0, 1, u64::MAX]) {
        let nowhere = Group { id: id.to_string() };
        ana.gets(&nowhere.path("")).await.refused(404);
        ana.gets(&nowhere.path("/messages")).await.refused(404);
        ana.gets(&nowhere.path("/likes?period=day")).await.refused(404);
        ana.posting(&nowhere, json!({"text": "hello"})).await.refused(404);
        ana.posts(&nowhere.path("/update")).json(&json!({"name": "Mine"})).await.refused(404);
        ana.posts(&nowhere.path("/destroy")).await.refused(404);
        ana.posts(&nowhere.path("/join/abcdefgh")).await.refused(404);
        ana.posts("/v3/groups/join").json(&json!({"group_id": nowhere.id})).await.refused(404);
        let bot = json!({"name": "Echo", "group_id": nowhere.id});
        assert!(matches!(ana.posts("/v3/bots").json(&bot).await.status, 403 | 404));
        ana.posts(&format!("/v3/messages/{id}/7/like")).await.refused(404);
        let letter = json!({"direct_message":
            {"recipient_id": nowhere.id, "source_guid": fresh_guid(), "text": "hello"}});
        assert!(matches!(ana.posts("/v3/direct_messages").json(&letter).await.status, 400 | 404));
        let chat = format!("/v3/direct_messages?other_user_id={id}");
        assert!(matches!(ana.gets(&chat).await.status, 400 | 404));
    }
    // These users exist, but have not written to each other.
    let chat = format!("/v3/direct_messages?other_user_id={}", ben.id);
    ana.gets(&chat).await.nothing_found();
    let like = format!("/v3/messages/{}/7/like", conversation(&ana, &ben));
    ana.posts(&like).await.refused(404);
    let after = [world.awake("group").await, world.awake("chat").await, world.awake("user").await];
    assert_eq!(after[..2], before[..2]);
    assert!(after[2] <= before[2].max(2), "of users, those who are there: {after:?}");
    // What exists is still found, by a room that starts.
    writes(&ana, &ben, "hello").await;
    assert_eq!(world.awake("chat").await, 1);
}

#[tokio::test]
async fn idle_room_stops_and_resumes_its_state() {
    let world = World::with(Setup::default().rooms_look_every(Duration::from_millis(10))).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let said = json!({"text": "one", "source_guid": "g"});
    ana.posting(&climbers, said.clone()).await.created();
    world.all_rest().await;
    ana.posting(&climbers, said).await.refused(409);
    ana.says(&climbers, "two").await;
    writes(&ana, &ben, "hello").await;
    // Ana's room keeps count for ten minutes of the strangers to whom she writes, so it runs that
    // long.
    world.seconds_pass(600);
    world.all_rest().await;
    assert_eq!(ana.reads_texts(&climbers, "").await, ["two", "one"]);
    assert_eq!(ana.gets("/v3/users/me").await.ok()["name"], "Ana");
}

#[tokio::test]
async fn constant_room_restarts_are_invisible() {
    // A room stops after some six milliseconds: many times while these people talk.
    let world = World::with(Setup::default().rooms_look_every(Duration::from_millis(1))).await;
    let people = world.people(["Ana", "Ben", "Cem", "Dia"]).await;
    let climbers = people[0].creates_group("Climbers").await;
    for other in &people[1..] {
        people[0].adds(other, &climbers).await;
    }
    let talking = people.iter().enumerate().map(|(number, person)| {
        let climbers = climbers.clone();
        async move {
            for round in 0..40_u64 {
                person.says(&climbers, &format!("{number} {round}")).await;
                let pause = fastrand::u64(0..12);
                tokio::time::sleep(Duration::from_millis(pause)).await;
                person.gets(&climbers.path("")).await.ok();
                person.posts("/v3/users/update").json(&json!({"zip_code": "8000"})).await.ok();
            }
        }
    });
    join_all(talking).await;
    let mut texts = people[0].reads_texts(&climbers, "?limit=100").await;
    let oldest = people[0].reads(&climbers, "?limit=100").await.pop().unwrap()["id"].clone();
    let query = format!("?limit=100&before_id={}", crate::world::person::text(&oldest));
    texts.extend(people[0].reads_texts(&climbers, &query).await);
    for (number, round) in (0..4).flat_map(|number| (0..40).map(move |round| (number, round))) {
        let said = format!("{number} {round}");
        assert_eq!(texts.iter().filter(|text| **text == said).count(), 1, "{said}");
    }
}
