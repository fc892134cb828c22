//! Images where users are shown them: in messages, as avatars, of groups; and images that nothing
//! uses.

use coterie::journal::file::FileJournal;
use coterie::media::orphans::orphans;
use serde_json::json;

use crate::world::World;
use crate::world::pictures::png;

const NEVER: &str = "/images/1x1.png.0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn unknown_image_url_is_refused_everywhere() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let never = world.address.url(NEVER);
    let own = ana.has_image().await;
    let attachments = json!([{"type": "image", "url": own}, {"type": "image", "url": never}]);
    let message = json!({"source_guid": "g", "attachments": attachments});
    let ours = "must be the URL of an image of this server";

    let posted = ana.posts(&climbers.path("/messages")).json(&json!({"message": message})).await;
    assert_eq!(posted.refused(400), [format!("message.attachments[1].url {ours}")]);
    let mut direct = message.clone();
    direct["recipient_id"] = json!(ben.id);
    let sent = ana.posts("/v3/direct_messages").json(&json!({"direct_message": direct})).await;
    assert_eq!(sent.refused(400), [format!("direct_message.attachments[1].url {ours}")]);
    let group = json!({"name": "Divers", "image_url": never});
    let created = ana.posts("/v3/groups").json(&group).await;
    assert_eq!(created.refused(400), [format!("image_url {ours}")]);
    let updated = ana.posts(&climbers.path("/update")).json(&json!({"image_url": never})).await;
    assert_eq!(updated.refused(400), [format!("image_url {ours}")]);
    let mut bot = json!({"name": "Tides", "group_id": climbers.id, "avatar_url": never});
    let made = ana.posts("/v3/bots").json(&bot).await;
    assert_eq!(made.refused(400), [format!("avatar_url {ours}")]);
    bot["avatar_url"] = json!(format!("{own}.avatar"));
    let made = ana.posts("/v3/bots").json(&bot).await.created();
    assert_eq!(made["avatar_url"], bot["avatar_url"], "a form of an image is one");
    let post = json!({"bot_id": made["bot_id"], "text": "high", "picture_url": never});
    let posted = ana.posts("/v3/bots/post").json(&post).await;
    assert_eq!(posted.refused(400), [format!("picture_url {ours}")]);
    let update = ana.posts("/v3/users/update").json(&json!({"avatar_url": never})).await;
    assert_eq!(update.refused(400), [format!("avatar_url {ours}")]);
    assert!(ana.reads_texts(&climbers, "").await.iter().all(|text| text != "high"));
}

#[tokio::test]
async fn own_image_url_becomes_the_avatar() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let image = ana.has_image().await;
    let update = ana.posts("/v3/users/update").json(&json!({"avatar_url": image})).await.ok();
    assert_eq!(update["image_url"], json!(image));
    let said = ana.says(&climbers, "rope at six").await;
    assert_eq!(said["avatar_url"], json!(image));
    assert_eq!(ben.gets(&climbers.path("")).await.ok()["members"][0]["image_url"], json!(image));
}

/// The images to which nothing refers, as an operator sees them, by their sizes.
async fn unused(world: &mut World) -> Vec<String> {
    world.stops().await;
    let (journal, _) =
        FileJournal::open(&world.data().join("journal"), Default::default()).unwrap();
    let listed = orphans(&world.data().join("images"), &journal).unwrap();
    let mut sizes: Vec<String> =
        listed.iter().map(|it| it.name.text().split('.').next().unwrap().to_owned()).collect();
    sizes.sort();
    sizes
}

#[tokio::test]
async fn only_unused_images_are_listed() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut stored = Vec::new();
    for width in 1..=9 {
        stored.push(ana.stores_image(png(width, 1)).await);
    }
    let [never, message, direct, first, second, old, new, bot, gone] = stored.try_into().unwrap();
    let image = |url: &str| json!([{"type": "image", "url": url}]);
    let climbers = json!({"name": "Climbers", "image_url": old});
    let climbers = ana.posts("/v3/groups").json(&climbers).await.created();
    let climbers = crate::world::person::Group { id: climbers["id"].as_str().unwrap().to_owned() };
    ana.posting(&climbers, json!({"attachments": image(&format!("{message}.large"))}))
        .await
        .created();
    let letter = json!({"source_guid": "g", "recipient_id": ben.id, "attachments": image(&direct)});
    ana.posts("/v3/direct_messages").json(&json!({"direct_message": letter})).await.created();
    // Ana has posted nothing with the first avatar, so nothing refers to it any more.
    for avatar in [first, second] {
        ana.posts("/v3/users/update").json(&json!({"avatar_url": avatar})).await.ok();
    }
    ana.posts(&climbers.path("/update")).json(&json!({"image_url": new})).await.ok();
    let made = json!({"name": "Tides", "group_id": climbers.id, "avatar_url": bot});
    ana.posts("/v3/bots").json(&made).await.created();
    let made = json!({"name": "Gone", "group_id": climbers.id, "avatar_url": gone});
    let made = ana.posts("/v3/bots").json(&made).await.created();
    ana.posts("/v3/bots/destroy").json(&json!({"bot_id": made["bot_id"]})).await.ok();
    assert!(never.contains("/1x1."));
    assert_eq!(unused(&mut world).await, ["1x1", "4x1", "6x1", "9x1"]);
}
