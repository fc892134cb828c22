//! Who has read a message of a group.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, Person, text};

async fn reads(by: &Person, group: &Group, message: &Value) {
    let mark = json!({"message_id": message["id"]});
    by.posts(&format!("/v3/conversations/{}/read", group.id)).json(&mark).await.ok();
}

async fn read_by(by: &Person, group: &Group, message: &Value) -> Value {
    let path = group.path(&format!("/messages/{}/read_by", text(&message["id"])));
    by.gets(&path).await.ok()["read_by"].clone()
}

#[tokio::test]
async fn readers_of_a_message_are_listed_with_time() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&cem, &climbers).await;
    let one = ana.says(&climbers, "rope at six").await;
    let two = ana.says(&climbers, "bring water").await;
    assert_eq!(read_by(&ana, &climbers, &one).await, json!([]));
    let start = one["created_at"].as_u64().unwrap();
    world.seconds_pass(60);
    let mut bens = ben.listens().await;
    reads(&ben, &climbers, &one).await;
    // The mark has the time of its event, which follows the answer.
    bens.hears_of("read").await;
    world.seconds_pass(60);
    // Posting a message moves the author's own read mark.
    cem.says(&climbers, "I will").await;
    for _ in 0..2 {
        let ben_read = json!({"user_id": ben.id, "read_at": start + 60});
        let cem_read = json!({"user_id": cem.id, "read_at": start + 120});
        assert_eq!(read_by(&ben, &climbers, &one).await, json!([ben_read, cem_read]));
        assert_eq!(read_by(&ana, &climbers, &two).await, json!([cem_read]));
        world.restarts().await;
    }
    ana.gets(&climbers.path("/messages/17/read_by")).await.refused(404);
    cem.leaves(&climbers).await;
    assert_eq!(read_by(&ana, &climbers, &two).await, json!([]));
}
