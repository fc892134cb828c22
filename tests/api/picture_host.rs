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

const UPLOADS: &str = "m.groupme.com";

/// The path of a URL of this server.
fn below(url: &str) -> String {
    let path = url.find("/uploads/").unwrap();
    url[path..].to_owned()
}

async fn announces(by: &Person, image: &Value) -> Value {
    let asked = by.posts("/uploads").header("Host", UPLOADS).json(image).await;
    assert_eq!(asked.status, 201, "{}", asked.text);
    serde_json::from_str(&asked.text).unwrap()
}

#[tokio::test]
async fn image_name_is_reserved_before_upload() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let image = json!({"extension": "png", "senderId": ana.id, "groupId": climbers.id,
        "fileSize": 100, "width": 10, "height": 20});
    let urls = announces(&ana, &image).await;
    let names: Vec<&String> = urls.as_object().unwrap().keys().collect();
    assert_eq!(names, ["renderUrl", "thumbnailUrl", "transcriptUrl", "uploadUrl"]);
    assert_eq!((&urls["thumbnailUrl"], &urls["transcriptUrl"]), (&Value::Null, &Value::Null));
    let [upload, render] = ["uploadUrl", "renderUrl"].map(|name| below(text(&urls[name])));
    assert!(render.ends_with("/10x20.original.png"), "{render}");
    let message = |url: &str| {
        let attachments = json!([{"type": "image", "url": url, "blur_hash": "LEHV6n"}]);
        json!({"text": "rope", "attachments": attachments})
    };

    // Nothing is there before the bytes.
    let sent = message(text(&urls["renderUrl"]));
    ana.posting(&climbers, sent.clone()).await.refused(400);
    assert_eq!(world.get(&render).await.status, 404);
    let changed = upload.replace("signature=", "signature=A");
    world.asks("PUT", &changed).bytes(pictures::png(10, 20)).await.refused(403);
    world.asks("PUT", &upload).bytes(b"rope".to_vec()).await.refused(400);
    for _ in 0..2 {
        let put = world.asks("PUT", &upload).header("Host", UPLOADS);
        let put = put.bytes(pictures::png(10, 20)).await;
        assert_eq!((put.status, put.text.as_str()), (201, ""));
    }
    // The first bytes stay.
    assert_eq!(world.asks("PUT", &upload).bytes(pictures::png(7, 7)).await.status, 201);

    for number in 0..2 {
        let native = below_images(&world, &render).await;
        assert!(native.starts_with("/images/10x20.png."), "{native}");
        let shown = world.get(&native).await;
        assert_eq!((shown.status, shown.header("content-type")), (200, Some("image/png")));
        for (form, ending) in [("large", ".large"), ("small", ".preview")] {
            let place = render.replace(".original.", &format!(".{form}."));
            assert_eq!(below_images(&world, &place).await, format!("{native}{ending}"));
        }
        // Another member may send it too, after a restart as well.
        let by = [&ana, &ben][number];
        let render_url = world.address.url(&render);
        let posted = by.posting(&climbers, message(&render_url)).await.created();
        let shown = &posted["message"]["attachments"][0];
        assert!(text(&shown["url"]).ends_with(&native), "{shown}");
        assert_eq!(shown["blur_hash"], "LEHV6n");
        world.restarts().await;
    }
    world.seconds_pass(3600);
    world.asks("PUT", &upload).bytes(pictures::png(10, 20)).await.refused(403);
}

/// The path of the image to which an address leads.
async fn below_images(world: &World, path: &str) -> String {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    let answer = client.build().unwrap().get(world.address.url(path)).send().await.unwrap();
    assert_eq!(answer.status(), 302);
    let place = answer.headers()["location"].to_str().unwrap();
    place[place.find("/images/").unwrap()..].to_owned()
}

#[tokio::test]
async fn uploaded_image_is_shown_wherever_an_image_can_be_named() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let uploaded = announces(&ana, &json!({"extension": "png"})).await;
    let [upload, render] = ["uploadUrl", "renderUrl"].map(|name| text(&uploaded[name]));
    let name_it = json!({"name": "Divers", "image_url": render});
    let refused = ana.posts("/v3/groups").json(&name_it).await.refused(400);
    assert_eq!(refused, ["image_url must be the URL of an image of this server"]);
    let put = world.asks("PUT", &below(upload)).bytes(pictures::png(10, 20)).await;
    assert_eq!(put.status, 201);
    let native = world.address.url(&below_images(&world, &below(render)).await);

    let group = ana.posts("/v3/groups").json(&name_it).await.created();
    assert_eq!(group["image_url"], native);
    let avatar = json!({"avatar_url": render});
    let changed = ana.posts("/v3/users/update").json(&avatar).await.ok();
    assert_eq!(changed["image_url"], native);
    let climbers = ana.creates_group("Climbers").await;
    let change = json!({"image_url": render});
    let changed = ana.posts(&climbers.path("/update")).json(&change).await.ok();
    assert_eq!(changed["image_url"], native);
    let bot = json!({"name": "Tides", "group_id": climbers.id, "avatar_url": render});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    assert_eq!(bot["avatar_url"], native);
    let path = format!("/v3/bots/{}/update", text(&bot["bot_id"]));
    let changed = ana.posts(&path).json(&avatar).await.ok();
    assert_eq!(changed["avatar_url"], native);
    let post = json!({"bot_id": bot["bot_id"], "text": "high", "picture_url": render});
    assert_eq!(ana.posts("/v3/bots/post").json(&post).await.status, 201);
    let read = &ana.reads(&climbers, "").await[0];
    assert_eq!((&read["text"], &read["attachments"][0]["url"]), (&json!("high"), &json!(native)));
}

#[tokio::test]
async fn revoked_token_ends_its_upload_urls() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let image = json!({"extension": "png"});
    let [own, other] = [announces(&ana, &image).await, announces(&ben, &image).await]
        .map(|urls| below(text(&urls["uploadUrl"])));
    let put = |url: &str| world.asks("PUT", url).bytes(pictures::png(10, 20));
    // The signature covers the user, the token and the time.
    let query = other.split_once('?').unwrap().1;
    put(&format!("{}?{query}", own.split_once('?').unwrap().0)).await.refused(403);
    for name in ["user_id", "token_id", "expires_at"] {
        put(&own.replace(&format!("{name}="), &format!("{name}=1"))).await.refused(403);
        put(&own.replace(&format!("{name}="), "other=")).await.refused(403);
    }
    ana.posts("/auth/logout").await.ok();
    put(&own).await.refused(403);
    assert_eq!(put(&other).await.status, 201);
}

#[tokio::test]
async fn announced_images_that_cannot_be_stored_are_refused() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for (image, status, problem) in [
        (json!({}), 400, "extension is required"),
        (json!({"extension": "mp4"}), 400, "extension must be jpg, jpeg, png, gif or webp"),
        (json!({"extension": "png", "fileSize": "much"}), 400, "fileSize"),
        (json!({"extension": "png", "fileSize": 11 << 20}), 413, "10"),
    ] {
        let refused = ana.posts("/uploads").json(&image).await.refused(status);
        assert!(refused[0].contains(problem), "{refused:?} {image}");
    }
    let urls = announces(&ana, &json!({"extension": ".JPG"})).await;
    assert!(text(&urls["renderUrl"]).ends_with("/0x0.original.jpg"), "{urls}");
    world.get("/uploads/unknown/1x1.original.png").await.refused(404);
    world.asks("PUT", "/uploads/unknown").bytes(pictures::png(1, 1)).await.refused(403);
}
