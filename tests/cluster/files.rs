//! Files and uploads are not bound to a node: what one node received, another one shows, sends and
//! continues, also when the first one is gone.

use std::time::{Duration, Instant};

use async_nats::jetstream::object_store::ObjectStore;
use futures_util::StreamExt as _;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::asking::Person;
use crate::installation::Installation;
use crate::program::{Program, coterie};
use crate::talking::picture;

/// How long a node may take to learn what happened at another one.
const PATIENCE: Duration = Duration::from_secs(120);
/// How many uploads are ended at another node: enough that some are asked for just then.
const UPLOADS_ENDED: usize = 40;
/// More than one chunk of what the nodes share.
const LARGE: usize = 9_000_000;

fn content(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|it| ((it + seed) % 251) as u8).collect()
}

async fn asks(person: &Person, method: Method, path: &str) -> Response {
    sends(person, method, path, &[], Vec::new()).await
}

async fn sends(
    person: &Person,
    method: Method,
    path: &str,
    headers: &[(&str, String)],
    body: Vec<u8>,
) -> Response {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client.request(method, format!("{}{path}", person.url)).body(body);
    request = request.header("X-Access-Token", &person.token);
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    request.send().await.unwrap()
}

async fn told(answer: Response, status: u16) -> Value {
    let found = answer.status();
    let mut body: Value = answer.json().await.unwrap();
    assert_eq!(found, status, "{body}");
    body["response"].take()
}

async fn uploads(person: &Person, group: &str, bytes: Vec<u8>) -> Value {
    let path = format!("/v3/conversations/{group}/files?name=rope.bin");
    told(sends(person, Method::POST, &path, &[], bytes).await, 201).await["file"].take()
}

fn place(group: &str, file: &Value) -> String {
    format!("/v3/files/{group}/{}", file["file_id"].as_str().unwrap())
}

async fn says(person: &Person, group: &str, file: &Value) -> Value {
    let guid = file["file_id"].as_str().unwrap();
    let message = json!({"message": {"source_guid": guid, "attachments": [file]}});
    let path = format!("/v3/groups/{group}/messages");
    let (status, mut sent) = person.posts(&path, &message).await.unwrap();
    assert_eq!(status, 201, "{sent}");
    sent["message"].take()
}

/// Begins an upload of `length` bytes without sending any of them, and returns its path.
async fn begins(person: &Person, group: &str, length: usize) -> String {
    let path = format!("/v3/conversations/{group}/files?name=long.bin");
    let headers = [("Upload-Complete", "?0".to_owned()), ("Upload-Length", length.to_string())];
    let begun = told(sends(person, Method::POST, &path, &headers, Vec::new()).await, 201).await;
    format!("/v3/uploads/{}", begun["upload"]["upload_id"].as_str().unwrap())
}

async fn goes_on(person: &Person, path: &str, from: usize, more: &[u8], end: &str) -> Response {
    let headers = [("Upload-Offset", from.to_string()), ("Upload-Complete", end.to_owned())];
    sends(person, Method::PATCH, path, &headers, more.to_vec()).await
}

/// Abandons a part at one node, and continues at another one where it announced. The first node
/// used to share the bytes of the part after that.
async fn announced_offset_stays_valid(all: &Installation, group: &str, people: (&Person, &Person)) {
    let (ana, at_b) = people;
    let bytes = content(2_000_000, 50);
    let upload = begins(ana, group, bytes.len()).await;
    let head = format!(
        "PATCH {upload} HTTP/1.1\r\nHost: here\r\nX-Access-Token: {}\r\nUpload-Offset: 0\r\n\
         Upload-Complete: ?1\r\nContent-Length: {}\r\n\r\n",
        ana.token,
        bytes.len(),
    );
    let mut raw = TcpStream::connect(ana.url.trim_start_matches("http://")).await.unwrap();
    raw.write_all(head.as_bytes()).await.unwrap();
    raw.write_all(&vec![b'x'; 1_000_000]).await.unwrap();
    let id = upload.rsplit('/').next().unwrap();
    let file = all.data(0).join("files/partial").join(id);
    let deadline = Instant::now() + PATIENCE;
    while std::fs::metadata(&file).map_or(0, |about| about.len()) == 0 {
        assert!(Instant::now() < deadline, "nothing is written");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let head = asks(at_b, Method::HEAD, &upload).await;
    let offset: usize = head.headers()["upload-offset"].to_str().unwrap().parse().unwrap();
    raw.shutdown().await.unwrap();
    // The node may reset the connection, since it has not read all bytes.
    drop(raw.read_to_end(&mut Vec::new()).await);
    // The node that lost the upload has released it once it knows its state.
    let head = asks(ana, Method::HEAD, &upload).await;
    assert_eq!(head.headers()["upload-offset"], offset.to_string().as_str());
    told(goes_on(at_b, &upload, offset, &bytes[offset..], "?1").await, 201).await;
}

/// Ends uploads at another node than they were begun at (the second one, which is node 1), while
/// their own node is asked for them. The record may be found gone by the question or by those who
/// follow the records.
async fn uploads_end_elsewhere(all: &Installation, group: &str, (ana, at_b): (&Person, &Person)) {
    for _ in 0..UPLOADS_ENDED {
        let ended = begins(at_b, group, 10).await;
        let asked = tokio::spawn({
            let (at_b, ended) = (at_b.clone(), ended.clone());
            async move { while asks(&at_b, Method::HEAD, &ended).await.status() != 404 {} }
        });
        assert_eq!(asks(ana, Method::DELETE, &ended).await.status(), 204);
        tokio::time::timeout(PATIENCE, asked).await.expect("its node shows it no more").unwrap();
        let file = all.data(1).join("files/partial").join(ended.rsplit('/').next().unwrap());
        assert!(!file.exists(), "{} is still there", file.display());
    }
}

/// Waits until another node can show a file of the machine that became the first node: that one has
/// to share it first.
async fn comes_to(person: &Person, path: &str) -> Vec<u8> {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        let (status, bytes) = person.gets_bytes(path).await;
        if status == 200 {
            return bytes;
        }
        assert!(Instant::now() < until, "{path}: {status}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The output of `check` for a copy.
fn check(copy: &str) -> String {
    let told = coterie(&["check", "--data-dir", copy]).output().unwrap();
    String::from_utf8(told.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn grown_machines_files_reach_other_nodes() {
    let mut all = Installation::starts(1, 0).await;
    let alone = Program::starts(&all.data(0), &["--public-url", "http://chat.example.org"]);
    let ana = Person::called("Ana", &alone).await;
    let group = ana.creates_group("Climbers").await;
    let (sent, unsent) = (content(5_000_000, 3), content(70_000, 4));
    let file = uploads(&ana, &group, sent.clone()).await;
    says(&ana, &group, &file).await;
    let waiting = uploads(&ana, &group, unsent.clone()).await;
    let (status, kept) = ana.sends_image(picture(1)).await.unwrap();
    assert_eq!(status, 200, "{kept}");
    let url = &kept["payload"]["url"];
    let image = url.as_str().unwrap().strip_prefix("http://chat.example.org").unwrap();
    let shows = json!({"message": {"source_guid": "picture",
        "attachments": [{"type": "image", "url": url}]}});
    let said = ana.posts(&format!("/v3/groups/{group}/messages"), &shows).await.unwrap();
    assert_eq!(said.0, 201, "{}", said.1);
    let (_, pixels) = ana.gets_bytes(image).await;
    tokio::task::spawn_blocking(move || alone.stops()).await.unwrap();
    all.start([0]).await;
    all.start([1]).await;
    let at_b = all.at(1, &ana);
    assert!(comes_to(&at_b, &place(&group, &waiting)).await == unsent);
    assert!(comes_to(&at_b, &place(&group, &file)).await == sent);
    assert!(comes_to(&at_b, image).await == pixels);
    // A node that has not fetched a file yet does not report it as missing.
    all.start([2]).await;
    let checked = all.tool(2, &["check"]);
    assert!(checked.contains("images: 1 of them are not on this disk"), "{checked}");
    assert!(checked.contains("files: 1 of them are not on this disk"), "{checked}");
    // A backup of that node still contains the files.
    let copy = all.data(2).with_extension("copy");
    let told = all.tool(2, &["backup", copy.to_str().unwrap()]);
    assert!(told.contains("fetching 2 images and files that are not on this disk"), "{told}");
    let checked = check(copy.to_str().unwrap());
    assert!(checked.contains("images: 1 of them, "), "{checked}");
    assert!(checked.contains("files: 1 of them, "), "{checked}");
    assert!(!checked.contains("not on this disk"), "{checked}");
    says(&at_b, &group, &waiting).await;
}

/// An object store of the engine, as a stranger opens it.
async fn store(all: &Installation, name: &str) -> ObjectStore {
    let client = async_nats::connect(all.servers.addresses()).await.unwrap();
    async_nats::jetstream::new(client).get_object_store(name).await.unwrap()
}

/// Replaces each object of a store by as many other bytes. Returns their names and true bytes.
async fn forges_objects(store: &ObjectStore) -> Vec<(String, Vec<u8>)> {
    let listed = store.list().await.unwrap();
    let names: Vec<String> = listed.map(|info| info.unwrap().name).collect().await;
    let mut objects = Vec::new();
    for name in names {
        let mut bytes = Vec::new();
        store.get(&name).await.unwrap().read_to_end(&mut bytes).await.unwrap();
        store.put(name.as_str(), &mut vec![7; bytes.len()].as_slice()).await.unwrap();
        objects.push((name, bytes));
    }
    objects
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_ignore_objects_that_strangers_changed() {
    let all = Installation::starts(1, 2).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let at_b = all.at(1, &ana);
    let group = ana.creates_group("Climbers").await;
    let (_, kept) = ana.sends_image(picture(1)).await.unwrap();
    let url = kept["payload"]["url"].as_str().unwrap();
    let image = &url[url.find("/images/").unwrap()..];
    let (_, pixels) = ana.gets_bytes(image).await;
    let long = content(2000, 5);
    let upload = begins(&ana, &group, long.len()).await;
    told(goes_on(&ana, &upload, 0, &long[..1000], "?0").await, 200).await;
    let stores = [store(&all, "COTERIE_IMAGES").await, store(&all, "COTERIE_FILES").await];
    let mut objects = Vec::new();
    for store in &stores {
        objects.extend(forges_objects(store).await.into_iter().map(|object| (store, object)));
    }
    assert_eq!(objects.len(), 2);
    assert_ne!(at_b.gets_bytes(image).await.0, 200);
    let rest = goes_on(&at_b, &upload, 1000, &long[1000..], "?1").await;
    assert!(rest.status().is_server_error(), "{}", rest.status());
    // Once the store has the true bytes again, the node serves them.
    for (store, (name, bytes)) in objects {
        store.put(name.as_str(), &mut bytes.as_slice()).await.unwrap();
    }
    let (status, shown) = at_b.gets_bytes(image).await;
    assert!(status == 200 && shown == pixels, "{status}");
    let rest = goes_on(&at_b, &upload, 1000, &long[1000..], "?1").await;
    let file = told(rest, 201).await["file"].take();
    let (status, shown) = ana.gets_bytes(&place(&group, &file)).await;
    assert!(status == 200 && shown == long, "{status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_and_uploads_continue_at_another_node() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ben = Person::called("Ben", all.node(1)).await;
    let (_, known) = ben.gets("/v3/users/me").await;
    let group = ana.creates_group("Climbers").await;
    let member = json!({"members": [{"nickname": "Ben", "user_id": known["id"]}]});
    let path = format!("/v3/groups/{group}/members/add");
    assert_eq!(ana.posts(&path, &member).await.unwrap().0, 202);
    let (at_b, at_c) = (all.at(1, &ana), all.at(2, &ana));

    // Not sent in a message yet: only she sees the file, at every node.
    let (bytes, others) = (content(LARGE, 0), content(200_000, 7));
    let file = uploads(&ana, &group, bytes.clone()).await;
    let later = uploads(&ana, &group, others.clone()).await;
    let again = uploads(&at_b, &group, bytes.clone()).await;
    assert_ne!(file["file_id"], again["file_id"]);
    let (status, shown) = at_b.gets_bytes(&place(&group, &file)).await;
    assert!(status == 200 && shown == bytes, "{status}");
    assert_eq!(all.at(2, &ben).gets_bytes(&place(&group, &file)).await.0, 404);
    let (_, limits) = at_b.gets("/v3/limits").await;
    assert_eq!(limits["file_used"], json!(2 * bytes.len() + others.len()), "{limits}");
    says(&at_b, &group, &file).await;
    let (status, shown) = all.at(2, &ben).gets_bytes(&place(&group, &file)).await;
    assert!(status == 200 && shown == bytes, "{status}");

    // An upload begun at one node is continued at another one; the bytes that the first node still
    // has do not count any more.
    let long = content(LARGE, 100);
    let upload = begins(&ana, &group, long.len()).await;
    let first = told(goes_on(&ana, &upload, 0, &long[..5_000_000], "?0").await, 200).await;
    assert_eq!(first["upload"]["offset"], 5_000_000);
    let head = asks(&at_b, Method::HEAD, &upload).await;
    assert_eq!(head.headers()["upload-offset"], "5000000");
    let stale = goes_on(&at_b, &upload, 0, &long[..10], "?0").await;
    assert_eq!(
        (stale.status().as_u16(), &stale.headers()["upload-offset"]),
        (409, &"5000000".parse().unwrap())
    );
    told(goes_on(&at_b, &upload, 5_000_000, &long[5_000_000..5_000_300], "?0").await, 200).await;
    let head = asks(&ana, Method::HEAD, &upload).await;
    assert_eq!(head.headers()["upload-offset"], "5000300");
    told(goes_on(&ana, &upload, 5_000_300, &long[5_000_300..6_000_000], "?0").await, 200).await;
    uploads_end_elsewhere(&all, &group, (&ana, &at_b)).await;
    announced_offset_stays_valid(&all, &group, (&ana, &at_b)).await;

    all.lose(0);
    let rest = goes_on(&at_c, &upload, 6_000_000, &long[6_000_000..], "?1").await;
    let complete = told(rest, 201).await["file"].take();
    let (status, shown) = at_b.gets_bytes(&place(&group, &complete)).await;
    assert!(status == 200 && shown == long, "{status}");
    says(&at_b, &group, &complete).await;
    says(&at_c, &group, &later).await;
    for node in [1, 2] {
        for (file, bytes) in [(&complete, &long), (&later, &others)] {
            let (status, shown) = all.at(node, &ben).gets_bytes(&place(&group, file)).await;
            assert!(status == 200 && shown == *bytes, "{status} at {node}");
        }
    }
    // A new node has none of the files on its disk, and does not report them as missing.
    all.start([0]).await;
    let checked = all.tool(0, &["check"]);
    assert!(checked.contains("files: 3 of them are not on this disk"), "{checked}");
    let (status, shown) = all.at(0, &ben).gets_bytes(&place(&group, &file)).await;
    assert!(status == 200 && shown == bytes, "{status}");
    // Only one of the three files was asked for at this node. A backup that is made while the node
    // is stopped lacks the other two, and says so.
    all.stop(0).await;
    let (data, copy) = (all.data(0), all.data(0).with_extension("copy"));
    let (data, copy) = (data.to_str().unwrap(), copy.to_str().unwrap());
    let told = coterie(&["backup", copy, "--data-dir", data]).output().unwrap();
    let words = String::from_utf8(told.stdout).unwrap();
    assert_eq!(told.status.code(), Some(1), "{words}");
    let lacks =
        "the copy lacks pictures or files: 2 are stored with the log only, and no node runs";
    assert!(words.contains(lacks), "{words}");
    let checked = check(copy);
    assert!(checked.contains("files: 1 of them, "), "{checked}");
}
