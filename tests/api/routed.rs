//! Several servers: whichever is asked, the one that leads carries the request out.

use std::future::IntoFuture;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use coterie::actors::node_link::NodeLink;
use coterie::cluster::bus::BusAnswer;
use coterie::cluster::bus_calls::CallAnswerer;
use coterie::cluster::leadership::Leadership;
use coterie::cluster::membership::ActUnderWay;
use coterie::journal::{Cursor, Journal};
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::direct_messages::writing;
use crate::shared_log::SharedJournals;
use crate::trouble::are_held;
use crate::world::asking::Asking;
use crate::world::authenticator::Authenticator;
use crate::world::person::{Person, SOON, text};
use crate::world::server::Setup;
use crate::world::trouble::Trouble;
use crate::world::{PASSWORD, World};

/// The connection between two servers.
#[derive(Clone, Default)]
struct Way(Arc<Mutex<Ends>>);

#[derive(Default)]
struct Ends {
    answering: [Option<CallAnswerer>; 2],
    /// The moment at which the asked server dies, if it dies.
    dying: Option<Dying>,
    /// The number of requests over which it died.
    lost: usize,
}

/// The moment at which a server that was asked dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dying {
    BeforeDeciding,
    BeforeAnswering,
}

impl Way {
    fn ends(&self) -> MutexGuard<'_, Ends> {
        self.0.lock().unwrap()
    }

    /// Waits until a server has died over a request.
    async fn loses(&self) {
        let lost = async {
            while self.ends().lost == 0 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(SOON, lost).await.expect("a request is lost");
    }
}

/// One end of a [`Way`]. The number of a server stands for its run.
struct End {
    way: Way,
    shared: SharedJournals,
    own: usize,
    acts: ActUnderWay,
}

impl NodeLink for End {
    fn serve(&self, answering: CallAnswerer) {
        self.way.ends().answering[self.own] = Some(answering);
    }

    fn leadership(&self) -> Leadership {
        let leads = |node| self.shared.journal(node).is_some_and(|journal| journal.leads());
        match (leads(self.own), leads(1 - self.own)) {
            (true, _) => Leadership::Here,
            (false, true) if self.way.ends().lost == 0 => Leadership::There(1 - self.own as u64),
            (false, _) => Leadership::Pending,
        }
    }

    fn begin_act(&self) -> Option<ActUnderWay> {
        (self.leadership() == Leadership::Here).then(|| Arc::clone(&self.acts))
    }

    fn is_reachable(&self) -> bool {
        self.shared.journal(self.own).is_some_and(|journal| journal.is_reachable())
    }

    fn ask(&self, _: u64, packed: Bytes) -> BoxFuture<'static, BusAnswer> {
        let (way, dying) = (self.way.clone(), self.way.ends().dying);
        let other = way.ends().answering[1 - self.own].clone();
        Box::pin(async move {
            let Some(other) = other else { return BusAnswer::Unheard };
            let answer = match dying {
                Some(Dying::BeforeDeciding) => None,
                Some(Dying::BeforeAnswering) | None => other(packed).await,
            };
            if dying.is_some() {
                way.ends().lost += 1;
                return BusAnswer::Silence;
            }
            answer.map_or(BusAnswer::Silence, |answer| BusAnswer::Came(answer.into()))
        })
    }

    fn wait_until_shown_everywhere(&self, _: Cursor) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Two servers that can ask each other. The first one leads.
async fn two(shared: &SharedJournals) -> [World; 2] {
    two_over(shared, &Way::default(), &Trouble::default()).await
}

/// The same, over this way, and with trouble at the first one.
async fn two_over(shared: &SharedJournals, way: &Way, trouble: &Trouble) -> [World; 2] {
    let setup = |name, leads, own| -> Setup {
        let (way, shared, acts) = (way.clone(), shared.clone(), ActUnderWay::default());
        shared.node(name, leads).link(Arc::new(End { way, shared: shared.clone(), own, acts }))
    };
    let here = World::with(setup("here", true, 0).trouble(trouble)).await;
    [here, World::with(setup("there", false, 1)).await]
}

#[tokio::test]
async fn writes_at_any_server_reach_all_servers() {
    let shared = SharedJournals::new();
    let [here, there] = two(&shared).await;
    let [ana, ben] = here.people(["Ana", "Ben"]).await;
    let mut groups = Vec::new();
    for number in 0..6 {
        let group = ana.creates_group(&format!("Group {number}")).await;
        ana.adds(&ben, &group).await;
        groups.push(group);
    }
    let mut feeds = [ben.listens().await, there.welcomes(&ben).listens().await];
    for group in &groups {
        for (number, world) in [&here, &there, &there, &here].into_iter().enumerate() {
            let (ana, words) = (world.welcomes(&ana), format!("word {number}"));
            let said = ana.says(group, &words).await;
            for feed in &mut feeds {
                assert_eq!(feed.hears(&words).await["conv"], group.conv());
            }
            // The server that gave the answer also shows the message.
            assert_eq!(ana.reads(group, "?limit=1").await[0]["id"], said["id"]);
            let like = format!("/v3/messages/{}/{}/like", group.id, text(&said["id"]));
            ana.posts(&like).await.ok();
            for feed in &mut feeds {
                let event = feed.hears_of("favorite").await;
                assert_eq!(event["data"]["favorited_by"], json!([ana.id]));
            }
        }
    }
}

#[tokio::test]
async fn forwarded_refusals_have_the_same_text() {
    let shared = SharedJournals::new();
    let [here, there] = two(&shared).await;
    let ([ana, ben, cem], climbers) = here.climbing(["Ana", "Ben", "Cem"]).await;
    let [stranger] = here.people(["Sue"]).await;
    let said = ana.posting(&climbers, json!({"text": "once", "source_guid": "g"})).await.created();
    shared.takes_over(1).await;
    shared.are_even().await;
    for world in [&here, &there] {
        let again = json!({"text": "twice", "source_guid": "g"});
        let refused = world.welcomes(&ana).posting(&climbers, again).await;
        assert_eq!(refused.status, 409);
        let existing = refused.header("x-existing-message-id").map(str::to_owned);
        assert_eq!(existing.as_deref(), said["message"]["id"].as_str());
        let posting = world.welcomes(&stranger).posting(&climbers, json!({"text": "hi"}));
        posting.await.refused(404);
        let oneself = writing(&world.welcomes(&ana), &ana, json!({"text": "hi"}));
        oneself.await.refused(400);
    }
    // A block set at one server is enforced at the other.
    let block = format!("/v3/blocks?user={}&otherUser={}", ben.id, cem.id);
    here.welcomes(&ben).posts(&block).await.created();
    writing(&here.welcomes(&cem), &ben, json!({"text": "hi"})).await.refused(403);
    writing(&there.welcomes(&cem), &ben, json!({"text": "hi"})).await.refused(403);
    writing(&here.welcomes(&cem), &ana, json!({"text": "hi"})).await.created();
}

#[tokio::test]
async fn a_key_stands_for_one_act_whichever_server_is_asked() {
    let shared = SharedJournals::new();
    let [here, there] = two(&shared).await;
    let ([ana, _], climbers) = here.climbing(["Ana", "Ben"]).await;
    shared.takes_over(1).await;
    shared.are_even().await;
    let post = |person: Person| {
        let message = json!({"message": {"source_guid": "g", "text": "once"}});
        let post = person.posts(&climbers.path("/messages"));
        post.header("Idempotency-Key", "key-1").json(&message)
    };
    let first = post(here.welcomes(&ana)).await.created();
    shared.are_even().await;
    for world in [&there, &here] {
        assert_eq!(post(world.welcomes(&ana)).await.created(), first);
    }
    assert_eq!(ana.reads_texts(&climbers, "?limit=1").await, ["once"]);
}

#[tokio::test]
async fn moving_conversations_lose_and_repeat_nothing() {
    let shared = SharedJournals::new();
    let [here, there] = two(&shared).await;
    let ([ana, ben], climbers) = here.climbing(["Ana", "Ben"]).await;
    let mut feed = there.welcomes(&ben).listens().await;
    let speaking = async {
        let mut said = Vec::new();
        for number in 0..60 {
            let (world, words) = (if number % 3 == 0 { &there } else { &here }, number.to_string());
            // A client that gets 503 sends the message again, under the same guid.
            let guid = format!("guid of {words}");
            loop {
                let message = json!({"text": words, "source_guid": guid});
                let answer = world.welcomes(&ana).posting(&climbers, message).await;
                match answer.status {
                    201 | 409 => break,
                    503 => {}
                    other => panic!("{other}"),
                }
            }
            said.push(words);
        }
        said
    };
    let moving = async {
        for round in 0..12 {
            shared.takes_over((round + 1) % 2).await;
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let (said, ()) = tokio::join!(speaking, moving);
    for words in &said {
        feed.hears(words).await;
    }
    shared.are_even().await;
    let mut read = here.welcomes(&ben).reads_texts(&climbers, "?limit=100").await;
    read.retain(|words| words.parse::<u32>().is_ok());
    read.reverse();
    assert_eq!(read, said);
}

#[tokio::test]
async fn request_of_crashed_server_executes_once() {
    let (shared, way) = (SharedJournals::new(), Way::default());
    let [here, there] = two_over(&shared, &way, &Trouble::default()).await;
    let ([ana, ben], climbers) = here.climbing(["Ana", "Ben"]).await;
    let first = ben.says(&climbers, "first").await;
    let (like, ana) =
        (format!("/v3/messages/{}/{}/like", climbers.id, text(&first["id"])), there.welcomes(&ana));
    let mut said = here.welcomes(&ben).reads_texts(&climbers, "?limit=9").await;
    for dying in [Dying::BeforeDeciding, Dying::BeforeAnswering] {
        let lost = async |asking: Asking| {
            shared.takes_over(0).await;
            shared.are_even().await;
            (way.ends().dying, way.ends().lost) = (Some(dying), 0);
            let taking = async {
                way.loses().await;
                shared.takes_over(1).await;
                way.ends().dying = None;
            };
            tokio::join!(asking.into_future(), taking).0
        };
        // A post is recognized by its guid, a like by its key.
        let words = format!("{dying:?}");
        let message = json!({"text": words, "source_guid": words});
        let answer = lost(ana.posting(&climbers, message)).await.created();
        assert_eq!(
            (&answer["message"]["text"], &answer["message"]["favorited_by"]),
            (&json!(words), &json!([]))
        );
        let key = format!("key {words}").replace(' ', "-");
        lost(ana.posts(&like).header("Idempotency-Key", &key)).await.ok();
        said.insert(0, words);
        shared.are_even().await;
        for world in [&here, &there] {
            assert_eq!(world.welcomes(&ben).reads_texts(&climbers, "?limit=9").await, said);
        }
    }
}

#[tokio::test]
async fn both_servers_create_distinct_ids() {
    let shared = SharedJournals::new();
    let [here, there] = two(&shared).await;
    let (some, others) = tokio::join!(
        here.people(["Ana", "Ben", "Cem", "Dan", "Eva"]),
        there.people(["Fay", "Gus", "Ida", "Jon", "Kim"]),
    );
    shared.are_even().await;
    let people = [some, others].concat();
    let mut ids: Vec<_> = people.iter().map(|person| ('u', person.id.clone())).collect();
    // An email address that is taken is taken at both servers.
    let taken = json!({"name": "Ana", "email": people[0].email, "password": PASSWORD});
    there.post("/auth/register").json(&taken).await.refused(409);
    for person in &people {
        let (own, other) = (here.welcomes(person), there.welcomes(person));
        for world in [&here, &there] {
            world.logs_in(&person.email, PASSWORD).await.ok();
        }
        for person in [&own, &other] {
            let group = person.creates_group(&person.name).await;
            shared.are_even().await;
            let said = other.says(&group, "first").await;
            let change = json!({"description": "ropes", "share": true});
            own.posts(&group.path("/update")).json(&change).await.ok();
            let update = other.posts(&group.path("/update"));
            let changed = update.json(&json!({"description": null, "name": "Climbers"})).await.ok();
            assert_eq!((&changed["name"], &changed["id"]), (&json!("Climbers"), &json!(group.id)));
            let member = text(&changed["members"][0]["id"]).to_owned();
            ids.extend([('g', group.id), ('l', text(&said["id"]).to_owned()), ('m', member)]);
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[tokio::test]
async fn other_server_edits_pins_deletes_and_changes_bots() {
    let shared = SharedJournals::new();
    let [here, _there] = two(&shared).await;
    let ([ana, _], climbers) = here.climbing(["Ana", "Ben"]).await;
    shared.takes_over(1).await;
    shared.are_even().await;
    let ana = here.welcomes(&ana);
    let said = ana.says(&climbers, "rope at six").await;
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    let edited = ana.asks("PUT", &path).json(&json!({"text": "rope at seven"})).await.ok();
    assert_eq!(edited["message"]["text"], "rope at seven");
    assert_eq!(ana.asks("DELETE", &path).await.status, 204);
    let bot = json!({"name": "Echo", "group_id": climbers.id});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let post = json!({"bot_id": bot["bot_id"], "text": "I am a bot"});
    here.post("/v3/bots/post").json(&post).await.created();
    assert_eq!(ana.reads_texts(&climbers, "?limit=1").await, ["I am a bot"]);
    let gone = json!({"bot_id": bot["bot_id"]});
    ana.posts("/v3/bots/destroy").json(&gone).await.ok();
    here.post("/v3/bots/post").json(&post).await.refused(404);
}

#[tokio::test]
async fn admin_removes_a_bot_through_another_server() {
    let shared = SharedJournals::new();
    let [here, there] = two(&shared).await;
    let ([ana, ben], climbers) = here.climbing(["Ana", "Ben"]).await;
    shared.takes_over(1).await;
    shared.are_even().await;
    let ana = here.welcomes(&ana);
    let bot = json!({"name": "Echo", "group_id": climbers.id});
    let bot = here.welcomes(&ben).posts("/v3/bots").json(&bot).await.created();
    let post = json!({"bot_id": bot["bot_id"], "text": "I am a bot"});
    let seen = ana.gets(&climbers.path("/bots")).await.ok();
    let sender = text(&seen["bots"][0]["sender_id"]).to_owned();
    ana.asks("DELETE", &climbers.path(&format!("/bots/{sender}"))).await.ok();
    for world in [&here, &there] {
        world.post("/v3/bots/post").json(&post).await.refused(404);
        let seen = world.welcomes(&ben).gets(&climbers.path("/bots")).await.ok();
        assert_eq!(seen["bots"], json!([]));
    }
    let again = ana.asks("DELETE", &climbers.path(&format!("/bots/{sender}"))).await;
    again.refused(404);
}

#[tokio::test]
async fn unreachable_log_fails_writes_and_keeps_reads() {
    let shared = SharedJournals::new();
    let [here, there] = two(&shared).await;
    let ([ana, _], climbers) = here.climbing(["Ana", "Ben"]).await;
    ana.says(&climbers, "before").await;
    shared.are_even().await;
    shared.cut_off(true);
    for world in [&here, &there] {
        let ana = world.welcomes(&ana);
        let refused = ana.posting(&climbers, json!({"text": "now"})).await;
        assert_eq!(refused.status, 503);
        assert!(refused.header("retry-after").is_some());
        assert_eq!(ana.reads_texts(&climbers, "?limit=1").await, ["before"]);
    }
    shared.cut_off(false);
    for (world, words) in [(&here, "here"), (&there, "there")] {
        world.welcomes(&ana).says(&climbers, words).await;
        assert_eq!(ana.reads_texts(&climbers, "?limit=1").await, [words]);
    }
}

/// The room decides and makes the response, and then another server takes over before the decision
/// is in the log.
#[tokio::test]
async fn keyed_response_matches_the_log() {
    let (shared, trouble) = (SharedJournals::new(), Trouble::default());
    let [here, there] = two_over(&shared, &Way::default(), &trouble).await;
    let ([ana, _], climbers) = here.climbing(["Ana", "Ben"]).await;
    let place = format!("/v3/poll/{}", climbers.id);
    let poll = json!({"subject": "When?", "options": [{"title": "six"}, {"title": "seven"}],
        "expiration": 1_800_003_600_u64});
    let asks = |person: &Person| {
        person.posts(&place).header("Idempotency-Key", "key-1").json(&poll).into_future()
    };
    trouble.journal().hold();
    let asked = tokio::spawn(asks(&ana));
    are_held(&trouble, 1).await;
    shared.takes_over(1).await;
    shared.are_even().await;
    trouble.journal().release();
    let made = asked.await.unwrap().created();
    shared.are_even().await;
    for world in [&here, &there] {
        let ana = world.welcomes(&ana);
        let listed = ana.gets(&place).await.ok();
        let ids: Vec<_> = listed["polls"].as_array().unwrap().iter().collect();
        assert_eq!(ids.len(), 1, "{listed}");
        assert_eq!(ids[0]["data"]["id"], made["poll"]["data"]["id"]);
        assert_eq!(asks(&ana).await.created(), made);
    }
}

/// Ids of invite links and requests come from the sequences of messages and members. The next leader
/// counts on from them, although it has given out none.
#[tokio::test]
async fn next_leader_gives_out_no_id_twice() {
    let shared = SharedJournals::new();
    let [here, there] = two(&shared).await;
    let ([ana, _], climbers) = here.climbing(["Ana", "Ben"]).await;
    let [dan, eva] = here.people(["Dan", "Eva"]).await;
    let share = ana.shares(&climbers).await;
    ana.updates(&climbers, json!({"requires_approval": true})).await.ok();
    let join = |person: &Person| {
        person.posts(&climbers.path(&format!("/join/{share}"))).json(&json!({})).into_future()
    };
    assert_eq!(join(&dan).await.status, 202);
    let made = ana.posts(&climbers.path("/invites")).json(&json!({})).await.created();
    shared.takes_over(1).await;
    shared.are_even().await;
    let there_ana = there.welcomes(&ana);
    let said = there_ana.says(&climbers, "next").await;
    assert_ne!(said["id"], made["invite"]["id"], "a message with the id of the link");
    assert_eq!(join(&there.welcomes(&eva)).await.status, 202);
    let pending = there_ana.gets(&climbers.path("/pending_memberships")).await.ok();
    let ids: Vec<_> = pending.as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{pending}");
}

#[tokio::test]
async fn read_marks_show_at_the_server_that_was_asked() {
    let shared = SharedJournals::new();
    let [here, there] = two(&shared).await;
    let ([ana, ben], climbers) = here.climbing(["Ana", "Ben"]).await;
    let ben = there.welcomes(&ben);
    let unread = async || ben.gets("/v3/groups").await.ok()[0]["unread_count"].clone();
    let path = |end: &str| format!("/v3/conversations/{}/{end}", climbers.id);
    for number in 0..3 {
        let said = ana.says(&climbers, &format!("word {number}")).await;
        shared.are_even().await;
        let message = json!({"message_id": said["id"]});
        for (end, left) in [("read", 0), ("unread", 1), ("read", 0)] {
            ben.posts(&path(end)).json(&message).await.ok();
            assert_eq!(unread().await, left, "{end}");
        }
    }
}

/// The leader decides the ceremony, so its answer counts once, whichever servers were asked.
#[tokio::test]
async fn passkey_ceremony_begins_at_one_server_and_ends_at_another() {
    const PLACE: &str = "https://chat.example.org";
    let shared = SharedJournals::new();
    let [here, there] = two(&shared).await;
    let [ana] = here.people(["Ana"]).await;
    let mut key = Authenticator::at(PLACE.to_owned());
    let begun = ana.posts("/auth/passkeys/register/start").json(&json!({})).await.ok();
    let credential = key.makes(&begun["options"]);
    let body = json!({"state": begun["state"], "credential": credential, "name": "Phone"});
    let elsewhere = there.welcomes(&ana);
    elsewhere.posts("/auth/passkeys/register/finish").json(&body).await.created();
    let begins = async |world: &World| world.post("/auth/passkeys/login/start").await.ok();
    for [first, last] in [[&here, &there], [&there, &here]] {
        key.counter += 1;
        let begun = begins(first).await;
        let shown = json!({"state": begun["state"], "credential": key.signs(&begun["options"])});
        let finish = "/auth/passkeys/login/finish";
        let welcome = last.post(finish).json(&shown).await.ok();
        assert_eq!(welcome["user"]["id"], json!(ana.id));
        for world in [first, last] {
            world.post(finish).json(&shown).await.refused(401);
        }
    }
}
