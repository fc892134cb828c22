//! Two versions of the program in one installation, as during an upgrade: they hold the same
//! journal, byte for byte, and listeners go from one to the other.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::asking::Person;
use crate::ear::Ear;
use crate::installation::Installation;
use crate::kills::rounds;
use crate::writers::Writers;

/// The field that the later version adds to every fact.
const NEXT: &[u8] = b"a field of the next version";

/// The program of the later version. Cargo builds it together with all tests; if one test is run
/// alone, it is built here.
fn next_version() -> PathBuf {
    let usual = Path::new(env!("CARGO_BIN_EXE_coterie"));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--workspace", "--example", "coterie-next-record"]);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    // Cargo sets these variables for tests; inherited, they would make the inner cargo rebuild
    // dependencies.
    let told = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
    for (name, _) in std::env::vars_os() {
        if told.iter().any(|it| name.to_string_lossy().starts_with(it)) {
            cargo.env_remove(name);
        }
    }
    let built = cargo.output().unwrap();
    assert!(
        built.status.success(),
        "the program of the next version cannot be built: {}",
        String::from_utf8_lossy(&built.stderr)
    );
    usual.with_file_name("examples").join("coterie-next-record")
}

fn count(within: &[u8], words: &[u8]) -> usize {
    within.windows(words.len()).filter(|it| *it == words).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_versions_share_one_journal() {
    let next = tokio::task::spawn_blocking(next_version).await.unwrap();
    let mut all = Installation::starts(3, 1).await;
    // Which nodes run the later version.
    let mut is_next = [false, true, true];
    (1..3).for_each(|node| all.is_program(node, Some(&next)));
    all.start(1..3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ear = Ear::of(&all, &ana, &[0, 1, 2]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    writers.all_go_on().await;
    for _ in 0..rounds() {
        for node in 0..3 {
            let left: Vec<usize> = (0..3).filter(|it| *it != node).collect();
            writers.go_to(&all, &left);
            writers.all_go_on().await;
            all.stop(node).await;
            is_next[node] = !is_next[node];
            all.is_program(node, is_next[node].then_some(&*next));
            all.start([node]).await;
            ear.goes_to(&all, &[0, 1, 2]);
            writers.go_to(&all, &[0, 1, 2]);
            let paused = writers.all_go_on().await;
            let failures = writers.failures();
            eprintln!(
                "{is_next:?}: all conversations go on after {paused:?}; failed: {failures:?}"
            );
        }
    }
    writers.end(&all, &[0, 1, 2]).await;
    ear.has_heard_everything(&all, 0).await;
    for node in 0..3 {
        all.stop(node).await;
        // The usual version finds journal and index in order.
        let told = all.tool(node, &["check"]);
        let (before, _) = told.split_once(" events").unwrap();
        let facts: usize = before.rsplit(' ').next().unwrap().parse().unwrap();
        // Both versions wrote some of the journal.
        let journal = fs::read(all.data(node).join("journal/0000000000000000.log")).unwrap();
        let of_next = count(&journal, NEXT);
        eprintln!("{of_next} of {facts} facts are of the next version");
        assert!(of_next > 0 && of_next < facts, "{of_next} of {facts}");
    }
}
