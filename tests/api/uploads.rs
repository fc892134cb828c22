//! Resumable uploads: continued after a lost connection and after a restart, but not for ever.

use std::fs;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};
use crate::world::raw::{Raw, refusal};
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

/// After how many seconds an unfinished upload ends.
const A_DAY: u64 = 86_400;

fn content(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|it| (it % 251) as u8).collect()
}

/// Begins an upload of this many bytes without sending any; returns the path where it continues.
pub(crate) async fn begins(by: &Person, to: &Group, length: usize) -> String {
    let path = format!("/v3/conversations/{}/files?name=ropes.bin", to.id);
    let asked = by.posts(&path).header("Upload-Complete", "?0");
    let answer = asked.header("Upload-Length", &length.to_string()).await;
    let place = answer.header("location").unwrap().to_owned();
    let begun = answer.created()["upload"].take();
    assert_eq!((&begun["offset"], &begun["length"]), (&json!(0), &json!(length)));
    let path = format!("/v3/uploads/{}", text(&begun["upload_id"]));
    assert!(place.ends_with(&path), "{place}");
    path
}

async fn goes_on(by: &Person, path: &str, offset: usize, rest: &[u8], is_last: bool) -> Answer {
    by.asks("PATCH", path)
        .header("Upload-Offset", &offset.to_string())
        .header("Upload-Complete", if is_last { "?1" } else { "?0" })
        .bytes(rest.to_vec())
        .await
}

async fn offset(by: &Person, path: &str) -> usize {
    let answer = by.asks("HEAD", path).await;
    assert_eq!(answer.status, 200);
    answer.header("upload-offset").unwrap().parse().unwrap()
}

/// Waits until bytes of an unfinished upload are on the disk.
async fn writes_something(world: &World) {
    writes_beyond(world, 0).await;
}

/// Waits until unfinished uploads have more bytes than this on the disk.
async fn writes_beyond(world: &World, bytes: u64) {
    let folder = world.data().join("files/partial");
    let deadline = Instant::now() + Duration::from_secs(60);
    let size = || {
        let files = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
        let files = files.filter(|path| path.extension().is_none());
        files.map(|path| fs::metadata(path).map_or(0, |about| about.len())).sum::<u64>()
    };
    while size() <= bytes {
        assert!(Instant::now() < deadline, "nothing is written");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Sends the head of a `PATCH` from byte 0, and `sent` bytes of a body of `length`.
async fn sends_part(by: &Person, path: &str, length: usize, sent: usize) -> Raw {
    let head = format!(
        "PATCH {path} HTTP/1.1\r\nHost: here\r\nX-Access-Token: {}\r\nUpload-Offset: 0\r\n\
         Upload-Complete: ?1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n",
        by.token
    );
    let mut raw = Raw::sends(by.address.get(), &head).await;
    raw.says(&"x".repeat(sent)).await;
    raw
}

/// The number of files on the disk that belong to unfinished uploads.
fn partial(world: &World) -> usize {
    fs::read_dir(world.data().join("files/partial")).unwrap().count()
}

#[tokio::test]
async fn cut_upload_resumes_even_after_restart() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let bytes = content(3_000_000);
    let path = begins(&ana, &climbers, bytes.len()).await;
    // The connection is lost in the middle of the body; the bytes that arrived are kept.
    let head = format!(
        "PATCH {path} HTTP/1.1\r\nHost: here\r\nX-Access-Token: {}\r\nUpload-Offset: 0\r\n\
         Upload-Complete: ?1\r\nContent-Length: 3000000\r\n\r\n",
        ana.token
    );
    let mut raw = Raw::sends(world.address.get(), &head).await;
    // The letter x in place of the real bytes, since this connection sends only text.
    let beginning: String = bytes[..100].iter().map(|_| 'x').collect();
    raw.says(&beginning.repeat(7000)).await;
    // Not by HEAD: it ends the request.
    writes_something(&world).await;
    drop(raw);
    // A client that starts again from byte 0 is told the offset at which to continue.
    let answer = goes_on(&ana, &path, 0, b"x", false).await;
    let told: usize = answer.header("upload-offset").unwrap().parse().unwrap();
    assert_eq!(answer.refused(409), [format!("upload_offset: the next byte is {told}")]);
    assert!(told > 0 && told <= 700_000, "{told}");
    world.restarts().await;
    assert_eq!(offset(&ana, &path).await, told);
    let told_of = ana.gets("/v3/limits").await.ok();
    assert_eq!(told_of["file_used"], 3_000_000, "what is announced counts");
    let some = goes_on(&ana, &path, told, &bytes[told..1_000_000], false).await.ok();
    assert_eq!(
        (&some["upload"]["offset"], &some["upload"]["file"]),
        (&json!(1_000_000), &Value::Null)
    );
    goes_on(&ana, &path, 1_000_000, &bytes[1_000_000..2_000_000], true).await.refused(400);
    let mut done = goes_on(&ana, &path, 2_000_000, &bytes[2_000_000..], true).await.created();
    let file = done["file"].take();
    assert_eq!(done["upload"]["file"], file);
    assert_eq!((&file["name"], &file["size"]), (&json!("ropes.bin"), &json!(3_000_000)));
    // The response may have been lost, so the file is shown again; nothing can be appended.
    assert_eq!(ana.gets(&path).await.ok()["upload"]["file"], file);
    goes_on(&ana, &path, 3_000_000, b"x", true).await.refused(409);
    ben.gets(&path).await.refused(404);
    ana.posting(&climbers, json!({"attachments": [file]})).await.created();
    let place = format!("/v3/files/{}/{}", climbers.id, text(&file["file_id"]));
    let whole = ben.gets(&place).await.bytes;
    assert_eq!((whole.len(), &whole[told..]), (bytes.len(), &bytes[told..]));
    assert!(whole[..told].iter().all(|byte| *byte == b'x'));
    assert_eq!(ana.asks("DELETE", &path).await.status, 204);
    ana.gets(&path).await.refused(404);
    assert_eq!(ben.gets(&place).await.status, 200);
    assert_eq!(partial(&world), 0);
}

#[tokio::test]
async fn an_upload_keeps_to_its_limits_and_ends_after_a_day() {
    let setup = Setup::default().option("--file-limit", "1000").option("--file-quota", "1500");
    let world = World::with(setup).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let files = format!("/v3/conversations/{}/files?name=a.bin", climbers.id);
    let asks = |length: &str| {
        ana.posts(&files).header("Upload-Complete", "?0").header("Upload-Length", length)
    };
    assert!(asks("1001").await.refused(413)[0].starts_with("file_limit"));
    asks("many").await.refused(400);
    ana.posts(&files).header("Upload-Complete", "yes").await.refused(400);
    let other = format!("/v3/conversations/{}/files", climbers.id);
    ben.posts(&other).header("Upload-Complete", "?0").await.refused(404);
    let path = begins(&ana, &climbers, 900).await;
    assert!(asks("700").await.refused(413)[0].starts_with("file_quota"));
    // More bytes than announced are refused; the bytes that fit are kept.
    let more = goes_on(&ana, &path, 0, &content(901), true).await.refused(400);
    assert_eq!(more, ["upload_length: 900 bytes were announced"]);
    ana.asks("PATCH", &path).header("Upload-Complete", "?0").await.refused(400);
    ana.asks("PATCH", &path).header("Upload-Offset", "0").await.refused(400);
    // An upload of unknown length may be as long as a file may be.
    let answer = ana.posts(&files).header("Upload-Complete", "?0").bytes(content(10)).await;
    let unknown = format!("/v3/uploads/{}", text(&answer.created()["upload"]["upload_id"]));
    assert!(
        goes_on(&ana, &unknown, 10, &content(600), false).await.refused(413)[0]
            .starts_with("file_quota")
    );
    assert_eq!(partial(&world), 4);
    world.seconds_pass(A_DAY);
    ana.gets(&path).await.refused(404);
    let deadline = Instant::now() + Duration::from_secs(90);
    // The files go first; what they used is free a moment later.
    while partial(&world) > 0 || ana.gets("/v3/limits").await.ok()["file_used"] != 0 {
        assert!(Instant::now() < deadline, "it is still there");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn deleted_upload_ends_its_request_and_leaves_nothing() {
    let setup = Setup::default().option("--file-quota", "2MiB");
    let world = World::with(setup).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    for sent in [0, 1, 70_000, 300_000, 600_000] {
        let path = begins(&ana, &climbers, 700_000).await;
        let mut raw = sends_part(&ana, &path, 700_000, sent).await;
        assert_eq!(ana.asks("DELETE", &path).await.status, 204);
        assert_eq!(partial(&world), 0, "{sent}");
        // The server may have closed the connection already.
        let rest = "x".repeat(700_000 - sent);
        let answer = raw.says_if_open(&rest).await;
        assert!(!answer.starts_with("HTTP/1.1 2"), "{sent}: {answer}");
        ana.gets(&path).await.refused(404);
        goes_on(&ana, &path, 0, b"x", false).await.refused(404);
        assert_eq!(ana.gets("/v3/limits").await.ok()["file_used"], 0, "{sent}");
        assert_eq!(partial(&world), 0, "{sent}");
    }
}

#[tokio::test]
async fn failed_beginning_leaves_no_upload() {
    let setup = Setup::default().option("--file-limit", "1000");
    let world = World::with(setup).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let path = format!("/v3/conversations/{}/files?name=a.bin", climbers.id);
    for complete in ["?0", "?1"] {
        let asked = ana.posts(&path).header("Upload-Complete", complete);
        let refused = asked.bytes(content(1001)).await.refused(413);
        assert!(refused[0].starts_with("file_limit"), "{refused:?}");
    }
    assert_eq!(partial(&world), 0);
    assert_eq!(ana.gets("/v3/limits").await.ok()["file_used"], 0);
}

#[tokio::test]
async fn concurrent_uploads_never_exceed_quota_and_places() {
    let setup = Setup::default().option("--file-quota", "2MiB");
    let world = World::with(setup).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let path = format!("/v3/conversations/{}/files?name=a.bin", climbers.id);
    let begun = (0..40).map(|_| async {
        let answer = ana.posts(&path).header("Upload-Complete", "?0").await;
        match answer.status {
            201 => Some(format!("/v3/uploads/{}", text(&answer.created()["upload"]["upload_id"]))),
            _ => None,
        }
    });
    let begun: Vec<String> = join_all(begun).await.into_iter().flatten().collect();
    // A request that finds all places of its user taken may be refused too.
    assert!(begun.len() <= 32, "{}", begun.len());
    let bytes = content(1 << 20);
    let done = begun.iter().map(|path| goes_on(&ana, path, 0, &bytes, true));
    let done = join_all(done).await;
    let succeeded = done.iter().filter(|it| it.status == 201).count();
    assert!((1..=2).contains(&succeeded), "{succeeded}");
    // Uploads in one request share the quota with them.
    let whole = (0..8).map(|_| ana.posts(&path).bytes(content(1 << 20)));
    let whole = join_all(whole.map(|asked| async { asked.await.status })).await;
    let more = whole.iter().filter(|status| **status == 201).count();
    assert!(succeeded + more <= 2, "{succeeded} and {more}");
    for path in &begun {
        assert_eq!(ana.asks("DELETE", path).await.status, 204);
    }
    assert_eq!(ana.gets("/v3/limits").await.ok()["file_used"], (succeeded + more) << 20);
}

#[tokio::test]
async fn head_ends_running_upload_and_states_offset() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let bytes = content(900_000);
    for verb in ["HEAD", "GET"] {
        let path = begins(&ana, &climbers, bytes.len()).await;
        let raw = sends_part(&ana, &path, bytes.len(), 600_000).await;
        writes_something(&world).await;
        let answer = ana.asks(verb, &path).await;
        let offset: usize = answer.header("upload-offset").unwrap().parse().unwrap();
        assert!(offset > 0);
        let (status, _) = refusal(&raw.hears_all().await);
        assert_eq!(status, 400);
        goes_on(&ana, &path, offset, &bytes[offset..], true).await.created();
        assert_eq!(ana.asks("DELETE", &path).await.status, 204);
    }
}

/// A part that the client abandoned may reach the server only after the client asked for the offset.
/// The next part was refused then, although it continued at the offset that it was told.
#[tokio::test]
async fn announced_offset_survives_a_late_part() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let bytes = content(900_000);
    let path = begins(&ana, &climbers, bytes.len()).await;
    goes_on(&ana, &path, 0, &bytes[..100_000], false).await.ok();
    for is_paused in [false, true] {
        assert_eq!(offset(&ana, &path).await, 100_000);
        let head = format!(
            "PATCH {path} HTTP/1.1\r\nHost: here\r\nX-Access-Token: {}\r\nUpload-Offset: 100000\r\n\
             Upload-Complete: ?1\r\nConnection: close\r\nContent-Length: 800000\r\n\r\n",
            ana.token
        );
        let mut late = Raw::sends(ana.address.get(), &head).await;
        late.says(&"x".repeat(700_000)).await;
        writes_beyond(&world, 100_000).await;
        if is_paused {
            let announced = offset(&ana, &path).await;
            assert!(announced > 100_000, "{announced}");
            goes_on(&ana, &path, 100_000, b"", false).await.refused(409);
            goes_on(&ana, &path, announced, &bytes[announced..], true).await.created();
        } else {
            // An empty part drops the late bytes too.
            let answer = goes_on(&ana, &path, 100_000, b"", false).await.ok();
            assert_eq!(answer["upload"]["offset"], 100_000);
        }
        let (status, _) = refusal(&late.hears_all().await);
        assert_eq!(status, 400);
    }
    assert_eq!(ana.asks("DELETE", &path).await.status, 204);

    let path = begins(&ana, &climbers, bytes.len()).await;
    assert_eq!(offset(&ana, &path).await, 0);
    let late = sends_part(&ana, &path, bytes.len(), 600_000).await;
    writes_something(&world).await;
    let done = goes_on(&ana, &path, 0, &bytes, true).await.created();
    let place = format!("/v3/files/{}/{}", climbers.id, text(&done["file"]["file_id"]));
    assert!(ana.gets(&place).await.bytes == bytes, "bytes of the late part stay");
    let (status, _) = refusal(&late.hears_all().await);
    assert_eq!(status, 400);
}

#[tokio::test]
async fn completed_upload_answers_like_one_request() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let path = format!("/v3/conversations/{}/files?name=a.txt", climbers.id);
    let whole = ana.posts(&path).bytes(b"rope at six".to_vec()).await.created();
    let asked = ana.posts(&path).header("Upload-Complete", "?1");
    let at_once = asked.bytes(b"rope at six".to_vec()).await.created();
    let begun = begins(&ana, &climbers, 11).await;
    let in_parts = goes_on(&ana, &begun, 0, b"rope at six", true).await;
    assert_eq!(in_parts.header("upload-complete"), Some("?1"));
    let in_parts = in_parts.created();
    for answer in [&at_once, &in_parts] {
        assert_eq!(answer["file"], answer["upload"]["file"]);
        assert_eq!(answer["file"]["size"], whole["file"]["size"]);
        let file = json!({"attachments": [answer["file"]]});
        ana.posting(&climbers, file).await.created();
    }
}

#[tokio::test]
async fn complete_uploads_take_no_place_of_later_ones() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    for _ in 0..40 {
        let path = begins(&ana, &climbers, 4).await;
        goes_on(&ana, &path, 0, b"rope", true).await.created();
    }
}

#[tokio::test]
async fn tus_request_makes_no_file() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let paths = [
        format!("/v3/conversations/{}/files?name=a.txt", climbers.id),
        format!("/v1/{}/files?name=a.txt", climbers.id),
    ];
    for path in paths {
        let asked = ana.posts(&path).header("Tus-Resumable", "1.0.0");
        let refused = asked.header("Upload-Length", "11").await.refused(412);
        assert!(refused[0].starts_with("tus-resumable"), "{refused:?}");
    }
    let begun = begins(&ana, &climbers, 11).await;
    let asked = ana.asks("PATCH", &begun).header("Tus-Resumable", "1.0.0");
    asked.header("Upload-Offset", "0").bytes(b"rope at six".to_vec()).await.refused(412);
    assert_eq!(ana.asks("DELETE", &begun).await.status, 204);
    assert_eq!(fs::read_dir(world.data().join("files/unsent")).unwrap().count(), 0);
}

#[tokio::test]
async fn slow_uploads_of_one_user_leave_places_for_others() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut slow = Vec::new();
    for _ in 0..32 {
        let head = format!(
            "POST /v3/conversations/{}/files HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n\
             Content-Length: 1000\r\n\r\n",
            climbers.id, ana.token
        );
        slow.push(Raw::sends(world.address.get(), &head).await);
    }
    let drafts = || fs::read_dir(world.data().join("files/new")).unwrap().count();
    let deadline = Instant::now() + Duration::from_secs(60);
    while drafts() < 32 {
        assert!(Instant::now() < deadline, "{} uploads", drafts());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let path = format!("/v3/conversations/{}/files?name=a.txt", climbers.id);
    let refused = ana.posts(&path).bytes(b"rope".to_vec()).await;
    assert!(refused.header("retry-after").is_some());
    assert!(refused.refused(429)[0].starts_with("file_uploads"));
    ben.posts(&path).bytes(b"rope".to_vec()).await.created();
    drop(slow);
}

/// An act that ends the right to upload.
async fn ends_right(ana: &Person, ben: &Person, group: &Group, act: &str) {
    match act {
        "log-out" => {
            ben.posts("/auth/logout").await.ok();
        }
        "password" => {
            let login = json!({"email": ben.email, "password": PASSWORD});
            let other = ben.address.asks("POST", "/auth/login").json(&login).await.ok();
            let change =
                json!({"current_password": PASSWORD, "new_password": "another horse battery"});
            let asked = ben.address.asks("POST", "/auth/password");
            asked.token(text(&other["access_token"])).json(&change).await.ok();
        }
        "removal" => {
            ana.removes(ben, group).await.ok();
        }
        _ => unreachable!("{act}"),
    }
}

#[tokio::test]
async fn body_makes_no_file_once_the_right_ended() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    for (number, act) in ["log-out", "password", "removal"].into_iter().enumerate() {
        let status = if act == "removal" { 404 } else { 401 };
        for in_parts in [false, true] {
            let ben = world.registers(&format!("Ben{number}{in_parts}")).await;
            ana.adds(&ben, &climbers).await;
            let mut raw = if in_parts {
                let path = begins(&ben, &climbers, 700_000).await;
                sends_part(&ben, &path, 700_000, 300_000).await
            } else {
                let head = format!(
                    "POST /v3/conversations/{}/files HTTP/1.1\r\nHost: x\r\n\
                     X-Access-Token: {}\r\nConnection: close\r\nContent-Length: 700000\r\n\r\n",
                    climbers.id, ben.token
                );
                let mut raw = Raw::sends(world.address.get(), &head).await;
                raw.says(&"x".repeat(300_000)).await;
                raw
            };
            let held = || fs::read_dir(world.data().join("files/new")).unwrap().count();
            while !in_parts && held() == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            if in_parts {
                writes_something(&world).await;
            }
            ends_right(&ana, &ben, &climbers, act).await;
            let answer = raw.says_if_open(&"x".repeat(400_000)).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{act}: {answer}");
        }
    }
    assert_eq!(fs::read_dir(world.data().join("files/unsent")).unwrap().count(), 0);
}

#[tokio::test]
async fn file_service_clients_upload_and_poll_a_job() {
    let world = World::start().await;
    let [ana, ben, eve] = world.people(["Ana", "Ben", "Eve"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let below = format!("/v1/{}", climbers.id);
    let asked = ana.posts(&format!("{below}/files?name=plan.txt"));
    let answer = asked.header("Content-Type", "application/json").bytes(b"rope".to_vec()).await;
    assert_eq!(answer.status, 201);
    let answer: Value = serde_json::from_slice(&answer.bytes).unwrap();
    // These clients take whatever follows the first `=` for the job.
    let (place, job) = text(&answer["status_url"]).split_once('=').unwrap();
    assert!(place.ends_with(&format!("{below}/uploadStatus?job")), "{place}");
    let status = format!("{below}/uploadStatus?job={job}");
    let told: Value = serde_json::from_slice(&ana.gets(&status).await.bytes).unwrap();
    assert_eq!(told, json!({"status": "completed", "file_id": job}));
    ben.gets(&status).await.refused(404);
    ana.gets(&format!("{below}/uploadStatus")).await.refused(400);
    let file = json!({"type": "file", "file_id": job});
    ana.posting(&climbers, json!({"attachments": [file]})).await.created();
    let asked = json!({"file_ids": [job, "unknown"]});
    let data = ben.posts(&format!("{below}/fileData")).json(&asked).await;
    let data: Value = serde_json::from_slice(&data.bytes).unwrap();
    let known = json!({"file_name": "plan.txt", "file_size": 4, "mime_type": "text/plain"});
    let known = json!({"file_id": job, "meta": 200, "file_data": known});
    assert_eq!(data, json!([known]));
    let one = ben.gets(&format!("{below}/fileData/{job}")).await;
    assert_eq!(serde_json::from_slice::<Value>(&one.bytes).unwrap(), known);
    ben.gets(&format!("{below}/fileData/unknown")).await.refused(404);
    let path = format!("{below}/files/{job}");
    assert_eq!(ben.posts(&path).await.bytes, b"rope");
    assert_eq!(ben.gets(&path).await.bytes, b"rope");
    eve.posts(&format!("{below}/fileData")).json(&asked).await.refused(404);
    eve.gets(&path).await.refused(404);
}
