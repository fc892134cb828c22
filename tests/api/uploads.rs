//! Resumable uploads: continued after a lost connection and after a restart, but not for ever.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};
use crate::world::raw::Raw;
use crate::world::server::Setup;

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

/// The number of files on the disk that belong to unfinished uploads.
fn partial(world: &World) -> usize {
    fs::read_dir(world.data().join("files/partial")).unwrap().count()
}

#[tokio::test]
async fn an_upload_goes_on_where_the_line_was_cut_after_a_restart_too() {
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
    let deadline = Instant::now() + Duration::from_secs(60);
    while offset(&ana, &path).await == 0 {
        assert!(Instant::now() < deadline, "nothing is written");
    }
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
    let mut done = goes_on(&ana, &path, 2_000_000, &bytes[2_000_000..], true).await.ok();
    let file = done["upload"]["file"].take();
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
    while partial(&world) > 0 {
        assert!(Instant::now() < deadline, "it is still there");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(ana.gets("/v3/limits").await.ok()["file_used"], 0);
}

#[tokio::test]
async fn clients_of_the_file_service_upload_a_job_and_ask_what_became_of_it() {
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
