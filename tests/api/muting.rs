//! Mutes and notification levels: which notices users get, and for how long they get none.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::group_acts::member;
use crate::notices::{sms, switches_sms_on, with_gateway, with_phone};
use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::bayeux::{BOTH, Client, own_channel};
use crate::world::outside::Outside;
use crate::world::person::{Group, Person};

/// The end of a mute for which nobody set an end, in Unix seconds.
const FOR_EVER: u64 = 253_402_300_800;

async fn mutes(by: &Person, group: &Group, body: Value) -> Answer {
    by.posts(&group.path("/memberships/mute")).json(&body).await
}

fn place(conversation: &str) -> String {
    format!("/v3/conversations/{conversation}/notifications")
}

async fn sets(by: &Person, conversation: &str, level: &str) -> Answer {
    by.asks("PUT", &place(conversation)).json(&json!({"level": level})).await
}

#[tokio::test]
async fn timed_mute_expires_on_all_devices() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let muted = mutes(&ben, &climbers, json!({"duration": 1})).await.ok();
    let until = muted["muted_until"].as_u64().unwrap();
    assert_eq!(
        (&muted["muted"], &muted["membership"]["muted_until"]),
        (&json!(true), &json!(until))
    );
    let shown = member(&ben.sees(&climbers).await, &ben).clone();
    assert_eq!((&shown["muted"], &shown["muted_until"]), (&json!(true), &json!(until)));
    let settings = ben.gets(&place(&climbers.id)).await.ok();
    assert_eq!(settings["muted_until"], until);
    let mut live = vec![feed.hears_of("membership.update").await];
    assert_eq!(live[0]["data"]["memberships"][0]["muted_until"], until);
    world.seconds_pass(55);
    assert_eq!(member(&ana.sees(&climbers).await, &ben)["muted"], true);
    let mut feed = ben.listens().await;
    world.seconds_pass(5);
    live.push(feed.hears_of("membership.update").await);
    assert_eq!(live[1]["data"]["memberships"][0]["muted_until"], Value::Null);
    assert_eq!(live[1]["data"]["by"], json!(ben.id));
    replays_the_same(&ben, &start, &live).await;
    // A mute that expires while the server is down ends once the server is back.
    mutes(&ben, &climbers, json!({"duration": "1"})).await.ok();
    world.stops().await;
    world.seconds_pass(120);
    world.restarts().await;
    let mut feed = ben.listens().await;
    while member(&ben.sees(&climbers).await, &ben)["muted"] == true {
        feed.hears_of("membership.update").await;
    }
}

#[tokio::test]
async fn endless_mute_lasts_until_leaving() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    for body in [json!({}), json!({"duration": null})] {
        assert_eq!(mutes(&ben, &climbers, body).await.ok()["muted_until"], FOR_EVER);
    }
    world.seconds_pass(86_400 * 365);
    world.restarts().await;
    assert_eq!(member(&ana.sees(&climbers).await, &ben)["muted_until"], FOR_EVER);
    let whole = |act: &str| ben.posts(&climbers.path(&format!("/memberships/{act}")));
    assert_eq!(whole("unmute_all").await.ok()["muted_until"], Value::Null);
    assert_eq!(whole("mute_all").json(&json!({"duration": 5})).await.ok()["muted"], true);
    ben.leaves(&climbers).await;
    let back = ben.posts("/v3/groups/join").json(&json!({"group_id": climbers.id})).await.ok();
    assert_eq!(member(&back, &ben)["muted"], false);
    whole("mute").await.ok();
    world.seconds_pass(600);
    ana.says(&climbers, "still here").await;
    assert_eq!(member(&ana.sees(&climbers).await, &ben)["muted_until"], FOR_EVER);
    for wrong in [json!({"duration": 0}), json!({"duration": -1}), json!({"duration": "long"})] {
        mutes(&ben, &climbers, wrong.clone()).await.refused(400);
        ben.posts("/v3/memberships/mute_all").json(&wrong).await.refused(400);
    }
}

#[tokio::test]
async fn notice_level_reaches_own_devices_and_defaults_to_all() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    writes(&ana, &ben, "hello").await;
    let chat = conversation(&ana, &ben);
    let first = ben.gets(&place(&chat)).await.ok();
    let expected = json!({"conversation_id": chat, "level": "all", "muted_until": null,
        "all_muted_until": null});
    assert_eq!(first, expected);
    let start = here(&ben).await;
    let (mut feed, mut anas) = (ben.listens().await, ana.listens().await);
    assert_eq!(sets(&ben, &chat, "none").await.ok()["level"], "none");
    assert_eq!(sets(&ben, &climbers.id, "mentions").await.ok()["level"], "mentions");
    let until = ben.posts("/v3/memberships/mute_all").json(&json!({"duration": 10}));
    let until = until.await.ok()["muted_until"].as_u64().unwrap();
    let mut live = vec![feed.hears_of("notifications").await, feed.hears_of("notifications").await];
    assert_eq!(live[0]["data"], json!({"conversation_id": chat, "level": "none"}));
    live.push(feed.hears_of("mute_all").await);
    assert_eq!(live[2]["data"], json!({"muted_until": until}));
    anas.stays_silent().await;
    replays_the_same(&ben, &start, &live).await;
    world.restarts().await;
    let kept = ben.gets(&place(&climbers.id)).await.ok();
    assert_eq!((&kept["level"], &kept["all_muted_until"]), (&json!("mentions"), &json!(until)));
    world.seconds_pass(600);
    assert_eq!(ben.gets(&place(&chat)).await.ok()["all_muted_until"], Value::Null);
    ben.posts("/v3/memberships/unmute_all").await.ok();
    sets(&ben, &chat, "all").await.ok();
    assert_eq!(ben.gets(&place(&chat)).await.ok(), expected);
    sets(&ben, &chat, "loud").await.refused(400);
    ben.asks("PUT", &place(&chat)).json(&json!({})).await.refused(400);
    sets(&cem, &chat, "none").await.refused(404);
    cem.gets(&place(&chat)).await.refused(404);
}

/// The `muted_until` of a chat as the list of chats, the chat itself, the snapshot and the
/// notification settings have it; consecutive equal values once.
async fn chat_muted(of: &Person, with: &Person) -> Vec<Value> {
    let list = of.gets("/v3/chats").await.ok();
    let alone = of.gets(&format!("/v3/chats/{}", with.id)).await.ok();
    let sync = of.gets("/v3/sync").await.ok();
    let mut shown = vec![
        list[0]["muted_until"].clone(),
        alone["muted_until"].clone(),
        sync["chats"][0]["chat"]["muted_until"].clone(),
        of.gets(&place(&conversation(of, with))).await.ok()["muted_until"].clone(),
    ];
    shown.dedup();
    shown
}

#[tokio::test]
async fn a_chat_is_muted_for_a_time_and_shows_until_when() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    writes(&ana, &ben, "hello").await;
    let chat = conversation(&ana, &ben);
    let puts = |body: Value| ben.asks("PUT", &place(&chat)).json(&body);
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let set = puts(json!({"duration": 1})).await.ok();
    let until = set["muted_until"].as_u64().unwrap();
    assert_eq!((&set["level"], until), (&json!("all"), world.clock_seconds() + 60));
    let live = vec![feed.hears_of("mute").await];
    assert_eq!(live[0]["data"], json!({"conversation_id": chat, "muted_until": until}));
    replays_the_same(&ben, &start, &live).await;
    assert_eq!(chat_muted(&ben, &ana).await, [json!(until)]);
    assert_eq!(chat_muted(&ana, &ben).await, [Value::Null], "it is nobody else's business");
    let mut fresh = ben.listens().await;
    writes(&ana, &ben, "hush").await;
    for feed in [&mut feed, &mut fresh] {
        assert_eq!(feed.hears_of("direct_message.create").await["alert"], Value::Null);
    }
    world.restarts().await;
    assert_eq!(chat_muted(&ben, &ana).await, [json!(until)]);
    world.seconds_pass(60);
    assert_eq!(chat_muted(&ben, &ana).await, [Value::Null]);
    let mut feed = ben.listens().await;
    writes(&ana, &ben, "loud").await;
    assert_eq!(feed.hears_of("direct_message.create").await["alert"], "Ana: loud");
    let set = puts(json!({"level": "mentions", "duration": null})).await.ok();
    assert_eq!((&set["level"], &set["muted_until"]), (&json!("mentions"), &json!(FOR_EVER)));
    let set = puts(json!({"duration": 0})).await.ok();
    assert_eq!((&set["level"], &set["muted_until"]), (&json!("mentions"), &Value::Null));
    for wrong in [json!({"duration": -1}), json!({"duration": "long"}), json!({"level": 1})] {
        puts(wrong).await.refused(400);
    }
    let elsewhere = ben.asks("PUT", &place(&climbers.id)).json(&json!({"duration": 1}));
    elsewhere.await.refused(400);
    cem.asks("PUT", &place(&chat)).json(&json!({"duration": 1})).await.refused(404);
}

#[tokio::test]
async fn notices_go_out_by_level_and_mute_and_sockets_hear_everything() {
    let mut gateway = Outside::listens().await;
    let world = World::with(with_gateway(&gateway.url)).await;
    let [ana] = world.people(["Ana"]).await;
    let ben = with_phone(&world, "Ben", "+15550101234").await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    switches_sms_on(&ben, None).await;
    let mut feed = ben.listens().await;
    let calls = |words: &str| {
        let at = json!({"type": "mentions", "user_ids": [ben.id], "loci": [[0, 4]]});
        ana.posting(&climbers, json!({"text": words, "attachments": [at]}))
    };
    sets(&ben, &climbers.id, "none").await.ok();
    feed.hears_of("notifications").await;
    calls("@Ben unheard").await.created();
    assert_eq!(feed.hears_of("line.create").await["data"]["text"], "@Ben unheard");
    writes(&ana, &ben, "one").await;
    assert_eq!(sms(&gateway.hears().await).1, "Ana: one");
    sets(&ben, &climbers.id, "mentions").await.ok();
    ana.says(&climbers, "unheard").await;
    calls("@Ben two").await.created();
    assert_eq!(sms(&gateway.hears().await).1, "Ana in Climbers: @Ben two");
    sets(&ben, &climbers.id, "all").await.ok();
    let chat = place(&conversation(&ana, &ben));
    ben.asks("PUT", &chat).json(&json!({"duration": 1})).await.ok();
    writes(&ana, &ben, "unheard").await;
    calls("@Ben and chats").await.created();
    assert_eq!(sms(&gateway.hears().await).1, "Ana in Climbers: @Ben and chats");
    world.seconds_pass(60);
    writes(&ana, &ben, "again").await;
    assert_eq!(sms(&gateway.hears().await).1, "Ana: again");
    ben.posts("/v3/memberships/mute_all").json(&json!({"duration": 5})).await.ok();
    writes(&ana, &ben, "unheard").await;
    calls("@Ben three").await.created();
    assert_eq!(sms(&gateway.hears().await).1, "Ana in Climbers: @Ben three");
    world.seconds_pass(300);
    writes(&ana, &ben, "four").await;
    assert_eq!(sms(&gateway.hears().await).1, "Ana: four");
}

#[tokio::test]
async fn muted_message_alerts_only_mentioned_readers() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    writes(&ana, &ben, "hi").await;
    let chat = conversation(&ana, &ben);
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let mut live = Vec::new();
    mutes(&ben, &climbers, json!({})).await.ok();
    live.push(feed.hears_of("membership.update").await);
    sets(&ben, &chat, "none").await.ok();
    live.push(feed.hears_of("notifications").await);
    ana.says(&climbers, "no \",\"alert\":\"x\"").await;
    let words = json!({"text": "@Ben", "attachments": [
        {"type": "mentions", "user_ids": [ben.id], "loci": [[0, 4]]}]});
    ana.posting(&climbers, words).await.created();
    writes(&ana, &ben, "hello").await;
    let told = [
        ("line.create", json!(null)),
        ("line.create", json!("Ana: @Ben")),
        ("direct_message.create", json!(null)),
    ];
    for (kind, alert) in told {
        live.push(feed.hears_of(kind).await);
        assert_eq!(live.last().unwrap()["alert"], alert);
    }
    replays_the_same(&ben, &start, &live).await;
    let mut anas = ana.listens().await;
    let mut there = Client::on(&ben, BOTH[0], &[&own_channel(&ben)]).await;
    ana.says(&climbers, "and on").await;
    let heard = there.hears_on(&own_channel(&ben), "line.create").await;
    assert_eq!((&heard["alert"], &heard["subject"]["text"]), (&Value::Null, &json!("and on")));
    assert_eq!(anas.hears_of("line.create").await["alert"], "Ana: and on");
    assert_eq!(feed.hears_of("line.create").await["alert"], Value::Null);
    // After unmuting, alerts come again at once.
    ben.posts(&climbers.path("/memberships/unmute")).await.ok();
    feed.hears_of("membership.update").await;
    sets(&ben, &chat, "all").await.ok();
    feed.hears_of("notifications").await;
    ana.says(&climbers, "loud").await;
    assert_eq!(feed.hears_of("line.create").await["alert"], "Ana: loud");
    ben.posts("/v3/memberships/mute_all").json(&json!({"duration": 1})).await.ok();
    feed.hears_of("mute_all").await;
    writes(&ana, &ben, "hush").await;
    assert_eq!(feed.hears_of("direct_message.create").await["alert"], Value::Null);
    world.seconds_pass(50);
    let mut feed = ben.listens().await;
    ana.says(&climbers, "still").await;
    assert_eq!(feed.hears_of("line.create").await["alert"], Value::Null);
    world.seconds_pass(11);
    ana.says(&climbers, "over").await;
    assert_eq!(feed.hears_of("line.create").await["alert"], "Ana: over");
}
