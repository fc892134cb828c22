//! The bots of a group, as its members see them: which there are, and who removes one.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::bot_feed::{BotFeed, hello, pulls, refused};
use crate::world::called_back::{lives_at, path};
use crate::world::listener::Listener;
use crate::world::person::{Group, Person, text};

/// The bots of a group, as this person sees them.
async fn sees_bots(person: &Person, group: &Group) -> Vec<Value> {
    let listed = person.gets(&group.path("/bots")).await.ok();
    listed["bots"].as_array().unwrap().clone()
}

/// The path of the bot with this name.
async fn place_of(name: &str, group: &Group, seen_by: &Person) -> String {
    let bots = sees_bots(seen_by, group).await;
    let bot = bots.iter().find(|bot| bot["name"] == name).unwrap();
    group.path(&format!("/bots/{}", text(&bot["sender_id"])))
}

#[tokio::test]
async fn members_see_bots_but_no_secrets() {
    let world = World::start().await;
    let [ana, ben, cem, dora] = world.people(["Ana", "Ben", "Cem", "Dora"]).await;
    let climbers = ana.creates_group("Climbers").await;
    assert!(sees_bots(&ana, &climbers).await.is_empty());
    for person in [&ben, &cem] {
        ana.adds(person, &climbers).await;
    }
    let mut listener = Listener::starts().await;
    let called = lives_at(&mut listener, &ben, &climbers).await;
    let pulling = pulls(&ana, &climbers).await;
    let picture = ana.has_image().await;
    let off = json!({"name": "Asleep", "group_id": climbers.id, "active": false,
        "avatar_url": picture, "callback_url": listener.url()});
    ana.posts("/v3/bots").json(&off).await.created();
    world
        .post("/v3/bots/post")
        .json(&json!({"bot_id": called["bot_id"], "text": "beep"}))
        .await
        .created();
    let sender = cem.reads(&climbers, "?limit=1").await.remove(0)["sender_id"].take();

    let seen = sees_bots(&cem, &climbers).await;
    let of =
        |person: &Person| json!({"user_id": person.id, "name": person.name, "is_member": true});
    let [asleep, echo, pull] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!(
        (&asleep["name"], &asleep["avatar_url"], &asleep["created_by"]),
        (&json!("Asleep"), &json!(picture), &of(&ana))
    );
    let hears = |bot: &Value| json!([bot["active"], bot["listens"], bot["events"]]);
    assert_eq!(hears(asleep), json!([false, false, []]));
    assert_eq!(
        *echo,
        json!({"sender_id": sender, "name": "Echo", "avatar_url": null, "created_by": of(&ben),
            "active": true, "listens": true, "events": ["message"]})
    );
    assert_eq!(hears(pull), json!([true, true, []]), "it may ask by itself");
    let told = json!(seen).to_string();
    for secret in
        [&called["bot_id"], &called["secret"], &called["callback_url"], &pulling["bot_id"]]
    {
        assert!(!told.contains(text(secret)), "{told}");
    }
    let change = json!({"name": "Aloud", "events": ["pin", "message"]});
    ben.posts(&path(&called, "/update")).json(&change).await.ok();
    let seen = sees_bots(&cem, &climbers).await;
    assert_eq!(
        (&seen[0]["name"], &seen[0]["events"]),
        (&json!("Aloud"), &json!(["message", "pin"]))
    );

    dora.gets(&climbers.path("/bots")).await.refused(404);
    cem.gets("/v3/groups/no-group/bots").await.refused(404);
    cem.leaves(&climbers).await;
    cem.gets(&climbers.path("/bots")).await.refused(404);
}

#[tokio::test]
async fn admins_remove_a_former_members_bot() {
    let mut world = World::start().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for person in [&ben, &cara] {
        ana.adds(person, &climbers).await;
    }
    let mut listener = Listener::starts().await;
    let called = lives_at(&mut listener, &cara, &climbers).await;
    let pulling = pulls(&cara, &climbers).await;
    assert_eq!(listener.hears().await.json()["event"]["type"], "bot.add");
    let mut feed = BotFeed::of(&world, &pulling, None).await;
    let nickname = json!({"membership": {"nickname": "Cat"}});
    cara.posts(&climbers.path("/memberships/update")).json(&nickname).await.ok();
    while listener.hears().await.json()["text"] != "Cara changed name to Cat." {}
    cara.leaves(&climbers).await;
    for bot in sees_bots(&ben, &climbers).await {
        let gone = json!({"user_id": cara.id, "name": "Cat", "is_member": false});
        assert_eq!((&bot["created_by"], &bot["listens"]), (&gone, &json!(false)));
    }

    let places = [place_of("Echo", &climbers, &ben).await, place_of("Pull", &climbers, &ben).await];
    let only = "only the owner, admins and the member who created this bot may remove it";
    assert_eq!(ben.asks("DELETE", &places[0]).await.refused(403), [only]);
    let gone = cara.asks("DELETE", &places[0]).await.refused(404);
    assert_eq!(gone, ["there is no such group"]);
    let mut bens_feed = ben.listens().await;
    for (place, name) in places.iter().zip(["Echo", "Pull"]) {
        ana.asks("DELETE", place).await.ok();
        let told = bens_feed.hears_of("bot.delete").await;
        assert_eq!((&told["data"]["name"], &told["data"]["bot_id"]), (&json!(name), &Value::Null));
        let line = &bens_feed.hears_of("line.create").await["data"];
        assert_eq!(line["event"]["type"], "bot.del");
        assert_eq!(line["text"], format!("Ana removed the {name} bot."));
        assert_eq!(ana.asks("DELETE", place).await.refused(404), ["there is no such bot"]);
    }
    assert_eq!(feed.socket.ends().await, 4401);
    assert_eq!(refused(&world, &hello(&pulling, None)).await, 4401);
    ana.says(&climbers, "nobody else reads this").await;
    listener.hears_nothing().await;
    for bot in [&called, &pulling] {
        let post = json!({"bot_id": bot["bot_id"], "text": "beep"});
        world.post("/v3/bots/post").json(&post).await.refused(404);
    }
    world.restarts().await;
    assert!(sees_bots(&ben, &climbers).await.is_empty());
    assert_eq!(cara.gets("/v3/bots").await.ok(), json!([]));
}

#[tokio::test]
async fn creator_removes_bot_by_its_number_in_its_group() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let walkers = ana.creates_group("Walkers").await;
    ana.adds(&ben, &climbers).await;
    pulls(&ben, &climbers).await;
    let place = place_of("Pull", &climbers, &ana).await;
    let (_, number) = place.rsplit_once('/').unwrap();
    for wrong in [number, &ben.id, "0", "no-number"] {
        let elsewhere = walkers.path(&format!("/bots/{wrong}"));
        assert_eq!(ana.asks("DELETE", &elsewhere).await.refused(404), ["there is no such bot"]);
    }
    ben.asks("DELETE", &place).await.ok();
    assert!(sees_bots(&ana, &climbers).await.is_empty());
}
