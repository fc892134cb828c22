//! Names and titles: one visible line each, stored as typed.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, Person};

/// Names that nobody can see, or that are more than one line.
const REFUSED: [&str; 9] = [
    "\u{200b}",
    "\u{3164}\u{2060}",
    "\u{2800}",
    " \u{a0}",
    "Ana\nBen",
    "Ana\u{2028}Ben",
    "x\u{1b}[2J",
    "gpj\u{202e}exe",
    "\u{2067}Ana",
];
/// Names with joiners, selectors and direction marks, which belong to them.
const STORED: [&str; 4] = [
    "\u{646}\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
    "\u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f}",
    "\u{5e9}\u{5dc}\u{5d5}\u{5dd}\u{200f}!",
    " Ana  B. ",
];

/// A request that names something: path, body, and the field with the name.
struct Naming {
    path: String,
    body: Value,
    field: &'static str,
}

fn naming(path: impl Into<String>, body: Value, field: &'static str) -> Naming {
    Naming { path: path.into(), body, field }
}

/// Every request in which a user names something.
fn every_naming(ana: &Person, group: &Group, name: &str) -> Vec<Naming> {
    let (start, end) = ("2027-02-01T10:00:00Z", "2027-02-01T11:00:00Z");
    let event = |event: Value| {
        let mut whole = json!({"name": "Climb", "start_at": start, "end_at": end});
        whole.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        naming(format!("/v3/conversations/{}/events/create", group.id), whole, "")
    };
    let poll = |subject: &str, option: &str| {
        let options = json!([{"title": option}, {"title": "other"}]);
        let body = json!({"subject": subject, "options": options, "expiration": 1_800_003_600_u64});
        naming(format!("/v3/poll/{}", group.id), body, "")
    };
    let item = json!({"members": [{"nickname": name, "user_id": ana.id, "guid": "g"}]});
    let command = json!([{"name": "rope", "description": name}]);
    let bot = |changes: Value| {
        let mut body = json!({"name": "Bot", "group_id": group.id});
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        naming("/v3/bots", body, "")
    };
    let callback_url = "https://example.org/back";
    let account = json!({"name": name, "email": "x@example.org", "password": "correct horse"});
    let application = json!({"name": name, "callback_url": callback_url});
    vec![
        naming("/auth/register", account, "name"),
        naming("/v3/users/update", json!({"name": name}), "name"),
        naming("/v3/groups", json!({"name": name}), "name"),
        naming(group.path("/update"), json!({"name": name}), "name"),
        naming(
            group.path("/memberships/update"),
            json!({"membership": {"nickname": name}}),
            "nickname",
        ),
        naming(group.path("/members/add"), item, "nickname"),
        Naming { field: "name", ..bot(json!({"name": name})) },
        Naming { field: "description", ..bot(json!({"commands": command})) },
        Naming { field: "subject", ..poll(name, "six") },
        Naming { field: "title", ..poll("When?", name) },
        Naming { field: "name", ..event(json!({"name": name})) },
        Naming { field: "location.name", ..event(json!({"location": {"name": name}})) },
        Naming { field: "location.address", ..event(json!({"location": {"address": name}})) },
        naming("/oauth/applications", application, "name"),
    ]
}

#[tokio::test]
async fn names_that_are_no_visible_line_are_refused() {
    let world = World::start().await;
    let ([ana], group) = world.climbing(["Ana"]).await;
    for name in REFUSED {
        for Naming { path, body, field } in every_naming(&ana, &group, name) {
            let errors = ana.posts(&path).json(&body).await.refused(400);
            assert!(errors[0].contains(field), "{path} {name:?}: {errors:?}");
        }
    }
}

#[tokio::test]
async fn names_with_joiners_and_selectors_stay_as_typed() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for name in STORED {
        let user = ana.posts("/v3/users/update").json(&json!({"name": name})).await.ok();
        assert_eq!(user["name"], name);
        let group = ana.creates_group(name).await;
        assert_eq!(ana.gets(&group.path("")).await.ok()["name"], name);
        let nickname = json!({"membership": {"nickname": name}});
        let member = ana.posts(&group.path("/memberships/update")).json(&nickname).await.ok();
        assert_eq!(member["nickname"], name);
    }
}

#[tokio::test]
async fn descriptions_may_have_several_visible_lines() {
    let world = World::start().await;
    let ([ana], group) = world.climbing(["Ana"]).await;
    let describe =
        |text: &str| ana.posts(&group.path("/update")).json(&json!({"description": text}));
    let text = "Ropes\r\nand nuts";
    assert_eq!(describe(text).await.ok()["description"], text);
    for text in ["\u{200b}", "a\u{1b}[2J", "a\u{202e}b"] {
        assert!(describe(text).await.refused(400)[0].starts_with("description "), "{text:?}");
    }
}

#[tokio::test]
async fn messages_without_anything_visible_are_refused() {
    let world = World::start().await;
    let ([ana], group) = world.climbing(["Ana"]).await;
    let message = ana.says(&group, "rope").await;
    let place =
        format!("/v3/conversations/{}/messages/{}", group.id, message["id"].as_str().unwrap());
    let location = json!([{"type": "location", "lat": "1", "lng": "2", "name": "x"}]);
    for text in ["\u{200b}", "\u{3164}", " \n\u{feff}"] {
        let errors = ana.posting(&group, json!({"text": text})).await.refused(400);
        assert!(errors[0].starts_with("text "), "{errors:?}");
        let edit = json!({"message": {"text": text}});
        ana.asks("PUT", &place).json(&edit).await.refused(400);
        let both = json!({"text": text, "attachments": location});
        ana.posting(&group, both).await.created();
    }
}
