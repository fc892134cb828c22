//! Removing, leaving and nicknames (specification, section 4, Members).

use serde_json::{Value, json};

use crate::group_acts::{member, members};
use crate::world::World;

#[tokio::test]
async fn removed_member_loses_the_group() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    assert_eq!(ana.removes(&ben, &climbers).await.ok(), Value::Null);
    ben.gets(&climbers.path("")).await.refused(404);
    ben.gets(&climbers.path("/messages")).await.refused(404);
    ben.posting(&climbers, json!({"text": "hello?"})).await.refused(404);
    let data = json!({"remover_user": ana.named(), "removed_user": ben.named()});
    let event = json!({"type": "membership.notifications.removed", "data": data});
    assert_eq!(ana.reads_events(&climbers, 1).await, [event]);
    assert_eq!(members(&ana.sees(&climbers).await), [ana.id.as_str()]);
}

#[tokio::test]
async fn every_member_may_leave() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ben.leaves(&climbers).await;
    ben.gets(&climbers.path("")).await.refused(404);
    let data = json!({"removed_user": ben.named()});
    let event = json!({"type": "membership.notifications.exited", "data": data});
    assert_eq!(ana.reads_events(&climbers, 1).await, [event]);
}

#[tokio::test]
async fn removal_follows_roles() {
    let world = World::start().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&cara, &climbers).await;
    ben.removes(&cara, &climbers).await.refused(403);
    ben.removes(&ana, &climbers).await.refused(403);
    assert_eq!(ana.hands(&climbers, &ben).await, "200");
    // By now Ana is an admin, and Ben the owner.
    ana.removes(&ben, &climbers).await.refused(403);
    ana.removes(&cara, &climbers).await.ok();
    ana.leaves(&climbers).await;
}

#[tokio::test]
async fn the_owner_can_neither_leave_nor_be_removed() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.removes(&ana, &climbers).await.refused(403);
    assert_eq!(ana.hands(&climbers, &ben).await, "200");
    ana.leaves(&climbers).await;
    ben.removes(&ben, &climbers).await.refused(403);
}

#[tokio::test]
async fn unknown_membership_cannot_be_ended() {
    let world = World::start().await;
    let [ana, ben, eve] = world.people(["Ana", "Ben", "Eve"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let bens = member(&ana.sees(&climbers).await, &ben)["id"].as_str().unwrap().to_owned();
    let remove = |id: &str| climbers.path(&format!("/members/{id}/remove"));
    ana.posts(&remove(&ben.id)).await.refused(404);
    ana.posts(&remove("99999999")).await.refused(404);
    ana.posts(&remove("x")).await.refused(404);
    eve.posts(&remove(&bens)).await.refused(404);
    ana.posts(&remove(&bens)).await.ok();
    ana.posts(&remove(&bens)).await.refused(404);
    ben.posts(&remove(&bens)).await.refused(404);
}

#[tokio::test]
async fn a_new_stay_has_a_membership_of_its_own() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let first = member(&ana.sees(&climbers).await, &ben)["id"].clone();
    ben.leaves(&climbers).await;
    let back = ben.rejoins(&climbers).await.ok();
    assert_ne!(member(&back, &ben)["id"], first);
    assert_ne!(member(&back, &ben)["id"], ben.id.as_str());
}

#[tokio::test]
async fn former_admin_rejoins_as_member() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    assert_eq!(ana.hands(&climbers, &ben).await, "200");
    ana.leaves(&climbers).await;
    let back = ana.rejoins(&climbers).await.ok();
    assert_eq!(member(&back, &ana)["roles"], json!(["user"]));
}

#[tokio::test]
async fn nickname_changes_in_one_group() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let divers = ana.creates_group("Divers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&ben, &divers).await;
    let body = json!({"membership": {"nickname": "Benny"}});
    let path = climbers.path("/memberships/update");
    let membership = ben.posts(&path).json(&body).await.ok();
    let shown = ben.sees(&climbers).await;
    assert_eq!(membership["id"], member(&shown, &ben)["id"]);
    assert_eq!(membership["user_id"], ben.id.as_str());
    assert_eq!(membership["nickname"], "Benny");
    for (field, value) in [("muted", false), ("autokicked", false), ("app_installed", true)] {
        assert_eq!(membership[field], value);
    }
    assert!(membership.get("image_url").is_some() && membership.get("guid").is_none());
    assert_eq!(member(&shown, &ben)["nickname"], "Benny");
    assert_eq!(member(&shown, &ben)["name"], "Ben");
    assert_eq!(member(&ben.sees(&divers).await, &ben)["nickname"], "Ben");
    let data = json!({"user": ben.named(), "name": "Benny"});
    let event = json!({"type": "membership.nickname_changed", "data": data});
    assert_eq!(ana.reads_events(&climbers, 1).await, [event]);
    assert_eq!(ben.says(&climbers, "it is me").await["name"], "Benny");
}

#[tokio::test]
async fn a_nickname_has_1_to_255_characters() {
    let world = World::start().await;
    let [ana, eve] = world.people(["Ana", "Eve"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let path = climbers.path("/memberships/update");
    let rename = |body: Value| ana.posts(&path).json(&body);
    let named = |nickname: String| json!({"membership": {"nickname": nickname}});
    for chars in [1, 50, 51, 255] {
        let nickname = "🧗".repeat(chars);
        assert_eq!(rename(named(nickname.clone())).await.ok()["nickname"], nickname);
    }
    rename(named(String::new())).await.refused(400);
    rename(named("n".repeat(256))).await.refused(400);
    assert_eq!(rename(json!({})).await.refused(400), ["membership is required"]);
    let errors = rename(json!({"membership": {}})).await.refused(400);
    assert_eq!(errors, ["membership.nickname is required"]);
    eve.posts(&path).json(&named("Eve".to_owned())).await.refused(404);
}

#[tokio::test]
async fn group_states_its_member_limit() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    assert_eq!(ana.sees(&climbers).await["max_members"], 10_000);
    let item = json!({"nickname": "x", "user_id": "1"});
    let body = json!({"members": vec![item; 1001]});
    let errors = ana.posts(&climbers.path("/members/add")).json(&body).await.refused(400);
    assert_eq!(errors, ["members has 1001 entries, at most 1000 are allowed"]);
}
