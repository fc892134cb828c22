//! Images from other servers: imported through `?url=`, and as avatars.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use serde_json::{Value, json};

use crate::world::World;
use crate::world::pictures::{jpeg, path, phone_photo, png, url, webp_with_holes};
use crate::world::server::Setup;

/// Starts a server that answers every request with these bytes; returns its address.
fn elsewhere(status: &'static str, headers: &'static str, body: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut asked = Vec::new();
            let mut byte = [0];
            while !asked.ends_with(b"\r\n\r\n") && connection.read(&mut byte).unwrap_or(0) > 0 {
                asked.push(byte[0]);
            }
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n");
            // The client may stop reading before the end.
            drop(connection.write_all(head.as_bytes()));
            drop(connection.write_all(&body));
        }
    });
    address
}

fn shows(body: Vec<u8>) -> String {
    format!("http://{}/picture", elsewhere("200 OK", "content-type: text/plain\r\n", body))
}

#[tokio::test]
async fn an_image_from_elsewhere_is_imported() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let import = |place: &str| {
        let place: String = form_urlencoded::byte_serialize(place.as_bytes()).collect();
        ana.posts(&format!("/pictures?url={place}"))
    };
    let imported = url(&import(&shows(webp_with_holes(30, 20))).await);
    assert!(imported.contains("/30x20.png."), "{imported}");
    assert_eq!(world.get(&path(&imported)).await.status, 200);
    let reasons = import(&shows(b"no image".to_vec())).await.refused(400);
    assert_eq!(reasons, ["url cannot be used: this is not a JPEG, PNG, GIF or WebP image"]);
    let missing = elsewhere("404 Not Found", "", Vec::new());
    let reasons = import(&format!("http://{missing}/")).await.refused(400);
    assert_eq!(reasons, ["url cannot be fetched: the answer was 404"]);
    let reasons = import("").await.refused(400);
    assert_eq!(reasons, ["the body must be the bytes of an image"], "an empty url is none");
    for place in ["nonsense", "ftp://x.org/a.png", "file:///etc/passwd", "http://10.0.0.1/"] {
        let reasons = import(place).await.refused(400);
        assert!(reasons[0].starts_with("url "), "{reasons:?} for {place:?}");
    }
    world.post("/pictures?url=http%3A%2F%2Fx.org").await.refused(401);
}

#[tokio::test]
async fn private_image_urls_are_fetched_only_if_allowed() {
    let world = World::with(Setup::default().option("--callback-allow", "none")).await;
    let ana = world.registers("Ana").await;
    let place = shows(png(3, 3));
    let reasons = ana.posts("/v3/users/update").json(&json!({"avatar_url": place})).await;
    assert!(reasons.refused(400)[0].contains("--callback-allow"), "{}", reasons.text);
}

async fn avatar_of(person: &crate::world::person::Person) -> Value {
    person.gets("/v3/users/me").await.ok()["image_url"].take()
}

#[tokio::test]
async fn an_avatar_from_elsewhere_is_kept_here() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let change = json!({"avatar_url": shows(phone_photo(60, 100)), "zip_code": "1200-001"});
    let changed = ana.posts("/v3/users/update").json(&change).await.ok();
    let image = changed["image_url"].as_str().unwrap().to_owned();
    assert!(image.starts_with(&world.address.url("/images/60x100.jpeg.")), "{image}");
    assert_eq!(world.get(&format!("{}.avatar", path(&image))).await.status, 200);
    assert_eq!(ben.gets(&climbers.path("")).await.ok()["members"][0]["image_url"], json!(image));
}

#[tokio::test]
async fn an_avatar_that_cannot_be_used_changes_nothing() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let before = ana.gets("/v3/users/me").await.ok();
    let mut large = jpeg(8, 8);
    large.resize((10 << 20) + 1, 0);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for place in [
        shows(large),
        shows(webp_with_holes(9, 9)),
        shows(b"<svg/>".to_vec()),
        shows(jpeg(200, 200)[..500].to_vec()),
        format!("http://{closed}/a.png"),
        "https://nobody:secret@example.org/a.png".to_owned(),
    ] {
        let change = json!({"name": "Changed", "email": "new@example.org", "avatar_url": place});
        let reasons = ana.posts("/v3/users/update").json(&change).await.refused(400);
        assert!(reasons[0].starts_with("avatar_url "), "{reasons:?} for {place:?}");
    }
    assert_eq!(ana.gets("/v3/users/me").await.ok(), before);
    assert_eq!(avatar_of(&ana).await, Value::Null);
}
