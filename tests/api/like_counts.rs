//! Likes of a message that more than 100 users like: events count them, on every transport and in
//! callbacks, and REST names them.

use serde_json::{Value, json};

use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::bayeux::{BOTH, Client, Transport};
use crate::world::listener::Listener;
use crate::world::person::{Group, Person, text};
use crate::world::server::Setup;

/// Users up to whose number events name all who like a message.
const NAMED: usize = 100;

/// A group whose newest message, by Ana, is liked by [`NAMED`] members: all but Ana and Ben.
struct Crowd {
    world: World,
    ana: Person,
    ben: Person,
    group: Group,
    message: String,
}

impl Crowd {
    async fn gathers() -> Self {
        let world = World::with(Setup::default().option("--rate-limit", "off")).await;
        let ([ana, ben], group) = world.climbing(["Ana", "Ben"]).await;
        let crowd = world.registers_members(&ana, &group, NAMED).await;
        let message = text(&ana.says(&group, "rope at six").await["id"]).to_owned();
        let path = format!("/v3/messages/{}/{message}/like", group.id);
        let likes = crowd.iter().map(async |person| person.posts(&path).await.ok());
        futures_util::future::join_all(likes).await;
        // Later likes come after these in every list.
        world.seconds_pass(1);
        Self { world, ana, ben, group, message }
    }

    /// Likes the message with an emoji. Returns the reactions in the response.
    async fn is_liked(&self, by: &Person, code: &str) -> Value {
        let icon = json!({"like_icon": {"type": "unicode", "code": code}});
        let liked = by.posts(&self.path("messages", "/like")).json(&icon).await.ok();
        liked["reactions"].clone()
    }

    fn path(&self, section: &str, act: &str) -> String {
        format!("/v3/{section}/{}/{}{act}", self.group.id, self.message)
    }

    fn message_path(&self) -> String {
        format!("/v3/conversations/{}/messages/{}", self.group.id, self.message)
    }
}

/// Asserts that the message of an event has this number of likes and names nobody.
fn counts(message: &Value, likes: usize) {
    assert_eq!(message["favorited_count"], likes, "{message}");
    assert_eq!(message["favorited_by"], json!([]));
}

#[tokio::test]
async fn events_count_more_than_a_hundred_likers() {
    let mut crowd = Crowd::gathers().await;
    let (ana, ben) = (crowd.ana.clone(), crowd.ben.clone());
    let (start, mut feed) = (here(&ana).await, ana.listens().await);
    let mut live = Vec::new();

    let told = crowd.is_liked(&ben, "🔥").await;
    let event = feed.hears_of("favorite").await;
    assert_eq!(told, event["data"]["reactions"], "the response counts as the event does");
    let fire = json!({"type": "unicode", "code": "🔥"});
    let reactions = json!([
        {"type": "unicode", "code": "❤️", "user_ids": [], "count": NAMED},
        {"type": "unicode", "code": "🔥", "user_ids": [], "count": 1}]);
    let data = json!({"message_id": crowd.message, "user_id": ben.id, "liked": true,
        "favorited_by": [], "favorited_count": NAMED + 1, "like_icon": fire,
        "reactions": reactions});
    assert_eq!(event["data"], data);
    live.push(event);
    let read = ana.reads(&crowd.group, "?limit=1").await.remove(0);
    assert_eq!(read["favorited_by"].as_array().unwrap().len(), NAMED + 1);
    assert_eq!(read["reactions"][1]["user_ids"], json!([ben.id]));
    assert_eq!(read.get("favorited_count"), None);

    // Other events about the message count as well, and responses name everybody.
    let pinned = ana.posts(&format!("{}/pin", crowd.message_path())).await.ok();
    assert_eq!(pinned["message"]["favorited_by"].as_array().unwrap().len(), NAMED + 1);
    let edit = json!({"text": "rope at seven"});
    ana.asks("PUT", &crowd.message_path()).json(&edit).await.ok();
    for kind in ["pin", "line.create", "message.update"] {
        let event = feed.hears_of(kind).await;
        if kind != "line.create" {
            counts(&event["data"], NAMED + 1);
            assert_eq!(event["data"]["reactions"], reactions, "{kind}");
        }
        live.push(event);
    }

    crowd.is_liked(&ana, "🔥").await;
    let event = feed.hears_of("favorite").await;
    counts(&event["data"], NAMED + 2);
    assert_eq!(event["data"]["reactions"][1]["count"], 2);
    live.push(event);
    for (by, left) in [(&ana, NAMED + 1), (&ben, NAMED)] {
        let told = by.posts(&crowd.path("messages", "/unlike")).await.ok();
        let event = feed.hears_of("favorite").await;
        assert_eq!(told["reactions"], event["data"]["reactions"], "{left} are left");
        assert_eq!(
            (&event["data"]["liked"], &event["data"]["user_id"]),
            (&json!(false), &json!(by.id))
        );
        match left {
            NAMED => {
                assert_eq!(event["data"]["favorited_by"].as_array().unwrap().len(), NAMED);
                assert_eq!(
                    event["data"]["reactions"][0]["user_ids"],
                    event["data"]["favorited_by"]
                );
                assert_eq!(event["data"].get("favorited_count"), None);
                assert_eq!(event["data"].get("like_icon"), None);
            }
            _ => {
                counts(&event["data"], left);
                assert_eq!(event["data"]["like_icon"], fire);
            }
        }
        live.push(event);
    }
    replays_the_same(&ana, &start, &live).await;
    crowd.world.restarts().await;
    replays_the_same(&ana, &start, &live).await;
}

#[tokio::test]
async fn bayeux_clients_hear_counts_live_and_later() {
    let crowd = Crowd::gathers().await;
    let (ana, group) = (&crowd.ana, format!("/group/{}", crowd.group.id));
    let own = format!("/user/{}", ana.id);
    let start = here(ana).await;
    let mut clients = Vec::new();
    for transport in BOTH {
        clients.push(Client::on(ana, transport, &[&group, &own]).await);
    }
    crowd.is_liked(&crowd.ben, "🔥").await;
    let mut heard = Vec::new();
    for mut client in clients {
        let mut of_both = [client.next().await, client.next().await];
        of_both.sort_by_key(|message| text(&message["channel"]).to_owned());
        heard.push(of_both.map(|message| message["data"].clone()));
    }
    let mut later = Client::of(ana, Transport::Polling).await;
    let ext = json!({"access_token": ana.token, "after": start});
    assert_eq!(later.subscribes_with(&group, ext).await["successful"], true);
    let again = later.hears_on(&group, "favorite").await;
    for [of_group, of_author] in heard {
        assert_eq!(of_group, again);
        for told in [&of_group, &of_author] {
            let subject = &told["subject"];
            counts(&subject["line"], NAMED + 1);
            assert_eq!(subject["like_icon"], json!({"type": "unicode", "code": "🔥"}));
            assert_eq!(subject["reactions"][0]["count"], NAMED);
            assert_eq!(subject["user_id"], json!(crowd.ben.id));
        }
        let sign = json!({"type": "unicode", "code": "🔥", "user_ids": [], "count": 1});
        assert_eq!(of_author["subject"]["user_reaction"], sign);
    }
}

#[tokio::test]
async fn callbacks_count_more_than_a_hundred_likers() {
    let crowd = Crowd::gathers().await;
    let mut listener = Listener::starts().await;
    let bot = json!({"name": "Echo", "group_id": crowd.group.id, "callback_url": listener.url(),
        "events": ["reaction", "pin"]});
    crowd.ana.posts("/v3/bots").json(&bot).await.created();
    crowd.is_liked(&crowd.ben, "🔥").await;
    let heard = loop {
        let heard = listener.hears().await.json();
        if heard["user_id"] == crowd.ben.id.as_str() {
            break heard;
        }
    };
    counts(&heard, NAMED + 1);
    assert_eq!(heard["liked"], true);
    crowd.ana.posts(&format!("{}/pin", crowd.message_path())).await.ok();
    counts(&listener.hears().await.json(), NAMED + 1);
}
