//! Bots (specification, section 4, Bots), without their callbacks.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, Person, text};

async fn makes_bot(by: &Person, group: &Group, mut bot: Value) -> Value {
    bot["group_id"] = json!(group.id);
    by.posts("/v3/bots").json(&json!({"bot": bot})).await.created()
}

#[tokio::test]
async fn new_bot_is_listed_to_its_creator_only() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut created = makes_bot(&ana, &climbers, json!({"name": "Forecast"})).await;
    let nested = created["bot"].take();
    created.as_object_mut().unwrap().remove("bot");
    assert_eq!(created, nested);
    // The secret signs callbacks; it is never shown again.
    assert!(text(&created["secret"]).starts_with("whsec_"));
    created.as_object_mut().unwrap().remove("secret");
    let id = text(&created["bot_id"]);
    assert_eq!(id.len(), 26);
    assert!(id.bytes().all(|sign| sign.is_ascii_alphanumeric()));
    assert_eq!(
        created,
        json!({"bot_id": id, "group_id": climbers.id, "group_name": "Climbers",
            "name": "Forecast", "avatar_url": null,
            "callback_url": null, "dm_notification": false, "active": true})
    );
    assert_eq!(ana.gets("/v3/bots").await.ok(), json!([created]));
    assert_eq!(ben.gets("/v3/bots").await.ok(), json!([]));
}

#[tokio::test]
async fn a_bot_is_made_by_flat_json_and_by_a_form_too() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let id: u64 = climbers.id.parse().unwrap();
    let flat = json!({"name": "A", "group_id": id, "dm_notification": null, "callback_url": null});
    ana.posts("/v3/bots").json(&flat).await.created();
    let form = format!(
        "bot[name]=B&bot[group_id]={id}&bot[active]=False&bot[callback_url]=\
        https://bots.example.org/b"
    );
    let kind = "application/x-www-form-urlencoded";
    let bot = ana.posts("/v3/bots").body(kind, form).await.created();
    assert_eq!(bot["active"], false);
    assert_eq!(bot["callback_url"], "https://bots.example.org/b");
}

#[tokio::test]
async fn bot_post_reveals_no_bot_id() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut of_ana = ana.listens().await;
    let mut of_ben = ben.listens().await;
    let bot = makes_bot(&ana, &climbers, json!({"name": "Forecast"})).await;
    let id = text(&bot["bot_id"]).to_owned();
    assert_eq!(of_ana.hears_of("bot.create").await["data"]["bot_id"], id);
    let told = of_ben.hears_of("bot.create").await;
    assert_eq!(told["data"]["name"], "Forecast");
    assert!(!told.to_string().contains(&id), "{told}");

    let post = json!({"bot_id": id, "text": "dry until six"});
    assert_eq!(world.post("/v3/bots/post").json(&post).await.created(), Value::Null);
    let said = ben.reads(&climbers, "?limit=1").await.remove(0);
    assert_eq!(said["text"], "dry until six");
    assert_eq!((&said["sender_type"], &said["name"]), (&json!("bot"), &json!("Forecast")));
    assert_eq!(said["user_id"], said["sender_id"]);
    assert!(!said.to_string().contains(&id), "{said}");
    assert!(!text(&said["source_guid"]).is_empty());
    let line = ben.reads(&climbers, "?limit=2").await.remove(1);
    assert_eq!(line["event"]["type"], "bot.add");
}

#[tokio::test]
async fn a_post_comes_as_json_form_or_query() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = makes_bot(&ana, &climbers, json!({"name": "Forecast"})).await;
    let id = text(&bot["bot_id"]);
    world.post("/v3/bots/post").json(&json!({"bot_id": id, "text": "json"})).await.created();
    let kind = "application/x-www-form-urlencoded";
    let form = format!("bot_id={id}&text=form");
    world.post("/v3/bots/post").body(kind, form).await.created();
    world.post(&format!("/v3/bots/post?bot_id={id}&text=query")).await.created();
    assert_eq!(ana.reads_texts(&climbers, "?limit=3").await, ["query", "form", "json"]);
}

#[tokio::test]
async fn inactive_unknown_or_orphaned_bot_cannot_post() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let off = makes_bot(&ana, &climbers, json!({"name": "Off", "active": false})).await;
    let posts = |bot: &Value| {
        let post = json!({"bot_id": bot["bot_id"], "text": "hello"});
        world.post("/v3/bots/post").json(&post)
    };
    posts(&off).await.refused(403);
    posts(&json!({"bot_id": "abcdefghijklmnopqrstuvwxyz"})).await.refused(404);

    let on = makes_bot(&ana, &climbers, json!({"name": "On"})).await;
    let destroying = json!({"bot_id": on["bot_id"]});
    ben.posts("/v3/bots/destroy").json(&destroying).await.refused(404);
    ana.posts("/v3/bots/destroy").json(&destroying).await.ok();
    posts(&on).await.refused(404);
    assert_eq!(ana.gets("/v3/bots").await.ok()[0]["name"], "Off");

    let last = makes_bot(&ana, &climbers, json!({"name": "Last"})).await;
    ana.posts(&climbers.path("/destroy")).await.ok();
    posts(&last).await.refused(404);
    assert_eq!(ana.gets("/v3/bots").await.ok(), json!([]));
}

#[tokio::test]
async fn bot_posts_have_limits() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = makes_bot(&ana, &climbers, json!({"name": "Forecast"})).await;
    let image = ana.has_image().await;
    let place = json!({"type": "location", "name": "Wall", "lat": "1", "lng": "2"});
    let picture = json!({"type": "image", "url": image});
    let posts = |mut post: Value| {
        post["bot_id"] = bot["bot_id"].clone();
        world.post("/v3/bots/post").json(&post)
    };
    posts(json!({"text": "🧗".repeat(1000)})).await.created();
    posts(json!({"text": "🧗".repeat(1001)})).await.refused(400);
    posts(json!({})).await.refused(400);
    posts(json!({"text": "both", "attachments": [picture, place]})).await.created();
    posts(json!({"text": "two", "attachments": [place, place]})).await.refused(400);
    posts(json!({"text": "split", "attachments": [{"type": "split", "token": "t"}]}))
        .await
        .refused(400);
    posts(json!({"text": "picture", "picture_url": image})).await.created();
    let said = ana.reads(&climbers, "?limit=1").await.remove(0);
    assert_eq!(said["attachments"], json!([picture]));
    posts(json!({"text": "elsewhere", "picture_url": "https://x.org/a.png"})).await.refused(400);
}

#[tokio::test]
async fn bot_needs_name_own_group_and_valid_url() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let wanted = |bot: Value| ana.posts("/v3/bots").json(&json!({"bot": bot}));
    assert_eq!(wanted(json!({})).await.refused(400).len(), 2);
    for url in ["ftp://x.org", "https://", "https://a:b@x.org/"] {
        let bot = json!({"name": "B", "group_id": climbers.id, "callback_url": url});
        wanted(bot).await.refused(400);
    }
    let bot = json!({"bot": {"name": "B", "group_id": climbers.id}});
    ben.posts("/v3/bots").json(&bot).await.refused(404);
}

#[tokio::test]
async fn existing_clients_get_202_for_bot_posts() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = makes_bot(&ana, &climbers, json!({"name": "Forecast"})).await;
    let post = json!({"bot_id": bot["bot_id"], "text": "hello"});
    world.post("/compat/v3/bots/post").json(&post).await.accepted();
    let host = world.post("/v3/bots/post").header("host", "API.groupme.com:443");
    host.json(&post).await.accepted();
}
