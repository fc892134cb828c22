//! Approval of new members: the setting, the question, requests with answers, and their limits.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};

const QUESTION: &str = "Why do you want to join this group?";
const DAY: u64 = 86_400;

impl Person {
    /// Asks to join by the share URL, with an answer to the question.
    async fn asks_to_join(&self, group: &Group, token: &str, answer: &str) -> Answer {
        let body = json!({"answer": {"response": answer}});
        self.posts(&group.path(&format!("/join/{token}"))).json(&body).await
    }

    async fn pending(&self, group: &Group) -> Vec<Value> {
        let listed = self.gets(&group.path("/pending_memberships")).await.ok();
        serde_json::from_value(listed).unwrap()
    }

    async fn decides(&self, group: &Group, membership: &Value, is_approved: bool) -> Answer {
        let path = group.path(&format!("/members/{}/approval", text(membership)));
        self.posts(&path).json(&json!({"approval": is_approved})).await
    }

    async fn sent(&self) -> Vec<Value> {
        let listed = self.gets("/v3/groups/pending_memberships").await.ok();
        serde_json::from_value(listed["requests_sent"].clone()).unwrap()
    }
}

fn meta(answer: &Answer) -> Value {
    let whole: Value = serde_json::from_str(&answer.text).unwrap();
    whole["meta"].clone()
}

fn rejection(refused: &Answer) -> Value {
    meta(refused)["details"]["rejection_reason"].clone()
}

/// Ana's group with Ben, in which the owner and admins decide who joins, and its share token.
async fn closed_to_strangers(world: &World, question: bool) -> ([Person; 2], Group, String) {
    let (people, climbers) = world.climbing(["Ana", "Ben"]).await;
    let token = people[0].shares(&climbers).await;
    let change = json!({"requires_approval": true, "show_join_question": question});
    people[0].updates(&climbers, change).await.ok();
    (people, climbers, token)
}

#[tokio::test]
async fn answered_question_files_a_request_until_approved() {
    let mut world = World::start().await;
    let ([ana, ben], climbers, token) = closed_to_strangers(&world, true).await;
    let [cem] = world.people(["Cem"]).await;
    let refused = cem.joins(&climbers, &token).await;
    assert_eq!(rejection(&refused), "answer_required");
    assert_eq!(refused.refused(400), ["Reason requires answer to groups question"]);
    let path = climbers.path(&format!("/preview/{token}"));
    let shown = world.get(&path).await.ok();
    assert_eq!(
        (&shown["requires_approval"], &shown["membership_state"]),
        (&json!(true), &json!(null))
    );
    let question = json!({"type": "join_reason/questions/text", "text": QUESTION});
    assert_eq!(shown["join_question"], question);
    let asked = cem.asks_to_join(&climbers, &token, "To climb.").await.accepted();
    assert_eq!(asked["group"].get("members"), None);
    let membership = asked["membership"]["id"].clone();
    world.restarts().await;
    let again = cem.asks_to_join(&climbers, &token, "To climb\nand fall.").await.accepted();
    assert_eq!(again["membership"], asked["membership"]);
    let pending = ana.pending(&climbers).await;
    let answer = json!({"type": "join_reason/answers/text", "response": "To climb\nand fall."});
    let reason = json!({"type": "join_reason/membership_join_reason", "question": question,
        "answer": answer, "method": "share_url"});
    assert_eq!((&pending[0]["reason"], pending.len()), (&reason, 1));
    assert_eq!(ben.pending(&climbers).await, [] as [Value; 0]);
    ben.decides(&climbers, &membership, true).await.refused(403);
    assert_eq!(cem.gets(&path).await.ok()["membership_state"], "requested_pending");
    let states = cem.gets("/v3/memberships/states").await.ok();
    assert_eq!(states, json!([{"group_id": climbers.id, "state": "pending"}]));
    let mut feed = ana.listens().await;
    ana.decides(&climbers, &membership, true).await.ok();
    feed.hears_of("membership.requested").await;
    let joined = feed.hears_of("membership.create").await;
    assert_eq!(joined["data"]["memberships"][0]["nickname"], "Cem");
    let line = &ana.reads_events(&climbers, 1).await[0];
    assert_eq!(line["type"], "membership.announce.joined");
    let shown = cem.sees(&climbers).await;
    assert_eq!(crate::group_acts::member(&shown, &cem)["id"], membership);
    assert_eq!(cem.sent().await, [] as [Value; 0]);
    cem.leaves(&climbers).await;
    cem.joins(&climbers, &token).await.ok();
    ana.removes(&cem, &climbers).await.ok();
    cem.joins(&climbers, &token).await.refused(400);
    cem.asks_to_join(&climbers, &token, "Again.").await.accepted();
}

#[tokio::test]
async fn setting_belongs_to_owner_and_admins_and_makes_lines() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    ben.updates(&climbers, json!({"requires_approval": false})).await.ok();
    ben.updates(&climbers, json!({"requires_approval": true})).await.refused(403);
    ben.updates(&climbers, json!({"join_question": {"text": "Why?"}})).await.refused(403);
    for (wrong, error) in [
        (json!({"requires_approval": "maybe"}), "requires_approval must be true or false"),
        (json!({"join_question": "Why?"}), "join_question must be an object"),
        (
            json!({"join_question": {"text": "x".repeat(256)}}),
            "join_question.text is too long: 256 characters, at most 255 are allowed",
        ),
        (
            json!({"join_question": {"type": "poll", "text": "Why?"}}),
            "join_question.type must be join_reason/questions/text",
        ),
    ] {
        assert_eq!(ana.updates(&climbers, wrong.clone()).await.refused(400), [error], "{wrong}");
    }
    makes_admin(&ana, &ben, &climbers).await;
    let mut feed = ana.listens().await;
    let on = json!({"requires_approval": true, "show_join_question": "1",
        "join_question": {"type": "join_reason/questions/text", "text": "Which grade?"}});
    let changed = ben.updates(&climbers, on).await.ok();
    let question = json!({"type": "join_reason/questions/text", "text": "Which grade?"});
    assert_eq!(changed["join_question"], question);
    let told = feed.hears_of("group.update").await;
    assert_eq!(told["data"]["join_question"], question);
    assert_eq!(told["data"]["requires_approval"], true);
    world.restarts().await;
    let shown = ana.sees(&climbers).await;
    assert_eq!(
        (&shown["requires_approval"], &shown["show_join_question"]),
        (&json!(true), &json!(true))
    );
    ana.posts(&climbers.path("/update")).json(&shown).await.ok();
    ana.updates(&climbers, json!({"requires_approval": false})).await.ok();
    let user = |who: &Person| who.named();
    let lines = [
        json!({"type": "group.requires_approval_disabled", "data": {"user": user(&ana)}}),
        json!({"type": "group.requires_approval_enabled", "data": {"user": user(&ben)}}),
    ];
    assert_eq!(ana.reads_events(&climbers, 2).await, lines);
    assert_eq!(
        ana.reads_texts(&climbers, "?limit=2").await,
        ["Ana switched approval of new members off.", "Ben switched approval of new members on."]
    );
    let usual = ana.updates(&climbers, json!({"join_question": ""})).await.ok();
    assert_eq!(usual["join_question"]["text"], QUESTION);
    let body =
        json!({"name": "Quiet", "requires_approval": true, "join_question": {"text": "Why?"}});
    let made = ana.posts("/v3/groups").json(&body).await.created();
    assert_eq!(
        (&made["requires_approval"], &made["join_question"]["text"]),
        (&json!(true), &json!("Why?"))
    );
    assert_eq!(made["show_join_question"], false);
}

#[tokio::test]
async fn denied_user_waits_a_day() {
    let mut world = World::start().await;
    let ([ana, _], climbers, token) = closed_to_strangers(&world, false).await;
    let [cem] = world.people(["Cem"]).await;
    let asked = cem.joins(&climbers, &token).await.accepted();
    let listed = cem.sent().await;
    let sent = json!({"group_id": climbers.id, "name": "Climbers", "image_url": null,
        "state": "requested_pending", "updated_at": listed[0]["updated_at"], "user_count": 2});
    assert_eq!(listed, [sent]);
    let counts = cem.gets("/v4/requests/count").await.ok();
    assert_eq!(counts["counts"], json!({"dm": 0, "received": 0, "sent": 1, "total": 1}));
    let received = ana.gets("/v3/groups/pending_memberships").await.ok();
    let group = json!({"group_id": climbers.id, "name": "Climbers", "image_url": null, "count": 1});
    assert_eq!(received, json!({"requests_sent": [], "requests_received": [group]}));
    ana.decides(&climbers, &asked["membership"]["id"], false).await.ok();
    world.seconds_pass(1800);
    world.restarts().await;
    let refused = cem.joins(&climbers, &token).await;
    assert_eq!(refused.header("retry-after"), Some("84600"));
    let details = json!({"rejection_reason": "denied",
        "rejection_details": {"days_remaining": 1, "hours_remaining": 24}});
    assert_eq!(meta(&refused)["details"], details);
    refused.refused(403);
    assert_eq!(cem.sent().await[0]["state"], "denied");
    world.seconds_pass(DAY - 1800);
    assert_eq!(cem.sent().await, [] as [Value; 0]);
    cem.joins(&climbers, &token).await.accepted();
    let audit = ana.gets(&climbers.path("/audit")).await.ok();
    assert_eq!(audit["entries"][0]["act"], "request_denied");
    ana.updates(&climbers, json!({"requires_approval": false})).await.ok();
    assert_eq!(ana.pending(&climbers).await.len(), 1, "switching it off lets nobody in by itself");
    cem.joins(&climbers, &token).await.ok();
    assert_eq!(ana.pending(&climbers).await, [] as [Value; 0]);
}

#[tokio::test]
async fn withdrawn_request_ends_and_may_be_filed_again() {
    let mut world = World::start().await;
    let ([ana, _], climbers, token) = closed_to_strangers(&world, false).await;
    let [cem] = world.people(["Cem"]).await;
    let revoke = climbers.path("/revoke_join");
    cem.asks("DELETE", &revoke).await.ok();
    let first = cem.joins(&climbers, &token).await.accepted();
    cem.asks("DELETE", &revoke).await.ok();
    world.restarts().await;
    assert_eq!(ana.pending(&climbers).await, [] as [Value; 0]);
    ana.decides(&climbers, &first["membership"]["id"], true).await.refused(404);
    let second = cem.joins(&climbers, &token).await.accepted();
    assert_ne!(first["membership"], second["membership"]);
    let audit = ana.gets(&climbers.path("/audit")).await.ok();
    assert_eq!(audit["entries"][0]["act"], "settings_changed", "nobody denied it");
    cem.asks("DELETE", "/v3/groups/404/revoke_join").await.ok();
    cem.asks("DELETE", "/v3/groups/x/revoke_join").await.refused(404);
}

#[tokio::test]
async fn plain_member_adds_people_by_a_request() {
    let mut world = World::start().await;
    let ([ana, ben], climbers, _) = closed_to_strangers(&world, true).await;
    let [cem, dan] = world.people(["Cem", "Dan"]).await;
    let item = |who: &Person, nickname: &str| json!([{"nickname": nickname, "user_id": who.id}]);
    assert_eq!(ben.adds_items(&climbers, item(&cem, "Cem the rope")).await, [] as [Value; 0]);
    assert_eq!(ben.adds_items(&climbers, item(&cem, "Another")).await, [] as [Value; 0]);
    world.restarts().await;
    let pending = ana.pending(&climbers).await;
    assert_eq!((&pending[0]["reason"]["method"], pending.len()), (&json!("added"), 1));
    assert_eq!(pending[0]["reason"]["question"]["text"], "Ben added Cem the rope");
    assert_eq!(cem.sent().await, [] as [Value; 0], "the added person learns nothing of the group");
    assert_eq!(ben.pending(&climbers).await, [] as [Value; 0]);
    ana.decides(&climbers, &pending[0]["id"], true).await.ok();
    let shown = cem.sees(&climbers).await;
    assert_eq!(crate::group_acts::member(&shown, &cem)["nickname"], "Cem the rope");
    assert_eq!(ana.adds_items(&climbers, item(&dan, "Dan")).await.len(), 1);
}

#[tokio::test]
async fn invite_asks_by_setting_unless_it_skips() {
    let world = World::start().await;
    let ([ana, _], climbers, _) = closed_to_strangers(&world, true).await;
    let [cem, dan] = world.people(["Cem", "Dan"]).await;
    let mut tokens = Vec::new();
    for body in [json!({}), json!({"approval": "skip"})] {
        let made = ana.posts(&climbers.path("/invites")).json(&body).await.created();
        let url = text(&made["invite"]["url"]).to_owned();
        tokens.push(url.rsplit('/').next().unwrap().to_owned());
    }
    let shown = async |token: &str| {
        let path = climbers.path(&format!("/join/{token}"));
        world.get(&path).await.ok()["group"]["requires_approval"].clone()
    };
    assert_eq!((shown(&tokens[0]).await, shown(&tokens[1]).await), (json!(true), json!(false)));
    cem.joins(&climbers, &tokens[0]).await.refused(400);
    cem.asks_to_join(&climbers, &tokens[0], "x".repeat(501).as_str()).await.refused(400);
    cem.asks_to_join(&climbers, &tokens[0], "ropes").await.accepted();
    dan.joins(&climbers, &tokens[1]).await.ok();
}

#[tokio::test]
async fn user_has_twenty_open_requests() {
    let world = World::start().await;
    let [ana, cem] = world.people(["Ana", "Cem"]).await;
    let mut groups = Vec::new();
    for number in 0..21 {
        let body =
            json!({"name": format!("Group {number}"), "share": true, "requires_approval": true});
        let made = ana.posts("/v3/groups").json(&body).await.created();
        let token = text(&made["share_url"]).rsplit('/').next().unwrap().to_owned();
        groups.push((Group { id: text(&made["id"]).to_owned() }, token));
    }
    for (group, token) in &groups[..20] {
        cem.joins(group, token).await.accepted();
    }
    let (last, token) = &groups[20];
    let errors = cem.joins(last, token).await.refused(429);
    assert_eq!(errors, ["you have 20 open requests to join groups; withdraw one or wait"]);
    cem.joins(&groups[0].0, &groups[0].1).await.accepted();
    cem.asks("DELETE", &groups[0].0.path("/revoke_join")).await.ok();
    cem.joins(last, token).await.accepted();
    assert_eq!(cem.sent().await.len(), 20);
}

#[tokio::test]
async fn dialect_names_the_result_of_a_join_by_its_code() {
    let world = World::start().await;
    let ([ana, _], climbers, token) = closed_to_strangers(&world, true).await;
    let [cem] = world.people(["Cem"]).await;
    let path = format!("/compat/v3/groups/{}/join", climbers.id);
    let joins = async |body: Value| {
        let answer = cem.posts(&path).json(&body).await;
        (answer.status, meta(&answer)["code"].clone())
    };
    let bare = json!({"share_token": token});
    assert_eq!(joins(bare.clone()).await, (400, json!(40_016)));
    let answered = json!({"share_token": token, "answer": {"response": "ropes"}});
    assert_eq!(joins(answered).await, (201, json!(20_101)));
    ana.updates(&climbers, json!({"requires_approval": false})).await.ok();
    assert_eq!(joins(bare.clone()).await, (201, json!(20_100)));
    assert_eq!(joins(bare).await, (200, json!(20_000)));
}

#[tokio::test]
async fn simultaneous_requests_are_counted_one_after_another() {
    let world = World::start().await;
    let [ana, cem] = world.people(["Ana", "Cem"]).await;
    let mut paths = Vec::new();
    for number in 0..21 {
        let body = json!({"name": format!("Group {number}"), "requires_approval": true,
            "visibility": "searchable"});
        let made = ana.posts("/v3/groups").json(&body).await.created();
        paths.push(format!("/v3/groups/{}/join", text(&made["id"])));
    }
    for path in &paths[..19] {
        cem.posts(path).await.accepted();
    }
    let asks = paths[19..].iter().map(|path| async { cem.posts(path).await.status });
    let mut statuses = join_all(asks).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [202, 429]);
    assert_eq!(cem.sent().await.len(), 20);
}
