//! Typing and presence are seen at every node; when a node dies, its users are offline.

use serde_json::json;

use crate::asking::Person;
use crate::feed::Feed;
use crate::installation::Installation;
use crate::waiting::until;

async fn id_of(person: &Person) -> String {
    let (_, known) = person.gets("/v3/users/me").await;
    known["id"].as_str().unwrap().to_owned()
}

/// Waits until a person is a member of a group: members are added after the answer.
async fn is_in(person: &Person, group: &str) {
    let path = format!("/v3/groups/{group}");
    until("the new member sees the group", async || person.gets(&path).await.0 == 200).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn typing_and_presence_cross_nodes_until_one_dies() {
    let mut all = Installation::starts(1, 2).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ben = Person::called("Ben", all.node(1)).await;
    let (ana_id, ben_id) = (id_of(&ana).await, id_of(&ben).await);
    let group = ana.creates_group("Climbers").await;
    let member = json!({"members": [{"nickname": "Ben", "user_id": ben_id}]});
    let path = format!("/v3/groups/{group}/members/add");
    assert_eq!(ana.posts(&path, &member).await.unwrap().0, 202);
    let conv = format!("g:{group}");
    let sub = json!({"t": "sub", "conv": [conv]});
    let mut bens = Feed::of(&ben).await;
    is_in(&ben, &group).await;
    let mut anas = Feed::of(&ana).await;
    bens.tells(&sub).await;
    anas.tells(&sub).await;
    anas.hears_that_is_here(&ben_id, true).await;
    bens.hears_that_is_here(&ana_id, true).await;
    anas.tells(&json!({"t": "typing", "conv": conv})).await;
    assert!(bens.hears_of(&ana_id, "typing").await["until"].is_u64());
    drop(anas);
    bens.hears_that_is_here(&ana_id, false).await;
    let _anas = Feed::of(&ana).await;
    bens.hears_that_is_here(&ana_id, true).await;
    all.kill(0);
    bens.hears_that_is_here(&ana_id, false).await;
}
