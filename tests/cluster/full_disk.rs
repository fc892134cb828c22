//! The disk of one node is full: the others own what it owned, so that everybody can still write,
//! also those who are connected to that node.

use crate::asking::Person;
use crate::installation::Installation;
use crate::small_disk::SmallDisk;
use crate::waiting::until;

/// Enough groups that each of two nodes owns some of them.
const GROUPS: usize = 16;

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

fn shards_of(all: &Installation, asked: usize, name: &str) -> u64 {
    let told = all.tool(asked, &["nodes", "--json"]);
    let seen: serde_json::Value = serde_json::from_str(&told).unwrap();
    let nodes = seen["nodes"].as_array().unwrap();
    nodes.iter().find(|it| it["name"] == name).unwrap()["shards"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_nodes_conversations_move_to_others() {
    let mut all = Installation::starts(1, 0).await;
    let disk = SmallDisk::of_mib(320);
    let data = disk.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::os::unix::fs::symlink(&data, all.data(0)).unwrap();
    all.start([0, 1]).await;
    let ana = Person::called("Ana", all.node(1)).await;
    let mut groups = Vec::new();
    for number in 0..GROUPS {
        groups.push(ana.creates_group(&format!("Group {number}")).await);
    }
    all.nodes_when(1, &["a", "b"]).await;
    assert!(takes_posts(&ana, &groups, "before").await);
    disk.fills_but(8 << 20);
    let why = all.serves_no_more(0).await;
    assert!(why.contains(r#""journal":"full""#), "{why}");
    until("every group takes posts again", async || takes_posts(&ana, &groups, "full").await).await;
    until("the full node owns nothing", async || shards_of(&all, 1, "a") == 0).await;
    let at_a = all.at(0, &ana);
    assert!(takes_posts(&at_a, &groups, "from there").await, "the owners have room");
    disk.is_cleared();
    all.serves(0).await;
    until("it owns shards again", async || shards_of(&all, 1, "a") > 0).await;
    until("every group takes posts again", async || takes_posts(&ana, &groups, "after").await)
        .await;
    all.have_the_same_journal(&[0, 1]).await;
}
