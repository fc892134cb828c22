//! Bans: users who are kept out of a group, until a time or until the ban is lifted.

use serde_json::{Value, json};

use crate::group_acts::member;
use crate::world::World;
use crate::world::feed::Feed;
use crate::world::person::{Group, Person, text};

impl Person {
    fn bans(&self, whom: &Self, group: &Group, body: &Value) -> crate::world::asking::Asking {
        self.asks("PUT", &group.path(&format!("/bans/{}", whom.id))).json(body)
    }

    fn unbans(&self, whom: &Self, group: &Group) -> crate::world::asking::Asking {
        self.asks("DELETE", &group.path(&format!("/bans/{}", whom.id)))
    }

    async fn lists_bans(&self, group: &Group) -> Vec<Value> {
        let listed = self.gets(&group.path("/bans")).await.ok();
        serde_json::from_value(listed["bans"].clone()).unwrap()
    }
}

/// Reads frames up to the one that is awaited.
pub(crate) async fn until(feed: &mut Feed, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut heard = Vec::new();
    loop {
        heard.push(feed.socket.next().await.unwrap());
        if heard.last().is_some_and(&is_it) {
            return heard;
        }
    }
}

#[tokio::test]
async fn banned_member_goes_and_cannot_come_back() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let token = ana.shares(&climbers).await;
    let mut feeds = [ana.listens().await, ben.listens().await, cem.listens().await];
    let body = json!({"reason": "sells ropes"});
    let made = ana.bans(&ben, &climbers, &body).await.ok();
    let ban = &made["ban"];
    assert_eq!(
        (&ban["user_id"], &ban["name"], &ban["reason"], &ban["until"], &ban["by"]),
        (&json!(ben.id), &json!("Ben"), &json!("sells ropes"), &Value::Null, &json!(ana.id))
    );
    assert_eq!(made["deleting"], 0);
    feeds[0].hears_of("ban.create").await;
    // The numbers of events have no hole, for members and for the owner.
    for feed in [0, 2] {
        let left = feeds[feed].hears_of("membership.delete").await;
        let line = feeds[feed].hears_of("line.create").await;
        assert_eq!(line["data"]["event"]["type"], "membership.notifications.removed");
        assert_eq!(line["n"].as_u64(), left["n"].as_u64().map(|n| n + 1));
    }
    feeds[1].hears_of("membership.delete").await;
    for _ in 0..2 {
        assert_eq!(ana.lists_bans(&climbers).await, std::slice::from_ref(ban));
        let join = climbers.path(&format!("/join/{token}"));
        ben.gets(&join).await.refused(404);
        ben.gets(&climbers.path(&format!("/preview/{token}"))).await.refused(404);
        cem.gets(&join).await.ok();
        let refused = ben.posts(&join).await;
        assert_eq!(refused.status, 403);
        let details = json!({"rejection_reason": "banned", "reason": "sells ropes", "until": null});
        assert_eq!(refused.envelope()["meta"]["details"], details);
        let errors = refused.refused(403);
        assert_eq!(errors, ["you are banned from this group"]);
        ben.posts(&climbers.path("/rejoin")).await.refused(403);
        let item = json!([{"nickname": "Ben", "user_id": ben.id}]);
        assert!(ana.adds_items(&climbers, item).await.is_empty());
        assert_eq!(ben.gets("/v3/groups").await.ok(), json!([]));
        assert_eq!(ben.gets("/v3/groups/former").await.ok(), json!([]));
        ben.gets(&climbers.path("/bans")).await.refused(404);
        world.restarts().await;
    }
    ana.unbans(&ben, &climbers).await.ok();
    ana.unbans(&ben, &climbers).await.ok();
    assert!(ana.lists_bans(&climbers).await.is_empty());
    ben.posts(&climbers.path("/rejoin")).await.refused(403);
    ben.posts(&climbers.path(&format!("/join/{token}"))).await.ok();
}

#[tokio::test]
async fn stranger_and_one_who_left_are_kept_out_beforehand() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let token = ana.shares(&climbers).await;
    let eve = world.registers("Eve").await;
    ben.removes(&ben, &climbers).await.ok();
    assert_eq!(ben.gets("/v3/groups/former").await.ok()[0]["id"], climbers.id.as_str());
    for banned in [&ben, &eve] {
        ana.bans(banned, &climbers, &json!({})).await.ok();
        banned.posts(&climbers.path("/rejoin")).await.refused(403);
        banned.posts(&climbers.path(&format!("/join/{token}"))).await.refused(403);
        assert_eq!(banned.gets("/v3/groups/former").await.ok(), json!([]));
    }
    let named: Vec<_> =
        ana.lists_bans(&climbers).await.iter().map(|ban| text(&ban["name"]).to_owned()).collect();
    assert_eq!(named, ["Eve", "Ben"]);
}

#[tokio::test]
async fn ban_ends_by_itself() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let token = ana.shares(&climbers).await;
    let until = world.clock_seconds() + 60;
    ana.bans(&ben, &climbers, &json!({"until": until})).await.ok();
    assert_eq!(ana.lists_bans(&climbers).await[0]["until"], until);
    let join = climbers.path(&format!("/join/{token}"));
    ben.posts(&join).await.refused(403);
    world.seconds_pass(60);
    assert!(ana.lists_bans(&climbers).await.is_empty());
    let errors = ben.posts(&climbers.path("/rejoin")).await.refused(403);
    assert_eq!(
        errors,
        ["you were removed from this group; a member can add you or send you its share URL"]
    );
    ben.posts(&join).await.ok();
}

#[tokio::test]
async fn bans_are_refused_with_reasons() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let refused = async |by: &Person, whom: &Person, body: Value, status: u16| {
        by.bans(whom, &climbers, &body).await.refused(status)
    };
    assert_eq!(
        refused(&ana, &ana, json!({}), 400).await,
        ["you cannot ban yourself; leave the group instead"]
    );
    let errors = refused(&ana, &ben, json!({"until": 1}), 400).await;
    assert_eq!(errors, ["until must be in the future"]);
    let body = json!({"delete_since": 604_801, "reason": "x".repeat(501), "until": "soon"});
    let errors = refused(&ana, &ben, body, 400).await;
    assert_eq!(errors.len(), 3, "{errors:?}");
    let errors = refused(&ben, &cem, json!({}), 403).await;
    let reason = "only the owner and admins may ban users from this group, and list and lift bans";
    assert_eq!(errors, [reason]);
    ben.gets(&climbers.path("/bans")).await.refused(403);
    ben.unbans(&cem, &climbers).await.refused(403);
    ana.asks("PUT", &climbers.path("/bans/404")).json(&json!({})).await.refused(404);
    let shown = ana.sees(&climbers).await;
    let path = climbers.path(&format!("/members/{}/update", text(&member(&shown, &ben)["id"])));
    ana.posts(&path).json(&json!({"role": "admin"})).await.ok();
    assert_eq!(refused(&ben, &ana, json!({}), 403).await, ["the owner cannot be banned"]);
    ana.updates(&climbers, json!({"message_deletion_mode": []})).await.ok();
    refused(&ben, &cem, json!({"delete_since": 60}), 403).await;
    ben.bans(&cem, &climbers, &json!({})).await.ok();
    let compat = format!("/compat/v3/groups/{}/bans", climbers.id);
    ana.gets(&compat).await.ok();
}

#[tokio::test]
async fn messages_of_the_last_seconds_are_deleted_with_the_ban() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    ana.updates(&climbers, json!({"message_deletion_mode": ["admin"]})).await.ok();
    ben.says(&climbers, "long ago").await;
    world.seconds_pass(3600);
    ben.says(&climbers, "buy ropes").await;
    ana.says(&climbers, "no").await;
    ben.says(&climbers, "buy now").await;
    let mut feed = ana.listens().await;
    let made = ana.bans(&ben, &climbers, &json!({"delete_since": 600})).await.ok();
    assert_eq!(made["deleting"], 2);
    feed.hears_of("ban.create").await;
    for kind in ["membership.delete", "message.deleted", "message.deleted"] {
        feed.hears_of(kind).await;
        feed.hears_of("line.create").await;
    }
    let page = ana.gets(&climbers.path("/messages?limit=20")).await.ok();
    let messages = page["messages"].as_array().unwrap();
    let left: Vec<_> = messages.iter().filter_map(|it| it["text"].as_str()).collect();
    assert!(left.contains(&"long ago") && left.contains(&"no"), "{left:?}");
    assert!(!left.iter().any(|it| it.starts_with("buy")), "{left:?}");
    let again = ana.bans(&ben, &climbers, &json!({"delete_since": 600})).await.ok();
    assert_eq!(again["deleting"], 0);
}

#[tokio::test]
async fn bots_of_the_banned_and_of_those_who_left_rest() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let token = ana.shares(&climbers).await;
    let mut bots = Vec::new();
    for maker in [&ben, &cem] {
        let body = json!({"name": "Tides", "group_id": climbers.id});
        let made = maker.posts("/v3/bots").json(&body).await.created();
        bots.push(text(&made["bot_id"]).to_owned());
    }
    ana.bans(&ben, &climbers, &json!({})).await.ok();
    cem.removes(&cem, &climbers).await.ok();
    let posts = |maker: &Person, bot: &str| {
        maker.posts("/v3/bots/post").json(&json!({"bot_id": bot, "text": "low tide"}))
    };
    for (maker, bot) in [&ben, &cem].into_iter().zip(&bots) {
        let errors = posts(maker, bot).await.refused(403);
        assert_eq!(errors, ["this bot rests: the user who created it is not in the group"]);
    }
    let listed = ana.gets(&climbers.path("/bots")).await.ok();
    assert_eq!(listed["bots"].as_array().map(Vec::len), Some(2));
    ana.unbans(&ben, &climbers).await.ok();
    ben.posts(&climbers.path(&format!("/join/{token}"))).await.ok();
    cem.rejoins(&climbers).await.ok();
    for (maker, bot) in [&ben, &cem].into_iter().zip(&bots) {
        assert_eq!(posts(maker, bot).await.status, 201);
    }
}

#[tokio::test]
async fn only_the_owner_and_admins_are_told_of_bans() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let mut feeds = [ana.listens().await, cem.listens().await];
    ana.bans(&ben, &climbers, &json!({})).await.ok();
    let heard = until(&mut feeds[0], |frame| frame["type"] == "ban.create").await;
    let told = heard.last().unwrap();
    assert_eq!((&told["t"], &told["data"]), (&json!("ev"), &json!({"user_id": ben.id})));
    ana.unbans(&ben, &climbers).await.ok();
    until(&mut feeds[0], |frame| frame["type"] == "ban.delete").await;
    ana.says(&climbers, "on we go").await;
    let heard = until(&mut feeds[1], |frame| frame["data"]["text"] == "on we go").await;
    let is_of_ban = |frame: &Value| frame["type"].as_str().is_some_and(|it| it.starts_with("ban."));
    assert!(!heard.iter().any(is_of_ban), "{heard:?}");
}

#[tokio::test]
async fn original_paths_remove_ban_and_unban() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let shown = ana.sees(&climbers).await;
    let path = |of: &Person, act: &str| {
        let id = text(&member(&shown, of)["id"]).to_owned();
        format!("/v2/groups/{}/memberships/{id}/{act}", climbers.id)
    };
    // Leaves, and comes back.
    ben.posts(&path(&ben, "destroy")).await.ok();
    let back = ben.posts(&path(&ben, "activate")).await.ok();
    assert_eq!(back["id"], climbers.id.as_str());
    ben.posts(&path(&ben, "destroy")).await.refused(404);
    ben.posts(&path(&cem, "destroy")).await.refused(403);
    // An active one is removed, a former one banned.
    ana.posts(&path(&cem, "destroy")).await.ok();
    assert!(ana.lists_bans(&climbers).await.is_empty());
    ana.posts(&path(&cem, "destroy")).await.ok();
    assert_eq!(ana.lists_bans(&climbers).await[0]["user_id"], cem.id.as_str());
    cem.posts(&path(&cem, "activate")).await.refused(403);
    ana.posts(&path(&cem, "activate")).await.ok();
    assert!(ana.lists_bans(&climbers).await.is_empty());
    let shown = ana.sees(&climbers).await;
    let forced = format!(
        "/v2/groups/{}/memberships/{}/destroy?force=true",
        climbers.id,
        text(&member(&shown, &ben)["id"])
    );
    ana.posts(&forced).await.ok();
    assert_eq!(ana.lists_bans(&climbers).await[0]["user_id"], ben.id.as_str());
    ana.posts(&climbers.path("/memberships/1/destroy")).await.refused(404);
}
