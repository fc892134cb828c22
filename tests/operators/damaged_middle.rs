//! Damage in the middle of the journal: the server starts as long as its index is there, and an
//! operator may go on without what cannot be read.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use coterie::journal::file::{FileJournal, JournalOptions};
use serde_json::Value;
use tempfile::TempDir;

use crate::lost_journal::{accepts, asides, is_refused};
use crate::person::{Person, starts};
use crate::tools::tool;

/// So many messages fill more than one of the small files.
const SAID: usize = 400;

/// Makes the data of a stopped server whose first journal file is full; returns the user who made
/// it, their group and a cursor.
async fn history(data: &Path) -> (Person, String, String) {
    let small = JournalOptions { segment_bytes: 64 << 10, ..JournalOptions::default() };
    FileJournal::open(&data.join("journal"), small).unwrap().0.close();
    let program = starts(data);
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    for number in 0..SAID {
        ana.says(&group, &format!("number{number}")).await;
    }
    let (_, snapshot) = ana.gets("/v3/sync").await;
    program.stops();
    (ana, group, snapshot["c"].as_str().unwrap().to_owned())
}

/// Flips a bit in the middle of the first file, which may be compressed already.
fn damages_the_first_file(data: &Path) {
    let names = ["0000000000000000.zst", "0000000000000000.log"];
    let files = names.map(|name| data.join("journal").join(name));
    let file = files.iter().find(|file| file.exists()).unwrap();
    let mut bytes = fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file, bytes).unwrap();
}

/// All messages of a group, page by page, or the status of the first page that was refused.
async fn pages(ana: &Person, group: &str) -> Result<BTreeSet<String>, u16> {
    let (mut guids, mut before) = (BTreeSet::new(), String::new());
    loop {
        let path = format!("/v3/groups/{group}/messages?limit=100{before}");
        let (status, page) = ana.gets(&path).await;
        if status == 304 {
            return Ok(guids);
        }
        let Some(messages) = page["messages"].as_array().filter(|_| status == 200) else {
            return Err(status);
        };
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        guids.extend(messages.iter().map(|it| text(&it["source_guid"])));
        before = format!("&before_id={}", text(&messages.last().unwrap()["id"]));
    }
}

#[tokio::test]
async fn accept_lost_journal_keeps_every_readable_record() {
    for has_index in [true, false] {
        let data = TempDir::new().unwrap();
        let (mut ana, group, cursor) = history(data.path()).await;
        damages_the_first_file(data.path());
        let program = starts(data.path());
        ana.goes_to(&program);
        assert_eq!(pages(&ana, &group).await, Err(503), "damage is no absence");
        program.stops();
        if !has_index {
            fs::remove_dir_all(data.path().join("index")).unwrap();
            for _ in 0..2 {
                let told = is_refused(data.path());
                assert!(told.contains("a part of the journal is damaged"), "{told}");
                assert!(told.contains("--accept-lost-journal"), "{told}");
            }
        }

        let program = accepts(data.path());
        ana.goes_to(&program);
        let left = pages(&ana, &group).await.unwrap();
        assert!((SAID - 100..SAID).contains(&left.len()), "{}", left.len());
        let is_there = |number: usize| left.contains(&format!("number{number}"));
        assert!(is_there(0) && is_there(SAID - 1), "before it and behind it");
        let (status, told) = ana.gets(&format!("/v3/events?after={cursor}")).await;
        assert!(status == 410 || told.to_string().contains("reset"), "{status} {told}");
        let newest = format!("number{}", SAID - 1);
        // The words are indexed in the background, after this start for all that is left.
        let search = format!("/v3/search/messages?q={newest}");
        let found = async {
            while !ana.gets(&search).await.1.to_string().contains(&newest) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(120), found).await.expect("its words are found");
        // A start that is refused writes nothing of a small index.
        let set_aside: &[&str] = if has_index { &["index.broken-1"] } else { &[] };
        assert_eq!(asides(data.path()), set_aside);
        ana.says(&group, "once more").await;
        program.stops();

        let program = starts(data.path());
        ana.goes_to(&program);
        assert_eq!(pages(&ana, &group).await.unwrap().len(), left.len() + 1, "without the flag");
        program.stops();
        assert_eq!(tool(data.path(), &["check"]).code, 1, "it still names the damage");
    }
}
