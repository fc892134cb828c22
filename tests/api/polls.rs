//! Polls: who may ask and vote, what everybody is told, and how polls end.

use serde_json::{Value, json};

use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::bayeux::{BOTH, Client};
use crate::world::person::{Group, Person, text};

/// The time at which every test begins, in Unix seconds.
const START: u64 = 1_800_000_000;

fn poll(kind: &str, visibility: &str) -> Value {
    json!({"subject": "When?", "options": [{"title": "six"}, {"title": "seven"}, {"title": "eight"}],
        "expiration": START + 3600, "type": kind, "visibility": visibility})
}

async fn asks(by: &Person, group: &Group, poll: &Value) -> Value {
    by.posts(&format!("/v3/poll/{}", group.id)).json(poll).await.created()
}

fn place(group: &Group, made: &Value) -> String {
    format!("/v3/poll/{}/{}", group.id, text(&made["poll"]["data"]["id"]))
}

async fn votes(by: &Person, place: &str, votes: &[&str]) -> Answer {
    by.posts(place).json(&json!({"votes": votes})).await
}

/// The number of votes for each option.
fn tally(poll: &Value) -> Vec<u64> {
    let options = poll["data"]["options"].as_array().unwrap().iter();
    options.map(|option| option.get("votes").map_or(0, |votes| votes.as_u64().unwrap())).collect()
}

#[tokio::test]
async fn members_see_poll_votes_and_end() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let made = asks(&ana, &climbers, &poll("single", "public")).await;
    let (at, data) = (place(&climbers, &made), &made["poll"]["data"]);
    let expected = json!({"id": data["id"], "subject": "When?", "owner_id": ana.id,
        "conversation_id": climbers.id, "created_at": data["created_at"],
        "expiration": START + 3600, "status": "active", "options": [{"id": "1", "title": "six"},
        {"id": "2", "title": "seven"}, {"id": "3", "title": "eight"}],
        "last_modified": data["created_at"], "type": "single", "visibility": "public"});
    assert_eq!(made["poll"], json!({"data": expected, "user_vote": null, "user_votes": null}));
    let event = json!({"type": "poll.created", "data": {"conversation": {"id": climbers.id},
        "poll": {"id": data["id"], "subject": "When?"}, "user": {"id": ana.id, "nickname": "Ana"}}});
    assert_eq!((&made["message"]["event"], &made["message"]["system"]), (&event, &json!(false)));
    assert_eq!(made["message"]["attachments"], json!([{"type": "poll", "poll_id": data["id"]}]));
    let mut live = vec![feed.hears_of("poll.create").await, feed.hears_of("line.create").await];
    assert_eq!(live[0]["data"], json!({"data": expected}));
    assert_eq!(live[1]["data"], made["message"]);
    assert_eq!(ben.posts(&format!("{at}/2")).await.ok()["poll"]["user_vote"], "2");
    let changed = votes(&ben, &at, &["3"]).await.ok();
    assert_eq!(
        (&changed["poll"]["user_vote"], tally(&changed["poll"])),
        (&json!("3"), vec![0, 0, 1])
    );
    votes(&ben, &at, &["3"]).await.ok();
    let shown = votes(&ana, &at, &["3"]).await.ok()["poll"].clone();
    assert_eq!(
        shown["data"]["options"][2],
        json!({"id": "3", "title": "eight", "votes": 2,
        "voter_ids": [ana.id, ben.id]})
    );
    for expected in [[0, 1, 0], [0, 0, 1], [0, 0, 2]] {
        let told = feed.hears_of("poll.update").await;
        assert_eq!(tally(&told["data"]), expected);
        assert_eq!(told["data"].get("user_vote"), None);
        live.push(told);
    }
    world.restarts().await;
    assert_eq!(ana.gets(&at).await.ok()["poll"], shown);
    let listed = ben.gets(&format!("/v3/poll/{}", climbers.id)).await.ok();
    assert_eq!(
        (&listed["polls"][0]["data"], &listed["continuation_token"]),
        (&shown["data"], &Value::Null)
    );
    ben.posts(&format!("{at}/end")).await.refused(403);
    let mut feed = ben.listens().await;
    let ended = ana.posts(&format!("{at}/end")).await.ok();
    assert_eq!(ended["poll"]["data"]["status"], "past");
    live.push(feed.hears_of("poll.finished").await);
    live.push(feed.hears_of("line.create").await);
    assert_eq!(live[5]["data"]["data"], ended["poll"]["data"]);
    let line = &live[6]["data"];
    assert_eq!(line["text"], "The poll 'When?' has ended: six 0, seven 0, eight 2.");
    assert_eq!(line["event"]["type"], "poll.finished");
    assert_eq!(
        line["event"]["data"]["options"][2],
        json!({"id": "3", "title": "eight", "votes": 2})
    );
    votes(&ben, &at, &["1"]).await.refused(400);
    ana.posts(&format!("{at}/end")).await.refused(400);
    replays_the_same(&ben, &start, &live).await;
}

#[tokio::test]
async fn anonymous_poll_reveals_no_voters() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let made = asks(&ana, &climbers, &poll("multi", "anonymous")).await;
    let at = place(&climbers, &made);
    let (start, mut feed) = (here(&ana).await, ana.listens().await);
    let voted = votes(&ben, &at, &["3", "1", "3"]).await.ok();
    assert_eq!(
        (&voted["poll"]["user_votes"], &voted["poll"]["user_vote"]),
        (&json!(["1", "3"]), &Value::Null)
    );
    votes(&cem, &at, &["1"]).await.ok();
    let mut live = vec![feed.hears_of("poll.update").await, feed.hears_of("poll.update").await];
    for told in &live {
        assert_eq!(tally(&told["data"]), [0, 0, 0]);
        let frame = told.to_string();
        assert!(!frame.contains(&ben.id) && !frame.contains(&cem.id), "{frame}");
    }
    for _ in 0..2 {
        for answer in
            [ana.gets(&at).await.ok(), ana.gets(&format!("/v3/poll/{}", climbers.id)).await.ok()]
        {
            let poll = if answer["poll"].is_null() { &answer["polls"][0] } else { &answer["poll"] };
            assert_eq!((tally(poll), &poll["user_votes"]), (vec![2, 0, 1], &Value::Null));
            let answer = answer.to_string();
            assert!(!answer.contains("voter_ids"), "{answer}");
            assert!(!answer.contains(&ben.id) && !answer.contains(&cem.id), "{answer}");
        }
        assert_eq!(ben.gets(&at).await.ok()["poll"]["user_votes"], json!(["1", "3"]));
        world.restarts().await;
    }
    let mut feed = ana.listens().await;
    ana.posts(&format!("{at}/end")).await.ok();
    live.push(feed.hears_of("poll.finished").await);
    live.push(feed.hears_of("line.create").await);
    assert_eq!(tally(&live[2]["data"]), [2, 0, 1]);
    assert!(!live[2].to_string().contains(&ben.id));
    replays_the_same(&ana, &start, &live).await;
}

#[tokio::test]
async fn poll_expires_despite_downtime() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let soon = json!({"subject": "Now?", "options": [{"title": "yes"}, {"title": "no"}],
        "expiration": START + 90});
    let first = asks(&ana, &climbers, &soon).await;
    votes(&ben, &place(&climbers, &first), &["1"]).await.ok();
    world.seconds_pass(85);
    let mut feed = ben.listens().await;
    world.seconds_pass(6);
    votes(&ana, &place(&climbers, &first), &["1"]).await.refused(400);
    let told = feed.hears_of("poll.finished").await;
    assert_eq!(
        (tally(&told["data"]), &told["data"]["data"]["status"]),
        (vec![1, 0], &json!("past"))
    );
    feed.hears("The poll 'Now?' has ended: yes 1, no 0.").await;
    let later = json!({"subject": "Later?", "options": [{"title": "yes"}, {"title": "no"}],
        "expiration": START + 400});
    let second = asks(&ana, &climbers, &later).await;
    feed.hears_of("poll.create").await;
    feed.hears_of("line.create").await;
    let start = here(&ben).await;
    world.stops().await;
    world.seconds_pass(600);
    world.restarts().await;
    let mut feed = ben.listens_after(&start).await;
    feed.hears_of("poll.finished").await;
    feed.hears("The poll 'Later?' has ended: yes 0, no 0.").await;
    let shown = ana.gets(&place(&climbers, &second)).await.ok();
    assert_eq!(shown["poll"]["data"]["status"], "past");
}

#[tokio::test]
async fn deleting_the_message_deletes_its_poll() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let start = here(&ben).await;
    let made = asks(&ana, &climbers, &poll("single", "public")).await;
    let at = place(&climbers, &made);
    votes(&ben, &at, &["1"]).await.ok();
    let message =
        format!("/v3/conversations/{}/messages/{}", climbers.id, text(&made["message"]["id"]));
    assert_eq!(ana.asks("DELETE", &message).await.status, 204);
    for _ in 0..2 {
        ben.gets(&at).await.refused(404);
        votes(&ben, &at, &["2"]).await.refused(404);
        assert_eq!(ben.gets(&format!("/v3/poll/{}", climbers.id)).await.ok()["polls"], json!([]));
        world.restarts().await;
    }
    let mut feed = ben.listens_after(&start).await;
    let told = feed.hears_of("poll.create").await;
    assert_eq!(
        (&told["data"]["data"]["status"], &told["data"]["data"]["subject"]),
        (&json!("deleted"), &json!(""))
    );
    // No poll is left that could end.
    world.seconds_pass(4000);
    ana.says(&climbers, "and on").await;
    assert_eq!(ana.reads(&climbers, "").await[0]["text"], "and on");
}

#[tokio::test]
async fn voters_withdraw_their_votes() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    for kind in ["single", "multi"] {
        let (start, mut feed) = (here(&ben).await, ben.listens().await);
        let made = asks(&ana, &climbers, &poll(kind, "public")).await;
        let at = place(&climbers, &made);
        let mut live = vec![feed.hears_of("poll.create").await, feed.hears_of("line.create").await];
        votes(&ben, &at, &["2"]).await.ok();
        let withdrawn = votes(&ben, &at, &[]).await.ok()["poll"].clone();
        assert_eq!(tally(&withdrawn), [0, 0, 0]);
        assert_eq!(
            (&withdrawn["user_vote"], &withdrawn["user_votes"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(withdrawn["data"]["options"][1].get("voter_ids"), None);
        assert_eq!(
            votes(&ben, &at, &[]).await.ok()["poll"],
            withdrawn,
            "nothing is left to withdraw"
        );
        for expected in [[0, 1, 0], [0, 0, 0]] {
            let told = feed.hears_of("poll.update").await;
            assert_eq!(tally(&told["data"]), expected);
            live.push(told);
        }
        replays_the_same(&ben, &start, &live).await;
        world.restarts().await;
        assert_eq!(ben.gets(&at).await.ok()["poll"], withdrawn);
    }
}

#[tokio::test]
async fn invalid_poll_or_vote_is_refused_with_reason() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    let with = |field: &str, value: Value| {
        let mut wrong = poll("single", "public");
        wrong[field] = value;
        wrong
    };
    let titles = |count: usize| json!(vec![json!({"title": "x"}); count]);
    let group = format!("/v3/poll/{}", climbers.id);
    for wrong in [
        with("subject", json!("")),
        with("subject", json!("x".repeat(161))),
        with("options", titles(1)),
        with("options", titles(11)),
        with("options", json!([{"title": "x"}, {}])),
        with("expiration", json!(START + 59)),
        with("expiration", json!("soon")),
        with("expiration", Value::Null),
        with("type", json!("many")),
        with("visibility", json!("secret")),
    ] {
        ana.posts(&group).json(&wrong).await.refused(400);
    }
    cem.posts(&group).json(&poll("single", "public")).await.refused(404);
    let made = asks(&ben, &climbers, &poll("single", "public")).await;
    let at = place(&climbers, &made);
    votes(&ben, &at, &["1", "2"]).await.refused(400);
    ben.posts(&at).json(&json!({})).await.refused(400);
    votes(&ben, &at, &["4"]).await.refused(404);
    ben.posts(&format!("{at}/0")).await.refused(404);
    ben.posts(&at).json(&json!({"votes": "1"})).await.refused(400);
    votes(&ben, &format!("{group}/17"), &["1"]).await.refused(404);
    votes(&cem, &at, &["1"]).await.refused(404);
    cem.gets(&at).await.refused(404);
    cem.gets(&group).await.refused(404);
    let own = json!({"text": "mine", "attachments": [{"type": "poll", "poll_id": "1"}]});
    ana.posting(&climbers, own).await.refused(400);
    // The group's admins may end polls of others.
    ana.posts(&format!("{at}/end")).await.ok();
}

#[tokio::test]
async fn bayeux_clients_get_polls_on_request_only() {
    for transport in BOTH {
        let world = World::start().await;
        let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
        let group = format!("/group/{}", climbers.id);
        let mut there = Client::with_all_types(&ana, transport, &[&group]).await;
        let mut original = Client::on(&ana, transport, &[&group]).await;
        let made = asks(&ben, &climbers, &poll("single", "public")).await;
        let told = there.hears_on(&group, "poll.create").await;
        assert_eq!(told["subject"]["data"], made["poll"]["data"]);
        votes(&ben, &place(&climbers, &made), &["1"]).await.ok();
        let told = there.hears_on(&group, "poll.update").await;
        assert_eq!(tally(&told["subject"]), [1, 0, 0]);
        let path = format!("/v3/messages/{}/{}/like", climbers.id, text(&made["message"]["id"]));
        ben.posts(&path).await.ok();
        original.hears_on(&group, "favorite").await;
    }
}
