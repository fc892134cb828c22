//! Rules of a group: what the server refuses, reports and answers with a timeout by itself.

use serde_json::{Value, json};

use crate::bans::until;
use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::asking::Asking;
use crate::world::person::{Group, Person, text};

/// A rule that refuses a word.
pub(crate) fn no_ads() -> Value {
    json!({"name": "No ads", "kind": "words", "words": ["cheap*"], "action": "refuse",
        "message": "No advertisements, please."})
}

impl Person {
    fn saving_rule(&self, group: &Group, rule: &Value) -> Asking {
        self.posts(&group.path("/rules")).json(rule)
    }

    /// Makes a rule and returns its id.
    async fn makes_rule(&self, group: &Group, rule: &Value) -> String {
        let saved = self.saving_rule(group, rule).await.created();
        text(&saved["rule"]["id"]).to_owned()
    }

    /// Posts a text and returns the status.
    pub(crate) async fn tries(&self, group: &Group, words: &str) -> u16 {
        self.posting(group, json!({"text": words})).await.status
    }

    pub(crate) async fn reads_audit(&self, group: &Group) -> Vec<Value> {
        let audit = self.gets(&group.path("/audit")).await.ok();
        audit["entries"].as_array().unwrap().clone()
    }
}

#[tokio::test]
async fn rule_refuses_posts_and_edits_with_its_message() {
    let mut world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    makes_admin(&ana, &cara, &climbers).await;
    let rule = cara.makes_rule(&climbers, &no_ads()).await;
    let said = ben.says(&climbers, "rope at six").await;
    for _ in 0..2 {
        let refused = ben.posting(&climbers, json!({"text": "ＣＨＥÁPest ro\u{200b}pes"})).await;
        let whole: Value = serde_json::from_str(&refused.text).unwrap();
        assert_eq!(whole["meta"]["details"], json!({"rule": rule}));
        assert_eq!(refused.refused(422), ["No advertisements, please."]);
        world.restarts().await;
    }
    let message = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    let edit = ben.asks("PUT", &message).json(&json!({"text": "cheap rope"})).await;
    assert_eq!(edit.refused(422), ["No advertisements, please."]);
    for free in [&ana, &cara] {
        free.says(&climbers, "cheap rope").await;
    }
    let shown = ben.gets(&climbers.path("/messages")).await.ok();
    let texts: Vec<&Value> =
        shown["messages"].as_array().unwrap().iter().map(|it| &it["text"]).collect();
    assert_eq!(texts.iter().filter(|it| ***it == "cheap rope").count(), 2);
    assert!(texts.contains(&&json!("rope at six")), "{texts:?}");
    let audit = ana.reads_audit(&climbers).await;
    let refused: Vec<&Value> = audit.iter().filter(|it| it["act"] == "message_refused").collect();
    assert_eq!(refused.len(), 3);
    assert_eq!(refused[0]["message_id"], said["id"]);
    let by = json!({"user_id": cara.id, "kind": "rule", "rule": {"id": rule, "name": "No ads"}});
    for entry in refused {
        assert_eq!((&entry["by"], &entry["target"]), (&by, &json!(ben.id)));
    }
    let made = audit.iter().find(|it| it["act"] == "rule_created").unwrap();
    assert_eq!((&made["by"]["kind"], &made["rule"]["id"]), (&json!("member"), &json!(rule)));
}

#[tokio::test]
async fn rules_are_saved_tried_switched_off_and_deleted() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let rule = ana.makes_rule(&climbers, &no_ads()).await;
    let test = climbers.path("/rules/test");
    let tried = ana.posts(&test).json(&json!({"text": "cheaper"})).await.ok();
    let shown = json!({"id": rule, "name": "No ads", "enabled": true, "action": "refuse"});
    assert_eq!(tried, json!({"rules": [shown]}));
    let tried = ana.posts(&test).json(&json!({"text": "rope"})).await.ok();
    assert_eq!(tried, json!({"rules": []}));
    let mut off = no_ads();
    off["enabled"] = json!(false);
    off["exempt"] = json!({"bots": true});
    let path = climbers.path(&format!("/rules/{rule}"));
    let saved = ana.asks("PUT", &path).json(&off).await.ok();
    assert_eq!(saved["rule"]["exempt"], json!({"bots": true}));
    assert_eq!(ben.tries(&climbers, "cheap").await, 201);
    world.restarts().await;
    let listed = ana.gets(&climbers.path("/rules")).await.ok();
    assert_eq!(listed, json!({"rules": [saved["rule"]]}));
    assert_eq!(ana.asks("DELETE", &path).await.status, 200);
    assert_eq!(ana.gets(&climbers.path("/rules")).await.ok(), json!({"rules": []}));
    ana.asks("DELETE", &path).await.refused(404);
    ana.asks("PUT", &path).json(&off).await.refused(404);
    ben.gets(&climbers.path("/rules")).await.refused(403);
    ben.saving_rule(&climbers, &off).await.refused(403);
    for _ in 0..20 {
        ana.makes_rule(&climbers, &off).await;
    }
    let errors = ana.saving_rule(&climbers, &off).await.refused(400);
    assert_eq!(errors, ["a group has at most 20 rules"]);
}

/// Fields of a rule, and the error about them.
const WRONG: [(&str, &str); 18] = [
    (
        r#"{"kind": "spam"}"#,
        "kind must be one of words, patterns, links, mentions, repeat, flood, newcomers, \
         attachments, profile",
    ),
    (r#"{"kind": "words"}"#, "words is required"),
    (r#"{"kind": "words", "words": []}"#, "words must have at least one entry"),
    (
        r#"{"kind": "words", "words": ["*"]}"#,
        "words[0] must have a character other than * and blanks",
    ),
    (
        r#"{"kind": "patterns", "patterns": ["(a"]}"#,
        "patterns[0] is no regular expression: unclosed group",
    ),
    (
        r#"{"kind": "patterns", "patterns": ["\\w{200}"]}"#,
        "patterns[0] takes more than 262144 bytes when it is compiled",
    ),
    (r#"{"kind": "links"}"#, "links or invites is required"),
    (r#"{"kind": "links", "links": "only"}"#, "hosts is required"),
    (
        r#"{"kind": "links", "links": "only", "hosts": ["a/b"]}"#,
        "hosts[0] must be a host such as example.com, of at most 253 characters",
    ),
    (r#"{"kind": "mentions", "limit": 1001}"#, "limit must be between 0 and 1000"),
    (r#"{"kind": "repeat", "count": 1, "seconds": 5}"#, "count must be between 2 and 50"),
    (r#"{"kind": "flood", "count": 3, "seconds": 3601}"#, "seconds must be between 1 and 3600"),
    (r#"{"kind": "newcomers", "without": ["links"]}"#, "hours or messages is required"),
    (
        r#"{"kind": "newcomers", "hours": 169, "without": ["links"]}"#,
        "hours must be between 1 and 168",
    ),
    (
        r#"{"kind": "newcomers", "messages": 5, "without": ["air"]}"#,
        "without[0] must be one of links, attachments, mentions, posts",
    ),
    (
        r#"{"kind": "attachments", "types": ["poll"]}"#,
        "types[0] must be one of image, video, audio, file, location, emoji, split",
    ),
    (
        r#"{"kind": "words", "words": ["a"], "action": "timeout"}"#,
        "timeout is required for the action timeout",
    ),
    (
        r#"{"kind": "words", "words": ["a"], "timeout": 2419201}"#,
        "timeout must be between 1 and 2419200",
    ),
];

/// A rule with these fields.
fn rule_with(fields: Value) -> Value {
    let mut rule = json!({"name": "Rule", "action": "refuse"});
    let Value::Object(fields) = fields else { panic!("{fields}") };
    rule.as_object_mut().unwrap().extend(fields);
    rule
}

#[tokio::test]
async fn rule_is_refused_with_its_field() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    for (fields, error) in WRONG {
        let rule = rule_with(serde_json::from_str(fields).unwrap());
        assert_eq!(ana.saving_rule(&climbers, &rule).await.refused(400), [error], "{fields}");
    }
    let hide = rule_with(json!({"kind": "words", "words": ["a"], "action": "hide"}));
    let errors = ana.saving_rule(&climbers, &hide).await.refused(400);
    assert_eq!(errors, ["action must be one of refuse, hold, report, timeout"]);
}

#[tokio::test]
async fn rule_is_refused_with_its_limit() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let long = |chars: usize| "a".repeat(chars);
    let most = |field: &str, entries: usize, most: usize| {
        format!("{field} has {entries} entries, at most {most} are allowed")
    };
    let chars = |field: &str, chars: usize, most: usize| {
        format!("{field} is too long: {chars} characters, at most {most} are allowed")
    };
    let cases = [
        (json!({"kind": "words", "words": vec!["a"; 1001]}), most("words", 1001, 1000)),
        (json!({"kind": "words", "words": ["a", long(61)]}), chars("words[1]", 61, 60)),
        (
            json!({"kind": "words", "words": ["a"], "allow": vec!["a"; 101]}),
            most("allow", 101, 100),
        ),
        (json!({"kind": "patterns", "patterns": vec!["a"; 11]}), most("patterns", 11, 10)),
        (json!({"kind": "patterns", "patterns": [long(261)]}), chars("patterns[0]", 261, 260)),
        (
            json!({"kind": "links", "links": "only", "hosts": vec!["a.example"; 201]}),
            most("hosts", 201, 200),
        ),
        (
            json!({"kind": "words", "words": ["a"], "message": long(151)}),
            chars("message", 151, 150),
        ),
        (json!({"kind": "words", "words": ["a"], "name": long(61)}), chars("name", 61, 60)),
    ];
    for (fields, error) in cases {
        let rule = rule_with(fields);
        assert_eq!(ana.saving_rule(&climbers, &rule).await.refused(400), [error]);
    }
}

#[tokio::test]
async fn rule_reports_posts_and_times_authors_out() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let rule = json!({"name": "Shouting", "kind": "patterns", "patterns": ["[A-Z]{5}"],
        "action": "report", "timeout": 600});
    let rule = ana.makes_rule(&climbers, &rule).await;
    let said = ben.says(&climbers, "ROPES now").await;
    let told = "you are timed out in this group; until then, you can only read and leave";
    for _ in 0..2 {
        let refused = ben.posting(&climbers, json!({"text": "rope"})).await;
        assert_eq!(refused.refused(403), [told]);
        let reports = ana.gets(&climbers.path("/reports")).await.ok();
        let report = &reports["reports"][0];
        assert_eq!(report["message"]["id"], said["id"]);
        assert_eq!(
            report["rules"],
            json!([{"id": rule, "name": "Shouting", "by_operators": false}])
        );
        assert_eq!((&report["reasons"], &report["count"]), (&json!({"rules": 1}), &json!(1)));
        world.restarts().await;
    }
    let shown = ben.gets(&climbers.path("/permissions")).await.ok();
    assert_eq!(shown["timed_out_until"], 1_800_000_600);
    let seen = ana.gets(&climbers.path("/permissions")).await.ok();
    assert_eq!(seen["timeouts"][0]["rule"], rule.as_str());
    let acts: Vec<Value> = ana.reads_audit(&climbers).await;
    let acts: Vec<&Value> =
        acts.iter().filter(|it| it["by"]["kind"] == "rule").map(|it| &it["act"]).collect();
    assert_eq!(acts, ["timed_out", "message_reported"]);
    world.seconds_pass(600);
    ben.says(&climbers, "rope").await;
}

#[tokio::test]
async fn links_mentions_and_names_are_limited() {
    let world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    let links = json!({"name": "Links", "kind": "links", "links": "except",
        "hosts": ["climb.example"], "invites": true, "action": "refuse"});
    ana.makes_rule(&climbers, &links).await;
    let mentions = json!({"name": "Mentions", "kind": "mentions", "limit": 1, "action": "refuse"});
    ana.makes_rule(&climbers, &mentions).await;
    let names = json!({"name": "Names", "kind": "profile", "words": ["*admin*"],
        "action": "refuse", "message": "Choose another name."});
    ana.makes_rule(&climbers, &names).await;
    let places = json!({"name": "Places", "kind": "attachments", "types": ["location"],
        "action": "refuse"});
    ana.makes_rule(&climbers, &places).await;
    for (words, status) in [
        ("see https://www.climb.example/a", 201),
        ("see https://aclimb.example/a", 422),
        ("https://climb.example/join_group/1/abc", 422),
        ("no link", 201),
    ] {
        assert_eq!(ben.tries(&climbers, words).await, status, "{words}");
    }
    let mention = |who: &[&str]| {
        let loci = vec![[0, 1]; who.len()];
        json!({"text": "hi", "attachments": [{"type": "mentions", "user_ids": who, "loci": loci}]})
    };
    let both = [ana.id.as_str(), cara.id.as_str()];
    assert_eq!(ben.posting(&climbers, mention(&both)).await.status, 422);
    assert_eq!(ben.posting(&climbers, mention(&both[..1])).await.status, 201);
    let place =
        json!({"attachments": [{"type": "location", "name": "Gym", "lat": "1", "lng": "2"}]});
    assert_eq!(ben.posting(&climbers, place).await.status, 422);
    let nickname = json!({"membership": {"nickname": "The Ádmin"}});
    let path = climbers.path("/memberships/update");
    let errors = ben.posts(&path).json(&nickname).await.refused(422);
    assert_eq!(errors, ["Choose another name."]);
    cara.posts(&path).json(&json!({"membership": {"nickname": "Carla"}})).await.ok();
}

/// Everything else in which a plain member writes a text into a group: path, method and body.
fn writings(group: &Group, event: &str, words: &str) -> Vec<(&'static str, String, Value)> {
    let poll = |subject: &str, option: &str| {
        json!({"subject": subject, "options": [{"title": "one"}, {"title": option}],
            "expiration": 1_800_100_000, "type": "single", "visibility": "public"})
    };
    let event_with = |field: &str, value: Value| {
        let mut event = trip();
        event[field] = value;
        event
    };
    let create = format!("/v3/conversations/{}/events/create", group.id);
    let update = format!("/v3/conversations/{}/events/update?event_id={event}", group.id);
    let place = json!({"name": words});
    vec![
        ("POST", format!("/v3/poll/{}", group.id), poll(words, "two")),
        ("POST", format!("/v3/poll/{}", group.id), poll("When?", words)),
        ("POST", create.clone(), event_with("name", json!(words))),
        ("POST", create.clone(), event_with("description", json!(words))),
        ("POST", create, event_with("location", place)),
        ("POST", update.clone(), json!({"name": words})),
        ("POST", update, json!({"description": words})),
        ("POST", group.path("/update"), json!({"name": words})),
        ("POST", group.path("/update"), json!({"description": words})),
    ]
}

fn trip() -> Value {
    json!({"name": "Trip", "start_at": "2027-02-01T10:00:00Z", "end_at": "2027-02-01T12:00:00Z",
        "is_all_day": false, "timezone": "UTC"})
}

impl Person {
    /// Plans an event and returns its id.
    async fn plans_trip(&self, group: &Group) -> String {
        let path = format!("/v3/conversations/{}/events/create", group.id);
        let made = self.posts(&path).json(&trip()).await.created();
        text(&made["event"]["event_id"]).to_owned()
    }
}

#[tokio::test]
async fn every_text_of_members_keeps_the_rules() {
    let world = World::start().await;
    for action in ["refuse", "hold"] {
        let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
        let event = ben.plans_trip(&climbers).await;
        let mut rule = no_ads();
        rule["action"] = json!(action);
        ana.makes_rule(&climbers, &rule).await;
        let before = ana.gets(&climbers.path("/messages")).await.ok();
        for (method, path, body) in writings(&climbers, &event, "cheap ropes") {
            let refused = ben.asks(method, &path).json(&body).await.refused(422);
            assert_eq!(refused, ["No advertisements, please."], "{path} {body}");
        }
        assert_eq!(ana.gets(&climbers.path("/messages")).await.ok(), before);
        let audit = ana.reads_audit(&climbers).await;
        assert_eq!(audit.iter().filter(|it| it["act"] == "message_refused").count(), 9);
        assert_eq!(ana.gets(&climbers.path("/held")).await.ok(), json!({"held": []}));
        for (method, path, body) in writings(&climbers, &event, "good ropes") {
            let answer = ben.asks(method, &path).json(&body).await;
            assert!(matches!(answer.status, 200 | 201), "{path} {body}: {}", answer.text);
        }
        for (method, path, body) in writings(&climbers, &event, "cheap ropes") {
            let answer = ana.asks(method, &path).json(&body).await;
            assert!(matches!(answer.status, 200 | 201), "{path} {body}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn polls_and_events_are_reported() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let event = ben.plans_trip(&climbers).await;
    let mut rule = no_ads();
    rule["action"] = json!("report");
    ana.makes_rule(&climbers, &rule).await;
    let all = writings(&climbers, &event, "cheap ropes");
    let mut reported = Vec::new();
    for (method, path, body) in [&all[0], &all[2], &all[5]] {
        let done = ben.asks(method, path).json(body).await;
        assert!(matches!(done.status, 200 | 201), "{path}: {}", done.text);
        let reports = ana.gets(&climbers.path("/reports?state=open")).await.ok();
        let reports = reports["reports"].as_array().unwrap();
        reported.push(reports.len());
        let message = &reports[0]["message"];
        assert_eq!(message["user_id"], json!(ben.id), "{path}");
        assert!(message["attachments"][0]["type"].is_string(), "{path}: {message}");
    }
    assert_eq!(reported, [1, 2, 3]);
}

#[tokio::test]
async fn names_of_bots_keep_the_rules_of_names() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let names = json!({"name": "Names", "kind": "profile", "words": ["*admin*"],
        "action": "refuse", "message": "Choose another name."});
    ana.makes_rule(&climbers, &names).await;
    let bot = |name: &str| json!({"bot": {"name": name, "group_id": climbers.id}});
    let errors = ben.posts("/v3/bots").json(&bot("Admin")).await.refused(422);
    assert_eq!(errors, ["Choose another name."]);
    let made = ben.posts("/v3/bots").json(&bot("Tide")).await.created();
    let update = format!("/v3/bots/{}/update", text(&made["bot_id"]));
    ben.posts(&update).json(&json!({"name": "Admin"})).await.refused(422);
    ana.posts("/v3/bots").json(&bot("Admin")).await.created();
}

#[tokio::test]
async fn nicknames_of_added_people_keep_the_rules_of_names() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    let names = json!({"name": "Names", "kind": "profile", "words": ["*admin*"],
        "action": "refuse", "message": "Choose another name."});
    ana.makes_rule(&climbers, &names).await;
    let items = |nickname: &str| {
        json!([{"nickname": "Eve", "email": "eve@example.org"},
            {"nickname": nickname, "user_id": cem.id}])
    };
    let body = json!({"members": items("Admin")});
    let refused = ben.posts(&climbers.path("/members/add")).json(&body).await;
    assert_eq!(refused.refused(422), ["Choose another name."]);
    assert_eq!(ben.adds_items(&climbers, items("Cem")).await.len(), 1);
    ana.removes(&cem, &climbers).await.ok();
    assert_eq!(ana.adds_items(&climbers, items("Admin")).await.len(), 1);
}

#[tokio::test]
async fn floods_repeats_and_newcomers_are_counted() {
    let mut world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    let flood = json!({"name": "Flood", "kind": "flood", "count": 3, "seconds": 60,
        "action": "refuse"});
    let flood = ana.makes_rule(&climbers, &flood).await;
    for status in [201, 201, 422, 422] {
        assert_eq!(ben.tries(&climbers, "rope").await, status);
        world.restarts().await;
    }
    assert_eq!(cara.tries(&climbers, "rope").await, 201);
    world.seconds_pass(60);
    assert_eq!(ben.tries(&climbers, "rope").await, 201);
    let path = climbers.path(&format!("/rules/{flood}"));
    let repeat = json!({"name": "Repeat", "kind": "repeat", "count": 2, "seconds": 60,
        "action": "refuse"});
    ana.asks("PUT", &path).json(&repeat).await.ok();
    for (words, status) in [("Rope!", 201), ("chalk", 201), ("rópe!", 422), ("tape", 201)] {
        assert_eq!(ben.tries(&climbers, words).await, status, "{words}");
    }
    let newcomers = json!({"name": "New", "kind": "newcomers", "messages": 2,
        "without": ["links"], "action": "refuse"});
    ana.asks("PUT", &path).json(&newcomers).await.ok();
    let [dan] = world.people(["Dan"]).await;
    ana.adds(&dan, &climbers).await;
    let link = "https://rope.example/a";
    for (words, status) in [(link, 422), ("hello", 201), (link, 422), ("rope?", 201), (link, 201)] {
        assert_eq!(dan.tries(&climbers, words).await, status, "{words}");
        world.restarts().await;
    }
}

#[tokio::test]
async fn bots_of_plain_members_keep_the_rules_unless_exempt() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut rule = no_ads();
    rule["timeout"] = json!(60);
    let id = ana.makes_rule(&climbers, &rule).await;
    let mut bots = Vec::new();
    for maker in [&ana, &ben] {
        let bot = json!({"name": "Tides", "group_id": climbers.id});
        let made = maker.posts("/v3/bots").json(&bot).await.created();
        bots.push(text(&made["bot_id"]).to_owned());
    }
    let post = async |bot: &str| {
        let body = json!({"bot_id": bot, "text": "cheap rope"});
        ana.posts("/v3/bots/post").json(&body).await.status
    };
    assert_eq!(post(&bots[0]).await / 100, 2);
    assert_eq!(post(&bots[1]).await, 422);
    ben.says(&climbers, "a bot's post times nobody out").await;
    rule["exempt"] = json!({"bots": true});
    let path = climbers.path(&format!("/rules/{id}"));
    ana.asks("PUT", &path).json(&rule).await.ok();
    assert_eq!(post(&bots[1]).await / 100, 2);
}

#[tokio::test]
async fn only_admins_receive_events_of_rules() {
    let world = World::start().await;
    let ([ana, ben, cara], climbers) = world.climbing(["Ana", "Ben", "Cara"]).await;
    makes_admin(&ana, &cara, &climbers).await;
    let mut feeds = [cara.listens().await, ben.listens().await];
    let rule = ana.makes_rule(&climbers, &no_ads()).await;
    let path = climbers.path(&format!("/rules/{rule}"));
    let mut other = no_ads();
    other["name"] = json!("Ads");
    ana.asks("PUT", &path).json(&other).await.ok();
    assert_eq!(ben.tries(&climbers, "cheap").await, 422);
    ana.asks("DELETE", &path).await.ok();
    for kind in ["rule.create", "rule.update", "rule.refusal", "rule.delete"] {
        let heard = until(&mut feeds[0], |frame| frame["type"] == kind).await;
        let last = heard.last().unwrap();
        assert_eq!(last["data"], json!({"rule_id": rule}));
    }
    ana.says(&climbers, "last").await;
    let line = until(&mut feeds[1], |frame| {
        let kind = text(&frame["type"]);
        assert!(!kind.starts_with("rule."), "{frame}");
        kind == "line.create"
    });
    line.await;
}

#[tokio::test]
async fn rule_reports_names_that_no_message_shows() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let names = json!({"name": "Names", "kind": "profile", "words": ["*admin*"],
        "action": "report"});
    ana.posts(&climbers.path("/rules")).json(&names).await.created();
    let renamed = json!({"membership": {"nickname": "The admin"}});
    ben.posts(&climbers.path("/memberships/update")).json(&renamed).await.ok();
    world.restarts().await;
    let reports = ana.gets(&climbers.path("/reports")).await.ok()["reports"].clone();
    let report = &reports[0];
    assert_eq!(report["message"]["text"], "The admin");
    assert_eq!(
        (&report["message"]["id"], &report["message"]["user_id"]),
        (&report["id"], &json!(ben.id))
    );
    assert_eq!((&report["rules"][0]["name"], &report["count"]), (&json!("Names"), &json!(1)));
    let resolve = climbers.path(&format!("/reports/{}/resolve", text(&report["id"])));
    let refused = ana.posts(&resolve).json(&json!({"action": "delete"})).await.refused(404);
    assert_eq!(refused, ["there is no such message"]);
    ana.posts(&resolve).json(&json!({"action": "dismiss"})).await.ok();
    ana.posts(&resolve).json(&json!({"action": "dismiss"})).await.refused(409);
}
