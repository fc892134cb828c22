//! The tools on the damaged journal of a stopped server: none takes a part for the whole.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::check::{damages, history};
use crate::tools::tool;

const SEGMENT: &str = "journal/0000000000000000.log";

#[tokio::test]
async fn backup_copies_and_reports_a_damaged_journal() {
    let folder = TempDir::new().unwrap();
    let (data, to) = (folder.path().join("data"), folder.path().join("copy"));
    drop(history(&data).await);
    damages(&data);
    let ended = tool(&data, &["backup", to.to_str().unwrap()]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("its checksum is wrong"), "{ended:?}");
    assert!(ended.stdout.contains("but the journal is damaged"), "{ended:?}");
    assert!(!ended.stdout.contains("verified"), "{ended:?}");
    let read = |folder: &Path| fs::read(folder.join(SEGMENT)).unwrap();
    assert!(read(&data) == read(&to), "what lies behind the damage came too");

    let elsewhere = folder.path().join("elsewhere");
    let ended = tool(&elsewhere, &["restore", to.to_str().unwrap()]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("its checksum is wrong"), "{ended:?}");
    assert!(read(&data) == read(&elsewhere));
}

#[tokio::test]
async fn a_journal_with_a_file_that_was_cut_off_is_copied_too() {
    let folder = TempDir::new().unwrap();
    let (data, to) = (folder.path().join("data"), folder.path().join("copy"));
    drop(history(&data).await);
    let file = fs::File::options().write(true).open(data.join(SEGMENT)).unwrap();
    file.set_len(20_000).unwrap();
    let ended = tool(&data, &["backup", to.to_str().unwrap()]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("it has 20000 bytes instead of"), "{ended:?}");
    assert_eq!(fs::metadata(to.join(SEGMENT)).unwrap().len(), 20_000);
}

#[tokio::test]
async fn tools_refuse_a_damaged_journal() {
    let data = TempDir::new().unwrap();
    drop(history(data.path()).await);
    damages(data.path());
    fs::remove_dir_all(data.path().join("index")).unwrap();
    for arguments in [&["audit"][..], &["user", "list"], &["rebuild"]] {
        let said = tool(data.path(), arguments).says_no(2);
        assert!(said.contains(".log is damaged at byte "), "{arguments:?}: {said}");
    }
    let ended = tool(data.path(), &["check", "--json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert!(told["journal"]["sum"].is_null(), "{told}");
    let first = told["journal"]["findings"][0].as_str().unwrap();
    assert!(first.ends_with("its checksum is wrong"), "{told}");
}

#[tokio::test]
async fn incomplete_last_write_is_no_damage() {
    let folder = TempDir::new().unwrap();
    let (data, to) = (folder.path().join("data"), folder.path().join("copy"));
    drop(history(&data).await);
    let whole = tool(&data, &["audit"]).fine();
    let file = data.join(SEGMENT);
    let mut bytes = fs::read(&file).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes[used + 9..used + 99].fill(7);
    fs::write(&file, bytes).unwrap();
    assert_eq!(tool(&data, &["audit"]).fine(), whole);
    let told = tool(&data, &["backup", to.to_str().unwrap()]).fine();
    assert!(told.contains("verified: 20"), "{told}");
    tool(&data, &["rebuild"]).fine();
    tool(&data, &["check"]).fine();
}
