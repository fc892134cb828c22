//! Topics of groups: who makes them, what is said in them, and who reads it.

use serde_json::{Value, json};

use crate::push_same::{here, replays_the_same};
use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, text};

impl Person {
    async fn making_topic(&self, group: &Group, topic: Value) -> Answer {
        self.posts(&group.path("/subgroups")).json(&topic).await
    }

    /// Makes a topic, and returns it as the group that its messages are at.
    async fn makes_topic(&self, group: &Group, name: &str) -> Group {
        let made = self.making_topic(group, json!({"topic": name})).await.created();
        Group { id: made["id"].as_u64().unwrap().to_string() }
    }

    async fn topics_of(&self, group: &Group) -> Vec<Value> {
        self.gets(&group.path("/subgroups")).await.ok().as_array().unwrap().clone()
    }

    async fn updates_topic(&self, group: &Group, topic: &Group, change: Value) -> Answer {
        self.asks("PUT", &of_group(group, topic)).json(&change).await
    }
}

/// The path of a topic among those of its group.
fn of_group(group: &Group, topic: &Group) -> String {
    group.path(&format!("/subgroups/{}", topic.id))
}

#[tokio::test]
async fn owner_and_admins_make_change_and_remove_topics() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    makes_admin(&ana, &cem, &climbers).await;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let knots = json!({"topic": "Knots", "description": "ropes", "group_type": "announcement"});
    ben.making_topic(&climbers, knots.clone()).await.refused(403);
    let made = ana.making_topic(&climbers, knots).await.created();
    let id = made["id"].as_u64().unwrap();
    let group: u64 = climbers.id.parse().unwrap();
    let now = world.clock_seconds();
    let mut shown = json!({
        "id": id, "parent_id": group, "topic": "Knots", "description": "ropes", "avatar_url": null,
        "type": "announcement", "like_icon": null, "creator_user_id": ana.id.parse::<u64>().unwrap(),
        "created_at": now, "updated_at": now,
    });
    assert_eq!(made, shown);
    let topic = Group { id: id.to_string() };
    let change = json!({"topic": "Ropes", "description": ""});
    ben.updates_topic(&climbers, &topic, change.clone()).await.refused(403);
    shown["topic"] = json!("Ropes");
    shown["description"] = Value::Null;
    for _ in 0..2 {
        assert_eq!(cem.updates_topic(&climbers, &topic, change.clone()).await.ok(), shown);
    }
    let listed = ben.topics_of(&climbers).await;
    let [only] = &listed[..] else { panic!("{listed:?}") };
    assert_eq!(*only, ben.gets(&of_group(&climbers, &topic)).await.ok());
    for (field, value) in shown.as_object().unwrap() {
        assert_eq!(only[field], *value, "{field}");
    }
    assert_eq!(only["messages"]["count"], 0);
    cem.asks("DELETE", &of_group(&climbers, &topic)).await.ok();
    cem.asks("DELETE", &of_group(&climbers, &topic)).await.refused(404);
    assert_eq!(ben.topics_of(&climbers).await, [json!(null); 0]);
    let mut live = Vec::new();
    for _ in 0..7 {
        live.push(feed.next().await);
    }
    let kinds: Vec<&str> = live.iter().map(|it| text(&it["type"])).collect();
    let line = "line.create";
    assert_eq!(kinds, ["topic.create", line, "topic.update", line, line, "topic.delete", line]);
    assert_eq!((&live[0]["data"], &live[2]["data"]), (&made, &shown));
    assert_eq!(live[5]["data"], json!({"id": id, "parent_id": group}));
    let said =
        |at: usize| (text(&live[at]["data"]["text"]), text(&live[at]["data"]["event"]["type"]));
    assert_eq!(said(1), ("Ana created the topic Knots.", "group.subgroup_created"));
    assert_eq!(said(3), ("Cem renamed the topic Knots to Ropes.", "group.subgroup_name_change"));
    assert_eq!(said(6), ("Cem removed the topic Ropes.", "group.subgroup_removed"));
    let named = json!({"id": id, "name": "Knots"});
    assert_eq!(live[3]["data"]["event"]["data"]["topic"], named);
    replays_the_same(&ben, &start, &live).await;
    world.restarts().await;
    replays_the_same(&ben, &start, &live).await;
    assert_eq!(ben.topics_of(&climbers).await, [json!(null); 0]);
}

#[tokio::test]
async fn members_write_and_read_in_a_topic_and_nobody_else() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [eve] = world.people(["Eve"]).await;
    let topic = ana.makes_topic(&climbers, "Knots").await;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let said = ana.says(&topic, "the bowline").await;
    assert_eq!((&said["group_id"], &said["parent_id"]), (&json!(topic.id), &json!(climbers.id)));
    let plain = ana.says(&climbers, "not in a topic").await;
    assert!(plain.get("parent_id").is_none());
    let live = vec![feed.next().await, feed.next().await];
    assert_eq!(live[0]["conv"], json!(format!("g:{}", topic.id)));
    assert_eq!((&live[0]["data"], &live[0]["n"]), (&said, &json!(1)));
    assert_eq!(live[1]["data"], plain);
    replays_the_same(&ben, &start, &live).await;
    let like = format!("/v3/messages/{}/{}/like", topic.id, text(&said["id"]));
    ben.posts(&like).await.ok();
    for _ in 0..2 {
        let page = ben.reads(&topic, "").await;
        let [read] = &page[..] else { panic!("{page:?}") };
        assert_eq!(read["favorited_by"], json!([ben.id]));
        assert_eq!(read["text"], "the bowline");
        let [listed] = &ben.topics_of(&climbers).await[..] else { panic!("one topic") };
        assert_eq!((&listed["messages"]["count"], &listed["unread_count"]), (&json!(1), &json!(1)));
        assert_eq!(listed["messages"]["last_message_id"], said["id"]);
        assert_eq!(ana.topics_of(&climbers).await[0]["unread_count"], 0);
        let found = ben.gets("/v3/search/messages?q=bowline").await.ok();
        assert_eq!(found["messages"].as_array().unwrap().len(), 1, "{found}");
        for (who, status) in [(&ben, 200), (&eve, 404)] {
            let read = who.gets(&topic.path("/messages")).await;
            assert_eq!(read.status, status);
        }
        eve.posting(&topic, json!({"text": "me too"})).await.refused(404);
        eve.posts(&like).await.refused(404);
        eve.gets(&climbers.path("/subgroups")).await.refused(404);
        eve.gets(&of_group(&climbers, &topic)).await.refused(404);
        world.restarts().await;
    }
    // A topic is no group.
    for path in [
        "",
        "/bans",
        "/invites",
        "/rules",
        "/permissions",
        "/subgroups",
        "/members?filter=inactive",
    ] {
        ana.gets(&topic.path(path)).await.refused(404);
    }
    ana.posts(&topic.path("/update")).json(&json!({"name": "x"})).await.refused(404);
    ana.posts(&topic.path("/destroy")).await.refused(404);
    ana.making_topic(&topic, json!({"topic": "inside"})).await.refused(404);
    let groups = ben.gets("/v3/groups").await.ok();
    assert_eq!(groups.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_topic_follows_what_happens_in_its_group() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let topic = ana.makes_topic(&climbers, "Knots").await;
    ben.says(&topic, "first").await;
    let dan = world.registers("Dan").await;
    dan.posting(&topic, json!({"text": "early"})).await.refused(404);
    ana.adds(&dan, &climbers).await;
    dan.says(&topic, "now I may").await;
    assert_eq!(dan.reads(&topic, "").await.len(), 2);
    // An announcement topic is read by plain members.
    let change = json!({"group_type": "announcement"});
    ana.updates_topic(&climbers, &topic, change).await.ok();
    ben.posting(&topic, json!({"text": "x"})).await.refused(403);
    ana.says(&topic, "by the owner").await;
    makes_admin(&ana, &ben, &climbers).await;
    ben.says(&topic, "by an admin").await;
    ana.updates_topic(&climbers, &topic, json!({"group_type": "private"})).await.ok();
    cem.says(&topic, "before the ban").await;
    let mut feed = cem.listens().await;
    let start = here(&cem).await;
    ana.asks("PUT", &climbers.path(&format!("/bans/{}", cem.id))).json(&json!({})).await.ok();
    ana.says(&topic, "without Cem").await;
    assert_eq!(feed.next().await["type"], "membership.delete");
    feed.stays_silent().await;
    for _ in 0..2 {
        cem.posting(&topic, json!({"text": "x"})).await.refused(404);
        cem.gets(&topic.path("/messages")).await.refused(404);
        assert_eq!(cem.gets("/v3/search/messages?q=first").await.status, 304);
        world.restarts().await;
    }
    let mut resumed = cem.listens_after(&start).await;
    assert_eq!(resumed.next().await["type"], "membership.delete");
    // A group that Cem made while listening.
    assert_eq!(resumed.next().await["type"], "membership.create");
    resumed.stays_silent().await;
    // An archived group has archived topics.
    ana.posts(&climbers.path("/archive")).await.ok();
    ben.posting(&topic, json!({"text": "x"})).await.refused(403);
    ana.posts(&climbers.path("/unarchive")).await.ok();
    ben.says(&topic, "and on").await;
    ana.posts(&climbers.path("/destroy")).await.ok();
    for who in [&ana, &ben] {
        who.posting(&topic, json!({"text": "x"})).await.refused(404);
        who.gets(&topic.path("/messages")).await.refused(404);
    }
}

#[tokio::test]
async fn a_removed_topic_is_gone_for_all() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let topic = ana.makes_topic(&climbers, "Knots").await;
    let start = here(&ben).await;
    let said = ana.says(&topic, "the bowline").await;
    ana.asks("DELETE", &of_group(&climbers, &topic)).await.ok();
    for _ in 0..2 {
        for who in [&ana, &ben] {
            who.posting(&topic, json!({"text": "x"})).await.refused(404);
            who.gets(&topic.path("/messages")).await.refused(404);
            let pin = format!("/v3/conversations/{}/messages/{}/pin", topic.id, text(&said["id"]));
            who.posts(&pin).await.refused(404);
        }
        assert_eq!(ben.gets("/v3/search/messages?q=bowline").await.status, 304);
        world.restarts().await;
    }
    let mut feed = ben.listens_after(&start).await;
    assert_eq!(feed.next().await["type"], "topic.delete");
    assert_eq!(feed.next().await["data"]["event"]["type"], "group.subgroup_removed");
    feed.stays_silent().await;
    assert!(ana.makes_topic(&climbers, "Knots").await.id > topic.id, "ids are never given twice");
}

#[tokio::test]
async fn a_wrong_topic_is_refused_with_its_field() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let topic = ana.makes_topic(&climbers, "Knots").await;
    for (body, problem) in [
        (json!({}), "topic is required"),
        (json!({"topic": ""}), "topic is required"),
        (
            json!({"topic": "a".repeat(141)}),
            "topic is too long: 141 characters, at most 140 are allowed",
        ),
        (
            json!({"topic": "a", "description": "a".repeat(256)}),
            "description is too long: 256 characters, at most 255 are allowed",
        ),
        (
            json!({"topic": "a", "group_type": "closed"}),
            "group_type must be private or announcement",
        ),
        (json!({"topic": "a", "like_icon": {"type": "emoji"}}), "like_icon is not served"),
    ] {
        let problems = ana.making_topic(&climbers, body.clone()).await.refused(400);
        assert_eq!(problems, [problem], "{body}");
    }
    let problems = ana.updates_topic(&climbers, &topic, json!({"topic": "a".repeat(141)})).await;
    assert_eq!(problems.refused(400).len(), 1);
    let strange = Group { id: "77".to_owned() };
    ana.updates_topic(&climbers, &strange, json!({"topic": "x"})).await.refused(404);
    ana.gets(&of_group(&climbers, &Group { id: "x".to_owned() })).await.refused(404);
    let many = vec![climbers.id.as_str(); 51].join(",");
    ana.gets(&format!("/v3/groups/{many}/subgroups")).await.refused(400);
    let both = format!("/v3/groups/{},{}/subgroups", climbers.id, climbers.id);
    assert_eq!(ana.gets(&both).await.ok().as_array().unwrap().len(), 2);
    for at in 1..50 {
        ana.makes_topic(&climbers, &format!("{at}")).await;
    }
    let full = ana.making_topic(&climbers, json!({"topic": "one more"})).await.refused(409);
    assert_eq!(full, ["a group has at most 50 topics"]);
}

#[tokio::test]
async fn snapshot_has_the_topics_and_newcomers_begin_with_nothing_unread() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let quiet = ana.makes_topic(&climbers, "Knots").await;
    let loud = ana.makes_topic(&climbers, "Walls").await;
    let said = ana.says(&loud, "the north face").await;
    let dan = world.registers("Dan").await;
    ana.adds(&dan, &climbers).await;
    for _ in 0..2 {
        for (who, unread) in [(&ben, 1), (&dan, 0), (&ana, 0)] {
            let snapshot = who.gets("/v3/sync").await.ok();
            let [first, second] = &snapshot["topics"].as_array().unwrap()[..] else {
                panic!("{snapshot}")
            };
            assert_eq!(first["topic"]["id"].to_string(), loud.id);
            assert_eq!(first["messages"][0]["id"], said["id"]);
            let counts = [&first["n"], &first["unread"], &first["unread_mentions"]];
            assert_eq!(counts, [&json!(1), &json!(unread), &json!(0)], "{}", who.name);
            assert_eq!((&second["topic"]["topic"], &second["n"]), (&json!("Knots"), &json!(0)));
            assert_eq!(second["messages"], json!([]));
            assert_eq!(snapshot["groups"].as_array().unwrap().len(), 1);
        }
        assert!(ben.gets("/v3/sync?parts=groups").await.ok().get("topics").is_none());
        world.restarts().await;
    }
    let renamed = ana.updates_topic(&climbers, &quiet, json!({"topic": "Ropes"})).await.ok();
    let snapshot = ben.gets("/v3/sync?parts=topics").await.ok();
    assert_eq!(snapshot["topics"][1]["topic"], renamed);
    ben.says(&quiet, "now here").await;
    let snapshot = ana.gets("/v3/sync?parts=topics").await.ok();
    assert_eq!(snapshot["topics"][0]["topic"]["topic"], "Ropes");
    // What is marked as read stays so.
    let mark = json!({"message_id": said["id"]});
    ben.posts(&format!("/v3/conversations/{}/read", loud.id)).json(&mark).await.ok();
    let listed = ben.topics_of(&climbers).await;
    assert_eq!(
        (&listed[1]["unread_count"], &listed[1]["last_read_message_id"]),
        (&json!(0), &said["id"])
    );
}

#[tokio::test]
async fn a_topic_is_muted_alone_or_with_its_group() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [eve] = world.people(["Eve"]).await;
    let topic = ana.makes_topic(&climbers, "Knots").await;
    let path = |act: &str| format!("{}/{act}", of_group(&climbers, &topic));
    let muted = async |who: &Person| {
        who.gets(&of_group(&climbers, &topic)).await.ok()["muted_until"].clone()
    };
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let until = json!(world.clock_seconds() + 600);
    let told = json!({"conversation_id": topic.id, "muted_until": until});
    let mute = json!({"duration": 10});
    assert_eq!(ben.posts(&path("mute")).json(&mute).await.ok(), told);
    let live = vec![feed.hears_of("mute").await];
    assert_eq!(live[0]["data"], told);
    replays_the_same(&ben, &start, &live).await;
    let alert = async |feed: &mut crate::world::feed::Feed| {
        feed.hears_of("line.create").await["alert"].clone()
    };
    ana.says(&topic, "muted").await;
    assert_eq!(alert(&mut feed).await, Value::Null);
    ana.says(&climbers, "not muted").await;
    assert_eq!(alert(&mut feed).await, "Ana: not muted");
    for _ in 0..2 {
        assert_eq!((muted(&ben).await, muted(&ana).await), (until.clone(), Value::Null));
        assert_eq!(ben.gets("/v3/sync").await.ok()["topics"][0]["muted_until"], until);
        world.restarts().await;
    }
    ben.posts(&path("unmute")).await.ok();
    assert_eq!(muted(&ben).await, Value::Null);
    ben.posts(&climbers.path("/memberships/mute")).await.ok();
    assert_eq!(muted(&ben).await, json!(253_402_300_800_u64));
    let mut feed = ben.listens().await;
    ana.says(&topic, "muted with the group").await;
    assert_eq!(alert(&mut feed).await, Value::Null);
    eve.posts(&path("mute")).await.refused(404);
    let strange = climbers.path("/subgroups/77/mute");
    ben.posts(&strange).await.refused(404);
    ben.posts(&path("mute")).json(&json!({"duration": "x"})).await.refused(400);
}

#[tokio::test]
async fn polls_pins_events_threads_and_edits_work_in_a_topic() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let topic = ana.makes_topic(&climbers, "Knots").await;
    let said = ben.says(&topic, "the bowlin").await;
    let id = text(&said["id"]);
    let path = format!("/v3/conversations/{}/messages/{id}", topic.id);
    let edited = ben.asks("PUT", &path).json(&json!({"text": "the bowline"})).await.ok();
    assert_eq!(edited["message"]["parent_id"], json!(climbers.id));
    ana.posts(&format!("{path}/pin")).await.ok();
    let reply = json!({"type": "reply", "reply_id": id, "base_reply_id": id});
    let answer =
        ana.posting(&topic, json!({"text": "yes", "attachments": [reply]})).await.created();
    assert_eq!(answer["message"]["parent_id"], json!(climbers.id));
    let elsewhere = ana.posting(&climbers, json!({"text": "yes", "attachments": [reply]})).await;
    assert_eq!(elsewhere.status, 400, "a message of a topic is none of its group");
    let options = [json!({"title": "six"}), json!({"title": "seven"})];
    let poll =
        json!({"subject": "When?", "options": options, "expiration": world.clock_seconds() + 3600});
    let poll = ben.posts(&format!("/v3/poll/{}", topic.id)).json(&poll).await.created();
    let poll = text(&poll["poll"]["data"]["id"]).to_owned();
    ana.posts(&format!("/v3/poll/{}/{poll}/1", topic.id)).await.ok();
    let event = json!({"name": "Climbing", "start_at": "2027-03-01T10:00:00Z",
        "end_at": "2027-03-01T12:00:00Z", "timezone": "Europe/Berlin", "is_all_day": false});
    ben.posts(&format!("/v3/conversations/{}/events/create", topic.id))
        .json(&event)
        .await
        .created();
    for _ in 0..2 {
        let page = ben.reads(&topic, "").await;
        assert!(page.iter().all(|it| it["parent_id"] == json!(climbers.id)), "{page:?}");
        let pinned = ben.gets(&format!("/v3/pinned/groups/{}/messages", topic.id)).await.ok();
        assert_eq!(pinned["messages"][0]["text"], "the bowline");
        let shown = ana.gets(&format!("/v3/poll/{}/{poll}", topic.id)).await.ok();
        assert_eq!(shown["poll"]["data"]["options"][0]["votes"], 1);
        let thread = ben.gets(&format!("{path}/replies")).await.ok();
        assert_eq!(thread["messages"][0]["text"], "yes");
        assert_eq!(ben.reads(&climbers, "").await.len(), 2, "nothing of it is in the group");
        world.restarts().await;
    }
    assert_eq!(ana.asks("DELETE", &path).await.status, 204);
    assert_eq!(ben.gets("/v3/search/messages?q=bowline").await.status, 304);
}

#[tokio::test]
async fn rules_reports_and_timeouts_hold_in_a_topic() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let topic = ana.makes_topic(&climbers, "Knots").await;
    let rule = |action: &str, word: &str| {
        json!({"name": word, "enabled": true, "kind": "words",
        "words": [word], "action": action})
    };
    ben.says(&topic, "before there are rules").await;
    ana.posts(&climbers.path("/rules")).json(&rule("refuse", "granny")).await.created();
    ana.posts(&climbers.path("/rules")).json(&rule("hold", "slip")).await.created();
    for _ in 0..2 {
        assert_eq!(ben.posting(&topic, json!({"text": "a granny knot"})).await.status, 422);
        ana.says(&topic, "the granny knot slips").await;
        world.restarts().await;
    }
    let held = ben.posting(&topic, json!({"text": "a slip knot"})).await;
    assert_eq!(held.status, 202);
    let waiting = ana.gets(&topic.path("/held")).await.ok();
    assert_eq!(waiting["held"].as_array().unwrap().len(), 1, "{waiting}");
    let id = text(&waiting["held"][0]["id"]);
    ana.posts(&topic.path(&format!("/held/{id}"))).json(&json!({"approve": true})).await.ok();
    let page = cem.reads(&topic, "").await;
    assert_eq!(
        (&page[0]["text"], &page[0]["parent_id"]),
        (&json!("a slip knot"), &json!(climbers.id))
    );
    // A name that a rule does not allow.
    let named = ana.making_topic(&climbers, json!({"topic": "granny"})).await;
    assert_eq!(named.status, 201, "rules do not bind the owner");
    // A report is filed and resolved where the message is.
    let message = text(&page[0]["id"]);
    let report = format!("/v3/conversations/{}/messages/{message}/report", topic.id);
    cem.posts(&report).json(&json!({"reason": "spam"})).await.created();
    let reports = ana.gets(&topic.path("/reports")).await.ok();
    let id = text(&reports["reports"][0]["id"]).to_owned();
    let resolve = topic.path(&format!("/reports/{id}/resolve"));
    let problems = ana.posts(&resolve).json(&json!({"action": "ban"})).await.refused(400);
    let told = "action cannot be remove or ban in a topic; remove or ban the member in the group";
    assert_eq!(problems, [told]);
    ana.posts(&resolve).json(&json!({"action": "delete"})).await.ok();
    // A timeout of the group holds in the topic.
    let shown = ana.sees(&climbers).await;
    let membership = text(&crate::group_acts::member(&shown, &ben)["id"]).to_owned();
    let timeout = climbers.path(&format!("/members/{membership}/timeout"));
    ana.asks("PUT", &timeout).json(&json!({"seconds": 600})).await.ok();
    for _ in 0..2 {
        ben.posting(&topic, json!({"text": "x"})).await.refused(403);
        world.restarts().await;
    }
    ana.asks("DELETE", &timeout).await.ok();
    ben.says(&topic, "again").await;
    // A report about the owner goes to the operators.
    let owners = text(&ana.says(&topic, "by the owner").await["id"]).to_owned();
    let report = format!("/v3/conversations/{}/messages/{owners}/report", topic.id);
    ben.posts(&report).json(&json!({"reason": "spam"})).await.created();
}

#[tokio::test]
async fn a_rule_spares_topics() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let free = ana.makes_topic(&climbers, "Anything goes").await;
    let other = ana.makes_topic(&climbers, "Knots").await;
    let mut rule = json!({"name": "Granny", "kind": "words", "words": ["granny"],
        "action": "refuse", "exempt": {"bots": false, "topics": [free.id]}});
    let saved = ana.posts(&climbers.path("/rules")).json(&rule).await.created();
    assert_eq!(saved["rule"]["exempt"], json!({"bots": false, "topics": [free.id]}));
    for _ in 0..2 {
        ben.says(&free, "a granny knot").await;
        for place in [&other, &climbers] {
            assert_eq!(ben.posting(place, json!({"text": "a granny knot"})).await.status, 422);
        }
        world.restarts().await;
    }
    let path = climbers.path(&format!("/rules/{}", text(&saved["rule"]["id"])));
    // The topic is removed; the rule may keep it, and no other.
    ana.asks("DELETE", &of_group(&climbers, &free)).await.ok();
    rule["name"] = json!("Knots");
    ana.asks("PUT", &path).json(&rule).await.ok();
    rule["exempt"] = json!({"topics": ["77"]});
    let problems = ana.asks("PUT", &path).json(&rule).await.refused(400);
    assert_eq!(problems, ["exempt.topics: there is no such topic in this group"]);
    rule["exempt"] = json!({"topics": [{}]});
    let problems = ana.asks("PUT", &path).json(&rule).await.refused(400);
    assert_eq!(problems, ["exempt.topics must be an array of ids of topics"]);
    rule["exempt"] = json!({});
    let saved = ana.asks("PUT", &path).json(&rule).await.ok();
    assert_eq!(saved["rule"]["exempt"], json!({"bots": false}));
}
