//! Pages of messages: for every cursor the same messages as from a plain list (specification,
//! section 4, Messages).

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, Person, text};

/// Makes a group with this many messages, `m0` and on; returns their ids, oldest first.
async fn log(ana: &Person, messages: usize) -> (Group, Vec<u64>) {
    let group = ana.creates_group("Climbers").await;
    let mut ids = Vec::new();
    for number in 0..messages {
        ids.push(id(&ana.says(&group, &format!("m{number}")).await));
    }
    (group, ids)
}

fn id(message: &Value) -> u64 {
    text(&message["id"]).parse().unwrap()
}

async fn page(ana: &Person, group: &Group, query: &str) -> Vec<u64> {
    ana.reads(group, query).await.iter().map(id).collect()
}

/// The page that a cursor means, computed from a plain list.
fn expected(ids: &[u64], cursor: &str, at: u64, limit: usize) -> Vec<u64> {
    let newest_first = ids.iter().rev().copied();
    match cursor {
        "before_id" => newest_first.filter(|id| *id < at).take(limit).collect(),
        "since_id" => newest_first.filter(|id| *id > at).take(limit).collect(),
        "after_id" => ids.iter().copied().filter(|id| *id > at).take(limit).collect(),
        other => panic!("{other} is no cursor"),
    }
}

async fn check_all(ana: &Person, group: &Group, ids: &[u64]) {
    let between = [0, 1, ids[3] + 1, ids[0] - 1, u64::MAX];
    for cursor in ["before_id", "after_id", "since_id"] {
        for at in [0, 1, 25, ids.len() / 2, ids.len() - 1].map(|it| ids[it]).iter().chain(&between)
        {
            for limit in [1, 7, 20, 100] {
                let query = format!("?{cursor}={at}&limit={limit}");
                let found = page(ana, group, &query).await;
                assert_eq!(found, expected(ids, cursor, *at, limit), "{query}");
            }
        }
    }
}

#[tokio::test]
async fn every_cursor_pages_like_a_plain_list() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (group, ids) = log(&ana, 130).await;
    check_all(&ana, &group, &ids).await;
    // A room that has just started has only the newest message in memory, and reads the rest from
    // the archive.
    world.restarts().await;
    check_all(&ana, &group, &ids).await;
    assert_eq!(page(&ana, &group, "?limit=100").await, expected(&ids, "before_id", u64::MAX, 100));
    check_all(&ana, &group, &ids).await;
}

#[tokio::test]
async fn a_page_has_twenty_messages_and_at_most_a_hundred() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (group, ids) = log(&ana, 103).await;
    let beyond_64_bits = "?limit=100000000000000000000";
    for (query, messages) in [
        ("", 20),
        ("?limit=1", 1),
        ("?limit=100", 100),
        ("?limit=101", 100),
        ("?limit=99999", 100),
        (beyond_64_bits, 100),
    ] {
        let found = page(&ana, &group, query).await;
        assert_eq!(found, expected(&ids, "before_id", u64::MAX, messages), "{query}");
    }
    let answer = ana.gets(&group.path("/messages?limit=3")).await.ok();
    assert_eq!(answer["count"], 103, "all that paging can reach");
}

#[tokio::test]
async fn limits_and_cursors_that_make_no_sense_are_refused() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (group, _) = log(&ana, 1).await;
    let refused =
        async |query: &str| ana.gets(&group.path(&format!("/messages?{query}"))).await.refused(400);
    for limit in ["0", "-1", "x", "1.5"] {
        let errors = refused(&format!("limit={limit}")).await;
        assert_eq!(errors, ["limit must be a whole number above zero"], "{limit}");
    }
    for cursor in ["before_id", "after_id", "since_id"] {
        for value in ["abc", "-1", "1.5", "99999999999999999999"] {
            let errors = refused(&format!("{cursor}={value}")).await;
            assert_eq!(errors, [format!("{cursor} is not an id")]);
        }
    }
    let together = "before_id, after_id and since_id cannot be used together";
    for query in ["before_id=1&after_id=1", "after_id=1&since_id=1", "before_id=1&since_id=1"] {
        assert_eq!(refused(query).await, [together]);
    }
    assert_eq!(refused("limit=0&before_id=x").await.len(), 2, "all problems at once");
}

#[tokio::test]
async fn pages_beyond_either_end_are_not_modified() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (group, ids) = log(&ana, 3).await;
    for _ in 0..2 {
        for query in [
            format!("before_id={}", ids[0]),
            format!("after_id={}", ids[2]),
            format!("since_id={}", ids[2]),
            "before_id=0".to_owned(),
            format!("after_id={}", u64::MAX),
        ] {
            let answer = ana.gets(&group.path(&format!("/messages?{query}"))).await;
            answer.nothing_found();
            assert_eq!(answer.header("content-length"), Some("0"), "{query}");
        }
        world.restarts().await;
    }
}

#[tokio::test]
async fn walking_back_reaches_every_message_once() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (group, ids) = log(&ana, 45).await;
    world.restarts().await;
    let mut walked = page(&ana, &group, "").await;
    loop {
        let more = page(&ana, &group, &format!("?before_id={}", walked.last().unwrap())).await;
        if more.is_empty() {
            break;
        }
        walked.extend(more);
    }
    walked.reverse();
    assert_eq!(walked, ids);
    let shown = ana.gets(&group.path("")).await.ok();
    assert_eq!(shown["messages"]["count"], json!(ids.len()));
}
