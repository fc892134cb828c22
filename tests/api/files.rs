//! Files of conversations: uploaded, sent, downloaded, and removed with their last message.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use coterie::media::removal_hold::CopyHold;
use serde_json::{Value, json};

use crate::direct_messages::conversation;
use crate::uploads::begins;
use crate::world::person::{Group, Person, fresh_guid, text};
use crate::world::raw::Raw;
use crate::world::server::Setup;
use crate::world::{PASSWORD, World, pictures};

/// In seconds, a little more than the day after which a file that was not sent is removed.
const A_DAY: u64 = 86_400 + 600;

/// Uploads bytes to a conversation under this name; returns the file.
pub(crate) async fn uploads(by: &Person, to: &str, name: &str, bytes: Vec<u8>) -> Value {
    let path = format!("/v3/conversations/{to}/files?name={name}");
    by.posts(&path).bytes(bytes).await.created()["file"].take()
}

/// Sends an attachment to a group; returns the message.
async fn sends(by: &Person, group: &Group, attachment: &Value) -> Value {
    let message = json!({"attachments": [attachment]});
    by.posting(group, message).await.created()["message"].take()
}

async fn deletes(by: &Person, group: &Group, message: &Value) {
    let path = format!("/v3/conversations/{}/messages/{}", group.id, text(&message["id"]));
    assert_eq!(by.asks("DELETE", &path).await.status, 204);
}

fn place(group: &Group, file: &Value) -> String {
    format!("/v3/files/{}/{}", group.id, text(&file["file_id"]))
}

/// The paths of the contents on the disk; equal contents are stored once.
fn kept(world: &World) -> Vec<PathBuf> {
    let folder = world.data().join("files");
    let shelves = fs::read_dir(folder).unwrap().map(|it| it.unwrap());
    let shelves = shelves.filter(|it| it.file_name().len() == 2);
    shelves.flat_map(|it| fs::read_dir(it.path()).unwrap().map(|it| it.unwrap().path())).collect()
}

/// Waits until this many contents are on the disk, and no half-written one.
async fn keeps(world: &World, count: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let drafts = || fs::read_dir(world.data().join("files/new")).unwrap().count();
    while kept(world).len() != count || drafts() > 0 {
        assert!(Instant::now() < deadline, "{:?}, {} drafts", kept(world), drafts());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn readers_of_a_message_download_its_file() {
    let world = World::start().await;
    let [ana, ben, eve] = world.people(["Ana", "Ben", "Eve"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|it| (it % 251) as u8).collect();
    let file = uploads(&ana, &climbers.id, "..%2Fropes.bin", bytes.clone()).await;
    assert_eq!((&file["name"], &file["size"]), (&json!("ropes.bin"), &json!(3_000_000)));
    let path = place(&climbers, &file);
    assert_eq!(ana.gets(&path).await.bytes, bytes);
    ben.gets(&path).await.refused(404);
    // The server replaces what the client says of the file by what it knows itself.
    let said = json!({"type": "file", "file_id": file["file_id"], "name": "x.exe", "size": 1,
        "mime_type": "text/html", "duration": 7});
    let sent = sends(&ana, &climbers, &said).await;
    assert_eq!(sent["attachments"], json!([file]));
    let whole = ben.gets(&path).await;
    assert_eq!((whole.status, &whole.bytes), (200, &bytes));
    assert_eq!(whole.header("content-disposition"), Some("attachment; filename=\"ropes.bin\""));
    assert_eq!(whole.header("x-content-type-options"), Some("nosniff"));
    assert!(whole.header("content-security-policy").unwrap().contains("sandbox"));
    let part = ben.gets(&path).header("Range", "bytes=1000-1999").await;
    assert_eq!((part.status, &part.bytes[..]), (206, &bytes[1000..2000]));
    let tag = whole.header("etag").unwrap();
    assert_eq!(ben.gets(&path).header("If-None-Match", tag).await.status, 304);
    ben.gets(&path).header("Range", "bytes=3000000-").await.refused(416);
    eve.gets(&path).await.refused(404);
    world.get(&path).await.refused(401);
    ana.removes(&ben, &climbers).await.ok();
    ben.gets(&path).await.refused(404);
}

#[tokio::test]
async fn only_the_content_that_a_client_means_is_sent() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let file = uploads(&ana, &climbers.id, "plan.txt", b"rope at six".to_vec()).await;
    let path = place(&climbers, &file);
    let whole = ana.gets(&path).await;
    assert_eq!(whole.header("content-type"), Some("text/plain; charset=utf-8"));
    let tag = whole.header("etag").unwrap().to_owned();
    for meant in [tag.clone(), format!("\"other\", {tag}"), "*".to_owned()] {
        let sent = ana.gets(&path).header("If-Match", &meant).await;
        assert_eq!((sent.status, sent.text.as_str()), (200, "rope at six"), "{meant}");
    }
    for meant in ["\"other\"".to_owned(), format!("W/{tag}")] {
        let refused = ana.gets(&path).header("If-Match", &meant).header("Range", "bytes=0-3").await;
        assert_eq!(refused.refused(412), ["the file does not match If-Match"], "{meant}");
        assert_eq!(refused.header("etag"), Some(tag.as_str()));
        assert_eq!(ana.asks("HEAD", &path).header("If-Match", &meant).await.status, 412);
    }
}

/// The content was read from the disk to its end, and thrown away.
#[tokio::test]
async fn nobody_reads_a_file_for_its_headers() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let empty = tempfile::TempDir::new_in(world.data()).unwrap();
    let length = fs::metadata(empty.path()).unwrap().len();
    let bytes = vec![7; usize::try_from(length).unwrap()];
    let file = uploads(&ana, &climbers.id, "ropes.bin", bytes).await;
    // A folder can be opened and has a length, and cannot be read.
    let [content] = kept(&world).try_into().unwrap();
    fs::remove_file(&content).unwrap();
    fs::create_dir(&content).unwrap();
    assert_eq!(fs::metadata(&content).unwrap().len(), length);
    let head = ana.asks("HEAD", &place(&climbers, &file)).await;
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-length"), Some(&*length.to_string()));
}

#[tokio::test]
async fn non_ascii_file_name_is_kept() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let file = uploads(&ana, &climbers.id, "%C3%9Cber%20%22uns%22.txt", b"rope".to_vec()).await;
    let sent = ana.gets(&place(&climbers, &file)).await;
    let expected = "attachment; filename=\"_ber \\\"uns\\\".txt\"; \
                    filename*=UTF-8''%C3%9Cber%20%22uns%22.txt";
    assert_eq!(sent.header("content-disposition"), Some(expected));
}

#[tokio::test]
async fn file_of_other_conversation_is_refused() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let (climbers, walkers) =
        (ana.creates_group("Climbers").await, ana.creates_group("Walkers").await);
    ana.adds(&ben, &climbers).await;
    let file = uploads(&ana, &climbers.id, "plan.txt", b"rope at six".to_vec()).await;
    assert_eq!(file["mime_type"], "text/plain");
    for (person, group) in [(&ana, &walkers), (&ben, &climbers)] {
        let refused = person.posting(group, json!({"attachments": [file]})).await.refused(400);
        assert_eq!(
            refused,
            ["message.attachments[0].file_id must be the id of a file of this conversation"]
        );
    }
    let chat = conversation(&ana, &ben);
    let note = uploads(&ana, &chat, "note.txt", b"hello".to_vec()).await;
    let written = json!({"direct_message": {"source_guid": fresh_guid(), "recipient_id": ben.id,
        "attachments": [note]}});
    ana.posts("/v3/direct_messages").json(&written).await.created();
    let read = ben.gets(&format!("/v3/files/{chat}/{}", text(&note["file_id"]))).await;
    assert_eq!(read.text, "hello");
}

#[tokio::test]
async fn file_limits_are_listed_and_named_in_errors() {
    let setup = Setup::default().option("--file-limit", "1000").option("--file-quota", "1500");
    let world = World::with(setup).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let path = format!("/v3/conversations/{}/files", climbers.id);
    let refused = ana.posts(&path).bytes(vec![7; 1001]).await.refused(413);
    assert_eq!(refused, ["file_limit: a file may have at most 1000 bytes"]);
    let file = uploads(&ana, &climbers.id, "a", vec![7; 1000]).await;
    let refused = ana.posts(&path).bytes(vec![8; 501]).await.refused(413);
    assert_eq!(refused, ["file_quota: all your files together may have at most 1500 bytes"]);
    let told = json!({"file_limit": 1000, "file_quota": 1500, "file_used": 1000});
    assert_eq!(ana.gets("/v3/limits").await.ok(), told);
    let sent = sends(&ana, &climbers, &file).await;
    assert_eq!(ana.gets("/v3/limits").await.ok(), told, "sent, it counts once");
    keeps(&world, 1).await;
    deletes(&ana, &climbers, &sent).await;
    assert_eq!(ana.gets("/v3/limits").await.ok()["file_used"], 0);
}

#[tokio::test]
async fn an_upload_that_breaks_off_leaves_nothing_behind() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let head = format!(
        "POST /v3/conversations/{}/files HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n\
         Content-Length: 9000000\r\n\r\n",
        climbers.id, ana.token
    );
    let mut raw = Raw::sends(world.address.get(), &head).await;
    raw.says(&"x".repeat(700_000)).await;
    let drafts = || fs::read_dir(world.data().join("files/new")).unwrap().count();
    let deadline = Instant::now() + Duration::from_secs(60);
    while drafts() == 0 {
        assert!(Instant::now() < deadline, "nothing is written");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(raw);
    keeps(&world, 0).await;
    assert_eq!(ana.gets("/v3/limits").await.ok()["file_used"], 0);
}

/// A large body used to be cut when it took longer than a minute on a slow connection.
#[tokio::test]
async fn slow_upload_may_continue_while_it_progresses() {
    let world = World::with(Setup::default().sent_within(Duration::from_secs(3))).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let piece = "x".repeat(80 << 10);
    let head = format!(
        "POST /v3/conversations/{}/files HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        climbers.id,
        ana.token,
        6 * piece.len()
    );
    let mut raw = Raw::sends(world.address.get(), &head).await;
    for _ in 0..6 {
        tokio::time::sleep(Duration::from_millis(700)).await;
        raw.says(&piece).await;
    }
    let answer = raw.hears_all().await;
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
}

#[tokio::test]
async fn last_message_removes_file_and_content() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let one = uploads(&ana, &climbers.id, "a.txt", b"rope".to_vec()).await;
    let two = uploads(&ben, &climbers.id, "b.txt", b"rope".to_vec()).await;
    let first = sends(&ana, &climbers, &one).await;
    let again = sends(&ben, &climbers, &one).await;
    let other = sends(&ben, &climbers, &two).await;
    assert_eq!(kept(&world).len(), 1, "kept once");
    deletes(&ana, &climbers, &first).await;
    assert_eq!(ben.gets(&place(&climbers, &one)).await.text, "rope");
    deletes(&ben, &climbers, &again).await;
    for person in [&ana, &ben] {
        person.gets(&place(&climbers, &one)).await.refused(404);
    }
    ana.posting(&climbers, json!({"attachments": [one]})).await.refused(400);
    world.seconds_pass(600);
    world.restarts().await;
    assert_eq!(ana.gets(&place(&climbers, &two)).await.text, "rope");
    deletes(&ben, &climbers, &other).await;
    world.seconds_pass(600);
    world.restarts().await;
    keeps(&world, 0).await;
}

#[tokio::test]
async fn unsent_file_is_removed_after_a_day() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let never = uploads(&ana, &climbers.id, "a.txt", b"never".to_vec()).await;
    let sent = uploads(&ana, &climbers.id, "b.txt", b"sent".to_vec()).await;
    fs::write(world.data().join("files/new/7"), b"of a crash").unwrap();
    world.restarts().await;
    assert_eq!(ana.gets(&place(&climbers, &never)).await.text, "never", "after a restart too");
    sends(&ana, &climbers, &sent).await;
    world.seconds_pass(A_DAY);
    ana.gets(&place(&climbers, &never)).await.refused(404);
    ana.posting(&climbers, json!({"attachments": [never]})).await.refused(400);
    world.restarts().await;
    keeps(&world, 1).await;
    assert_eq!(ana.gets(&place(&climbers, &sent)).await.text, "sent");
}

#[tokio::test]
async fn running_backup_keeps_deleted_files() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let file = uploads(&ana, &climbers.id, "a.txt", b"rope".to_vec()).await;
    let sent = sends(&ana, &climbers, &file).await;
    deletes(&ana, &climbers, &sent).await;
    begins(&ana, &climbers, 100).await;
    let copying = CopyHold::of(world.data()).unwrap();
    world.seconds_pass(2 * A_DAY);
    world.restarts().await;
    // An unfinished upload is not part of a backup, so it is removed even during one; it is removed
    // last, so by then the clean-up has passed over everything else.
    let partial = || fs::read_dir(world.data().join("files/partial")).unwrap().count();
    let deadline = Instant::now() + Duration::from_secs(60);
    while partial() > 0 {
        assert!(Instant::now() < deadline, "{} uploads", partial());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(kept(&world).len(), 1);
    drop(copying);
    world.restarts().await;
    keeps(&world, 0).await;
}

#[tokio::test]
async fn file_link_works_for_an_hour_without_token() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let file = uploads(&ana, &climbers.id, "rope.png", pictures::png(9, 9)).await;
    let sent = sends(&ana, &climbers, &file).await;
    let path = format!("{}/link", place(&climbers, &file));
    let link = ben.posts(&path).await.created();
    assert_eq!(link["expires_at"], world.clock_seconds() + 3600);
    let url = pictures::path(text(&link["url"]));
    let shown = world.get(&url).await;
    assert_eq!((shown.status, shown.header("content-type")), (200, Some("image/png")));
    assert_eq!(shown.header("content-disposition"), Some("inline; filename=\"rope.png\""));
    let changed = url.replace("user_id=", "user_id=1");
    assert_eq!(world.get(&changed).await.refused(403), ["the link expired or was changed"]);
    world.seconds_pass(3600);
    world.get(&url).await.refused(403);
    let link = ben.posts(&path).await.created();
    let url = pictures::path(text(&link["url"]));
    deletes(&ana, &climbers, &sent).await;
    world.get(&url).await.refused(404);
}

#[tokio::test]
async fn file_link_ends_with_its_token() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let file = uploads(&ana, &climbers.id, "rope.txt", b"rope at six".to_vec()).await;
    sends(&ana, &climbers, &file).await;
    let path = format!("{}/link", place(&climbers, &file));
    let url = pictures::path(text(&ben.posts(&path).await.created()["url"]));
    let login = json!({"email": ben.email, "password": PASSWORD});
    let again = world.post("/auth/login").json(&login).await.ok();
    let other = world.post(&path).token(text(&again["access_token"])).await.created();
    let other = pictures::path(text(&other["url"]));
    assert_eq!(world.get(&url).await.status, 200);
    ben.posts("/auth/logout").await.ok();
    assert_eq!(world.get(&url).await.refused(403), ["the link expired or was changed"]);
    assert_eq!(world.get(&other).await.status, 200, "the other token still works");
    let password = json!({"current_password": PASSWORD, "new_password": "another horse battery"});
    let third = world.post("/auth/login").json(&login).await.ok();
    let change = world.post("/auth/password").token(text(&third["access_token"]));
    change.json(&password).await.ok();
    world.get(&other).await.refused(403);
}

#[tokio::test]
async fn caller_without_token_learns_nothing_of_file_ids() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    for id in ["F", "%20", "0123456789abcdef0123456789abcdef"] {
        for path in [format!("/v3/files/{}/{id}", climbers.id), format!("/v3/files/x/{id}x")] {
            world.get(&path).await.refused(401);
            assert_eq!(world.asks("HEAD", &path).await.status, 401);
        }
    }
    ana.gets(&format!("/v3/files/{}/F", climbers.id)).await.refused(404);
}

#[tokio::test]
async fn edited_out_file_is_served_to_its_sender_only() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let file = uploads(&ana, &climbers.id, "rope.txt", b"rope at six".to_vec()).await;
    let path = place(&climbers, &file);
    let edits = async |message: &Value, attachments: Value| {
        let id = text(&message["id"]);
        let path = format!("/v3/conversations/{}/messages/{id}", climbers.id);
        let edit = json!({"text": "so", "attachments": attachments});
        ana.asks("PUT", &path).json(&edit).await.ok();
    };
    let first = sends(&ana, &climbers, &file).await;
    let second = sends(&ana, &climbers, &file).await;
    let eve = world.registers("Eve").await;
    ana.adds(&eve, &climbers).await;
    edits(&first, json!([])).await;
    assert_eq!(ben.gets(&path).await.status, 200, "the other message shows it");
    edits(&second, json!([])).await;
    for reader in [&ben, &eve] {
        reader.gets(&path).await.refused(404);
        reader.posts(&format!("{path}/link")).await.refused(404);
    }
    assert_eq!(ana.gets(&path).await.status, 200);
    edits(&first, json!([file])).await;
    assert_eq!(eve.gets(&path).await.status, 200);
    deletes(&ana, &climbers, &first).await;
    eve.gets(&path).await.refused(404);
}

#[tokio::test]
async fn content_of_a_deleted_file_stays_for_a_minute() {
    let mut world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    // An expired upload is removed last, so that the end of a sweep is seen.
    begins(&ana, &climbers, 100).await;
    world.seconds_pass(A_DAY);
    let file = uploads(&ana, &climbers.id, "rope.txt", b"rope at six".to_vec()).await;
    let sent = sends(&ana, &climbers, &file).await;
    deletes(&ana, &climbers, &sent).await;
    world.restarts().await;
    let notes = || {
        let count = |name: &str| fs::read_dir(world.data().join(name)).unwrap().count();
        count("files/partial") + count("files/unsent")
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while notes() > 0 {
        assert!(Instant::now() < deadline, "{} notes", notes());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(kept(&world).len(), 1);
    world.seconds_pass(200);
    world.restarts().await;
    keeps(&world, 0).await;
}

#[tokio::test]
async fn damaged_link_key_is_replaced_at_the_start() {
    let mut world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let file = uploads(&ana, &climbers.id, "rope.txt", b"rope at six".to_vec()).await;
    let path = format!("{}/link", place(&climbers, &file));
    for damaged in [&b"short"[..], b"", &[7; 40]] {
        let url = pictures::path(text(&ana.posts(&path).await.created()["url"]));
        world.stops().await;
        fs::write(world.data().join("files/link.key"), damaged).unwrap();
        world.restarts().await;
        world.get(&url).await.refused(403);
        let url = pictures::path(text(&ana.posts(&path).await.created()["url"]));
        assert_eq!(world.get(&url).await.text, "rope at six");
    }
}

#[tokio::test]
async fn voice_note_has_a_duration() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let sound = uploads(&ana, &climbers.id, "note.mp3", b"ID3\x03\x00\x00\x00".to_vec()).await;
    let note = json!({"type": "file", "file_id": sound["file_id"], "duration": 6.5});
    let sent = sends(&ana, &climbers, &note).await;
    assert_eq!(sent["attachments"][0]["mime_type"], "audio/mpeg");
    assert_eq!(sent["attachments"][0]["duration"], 7);
    let endless = json!({"type": "file", "file_id": sound["file_id"], "duration": -1});
    ana.posting(&climbers, json!({"attachments": [endless]})).await.refused(400);
}
