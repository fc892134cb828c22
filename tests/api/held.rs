//! Held messages: posts that wait until the owner or an admin approves them.

use serde_json::{Value, json};

use crate::bans::until;
use crate::ephemeral::asks;
use crate::group_acts::member;
use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::asking::Asking;
use crate::world::person::{Group, Person, text};

const WEEK: u64 = 7 * 86_400;

/// A rule that holds a word.
async fn makes_rule(owner: &Person, group: &Group) -> String {
    let rule = json!({"name": "Sales", "kind": "words", "words": ["sell*"], "action": "hold",
        "message": "Sales are held."});
    let saved = owner.posts(&group.path("/rules")).json(&rule).await.created();
    text(&saved["rule"]["id"]).to_owned()
}

impl Person {
    /// Posts a text that is held, and returns the id of the held message.
    async fn waits(&self, group: &Group, guid: &str) -> String {
        let post = json!({"text": "selling ropes", "source_guid": guid});
        let answer = self.posting(group, post).await.accepted();
        text(&answer["held"]["id"]).to_owned()
    }

    async fn reads_held(&self, group: &Group) -> Vec<Value> {
        let list = self.gets(&group.path("/held")).await.ok();
        list["held"].as_array().unwrap().clone()
    }

    fn settling(&self, group: &Group, held: &str, approve: bool) -> Asking {
        let body = json!({"approve": approve, "note": "as agreed"});
        self.posts(&group.path(&format!("/held/{held}"))).json(&body)
    }

    async fn reads_newest(&self, group: &Group) -> Vec<Value> {
        let list = self.gets(&group.path("/messages")).await.ok();
        list["messages"].as_array().unwrap().iter().map(|it| it["text"].clone()).collect()
    }
}

#[tokio::test]
async fn held_post_appears_once_approved() {
    let mut world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    let rule = makes_rule(&ana, &climbers).await;
    let held = ben.waits(&climbers, "first").await;
    assert_eq!(ben.waits(&climbers, "first").await, held, "the same guid, the same answer");
    world.seconds_pass(90);
    world.restarts().await;
    assert_eq!(ben.waits(&climbers, "first").await, held);
    for reader in [&ana, &ben] {
        let list = reader.reads_held(&climbers).await;
        let [shown] = list.as_slice() else { panic!("one held message: {list:?}") };
        assert_eq!((&shown["id"], &shown["rule"]), (&json!(held), &json!(rule)));
        assert_eq!(shown["message"]["text"], "selling ropes");
        assert_eq!(shown["expires_at"], 1_800_000_000 + WEEK);
    }
    assert_eq!(cara.reads_held(&climbers).await, [] as [Value; 0]);
    assert!(!cara.reads_newest(&climbers).await.contains(&json!("selling ropes")));
    cara.settling(&climbers, &held, true).await.refused(403);
    ben.settling(&climbers, &held, true).await.refused(403);
    let settled = ana.settling(&climbers, &held, true).await.ok();
    assert_eq!(settled, json!({"held": {"id": held, "state": "approved"}}));
    let posted = cara.gets(&climbers.path("/messages")).await.ok();
    let newest = &posted["messages"][0];
    assert_eq!(newest["text"], "selling ropes");
    assert_eq!((&newest["user_id"], &newest["source_guid"]), (&json!(ben.id), &json!("first")));
    assert_eq!(newest["created_at"], 1_800_000_090);
    ana.settling(&climbers, &held, true).await.refused(404);
    let audit = ana.gets(&climbers.path("/audit")).await.ok();
    let acts = |at: usize| (&audit["entries"][at]["act"], &audit["entries"][at]["by"]["kind"]);
    assert_eq!(acts(0), (&json!("held_approved"), &json!("member")));
    assert_eq!(acts(1), (&json!("message_held"), &json!("rule")));
}

#[tokio::test]
async fn held_post_ends_typing_of_its_author() {
    let world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    makes_rule(&ana, &climbers).await;
    let (mut bens, mut caras) = (ben.listens().await, cara.listens().await);
    let conv = climbers.conv();
    asks(&mut caras, &json!({"t": "sub", "conv": [conv]})).await;
    asks(&mut bens, &json!({"t": "typing", "conv": conv})).await;
    let typed = |until: u64| {
        let data = json!({"user_id": ben.id, "until": until});
        json!({"t": "eph", "conv": conv, "type": "typing", "data": data})
    };
    assert_eq!(caras.socket.hears("eph").await, typed(1_800_000_005_000));
    ben.waits(&climbers, "first").await;
    assert_eq!(caras.socket.hears("eph").await, typed(0));
    caras.stays_silent().await;
}

#[tokio::test]
async fn held_post_ends_by_denial_and_after_a_week() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    makes_rule(&ana, &climbers).await;
    let mut bens = ben.listens().await;
    let denied = ben.waits(&climbers, "first").await;
    let state = ana.settling(&climbers, &denied, false).await.ok();
    assert_eq!(state["held"]["state"], "denied");
    let late = ben.waits(&climbers, "second").await;
    for (held, state) in
        [(&denied, "waiting"), (&denied, "denied"), (&late, "waiting"), (&late, "expired")]
    {
        if state == "expired" {
            world.seconds_pass(WEEK);
        }
        let kind = if state == "waiting" { "held.create" } else { "held.update" };
        let heard = until(&mut bens, |frame| frame["type"] == kind).await;
        let data = json!({"held_id": held, "user_id": ben.id, "state": state});
        assert_eq!(heard.last().unwrap()["data"], data);
    }
    assert_eq!(ben.reads_held(&climbers).await, [] as [Value; 0]);
    world.restarts().await;
    assert_eq!(ana.reads_held(&climbers).await, [] as [Value; 0]);
    assert!(!ben.reads_newest(&climbers).await.contains(&json!("selling ropes")));
}

#[tokio::test]
async fn approval_checks_the_author_again() {
    let mut world = World::start().await;
    let names = ["Ana", "Ben", "Cara", "Dan"];
    let ([ana, ben, cara, dan], climbers) = world.climbing(names).await;
    makes_admin(&ana, &dan, &climbers).await;
    makes_rule(&ana, &climbers).await;
    let held = ben.waits(&climbers, "first").await;
    let membership = text(&member(&ana.sees(&climbers).await, &ben)["id"]).to_owned();
    let timeout = climbers.path(&format!("/members/{membership}/timeout"));
    ana.asks("PUT", &timeout).json(&json!({"seconds": 60})).await.ok();
    let errors = dan.settling(&climbers, &held, true).await.refused(403);
    assert_eq!(errors, ["the author of the message may not post in this group now"]);
    assert_eq!(ana.asks("DELETE", &timeout).await.status, 200);
    cara.waits(&climbers, "hers").await;
    let ban = climbers.path(&format!("/bans/{}", ben.id));
    ana.asks("PUT", &ban).json(&json!({})).await.ok();
    dan.settling(&climbers, &held, true).await.refused(404);
    for _ in 0..2 {
        let list = ana.reads_held(&climbers).await;
        assert_eq!(list.len(), 1, "held messages of the banned end: {list:?}");
        world.restarts().await;
    }
}

#[tokio::test]
async fn edits_are_refused_where_posts_are_held() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    makes_rule(&ana, &climbers).await;
    let said = ben.says(&climbers, "ropes").await;
    let message = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    let edit = ben.asks("PUT", &message).json(&json!({"text": "selling ropes"})).await;
    assert_eq!(edit.refused(422), ["Sales are held."]);
    let post = json!({"message": {"source_guid": "old", "text": "selling ropes"}});
    let path = format!("/compat/v3/groups/{}/messages", climbers.id);
    let refused = ben.posts(&path).json(&post).await;
    assert_eq!(refused.refused(422), ["this message waits for approval"]);
    assert_eq!(ana.reads_held(&climbers).await.len(), 1);
}
