//! Groups: creating, listing, loading (specification, section 4, Groups).

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, Person, text};

#[tokio::test]
async fn a_new_group_has_its_creator_and_no_messages() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let body = json!({"name": "Climbers", "description": "ropes"});
    let group = ana.posts("/v3/groups").json(&body).await.created();
    let id = text(&group["id"]);
    assert!(id.len() == 8 && id.parse::<u64>().is_ok(), "{id}");
    let members = group["members"].as_array().unwrap();
    assert_eq!(members.len(), 1);
    assert_eq!(
        members[0],
        json!({"id": members[0]["id"], "user_id": ana.id, "nickname": "Ana", "name": "Ana",
            "image_url": null, "muted": false, "muted_until": null, "autokicked": false,
            "roles": ["admin", "owner"]})
    );
    let expected = json!({
        "id": id, "group_id": id, "name": "Climbers", "type": "private", "description": "ropes",
        "image_url": null, "creator_user_id": ana.id, "created_at": 1_800_000_000_u64,
        "updated_at": 1_800_000_000_u64, "office_mode": false, "mention_all": "admins", "slow_mode": 0, "max_members": 10_000,
        "requires_approval": false, "show_join_question": false, "join_question": null,
        "visibility": "hidden",
        "archived_at": null,
        "frozen": null,
        "message_edit_period": 2_147_483_647, "message_deletion_period": 2_147_483_647,
        "message_deletion_mode": ["sender", "admin"],
        "members": members, "messages": {"count": 0, "last_message_id": null,
            "last_message_created_at": null, "preview": {"nickname": null, "text": null,
            "image_url": null, "attachments": []}},
    });
    assert_eq!(group, expected);
    let climbers = Group { id: id.to_owned() };
    assert_eq!(ana.sees(&climbers).await, expected);
    let mut listed = expected;
    (listed["unread_count"], listed["unread_mentions"]) = (json!(0), json!(0));
    assert_eq!(ana.gets("/v3/groups").await.ok(), json!([listed]));
    ana.gets(&format!("/v3/groups/{id}/messages")).await.nothing_found();
}

#[tokio::test]
async fn lengths_are_limited_in_characters() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let full = json!({"name": "🧗".repeat(140), "description": "👩🏽".repeat(127) + "é"});
    let group = ana.posts("/v3/groups").json(&full).await.created();
    assert_eq!((&group["name"], &group["description"]), (&full["name"], &full["description"]));
    let over = json!({"name": "🧗".repeat(141), "description": "é".repeat(256)});
    assert_eq!(
        ana.posts("/v3/groups").json(&over).await.refused(400),
        [
            "name is too long: 141 characters, at most 140 are allowed",
            "description is too long: 256 characters, at most 255 are allowed",
        ]
    );
    let empty = json!({"name": "", "description": ""});
    assert_eq!(ana.posts("/v3/groups").json(&empty).await.refused(400), ["name is required"]);
}

#[tokio::test]
async fn new_group_reports_all_problems() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let body = json!({"name": {"a": 1}, "description": [], "share": "maybe",
        "image_url": "https://elsewhere.example.org/1x1.png.0123456789abcdef"});
    assert_eq!(
        ana.posts("/v3/groups").json(&body).await.refused(400),
        [
            "name must be a string",
            "description must be a string",
            "image_url must be the URL of an image of this server",
            "share must be true or false",
        ]
    );
    assert_eq!(ana.gets("/v3/groups").await.ok(), json!([]), "nothing was created");
}

#[tokio::test]
async fn an_image_of_this_server_is_kept_and_shown() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let image = ana.has_image().await;
    let body = json!({"name": "Climbers", "image_url": image});
    let group = ana.posts("/v3/groups").json(&body).await.created();
    assert_eq!(group["image_url"], image);
}

#[tokio::test]
async fn sharing_gives_a_url_that_anyone_can_open() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let body = json!({"name": "Climbers", "share": true});
    let group = ana.posts("/v3/groups").json(&body).await.created();
    let url = text(&group["share_url"]);
    let prefix = world.address.url(&format!("/join_group/{}/", text(&group["id"])));
    let token = url.strip_prefix(&prefix).unwrap();
    assert!(token.len() >= 20 && token.bytes().all(|sign| sign.is_ascii_alphanumeric()), "{token}");
    let private = ana.posts("/v3/groups").json(&json!({"name": "Private"})).await.created();
    assert_eq!(private.get("share_url"), None);
}

#[tokio::test]
async fn strangers_learn_nothing_of_a_group() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let request = ana.posts(&climbers.path("/members/add")).json(&json!({"members": []}));
    let request = text(&request.await.accepted()["results_id"]).to_owned();
    let results = format!("/members/results/{request}");
    for below in ["", "/messages", results.as_str()] {
        let hidden = ben.gets(&climbers.path(below)).await;
        let absent = ben.gets(&format!("/v3/groups/99999999{below}")).await;
        hidden.refused(404);
        assert_eq!(hidden.text, absent.text, "{below}");
    }
    ben.posting(&climbers, json!({"text": "let me in"})).await.refused(404);
    let add = json!({"members": [{"nickname": "Ben", "user_id": ben.id}]});
    ben.posts(&climbers.path("/members/add")).json(&add).await.refused(404);
    assert_eq!(ben.gets("/v3/groups").await.ok(), json!([]));
    assert_eq!(ana.reads(&climbers, "").await, Vec::<Value>::new());
}

#[tokio::test]
async fn malformed_group_id_gives_404() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for id in ["abc", "-1", "+1", "1.0", "0x10", "99999999999999999999", "%20", "1%2F2"] {
        ana.gets(&format!("/v3/groups/{id}")).await.refused(404);
        ana.gets(&format!("/v3/groups/{id}/messages")).await.refused(404);
    }
}

async fn names(person: &Person, query: &str) -> Vec<String> {
    let listed = person.gets(&format!("/v3/groups{query}")).await.ok();
    listed.as_array().unwrap().iter().map(|it| text(&it["name"]).to_owned()).collect()
}

#[tokio::test]
async fn groups_are_listed_by_last_activity() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let first = ana.creates_group("first").await;
    world.seconds_pass(1);
    ana.creates_group("second").await;
    world.seconds_pass(1);
    let third = ana.creates_group("third").await;
    assert_eq!(names(&ana, "").await, ["third", "second", "first"]);
    world.seconds_pass(1);
    ana.says(&first, "hello").await;
    assert_eq!(names(&ana, "").await, ["first", "third", "second"]);
    world.seconds_pass(1);
    ana.says(&third, "hello").await;
    assert_eq!(names(&ana, "").await, ["third", "first", "second"]);
}

#[tokio::test]
async fn groups_come_in_pages() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for number in 0..12 {
        world.seconds_pass(1);
        ana.creates_group(&format!("g{number}")).await;
    }
    let newest_first: Vec<String> = (0..12).rev().map(|number| format!("g{number}")).collect();
    assert_eq!(names(&ana, "").await, newest_first[..10]);
    assert_eq!(names(&ana, "?page=2").await, newest_first[10..]);
    assert_eq!(names(&ana, "?per_page=5&page=3").await, newest_first[10..]);
    assert_eq!(names(&ana, "?per_page=12").await, newest_first);
    for all in ["?per_page=100000", "?per_page=18446744073709551616"] {
        assert_eq!(names(&ana, all).await, newest_first, "{all}");
    }
    let beyond = "?page=100000000000000000000";
    for past in ["?page=3", "?page=18446744073709551615", beyond, "?per_page=500&page=2"] {
        assert_eq!(names(&ana, past).await, Vec::<String>::new(), "{past}");
    }
}

#[tokio::test]
async fn pages_that_make_no_sense_are_refused() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for value in ["0", "-1", "x", "1.5"] {
        for name in ["page", "per_page"] {
            // Clients that count pages from zero mean the first page by it.
            if (name, value) == ("page", "0") {
                continue;
            }
            let errors = ana.gets(&format!("/v3/groups?{name}={value}")).await.refused(400);
            assert_eq!(errors, [format!("{name} must be a whole number above zero")], "{value}");
        }
    }
    assert_eq!(ana.gets("/v3/groups?page=-1&per_page=0").await.refused(400).len(), 2);
}

#[tokio::test]
async fn members_are_left_out_when_asked() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    ana.creates_group("Climbers").await;
    for query in ["?omit=memberships", "?omit=other,%20memberships"] {
        let listed = ana.gets(&format!("/v3/groups{query}")).await.ok();
        assert_eq!(listed[0]["members"], Value::Null, "{query}");
    }
    for query in ["", "?omit=", "?omit=nothing"] {
        let listed = ana.gets(&format!("/v3/groups{query}")).await.ok();
        assert_eq!(listed[0]["members"].as_array().unwrap().len(), 1, "{query}");
    }
}

#[tokio::test]
async fn the_preview_shows_the_newest_message() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.says(&climbers, "first").await;
    world.seconds_pass(5);
    let place = json!({"type": "location", "name": "crag", "lat": "1", "lng": "2"});
    let message = json!({"text": "second", "attachments": [place]});
    let posted = ana.posting(&climbers, message).await.created();
    let shown = ana.gets(&climbers.path("")).await.ok();
    assert_eq!(
        shown["messages"],
        json!({"count": 2, "last_message_id": posted["message"]["id"],
            "last_message_created_at": 1_800_000_005_u64, "preview": {"nickname": "Ana",
            "text": "second", "image_url": null, "attachments": [place]}})
    );
}

#[tokio::test]
async fn group_and_user_ids_continue_after_a_restart() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let before = ana.creates_group("before").await;
    world.restarts().await;
    let after = ana.creates_group("after").await;
    let number = |id: &str| id.parse::<u64>().unwrap();
    assert!(number(&after.id) > number(&before.id));
    let [ben] = world.people(["Ben"]).await;
    assert!(number(&ben.id) > number(&ana.id));
    let again = ana.gets(&before.path("")).await.ok();
    assert_eq!(again["name"], "before");
}
