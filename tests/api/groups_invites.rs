//! Adding people who have no account yet (decisions, "Groups and members").

use serde_json::{Value, json};

use crate::group_acts::{member, members};
use crate::world::person::{Person, text};
use crate::world::{PASSWORD, World};

async fn registers(world: &World, email: &str, phone: Option<&str>) -> Person {
    let body = json!({"name": "Cara", "email": email, "password": PASSWORD, "phone_number": phone});
    let welcome = world.post("/auth/register").json(&body).await.created();
    Person::new(world.address.clone(), &welcome)
}

fn by_email(email: &str) -> Value {
    json!([{"nickname": "Cary", "email": email}])
}

#[tokio::test]
async fn an_account_is_found_by_email_or_phone_number() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let cara = registers(&world, "cara@example.org", Some("+1 555 010 3333")).await;
    let [one, other] = [ana.creates_group("One").await, ana.creates_group("Other").await];
    let added = ana.adds_items(&one, by_email("CARA@example.org")).await;
    assert_eq!(added[0]["user_id"], cara.id.as_str());
    let item = json!([{"nickname": "Cary", "phone_number": "(1) 555-010-3333"}]);
    assert_eq!(ana.adds_items(&other, item).await[0]["user_id"], cara.id.as_str());
}

#[tokio::test]
async fn invite_becomes_a_membership_at_registration() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    assert!(ana.adds_items(&climbers, by_email("Cara@Example.org")).await.is_empty());
    assert!(ana.reads(&climbers, "").await.is_empty(), "nobody has come yet");
    let cara = registers(&world, "cara@example.org", None).await;
    let shown = ana.sees(&climbers).await;
    assert_eq!(member(&shown, &cara)["nickname"], "Cary");
    assert_eq!(cara.lists("/v3/groups").await, [climbers.id.as_str()]);
    let added = json!([{"id": cara.id.parse::<u64>().unwrap(), "nickname": "Cary"}]);
    let data = json!({"added_users": added, "adder_user": ana.named()});
    let event = json!({"type": "membership.announce.added", "data": data});
    assert_eq!(cara.reads_events(&climbers, 5).await, [event]);
}

#[tokio::test]
async fn an_invite_by_phone_number_survives_a_restart() {
    let mut world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    let item = json!([{"nickname": "Cary", "phone_number": "+1 (555) 010-3333"}]);
    assert!(ana.adds_items(&climbers, item).await.is_empty());
    world.restarts().await;
    let cara = registers(&world, "other@example.org", Some("15550103333")).await;
    assert_eq!(cara.lists("/v3/groups").await, [climbers.id.as_str()]);
}

#[tokio::test]
async fn invite_waits_for_its_email_or_phone() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let [one, other] = [ana.creates_group("One").await, ana.creates_group("Other").await];
    let item = json!([{"nickname": "Cary", "phone_number": "+1 (555) 010-3333"}]);
    assert!(ana.adds_items(&one, item).await.is_empty());
    assert!(ana.adds_items(&other, by_email("later@example.org")).await.is_empty());
    let cara = registers(&world, "cara@example.org", None).await;
    assert!(cara.lists("/v3/groups").await.is_empty());
    let mut feed = cara.listens().await;
    let changed = json!({"phone_number": "15550103333", "email": "later@example.org"});
    cara.asks("POST", "/v3/users/update").json(&changed).await.ok();
    for _ in 0..2 {
        while feed.next().await["type"] != "membership.create" {}
    }
    let mut groups = cara.lists("/v3/groups").await;
    groups.sort();
    assert_eq!(groups, [one.id.as_str(), other.id.as_str()]);
}

#[tokio::test]
async fn account_joins_each_inviting_group_once() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let [one, other] = [ana.creates_group("One").await, ben.creates_group("Other").await];
    ana.adds_items(&one, by_email("cara@example.org")).await;
    ana.adds_items(&one, by_email("CARA@example.org")).await;
    ben.adds_items(&other, by_email("cara@example.org")).await;
    let cara = registers(&world, "cara@example.org", None).await;
    assert_eq!(cara.lists("/v3/groups").await.len(), 2);
    assert_eq!(cara.reads(&one, "").await.len(), 1);
    ana.removes(&cara, &one).await.ok();
    assert_eq!(cara.lists("/v3/groups").await, [other.id.as_str()], "an invite serves once");
}

#[tokio::test]
async fn uninvited_account_joins_no_group() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds_items(&climbers, by_email("cara@example.org")).await;
    let eve = registers(&world, "cara@example.org.evil", Some("999")).await;
    assert!(eve.lists("/v3/groups").await.is_empty());
    assert_eq!(members(&ana.sees(&climbers).await), [ana.id.as_str()]);
}

#[tokio::test]
async fn the_invites_of_a_destroyed_group_are_gone() {
    let mut world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds_items(&climbers, by_email("cara@example.org")).await;
    ana.destroys(&climbers).await.ok();
    world.restarts().await;
    let cara = registers(&world, "cara@example.org", None).await;
    assert!(cara.lists("/v3/groups").await.is_empty());
    assert!(cara.lists("/v3/groups/former").await.is_empty());
}

#[tokio::test]
async fn registering_while_being_invited_never_loses_the_membership() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    for round in 0..10 {
        let email = format!("cara{round}@example.org");
        let climbers = ana.creates_group("Climbers").await;
        let (added, cara) = tokio::join!(
            ana.adds_items(&climbers, by_email(&email)),
            registers(&world, &email, None)
        );
        assert!(added.len() <= 1);
        let listed = cara.lists("/v3/groups").await;
        assert_eq!(listed, [climbers.id.as_str()], "round {round}");
    }
}

#[tokio::test]
async fn share_links_have_qr_codes() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.posts("/v3/groups").json(&json!({"name": "Climbers", "share": true}));
    let group = group.await.created();
    let link = text(&group["share_url"]).rsplit("/join_group/").next().unwrap().to_owned();
    let code =
        |path: &str| world.get(&format!("/qr/{path}/preview")).header("Host", "image.groupme.com");
    let shown = code(&format!("join_group/{link}")).await;
    assert_eq!((shown.status, shown.header("content-type")), (200, Some("image/png")));
    assert!(shown.bytes.starts_with(b"\x89PNG"));
    assert_eq!(code(&format!("join_group/{link}x")).await.status, 404);
    assert_eq!(code("join_group/999/abc").await.status, 404);
    let contact = code(&format!("contact/{}/abcdefgh", ana.id)).await;
    assert_eq!((contact.status, contact.header("content-type")), (200, Some("image/png")));
    assert_ne!(contact.bytes, shown.bytes);
    assert_eq!(code("contact/x/abc").await.status, 404);
    assert_eq!(code("contact/1/a%2fb").await.status, 404);
}
