//! One bit flips on the disk of a node or of a server of the log, while people write: the damage is
//! found, reported and repaired, and no listener misses an event.

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::asking::Person;
use crate::ear::Ear;
use crate::installation::Installation;
use crate::kills::rounds;
use crate::waiting::until;
use crate::writers::Writers;

/// What a node logs when it restarts because its journal is damaged.
const STARTS_AGAIN: &str = "ERROR coterie::journal::replicated::repair: this node's journal";
/// What a node logs when it finds at its start that its journal is damaged.
const CUTS: &str = "ERROR coterie::journal::replicated::resume: this node's journal";

/// What a node logs when a server of the log sends other bytes than were written to it.
const TOLD_WRONG: &str = "a message of the log is wrong; comparing it on all servers";

/// Flips one random bit in this part of a file (the zeros at its end do not count), while a process
/// has the file open.
fn flip(path: &Path, part: impl FnOnce(&[u8]) -> Range<usize>) {
    let mut bytes = fs::read(path).unwrap();
    bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1);
    let at = fastrand::usize(part(&bytes));
    let flipped = bytes[at] ^ 1 << fastrand::u8(..8);
    eprintln!("flipped: byte {at} of {} in {}", bytes.len(), path.display());
    let file = File::options().write(true).open(path).unwrap();
    file.write_all_at(&[flipped], at as u64).unwrap();
}

/// The first segment of a node's journal.
fn open_segment(all: &Installation, node: usize) -> PathBuf {
    all.data(node).join("journal/0000000000000000.log")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_repairs_a_flipped_bit_in_its_journal() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ear = Ear::of(&all, &ana, &[1, 2, 0]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    writers.all_go_on().await;
    for round in 1..=rounds() {
        // A bit of the records (the header has 64 bytes) flips while the node runs.
        flip(&open_segment(&all, 1), |bytes| 64..bytes.len());
        all.says(1, STARTS_AGAIN, round).await;
        let paused = writers.all_go_on().await;
        eprintln!("a node found its journal damaged: all conversations go on after {paused:?}");
        all.says(1, "restarting to repair the journal", round).await;
        all.serves(1).await;
        // The node that found the damage restarts at once, so its successor has to go on counting
        // it.
        assert_eq!(all.counts(1, "coterie_differences_total").await, 1);
        // A bit flips while the node is down.
        all.kill(2);
        writers.go_to(&all, &[0, 1]);
        flip(&open_segment(&all, 2), |bytes| 64..bytes.len() / 2);
        all.start([2]).await;
        ear.goes_to(&all, &[1, 2, 0]);
        writers.go_to(&all, &[0, 1, 2]);
        all.says(2, CUTS, round).await;
        assert_eq!(all.counts(2, "coterie_differences_total").await, 1);
        writers.all_go_on().await;
    }
    writers.end(&all, &[0, 1, 2]).await;
    ear.has_heard_everything(&all, 0).await;
}

/// After this time a server of the log drops a block from its cache, if nobody asked for it, and
/// reads it from its disk the next time.
const FORGETS: Duration = Duration::from_secs(15);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bit_flips_in_the_store_of_a_server_of_the_log() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ear = Ear::of(&all, &ana, &[1, 0]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    writers.all_go_on().await;
    writers.end(&all, &[0, 1, 2]).await;
    tokio::time::sleep(FORGETS).await;
    // The server skips what it cannot read, and reports nothing.
    let block = all.servers.store(1).join("COTERIE_LOG/msgs/1.blk");
    flip(&block, |bytes| {
        let word = |at: &usize| bytes[*at..].starts_with(b"said as 0-");
        let at = (0..bytes.len()).find(word).unwrap();
        at..at + 10
    });
    let writers = Writers::begin(&all, &ana, &[0, 1]).await;
    // A node that starts with an empty disk reads from a server chosen at random.
    let mut found = 0;
    for tried in 1.. {
        all.lose(2);
        all.start([2]).await;
        found = all.counts(2, "coterie_differences_total").await;
        if found > 0 {
            eprintln!("the damaged server read for the {tried}. node");
            break;
        }
        assert!(tried < 60, "the damaged server reads for nobody");
    }
    assert_eq!(all.has_said(2).matches(TOLD_WRONG).count() as u64, found);
    writers.go_to(&all, &[0, 1, 2]);
    writers.all_go_on().await;
    writers.end(&all, &[0, 1, 2]).await;
    ear.has_heard_everything(&all, 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bit_flips_in_a_full_file_of_a_nodes_journal() {
    let all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ear = Ear::of(&all, &ana, &[1, 2, 0]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    let full = all.data(1).join("journal/0000000000000000.zst");
    writers.draft_until(|| full.exists()).await;
    for round in 1..=rounds() {
        // The full file is there again once the node has read the journal again.
        until("the full file is there again", async || full.exists()).await;
        flip(&full, |bytes| 64..bytes.len() / 10 * 9);
        all.says(1, STARTS_AGAIN, round).await;
        all.says(1, "restarting to repair the journal", round).await;
        all.serves(1).await;
        assert_eq!(all.counts(1, "coterie_differences_total").await, 1);
        writers.all_go_on().await;
    }
    writers.end(&all, &[0, 1, 2]).await;
    ear.has_heard_everything(&all, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_repairs_a_flipped_bit_in_its_index() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ear = Ear::of(&all, &ana, &[1, 2, 0]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    let index = all.data(1).join("index");
    for _ in 0..3 * rounds() {
        writers.all_go_on().await;
        flip(&index.join("db"), |bytes| 0..bytes.len());
        writers.all_go_on().await;
        all.kill(1);
        writers.go_to(&all, &[0, 2]);
        all.start([1]).await;
        ear.goes_to(&all, &[1, 2, 0]);
        writers.go_to(&all, &[0, 1, 2]);
    }
    writers.all_go_on().await;
    writers.end(&all, &[0, 1, 2]).await;
    ear.has_heard_everything(&all, 1).await;
    all.stop(1).await;
    // Every row of the index is what the journal says.
    all.tool(1, &["check"]);
}
