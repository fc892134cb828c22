//! Deleting an account: what ends, which names become free again, and what stays.

use serde_json::{Value, json};

use crate::group_acts::members;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, fresh_guid, text};
use crate::world::{PASSWORD, World};

async fn goes(person: &Person, password: &str) -> Answer {
    let asked = person.address.asks("DELETE", "/auth/account").token(&person.token);
    asked.json(&json!({"password": password})).await
}

async fn writes(from: &Person, to: &Person, words: &str) -> Answer {
    let message = json!({"source_guid": fresh_guid(), "recipient_id": to.id, "text": words});
    from.posts("/v3/direct_messages").json(&json!({"direct_message": message})).await
}

#[tokio::test]
async fn an_owner_hands_over_or_destroys_first() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let divers = ana.creates_group("Divers").await;
    ana.adds(&ben, &climbers).await;
    let reason = |name: &str, group: &Group| {
        format!("you own the group {name} ({}): hand it over or destroy it first", group.id)
    };
    let mut reasons = goes(&ana, PASSWORD).await.refused(409);
    reasons.sort();
    assert_eq!(reasons, [reason("Climbers", &climbers), reason("Divers", &divers)]);
    assert_eq!(ana.hands(&climbers, &ben).await, "200");
    assert_eq!(goes(&ana, PASSWORD).await.refused(409), [reason("Divers", &divers)]);
    // The refused requests have changed nothing.
    assert_eq!(members(&ana.sees(&climbers).await), [&ana.id, &ben.id]);
    ana.destroys(&divers).await.ok();
    assert_eq!(goes(&ana, PASSWORD).await.ok(), Value::Null);
    assert_eq!(members(&ben.sees(&climbers).await), [&ben.id]);
}

#[tokio::test]
async fn the_password_is_asked_for() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    assert_eq!(goes(&ana, "wrong horse").await.refused(403), ["the password is wrong"]);
    let asked = ana.address.asks("DELETE", "/auth/account").token(&ana.token).await;
    assert_eq!(asked.refused(400), ["password is required"]);
    ana.gets("/v3/users/me").await.ok();
}

/// The others were told that the password is wrong, or that there is no such user.
#[tokio::test]
async fn concurrent_account_deletions_succeed_once() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let asked = (0..8).map(|_| goes(&ana, PASSWORD));
    let answers = futures_util::future::join_all(asked).await;
    let (done, late): (Vec<_>, Vec<_>) = answers.into_iter().partition(|it| it.status == 200);
    assert_eq!((done.len(), late.len()), (1, 7));
    for answer in late {
        assert_eq!(answer.refused(401), ["unauthorized"]);
    }
}

#[tokio::test]
async fn tokens_and_sockets_end_and_the_names_are_free_again() {
    let mut world = World::start().await;
    let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD,
        "phone_number": "+1 555 010 9999"});
    let ana = world.post("/auth/register").json(&body).await.created();
    let ana = Person::new(world.address.clone(), &ana);
    let phone = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    let mut feed = phone.listens().await;
    goes(&ana, PASSWORD).await.ok();
    assert_eq!(feed.ends().await, 4401);
    for person in [&ana, &phone] {
        person.gets("/v3/users/me").await.refused(401);
    }
    world.logs_in(&ana.email, PASSWORD).await.refused(401);
    world.restarts().await;
    phone.gets("/v3/users/me").await.refused(401);
    world.logs_in(&ana.email, PASSWORD).await.refused(401);
    let again = world.post("/auth/register").json(&body).await.created();
    assert_ne!(again["user"]["id"], ana.id);
}

#[tokio::test]
async fn deleted_accounts_messages_keep_its_name() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ben.creates_group("Climbers").await;
    ben.adds(&ana, &climbers).await;
    ana.says(&climbers, "rope at six").await;
    writes(&ana, &ben, "bring chalk").await.created();
    goes(&ana, PASSWORD).await.ok();
    for _ in 0..2 {
        let said = ben.reads(&climbers, "").await;
        let rope = said.iter().find(|it| it["text"] == "rope at six").unwrap();
        assert_eq!((&rope["name"], &rope["user_id"]), (&json!("Ana"), &json!(ana.id)));
        let chats = ben.gets("/v3/chats").await.ok();
        assert_eq!(chats[0]["other_user"]["name"], "Ana");
        let path = format!("/v3/direct_messages?other_user_id={}", ana.id);
        let direct = ben.gets(&path).await.ok();
        assert_eq!(direct["direct_messages"][0]["text"], "bring chalk");
        assert_eq!(direct["direct_messages"][0]["name"], "Ana");
        world.restarts().await;
    }
}

#[tokio::test]
async fn deleted_account_is_unreachable() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ben.creates_group("Climbers").await;
    writes(&ben, &ana, "are you there?").await.created();
    goes(&ana, PASSWORD).await.ok();
    for _ in 0..2 {
        writes(&ben, &ana, "hello?").await.refused(404);
        let block = format!("/v3/blocks?user={}&otherUser={}", ben.id, ana.id);
        ben.posts(&block).await.refused(400);
        for who in [json!({"user_id": ana.id}), json!({"email": ana.email})] {
            let mut item = who;
            item["nickname"] = json!("Ana");
            assert_eq!(ben.adds_items(&climbers, json!([item])).await, Vec::<Value>::new());
        }
        world.restarts().await;
    }
}

/// Only the creator of a bot can remove it, so a bot that stayed would post for ever.
#[tokio::test]
async fn bots_go_with_their_maker() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ben.creates_group("Climbers").await;
    ben.adds(&ana, &climbers).await;
    let bot = json!({"name": "Weather", "group_id": climbers.id});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let rain = json!({"bot_id": text(&bot["bot_id"]), "text": "rain"});
    world.post("/v3/bots/post").json(&rain).await.created();
    goes(&ana, PASSWORD).await.ok();
    world.post("/v3/bots/post").json(&rain).await.refused(404);
}

/// Dan is made the owner while he deletes his account: the group continues, with another owner if
/// need be.
#[tokio::test]
async fn leaving_user_cannot_become_owner() {
    let world = World::start().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    for round in 0..5 {
        let dan = world.registers(&format!("Dan{round}")).await;
        let climbers = ana.creates_group("Climbers").await;
        for other in [&ben, &cara, &dan] {
            ana.adds(other, &climbers).await;
        }
        let (handed, gone) = tokio::join!(ana.hands(&climbers, &dan), goes(&dan, PASSWORD));
        let expected: &[&str] = match (handed.as_str(), gone.status) {
            // Deleting is refused, since Dan already owned the group.
            (_, 409) => &[&ana.id, &ben.id, &cara.id, &dan.id],
            (_, 200) => &[&ana.id, &ben.id, &cara.id],
            other => panic!("{other:?}"),
        };
        let shown = ben.sees(&climbers).await;
        let mut found = members(&shown);
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "round {round}");
        if gone.status == 200 {
            assert_eq!(shown["creator_user_id"], ana.id);
        }
    }
}
