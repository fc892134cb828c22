//! Reports of messages, and what the owner and admins do about them.

use serde_json::{Value, json};

use crate::bans::until;
use crate::files::uploads;
use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::asking::Asking;
use crate::world::person::{Group, Person, text};

fn report_path(group: &Group, message: &Value) -> String {
    format!("/v3/conversations/{}/messages/{}/report", group.id, text(&message["id"]))
}

impl Person {
    fn reporting(&self, group: &Group, message: &Value, body: &Value) -> Asking {
        self.posts(&report_path(group, message)).json(body)
    }

    /// Reports a message as spam and returns the id of the report.
    async fn reports(&self, group: &Group, message: &Value) -> String {
        let filed = self.reporting(group, message, &json!({"reason": "spam"})).await.created();
        assert_eq!(filed["report"]["state"], "open");
        text(&filed["report"]["id"]).to_owned()
    }

    async fn reads_reports(&self, group: &Group, query: &str) -> Vec<Value> {
        let list = self.gets(&group.path(&format!("/reports{query}"))).await.ok();
        list["reports"].as_array().unwrap().clone()
    }

    fn resolving(&self, group: &Group, report: &str, body: &Value) -> Asking {
        self.posts(&group.path(&format!("/reports/{report}/resolve"))).json(body)
    }
}

fn member_of(shown: &Value, whom: &Person) -> bool {
    shown["members"].as_array().unwrap().iter().any(|it| it["user_id"] == whom.id.as_str())
}

#[tokio::test]
async fn reports_of_a_message_are_one_with_a_copy() {
    let mut world = World::start().await;
    let ([ana, ben, cara, dan], climbers) = world.climbing(["Ana", "Ben", "Cara", "Dan"]).await;
    let said = ben.says(&climbers, "cheap rope").await;
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    ben.asks("PUT", &path).json(&json!({"text": "cheap ropes"})).await.ok();
    let body = json!({"reason": "spam", "text": "again"});
    let filed = cara.reporting(&climbers, &said, &body).await.created();
    let again = cara.reporting(&climbers, &said, &json!({"reason": "other"})).await.ok();
    assert_eq!(again, filed);
    let second = dan.reporting(&climbers, &said, &json!({"reason": "self_harm"})).await.created();
    assert_eq!(second, filed);
    assert_eq!(ben.asks("DELETE", &path).await.status, 204);
    for _ in 0..2 {
        let reports = ana.reads_reports(&climbers, "").await;
        let [report] = reports.as_slice() else { panic!("one report: {reports:?}") };
        assert_eq!(report["id"], filed["report"]["id"]);
        assert_eq!((&report["state"], &report["resolution"]), (&json!("open"), &Value::Null));
        assert_eq!(report["message"]["text"], "cheap ropes");
        assert_eq!(report["earlier_texts"], json!(["cheap rope"]));
        assert_eq!(report["reasons"], json!({"self_harm": 1, "spam": 1}));
        assert_eq!((&report["texts"], &report["count"]), (&json!(["again"]), &json!(2)));
        let shown = report.to_string();
        for reporter in [&cara, &dan] {
            assert!(!shown.contains(&reporter.id), "who reported is hidden: {shown}");
        }
        world.restarts().await;
    }
    let id = text(&filed["report"]["id"]).to_owned();
    let resolved = ana.resolving(&climbers, &id, &json!({"action": "dismiss", "note": "old"}));
    assert_eq!(resolved.await.ok(), json!({"report": {"id": id, "state": "resolved"}}));
    assert_eq!(ana.reads_reports(&climbers, "").await, [] as [Value; 0]);
    let kept = ana.reads_reports(&climbers, "?state=resolved").await;
    assert_eq!(kept[0]["message"]["text"], "cheap ropes");
    let resolution = &kept[0]["resolution"];
    assert_eq!((&resolution["action"], &resolution["note"]), (&json!("dismiss"), &json!("old")));
    assert_eq!(resolution["by"], ana.id.as_str());
    world.restarts().await;
    let errors = ana.resolving(&climbers, &id, &json!({"action": "delete"})).await.refused(409);
    assert_eq!(errors, ["this report is resolved already"]);
}

#[tokio::test]
async fn report_is_refused_with_its_reason() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let own = ben.says(&climbers, "mine").await;
    let line = ana.updates(&climbers, json!({"description": "ropes"})).await.ok();
    let line = json!({"id": line["messages"]["last_message_id"]});
    let spam = json!({"reason": "spam"});
    let cases = [
        (&own, 400, "you cannot report your own messages"),
        (&line, 400, "system messages cannot be reported"),
    ];
    for (message, status, error) in cases {
        assert_eq!(ben.reporting(&climbers, message, &spam).await.refused(status), [error]);
    }
    let unknown = json!({"id": "170000000000000000"});
    ben.reporting(&climbers, &unknown, &spam).await.refused(404);
    let errors = ana.reporting(&climbers, &own, &json!({"reason": "dull"})).await.refused(400);
    let names = "spam, harassment, hate, violence, sexual, self_harm, privacy, rules, other";
    assert_eq!(errors, [format!("reason must be one of {names}")]);
    ana.reporting(&climbers, &own, &json!({})).await.refused(400);
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&own["id"]));
    assert_eq!(ben.asks("DELETE", &path).await.status, 204);
    let errors = ana.reporting(&climbers, &own, &spam).await.refused(400);
    assert_eq!(errors, ["the message was deleted"]);
    ben.gets(&climbers.path("/reports")).await.refused(403);
    ben.resolving(&climbers, "1", &json!({"action": "dismiss"})).await.refused(403);
    ana.resolving(&climbers, "1", &json!({"action": "dismiss"})).await.refused(404);
    ana.resolving(&climbers, "1", &json!({"action": "shout"})).await.refused(400);
}

#[tokio::test]
async fn resolution_does_what_it_says_at_once() {
    let world = World::start().await;
    let names = ["Ana", "Ben", "Cara", "Dan", "Eve"];
    let ([ana, ben, cara, dan, eve], climbers) = world.climbing(names).await;
    let until = world.clock_seconds() + 600;
    for (author, action) in [(&ben, "timeout"), (&cara, "remove"), (&eve, "ban"), (&ben, "delete")]
    {
        let said = match action {
            "delete" => {
                world.seconds_pass(600);
                author.says(&climbers, "delete this").await
            }
            _ => author.says(&climbers, action).await,
        };
        let report = dan.reports(&climbers, &said).await;
        if action == "timeout" {
            let bare = ana.resolving(&climbers, &report, &json!({"action": action})).await;
            assert_eq!(bare.refused(400), ["until is required to time the author out"]);
        }
        let end = if action == "timeout" { json!(until) } else { Value::Null };
        let body = json!({"action": action, "note": "ads", "until": end});
        ana.resolving(&climbers, &report, &body).await.ok();
    }
    let line = &ana.reads(&climbers, "?limit=2").await;
    assert_eq!(
        (&line[0]["text"], &line[1]["text"]),
        (&json!("Ana deleted a message."), &Value::Null)
    );
    let shown = ana.sees(&climbers).await;
    assert!(member_of(&shown, &ben) && !member_of(&shown, &cara) && !member_of(&shown, &eve));
    let bans = ana.gets(&climbers.path("/bans")).await.ok()["bans"].clone();
    assert_eq!((&bans[0]["user_id"], &bans[0]["reason"]), (&json!(eve.id), &json!("ads")));
    let actions: Vec<Value> = ana.reads_reports(&climbers, "?state=resolved").await;
    let actions: Vec<_> = actions.iter().map(|it| text(&it["resolution"]["action"])).collect();
    assert_eq!(actions, ["delete", "ban", "remove", "timeout"]);
    let second = ana.reads_reports(&climbers, "?state=resolved").await[1]["id"].clone();
    let older = format!("?state=resolved&before={}", text(&second));
    assert_eq!(ana.reads_reports(&climbers, &older).await.len(), 2);
}

#[tokio::test]
async fn reports_about_admins_are_the_owners() {
    let world = World::start().await;
    let ([ana, ben, cara, dan], climbers) = world.climbing(["Ana", "Ben", "Cara", "Dan"]).await;
    makes_admin(&ana, &ben, &climbers).await;
    makes_admin(&ana, &cara, &climbers).await;
    let said = ben.says(&climbers, "I am an admin").await;
    let report = dan.reports(&climbers, &said).await;
    for admin in [&ben, &cara] {
        assert_eq!(admin.reads_reports(&climbers, "").await, [] as [Value; 0]);
        admin.resolving(&climbers, &report, &json!({"action": "dismiss"})).await.refused(404);
    }
    assert_eq!(ana.reads_reports(&climbers, "").await.len(), 1);
    ana.resolving(&climbers, &report, &json!({"action": "remove"})).await.ok();
}

#[tokio::test]
async fn admins_and_reporters_hear_of_reports() {
    let world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    let said = ben.says(&climbers, "rope").await;
    let mut feeds = [ana.listens().await, ben.listens().await, cara.listens().await];
    let report = cara.reports(&climbers, &said).await;
    ana.resolving(&climbers, &report, &json!({"action": "dismiss"})).await.ok();
    ana.says(&climbers, "done").await;
    let mut heard: Vec<Vec<(Value, Value)>> = Vec::new();
    for feed in &mut feeds {
        let frames = until(feed, |frame| frame["data"]["text"] == "done").await;
        let told = frames.into_iter().filter(|it| it["data"]["report_id"] == report.as_str());
        heard.push(told.map(|it| (it["type"].clone(), it["data"]["state"].clone())).collect());
    }
    let created = (json!("report.create"), json!("open"));
    let resolved = (json!("report.update"), json!("resolved"));
    let expected: [Vec<(Value, Value)>; 3] =
        [vec![created, resolved.clone()], Vec::new(), vec![resolved]];
    assert_eq!(heard, expected);
}

#[tokio::test]
async fn report_keeps_files_for_its_resolver() {
    let mut world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    let file = uploads(&ben, &climbers.id, "ad.txt", b"cheap ropes".to_vec()).await;
    let message = json!({"attachments": [file]});
    let said = ben.posting(&climbers, message).await.created()["message"].take();
    let report = cara.reports(&climbers, &said).await;
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    assert_eq!(ben.asks("DELETE", &path).await.status, 204);
    let place = format!("/v3/files/{}/{}", climbers.id, text(&file["file_id"]));
    for _ in 0..2 {
        assert_eq!(ana.gets(&place).await.text, "cheap ropes");
        cara.gets(&place).await.refused(404);
        let reports = ana.reads_reports(&climbers, "").await;
        assert_eq!(reports[0]["message"]["attachments"][0]["file_id"], file["file_id"]);
        world.restarts().await;
    }
    ana.resolving(&climbers, &report, &json!({"action": "dismiss"})).await.ok();
    assert_eq!(ana.gets(&place).await.text, "cheap ropes");
}
