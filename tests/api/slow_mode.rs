//! Slow mode: plain members wait between two posts.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, Person, text};

/// Makes a member an admin.
pub(crate) async fn makes_admin(owner: &Person, whom: &Person, group: &Group) {
    let shown = owner.sees(group).await;
    let membership = &crate::group_acts::member(&shown, whom)["id"];
    let path = group.path(&format!("/members/{}/update", text(membership)));
    owner.posts(&path).json(&json!({"role": "admin"})).await.ok();
}

impl Person {
    async fn sets_slow_mode(&self, group: &Group, seconds: u32) {
        let changed = self.updates(group, json!({"slow_mode": seconds})).await.ok();
        assert_eq!(changed["slow_mode"], seconds);
    }

    /// Posts, is refused, and returns how many seconds to wait.
    async fn waits_to_post(&self, group: &Group) -> String {
        let refused = self.posting(group, json!({"text": "too soon"})).await;
        let wait = refused.header("retry-after").unwrap().to_owned();
        let told = format!("slow mode is on in this group; you can post again in {wait} seconds");
        assert_eq!(refused.refused(429), [told]);
        wait
    }
}

#[tokio::test]
async fn plain_members_wait_between_posts() {
    let mut world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    makes_admin(&ana, &cara, &climbers).await;
    ben.says(&climbers, "before slow mode").await;
    ana.sets_slow_mode(&climbers, 30).await;
    let guid = json!({"text": "rope", "source_guid": "once"});
    let first = ben.posting(&climbers, guid.clone()).await.created();
    assert_eq!(ben.waits_to_post(&climbers).await, "30");
    world.seconds_pass(12);
    world.restarts().await;
    // Refused posts do not count, and a repeat is recognized before that.
    assert_eq!(ben.waits_to_post(&climbers).await, "18");
    ben.posting(&climbers, guid).await.refused(409);
    // Edits and reactions do not count, and are not refused.
    let message = text(&first["message"]["id"]).to_owned();
    let path = format!("/v3/conversations/{}/messages/{message}", climbers.id);
    ben.asks("PUT", &path).json(&json!({"text": "ropes"})).await.ok();
    ben.posts(&format!("/v3/messages/{}/{message}/like", climbers.id)).await.ok();
    for free in [&ana, &cara, &ana, &cara] {
        free.says(&climbers, "no pause").await;
    }
    let options = [json!({"title": "six"}), json!({"title": "seven"})];
    let poll = json!({"subject": "When?", "options": options, "expiration": 4_102_444_800_u64});
    let poll = ben.posts(&format!("/v3/poll/{}", climbers.id)).json(&poll).await;
    assert_eq!((poll.status, poll.header("retry-after")), (429, Some("18")));
    world.seconds_pass(18);
    ben.says(&climbers, "later").await;
    ana.sets_slow_mode(&climbers, 0).await;
    ben.says(&climbers, "as often").await;
    ben.says(&climbers, "as I like").await;
}

#[tokio::test]
async fn bot_of_a_member_counts_and_bot_of_an_admin_does_not() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let bot_of = async |maker: &Person| {
        let bot = json!({"name": "Tides", "group_id": climbers.id});
        maker.posts("/v3/bots").json(&bot).await.created()["bot_id"].clone()
    };
    let (of_ana, of_ben) = (bot_of(&ana).await, bot_of(&ben).await);
    ana.sets_slow_mode(&climbers, 60).await;
    let post = async |by: &Person, bot: &Value| {
        by.posts("/v3/bots/post").json(&json!({"bot_id": bot, "text": "high water"})).await
    };
    assert_eq!(post(&ben, &of_ben).await.status, 201);
    world.restarts().await;
    assert_eq!(ben.waits_to_post(&climbers).await, "60");
    assert_eq!(post(&ben, &of_ben).await.header("retry-after"), Some("60"));
    world.seconds_pass(60);
    ben.says(&climbers, "low water").await;
    post(&ben, &of_ben).await.refused(429);
    for _ in 0..2 {
        assert_eq!(post(&ana, &of_ana).await.status, 201);
    }
}

#[tokio::test]
async fn slow_mode_is_a_setting_of_the_owner_and_admins() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    assert_eq!(ben.sees(&climbers).await["slow_mode"], 0);
    ben.updates(&climbers, json!({"slow_mode": 0})).await.ok();
    ben.updates(&climbers, json!({"slow_mode": 5})).await.refused(403);
    for wrong in [json!(21_601), json!(-1), json!(1.5), json!("soon")] {
        let errors = ana.updates(&climbers, json!({"slow_mode": wrong})).await.refused(400);
        assert_eq!(errors, ["slow_mode must be a whole number of seconds up to 21600"], "{wrong}");
    }
    ana.sets_slow_mode(&climbers, 21_600).await;
    ana.sets_slow_mode(&climbers, 0).await;
    let user = ana.named();
    let line = |seconds| json!({"type": "group.slow_mode_change", "data": {"user": user, "slow_mode": seconds}});
    assert_eq!(ana.reads_events(&climbers, 2).await, [line(0), line(21_600)]);
    let read = ana.reads(&climbers, "?limit=2").await;
    let texts: Vec<_> = read.iter().map(|it| text(&it["text"])).collect();
    assert_eq!(texts, ["Ana switched slow mode off.", "Ana set slow mode to 6 hours."]);
    let body = json!({"name": "Quiet", "slow_mode": "90"});
    let made = ana.posts("/v3/groups").json(&body).await.created();
    assert_eq!(made["slow_mode"], 90);
    let listed = ana.gets("/v3/groups").await.ok();
    let slow = |it: &Value| it["slow_mode"].as_u64().unwrap();
    assert_eq!(listed.as_array().unwrap().iter().map(slow).sum::<u64>(), 90);
}
