//! The gallery of a conversation: pictures, videos, files and links, newest first.

use serde_json::{Value, json};

use crate::files::uploads;
use crate::world::World;
use crate::world::person::{Group, Person, text};

async fn sends(by: &Person, group: &Group, message: Value) -> Value {
    by.posting(group, message).await.created()["message"].take()
}

/// The messages of a page of the gallery.
async fn gallery(by: &Person, group: &Group, query: &str) -> Vec<Value> {
    let path = format!("/v3/conversations/{}/gallery{query}", group.id);
    serde_json::from_value(by.gets(&path).await.ok()["messages"].take()).unwrap()
}

fn ids(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|it| text(&it["id"])).collect()
}

/// The beginning of an MP4 that claims to have a picture track.
fn video() -> Vec<u8> {
    b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom....vide....soun".to_vec()
}

#[tokio::test]
async fn gallery_omits_deleted_messages() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    assert!(gallery(&ana, &climbers, "").await.is_empty());
    let image = json!({"type": "image", "url": ana.has_image().await});
    let picture = sends(&ana, &climbers, json!({"attachments": [image]})).await;
    ana.says(&climbers, "rope at six").await;
    let link = ana.says(&climbers, "see https://example.org/ropes").await;
    let file = uploads(&ana, &climbers.id, "plan.txt", b"rope".to_vec()).await;
    let plan = sends(&ana, &climbers, json!({"attachments": [file]})).await;
    let clip = uploads(&ana, &climbers.id, "wall.mp4", video()).await;
    let url =
        format!("{}/v3/files/{}/{}", world.address.url(""), climbers.id, text(&clip["file_id"]));
    let shown = json!({"type": "video", "url": url, "preview_url": image["url"]});
    let film = sends(&ana, &climbers, json!({"attachments": [shown]})).await;
    assert_eq!(film["attachments"], json!([shown]), "as it was sent");
    let all = [
        ("", vec![&film, &picture]),
        ("?has=image", vec![&picture]),
        ("?has=video", vec![&film]),
        ("?has=file", vec![&plan]),
        ("?has=link", vec![&link]),
    ];
    for (query, wanted) in &all {
        let wanted: Vec<&str> = wanted.iter().map(|it| text(&it["id"])).collect();
        assert_eq!(ids(&gallery(&ana, &climbers, query).await), wanted, "{query}");
    }
    // Paging works although all messages were written in the same second.
    let first = gallery(&ana, &climbers, "?limit=1").await;
    let next = format!("?limit=1&before={}", text(&first[0]["gallery_ts"]));
    let second = gallery(&ana, &climbers, &next).await;
    assert_eq!((ids(&first), ids(&second)), (vec![text(&film["id"])], vec![text(&picture["id"])]));
    let after = format!("?after={}", text(&second[0]["gallery_ts"]));
    assert_eq!(ids(&gallery(&ana, &climbers, &after).await), ids(&first));
    // An edit changes what the gallery says a message has; a deletion removes the message.
    let of = |it: &Value| format!("/v3/conversations/{}/messages/{}", climbers.id, text(&it["id"]));
    ana.asks("PUT", &of(&link)).json(&json!({"text": "no link"})).await.ok();
    assert!(gallery(&ana, &climbers, "?has=link").await.is_empty());
    assert_eq!(ana.asks("DELETE", &of(&film)).await.status, 204);
    world.restarts().await;
    assert_eq!(ids(&gallery(&ana, &climbers, "").await), [text(&picture["id"])]);
    ana.gets(&format!("/v3/files/{}/{}", climbers.id, text(&clip["file_id"]))).await.refused(404);
    ben.gets(&format!("/v3/conversations/{}/gallery", climbers.id)).await.refused(404);
    for query in ["?has=text", "?before=yesterday", "?limit=0"] {
        ana.gets(&format!("/v3/conversations/{}/gallery{query}", climbers.id)).await.refused(400);
    }
}

#[tokio::test]
async fn a_video_is_one_of_this_conversation() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let preview = ana.has_image().await;
    let plan = uploads(&ana, &climbers.id, "plan.txt", b"rope".to_vec()).await;
    let own = world.address.url("");
    let path = format!("/v3/files/{}", climbers.id);
    for (url, why) in [
        (format!("{own}{path}/{}", text(&plan["file_id"])), "a video of"),
        (format!("https://elsewhere.example{path}/{}", text(&plan["file_id"])), "a file of"),
        (format!("{own}{path}/x"), "a file of"),
    ] {
        let film = json!({"type": "video", "url": url, "preview_url": preview});
        let said = json!({"text": "look", "attachments": [film]});
        let refused = ana.posting(&climbers, said).await.refused(400);
        let wanted =
            format!("message.attachments[0].url must be the URL of {why} this conversation");
        assert_eq!(refused, [wanted]);
    }
}

/// Waits until a search for messages with this kind of content finds the message `newest`; returns
/// the ids of all that it finds.
async fn searched(by: &Person, has: &str, newest: &Value) -> Vec<String> {
    let path = format!("/v3/search/messages?has={has}");
    loop {
        let answer = by.gets(&path).await;
        if answer.status == 200 {
            let found: Vec<Value> = serde_json::from_value(answer.ok()["messages"].take()).unwrap();
            if found.iter().any(|it| it["id"] == newest["id"]) {
                return ids(&found).into_iter().map(str::to_owned).collect();
            }
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn search_and_gallery_agree_on_content() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    // A video that was sent as a file, a scheme without a host, and links as people type them.
    let clip = uploads(&ana, &climbers.id, "wall.mp4", video()).await;
    sends(&ana, &climbers, json!({"attachments": [clip]})).await;
    let plan = uploads(&ana, &climbers.id, "plan.txt", b"rope".to_vec()).await;
    for words in ["https:// is a scheme", "HTTPS://Example.org/x", "see (http://example.org)"] {
        ana.says(&climbers, words).await;
    }
    let image = json!({"type": "image", "url": ana.has_image().await});
    let picture = json!({"text": "https://example.org", "attachments": [image, plan]});
    let newest = sends(&ana, &climbers, picture).await;
    for (has, count) in [("image", 1), ("link", 3), ("file", 1)] {
        let found = searched(&ana, has, &newest).await;
        let shown = gallery(&ana, &climbers, &format!("?has={has}")).await;
        assert_eq!(found, ids(&shown), "{has}");
        assert_eq!(found.len(), count, "{has}");
    }
    // All messages are indexed by now.
    let found = ana.gets("/v3/search/messages?has=video").await.ok();
    let shown = gallery(&ana, &climbers, "?has=video").await;
    assert_eq!(found["messages"][0]["id"], shown[0]["id"]);
    assert_eq!((shown.len(), &found["count"]), (1, &json!(1)));
}
