//! Order on one socket: cursors grow, and the numbers of a conversation have no gap, even if others
//! writes.

use std::collections::HashMap;

use serde_json::json;

use crate::world::World;
use crate::world::person::{Group, Person, text};

const WRITERS: usize = 4;
const EACH: usize = 40;

async fn writes(who: &Person, group: &Group) {
    for number in 0..EACH {
        who.says(group, &format!("m{number}")).await;
    }
}

#[tokio::test]
async fn cursors_grow_on_a_socket_while_several_groups_are_written() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut groups = Vec::new();
    for number in 0..WRITERS {
        let group = ana.creates_group(&format!("g{number}")).await;
        ana.adds(&ben, &group).await;
        groups.push(group);
    }
    let mut feed = ben.listens().await;
    let mut cursor = feed.cursor.clone();
    let mut numbers: HashMap<String, u64> = HashMap::new();
    let writing = futures_util::future::join_all(groups.iter().map(|group| writes(&ana, group)));
    let listening = async {
        for _ in 0..WRITERS * EACH {
            let event = feed.hears_of("line.create").await;
            let next = text(&event["c"]).to_owned();
            assert!(next > cursor, "{next} after {cursor}");
            cursor = next;
            let n = event["n"].as_u64().unwrap();
            let before = numbers.insert(text(&event["conv"]).to_owned(), n).unwrap_or(3);
            assert_eq!(n, before + 1, "no hole in {}", event["conv"]);
            let words = format!("m{}", n - 4);
            assert_eq!(event["data"]["text"], words);
        }
    };
    tokio::join!(writing, listening);
    assert_eq!(numbers.len(), WRITERS);
    feed.stays_silent().await;
}

#[tokio::test]
async fn pushed_message_is_readable_at_once() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut feed = ben.listens().await;
    let writing = writes(&ana, &climbers);
    let reading = async {
        for number in 0..EACH {
            let event = feed.hears(&format!("m{number}")).await;
            let id = text(&event["data"]["id"]).parse::<u64>().unwrap();
            let found = ben.reads(&climbers, &format!("?after_id={}&limit=1", id - 1)).await;
            assert_eq!(json!(found[0]["id"]), event["data"]["id"]);
        }
    };
    tokio::join!(writing, reading);
}
