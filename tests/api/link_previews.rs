//! Link previews: the description of a page, shown with the messages that link to it.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::media::orphans::orphans;
use serde_json::{Value, json};

use crate::direct_messages::writes;
use crate::push_same::{here, replays_the_same};
use crate::revising::only_the_journal_knows;
use crate::world::World;
use crate::world::called_back::lives_at;
use crate::world::listener::Listener;
use crate::world::person::{Group, Person, text};
use crate::world::pictures::{path, png};
use crate::world::server::Setup;

/// A web site elsewhere that records which of its paths were requested.
struct Site {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

const HTML: &str = "content-type: text/html; charset=utf-8\r\n";

impl Site {
    /// Serves these pages: path, status and header lines, body.
    fn showing(pages: Vec<(&str, String, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let pages = pages.into_iter().map(|(path, head, body)| (path.to_owned(), (head, body)));
        let pages: HashMap<String, (String, Vec<u8>)> = pages.collect();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&asked);
        thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                let mut request = Vec::new();
                let mut byte = [0];
                while !request.ends_with(b"\r\n\r\n") && connection.read(&mut byte).unwrap_or(0) > 0
                {
                    request.push(byte[0]);
                }
                let request = String::from_utf8(request).unwrap();
                let Some(path) = request.split(' ').nth(1) else { continue };
                noted.lock().unwrap().push(path.to_owned());
                let missing = ("404 Not Found\r\n".to_owned(), Vec::new());
                let (head, body) = pages.get(path).unwrap_or(&missing);
                let length = body.len();
                let head = format!("HTTP/1.1 {head}content-length: {length}\r\n\r\n");
                // The client may stop reading before the end.
                drop(connection.write_all(head.as_bytes()));
                drop(connection.write_all(body));
            }
        });
        Self { url, asked }
    }

    /// A site with two pages that describe themselves: `/rope` has a picture, the picture of
    /// `/water` is missing.
    fn about_ropes() -> Self {
        Self::showing(vec![
            ("/rope", format!("200 OK\r\n{HTML}"), page("Ropes", "/rope.png")),
            ("/rope.png", "200 OK\r\ncontent-type: image/png\r\n".to_owned(), png(30, 20)),
            ("/water", format!("200 OK\r\n{HTML}"), page("Water", "/missing.png")),
        ])
    }

    fn link(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn page(title: &str, picture: &str) -> Vec<u8> {
    format!(
        "<!doctype html><html><head><title>Not this</title>\
         <meta property=\"og:title\" content=\"{title} &amp; more\">\
         <meta property=\"og:description\" content=\"All about it\">\
         <meta property=\"og:image\" content=\"{picture}\"></head><body>…</body></html>"
    )
    .into_bytes()
}

async fn with_previews() -> World {
    World::with(Setup::default().flag("--link-previews")).await
}

async fn edits(by: &Person, group: &Group, message: &Value, words: &str) -> Value {
    let path = format!("/v3/conversations/{}/messages/{}", group.id, text(&message["id"]));
    by.asks("PUT", &path).json(&json!({"text": words})).await.ok()["message"].clone()
}

fn titles(message: &Value) -> Vec<&str> {
    let previews = message["link_previews"].as_array();
    previews.into_iter().flatten().map(|preview| text(&preview["title"])).collect()
}

#[tokio::test]
async fn linked_page_is_previewed() {
    let mut world = with_previews().await;
    let site = Site::about_ropes();
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    world.seconds_pass(5);
    let link = site.link("/rope");
    let said = ana.says(&climbers, &format!("see {link}.")).await;
    assert_eq!(said.get("link_previews"), None, "nobody waits for a page");
    let live = [feed.next().await, feed.next().await];
    let told = &live[1];
    assert_eq!((text(&told["type"]), &told["alert"]), ("message.update", &json!("")));
    let preview = told["data"]["link_previews"][0].clone();
    let mut expected = said.clone();
    expected["link_previews"] = json!([{
        "url": link, "title": "Ropes & more", "description": "All about it",
        "image_url": preview["image_url"],
    }]);
    assert_eq!(told["data"], expected, "it was not edited");
    let picture = text(&preview["image_url"]);
    assert!(picture.contains("/images/30x20.png."), "{picture}");
    assert_eq!(world.get(&path(picture)).await.status, 200);
    replays_the_same(&ben, &start, &live).await;
    assert_eq!(ben.reads(&climbers, "?limit=1").await, [expected.clone()]);
    world.restarts().await;
    let (ana, ben) = (world.welcomes(&ana), world.welcomes(&ben));
    let page = ben.reads(&climbers, "?limit=1").await;
    assert_eq!(titles(&page[0]), ["Ropes & more"], "it is a fact of the conversation");
    shows_it_everywhere(&ana, &climbers, &said).await;
}

/// Asserts that the message has its preview wherever it is shown.
async fn shows_it_everywhere(reader: &Person, group: &Group, said: &Value) {
    let path = format!("/v3/groups/{}/messages/{}", group.id, text(&said["id"]));
    let one = reader.gets(&path).await.ok()["message"].clone();
    assert_eq!(titles(&one), ["Ropes & more"]);
    let gallery = format!("/v3/conversations/{}/gallery?has=link", group.id);
    let gallery = reader.gets(&gallery).await.ok();
    assert_eq!(titles(&gallery["messages"][0]), ["Ropes & more"]);
}

#[tokio::test]
async fn a_preview_goes_with_its_link_and_with_its_message() {
    let mut world = with_previews().await;
    let site = Site::about_ropes();
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let (rope, water) = (site.link("/rope"), site.link("/water"));
    let said = ana.says(&climbers, &format!("{rope} and {water}")).await;
    let mut live = vec![feed.next().await, feed.next().await];
    assert_eq!(titles(&live[1]["data"]), ["Ropes & more", "Water & more"]);
    let picture = text(&live[1]["data"]["link_previews"][0]["image_url"]).to_owned();
    assert_eq!(live[1]["data"]["link_previews"][1]["image_url"], json!(null), "it was not there");
    let without = edits(&ana, &climbers, &said, &format!("only {water}")).await;
    assert_eq!(titles(&without), ["Water & more"]);
    live.push(feed.next().await);
    assert_eq!(titles(&live[2]["data"]), ["Water & more"]);
    // The page of the link that was added is fetched again; the preview of the link that stayed is
    // there at once.
    let both = edits(&ana, &climbers, &said, &format!("{water} or {rope}")).await;
    assert_eq!(titles(&both), ["Water & more"]);
    live.extend([feed.next().await, feed.next().await]);
    assert_eq!(titles(&live[4]["data"]), ["Water & more", "Ropes & more"]);
    replays_the_same(&ben, &start, &live).await;
    let path_of = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    assert_eq!(ana.asks("DELETE", &path_of).await.status, 204);
    let gone = feed.hears_of("message.deleted").await;
    assert_eq!(gone["data"].get("link_previews"), None);
    assert_eq!(ben.reads(&climbers, "?limit=1").await[0].get("link_previews"), None);
    world.get(&path(&picture)).await.refused(404);
    let mut later = ben.listens_after(&start).await;
    for _ in 0..live.len() {
        let told = later.next().await;
        assert_eq!(told["data"].get("link_previews"), None, "an absent reader receives no event");
    }
    let gallery = format!("/v3/conversations/{}/gallery", climbers.id);
    assert_eq!(ben.gets(&gallery).await.ok()["messages"], json!([]));
    world.stops().await;
    for words in ["Ropes & more", "Water & more", "All about it", &rope, &water] {
        only_the_journal_knows(world.data(), words);
    }
    let (journal, _) = FileJournal::open(&world.journal(), JournalOptions::default()).unwrap();
    let unnamed = orphans(&world.data().join("images"), &journal).unwrap();
    let unnamed: Vec<String> = unnamed.iter().map(|it| it.name.text()).collect();
    assert_eq!(unnamed, [picture.rsplit('/').next().unwrap()], "nothing names the picture");
}

#[tokio::test]
async fn popular_page_is_fetched_once() {
    let world = with_previews().await;
    let site = Site::about_ropes();
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    writes(&ana, &ben, "hi").await;
    let mut feed = ben.listens().await;
    let rope = site.link("/rope");
    ana.says(&climbers, &rope).await;
    feed.hears_of("line.create").await;
    feed.hears_of("message.update").await;
    ana.says(&climbers, &format!("again {rope}")).await;
    feed.hears_of("line.create").await;
    let again = feed.hears_of("message.update").await;
    assert_eq!(titles(&again["data"]), ["Ropes & more"]);
    writes(&ana, &ben, &rope).await;
    feed.hears_of("direct_message.create").await;
    let letter = feed.hears_of("message.update").await;
    assert_eq!(titles(&letter["data"]), ["Ropes & more"]);
    assert_eq!(letter["data"]["recipient_id"], json!(ben.id));
    assert_eq!(site.asked(), ["/rope", "/rope.png"]);
}

#[tokio::test]
async fn non_html_link_has_no_preview() {
    let world = with_previews().await;
    let long = format!("<title>Long</title>{}", " ".repeat(2 << 20));
    let site = Site::showing(vec![
        ("/plain", "200 OK\r\ncontent-type: text/plain\r\n".to_owned(), page("Plain", "")),
        ("/silent", format!("200 OK\r\n{HTML}"), b"<title></title>".to_vec()),
        ("/round", "302 Found\r\nlocation: /round\r\n".to_owned(), Vec::new()),
        ("/moved", "302 Found\r\nlocation: /long\r\n".to_owned(), Vec::new()),
        ("/long", format!("200 OK\r\n{HTML}"), long.into_bytes()),
    ]);
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    // Pages of one message are fetched one after the other: the preview of the last link comes,
    // although the others gave none.
    for nothing in ["/plain", "/silent", "/round", "/missing"] {
        let links = format!("{} {}", site.link(nothing), site.link("/moved"));
        ana.says(&climbers, &links).await;
        feed.hears_of("line.create").await;
        let told = feed.hears_of("message.update").await;
        assert_eq!(titles(&told["data"]), ["Long"], "beside {nothing}");
    }
    let round = site.asked().iter().filter(|path| *path == "/round").count();
    assert_eq!(round, 21, "a fetch follows twenty redirects");
}

#[tokio::test]
async fn private_pages_are_fetched_only_if_allowed() {
    let setup = Setup::default().flag("--link-previews");
    let world = World::with(setup.option("--callback-allow", "127.0.0.1/32")).await;
    let site = Site::about_ropes();
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    let port = site.url.rsplit(':').next().unwrap();
    let closed = TcpListener::bind("127.0.0.2:0").unwrap();
    closed.set_nonblocking(true).unwrap();
    let closed_to = format!("http://{}/", closed.local_addr().unwrap());
    let own = format!("http://{}/join_group/1/x", world.address.get());
    ana.says(&climbers, &format!("{closed_to} {own} http://127.0.0.1:{port}/rope")).await;
    feed.hears_of("line.create").await;
    let told = feed.hears_of("message.update").await;
    assert_eq!(titles(&told["data"]), ["Ropes & more"]);
    assert!(closed.accept().is_err(), "nobody came");
}

#[tokio::test]
async fn late_page_adds_no_preview() {
    let mut world = with_previews().await;
    let site = Site::about_ropes();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    ana.says(&climbers, &format!("http://{}/", silent.local_addr().unwrap())).await;
    let asking = tokio::task::spawn_blocking(move || {
        let asker = silent.accept().unwrap();
        (silent, asker)
    });
    let (silent, _asker) = asking.await.unwrap();
    world.stops().await;
    world.seconds_pass(601);
    world.restarts().await;
    let (ana, ben) = (world.welcomes(&ana), world.welcomes(&ben));
    let mut feed = ben.listens().await;
    ana.says(&climbers, &site.link("/rope")).await;
    feed.hears_of("line.create").await;
    let told = feed.hears_of("message.update").await;
    assert_eq!(titles(&told["data"]), ["Ropes & more"]);
    silent.set_nonblocking(true).unwrap();
    assert!(silent.accept().is_err(), "nobody comes again");
}

/// A site whose connections stay open without an answer; counts them.
fn silent_site() -> (String, Arc<Mutex<Vec<TcpStream>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let open = Arc::<Mutex<Vec<TcpStream>>>::default();
    let kept = Arc::clone(&open);
    thread::spawn(move || {
        for connection in listener.incoming() {
            kept.lock().unwrap().push(connection.unwrap());
        }
    });
    (url, open)
}

#[tokio::test]
async fn authors_take_turns_with_previews() {
    let world = with_previews().await;
    let site = Site::about_ropes();
    let (silent, open) = silent_site();
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    for message in 0..30 {
        let links = [1, 2, 3].map(|link| format!("{silent}/{message}/{link}"));
        ana.says(&climbers, &links.join(" ")).await;
    }
    let mut feed = ana.listens().await;
    ben.says(&climbers, &site.link("/rope")).await;
    feed.hears_of("line.create").await;
    let shown = feed.hears_of("message.update").await;
    assert_eq!(titles(&shown["data"]), ["Ropes & more"]);
    // Ana's pages wait meanwhile: at most two at a time.
    assert!(open.lock().unwrap().len() < 30, "{:?}", open.lock().unwrap().len());
}

/// A page that repeats one attribute, and has a long value without an end.
fn hostile_page() -> Vec<u8> {
    let (names, value) = ("name=title ".repeat(11_000), "&".repeat(360 << 10));
    format!("<meta {names}content=\"{value}").into_bytes()
}

#[tokio::test]
async fn hostile_page_delays_neither_callbacks_nor_the_end() {
    let mut world = with_previews().await;
    let site = Site::showing(vec![
        ("/hostile", format!("200 OK\r\n{HTML}"), hostile_page()),
        ("/rope", format!("200 OK\r\n{HTML}"), page("Ropes", "/missing.png")),
    ]);
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut listener = Listener::starts().await;
    lives_at(&mut listener, &ana, &climbers).await;
    let mut feed = ben.listens().await;
    let links = format!("{} {}", site.link("/hostile"), site.link("/rope"));
    ana.says(&climbers, &links).await;
    assert_eq!(listener.hears().await.text(), links);
    feed.hears_of("line.create").await;
    let shown = feed.hears_of("message.update").await;
    assert_eq!(titles(&shown["data"]), ["Ropes & more"], "the next page is read");
    ana.says(&climbers, "rope at six").await;
    assert_eq!(listener.hears().await.text(), "rope at six");
    world.restarts().await;
}

#[tokio::test]
async fn previews_read_the_encoding_and_the_entities_of_a_page() {
    let world = with_previews().await;
    let cyrillic = b"<title>\xcf\xf0\xe8\xe2\xe5\xf2 &mdash; Ros&eacute; &#146;s</title>".to_vec();
    let head = "200 OK\r\ncontent-type: text/html; charset=windows-1251\r\n".to_owned();
    let icon = b"<svg><title>icon</title></svg><title>Real</title>".to_vec();
    let site = Site::showing(vec![
        ("/cyrillic", head, cyrillic),
        ("/icon", format!("200 OK\r\n{HTML}"), icon),
    ]);
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    ana.says(&climbers, &format!("{} {}", site.link("/cyrillic"), site.link("/icon"))).await;
    feed.hears_of("line.create").await;
    let shown = feed.hears_of("message.update").await;
    let title = "\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442} \u{2014} Ros\u{e9} \u{2019}s";
    assert_eq!(titles(&shown["data"]), [title, "Real"]);
}

#[tokio::test]
async fn existing_clients_ask_for_the_description_of_a_page() {
    let world = with_previews().await;
    let described = b"<title>Ropes</title><meta name=description content='All of them'>\
        <meta property=og:site_name content=Knots><meta property=og:image content='/r.png'>\
        <link rel=canonical href=/ropes><link rel=icon href='i.ico'>";
    let site = Site::showing(vec![
        ("/a/rope", format!("200 OK\r\n{HTML}"), described.to_vec()),
        ("/text", "200 OK\r\ncontent-type: text/plain\r\n".to_owned(), b"rope".to_vec()),
        ("/bare", format!("200 OK\r\n{HTML}"), b"rope".to_vec()),
    ]);
    let [ana] = world.people(["Ana"]).await;
    let asks = async |url: &str| {
        let url: String = form_urlencoded::byte_serialize(url.as_bytes()).collect();
        ana.gets(&format!("/v1/urls/preview?url={url}")).await
    };
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let found = asks(&site.link("/a/rope")).await;
    assert_eq!(found.status, 200);
    let link = |kind: &str, path: &str| json!([{"href": site.link(path), "type": "image", "rel": [kind], "media": {}}]);
    assert_eq!(
        read(&found.text),
        json!({
            "meta": {"title": "Ropes", "description": "All of them", "site": "Knots",
                "canonical": site.link("/ropes")},
            "links": {"thumbnail": link("thumbnail", "/r.png"), "icon": link("icon", "/a/i.ico")},
            "rel": [],
        })
    );
    let bare = read(&asks(&site.link("/bare")).await.text);
    assert_eq!(bare["meta"]["canonical"], site.link("/bare"));
    assert_eq!(bare["links"], json!({"thumbnail": [], "icon": []}));
    asks(&site.link("/text")).await.refused(415);
    asks(&site.link("/missing")).await.refused(404);
    asks("http://10.0.0.1/").await.refused(403);
    for wrong in ["ftp://example.org/", "rope", "http://a:b@example.org/"] {
        let reasons = asks(wrong).await.refused(400);
        assert!(reasons[0].starts_with("url must"), "{reasons:?}");
    }
    let reasons = ana.gets("/v1/urls/preview").await.refused(400);
    assert_eq!(reasons, ["url is required"]);
    world.get("/v1/urls/preview?url=http://example.org").await.refused(401);
    let off = World::start().await;
    let [ben] = off.people(["Ben"]).await;
    let path = format!("/v1/urls/preview?url={}", site.link("/a/rope"));
    ben.gets(&path).await.refused(404);
}

#[tokio::test]
async fn previews_are_off_by_default() {
    let world = World::start().await;
    let site = Site::about_ropes();
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    let link = site.link("/rope");
    ana.says(&climbers, &link).await;
    feed.hears(&link).await;
    ana.says(&climbers, "rope at six").await;
    feed.hears("rope at six").await;
    feed.stays_silent().await;
    assert!(site.asked().is_empty(), "{:?}", site.asked());
}
