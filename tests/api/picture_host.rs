//! Images as existing clients know them: on compatibility hosts they are named at `i.groupme.com`,
//! and found there.

use std::io::Read as _;

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Person, text};
use crate::world::pictures;

const API: &str = "api.groupme.com";
const IMAGES: &str = "i.groupme.com";

/// The URL of a new image, as the image service names it.
async fn stores(by: &Person, host: &str) -> String {
    pictures::url(&by.sends_image(pictures::png(10, 20)).header("Host", host).await)
}

#[tokio::test]
async fn compatibility_hosts_name_images_at_the_host_of_images() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let url = stores(&ana, "image.groupme.com").await;
    let name = url.strip_prefix("https://i.groupme.com/").unwrap();
    let native = world.address.url(&format!("/images/{name}"));
    assert_eq!(ana.stores_image(pictures::png(10, 20)).await, native);
    for ending in ["", ".preview", ".large", ".avatar"] {
        let shown = world.get(&format!("/{name}{ending}")).header("Host", IMAGES).await;
        assert_eq!((shown.status, shown.header("content-type")), (200, Some("image/png")));
        let elsewhere = world.get(&format!("/{name}{ending}")).header("Host", API).await;
        assert_eq!(elsewhere.status, 404, "{ending}");
    }
    // Either name is understood under any host.
    for (number, sent) in [&url, &native].into_iter().enumerate() {
        let image = json!([{"type": "image", "url": sent}]);
        let message = json!({"source_guid": number.to_string(), "attachments": image});
        let posting = ana.posts(&climbers.path("/messages")).json(&json!({"message": message}));
        let posted = posting.header("Host", API).await.created();
        assert_eq!(text(&posted["message"]["attachments"][0]["url"]), url);
    }
    for (host, expected) in [(API, &url), ("localhost", &native)] {
        let change = json!({"image_url": url});
        let group = ana.posts(&climbers.path("/update")).json(&change).header("Host", host);
        assert_eq!(text(&group.await.ok()["image_url"]), expected);
        let change = json!({"avatar_url": native});
        let user = ana.posts("/v3/users/update").json(&change).header("Host", host);
        assert_eq!(text(&user.await.ok()["image_url"]), expected);
        let listed = ana.gets(&climbers.path("/messages")).header("Host", host).await.ok();
        assert_eq!(text(&listed["messages"][1]["attachments"][0]["url"]), expected);
    }
}

#[tokio::test]
async fn large_compressed_lists_name_images_there_too() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let native = ana.has_image().await;
    for _ in 0..20 {
        let image = json!([{"type": "image", "url": native}]);
        ana.posting(&climbers, json!({"text": native, "attachments": image})).await.created();
    }
    let url = world.address.url(&climbers.path("/messages"));
    let request = reqwest::Client::new().get(url).header("X-Access-Token", &ana.token);
    let request = request.header("Host", API).header("Accept-Encoding", "gzip");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.headers()["content-encoding"], "gzip");
    let bytes = answer.bytes().await.unwrap();
    let mut list = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut list).unwrap();
    let list: Value = serde_json::from_str(&list).unwrap();
    let messages = list["response"]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 20);
    for message in messages {
        assert!(text(&message["attachments"][0]["url"]).starts_with("https://i.groupme.com/"));
    }
}

#[tokio::test]
async fn images_are_at_home_without_a_host_of_images() {
    use crate::world::server::Setup;
    let setup = Setup::default().option("--compat-host", "api.groupme.com");
    let world = World::with(setup).await;
    let [ana] = world.people(["Ana"]).await;
    let native = stores(&ana, API).await;
    assert!(native.starts_with(&world.address.url("/images/")), "{native}");
}
