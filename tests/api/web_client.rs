//! A browser that opens the web client.

use std::io::Read as _;

use reqwest::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, ETAG, IF_NONE_MATCH};
use reqwest::{Client, Response};

use crate::world::World;

/// The most requests, and bytes as sent, up to the first conversation.
const MOST_REQUESTS: usize = 20;
const MOST_BYTES: usize = 90 << 10;

struct Browser {
    client: Client,
    codings: &'static str,
}

impl Browser {
    fn that_takes(codings: &'static str) -> Self {
        Self { client: Client::builder().no_proxy().build().unwrap(), codings }
    }

    async fn loads(&self, world: &World, path: &str) -> Response {
        let url = world.address.url(path);
        let asking = self.client.get(url).header(ACCEPT_ENCODING, self.codings);
        asking.send().await.unwrap().error_for_status().unwrap()
    }
}

fn header(answer: &Response, name: reqwest::header::HeaderName) -> &str {
    answer.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

/// The paths of this server that a page makes a browser load.
fn named(page: &str) -> Vec<String> {
    let parts =
        page.split("href=\"/").chain(page.split("src=\"/")).filter(|part| !part.starts_with('<'));
    parts.map(|part| format!("/{}", part.split('"').next().unwrap())).collect()
}

#[tokio::test]
async fn a_first_visit_takes_few_requests_and_few_bytes() {
    let world = World::start().await;
    let browser = Browser::that_takes("gzip, deflate, br, zstd");
    let page = Browser::that_takes("identity").loads(&world, "/").await.text().await.unwrap();
    let (mut bytes, mut requests) = (page.len(), 1);
    for path in named(&page) {
        let file = browser.loads(&world, &path).await;
        assert_eq!(header(&file, CACHE_CONTROL), "public, max-age=31536000, immutable", "{path}");
        let is_coded = header(&file, CONTENT_ENCODING) == "br";
        let body = file.bytes().await.unwrap();
        assert!(is_coded || body.len() < 1024 || path.ends_with(".png"), "{path}");
        (bytes, requests) = (bytes + body.len(), requests + 1);
    }
    assert!(requests >= 4, "a page, a script, a style sheet, an icon: {page}");
    assert!(requests <= MOST_REQUESTS && bytes <= MOST_BYTES, "{requests} requests, {bytes} bytes");
}

#[tokio::test]
async fn script_is_served_in_an_accepted_coding() {
    let world = World::start().await;
    let plain = Browser::that_takes("identity");
    let page = plain.loads(&world, "/").await.text().await.unwrap();
    let path = named(&page).into_iter().find(|path| path.ends_with("client.js")).unwrap();
    let plain = plain.loads(&world, &path).await;
    assert_eq!(header(&plain, CONTENT_ENCODING), "");
    let plain_tag = header(&plain, ETAG).to_owned();
    let plain = plain.bytes().await.unwrap();
    for (codings, coding) in [("gzip, br", "br"), ("gzip", "gzip"), ("br;q=0, gzip", "gzip")] {
        let coded = Browser::that_takes(codings).loads(&world, &path).await;
        assert_eq!(header(&coded, CONTENT_ENCODING), coding, "{codings}");
        assert_ne!(header(&coded, ETAG), plain_tag, "another coding is another representation");
        let coded = coded.bytes().await.unwrap();
        let mut text = Vec::new();
        if coding == "br" {
            brotli::BrotliDecompress(&mut &coded[..], &mut text).unwrap();
        } else {
            flate2::read::GzDecoder::new(&coded[..]).read_to_end(&mut text).unwrap();
        }
        assert_eq!(text, plain, "{codings}");
    }
}

#[tokio::test]
async fn a_page_that_did_not_change_is_not_sent_again() {
    let world = World::start().await;
    let browser = Browser::that_takes("gzip, br");
    for path in ["/", "/docs", "/js/push.js"] {
        let first = browser.loads(&world, path).await;
        assert_eq!(header(&first, CACHE_CONTROL), "no-cache", "{path}");
        let tag = header(&first, ETAG).to_owned();
        let asking =
            browser.client.get(world.address.url(path)).header(ACCEPT_ENCODING, "gzip, br");
        let again = asking.header(IF_NONE_MATCH, tag).send().await.unwrap();
        assert_eq!(again.status(), 304, "{path}");
    }
}
