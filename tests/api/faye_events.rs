//! The events that Bayeux clients hear: the data of each type, on the right channel and for the
//! right people.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::bayeux::{BOTH, Client, Socket, Transport, own_channel};
use crate::world::person::{Group, Person, text};

async fn likes(person: &Person, conversation: &str, message: &Value, act: &str) {
    let path = format!("/v3/messages/{conversation}/{}/{act}", text(&message["id"]));
    person.posts(&path).await.ok();
}

async fn writes(from: &Person, to: &Person, words: &str) -> Value {
    let message = json!({"source_guid": words, "recipient_id": to.id, "text": words});
    let body = json!({"direct_message": message});
    from.posts("/v3/direct_messages").json(&body).await.created()["message"].clone()
}

fn channel_of(group: &Group) -> String {
    format!("/group/{}", group.id)
}

#[tokio::test]
async fn line_reaches_each_members_channel() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    for transport in BOTH {
        let mut bens = Client::own(&ben, transport).await;
        let mut anas = Client::own(&ana, transport).await;
        let said = ana.says(&climbers, "rope at six").await;
        let told = bens.hears("rope at six").await;
        assert_eq!(told["alert"], "Ana: rope at six");
        assert_eq!(told["received_at"], 1_800_000_000_000_u64);
        let subject = &told["subject"];
        for field in
            ["id", "source_guid", "group_id", "name", "created_at", "attachments", "user_id"]
        {
            assert_eq!(subject[field], said[field], "{field}");
        }
        assert_eq!(subject["sender_type"], "user");
        assert_eq!(subject["location"], json!({"lat": "", "lng": "", "name": null}));
        for field in ["deleted_at", "deletion_actor", "picture_url", "pinned_at"] {
            assert_eq!(subject.get(field), Some(&Value::Null), "{field}");
        }
        anas.hears("rope at six").await;
    }
}

#[tokio::test]
async fn direct_message_reaches_both_channels() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for transport in BOTH {
        let mut bens = Client::own(&ben, transport).await;
        let said = writes(&ana, &ben, &format!("hi {transport:?}")).await;
        let told = bens.hears_on(&own_channel(&ben), "direct_message.create").await;
        let subject = &told["subject"];
        assert_eq!(subject["text"], said["text"]);
        assert_eq!(subject["recipient_id"], json!(ben.id));
        assert_eq!(subject["chat_id"], json!(format!("{}+{}", ana.id, ben.id)));
        assert_eq!(subject["favorited_by"], json!([]));
        assert_eq!(subject.get("group_id"), None);
    }
}

#[tokio::test]
async fn likes_go_to_the_channel_of_the_group_and_to_the_author() {
    let world = World::start().await;
    let [ana, ben, cal] = world.people(["Ana", "Ben", "Cal"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&cal, &climbers).await;
    let said = ana.says(&climbers, "rope at six").await;
    let group = channel_of(&climbers);
    for transport in BOTH {
        let mut anas = Client::own(&ana, transport).await;
        let mut all = Client::with_all_types(&ana, transport, &[&own_channel(&ana)]).await;
        let mut cals = Client::on(&cal, transport, &[&group]).await;
        likes(&ben, &climbers.id, &said, "like").await;
        let liked = anas.hears_on(&own_channel(&ana), "like.create").await;
        let told = &liked;
        assert_eq!(told["alert"], "Ben reacted ❤️ to rope at six");
        assert_eq!(told["subject"]["line"]["id"], said["id"]);
        assert_eq!(told["subject"]["line"]["favorited_at"], 1_800_000_000);
        assert_eq!(told["subject"]["reactions"][0]["user_ids"], json!([ben.id]));
        assert_eq!(told["subject"]["user_id"], json!(ben.id));
        assert_eq!(told["subject"]["user_reaction"]["code"], "❤️");
        let told = cals.hears_on(&group, "favorite").await;
        assert_eq!(told["alert"], "");
        assert_eq!(told["subject"]["user_id"], json!(ben.id));
        assert_eq!(told["subject"]["line"]["text"], "rope at six");
        assert_eq!(told["subject"]["line"]["favorited_by"], json!([ben.id]));
        assert_eq!(told["subject"]["reactions"][0]["user_ids"], json!([ben.id]));
        likes(&ben, &climbers.id, &said, "unlike").await;
        assert_eq!(all.hears_on(&own_channel(&ana), "like.create").await["alert"], liked["alert"]);
        assert_eq!(all.hears_on(&own_channel(&ana), "like.delete").await["alert"], "");
        ben.says(&climbers, "fence").await;
        anas.hears("fence").await;
        let told = cals.hears_on(&group, "favorite").await;
        assert_eq!(told["subject"]["reactions"], json!([]));
        assert_eq!(told["subject"]["line"]["favorited_at"], Value::Null);
    }
}

#[tokio::test]
async fn direct_message_like_reaches_its_channel() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let said = writes(&ana, &ben, "hi Ben").await;
    // Either order of the ids names the same chat, and each client hears the channel under the name
    // with which it subscribed.
    for (transport, channel) in
        BOTH.into_iter().zip([format!("{}_{}", ana.id, ben.id), format!("{}_{}", ben.id, ana.id)])
    {
        let channel = format!("/direct_message/{channel}");
        let mut anas = Client::on(&ana, transport, &[&channel]).await;
        likes(&ben, &format!("{}+{}", ana.id, ben.id), &said, "like").await;
        let told = anas.hears_on(&channel, "favorite").await;
        assert_eq!(told["subject"]["direct_message"]["id"], said["id"]);
        likes(&ben, &format!("{}+{}", ana.id, ben.id), &said, "unlike").await;
        anas.hears_on(&channel, "favorite").await;
    }
}

#[tokio::test]
async fn added_member_receives_the_group() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for transport in BOTH {
        let mut bens = Client::own(&ben, transport).await;
        let climbers = ana.creates_group("Climbers").await;
        ana.adds(&ben, &climbers).await;
        let told = bens.hears_on(&own_channel(&ben), "membership.create").await;
        assert_eq!(told["alert"], "Ana added you to Climbers");
        let subject = &told["subject"];
        assert_eq!((&subject["id"], &subject["name"]), (&json!(climbers.id), &json!("Climbers")));
        assert_eq!(subject["creator_id"], json!(ana.id));
        let line = bens.hears_on(&own_channel(&ben), "line.create").await;
        assert_eq!(line["subject"]["system"], true);
        assert_eq!(line["subject"]["event"]["type"], "membership.announce.added");
    }
}

#[tokio::test]
async fn typing_event_has_the_typists_id() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let group = channel_of(&climbers);
    for transport in BOTH {
        let mut anas = Client::on(&ana, transport, &[&group]).await;
        assert_eq!(anas.connects(0).await["successful"], true);
        let mut bens = Client::on(&ben, Transport::Polling, &[&own_channel(&ben)]).await;
        let typing = json!({"type": "typing", "user_id": ana.id, "started": 1});
        let publish = json!({"channel": group, "data": typing, "ext": {"note": "private"}});
        let reply = bens.tells(publish.clone()).await;
        assert_eq!(reply["successful"], true, "{reply}");
        let message = anas.next().await;
        assert!(!message.to_string().contains("private"), "{message}");
        assert_eq!(message["data"]["user_id"], json!(ben.id), "not whom it claims");
        assert_eq!(message["data"]["started"], 1_800_000_000_000_u64);
    }
    let [eve] = world.people(["Eve"]).await;
    let mut eves = Client::own(&eve, Transport::Polling).await;
    let publish = json!({"channel": group, "data": {"type": "typing"}});
    let reply = eves.tells(publish).await;
    assert!(text(&reply["error"]).starts_with("403:"), "{reply}");
}

#[tokio::test]
async fn read_marks_in_chats_become_receipts() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let sent =
        json!({"direct_message": {"source_guid": "g", "recipient_id": ben.id, "text": "hi"}});
    let sent = ana.posts("/v3/direct_messages").json(&sent).await.created()["message"].clone();
    let (chat, pair) = (format!("{}+{}", ana.id, ben.id), format!("{}_{}", ana.id, ben.id));
    let channel = format!("/direct_message/{pair}");
    for transport in BOTH {
        let mut anas = Client::on(&ana, transport, &[&channel]).await;
        assert_eq!(anas.connects(0).await["successful"], true);
        let text = format!("again by {transport:?}");
        let again = json!({"direct_message":
            {"source_guid": text, "recipient_id": ben.id, "text": text}});
        let again =
            ana.posts("/v3/direct_messages").json(&again).await.created()["message"].clone();
        let read = ben.posts(&format!("/v3/conversations/{chat}/read_receipt"));
        read.json(&json!({"message_id": again["id"]})).await.ok();
        let told = anas.hears_on(&channel, "read_receipt.create").await;
        let expected = json!({"id": again["id"], "message_id": again["id"], "chat_id": chat,
            "user_id": ben.id, "read_at": world.clock_seconds()});
        assert_eq!((&told["subject"], &told["alert"]), (&expected, &json!("")), "{told}");
        assert_ne!(again["id"], sent["id"]);
    }
    // Groups have no receipts.
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let group = channel_of(&climbers);
    let mut anas = Client::on(&ana, Transport::Polling, &[&group]).await;
    assert_eq!(anas.connects(0).await["successful"], true);
    let said = ana.says(&climbers, "rope at six").await;
    let read = ben.posts(&format!("/v3/conversations/{}/read_receipt", climbers.id));
    read.json(&json!({"message_id": said["id"]})).await.ok();
    let typing = json!({"channel": group, "data": {"type": "typing"}});
    assert_eq!(anas.tells(typing).await["successful"], true);
    assert_eq!(anas.next().await["data"]["type"], "typing");
}

#[tokio::test]
async fn typing_returns_to_all_clients_of_its_sender() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let group = channel_of(&climbers);
    for transport in BOTH {
        let mut types = Client::on(&ana, transport, &[&group]).await;
        let mut other = Client::on(&ana, transport, &[&group]).await;
        for client in [&mut types, &mut other] {
            assert_eq!(client.connects(0).await["successful"], true);
        }
        let typing = json!({"channel": group, "data": {"type": "typing"}});
        assert_eq!(types.tells(typing).await["successful"], true);
        for client in [&mut types, &mut other] {
            assert_eq!(client.hears_on(&group, "typing").await["user_id"], json!(ana.id));
        }
    }
}

#[tokio::test]
async fn pushes_have_ids_and_cursors_except_on_compatibility_hosts() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut client = Client::own(&ana, Transport::Polling).await;
    let asks = async |message: Value| -> Vec<Value> {
        let request = world.post("/faye").header("host", "push.groupme.com").json(&message);
        serde_json::from_str(&request.await.text).unwrap()
    };
    let handshake = json!({"channel": "/meta/handshake", "version": "1.0",
        "supportedConnectionTypes": ["long-polling"]});
    let original = asks(handshake).await[0]["clientId"].clone();
    let subscribe = json!({"channel": "/meta/subscribe", "clientId": original,
        "subscription": own_channel(&ana), "ext": {"access_token": ana.token}});
    let reply = asks(subscribe).await.remove(0);
    assert_eq!((&reply["successful"], reply.get("ext")), (&json!(true), None));
    ana.says(&climbers, "rope at six").await;
    let connect = json!({"channel": "/meta/connect", "clientId": original});
    let replies = asks(connect).await;
    let mut fields: Vec<&str> =
        replies[1].as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["channel", "data", "id"]);
    let message = client.next().await;
    let id = text(&message["id"]);
    assert!(id.len() == 6 && id.bytes().all(|it| it.is_ascii_hexdigit()), "{id}");
    assert!(message["ext"]["c"].is_string(), "{message}");
}

#[tokio::test]
async fn a_socket_frame_has_one_message() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut client = Client::own(&ana, Transport::Socket).await;
    let change = json!({"name": "Walkers", "description": "on foot", "office_mode": true,
        "share": true});
    ana.posts(&climbers.path("/update")).json(&change).await.ok();
    // The client checks that each frame has one message.
    for _ in 0..4 {
        client.hears_on(&own_channel(&ana), "line.create").await;
    }
}

#[tokio::test]
async fn a_response_has_one_message_with_data() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let said = ana.says(&climbers, "rope at six").await;
    let (own, group) = (own_channel(&ana), channel_of(&climbers));
    let mut client = Client::on(&ana, Transport::Polling, &[&own, &group]).await;
    likes(&ben, &climbers.id, &said, "like").await;
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    ana.asks("PUT", &path).json(&json!({"text": "rope at seven"})).await.ok();
    assert_eq!(ana.asks("DELETE", &path).await.status, 204);
    // The client checks that each response has one message with data.
    let mut heard = Vec::new();
    for _ in 0..4 {
        let message = client.next().await;
        heard.push((text(&message["channel"]).to_owned(), message["data"]["type"].clone()));
    }
    let expected = [
        (&group, "favorite"),
        (&own, "like.create"),
        (&group, "message.deleted"),
        (&own, "line.create"),
    ];
    heard.sort_by_key(|(channel, kind)| format!("{kind}{channel}"));
    let mut expected: Vec<_> =
        expected.into_iter().map(|(channel, kind)| (channel.clone(), json!(kind))).collect();
    expected.sort_by_key(|(channel, kind)| format!("{kind}{channel}"));
    assert_eq!(heard, expected);
}

#[tokio::test]
async fn typing_passes_between_bayeux_and_the_other_sockets() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut anas = Client::on(&ana, Transport::Socket, &[&channel_of(&climbers)]).await;
    assert_eq!(anas.connects(0).await["successful"], true);
    let mut bens = ben.listens().await;
    bens.socket.tells(&json!({"t": "sub", "conv": [climbers.conv()]})).await;
    // Ana is online through her Bayeux client; Ben is told once his subscription holds.
    let presence = bens.socket.hears("eph").await;
    assert_eq!(presence["data"], json!({"user_id": ana.id, "online": true}));
    bens.socket.tells(&json!({"t": "typing", "conv": climbers.conv()})).await;
    let told = anas.hears_on(&channel_of(&climbers), "typing").await;
    assert_eq!(told["user_id"], json!(ben.id));
    let typing = json!({"channel": channel_of(&climbers), "data": {"type": "typing"}});
    assert_eq!(anas.tells(typing).await["successful"], true);
    let told = bens.socket.hears("eph").await;
    assert_eq!((&told["type"], &told["data"]["user_id"]), (&json!("typing"), &json!(ana.id)));
}

#[tokio::test]
async fn expired_connect_returns_one_ping() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let channels = [channel_of(&climbers), own_channel(&ana)];
    for transport in BOTH {
        let names: Vec<&str> = channels.iter().map(String::as_str).collect();
        let mut client = Client::on(&ana, transport, &names).await;
        assert_eq!(client.connects(100).await["successful"], true);
        let kept = client.kept();
        let told: Vec<&str> = kept.iter().map(|it| text(&it["channel"])).collect();
        assert_eq!(told, [own_channel(&ana)]);
        assert!(kept.iter().all(|it| it["data"] == json!({"type": "ping"})), "{kept:?}");
    }
}

#[tokio::test]
async fn bayeux_socket_receives_without_a_connect() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut socket = Socket::open(&world.address, "/faye").await;
    socket.says(&json!({"channel": "/meta/handshake", "version": "1.0", "id": 1})).await;
    let client = socket.hears().await[0]["clientId"].clone();
    let ext = json!({"access_token": ana.token});
    let subscribe = json!({"channel": "/meta/subscribe", "clientId": client, "id": 2,
        "subscription": own_channel(&ana), "ext": ext});
    socket.says(&json!([subscribe])).await;
    assert_eq!(socket.hears().await[0]["successful"], true);
    for words in ["one", "two"] {
        ana.says(&climbers, words).await;
        let told = socket.hears().await;
        assert_eq!(told[0]["data"]["subject"]["text"], words, "{told:?}");
    }
}

#[tokio::test]
async fn request_to_join_reaches_the_channels_of_those_who_decide() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let shared = json!({"share": true, "requires_approval": true});
    let shared = ana.updates(&climbers, shared).await.ok();
    let token = text(&shared["share_url"]).rsplit_once('/').unwrap().1.to_owned();
    for (transport, name) in BOTH.into_iter().zip(["Cem", "Dan"]) {
        let [asker] = world.people([name]).await;
        let mut anas = Client::own(&ana, transport).await;
        let mut bens = Client::own(&ben, transport).await;
        let asked = asker.posts(&climbers.path(&format!("/join/{token}"))).json(&json!({})).await;
        assert_eq!(asked.status, 202, "{}", asked.text);
        let told = anas.hears(&format!("{name} has requested to join the group.")).await;
        let id: u64 = asker.id.parse().unwrap();
        let event = json!({"type": "membership.notifications.admin.new_pending_user",
            "data": {"user": {"id": id, "nickname": name}}});
        assert_eq!(told["subject"]["event"], event);
        assert_eq!(told["subject"]["group_id"], climbers.id);
        ana.says(&climbers, "next").await;
        bens.hears("next").await;
    }
}
