//! Appeals of users who are banned or timed out.

use serde_json::{Value, json};

use crate::bans::until;
use crate::group_acts::member;
use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::asking::Asking;
use crate::world::person::{Group, Person, text};

const WRONG_ACTION: &str =
    "action must be undo or dismiss for an appeal, and cannot be undo for a report";

impl Person {
    fn appealing(&self, group: &Group) -> Asking {
        self.posts(&group.path("/appeals")).json(&json!({"text": "It was a joke."}))
    }

    async fn appeals(&self, group: &Group) -> String {
        let filed = self.appealing(group).await.created();
        assert_eq!(filed["appeal"]["state"], "open");
        text(&filed["appeal"]["id"]).to_owned()
    }

    async fn reads_appeals(&self, group: &Group) -> Vec<Value> {
        let list = self.gets(&group.path("/reports")).await.ok();
        list["appeals"].as_array().unwrap().clone()
    }

    fn settling_appeal(&self, group: &Group, appeal: &str, action: &str) -> Asking {
        let body = json!({"action": action, "note": "fine"});
        self.posts(&group.path(&format!("/reports/{appeal}/resolve"))).json(&body)
    }

    async fn bans_for_ads(&self, whom: &Person, group: &Group) {
        let path = group.path(&format!("/bans/{}", whom.id));
        self.asks("PUT", &path).json(&json!({"reason": "ads"})).await.ok();
    }
}

#[tokio::test]
async fn granted_appeal_lifts_the_ban() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cara] = world.people(["Cara"]).await;
    let token = ana.shares(&climbers).await;
    ana.bans_for_ads(&ben, &climbers).await;
    let mut anas = ana.listens().await;
    let appeal = ben.appeals(&climbers).await;
    let heard = until(&mut anas, |frame| frame["type"] == "report.create").await;
    assert_eq!(heard.last().unwrap()["data"]["report_id"], json!(appeal));
    drop(anas);
    cara.appealing(&climbers).await.refused(404);
    for _ in 0..2 {
        let errors = ben.appealing(&climbers).await.refused(409);
        assert_eq!(errors, ["you have already appealed against this"]);
        let list = ana.reads_appeals(&climbers).await;
        let [shown] = list.as_slice() else { panic!("one appeal: {list:?}") };
        assert_eq!((&shown["id"], &shown["user_id"]), (&json!(appeal), &json!(ben.id)));
        assert_eq!((&shown["act"], &shown["reason"]), (&json!("ban"), &json!("ads")));
        assert_eq!(shown["text"], "It was a joke.");
        world.restarts().await;
    }
    let errors = ana.settling_appeal(&climbers, &appeal, "ban").await.refused(400);
    assert_eq!(errors, [WRONG_ACTION]);
    ana.settling_appeal(&climbers, &appeal, "undo").await.ok();
    assert_eq!(ana.gets(&climbers.path("/bans")).await.ok(), json!({"bans": []}));
    assert_eq!(ana.reads_appeals(&climbers).await, [] as [Value; 0]);
    ana.settling_appeal(&climbers, &appeal, "undo").await.refused(404);
    let audit = ana.gets(&climbers.path("/audit")).await.ok();
    assert_eq!(audit["entries"][0]["act"], "appeal_granted");
    assert_eq!(audit["entries"][1]["act"], "unbanned");
    let join = climbers.path(&format!("/join/{token}"));
    ben.posts(&join).json(&json!({})).await.ok();
    // A later ban is another act.
    world.seconds_pass(1);
    ana.bans_for_ads(&ben, &climbers).await;
    assert_ne!(ben.appeals(&climbers).await, appeal);
}

#[tokio::test]
async fn timed_out_member_appeals_once() {
    let mut world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    makes_admin(&ana, &cara, &climbers).await;
    let errors = ben.appealing(&climbers).await.refused(400);
    assert_eq!(errors, ["you are not timed out in this group"]);
    let membership = text(&member(&ana.sees(&climbers).await, &ben)["id"]).to_owned();
    let timeout = climbers.path(&format!("/members/{membership}/timeout"));
    ana.asks("PUT", &timeout).json(&json!({"seconds": 600})).await.ok();
    let appeal = ben.appeals(&climbers).await;
    ben.settling_appeal(&climbers, &appeal, "undo").await.refused(403);
    cara.settling_appeal(&climbers, &appeal, "dismiss").await.ok();
    for _ in 0..2 {
        ben.appealing(&climbers).await.refused(409);
        assert_eq!(ana.reads_appeals(&climbers).await, [] as [Value; 0]);
        world.restarts().await;
    }
    ben.posting(&climbers, json!({"text": "rope"})).await.refused(403);
    world.seconds_pass(1);
    ana.asks("PUT", &timeout).json(&json!({"seconds": 600})).await.ok();
    let again = ben.appeals(&climbers).await;
    cara.settling_appeal(&climbers, &again, "undo").await.ok();
    let said = ben.says(&climbers, "rope").await;
    let path = format!("/v3/conversations/{}/messages/{}/report", climbers.id, text(&said["id"]));
    let filed = cara.posts(&path).json(&json!({"reason": "spam"})).await.created();
    let report = text(&filed["report"]["id"]).to_owned();
    let errors = ana.settling_appeal(&climbers, &report, "undo").await.refused(400);
    assert_eq!(errors, [WRONG_ACTION]);
}
