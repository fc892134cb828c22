//! Likes (specification, section 4, Likes), in groups and in chats.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};

/// Likes a message of a conversation or removes the like; `act` is `like` or `unlike`.
async fn changes_like(by: &Person, conversation: &str, message: &Value, act: &str) -> Answer {
    let id = text(&message["id"]);
    by.posts(&format!("/v3/messages/{conversation}/{id}/{act}")).await
}

async fn likes(by: &Person, group: &Group, message: &Value) {
    changes_like(by, &group.id, message, "like").await.ok();
}

/// The texts of the messages in a list of liked messages.
async fn lists(reader: &Person, group: &Group, list: &str) -> Vec<String> {
    let found = reader.gets(&group.path(&format!("/likes{list}"))).await.ok();
    let messages = found["messages"].as_array().unwrap();
    messages.iter().map(|message| text(&message["text"]).to_owned()).collect()
}

async fn favorited_by(reader: &Person, group: &Group) -> Value {
    reader.reads(group, "").await.remove(0)["favorited_by"].take()
}

#[tokio::test]
async fn like_is_visible_until_removed() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let said = ana.says(&climbers, "rope at six").await;
    let mut feed = ana.listens().await;

    likes(&ben, &climbers, &said).await;
    assert_eq!(favorited_by(&ana, &climbers).await, json!([ben.id]));
    let event = feed.hears_of("favorite").await;
    let data = json!({"message_id": said["id"], "user_id": ben.id, "liked": true,
        "favorited_by": [ben.id],
        "reactions": [{"type": "unicode", "code": "❤️", "user_ids": [ben.id]}]});
    assert_eq!(event["data"], data);

    changes_like(&ben, &climbers.id, &said, "unlike").await.ok();
    assert_eq!(favorited_by(&ana, &climbers).await, json!([]));
    let event = feed.hears_of("favorite").await;
    assert_eq!(
        (&event["data"]["liked"], &event["data"]["favorited_by"]),
        (&json!(false), &json!([]))
    );
}

#[tokio::test]
async fn liking_twice_and_unliking_nothing_change_nothing() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let said = ana.says(&climbers, "rope at six").await;
    changes_like(&ana, &climbers.id, &said, "unlike").await.ok();
    likes(&ana, &climbers, &said).await;
    let mut feed = ana.listens().await;
    likes(&ana, &climbers, &said).await;
    feed.stays_silent().await;
    assert_eq!(favorited_by(&ana, &climbers).await, json!([ana.id]));
}

#[tokio::test]
async fn an_old_message_is_liked_like_a_new_one_also_over_a_restart() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let old = ana.says(&climbers, "the first").await;
    // More messages than a room keeps in memory.
    for count in 0..130 {
        ana.says(&climbers, &format!("later {count}")).await;
    }
    likes(&ana, &climbers, &old).await;
    let oldest = "?limit=1&after_id=0";
    assert_eq!(ana.reads(&climbers, oldest).await[0]["favorited_by"], json!([ana.id]));
    world.restarts().await;
    assert_eq!(ana.reads(&climbers, oldest).await[0]["favorited_by"], json!([ana.id]));
    changes_like(&ana, &climbers.id, &old, "unlike").await.ok();
    assert_eq!(ana.reads(&climbers, oldest).await[0]["favorited_by"], json!([]));
}

#[tokio::test]
async fn leaderboard_sorts_by_likes_within_its_period() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let of_last_month = ana.says(&climbers, "old").await;
    likes(&ana, &climbers, &of_last_month).await;
    likes(&ben, &climbers, &of_last_month).await;
    world.seconds_pass(20 * 86_400);
    let one = ana.says(&climbers, "one").await;
    let two = ana.says(&climbers, "two").await;
    ana.says(&climbers, "nobody likes this").await;
    let three = ana.says(&climbers, "three").await;
    for liked in [&one, &two, &three] {
        likes(&ana, &climbers, liked).await;
    }
    likes(&ben, &climbers, &one).await;

    assert_eq!(lists(&ana, &climbers, "?period=day").await, ["one", "three", "two"]);
    assert_eq!(lists(&ana, &climbers, "?period=week").await, ["one", "three", "two"]);
    assert_eq!(lists(&ana, &climbers, "?period=month").await, ["one", "old", "three", "two"]);
    world.seconds_pass(86_401);
    assert!(lists(&ana, &climbers, "?period=day").await.is_empty());
    for query in ["", "?period=year", "?period="] {
        ana.gets(&climbers.path(&format!("/likes{query}"))).await.refused(400);
    }
}

#[tokio::test]
async fn mine_are_those_i_liked_and_for_me_those_others_liked() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let (one, two) = (ana.says(&climbers, "one").await, ana.says(&climbers, "two").await);
    let of_ben = ben.says(&climbers, "of Ben").await;
    likes(&ana, &climbers, &of_ben).await;
    world.seconds_pass(1);
    likes(&ana, &climbers, &one).await;
    likes(&ben, &climbers, &two).await;

    assert_eq!(lists(&ana, &climbers, "/mine").await, ["one", "of Ben"], "newest like first");
    assert_eq!(lists(&ana, &climbers, "/for_me").await, ["two"], "one's own like does not count");
    assert_eq!(lists(&ben, &climbers, "/for_me").await, ["of Ben"]);
    let mine = ana.gets(&climbers.path("/likes/mine")).await.ok();
    // The clock of a test starts at 1800000000.
    assert_eq!(mine["messages"][0]["liked_at"], "2027-01-15T08:00:01Z");
    changes_like(&ana, &climbers.id, &one, "unlike").await.ok();
    assert_eq!(lists(&ana, &climbers, "/mine").await, ["of Ben"]);
}

#[tokio::test]
async fn direct_messages_are_liked_under_either_order_of_the_two() {
    let world = World::start().await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    let said = writes(&ana, &ben, "hello").await;
    let name = conversation(&ana, &ben);
    let (low, high) = name.split_once('+').unwrap();
    let mut feed = ana.listens().await;

    changes_like(&ben, &format!("{high}%2B{low}"), &said, "like").await.ok();
    let event = feed.hears_of("favorite").await;
    assert_eq!(event["conv"], format!("d:{name}"));
    let page = ana.gets(&format!("/v3/direct_messages?other_user_id={}", ben.id)).await.ok();
    assert_eq!(page["direct_messages"][0]["favorited_by"], json!([ben.id]));
    changes_like(&cleo, &name, &said, "like").await.refused(404);
    changes_like(&ben, &name, &said, "unlike").await.ok();
    assert_eq!(feed.hears_of("favorite").await["data"]["favorited_by"], json!([]));
}

#[tokio::test]
async fn like_of_missing_message_gives_404() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let said = ana.says(&climbers, "rope at six").await;
    changes_like(&ben, &climbers.id, &said, "like").await.refused(404);
    changes_like(&ana, "99", &said, "like").await.refused(404);
    changes_like(&ana, "nonsense", &said, "like").await.refused(404);
    for id in ["1", "nonsense"] {
        changes_like(&ana, &climbers.id, &json!({"id": id}), "like").await.refused(404);
    }
    for list in ["?period=day", "/mine", "/for_me"] {
        ben.gets(&climbers.path(&format!("/likes{list}"))).await.refused(404);
    }
}
