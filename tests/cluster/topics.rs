//! A topic is the same at every node, and follows the members of its group wherever they are asked for.

use serde_json::{Value, json};

use crate::asking::Person;
use crate::feed::Feed;
use crate::installation::Installation;

/// The status of a post in a topic at a node.
async fn says_at(all: &Installation, node: usize, who: &Person, topic: &str, words: &str) -> u16 {
    let message = json!({"message": {"source_guid": words, "text": words}});
    let path = format!("/v3/groups/{topic}/messages");
    all.at(node, who).posts(&path, &message).await.unwrap().0
}

/// The id of a user, and of their membership of a group.
async fn ids(all: &Installation, owner: &Person, group: &str, who: &Person) -> [String; 2] {
    let (_, known) = all.at(0, who).gets("/v3/users/me").await;
    let (_, shown) = all.at(0, owner).gets(&format!("/v3/groups/{group}")).await;
    let members = shown["members"].as_array().unwrap();
    let member = members.iter().find(|it| it["user_id"] == known["id"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    [text(&known["id"]), member.map(|it| text(&it["id"])).unwrap_or_default()]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn topic_follows_its_group_at_every_node() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ben = Person::called("Ben", all.node(1)).await;
    let group = ana.creates_group("Climbers").await;
    let [ben_id, _] = ids(&all, &ana, &group, &ben).await;
    let member = json!({"members": [{"nickname": "Ben", "user_id": ben_id}]});
    let add = format!("/v3/groups/{group}/members/add");
    assert_eq!(all.at(1, &ana).posts(&add, &member).await.unwrap().0, 202);
    let path = format!("/v3/groups/{group}/subgroups");
    let made = all.at(2, &ana).posts(&path, &json!({"topic": "Knots"})).await.unwrap();
    assert_eq!(made.0, 201, "{}", made.1);
    let topic = made.1["id"].to_string();
    let mut feeds = [Feed::of(&all.at(1, &ben)).await, Feed::of(&all.at(2, &ben)).await];
    for node in 0..3 {
        let words = format!("at {node}");
        assert_eq!(says_at(&all, node, &ana, &topic, &words).await, 201);
        for feed in &mut feeds {
            feed.hears(&words).await;
        }
        let (_, listed) = all.at(node, &ben).gets(&path).await;
        assert_eq!(listed[0]["messages"]["count"], node + 1, "{listed}");
    }
    let [_, membership] = ids(&all, &ana, &group, &ben).await;
    let remove = format!("/v3/groups/{group}/members/{membership}/remove");
    assert_eq!(all.at(1, &ana).posts(&remove, &json!({})).await.unwrap().0, 200);
    for node in 0..3 {
        assert_eq!(says_at(&all, node, &ben, &topic, &format!("out at {node}")).await, 404);
        let read = all.at(node, &ben).gets(&format!("/v3/groups/{topic}/messages")).await;
        assert_eq!(read.0, 404, "{}", read.1);
    }
    // Another node leads, and its rooms know the topic and the members.
    let leader = all.leading_node().await;
    all.kill(leader);
    let left = (leader + 1) % 3;
    assert_eq!(says_at(&all, left, &ana, &topic, "after the leader").await, 201);
    assert_eq!(says_at(&all, left, &ben, &topic, "still out").await, 404);
    let (_, page) = all.at(left, &ana).gets(&format!("/v3/groups/{topic}/messages")).await;
    assert_eq!((&page["count"], &page["messages"][0]["parent_id"]), (&json!(4), &json!(group)));
}
