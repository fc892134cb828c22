//! If the journal lost its end or its folder, the server refuses to start, says what is missing,
//! and changes nothing; an operator may go on without the lost part.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use crate::person::{Person, starts};
use crate::program::{Program, coterie, serving};
use crate::small_disk::SmallDisk;
use crate::tools::tool;

/// Makes the data of a stopped server with some history; returns the user who made it, and the
/// group.
async fn history(data: &Path) -> (Person, String) {
    let program = starts(data);
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    for number in 0..50 {
        ana.says(&group, &number.to_string()).await;
    }
    program.stops();
    (ana, group)
}

/// Checks that the server refuses to start; returns what it says.
pub(crate) fn is_refused(data: &Path) -> String {
    let output = coterie(&serving(data, &[])).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert_eq!(output.stdout, b"");
    told
}

/// Starts the server once without what the journal lost.
pub(crate) fn accepts(data: &Path) -> Program {
    Program::starts(data, &["--rate-limit", "off", "--accept-lost-journal"])
}

/// Returns every file below a folder, with its bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

/// The names of what was set aside.
pub(crate) fn asides(data: &Path) -> Vec<String> {
    let names = fs::read_dir(data).unwrap().map(|it| it.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let mut asides: Vec<String> = names.filter(|name| name.contains("broken")).collect();
    asides.sort();
    asides
}

/// Fills the second half of the used part of the journal with zeros.
fn loses_its_end(data: &Path) {
    let file = data.join("journal/0000000000000000.log");
    let mut bytes = fs::read(&file).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes[used / 2..].fill(0);
    fs::write(&file, bytes).unwrap();
}

async fn count(ana: &Person, group: &str) -> u64 {
    let (status, page) = ana.gets(&format!("/v3/groups/{group}/messages")).await;
    assert_eq!(status, 200, "{page}");
    page["count"].as_u64().unwrap()
}

#[tokio::test]
async fn journal_without_its_end_is_refused_unchanged() {
    let data = TempDir::new().unwrap();
    let (mut ana, group) = history(data.path()).await;
    let (_, begun) = ana_cursor(&mut ana, data.path()).await;
    loses_its_end(data.path());
    let before = files(&data.path().join("journal"));
    for _ in 0..2 {
        let told = is_refused(data.path());
        assert!(told.contains("the journal lost its end"), "{told}");
        assert!(told.contains("--accept-lost-journal"), "{told}");
    }
    assert_eq!(files(&data.path().join("journal")), before, "it may hold what can be saved");
    assert_eq!(asides(data.path()), Vec::<String>::new(), "the index is the only proof");
    let checked = tool(data.path(), &["check"]);
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.stdout.contains("lost its end"), "{}", checked.stdout);
    let told = tool(data.path(), &["rebuild"]).says_no(2);
    assert!(told.contains("lost its end") && data.path().join("index").exists(), "{told}");

    let program = accepts(data.path());
    ana.goes_to(&program);
    let left = count(&ana, &group).await;
    assert!((1..50).contains(&left), "{left}");
    ana.says(&group, "once more").await;
    assert_eq!(asides(data.path()), ["index.broken-1"]);
    let (status, told) = ana.gets(&format!("/v3/events?after={begun}")).await;
    assert!(status == 410 || told.to_string().contains("reset"), "{status} {told}");
    program.stops();
    let program = starts(data.path());
    ana.goes_to(&program);
    assert_eq!(count(&ana, &group).await, left + 1, "it needs no flag any more");
    program.stops();
    tool(data.path(), &["check"]).fine();
}

/// Starts and stops the server, and takes a snapshot in between: its status and cursor.
async fn ana_cursor(ana: &mut Person, data: &Path) -> (u16, String) {
    let program = starts(data);
    ana.goes_to(&program);
    let (status, snapshot) = ana.gets("/v3/sync").await;
    program.stops();
    (status, snapshot["c"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_data_directory_that_lost_its_journal_is_refused() {
    let data = TempDir::new().unwrap();
    let (mut ana, _) = history(data.path()).await;
    for what in ["folder", "files"] {
        fs::remove_dir_all(data.path().join("journal")).unwrap();
        if what == "files" {
            fs::create_dir(data.path().join("journal")).unwrap();
        }
        let told = is_refused(data.path());
        assert!(told.contains("lost its journal"), "{told}");
        assert!(told.contains("--accept-lost-journal"), "{told}");
        assert!(data.path().join("index").exists());
        fs::remove_dir_all(data.path().join("index")).unwrap();
        assert!(is_refused(data.path()).contains("images"), "other things show it too");
        for tool in [&["check"][..], &["rebuild"], &["user", "list"]] {
            let told = self::tool(data.path(), tool).says_no(2);
            assert!(told.contains("lost its journal"), "{told}");
        }
        let program = accepts(data.path());
        ana.goes_to(&program);
        assert_eq!(ana.gets("/v3/users/me").await.0, 401, "nobody is known");
        ana = Person::registered(&program).await;
        program.stops();
        starts(data.path()).stops();
    }
}

/// Spoils the used part of the journal in its middle.
fn is_spoiled(data: &Path, how: &str) {
    let path = data.join("journal/0000000000000000.log");
    let mut bytes = fs::read(&path).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    match how {
        "cut off" => bytes.truncate(used / 2),
        "overwritten" => bytes[used / 2..][..4].fill(0x55),
        _ => bytes[10] ^= 1,
    }
    fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn damaged_journal_is_kept_up_to_the_damage() {
    for how in ["cut off", "overwritten", "its header flipped"] {
        let data = TempDir::new().unwrap();
        let (mut ana, group) = history(data.path()).await;
        is_spoiled(data.path(), how);
        let spoiled = files(&data.path().join("journal"));
        let told = is_refused(data.path());
        assert!(told.contains("is damaged at byte"), "{how}: {told}");
        assert!(told.contains("restore a backup"), "{how}: {told}");
        assert!(told.contains("--accept-lost-journal"), "{how}: {told}");
        assert_eq!(files(&data.path().join("journal")), spoiled, "{how}");
        assert_eq!(asides(data.path()), Vec::<String>::new(), "{how}");

        let program = accepts(data.path());
        ana.goes_to(&program);
        let left = count(&ana, &group).await;
        // Nothing is lost with a header: every record says itself where it lies.
        let (wanted, lost) = if how.contains("header") {
            (50..=50, &["journal.broken-1"][..])
        } else {
            (1..=49, &["index.broken-1", "journal.broken-1"][..])
        };
        assert!(wanted.contains(&left), "{how}: {left}");
        assert_eq!(asides(data.path()), lost, "{how}");
        let kept = |files: Vec<(PathBuf, Vec<u8>)>| files.into_iter().map(|(_, bytes)| bytes);
        let aside = kept(files(&data.path().join("journal.broken-1")));
        assert!(aside.eq(kept(spoiled)), "{how}: what was damaged is there as it was");
        ana.says(&group, "once more").await;
        program.stops();
        let program = starts(data.path());
        ana.goes_to(&program);
        assert_eq!(count(&ana, &group).await, left + 1, "{how}: it needs no flag any more");
        program.stops();
        tool(data.path(), &["check"]).fine();
    }
}

#[tokio::test]
async fn failed_salvage_moves_no_files() {
    let disk = SmallDisk::of_mib(64);
    let data = disk.path().join("data");
    drop(history(&data).await);
    is_spoiled(&data, "overwritten");
    let spoiled = files(&data.join("journal"));
    // There is room for a few notes, and none for another file of the journal.
    disk.fills_but(4 << 20);
    let output = coterie(&serving(&data, &["--accept-lost-journal"])).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("No space left on device"), "{told}");
    assert_eq!(asides(&data), Vec::<String>::new());
    assert_eq!(files(&data.join("journal")), spoiled);
}

#[tokio::test]
async fn set_aside_files_stay() {
    let data = TempDir::new().unwrap();
    let (mut ana, group) = history(data.path()).await;
    for times in 1..=3 {
        for (file, _) in files(&data.path().join("index")) {
            fs::write(&file, vec![7; 100]).unwrap();
        }
        let program = starts(data.path());
        ana.goes_to(&program);
        assert_eq!(count(&ana, &group).await, 50);
        program.stops();
        assert_eq!(asides(data.path()).len(), times);
    }
}

#[tokio::test]
async fn refused_index_access_is_no_damage() {
    let data = TempDir::new().unwrap();
    let (mut ana, group) = history(data.path()).await;
    let (store, away) = (data.path().join("index/db"), data.path().join("index/away"));
    fs::rename(&store, &away).unwrap();
    fs::create_dir(&store).unwrap();
    let told = is_refused(data.path());
    assert!(told.contains("the index cannot be opened"), "{told}");
    assert!(told.contains(data.path().join("index").to_str().unwrap()), "{told}");
    assert_eq!(asides(data.path()), Vec::<String>::new());
    fs::remove_dir(&store).unwrap();
    fs::rename(&away, &store).unwrap();
    let program = starts(data.path());
    ana.goes_to(&program);
    assert_eq!(count(&ana, &group).await, 50);
    assert_eq!(ana.posts("/v3/groups", &json!({"name": "More"})).await.0, 201);
    program.stops();
}
