//! Rules of the operators: they run in all groups and chats, on what everybody but operators writes.

use serde_json::{Value, json};

use crate::rules::no_ads;
use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::asking::Asking;
use crate::world::person::{Person, fresh_guid, text};

const RULES: &str = "/v3/admin/rules";

/// A rule with these fields in place of those of [`no_ads`], and a reason.
fn rule(fields: Value) -> Value {
    let mut rule = no_ads();
    rule["reason"] = json!("as agreed");
    let Value::Object(fields) = fields else { panic!("{fields}") };
    rule.as_object_mut().unwrap().extend(fields);
    rule
}

fn of(rule: &str) -> String {
    format!("{RULES}/{rule}")
}

impl Person {
    /// Makes a rule of the operators and returns its id.
    async fn binds_all(&self, rule: &Value) -> String {
        let saved = self.posts(RULES).json(rule).await.created();
        text(&saved["rule"]["id"]).to_owned()
    }

    /// Sends a direct message.
    fn tells(&self, other: &Person, words: &str) -> Asking {
        let message = json!({"recipient_id": other.id, "source_guid": fresh_guid(), "text": words});
        self.posts("/v3/direct_messages").json(&json!({"direct_message": message}))
    }

    async fn lists_rules(&self) -> Vec<Value> {
        self.gets(RULES).await.ok()["rules"].as_array().unwrap().clone()
    }
}

fn is_refused(answer: &Answer, rule: &str) {
    assert_eq!(answer.refused(422), ["No advertisements, please."]);
    let whole: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(whole["meta"]["details"], json!({"rule": rule}));
}

#[tokio::test]
async fn rule_binds_everybody_but_operators_in_groups() {
    let mut world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    makes_admin(&ana, &cara, &climbers).await;
    let said = ben.says(&climbers, "rope at six").await;
    let bot = json!({"name": "Tides", "group_id": climbers.id});
    let made = ana.posts("/v3/bots").json(&bot).await.created();
    let bot = json!({"bot_id": made["bot_id"], "text": "cheap rope"});
    assert_eq!(ana.posts("/v3/bots/post").json(&bot).await.status / 100, 2);
    // The room runs already.
    let saved = admin.binds_all(&rule(json!({}))).await;
    for _ in 0..2 {
        for author in [&ana, &ben, &cara] {
            is_refused(&author.posting(&climbers, json!({"text": "cheap"})).await, &saved);
        }
        is_refused(&ana.posts("/v3/bots/post").json(&bot).await, &saved);
        let message = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
        is_refused(&ben.asks("PUT", &message).json(&json!({"text": "cheap"})).await, &saved);
        let old = json!({"message": {"source_guid": fresh_guid(), "text": "cheap"}});
        let path = format!("/compat{}", climbers.path("/messages"));
        assert_eq!(ben.posts(&path).json(&old).await.status, 422);
        let poll = json!({"subject": "Which?", "options": [{"title": "cheap"}, {"title": "dear"}],
            "expiration": world.clock_seconds() + 600, "type": "single", "visibility": "public"});
        let poll = ben.posts(&format!("/v3/poll/{}", climbers.id)).json(&poll).await;
        is_refused(&poll, &saved);
        let name = json!({"name": "Cheap ropes"});
        is_refused(&ana.posts(&climbers.path("/update")).json(&name).await, &saved);
        is_refused(&ana.posts("/v3/groups").json(&name).await, &saved);
        world.restarts().await;
    }
    // An operator is spared, as the owner of a group too.
    ana.adds(&admin, &climbers).await;
    admin.says(&climbers, "cheap rope").await;
    let texts: Vec<Value> =
        ben.reads(&climbers, "").await.iter().map(|it| it["text"].clone()).collect();
    assert_eq!(texts.iter().filter(|it| **it == "cheap rope").count(), 2, "{texts:?}");
    world.promotes(&admin, None);
    is_refused(&admin.posting(&climbers, json!({"text": "cheap"})).await, &saved);
    let audit = cara.reads_audit(&climbers).await;
    let refused: Vec<&Value> = audit.iter().filter(|it| it["act"] == "message_refused").collect();
    let named = json!({"id": saved, "name": "No ads"});
    let by = json!({"user_id": null, "kind": "operator", "rule": named});
    assert!(refused.len() > 10 && refused.iter().all(|it| it["by"] == by), "{refused:?}");
}

#[tokio::test]
async fn only_rules_that_refuse_run_in_chats() {
    let mut world = World::start().await;
    let [admin, ..] = world.operators().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let said = ana.tells(&ben, "hello").await.created();
    let message = text(&said["direct_message"]["id"]).to_owned();
    let flood = json!({"kind": "flood", "count": 2, "seconds": 60});
    let newcomers = json!({"kind": "newcomers", "hours": 1, "without": ["posts"]});
    for fields in [flood, newcomers] {
        admin.binds_all(&rule(fields)).await;
    }
    for action in ["hold", "report", "timeout"] {
        let fields = json!({"words": ["rope"], "action": action, "timeout": 60});
        admin.binds_all(&rule(fields)).await;
    }
    ana.tells(&ben, "a rope").await.created();
    let links = json!({"kind": "links", "links": "all"});
    let links = admin.binds_all(&rule(links)).await;
    let saved = admin.binds_all(&rule(json!({}))).await;
    for _ in 0..2 {
        is_refused(&ana.tells(&ben, "cheap ropes").await, &saved);
        is_refused(&ben.tells(&ana, "https://climb.example").await, &links);
        let edit = format!("/v3/direct_messages/{}/messages/{message}", ben.id);
        is_refused(&ana.asks("PUT", &edit).json(&json!({"text": "cheap"})).await, &saved);
        let old = json!({"direct_message": {"recipient_id": ben.id, "source_guid": fresh_guid(),
            "text": "cheap"}});
        assert_eq!(ana.posts("/compat/v3/direct_messages").json(&old).await.status, 422);
        world.restarts().await;
    }
    let read = ben.gets(&format!("/v3/direct_messages?other_user_id={}", ana.id)).await.ok();
    let texts: Vec<&Value> =
        read["direct_messages"].as_array().unwrap().iter().map(|it| &it["text"]).collect();
    assert_eq!(texts, ["a rope", "hello"]);
    admin.tells(&ana, "cheap").await.created();
}

#[tokio::test]
async fn rules_are_saved_tried_and_deleted_with_audit() {
    let mut world = World::start().await;
    let [admin, moderator, auditor] = world.operators().await;
    let ([_, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let made = async || {
        let asked = moderator.posts(RULES).header("Idempotency-Key", "once");
        asked.json(&rule(json!({}))).await.created()
    };
    let first = made().await;
    assert_eq!(made().await, first);
    let saved = text(&first["rule"]["id"]).to_owned();
    assert_eq!(first["rule"]["updated_by"], json!(moderator.id));
    assert_eq!(ben.tries(&climbers, "cheap").await, 422);
    let tried = auditor.posts(&format!("{RULES}/test")).json(&json!({"text": "cheaper"}));
    let shown = json!({"id": saved, "name": "No ads", "enabled": true, "action": "refuse"});
    assert_eq!(tried.await.ok(), json!({"rules": [shown]}));
    let off = rule(json!({"enabled": false}));
    for _ in 0..2 {
        let changed = admin.asks("PUT", &of(&saved)).json(&off).await.ok();
        assert_eq!(changed["rule"]["enabled"], false);
    }
    assert_eq!(ben.tries(&climbers, "cheap").await, 201);
    for round in 0..2 {
        let listed = auditor.lists_rules().await;
        let [it] = listed.as_slice() else { panic!("one rule: {listed:?}") };
        assert_eq!((&it["id"], &it["enabled"]), (&json!(saved), &json!(false)));
        match round {
            0 => world.restarts().await,
            _ => world.rebuilds_index().await,
        }
    }
    let reason = json!({"reason": "no longer needed"});
    assert_eq!(admin.asks("DELETE", &of(&saved)).json(&json!({})).await.status, 400);
    assert_eq!(admin.asks("DELETE", &of(&saved)).json(&reason).await.status, 200);
    admin.asks("DELETE", &of(&saved)).json(&reason).await.refused(404);
    admin.asks("PUT", &of(&saved)).json(&off).await.refused(404);
    assert_eq!(auditor.lists_rules().await, [] as [Value; 0]);
    world.rebuilds_index().await;
    assert_eq!(auditor.lists_rules().await, [] as [Value; 0]);
    let log = auditor.gets("/v3/admin/audit?limit=3").await.ok();
    let acts: Vec<_> = log["entries"].as_array().unwrap().iter().collect();
    let names: Vec<&str> = acts.iter().map(|it| text(&it["act"])).collect();
    assert_eq!(names, ["rule_deleted", "rule_changed", "rule_created"]);
    assert_eq!(acts[0]["reason"], "no longer needed");
    assert!(text(&acts[1]["before"]).contains("enabled: true"), "{}", acts[1]);
    assert!(text(&acts[1]["after"]).contains("enabled: false"), "{}", acts[1]);
    assert!(text(&acts[2]["after"]).contains("words: cheap*"), "{}", acts[2]);
    let unreasoned = admin.posts(RULES).json(&no_ads()).await.refused(400);
    assert_eq!(unreasoned, ["reason is required"]);
    for _ in 0..20 {
        admin.binds_all(&off).await;
    }
    let errors = admin.posts(RULES).json(&off).await.refused(400);
    assert_eq!(errors, ["the operators have at most 20 rules"]);
}

#[tokio::test]
async fn group_decides_about_posts_that_rule_holds_or_reports() {
    let mut world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    makes_admin(&ana, &cara, &climbers).await;
    let held = admin.binds_all(&rule(json!({"words": ["sell*"], "action": "hold"}))).await;
    let fields = json!({"words": ["rope"], "action": "report", "timeout": 60});
    let reporting = admin.binds_all(&rule(fields)).await;
    let waits = async |author: &Person| {
        let answer = author.posting(&climbers, json!({"text": "selling"})).await.accepted();
        assert_eq!(answer["held"]["rule"], held.as_str());
        text(&answer["held"]["id"]).to_owned()
    };
    let of_ben = waits(&ben).await;
    let of_cara = waits(&cara).await;
    // Nobody in the group decides about its owner.
    is_refused(&ana.posting(&climbers, json!({"text": "selling"})).await, &held);
    ana.says(&climbers, "rope").await;
    ana.says(&climbers, "no timeout").await;
    world.restarts().await;
    let listed = |list: Value| {
        let list = list["held"].as_array().unwrap().clone();
        list.iter().map(|it| (it["id"].clone(), it["by_operators"].clone())).collect::<Vec<_>>()
    };
    let both = [(json!(of_cara), json!(true)), (json!(of_ben), json!(true))];
    assert_eq!(listed(ana.gets(&climbers.path("/held")).await.ok()), both);
    let settle = |by: &Person, held: &str| {
        by.posts(&climbers.path(&format!("/held/{held}"))).json(&json!({"approve": true}))
    };
    // A rule that was made since refuses the message for good.
    let refusing = admin.binds_all(&rule(json!({"words": ["selling"]}))).await;
    is_refused(&settle(&cara, &of_ben).await, &refusing);
    let reason = json!({"reason": "a mistake"});
    admin.asks("DELETE", &of(&refusing)).json(&reason).await.ok();
    settle(&cara, &of_ben).await.ok();
    settle(&ana, &of_cara).await.ok();
    let said = ben.says(&climbers, "a rope").await;
    assert_eq!(ben.tries(&climbers, "more").await, 403);
    let reports = ana.gets(&climbers.path("/reports")).await.ok();
    let report = &reports["reports"][0];
    assert_eq!(report["message"]["id"], said["id"]);
    let named = json!({"id": reporting, "name": "No ads", "by_operators": true});
    assert_eq!(report["rules"], json!([named]));
    assert_eq!(reports["reports"].as_array().unwrap().len(), 1);
    let seen = ana.gets(&climbers.path("/permissions")).await.ok();
    assert_eq!(seen["timeouts"][0]["rule"], reporting.as_str());
    assert_eq!(seen["timeouts"][0]["by"], Value::Null);
}

#[tokio::test]
async fn rules_count_posts_and_joins_in_every_group() {
    let mut world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cara] = world.people(["Cara"]).await;
    let flood = json!({"kind": "flood", "count": 3, "seconds": 60});
    let flood = admin.binds_all(&rule(flood)).await;
    let links = json!({"kind": "newcomers", "hours": 1, "without": ["links"]});
    let links = admin.binds_all(&rule(links)).await;
    ana.adds(&cara, &climbers).await;
    is_refused(&cara.posting(&climbers, json!({"text": "https://climb.example"})).await, &links);
    ben.says(&climbers, "https://climb.example").await;
    let fresh = ana.creates_group("Walkers").await;
    for group in [&climbers, &fresh] {
        ana.says(group, "one").await;
        ana.says(group, "two").await;
        is_refused(&ana.posting(group, json!({"text": "three"})).await, &flood);
    }
    world.restarts().await;
    is_refused(&ana.posting(&climbers, json!({"text": "three"})).await, &flood);
    is_refused(&cara.posting(&climbers, json!({"text": "https://climb.example"})).await, &links);
    world.seconds_pass(60);
    ana.says(&climbers, "three").await;
}

/// The group's own rules go on; those of the operators come first.
#[tokio::test]
async fn refusal_names_the_rule_of_the_operators_first() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let own = json!({"name": "Own", "kind": "words", "words": ["cheap", "rope"], "action": "refuse",
        "message": "Not here."});
    let own: Value = ana.posts(&climbers.path("/rules")).json(&own).await.created();
    let saved = admin.binds_all(&rule(json!({"message": null}))).await;
    let refused = ben.posting(&climbers, json!({"text": "cheap"})).await;
    let whole: Value = serde_json::from_str(&refused.text).unwrap();
    assert_eq!(whole["meta"]["details"], json!({"rule": saved}));
    assert_eq!(refused.refused(422), ["a rule of this server does not allow this"]);
    let refused = ben.posting(&climbers, json!({"text": "rope"})).await;
    assert_eq!(refused.refused(422), ["Not here."]);
    let listed = ana.gets(&climbers.path("/rules")).await.ok();
    assert_eq!(listed["rules"], json!([own["rule"]]));
    assert_eq!(ana.tries(&climbers, "rope").await, 201);
}
