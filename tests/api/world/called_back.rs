//! Bots with a callback URL, and the deliveries that their creator sees.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::world::World;
use crate::world::listener::{Listener, Request};
use crate::world::person::{Group, Person, text};

/// Creates a bot of a group that is called back at this listener, and waits until the listener has
/// heard the event that announces the bot.
pub(crate) async fn lives_at(listener: &mut Listener, by: &Person, group: &Group) -> Value {
    let bot = json!({"name": "Echo", "group_id": group.id, "callback_url": listener.url()});
    let bot = by.posts("/v3/bots").json(&bot).await.created();
    assert_eq!(listener.hears().await.json()["event"]["type"], "bot.add");
    bot
}

/// A path below a bot's own.
pub(crate) fn path(bot: &Value, rest: &str) -> String {
    format!("/v3/bots/{}{rest}", text(&bot["bot_id"]))
}

/// The deliveries of a bot, as its creator sees them.
pub(crate) async fn deliveries(by: &Person, bot: &Value, query: &str) -> Vec<Value> {
    let listed = by.gets(&path(bot, &format!("/deliveries{query}"))).await.ok();
    listed["deliveries"].as_array().unwrap().clone()
}

/// Waits until the delivery with this number is the newest and in this state. The number is needed:
/// until that delivery exists, the one before it is the newest and may be in the same state.
pub(crate) async fn newest_becomes(by: &Person, bot: &Value, number: u32, state: &str) -> Value {
    let id = number.to_string();
    newest_is(by, bot, state, |it| it["id"] == *id && it["state"] == state).await
}

/// Waits until the newest delivery has failed at its attempt of this number.
pub(crate) async fn fails(by: &Person, bot: &Value, attempt: u32) -> Value {
    let has_failed = |it: &Value| it["state"] == "failed" && it["attempt"] == attempt;
    newest_is(by, bot, "failed", has_failed).await
}

/// Waits until the newest delivery was tried, and failed, at the present time of the server.
pub(crate) async fn fails_now(world: &World, by: &Person, bot: &Value) {
    let now = json!(world.clock_seconds());
    newest_is(by, bot, "tried", |it| it["state"] == "failed" && it["at"] == now).await;
}

async fn newest_is(by: &Person, bot: &Value, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..1500 {
        let newest = deliveries(by, bot, "?limit=1").await.pop();
        if let Some(newest) = newest.filter(&is_so) {
            return newest;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no delivery became {what}: {:?}", deliveries(by, bot, "").await);
}

/// The signature that a callback must carry, with this secret.
pub(crate) fn signature_by(secret: &str, request: &Request) -> String {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    let (id, at) = (request.header("webhook-id"), request.header("webhook-timestamp"));
    mac.update(format!("{}.{}.{}", id.unwrap(), at.unwrap(), request.body).as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}
