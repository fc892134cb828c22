//! Copies of groups: what a copy has, and who may make one.

use serde_json::{Value, json};

use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};

impl Person {
    async fn copying(&self, group: &Group, wanted: Value) -> Answer {
        self.posts(&group.path("/copy")).json(&wanted).await
    }
}

fn group_of(copy: &Value) -> Group {
    Group { id: text(&copy["id"]).to_owned() }
}

/// The ids of the members of a group, sorted, once there are this many.
async fn members_of(who: &Person, group: &Group, count: usize) -> Vec<String> {
    loop {
        let shown = who.sees(group).await;
        let members = shown["members"].as_array().unwrap();
        if members.len() >= count {
            let mut ids: Vec<String> =
                members.iter().map(|member| text(&member["user_id"]).to_owned()).collect();
            ids.sort();
            return ids;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_copy_has_settings_topics_and_members() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    makes_admin(&ana, &ben, &climbers).await;
    let change = json!({"description": "ropes", "group_type": "closed", "slow_mode": 30,
        "share": true, "visibility": "searchable", "message_edit_period": 5});
    ana.updates(&climbers, change).await.ok();
    let topic =
        json!({"topic": "Knots", "description": "what holds", "group_type": "announcement"});
    let topic = ana.posts(&climbers.path("/subgroups")).json(&topic).await.created();
    ana.says(&climbers, "not copied").await;
    cem.copying(&climbers, json!({})).await.refused(403);
    let copy = ben.copying(&climbers, json!({"name": "Climbers 2027", "members": true})).await;
    let copy = copy.created();
    assert_eq!((&copy["name"], &copy["description"]), (&json!("Climbers 2027"), &json!("ropes")));
    assert_eq!((&copy["type"], &copy["slow_mode"]), (&json!("closed"), &json!(30)));
    assert_eq!((&copy["visibility"], &copy["message_edit_period"]), (&json!("hidden"), &json!(5)));
    assert_eq!(copy["creator_user_id"], json!(ben.id));
    assert!(copy.get("share_url").is_none_or(Value::is_null));
    let made = group_of(&copy);
    for _ in 0..2 {
        let mut all = vec![ana.id.clone(), ben.id.clone(), cem.id.clone()];
        all.sort();
        assert_eq!(members_of(&ben, &made, 3).await, all);
        let topics = cem.gets(&made.path("/subgroups")).await.ok();
        let [copied] = &topics.as_array().unwrap()[..] else { panic!("{topics}") };
        for field in ["topic", "description", "type"] {
            assert_eq!(copied[field], topic[field], "{field}");
        }
        assert_ne!(copied["id"], topic["id"]);
        let conversation = Group { id: copied["id"].to_string() };
        ben.says(&conversation, "in the topic of the copy").await;
        assert_eq!(ana.reads(&conversation, "").await[0]["parent_id"], json!(made.id));
        world.restarts().await;
    }
    assert_eq!(ana.reads(&climbers, "").await[0]["text"], "not copied");
}

#[tokio::test]
async fn a_copy_leaves_out_what_is_not_wanted_and_who_does_not_want_it() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    ana.updates(&climbers, json!({"slow_mode": 30})).await.ok();
    ana.posts(&climbers.path("/subgroups")).json(&json!({"topic": "Knots"})).await.created();
    let plain = json!({"settings": false, "topics": false});
    let copy = ana.copying(&climbers, plain).await.created();
    assert_eq!((&copy["name"], &copy["slow_mode"]), (&json!("Climbers"), &json!(0)));
    assert_eq!(copy["members"].as_array().unwrap().len(), 1);
    let made = group_of(&copy);
    assert_eq!(ana.gets(&made.path("/subgroups")).await.ok(), json!([]));
    let block = format!("/v3/blocks?user={}&otherUser={}", cem.id, ana.id);
    cem.posts(&block).await.created();
    let copy = ana.copying(&climbers, json!({"members": true})).await.created();
    let mut both = vec![ana.id.clone(), ben.id.clone()];
    both.sort();
    assert_eq!(members_of(&ana, &group_of(&copy), 2).await, both);
    // An archived group can be copied, and the copy is none.
    ana.posts(&climbers.path("/archive")).await.ok();
    let copy = ana.copying(&climbers, json!({})).await.created();
    assert_eq!(copy["archived_at"], Value::Null);
    let [eve] = world.people(["Eve"]).await;
    eve.copying(&climbers, json!({})).await.refused(404);
    for (body, problem) in [
        (
            json!({"name": "a".repeat(141)}),
            "name is too long: 141 characters, at most 140 are allowed",
        ),
        (json!({"members": "x"}), "members must be true or false"),
    ] {
        assert_eq!(ana.copying(&climbers, body).await.refused(400), [problem]);
    }
}

#[tokio::test]
async fn a_copy_under_a_key_is_made_once() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let copies = async || {
        let asked = ana.posts(&climbers.path("/copy")).json(&json!({"name": "Once"}));
        asked.header("Idempotency-Key", "copy-once").await.created()
    };
    let [one, other] = [copies().await, copies().await];
    assert_eq!(one, other);
    let groups = ana.gets("/v3/groups").await.ok();
    assert_eq!(groups.as_array().unwrap().len(), 2);
}
