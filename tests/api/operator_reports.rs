//! Reports to the operators: messages in chats and of owners of groups, users, groups, and what admins
//! of groups pass on; how operators read and resolve them.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::files::uploads;
use crate::push_same::here;
use crate::world::World;
use crate::world::asking::Asking;
use crate::world::person::{Group, Person, fresh_guid, text};

/// The route that reports a message.
fn message_path(conv: &str, message: &Value) -> String {
    format!("/v3/conversations/{conv}/messages/{}/report", text(&message["id"]))
}

impl Person {
    /// Reports what is at this path as spam, and returns the id of the report.
    async fn files_report(&self, path: &str) -> String {
        let filed = self.posts(path).json(&json!({"reason": "spam", "text": "look"})).await;
        text(&filed.created()["report"]["id"]).to_owned()
    }

    async fn lists_reports(&self, query: &str) -> Vec<Value> {
        let list = self.gets(&format!("/v3/admin/reports{query}")).await.ok();
        list["reports"].as_array().unwrap().clone()
    }

    async fn reads_report(&self, id: &str) -> Value {
        self.gets(&format!("/v3/admin/reports/{id}")).await.ok()
    }

    fn decides_report(&self, id: &str, action: &str) -> Asking {
        let body = json!({"action": action, "reason": "as agreed"});
        self.posts(&format!("/v3/admin/reports/{id}/resolve")).json(&body)
    }

    /// What this person's stream has of resolved reports after a cursor, live or replayed.
    async fn hears_resolved(&self, start: &str) -> Value {
        let mut feed = self.listens_after(start).await;
        loop {
            let frame = feed.next().await;
            if frame["type"] == "report.resolved" {
                return frame["data"].clone();
            }
        }
    }
}

#[tokio::test]
async fn message_of_a_chat_is_read_and_deleted_by_operators() {
    let mut world = World::start().await;
    let [admin, moderator, auditor] = world.operators().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    let said = writes(&ana, &ben, "cheap rope").await;
    let conv = conversation(&ana, &ben);
    let path = message_path(&conv, &said);
    let spam = json!({"reason": "spam"});
    let start = here(&ben).await;
    let report = ben.files_report(&path).await;
    let again = ben.posts(&path).json(&spam).await.ok();
    assert_eq!(again, json!({"report": {"id": report, "state": "open"}}));
    let errors = ana.posts(&path).json(&spam).await.refused(400);
    assert_eq!(errors, ["you cannot report your own messages"]);
    cara.posts(&path).json(&spam).await.refused(404);
    for round in 0..2 {
        for operator in [&admin, &moderator, &auditor] {
            let listed = operator.lists_reports("").await;
            let [it] = listed.as_slice() else { panic!("one report: {listed:?}") };
            assert_eq!((&it["id"], &it["subject"]), (&json!(report), &json!("message")));
            assert_eq!((&it["reasons"], &it["count"]), (&json!({"spam": 1}), &json!(1)));
            assert_eq!((&it["about"]["name"], &it["resolution"]), (&json!("Ana"), &Value::Null));
            assert!(!it.to_string().contains("rope") && !it.to_string().contains(&ben.name));
        }
        let read = moderator.reads_report(&report).await;
        assert_eq!(read["message"]["text"], "cheap rope");
        assert_eq!(
            (&read["filings"][0]["by"]["name"], &read["filings"][0]["text"]),
            (&json!("Ben"), &json!("look"))
        );
        let refused = auditor.gets(&format!("/v3/admin/reports/{report}")).await.refused(403);
        let may_not = "your role (auditor) does not allow this: read the content of reports";
        assert_eq!(refused, [may_not]);
        auditor.decides_report(&report, "dismiss").await.refused(403);
        if round == 0 {
            world.rebuilds_index().await;
        }
    }
    let resolved = moderator.decides_report(&report, "delete").await.ok();
    assert_eq!(resolved, json!({"report": {"id": report, "state": "resolved"}}));
    let errors = admin.decides_report(&report, "dismiss").await.refused(409);
    assert_eq!(errors, ["this report is resolved already"]);
    let told = json!({"report_id": report, "state": "resolved"});
    assert_eq!(ben.hears_resolved(&start).await, told);
    world.rebuilds_index().await;
    assert_eq!(ben.hears_resolved(&start).await, told);
    let shown = ben.gets(&format!("/v3/direct_messages?other_user_id={}", ana.id)).await.ok();
    let shown = &shown["direct_messages"][0];
    assert_eq!((&shown["text"], &shown["deletion_actor"]), (&Value::Null, &json!("system")));
    let old = ben.gets(&format!("/compat/v3/direct_messages?other_user_id={}", ana.id)).await;
    assert!(old.text.contains("This message was removed"), "{}", old.text);
    assert_eq!(admin.lists_reports("").await, [] as [Value; 0]);
    let kept = admin.reads_report(&report).await;
    assert_eq!(
        (&kept["message"]["text"], &kept["state"]),
        (&json!("cheap rope"), &json!("resolved"))
    );
    let resolution = &kept["resolution"];
    assert_eq!(
        (&resolution["action"], &resolution["by"]["name"]),
        (&json!("delete"), &json!("Mo"))
    );
    let acts = admin.gets("/v3/admin/audit").await.ok();
    let acts = acts["entries"].as_array().unwrap();
    let names: Vec<_> =
        acts.iter().take(4).map(|it| (text(&it["act"]), text(&it["by"]["name"]))).collect();
    let read = ("report_read", "Mo");
    assert_eq!(names, [("report_read", "Ada"), ("report_resolved", "Mo"), read, read]);
    assert_eq!(acts[1]["after"], format!("report {report}: delete"));
    // Nothing tells Ana who reported her.
    assert_eq!(ana.gets("/auth/audit").await.ok()["entries"], json!([]));
}

#[tokio::test]
async fn users_and_groups_are_reported() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    let dan = world.registers("Dan").await;
    let spam = json!({"reason": "spam"});
    let of_user = |user: &Person| format!("/v3/users/{}/report", user.id);
    let of_group = climbers.path("/report");
    let user = ben.files_report(&of_user(&cara)).await;
    assert_eq!(ana.files_report(&of_user(&cara)).await, user);
    let group = ben.files_report(&of_group).await;
    let own = ["you cannot report yourself, your own messages or your own groups"];
    assert_eq!(cara.posts(&of_user(&cara)).json(&spam).await.refused(400), own);
    assert_eq!(ana.posts(&of_group).json(&spam).await.refused(400), own);
    let unknown = dan.posts(&of_user(&cara)).json(&spam).await.refused(404);
    assert_eq!(unknown, ["there is no such user"]);
    dan.posts(&of_group).json(&spam).await.refused(404);
    let wrong = ben.posts(&of_user(&cara)).json(&json!({"reason": "dull"})).await.refused(400);
    assert!(wrong[0].starts_with("reason must be one of spam, "), "{wrong:?}");
    ana.updates(&climbers, json!({"visibility": "searchable"})).await.ok();
    assert_eq!(dan.files_report(&of_group).await, group);
    let ids = |found: Vec<Value>| -> Vec<String> {
        found.iter().map(|it| text(&it["id"]).to_owned()).collect()
    };
    assert_eq!(ids(admin.lists_reports("").await), [group.as_str(), user.as_str()]);
    assert_eq!(ids(admin.lists_reports("?subject=user").await), [user.as_str()]);
    assert_eq!(ids(admin.lists_reports(&format!("?about={}", ana.id)).await), [group.as_str()]);
    assert_eq!(ids(admin.lists_reports(&format!("?before={group}")).await), [user.as_str()]);
    let wrong = admin.gets("/v3/admin/reports?state=new&subject=bot").await.refused(400);
    let expected =
        ["state must be open or resolved", "subject must be one of message, user, group"];
    assert_eq!(wrong, expected);
    let refused = admin.decides_report(&group, "delete").await.refused(400);
    assert_eq!(refused, ["this report is about no message that can be deleted"]);
    let wrong = admin.posts(&format!("/v3/admin/reports/{group}/resolve")).json(&json!({})).await;
    assert_eq!(wrong.refused(400), ["action is required", "reason is required"]);
    admin.decides_report(&user, "note").await.ok();
    assert_eq!(ids(admin.lists_reports("?state=resolved").await), [user]);
    for unknown in ["1", "x"] {
        admin.decides_report(unknown, "dismiss").await.refused(404);
        admin.gets(&format!("/v3/admin/reports/{unknown}")).await.refused(404);
    }
}

#[tokio::test]
async fn list_of_reports_has_pages() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    for number in 0..12 {
        for (by, author) in [(&ana, &ben), (&ben, &ana)] {
            let said = writes(author, by, &format!("rope {number}")).await;
            by.files_report(&message_path(&conversation(&ana, &ben), &said)).await;
        }
    }
    drop(climbers);
    let first = admin.gets("/v3/admin/reports").await.ok();
    let second = format!("/v3/admin/reports?before={}", text(&first["before"]));
    let second = admin.gets(&second).await.ok();
    let [first_len, second_len] =
        [&first, &second].map(|page| page["reports"].as_array().unwrap().len());
    assert_eq!((first_len, second_len, &second["before"]), (20, 4, &Value::Null));
}

#[tokio::test]
async fn owner_of_a_group_is_reported_to_the_operators() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let said = ana.says(&climbers, "I own this").await;
    let report = ben.files_report(&message_path(&climbers.id, &said)).await;
    assert_eq!(ana.gets(&climbers.path("/reports")).await.ok()["reports"], json!([]));
    let read = admin.reads_report(&report).await;
    assert_eq!(
        (&read["message"]["text"], &read["about"]["name"]),
        (&json!("I own this"), &json!("Ana"))
    );
    assert_eq!(read["conversation_id"], climbers.id.as_str());
    admin.decides_report(&report, "delete").await.ok();
    let shown = &ben.reads(&climbers, "?limit=1").await[0];
    assert_eq!((&shown["text"], &shown["deletion_actor"]), (&Value::Null, &json!("system")));
}

/// Reports a message of Ben's in the group, and returns the id of the group's report.
async fn reported_in(group: &Group, [by, author]: [&Person; 2]) -> String {
    let said = author.says(group, "cheap rope").await;
    by.files_report(&message_path(&group.id, &said)).await
}

#[tokio::test]
async fn escalated_report_is_the_operators() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    let start = here(&cara).await;
    let report = reported_in(&climbers, [&cara, &ben]).await;
    let resolve = climbers.path(&format!("/reports/{report}/resolve"));
    let escalate = json!({"action": "escalate", "note": "too much for us"});
    ben.posts(&resolve).json(&escalate).await.refused(403);
    assert_eq!(admin.lists_reports("").await, [] as [Value; 0]);
    ana.posts(&resolve).json(&escalate).await.ok();
    ana.posts(&resolve).json(&escalate).await.refused(409);
    let of_group = ana.gets(&climbers.path("/reports?state=resolved")).await.ok();
    assert_eq!(of_group["reports"][0]["resolution"]["action"], "escalate");
    let listed = admin.lists_reports("").await;
    assert_eq!(listed.len(), 1);
    let id = text(&listed[0]["id"]);
    let read = admin.reads_report(id).await;
    assert_eq!(
        (&read["message"]["text"], &read["filings"][0]["by"]["name"]),
        (&json!("cheap rope"), &json!("Cara"))
    );
    admin.decides_report(id, "dismiss").await.ok();
    assert_eq!(cara.hears_resolved(&start).await["report_id"], id);
}

#[tokio::test]
async fn account_is_disabled_by_a_report() {
    let world = World::start().await;
    let [admin, moderator, auditor] = world.operators().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    for operator in [&admin, &moderator, &auditor] {
        ana.adds(operator, &climbers).await;
    }
    let of_user = |user: &Person| format!("/v3/users/{}/report", user.id);
    let of_ben = ana.files_report(&of_user(&ben)).await;
    moderator.decides_report(&of_ben, "disable").await.ok();
    ben.gets("/v3/users/me").await.refused(401);
    let acts = admin.gets("/v3/admin/audit").await.ok();
    assert_eq!(
        (&acts["entries"][0]["act"], &acts["entries"][1]["act"]),
        (&json!("report_resolved"), &json!("user_disabled"))
    );
    let of_admin = ana.files_report(&of_user(&admin)).await;
    let refused = moderator.decides_report(&of_admin, "dismiss").await.refused(403);
    assert_eq!(refused, ["your role (moderator) does not allow this to an operator"]);
    let about_you = ["this report is about you; another operator reads and resolves it"];
    assert_eq!(admin.decides_report(&of_admin, "dismiss").await.refused(403), about_you);
    let read = admin.gets(&format!("/v3/admin/reports/{of_admin}")).await;
    assert_eq!(read.refused(403), about_you);
    let of_auditor = ana.files_report(&of_user(&auditor)).await;
    admin.decides_report(&of_auditor, "disable").await.ok();
    auditor.gets("/v3/admin/reports").await.refused(401);
}

#[tokio::test]
async fn operators_read_the_files_that_a_report_keeps() {
    let mut world = World::start().await;
    let [admin, _, auditor] = world.operators().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let conv = conversation(&ana, &ben);
    writes(&ana, &ben, "hello").await;
    let mut files = Vec::new();
    let mut sent = Vec::new();
    for name in ["reported.txt", "private.txt"] {
        let file = uploads(&ana, &conv, name, name.as_bytes().to_vec()).await;
        let letter = json!({"direct_message": {"source_guid": fresh_guid(),
            "recipient_id": ben.id, "attachments": [file]}});
        let answer = ana.posts("/v3/direct_messages").json(&letter).await.created();
        sent.push(answer["message"].clone());
        files.push(format!("/v3/files/{conv}/{}", text(&file["file_id"])));
    }
    let report = ben.files_report(&message_path(&conv, &sent[0])).await;
    let deleted = format!("/v3/conversations/{conv}/messages/{}", text(&sent[0]["id"]));
    assert_eq!(ana.asks("DELETE", &deleted).await.status, 204);
    for _ in 0..2 {
        assert_eq!(admin.gets(&files[0]).await.text, "reported.txt");
        admin.gets(&files[1]).await.refused(404);
        auditor.gets(&files[0]).await.refused(404);
        ben.gets(&files[0]).await.refused(404);
        world.rebuilds_index().await;
    }
    admin.decides_report(&report, "note").await.ok();
    assert_eq!(admin.gets(&files[0]).await.text, "reported.txt");
}
