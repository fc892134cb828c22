//! Members: adding people, and the results of that (specification, section 4, Members).

use serde_json::{Value, json};

use crate::world::answer::Answer;
use crate::world::person::{Group, Person, SOON, text};
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

#[tokio::test]
async fn members_are_added_by_id_email_or_phone() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let dee = json!({"name": "Dee", "email": "dee@example.org", "password": PASSWORD,
        "phone_number": "+1 555 010 1234"});
    let dee = world.post("/auth/register").json(&dee).await.created();
    let climbers = ana.creates_group("Climbers").await;
    let items = json!([
        {"nickname": "B", "user_id": ben.id, "guid": "g-ben"},
        {"nickname": "C", "email": cem.email.to_uppercase(), "guid": "g-cem"},
        {"nickname": "D", "phone_number": "1 (555) 010-1234"},
    ]);
    let members = ana.adds_items(&climbers, items).await;
    assert_eq!(members.len(), 3, "{members:?}");
    let named = |member: &Value| (member["user_id"].clone(), member["nickname"].clone());
    assert_eq!(named(&members[0]), (json!(ben.id), json!("B")));
    assert_eq!(named(&members[1]), (json!(cem.id), json!("C")));
    assert_eq!(named(&members[2]), (dee["user"]["id"].clone(), json!("D")));
    assert_eq!((&members[0]["guid"], &members[1]["guid"]), (&json!("g-ben"), &json!("g-cem")));
    assert!(!text(&members[2]["guid"]).is_empty(), "the service makes a guid");
    assert_eq!(
        members[0],
        json!({"id": members[0]["id"], "user_id": ben.id, "nickname": "B", "muted": false,
            "muted_until": null, "image_url": null, "autokicked": false, "app_installed": true, "guid": "g-ben"})
    );
    let group = ben.gets(&climbers.path("")).await.ok();
    assert_eq!(group["members"].as_array().unwrap().len(), 4);
    assert_eq!(group["members"][1]["roles"], json!(["user"]));
    assert_eq!(group["members"][1]["name"], "Ben");
}

#[tokio::test]
async fn unknown_invitees_are_skipped_and_others_added() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let items = json!([
        {"nickname": "Nobody", "user_id": "99999999"},
        {"nickname": "Ben", "user_id": ben.id, "guid": "once"},
        {"nickname": "Guest", "email": "guest@example.org"},
        {"nickname": "Ring", "phone_number": "555 0000"},
        {"nickname": "Ben again", "email": ben.email, "guid": "twice"},
        {"nickname": "Myself", "user_id": ana.id, "guid": "me"},
    ]);
    let members = ana.adds_items(&climbers, items).await;
    let seen: Vec<_> = members.iter().map(|it| (text(&it["guid"]), text(&it["user_id"]))).collect();
    assert_eq!(
        seen,
        [("once", ben.id.as_str()), ("twice", ben.id.as_str()), ("me", ana.id.as_str())]
    );
    assert_eq!(members[0]["id"], members[1]["id"], "one membership");
    let group = ana.gets(&climbers.path("")).await.ok();
    assert_eq!(group["members"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn adding_several_members_writes_one_line() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let items = json!([
        {"nickname": "Ben", "user_id": ben.id},
        {"nickname": "Cem", "user_id": cem.id},
    ]);
    ana.adds_items(&climbers, items).await;
    let messages = cem.reads(&climbers, "").await;
    assert_eq!(messages.len(), 1);
    let line = &messages[0];
    assert_eq!(line["text"], "Ana added Ben, Cem to the group.");
    assert_eq!((&line["system"], &line["sender_type"]), (&json!(true), &json!("system")));
    assert_eq!((&line["sender_id"], &line["user_id"]), (&json!("system"), &json!("system")));
    assert!(!text(&line["name"]).is_empty() && !text(&line["source_guid"]).is_empty());
    let number = |id: &str| id.parse::<u64>().unwrap();
    assert_eq!(
        line["event"],
        json!({"type": "membership.announce.added", "data": {
            "added_users": [{"id": number(&ben.id), "nickname": "Ben"},
                {"id": number(&cem.id), "nickname": "Cem"}],
            "adder_user": {"id": number(&ana.id), "nickname": "Ana"}}})
    );
    // Adding somebody who is already a member writes no second line.
    ana.adds(&ben, &climbers).await;
    assert_eq!(ana.reads(&climbers, "").await.len(), 1);
}

#[tokio::test]
async fn newly_added_member_may_add_others() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ben.adds(&cem, &climbers).await;
    assert_eq!(cem.says(&climbers, "hello").await["name"], "Cem");
}

#[tokio::test]
async fn defects_of_an_item_are_named_and_nobody_is_added() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let one = "or phone_number or email is required, exactly one of them";
    let add = |items: Value| ana.posts(&climbers.path("/members/add")).json(&items);
    let items = json!({"members": [
        {"nickname": "Ben", "user_id": ben.id},
        {"user_id": ben.id},
        {"nickname": "", "user_id": ben.id},
        {"nickname": "n".repeat(256), "user_id": ben.id},
        {"nickname": "Ben"},
        {"nickname": "Ben", "user_id": ben.id, "email": ben.email},
        {"nickname": "Ben", "user_id": "ben"},
        {"nickname": "Ben", "email": "ben"},
        {"nickname": "Ben", "phone_number": "call"},
        "Ben",
    ]});
    assert_eq!(
        add(items).await.refused(400),
        [
            "members[1].nickname is required".to_owned(),
            "members[2].nickname is required".to_owned(),
            "members[3].nickname is too long: 256 characters, at most 255 are allowed".to_owned(),
            format!("members[4].user_id {one}"),
            format!("members[5].user_id {one}"),
            "members[6].user_id is not an id".to_owned(),
            "members[7].email must have the form name@domain".to_owned(),
            "members[8].phone_number must be a phone number of 3 to 15 digits".to_owned(),
            "members[9] must be an object".to_owned(),
        ]
    );
    assert_eq!(add(json!({})).await.refused(400), ["members is required"]);
    assert_eq!(add(json!({"members": {}})).await.refused(400), ["members must be an array"]);
    let group = ana.gets(&climbers.path("")).await.ok();
    assert_eq!(group["members"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn nicknames_of_fifty_and_of_255_characters_are_accepted() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let (short, long) = ("🧗".repeat(50), "🧗".repeat(255));
    let items = json!([
        {"nickname": short, "user_id": ben.id},
        {"nickname": long, "user_id": cem.id},
    ]);
    let members = ana.adds_items(&climbers, items).await;
    assert_eq!((text(&members[0]["nickname"]), text(&members[1]["nickname"])), (&*short, &*long));
    assert_eq!(cem.says(&climbers, "hello").await["name"], long);
}

#[tokio::test]
async fn results_are_not_ready_then_there_and_gone_after_an_hour() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let (request, early) = asks_too_early(&ana, &climbers).await;
    let path = climbers.path(&format!("/members/results/{request}"));
    assert_eq!(early.refused(503), ["results are not ready, try again shortly"]);
    assert_eq!(early.header("retry-after"), Some("1"));
    assert_eq!(ana.sees_results(&climbers, &request).await, Vec::<Value>::new());
    world.seconds_pass(3599);
    ana.gets(&path).await.ok();
    world.restarts().await;
    ana.gets(&path).await.ok();
    world.seconds_pass(1);
    assert_eq!(ana.gets(&path).await.refused(404), ["results are no longer available"]);
    world.restarts().await;
    ana.gets(&path).await.refused(404);
    ana.gets(&climbers.path("/members/results/abc")).await.refused(404);
    ana.gets(&climbers.path("/members/results/1")).await.refused(404);
}

/// Adds people until the results are requested before all of them are looked up: a thousand take a
/// while, but on a busy machine the request for the results may take longer.
async fn asks_too_early(ana: &Person, climbers: &Group) -> (String, Answer) {
    let nobody = |number: u32| json!({"nickname": "N", "email": format!("n{number}@example.org")});
    let items: Vec<Value> = (0..1000).map(nobody).collect();
    for _ in 0..50 {
        let asked = ana.posts(&climbers.path("/members/add")).json(&json!({"members": items}));
        let request = text(&asked.await.accepted()["results_id"]).to_owned();
        let answer = ana.gets(&climbers.path(&format!("/members/results/{request}"))).await;
        if answer.status == 503 {
            return (request, answer);
        }
    }
    panic!("fifty times the results were there at once");
}

#[tokio::test]
async fn interrupted_add_request_completes_after_restart() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let nobody = |number: u32| json!({"nickname": "N", "email": format!("n{number}@example.org")});
    let mut items: Vec<Value> = (0..999).map(nobody).collect();
    items.push(json!({"nickname": "Ben", "user_id": ben.id}));
    let asked = ana.posts(&climbers.path("/members/add")).json(&json!({"members": items}));
    let request = text(&asked.await.accepted()["results_id"]).to_owned();
    world.restarts().await;
    let settled = tokio::time::timeout(SOON, ana.sees_results(&climbers, &request)).await;
    let settled = settled.unwrap();
    assert_eq!(settled.len(), 1);
    assert_eq!(settled[0]["user_id"], ben.id);
    assert_eq!(ben.reads_texts(&climbers, "").await, ["Ana added Ben to the group."]);
}

#[tokio::test]
async fn stranger_limit_blocks_adding_for_10_minutes() {
    let world = World::with(Setup::default().option("--dm-limit", "300/1m,2/10m")).await;
    let [ana, ben, cem, dan, eve, fay] =
        world.people(["Ana", "Ben", "Cem", "Dan", "Eve", "Fay"]).await;
    let (climbers, divers) = (ana.creates_group("Climbers").await, ana.creates_group("D").await);
    let writing =
        json!({"direct_message": {"recipient_id": ana.id, "source_guid": "g", "text": "?"}});
    fay.posts("/v3/direct_messages").json(&writing).await.created();
    ana.adds(&ben, &climbers).await;
    // Acquaintances: somebody of a shared group, and somebody with a chat.
    ana.adds_items(
        &divers,
        json!([{"nickname": "Ben", "user_id": ben.id}, {"nickname": "Fay", "user_id": fay.id}]),
    )
    .await;
    let add =
        |item: Value| ana.posts(&climbers.path("/members/add")).json(&json!({"members": item}));
    let many = json!([{"nickname": "C", "user_id": cem.id}, {"nickname": "D", "email": dan.email}]);
    let refused = add(many).await;
    assert_eq!(refused.header("retry-after"), Some("600"));
    let reason = "you may add at most 2 people with whom you share no group and no chat in 600 \
                  seconds; others can join with the share link";
    assert_eq!(refused.refused(429), [reason]);
    let nobody = json!([{"nickname": "N", "email": "nobody@example.org"}]);
    for item in [json!([{"nickname": "Eve", "email": eve.email}]), nobody] {
        assert_eq!(add(item).await.refused(429), [reason], "alike with and without an account");
    }
    ana.adds(&fay, &climbers).await;
    assert_eq!(cem.gets("/v3/groups").await.ok(), json!([]));
    world.clock.pass(600_000);
    ana.adds(&cem, &climbers).await;
}

#[tokio::test]
async fn one_user_puts_a_stranger_into_few_groups() {
    let world = World::with(Setup::default().option("--dm-limit", "300/1m,3/10m")).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut groups = Vec::new();
    for name in ["Climbers", "Divers", "Runners", "Rowers"] {
        groups.push(ana.creates_group(name).await);
    }
    for group in &groups[..3] {
        ana.adds(&ben, group).await;
    }
    let item = json!({"members": [{"nickname": "Ben", "user_id": ben.id}]});
    let refused = ana.posts(&groups[3].path("/members/add")).json(&item).await;
    assert_eq!(refused.header("retry-after"), Some("600"));
    let reason = "you may add the same person to at most 3 groups in 600 seconds";
    assert_eq!(refused.refused(429), [reason]);
    // Who is in the group already is not put into it.
    ana.adds(&ben, &groups[0]).await;
    world.clock.pass(600_000);
    ana.adds(&ben, &groups[3]).await;
}

#[tokio::test]
async fn a_server_without_rate_limits_counts_no_additions() {
    let setup = Setup::default().option("--dm-limit", "300/1m,1/10m").option("--rate-limit", "off");
    let world = World::with(setup).await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&cem, &climbers).await;
}

#[tokio::test]
async fn a_thousand_items_are_enough_for_one_request() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let items = vec![json!({"nickname": "N", "user_id": "1"}); 1001];
    let add = ana.posts(&climbers.path("/members/add")).json(&json!({"members": items}));
    let errors = add.await.refused(400);
    assert_eq!(errors, ["members has 1001 entries, at most 1000 are allowed"]);
}
