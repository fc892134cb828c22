//! Timeouts: members who may read and leave, and nothing else, until a time.

use serde_json::{Value, json};

use crate::group_acts::member;
use crate::world::World;
use crate::world::person::{Group, Person, text};

impl Person {
    /// The path of the timeout of a member.
    async fn timeout_of(&self, whom: &Self, group: &Group) -> String {
        let shown = self.sees(group).await;
        group.path(&format!("/members/{}/timeout", text(&member(&shown, whom)["id"])))
    }

    async fn times_out(&self, whom: &Self, group: &Group, body: &Value) -> Value {
        let path = self.timeout_of(whom, group).await;
        self.asks("PUT", &path).json(body).await.ok()["timeout"].clone()
    }
}

const REFUSAL: &str = "you are timed out in this group; until then, you can only read and leave";

#[tokio::test]
async fn member_who_is_timed_out_reads_and_leaves_only() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let message = text(&ben.says(&climbers, "rope").await["id"]).to_owned();
    let options = [json!({"title": "six"}), json!({"title": "seven"})];
    let poll = json!({"subject": "When?", "options": options, "expiration": 4_102_444_800_u64});
    let poll = ana.posts(&format!("/v3/poll/{}", climbers.id)).json(&poll).await.created();
    let poll = text(&poll["poll"]["data"]["id"]).to_owned();
    let bot = json!({"name": "Tides", "group_id": climbers.id});
    let bot = ben.posts("/v3/bots").json(&bot).await.created();
    let until = world.clock_seconds() + 600;
    let timeout = ana.times_out(&ben, &climbers, &json!({"seconds": 600, "reason": "calm"})).await;
    assert_eq!(
        (&timeout["user_id"], &timeout["until"], &timeout["reason"], &timeout["by"]),
        (&json!(ben.id), &json!(until), &json!("calm"), &json!(ana.id))
    );
    let conversation = format!("/v3/conversations/{}", climbers.id);
    let barred = [
        ("POST", climbers.path("/messages"), json!({"message": {"source_guid": "1", "text": "x"}})),
        ("PUT", format!("{conversation}/messages/{message}"), json!({"text": "ropes"})),
        ("DELETE", format!("{conversation}/messages/{message}"), json!({})),
        ("POST", format!("/v3/messages/{}/{message}/like", climbers.id), json!({})),
        ("POST", format!("/v3/poll/{}/{poll}/1", climbers.id), json!({})),
        ("POST", format!("{conversation}/messages/{message}/pin"), json!({})),
        ("POST", climbers.path("/memberships/update"), json!({"membership": {"nickname": "B"}})),
        ("POST", climbers.path("/update"), json!({"description": "x"})),
        ("POST", climbers.path("/members/add"), json!({"members": []})),
        ("POST", "/v3/bots/post".to_owned(), json!({"bot_id": bot["bot_id"], "text": "x"})),
    ];
    for _ in 0..2 {
        for (method, path, body) in &barred {
            let refused = ben.asks(method, path).json(body).await;
            assert_eq!(refused.refused(403), [REFUSAL], "{method} {path}");
            assert_eq!(refused.envelope()["meta"]["details"], json!({"until": until}));
        }
        world.restarts().await;
    }
    ben.gets(&climbers.path("/messages")).await.ok();
    ben.posts(&climbers.path("/memberships/mute")).json(&json!({})).await.ok();
    let own = ben.gets(&climbers.path("/permissions")).await.ok();
    assert_eq!(own["timed_out_until"], until);
    assert_eq!(own["may"], json!(["read", "report", "leave"]));
    assert_eq!(own.get("timeouts"), None);
    let seen = ana.gets(&climbers.path("/permissions")).await.ok();
    assert_eq!((&seen["timeouts"], &seen["timed_out_until"]), (&json!([timeout]), &Value::Null));
    // Leaving does not end the timeout; its end does.
    ben.leaves(&climbers).await;
    ben.rejoins(&climbers).await.ok();
    ben.posting(&climbers, json!({"text": "back"})).await.refused(403);
    world.seconds_pass(600);
    ben.says(&climbers, "back").await;
    let seen = ana.gets(&climbers.path("/permissions")).await.ok();
    assert_eq!(seen["timeouts"], json!([]));
}

#[tokio::test]
async fn admin_ends_a_timeout_and_both_are_notified() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let mut feeds = [ana.listens().await, ben.listens().await, cem.listens().await];
    let until = world.clock_seconds() + 60;
    ana.times_out(&ben, &climbers, &json!({"until": until})).await;
    let path = ana.timeout_of(&ben, &climbers).await;
    ana.asks("DELETE", &path).await.ok();
    ana.asks("DELETE", &path).await.ok();
    ben.says(&climbers, "again").await;
    let both = vec![
        (json!("timeout.create"), json!({"user_id": ben.id, "until": until})),
        (json!("timeout.delete"), json!({"user_id": ben.id, "until": null})),
    ];
    for (feed, is_told) in feeds.iter_mut().zip([true, true, false]) {
        let told_in_all = if is_told { both.clone() } else { Vec::new() };
        let frames = crate::bans::until(feed, |frame| frame["data"]["text"] == "again").await;
        let of_timeouts = frames.iter().filter(|it| text(&it["type"]).starts_with("timeout."));
        let told: Vec<_> = of_timeouts.map(|it| (it["type"].clone(), it["data"].clone())).collect();
        assert_eq!(told, told_in_all);
    }
}

#[tokio::test]
async fn timeouts_are_refused_with_reasons() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let path = ana.timeout_of(&ben, &climbers).await;
    let refused = async |by: &Person, path: &str, body: Value, status: u16| {
        by.asks("PUT", path).json(&body).await.refused(status)
    };
    for (body, error) in [
        (json!({}), "seconds or until is required"),
        (json!({"seconds": 0}), "seconds must be above zero"),
        (json!({"seconds": 1, "until": 1}), "seconds and until cannot both be given"),
        (json!({"until": 1}), "until must be in the future"),
        (json!({"seconds": 28 * 86_400 + 1}), "a timeout lasts at most 28 days"),
    ] {
        assert_eq!(refused(&ana, &path, body, 400).await, [error]);
    }
    let own = ana.timeout_of(&ana, &climbers).await;
    let minute = json!({"seconds": 60});
    assert_eq!(refused(&ana, &own, minute.clone(), 400).await, ["you cannot time yourself out"]);
    refused(&ben, &own, minute.clone(), 403).await;
    refused(&ana, &climbers.path("/members/1/timeout"), minute, 404).await;
    ana.asks("DELETE", &climbers.path("/members/1/timeout")).await.refused(404);
}
