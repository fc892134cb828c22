//! How many bytes a user may write, over all ways to write.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};
use crate::world::server::Setup;

/// A kibibyte a second, and thirty of them at once.
const SECOND: &str =
    "this account writes too much: 1024 bytes per second are allowed (--write-limit)";

async fn narrow() -> World {
    World::with(Setup::default().option("--write-limit", "1KiB/s,1GiB/d")).await
}

/// Acts until the server refuses; returns how often it was done, and the refusal.
async fn acts_until_refused(mut act: impl AsyncFnMut(usize) -> Answer) -> (usize, Answer) {
    for done in 0..1000 {
        let answer = act(done).await;
        if answer.status == 429 {
            return (done, answer);
        }
        assert!(answer.status < 300, "{}", answer.text);
    }
    panic!("a thousand acts are allowed");
}

async fn posts_until_refused(person: &Person, group: &Group) -> (usize, Answer) {
    let message = json!({"text": "é".repeat(1000)});
    acts_until_refused(async |_| person.posting(group, message.clone()).await).await
}

#[tokio::test]
async fn user_who_wrote_too_much_waits() {
    let world = narrow().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let first = ana.says(&climbers, "first").await;
    let (done, refused) = posts_until_refused(&ana, &climbers).await;
    assert!((10..16).contains(&done), "{done} messages of 2 KB");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=3).contains(&wait), "{wait}");
    assert_eq!(refused.refused(429), [SECOND]);
    let draft = json!({"text": "later"});
    let path = format!("/v3/drafts/{}", climbers.id);
    ana.address.asks("PUT", &path).token(&ana.token).json(&draft).await.refused(429);
    // Others write on, and what ends something is always possible.
    ben.says(&climbers, "still here").await;
    let message = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&first["id"]));
    assert!(ana.address.asks("DELETE", &message).token(&ana.token).await.status < 300);
    ana.posts("/auth/logout").await.ok();
    let ana = Person::new(
        world.address.clone(),
        &world.logs_in(&ana.email, crate::world::PASSWORD).await.ok(),
    );
    world.seconds_pass(4);
    ana.says(&climbers, "again").await;
}

#[tokio::test]
async fn drafts_and_kept_answers_count() {
    let world = narrow().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let path = format!("/v3/drafts/{}", climbers.id);
    let (done, refused) = acts_until_refused(async |number| {
        let draft = json!({"text": format!("{number} {}", "é".repeat(900))});
        ana.address.asks("PUT", &path).token(&ana.token).json(&draft).await
    })
    .await;
    assert!((8..18).contains(&done), "{done} drafts of 2 KB");
    assert_eq!(refused.refused(429), [SECOND]);
    // A change that changes nothing leaves its answer under the key.
    let name = json!({"name": ben.name});
    let (done, _) = acts_until_refused(async |number| {
        ben.posts("/v3/users/update")
            .header("Idempotency-Key", &format!("k{number}"))
            .json(&name)
            .await
    })
    .await;
    assert!((10..100).contains(&done), "{done} kept answers");
    let [cem] = world.people(["Cem"]).await;
    let (done, refused) = acts_until_refused(async |number| {
        let key = format!("k{number}");
        let answer =
            cem.posts("/v3/groups/1/update").header("Idempotency-Key", &key).json(&name).await;
        assert!(matches!(answer.status, 404 | 429), "{}", answer.text);
        Answer { status: if answer.status == 404 { 200 } else { 429 }, ..answer }
    })
    .await;
    assert!((20..200).contains(&done), "{done} kept refusals");
    assert_eq!(refused.refused(429), [SECOND]);
}

#[tokio::test]
async fn bots_write_within_the_limit_of_their_maker() {
    let world = narrow().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let bot = json!({"name": "Loud", "group_id": climbers.id});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let post = json!({"bot_id": bot["bot_id"], "text": "é".repeat(1000)});
    let (done, refused) =
        acts_until_refused(async |_| world.post("/v3/bots/post").json(&post).await).await;
    assert!((8..16).contains(&done), "{done} posts of 2 KB");
    assert_eq!(refused.refused(429), [SECOND]);
    ana.posting(&climbers, json!({"text": "me too"})).await.refused(429);
    ben.says(&climbers, "still here").await;
}

#[tokio::test]
async fn day_has_a_limit_of_its_own() {
    let setup = Setup::default().option("--write-limit", "1GiB/s,20KiB/d");
    let world = World::with(setup).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let (_, refused) = posts_until_refused(&ana, &climbers).await;
    assert_eq!(refused.header("retry-after"), Some("86400"));
    let reason =
        "this account writes too much: 20480 bytes in 24 hours are allowed (--write-limit)";
    assert_eq!(refused.refused(429), [reason]);
    world.seconds_pass(86_400);
    ana.says(&climbers, "a new day").await;
}

#[tokio::test]
async fn write_limit_off_lifts_the_limit() {
    let narrow = "1KiB/s,1KiB/d";
    for (bytes, requests) in [("off", "1000/s"), (narrow, "off")] {
        let setup = Setup::default().option("--write-limit", bytes);
        let world = World::with(setup.option("--rate-limit", requests)).await;
        let ([ana], climbers) = world.climbing(["Ana"]).await;
        for _ in 0..20 {
            let message = json!({"text": "é".repeat(1000)});
            let posted: Value = ana.posting(&climbers, message).await.created();
            assert!(posted["message"]["id"].is_string());
        }
    }
}
