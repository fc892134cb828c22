//! Large responses are compressed for clients that accept that.

use std::io::Read;

use crate::world::World;
use crate::world::person::Person;

/// The Content-Encoding of a response, its length as sent, and its text after decompression.
async fn taken(ana: &Person, path: &str, accepted: &str) -> (Option<String>, usize, String) {
    let asking = reqwest::Client::new().get(ana.address.url(path));
    let asking = asking.header("X-Access-Token", &ana.token).header("Accept-Encoding", accepted);
    let answer = asking.send().await.unwrap();
    let coding = answer.headers().get("content-encoding");
    let coding = coding.map(|it| it.to_str().unwrap().to_owned());
    let body = answer.bytes().await.unwrap();
    let mut text = String::new();
    match coding.as_deref() {
        Some("gzip") => drop(flate2::read::GzDecoder::new(&body[..]).read_to_string(&mut text)),
        Some("zstd") => text = String::from_utf8(zstd::decode_all(&body[..]).unwrap()).unwrap(),
        Some(other) => panic!("{other} was not asked for"),
        None => text = String::from_utf8(body.to_vec()).unwrap(),
    }
    (coding, body.len(), text)
}

#[tokio::test]
async fn accepting_clients_get_compressed_responses() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for number in 0..60 {
        ana.says(&climbers, &format!("{number} {}", "rope ".repeat(190))).await;
    }
    for number in 0..20 {
        ana.creates_group(&format!("Walkers {number}")).await;
    }
    // The last response is longer than one piece of what is compressed at once.
    let page = climbers.path("/messages?limit=20");
    let long = climbers.path("/messages?limit=100");
    for path in ["/v3/sync", "/v3/groups?per_page=20", &page, &long] {
        let plain = ana.gets(path).await;
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        // `Vary` may have other names too, such as those of CORS.
        let varies = plain.header("vary").unwrap().split(", ").any(|it| it == "Accept-Encoding");
        assert!(varies, "{path}: {:?}", plain.header("vary"));
        for (accepted, coding) in [
            ("gzip", Some("gzip")),
            ("gzip, br, zstd", Some("zstd")),
            ("br, gzip;q=0", None),
            ("identity", None),
        ] {
            let (came, length, text) = taken(&ana, path, accepted).await;
            assert_eq!(came.as_deref(), coding, "{path}, {accepted}");
            assert_eq!(text, plain.text, "{path}, {accepted}");
            assert!(coding.is_none() || length * 4 < text.len(), "{length} of {}", text.len());
        }
    }
    let long = ana.gets(&long).await.text.len();
    assert!(long > 64 << 10, "{long} bytes");
}

#[tokio::test]
async fn small_and_error_responses_are_not_compressed() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for path in ["/v3/users/me", "/v3/groups", "/v3/groups/123", "/v3/groups?page=no"] {
        let (coding, ..) = taken(&ana, path, "gzip, zstd").await;
        assert_eq!(coding, None, "{path}");
    }
}
