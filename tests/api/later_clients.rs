//! Paths beyond the specification that later clients of this API use, in the dialects of those
//! clients.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::world::World;
use crate::world::bayeux::{own_channel, posts};
use crate::world::person::text;
use crate::world::raw::Raw;
use crate::world::server::Setup;

#[tokio::test]
async fn membership_states_list_all_groups() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut groups = Vec::new();
    for name in ["Climbers", "Divers", "Runners", "Gone"] {
        let group = ana.creates_group(name).await;
        ana.adds(&ben, &group).await;
        groups.push(group);
    }
    ben.leaves(&groups[1]).await;
    ana.removes(&ben, &groups[2]).await.ok();
    ana.posts(&groups[3].path("/destroy")).await.ok();
    let states = ben.gets("/v3/memberships/states").await.ok();
    let state = |at: usize, state: &str| json!({"group_id": groups[at].id, "state": state});
    assert_eq!(states, json!([state(0, "active"), state(1, "exited"), state(2, "removed")]));
}

#[tokio::test]
async fn owner_and_admins_list_current_and_former_members() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&cem, &climbers).await;
    ana.removes(&cem, &climbers).await.ok();
    let list = async |query: &str| -> Vec<(String, String)> {
        let listed = ana.gets(&climbers.path(&format!("/members{query}"))).await.ok();
        let listed = listed["memberships"].as_array().unwrap().clone();
        let part = |it: &Value, field: &str| text(&it[field]).to_owned();
        listed.iter().map(|it| (part(it, "name"), part(it, "state"))).collect()
    };
    let named = |name: &str, state: &str| (name.to_owned(), state.to_owned());
    let active = [named("Ana", "active"), named("Ben", "active")];
    assert_eq!(list("?filter=active").await, active);
    assert_eq!(list("?filter=").await, active);
    assert_eq!(list("?filter=inactive").await, [named("Cem", "removed")]);
    ana.gets(&climbers.path("/members?filter=all")).await.refused(400);
    let path = climbers.path("/members?filter=active");
    ben.gets(&path).await.refused(403);
    ben.gets(&format!("/compat{path}")).await.refused(401);
    cem.gets(&path).await.refused(404);
}

#[tokio::test]
async fn single_message_and_chat_can_be_requested() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.says(&climbers, "rope at six").await;
    let said = ana.says(&climbers, "rope at seven").await;
    let path = |version: &str, id: &Value| {
        format!("/{version}/groups/{}/messages/{}", climbers.id, text(id))
    };
    for version in ["v3", "v4"] {
        let shown = ana.gets(&path(version, &said["id"])).await.ok();
        assert_eq!(shown["message"], said);
    }
    for wrong in [json!("1"), json!("18446744073709551615"), json!("x")] {
        ana.gets(&path("v4", &wrong)).await.refused(404);
    }
    ben.gets(&path("v4", &said["id"])).await.refused(404);

    let sent = writes(&ana, &ben, "hello").await;
    let both = conversation(&ana, &ben);
    for chat in [both.clone(), both.replace('+', "%2B"), ana.id.clone()] {
        let shown = ben.gets(&format!("/v3/chats/{chat}")).await.ok();
        assert_eq!((&shown["last_message"], &shown["unread_count"]), (&sent, &json!(1)), "{chat}");
        let other = &shown["other_user"];
        assert_eq!((&other["user_id"], text(&other["name"])), (&json!(ana.id), "Ana"));
    }
    cem.gets(&format!("/v3/chats/{both}")).await.refused(404);
    cem.gets(&format!("/v3/chats/{}", ana.id)).await.refused(404);
    cem.gets("/v3/chats/nobody").await.refused(404);
}

#[tokio::test]
async fn profiles_are_visible_to_contacts() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let path = format!("/v2/users/{}?include_shared_groups=", ben.id);
    let seen = ana.gets(&format!("{path}true")).await.ok();
    assert_eq!((text(&seen["user"]["id"]), text(&seen["user"]["name"])), (&*ben.id, "Ben"));
    assert_eq!(seen["user"]["direct_message_capable"], true);
    let id: u64 = climbers.id.parse().unwrap();
    let shared = json!([{"group_id": id, "group_name": "Climbers", "group_avatar": null}]);
    assert_eq!((&seen["shared_groups"], &seen["relationship"]), (&shared, &Value::Null));
    assert_eq!(ana.gets(&format!("{path}false")).await.ok()["shared_groups"], Value::Null);
    cem.gets(&path).await.refused(404);
    ana.gets(&format!("/v2/users/{}", cem.id)).await.refused(404);
    writes(&cem, &ben, "hello").await;
    cem.gets(&path).await.ok();
    let block = format!("/v3/blocks?user={}&otherUser={}", ben.id, ana.id);
    ben.posts(&block).await.created();
    assert_eq!(ana.gets(&path).await.ok()["user"]["direct_message_capable"], false);
    assert_eq!(ben.gets(&path).await.ok()["user"]["direct_message_capable"], false);
}

#[tokio::test]
async fn pinned_conversations_sync_and_survive_a_restart() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    writes(&ana, &ben, "hello").await;
    let both = conversation(&ana, &ben);
    let pinned = async || {
        let list = ben.gets("/v4/pinned_conversations").await.ok();
        serde_json::from_value::<Vec<String>>(list["pinned_conversation_ids"].clone()).unwrap()
    };
    let pins = |ids: Value| {
        let body = json!({"pinned_conversation_ids": ids});
        ben.asks("PUT", "/v4/pinned_conversations").json(&body)
    };
    assert_eq!(pinned().await, [""; 0]);
    pins(json!([both, climbers.id, both])).await.ok();
    assert_eq!(pinned().await, [both.clone(), climbers.id.clone()]);
    pins(json!([conversation(&ana, &cem)])).await.refused(404);
    pins(json!(["x"])).await.refused(400);
    pins(json!(null)).await.refused(400);
    world.restarts().await;
    assert_eq!(pinned().await, [both.clone(), climbers.id.clone()]);
    ben.leaves(&climbers).await;
    assert_eq!(pinned().await, [both]);
    pins(json!([])).await.ok();
    assert_eq!(pinned().await, [""; 0]);
}

#[tokio::test]
async fn bot_is_changed_by_ids_in_the_body() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = json!({"bot": {"name": "Weather", "group_id": climbers.id}});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    assert_eq!(bot["bot"]["group_name"], "Climbers");
    assert_eq!(ana.gets("/v3/bots").await.ok()[0]["group_name"], "Climbers");
    let change = json!({"bot": {"bot_id": bot["bot_id"], "name": "Tides"}});
    let changed = ana.posts("/v3/bots/update").json(&change).await.ok();
    assert_eq!((text(&changed["name"]), text(&changed["group_name"])), ("Tides", "Climbers"));
    ben.posts("/v3/bots/update").json(&change).await.refused(404);
    let errors = ana.posts("/v3/bots/update").json(&json!({"bot": {"name": "x"}})).await;
    assert_eq!(errors.refused(400), ["bot_id is required"]);
}

#[tokio::test]
async fn the_host_of_the_second_version_leaves_the_version_out() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let asked = |host: &str| {
        let (id, token) = (&ana.id, &ana.token);
        format!(
            "GET /users/{id} HTTP/1.1\r\nHost: {host}\r\nX-Access-Token: {token}\r\n\
             Connection: close\r\n\r\n"
        )
    };
    let address = world.address.get();
    let told = Raw::sends(address, &asked("v2.groupme.com")).await.hears_all().await;
    assert!(told.starts_with("HTTP/1.1 200") && told.contains("\"shared_groups\""), "{told}");
    let told = Raw::sends(address, &asked("v2.example.org")).await.hears_all().await;
    assert!(told.starts_with("HTTP/1.1 404"), "{told}");
    for host in ["file.groupme.com", "image.groupme.com", "push.groupme.com"] {
        writes(&ana, &world.registers("Ben").await, "hello").await;
        let chats = ana.gets("/v3/chats").header("Host", host).await.ok();
        assert!(chats[0]["other_user"]["id"].is_string(), "{host}");
    }
}

#[tokio::test]
async fn metrics_behind_public_url_require_a_token() {
    let setup = Setup::default().option("--public-url", "https://chat.example.org");
    let world = World::with(setup).await;
    let errors = world.get("/metrics").await.refused(403);
    assert!(errors[0].contains("--metrics-token"), "{errors:?}");
    assert!(errors[0].contains("public URL"), "{errors:?}");
}

/// Such a client reads only the message right after the reply to its connect, and no further.
#[tokio::test]
async fn long_polling_client_gets_one_event_per_response() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let shake = json!({"channel": "/meta/handshake", "version": "1.0",
        "supportedConnectionTypes": ["long-polling"]});
    let client = posts(&world.address, &shake).await[0]["clientId"].clone();
    let ask = async |mut message: Value| {
        message["clientId"] = client.clone();
        posts(&world.address, &message).await
    };
    let subscribe = json!({"channel": "/meta/subscribe", "subscription": own_channel(&ana),
        "ext": {"access_token": ana.token}});
    assert_eq!(ask(subscribe).await[0]["successful"], true);
    let words: Vec<String> = (1..=5).map(|number| format!("rope at {number}")).collect();
    for word in &words {
        ana.says(&climbers, word).await;
    }
    for (number, word) in words.iter().enumerate() {
        let connect = json!({"channel": "/meta/connect", "connectionType": "long-polling",
            "id": number.to_string()});
        let told = ask(connect).await;
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(text(&told[1]["data"]["subject"]["text"]), word);
    }
}

/// A repeat under a key was given what remains of a deleted message in the form of the
/// specification, also to clients from before it.
#[tokio::test]
async fn replayed_response_shows_deletion_in_its_first_form() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let post = || {
        let message = json!({"message": {"source_guid": "k1", "text": "rope at six"}});
        let path = format!("/compat{}", climbers.path("/messages"));
        ana.posts(&path).header("Idempotency-Key", "k").json(&message)
    };
    let update = || {
        let path = format!("/compat{}", climbers.path("/update"));
        // Nothing changes, so no line stands after the message.
        ana.posts(&path).header("Idempotency-Key", "u").json(&json!({}))
    };
    let said = post().await.created()["message"].clone();
    update().await.ok();
    let message = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    assert_eq!(ana.asks("DELETE", &message).await.status, 204);
    let again = post().await.created();
    assert_eq!(again["message"]["text"], "This message was deleted");
    let again = update().await.ok();
    assert_eq!(again["messages"]["preview"]["text"], "This message was deleted");
}
