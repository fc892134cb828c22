//! A full disk: posts are refused, while reads, lists and log-ins go on; when there is room again,
//! posts work without a restart. A disk that fails ends the server.

use std::fs;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::person::{Person, starts};
use crate::program::{Program, coterie, serving};
use crate::small_disk::SmallDisk;
use crate::tools::{PASSWORD, logs_in, tool};
use crate::waiting::until;

async fn readiness(program: &Program) -> (u16, Value) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/health/ready", program.url());
    let answer = client.get(url).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn is_told(program: &Program, status: u16, journal: &str) {
    until(&format!("it says {status} and {journal}"), async || {
        let (found, told) = readiness(program).await;
        found == status && told["journal"] == journal
    })
    .await;
}

/// Posts one more message, and returns its status.
async fn says(ana: &Person, group: &str, guid: &str) -> u16 {
    let message = json!({"message": {"source_guid": guid, "text": "\u{1f9d7}".repeat(1000)}});
    ana.posts(&format!("/v3/groups/{group}/messages"), &message).await.0
}

/// Checks that reads, lists, log-ins and log-outs work.
async fn all_but_writing_goes_on(ana: &Person, group: &str, messages: usize) {
    let (status, page) = ana.gets(&format!("/v3/groups/{group}/messages")).await;
    assert_eq!((status, page["count"].as_u64()), (200, Some(messages as u64)), "{page}");
    let (status, groups) = ana.gets("/v3/groups").await;
    assert_eq!((status, groups.as_array().unwrap().len()), (200, 1));
    let (status, welcome) = logs_in(&ana.url, "ana@example.org", PASSWORD).await;
    assert_eq!(status, 200, "{welcome}");
    let mut again = ana.clone();
    again.token = welcome["access_token"].as_str().unwrap().to_owned();
    assert_eq!(again.gets("/v3/groups").await.0, 200, "a list with the new token");
    assert_eq!(again.gets("/v3/sync").await.0, 200);
    assert_eq!(again.posts("/auth/logout", &json!({})).await.0, 200);
    assert_eq!(again.gets("/v3/users/me").await.0, 401, "it is dead at once");
}

#[tokio::test]
async fn a_disk_that_others_fill_stops_posts_and_nothing_else() {
    let disk = SmallDisk::of_mib(64);
    let data = disk.path().join("data");
    let program = starts(&data);
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    let mut said = 0;
    for number in 0..30 {
        assert_eq!(says(&ana, &group, &number.to_string()).await, 201);
        said += 1;
    }
    assert_eq!(
        readiness(&program).await,
        (
            200,
            json!({
                "status": "ready", "journal": "open", "index": "current",
                "reads": "answered", "writes": "durable",
            })
        )
    );
    disk.fills();
    is_told(&program, 503, "full").await;
    for number in 0..10 {
        let (status, guid) = (says(&ana, &group, &format!("late {number}")).await, number);
        assert_eq!(status, 503, "post {guid}");
        // The store of the index flushes by itself meanwhile, and fails.
        tokio::time::sleep(Duration::from_millis(300)).await;
        all_but_writing_goes_on(&ana, &group, said).await;
    }
    assert_eq!(ana.posts("/v3/groups", &json!({"name": "More"})).await.0, 503);
    disk.is_cleared();
    is_told(&program, 200, "open").await;
    assert_eq!(says(&ana, &group, "after it").await, 201);
    all_but_writing_goes_on(&ana, &group, said + 1).await;
    program.stops();
    let told = tool(&data, &["check"]).fine();
    assert!(told.ends_with("no problems\n"), "{told}");
    let names: Vec<_> = fs::read_dir(&data).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_str().unwrap().contains("broken")), "{names:?}");
}

#[tokio::test]
async fn full_journal_continues_when_space_returns() {
    let disk = SmallDisk::of_mib(160);
    let data = disk.path().join("data");
    let program = starts(&data);
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    // The first segment of the journal is allocated; there is no room for a second one.
    disk.fills_but(24 << 20);
    is_told(&program, 200, "open").await;
    let mut said = 0;
    while says(&ana, &group, &said.to_string()).await == 201 {
        said += 1;
        assert!(said < 10_000, "it never becomes full");
    }
    assert!(said > 1000, "only {said} messages fitted");
    assert_eq!(readiness(&program).await.0, 503);
    for _ in 0..20 {
        all_but_writing_goes_on(&ana, &group, said).await;
    }
    disk.is_cleared();
    until("there is room again", async || says(&ana, &group, "after it").await == 201).await;
    is_told(&program, 200, "open").await;
    all_but_writing_goes_on(&ana, &group, said + 1).await;
    program.stops();
    tool(&data, &["check"]).fine();
}

#[tokio::test]
async fn a_start_on_a_full_disk_sets_nothing_aside() {
    let disk = SmallDisk::of_mib(32);
    let data = disk.path().join("data");
    let program = starts(&data);
    let mut ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    assert_eq!(says(&ana, &group, "one").await, 201);
    // A server that is killed leaves its index store some recovery to do at the next start.
    program.dies();
    disk.fills();
    let output = coterie(&serving(&data, &[])).output().unwrap();
    if !output.status.success() {
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("No space left on device"), "{told}");
    }
    let broken = fs::read_dir(&data).unwrap().map(|it| it.unwrap().file_name());
    assert_eq!(broken.filter(|it| it.to_str().unwrap().contains("broken")).count(), 0);
    disk.is_cleared();
    let program = starts(&data);
    ana.goes_to(&program);
    all_but_writing_goes_on(&ana, &group, 1).await;
    program.stops();
}

#[tokio::test]
async fn full_disk_does_not_damage_the_index() {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    assert_eq!(says(&ana, &group, "one").await, 201);
    program.stops();
    // What a start on a full disk leaves: a snapshot of which not a byte could be written.
    let draft = data.path().join("index/snap.00000000FFFFFFFF.generating");
    fs::write(&draft, b"").unwrap();
    tool(data.path(), &["check"]).fine();
    fs::write(&draft, b"").unwrap();
    let program = starts(data.path());
    let mut ana = ana;
    ana.goes_to(&program);
    all_but_writing_goes_on(&ana, &group, 1).await;
    program.stops();
    let mut names = fs::read_dir(data.path()).unwrap().map(|it| it.unwrap().file_name());
    assert!(!names.any(|name| name.to_str().unwrap().contains("broken")));
}

#[tokio::test]
async fn a_journal_that_cannot_be_written_ends_the_server() {
    let data = TempDir::new().unwrap();
    // A limit of the file size stands for a drive that fails. Its signal is ignored, so that the
    // write fails instead.
    let mut command = Command::new("sh");
    let server = coterie(&serving(data.path(), &[]));
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(server.get_program());
    command.args(server.get_args()).stderr(std::process::Stdio::piped());
    let mut program = Program::spawned(command);
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    assert_eq!(says(&ana, &group, "one").await, 201);
    let id = program.child.id().to_string();
    let limited = Command::new("prlimit").args(["--pid", &id, "--fsize=4096"]).status().unwrap();
    assert!(limited.success());
    assert_eq!(says(&ana, &group, "two").await, 503);
    let ended = program.child.wait().unwrap();
    assert_eq!(ended.code(), Some(2), "its supervisor starts it again");
    let mut told = String::new();
    let mut stderr = program.child.stderr.take().unwrap();
    std::io::Read::read_to_string(&mut stderr, &mut told).unwrap();
    let last = told.lines().last().unwrap();
    assert!(last.starts_with("coterie: the server failed: the journal stopped"), "{told}");
    let program = starts(data.path());
    let mut ana = ana;
    ana.goes_to(&program);
    all_but_writing_goes_on(&ana, &group, 1).await;
    program.stops();
}
