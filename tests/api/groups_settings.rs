//! Changing and ending groups (specification, section 4: update, destroy).

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, text};

#[tokio::test]
async fn group_update_changes_named_fields() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    world.seconds_pass(60);
    let change = json!({"name": "Bergsteiger", "description": "ropes"});
    let updated = ana.updates(&climbers, change).await.ok();
    assert_eq!(updated["name"], "Bergsteiger");
    assert_eq!(updated["description"], "ropes");
    assert_eq!(updated["updated_at"], 1_800_000_060);
    assert_eq!(updated["messages"]["count"], 2);
    assert_eq!(updated, ana.sees(&climbers).await);
    let kept = ana.updates(&climbers, json!({"name": null, "office_mode": true})).await.ok();
    assert_eq!(kept["name"], "Bergsteiger", "null is absent");
    assert_eq!(kept["description"], "ropes");
    assert_eq!(kept["office_mode"], true);
}

#[tokio::test]
async fn an_empty_description_or_picture_goes_away() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    let image = ana.has_image().await;
    let given = json!({"description": "ropes", "image_url": image});
    assert_eq!(ana.updates(&climbers, given).await.ok()["image_url"], image.as_str());
    let taken = ana.updates(&climbers, json!({"description": "", "image_url": ""})).await.ok();
    assert_eq!((&taken["description"], &taken["image_url"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn group_update_has_the_limits_of_create() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    let fits = json!({"name": "🧗".repeat(140), "description": "d".repeat(255)});
    ana.updates(&climbers, fits).await.ok();
    let wrong = json!({"name": "n".repeat(141), "description": "d".repeat(256),
        "image_url": "https://elsewhere.example/x.png", "office_mode": "maybe", "share": 7});
    let errors = ana.updates(&climbers, wrong).await.refused(400);
    let told = [
        "name is too long: 141 characters, at most 140 are allowed",
        "description is too long: 256 characters, at most 255 are allowed",
        "image_url must be the URL of an image of this server",
        "office_mode must be true or false",
        "share must be true or false",
    ];
    assert_eq!(errors, told);
    // An empty name counts as absent, so this changes nothing.
    ana.updates(&climbers, json!({"name": ""})).await.ok();
    assert_eq!(ana.sees(&climbers).await["name"], "🧗".repeat(140), "nothing half done");
}

#[tokio::test]
async fn several_changes_in_one_update_give_a_line_each() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    let image = ana.has_image().await;
    let change = json!({"name": "Bergsteiger", "description": "ropes", "image_url": image,
        "office_mode": true, "share": true});
    let updated = ana.updates(&climbers, change).await.ok();
    let user = ana.named();
    let mut events = ana.reads_events(&climbers, 10).await;
    events.reverse();
    let told = [
        json!({"type": "group.name_change", "data": {"user": user, "name": "Bergsteiger"}}),
        json!({"type": "group.topic_change", "data": {"user": user, "topic": "ropes"}}),
        json!({"type": "group.avatar_change", "data": {"user": user, "avatar_url": image}}),
        json!({"type": "group.type_change",
            "data": {"user": user, "type": "closed", "message_edit_period": 2_147_483_647_u32}}),
        json!({"type": "group.office_mode_enabled", "data": {"user": user}}),
        json!({"type": "group.shared", "data": {"user": user, "share_url": updated["share_url"]}}),
    ];
    assert_eq!(events, told);
    let line = ana.reads(&climbers, "?limit=1").await.remove(0);
    assert_eq!((&line["system"], &line["sender_id"]), (&json!(true), &json!("system")));
    assert_eq!(line["sender_type"], "system");
    assert!(!text(&line["name"]).is_empty() && !text(&line["source_guid"]).is_empty());
}

#[tokio::test]
async fn unchanged_group_settings_send_no_event() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    ana.updates(&climbers, json!({"name": "Climbers", "share": false})).await.ok();
    ana.updates(&climbers, json!({})).await.ok();
    assert!(ana.reads(&climbers, "").await.is_empty());
}

#[tokio::test]
async fn share_token_changes_after_sharing_was_off() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    assert!(ana.sees(&climbers).await.get("share_url").is_none());
    let first = ana.shares(&climbers).await;
    assert_eq!(ana.shares(&climbers).await, first);
    let url = ana.sees(&climbers).await["share_url"].clone();
    assert_eq!(text(&url), world.address.url(&format!("/join_group/{}/{first}", climbers.id)));
    let off = ana.updates(&climbers, json!({"share": false})).await.ok();
    assert!(off.get("share_url").is_none());
    ben.joins(&climbers, &first).await.refused(404);
    let second = ana.shares(&climbers).await;
    assert_ne!(second, first);
    ben.joins(&climbers, &first).await.refused(404);
    ben.joins(&climbers, &second).await.ok();
}

#[tokio::test]
async fn any_member_may_change_settings_unless_office_mode_is_on() {
    let world = World::start().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ben.updates(&climbers, json!({"name": "Ben's"})).await.ok();
    ana.updates(&climbers, json!({"office_mode": true})).await.ok();
    ben.updates(&climbers, json!({"name": "Ben's again"})).await.refused(403);
    let item = json!({"members": [{"nickname": "Cara", "user_id": cara.id}]});
    ben.posts(&climbers.path("/members/add")).json(&item).await.refused(403);
    ben.says(&climbers, "talking is free").await;
    ana.updates(&climbers, json!({"office_mode": false})).await.ok();
    ben.updates(&climbers, json!({"name": "Ben's again"})).await.ok();
}

#[tokio::test]
async fn a_group_may_begin_in_office_mode() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let body = json!({"name": "Office", "office_mode": true});
    let created = ana.posts("/v3/groups").json(&body).await.created();
    assert_eq!(created["office_mode"], true);
    let office = Group { id: text(&created["id"]).to_owned() };
    ana.adds(&ben, &office).await;
    ben.updates(&office, json!({"name": "Ben's"})).await.refused(403);
    let body = json!({"name": "Office", "office_mode": "maybe"});
    let errors = ana.posts("/v3/groups").json(&body).await.refused(400);
    assert_eq!(errors, ["office_mode must be true or false"]);
}

#[tokio::test]
async fn strangers_neither_update_nor_destroy() {
    let world = World::start().await;
    let [ana, eve] = world.people(["Ana", "Eve"]).await;
    let climbers = ana.creates_group("Climbers").await;
    eve.updates(&climbers, json!({"name": "Eve's"})).await.refused(404);
    eve.destroys(&climbers).await.refused(404);
    for path in ["/v3/groups/12345678", "/v3/groups/climbers"] {
        ana.posts(&format!("{path}/update")).json(&json!({"name": "x"})).await.refused(404);
        ana.posts(&format!("{path}/destroy")).await.refused(404);
    }
}

#[tokio::test]
async fn only_the_owner_destroys_a_group() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let token = ana.shares(&climbers).await;
    ben.destroys(&climbers).await.refused(403);
    assert_eq!(ana.destroys(&climbers).await.ok(), Value::Null);
    for person in [&ana, &ben] {
        person.gets(&climbers.path("")).await.refused(404);
        person.gets(&climbers.path("/messages")).await.refused(404);
        person.posting(&climbers, json!({"text": "hello?"})).await.refused(404);
        assert!(person.lists("/v3/groups").await.is_empty());
        assert!(person.lists("/v3/groups/former").await.is_empty());
        person.rejoins(&climbers).await.refused(404);
        person.joins(&climbers, &token).await.refused(404);
    }
    ana.destroys(&climbers).await.refused(404);
}

#[tokio::test]
async fn destroyed_groups_id_is_never_reused() {
    let mut world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    ana.destroys(&climbers).await.ok();
    world.restarts().await;
    ana.gets(&climbers.path("")).await.refused(404);
    let divers = ana.creates_group("Divers").await;
    assert!(divers.id.parse::<u64>().unwrap() > climbers.id.parse::<u64>().unwrap());
}
