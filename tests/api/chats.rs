//! Chats: the list of conversations (specification, section 4, Chats and direct messages),
//! and chats in the snapshot (design, "Push").

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::world::World;
use crate::world::person::{Person, text};

/// A page of a user's chats.
async fn chats(reader: &Person, query: &str) -> Vec<Value> {
    let found = reader.gets(&format!("/v3/chats{query}")).await.ok();
    serde_json::from_value(found).unwrap()
}

/// The names of the users with whom somebody has chats.
async fn others(reader: &Person, query: &str) -> Vec<String> {
    let name = |chat: &Value| text(&chat["other_user"]["name"]).to_owned();
    chats(reader, query).await.iter().map(name).collect()
}

#[tokio::test]
async fn a_chat_has_the_fields_of_the_specification() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    assert!(chats(&ana, "").await.is_empty());
    writes(&ana, &ben, "one").await;
    world.seconds_pass(30);
    let last = writes(&ben, &ana, "two").await;
    assert_eq!(last["conversation_id"], conversation(&ana, &ben));
    for (reader, other, unread) in [(&ana, &ben, 1), (&ben, &ana, 0)] {
        let id: u64 = other.id.parse().unwrap();
        assert_eq!(
            chats(reader, "").await,
            [json!({"created_at": 1_800_000_000_u64, "updated_at": 1_800_000_030_u64,
                "messages_count": 2, "last_message": last, "unread_count": unread,
                "unread_mentions": 0, "muted_until": null,
                "message_edit_period": 2_147_483_647, "message_deletion_period": 2_147_483_647,
                "message_deletion_mode": ["sender"],
                "other_user": {"avatar_url": null, "id": id, "user_id": other.id,
                    "name": other.name}})]
        );
    }
    let mut keys: Vec<&String> = last.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "attachments",
            "avatar_url",
            "conversation_id",
            "created_at",
            "favorited_by",
            "id",
            "name",
            "pinned_at",
            "pinned_by",
            "recipient_id",
            "sender_id",
            "sender_type",
            "source_guid",
            "text",
            "updated_at",
            "user_id"
        ]
    );
}

#[tokio::test]
async fn existing_clients_get_the_id_of_the_other_user_as_text() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    writes(&ana, &ben, "one").await;
    let id = |chats: &Value| chats[0]["other_user"]["id"].clone();
    let compat = ana.gets("/compat/v3/chats").await.ok();
    assert_eq!(id(&compat), json!(ben.id));
    let by_host = ana.gets("/v3/chats").header("Host", "api.groupme.com").await.ok();
    assert_eq!(id(&by_host), json!(ben.id));
    let snapshot = ana.gets("/compat/v3/sync").await.ok();
    assert_eq!(snapshot["chats"][0]["chat"]["other_user"]["id"], json!(ben.id));
}

#[tokio::test]
async fn the_chat_with_the_newest_message_comes_first() {
    let mut world = World::start().await;
    let [ana, ben, cem, dan] = world.people(["Ana", "Ben", "Cem", "Dan"]).await;
    writes(&ana, &ben, "1").await;
    writes(&cem, &ana, "2").await;
    writes(&ana, &dan, "3").await;
    writes(&ben, &cem, "not Ana's").await;
    assert_eq!(others(&ana, "").await, ["Dan", "Cem", "Ben"]);
    writes(&ben, &ana, "4").await;
    assert_eq!(others(&ana, "").await, ["Ben", "Dan", "Cem"]);
    world.restarts().await;
    assert_eq!(others(&ana, "").await, ["Ben", "Dan", "Cem"]);
    writes(&ana, &cem, "5").await;
    assert_eq!(others(&ana, "").await, ["Cem", "Ben", "Dan"]);
}

#[tokio::test]
async fn chat_list_shows_acknowledged_messages() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    for number in 1..=50 {
        for from in [&ben, &cem] {
            let sent = writes(from, &ana, &number.to_string()).await;
            let found = chats(&ana, "?per_page=1").await;
            assert_eq!(found[0]["last_message"], sent);
            assert_eq!(found[0]["messages_count"], number);
        }
    }
}

#[tokio::test]
async fn pages_of_chats_have_ten_unless_asked_otherwise() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for number in 0..11 {
        let other = world.registers(&format!("P{number}")).await;
        writes(&ana, &other, "hi").await;
    }
    assert_eq!(chats(&ana, "").await.len(), 10);
    assert_eq!(others(&ana, "?page=2").await, ["P0"]);
    assert_eq!(others(&ana, "?per_page=3&page=2").await, ["P7", "P6", "P5"]);
    assert_eq!(others(&ana, "?per_page=10000").await.len(), 11);
    assert!(chats(&ana, "?page=3").await.is_empty());
    for wrong in ["page=-1", "page=x", "per_page=0", "per_page=-1"] {
        ana.gets(&format!("/v3/chats?{wrong}")).await.refused(400);
    }
    world.get("/v3/chats").await.refused(401);
}

#[tokio::test]
async fn the_snapshot_has_every_chat_with_its_twenty_newest_messages() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    for number in 1..=21 {
        writes(&ben, &ana, &number.to_string()).await;
    }
    writes(&cem, &ana, "hi").await;
    let snapshot = ana.gets("/v3/sync").await.ok();
    let parts = snapshot["chats"].as_array().unwrap();
    let mut listed = chats(&ana, "").await;
    // In the snapshot the unread numbers stand next to the chat, in the list inside it.
    for (listed, part) in listed.iter_mut().zip(parts) {
        for (name, of_part) in [("unread_count", "unread"), ("unread_mentions", "unread_mentions")]
        {
            let unread = listed.as_object_mut().unwrap().remove(name).unwrap();
            assert_eq!(unread, part[of_part]);
        }
    }
    let shown: Vec<&Value> = parts.iter().map(|part| &part["chat"]).collect();
    assert_eq!(shown, listed.iter().collect::<Vec<_>>());
    let part = &parts[1];
    assert_eq!(part["messages"].as_array().unwrap().len(), 20);
    assert_eq!(part["messages"][0]["text"], "21");
    assert_eq!((&part["n"], &part["read_n"], &part["unread"]), (&json!(21), &json!(0), &json!(21)));
    // A client that goes on from the snapshot's cursor hears what comes next, and nothing twice.
    let mut feed = ana.listens_after(text(&snapshot["c"])).await;
    writes(&ben, &ana, "22").await;
    let event = feed.hears_of("direct_message.create").await;
    assert_eq!((&event["n"], &event["data"]["text"]), (&json!(22), &json!("22")));
    feed.stays_silent().await;
}

#[tokio::test]
async fn a_first_message_is_in_the_snapshot_or_comes_after_it() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for round in 0..10 {
        let other = world.registers(&format!("R{round}")).await;
        let (sent, snapshot) =
            tokio::join!(writes(&other, &ana, "hi"), async { ana.gets("/v3/sync").await.ok() });
        let conv = conversation(&ana, &other);
        let parts = snapshot["chats"].as_array().unwrap();
        if parts.iter().any(|part| part["messages"][0]["conversation_id"] == conv) {
            continue;
        }
        let mut feed = ana.listens_after(text(&snapshot["c"])).await;
        assert_eq!(feed.hears_of("direct_message.create").await["data"], sent);
    }
}
