//! The disk of the node that leads is full: another one leads, so that everybody can still write,
//! also those who are connected to that node.

use crate::asking::Person;
use crate::installation::Installation;
use crate::small_disk::SmallDisk;
use crate::waiting::until;

/// The number of groups.
const GROUPS: usize = 4;

async fn takes_posts(person: &Person, groups: &[String], words: &str) -> bool {
    for group in groups {
        let said = person.says(group, words).await;
        // A message that is said again is a conflict.
        if !matches!(said, Some((201 | 409, _))) {
            return false;
        }
    }
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_nodes_conversations_move_to_others() {
    let mut all = Installation::starts(1, 0).await;
    let disk = SmallDisk::of_mib(320);
    let data = disk.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::os::unix::fs::symlink(&data, all.data(0)).unwrap();
    all.start([0]).await;
    all.start([1]).await;
    let ana = Person::called("Ana", all.node(1)).await;
    let mut groups = Vec::new();
    for number in 0..GROUPS {
        groups.push(ana.creates_group(&format!("Group {number}")).await);
    }
    assert_eq!(all.leading_node().await, 0);
    assert!(takes_posts(&ana, &groups, "before").await);
    disk.fills_but(8 << 20);
    let why = all.serves_no_more(0).await;
    assert!(why.contains(r#""journal":"full""#), "{why}");
    until("every group takes posts again", async || takes_posts(&ana, &groups, "full").await).await;
    assert_eq!(all.leading_node().await, 1);
    let at_a = all.at(0, &ana);
    assert!(takes_posts(&at_a, &groups, "from there").await, "the leader has room");
    disk.is_cleared();
    all.serves(0).await;
    // It can lead again.
    all.stop(1).await;
    until("every group takes posts again", async || takes_posts(&at_a, &groups, "after").await)
        .await;
    all.start([1]).await;
    all.have_the_same_journal(&[0, 1]).await;
}
