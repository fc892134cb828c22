//! Joining by the share URL, leaving, coming back (specification, sections 3 and 4).

use serde_json::json;

use crate::group_acts::{member, members};
use crate::world::World;
use crate::world::person::text;

#[tokio::test]
async fn share_url_joins_and_returns_the_group() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let token = ana.shares(&climbers).await;
    let joined = ben.joins(&climbers, &token).await.ok();
    assert_eq!(joined["group"], ben.sees(&climbers).await);
    assert_eq!(member(&joined["group"], &ben)["nickname"], "Ben");
    assert_eq!(member(&joined["group"], &ben)["roles"], json!(["user"]));
    let event = json!({"type": "membership.announce.joined", "data": {"user": ben.named()}});
    assert_eq!(ben.reads_events(&climbers, 1).await, [event]);
    ben.says(&climbers, "hello").await;
}

#[tokio::test]
async fn a_share_token_works_from_the_creation_of_a_shared_group() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let body = json!({"name": "Climbers", "share": true});
    let created = ana.posts("/v3/groups").json(&body).await.created();
    let path = text(&created["share_url"]).rsplit_once("/join_group/").unwrap().1;
    let (id, token) = path.split_once('/').unwrap();
    ben.posts(&format!("/v3/groups/{id}/join/{token}")).await.ok();
}

#[tokio::test]
async fn a_wrong_share_token_or_group_opens_nothing() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let divers = ana.creates_group("Divers").await;
    let token = ana.shares(&climbers).await;
    ben.joins(&climbers, "wrong").await.refused(404);
    ben.joins(&divers, &token).await.refused(404);
    ben.posts(&format!("/v3/groups/99999999/join/{token}")).await.refused(404);
    ben.posts(&format!("/v3/groups/x/join/{token}")).await.refused(404);
    assert!(ben.lists("/v3/groups").await.is_empty());
}

#[tokio::test]
async fn joining_again_answers_the_group_unchanged() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let token = ana.shares(&climbers).await;
    let first = ben.joins(&climbers, &token).await.ok();
    assert_eq!(ben.joins(&climbers, &token).await.ok(), first);
    assert_eq!(ben.rejoins(&climbers).await.ok(), first["group"]);
    assert_eq!(ben.reads(&climbers, "").await.len(), 2, "no line about nothing");
}

#[tokio::test]
async fn former_member_rejoins_with_nickname() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds_items(&climbers, json!([{"nickname": "Benny", "user_id": ben.id}])).await;
    ben.leaves(&climbers).await;
    let back = ben.rejoins(&climbers).await.ok();
    assert_eq!(back, ben.sees(&climbers).await);
    assert_eq!(member(&back, &ben)["nickname"], "Benny");
    let user = json!({"id": ben.id.parse::<u64>().unwrap(), "nickname": "Benny"});
    let event = json!({"type": "membership.announce.rejoined", "data": {"user": user}});
    assert_eq!(ben.reads_events(&climbers, 1).await, [event]);
}

#[tokio::test]
async fn rejoin_takes_group_id_from_body_form_query_or_path() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let id: u64 = climbers.id.parse().unwrap();
    let form = "application/x-www-form-urlencoded";
    let ways = [
        ben.posts("/v3/groups/join").json(&json!({"group_id": id})),
        ben.posts("/v3/groups/join").body(form, format!("group_id={id}")),
        ben.posts(&format!("/v3/groups/join?group_id={id}")),
        ben.posts(&format!("/v3/groups/{id}/rejoin")),
    ];
    for way in ways {
        ben.leaves(&climbers).await;
        assert_eq!(way.await.ok()["id"], climbers.id.as_str());
    }
}

#[tokio::test]
async fn rejoin_requires_a_left_group() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ben.rejoins(&climbers).await.refused(404);
    ben.posts(&climbers.path("/rejoin")).await.refused(404);
    let join = |body| ben.posts("/v3/groups/join").json(&body);
    assert_eq!(join(json!({})).await.refused(400), ["group_id is required"]);
    assert_eq!(join(json!({"group_id": "x"})).await.refused(400), ["group_id is not an id"]);
    join(json!({"group_id": "99999999"})).await.refused(404);
}

#[tokio::test]
async fn removed_member_returns_only_by_share_url_or_add() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.removes(&ben, &climbers).await.ok();
    ben.rejoins(&climbers).await.refused(403);
    let token = ana.shares(&climbers).await;
    ben.joins(&climbers, &token).await.ok();
    ana.removes(&ben, &climbers).await.ok();
    ana.adds(&ben, &climbers).await;
    assert!(members(&ben.sees(&climbers).await).contains(&ben.id.as_str()));
}

#[tokio::test]
async fn left_group_is_listed_as_former_until_rejoined() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let [climbers, divers] =
        [ana.creates_group("Climbers").await, ana.creates_group("Divers").await];
    ana.adds(&ben, &climbers).await;
    ana.adds(&ben, &divers).await;
    assert!(ben.lists("/v3/groups/former").await.is_empty());
    ben.leaves(&climbers).await;
    ana.removes(&ben, &divers).await.ok();
    assert!(ben.lists("/v3/groups").await.is_empty());
    assert_eq!(ben.lists("/v3/groups/former").await, [climbers.id.as_str()], "not the other one");
    ben.rejoins(&climbers).await.ok();
    assert!(ben.lists("/v3/groups/former").await.is_empty());
    assert_eq!(ben.lists("/v3/groups").await, [climbers.id.as_str()]);
}

#[tokio::test]
async fn former_group_shows_settings_only() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.shares(&climbers).await;
    ben.leaves(&climbers).await;
    ana.says(&climbers, "now that he is gone").await;
    let former = ben.gets("/v3/groups/former").await.ok()[0].clone();
    assert_eq!((&former["id"], &former["name"]), (&json!(climbers.id), &json!("Climbers")));
    assert_eq!(former["creator_user_id"], ana.id.as_str());
    assert_eq!(former["members"], json!([]));
    assert_eq!(former["messages"]["count"], 0);
    assert_eq!(former["messages"]["preview"]["text"], json!(null));
    assert!(former.get("share_url").is_none());
}

#[tokio::test]
async fn share_url_shows_the_group_without_account() {
    let world = World::start().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let token = ana.shares(&climbers).await;
    ben.joins(&climbers, &token).await.ok();
    let path = format!("/v3/groups/{}/join/{token}", climbers.id);
    let shown = world.get(&path).await.ok();
    let by = |nickname: &str, id: &str| {
        json!({
            "group": {
                "id": climbers.id, "name": "Climbers", "description": null, "image_url": null,
                "members_count": 2, "requires_approval": false, "show_join_question": false,
                "join_question": null,
            },
            "invited_by": {"user_id": id, "nickname": nickname, "image_url": null},
        })
    };
    assert_eq!(shown, by("Ana", &ana.id));
    let passed_on = |id: &str| world.get(&format!("{path}?from={id}"));
    assert_eq!(passed_on(&ben.id).await.ok(), by("Ben", &ben.id));
    assert_eq!(passed_on(&cara.id).await.ok(), by("Ana", &ana.id), "Cara is no member");
    let wrong = format!("/v3/groups/{}/join/wrong", climbers.id);
    world.get(&wrong).await.refused(404);
    ana.posts(&format!("/v3/groups/{}/update", climbers.id))
        .json(&json!({"share": false}))
        .await
        .ok();
    world.get(&path).await.refused(404);
}
