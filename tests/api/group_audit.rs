//! The audit of a group.

use serde_json::{Value, json};

use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::person::{Group, Person, text};

async fn reads_audit(reader: &Person, group: &Group, query: &str) -> Vec<Value> {
    let audit = reader.gets(&group.path(&format!("/audit{query}"))).await.ok();
    audit["entries"].as_array().unwrap().clone()
}

#[tokio::test]
async fn audit_lists_acts_of_owner_and_admins() {
    let mut world = World::start().await;
    let names = ["Ana", "Ben", "Cara", "Dan", "Eve"];
    let ([ana, ben, cara, dan, eve], climbers) = world.climbing(names).await;
    makes_admin(&ana, &ben, &climbers).await;
    ana.updates(&climbers, json!({"description": "ropes"})).await.ok();
    let said = cara.says(&climbers, "cheap ropes").await;
    let message = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    let spam = json!({"reason": "spam"});
    let filed = dan.posts(&format!("{message}/report")).json(&spam).await.created();
    let resolve = format!("/reports/{}/resolve", text(&filed["report"]["id"]));
    let delete = json!({"action": "delete", "note": "ads"});
    ben.posts(&climbers.path(&resolve)).json(&delete).await.ok();
    let ban = json!({"reason": "more ads"});
    ben.asks("PUT", &climbers.path(&format!("/bans/{}", cara.id))).json(&ban).await.ok();
    ana.removes(&eve, &climbers).await.ok();
    let who = |person: &Person| json!(person.id);
    let expected = [
        (who(&ana), "member_removed", who(&eve), Value::Null),
        (who(&ben), "member_removed", who(&cara), Value::Null),
        (who(&ben), "banned", who(&cara), json!("more ads")),
        (who(&ben), "report_resolved", who(&cara), json!("ads")),
        (who(&ben), "message_deleted", Value::Null, Value::Null),
        (who(&ana), "settings_changed", Value::Null, Value::Null),
        (who(&ana), "admin_made", who(&ben), Value::Null),
    ];
    for _ in 0..2 {
        for reader in [&ana, &ben] {
            let entries = reads_audit(reader, &climbers, "").await;
            let shown: Vec<_> = entries
                .iter()
                .map(|it| {
                    let by = it["by"]["user_id"].clone();
                    (by, text(&it["act"]), it["target"].clone(), it["reason"].clone())
                })
                .collect();
            assert_eq!(shown, expected);
            assert_eq!(entries[4]["message_id"], said["id"]);
            assert!(entries.iter().all(|it| it["by"]["kind"] == "member"));
            let rest = format!("?before={}", text(&entries[4]["id"]));
            assert_eq!(reads_audit(reader, &climbers, &rest).await, entries[5..]);
        }
        world.restarts().await;
    }
    dan.gets(&climbers.path("/audit")).await.refused(403);
    ana.gets(&climbers.path("/audit?before=x")).await.refused(400);
}

#[tokio::test]
async fn admins_read_no_resolutions_of_reports_about_admins() {
    let world = World::start().await;
    let ([ana, ben, cara, dan], climbers) = world.climbing(["Ana", "Ben", "Cara", "Dan"]).await;
    makes_admin(&ana, &ben, &climbers).await;
    makes_admin(&ana, &cara, &climbers).await;
    let said = ben.says(&climbers, "I am an admin").await;
    let report = format!("/v3/conversations/{}/messages/{}/report", climbers.id, text(&said["id"]));
    let filed = dan.posts(&report).json(&json!({"reason": "rules"})).await.created();
    let resolve = format!("/reports/{}/resolve", text(&filed["report"]["id"]));
    ana.posts(&climbers.path(&resolve)).json(&json!({"action": "dismiss"})).await.ok();
    assert_eq!(reads_audit(&ana, &climbers, "").await[0]["act"], "report_resolved");
    for admin in [&ben, &cara] {
        assert_eq!(reads_audit(admin, &climbers, "").await[0]["act"], "admin_made");
    }
}
