//! Servers over a log that they share: everything above the journal works as with one server, and
//! what is written at one is read at another.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread;

use coterie::journal::Journal;
use coterie::journal::file::JournalOptions;
use coterie::journal::replicated::{NodeIdentity, NodeKey, ReplicatedJournal};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::direct_messages::writing;
use crate::paper_log::PaperLog;
use crate::world::World;
use crate::world::called_back::{lives_at, newest_becomes};
use crate::world::feed::Feed;
use crate::world::listener::Listener;
use crate::world::person::{Group, Person, SOON, text};
use crate::world::server::Setup;
use crate::world::trouble::BeforeJournal;

/// A shared log and the nodes' copies of it.
#[derive(Clone)]
pub(crate) struct SharedJournals {
    log: PaperLog,
    copies: Arc<TempDir>,
    opened: Arc<Mutex<Vec<Arc<ReplicatedJournal>>>>,
}

impl SharedJournals {
    pub(crate) fn new() -> Self {
        Self {
            log: PaperLog::default(),
            copies: Arc::new(TempDir::new().unwrap()),
            opened: Arc::default(),
        }
    }

    /// A setup whose journal is the copy with this name.
    pub(crate) fn node(&self, name: &str, leads: bool) -> Setup {
        let (log, path) = (self.log.clone(), self.copies.path().join(name));
        let opened = Arc::clone(&self.opened);
        let open: BeforeJournal = Arc::new(move |_| {
            let (log, path) = (log.handle(), path.clone());
            // The hook is called on a thread that must not block.
            let opening = thread::spawn(move || {
                let who =
                    NodeIdentity { run: fastrand::u64(..), grew_from: None, key: NodeKey::Absent };
                let options = JournalOptions::default();
                let (journal, _) = ReplicatedJournal::open(&path, log, who, options).unwrap();
                journal.wait_until_current().unwrap();
                if leads {
                    journal.take_over().blocking_recv().unwrap().unwrap();
                }
                Arc::new(journal)
            });
            let journal = opening.join().unwrap();
            opened.lock().unwrap().push(Arc::clone(&journal));
            journal as Arc<dyn Journal>
        });
        // Both servers have the same public URL, as behind a proxy.
        let setup = Setup::default().option("--public-url", "https://chat.example.org");
        setup.option("--callback-allow", "127.0.0.0/8").option("--rate-limit", "off").journal(open)
    }

    /// Starts two servers; the first one leads.
    pub(crate) async fn two(&self) -> [World; 2] {
        let here = World::with(self.node("here", true)).await;
        [here, World::with(self.node("there", false)).await]
    }

    /// Makes a node take over; nodes are numbered in the order in which they were
    /// opened.
    pub(crate) async fn takes_over(&self, node: usize) {
        let journal = self.journal(node).expect("it has been opened");
        journal.take_over().await.unwrap().unwrap();
    }

    /// The journal of a node, if it has been opened.
    pub(crate) fn journal(&self, node: usize) -> Option<Arc<ReplicatedJournal>> {
        self.opened.lock().unwrap().get(node).cloned()
    }

    /// Cuts all nodes off from the log, or connects them again.
    pub(crate) fn cut_off(&self, is_cut_off: bool) {
        self.log.is_cut_off(is_cut_off);
    }

    /// Makes a node hand over.
    fn hands_over(&self, node: usize) {
        self.opened.lock().unwrap()[node].release();
    }

    /// Waits until all copies end at the same place.
    pub(crate) async fn are_even(&self) {
        let even = async {
            loop {
                let ends =
                    self.opened.lock().unwrap().iter().map(|it| it.end()).collect::<Vec<_>>();
                if ends.windows(2).all(|pair| pair[0] == pair[1]) {
                    return;
                }
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(SOON, even).await.expect("all copies reach the same end");
    }
}

#[tokio::test]
async fn write_at_one_server_is_readable_at_another() {
    let shared = SharedJournals::new();
    let [here, there] = shared.two().await;
    let [ana, ben] = here.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut feed = ben.listens().await;
    let said = ana.says(&climbers, "rope at six").await;
    feed.hears("rope at six").await;
    ben.posts(&format!("/v3/messages/{}/{}/like", climbers.id, said["id"].as_str().unwrap()))
        .await
        .ok();
    writing(&ben, &ana, json!({"text": "bring the red one"})).await.created();
    shared.are_even().await;
    // Ben's token, the group, its messages and their likes are all read from the other copy.
    let path = climbers.path("/messages");
    let read = there.get(&path).token(&ben.token).await.ok();
    assert_eq!(read, ben.gets(&path).await.ok());
    assert_eq!(read["messages"][0]["text"], "rope at six");
    assert_eq!(read["messages"][0]["favorited_by"], json!([ben.id]));
    let path = format!("/v3/direct_messages?other_user_id={}", ben.id);
    let read = there.get(&path).token(&ana.token).await.ok();
    assert_eq!(read["direct_messages"][0]["text"], "bring the red one");
}

#[tokio::test]
async fn only_the_owner_server_writes_a_conversation() {
    let shared = SharedJournals::new();
    let [here, there] = shared.two().await;
    let [ana] = here.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    shared.are_even().await;
    let message = json!({"message": {"source_guid": "1", "text": "from the wrong side"}});
    let post = || there.post(&climbers.path("/messages")).token(&ana.token).json(&message);
    post().await.refused(503);
    assert!(ana.reads(&climbers, "").await.is_empty());
    ana.says(&climbers, "from the right one").await;
    shared.are_even().await;
    post().await.refused(503);
    assert_eq!(ana.reads_texts(&climbers, "").await, ["from the right one"]);
}

/// An event without the part of its cursor that identifies the server's own history.
pub(crate) fn told(mut event: Value) -> Value {
    event["c"] = json!(text(&event["c"])[8..]);
    event
}

/// Changes the group and a message in it, and returns the message "fine", which is the last event.
async fn much_changes(ana: &Person, ben: &Person, cem: &Person, climbers: &Group) -> Value {
    let change = json!({"name": "Walkers", "share": true});
    ana.posts(&climbers.path("/update")).json(&change).await.ok();
    let said = ana.says(climbers, "rope at six").await;
    let message = format!("/v3/messages/{}/{}", climbers.id, text(&said["id"]));
    ben.posts(&format!("{message}/like")).await.ok();
    cem.posts(&format!("{message}/like")).await.ok();
    ben.posts(&format!("{message}/unlike")).await.ok();
    let message = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    ana.asks("PUT", &message).json(&json!({"text": "rope at seven"})).await.ok();
    ben.says(climbers, "fine").await
}

/// Deletes Ben's message, and does what else others hear of; the last event is "so much".
async fn more_happens(people: [&Person; 3], climbers: &Group, bens: &Value) {
    let [ana, ben, cem] = people;
    let message = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&bens["id"]));
    assert_eq!(ben.asks("DELETE", &message).await.status, 204);
    let nickname = json!({"membership": {"nickname": "Benno"}});
    ben.posts(&climbers.path("/memberships/update")).json(&nickname).await.ok();
    writing(ana, cem, json!({"text": "a word"})).await.created();
    // Heard by Cem, who has a chat with Ana, and in the group.
    ana.posts("/v3/users/update").json(&json!({"name": "Anna"})).await.ok();
    cem.posts("/v3/users/update").json(&json!({"name": "Cemal"})).await.ok();
    cem.says(climbers, "so much").await;
}

/// A user with a socket at each of two servers.
struct AtTwo<'a> {
    person: &'a Person,
    own: Feed,
    other: Feed,
    kinds: BTreeSet<String>,
}

impl AtTwo<'_> {
    /// Asserts that both servers send the same events, up to the one that `is_last`.
    async fn hears_the_same(&mut self, is_last: impl Fn(&Value) -> bool) {
        loop {
            let (here, there) = (told(self.own.next().await), told(self.other.next().await));
            assert_eq!(here, there, "{} hears it twice", self.person.name);
            self.kinds.insert(text(&here["type"]).to_owned());
            if is_last(&here) {
                break;
            }
        }
    }
}

#[tokio::test]
async fn listener_at_another_server_receives_the_same() {
    let shared = SharedJournals::new();
    let [here, there] = shared.two().await;
    let [ana, ben, cem] = here.people(["Ana", "Ben", "Cem"]).await;
    shared.are_even().await;
    let mut all_three = Vec::new();
    for person in [&ana, &ben, &cem] {
        let (own, other) = (person.listens().await, there.welcomes(person).listens().await);
        all_three.push(AtTwo { person, own, other, kinds: BTreeSet::new() });
    }
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&cem, &climbers).await;
    let bens = much_changes(&ana, &ben, &cem, &climbers).await;
    // Both servers send the message as it was written, since it is deleted only later.
    for one in &mut all_three {
        one.hears_the_same(|event| event["data"]["text"] == "fine").await;
    }
    more_happens([&ana, &ben, &cem], &climbers, &bens).await;
    // A member who leaves gets nothing that was not yet in flight: so everybody reads all events
    // before Ben is removed.
    for one in &mut all_three {
        one.hears_the_same(|event| event["data"]["text"] == "so much").await;
    }
    let members = ana.gets(&climbers.path("")).await.ok()["members"].clone();
    let bens = members.as_array().unwrap().iter().find(|it| it["user_id"] == ben.id).unwrap();
    let path = format!("/members/{}/remove", text(&bens["id"]));
    ana.posts(&climbers.path(&path)).await.ok();
    // Of what follows, Ben is told only that he is out.
    for one in all_three.iter_mut().filter(|one| one.person.id != ben.id) {
        one.hears_the_same(|event| event["type"] == "membership.delete").await;
    }
    ana.posts(&climbers.path("/destroy")).await.ok();
    writing(&ana, &cem, json!({"text": "the last word"})).await.created();
    // The event of a group of one's own is the last for each of the three.
    let mut kinds = BTreeSet::new();
    for mut one in all_three {
        let last = one.person.creates_group("The last one").await;
        one.hears_the_same(|event| event["conv"] == last.conv()).await;
        kinds.extend(one.kinds);
    }
    let all = [
        "direct_message.create",
        "favorite",
        "group.delete",
        "group.update",
        "line.create",
        "membership.create",
        "membership.delete",
        "membership.update",
        "message.deleted",
        "message.update",
        "other_user.update",
        "user.update",
    ];
    assert_eq!(kinds.iter().map(String::as_str).collect::<Vec<_>>(), all);
}

#[tokio::test]
async fn local_room_sees_remote_decisions_at_once() {
    let shared = SharedJournals::new();
    let [here, there] = shared.two().await;
    let ([ana, ben], climbers) = here.climbing(["Ana", "Ben"]).await;
    let (ana_there, mut feed) = (there.welcomes(&ana), there.welcomes(&ben).listens().await);
    for number in 0..10 {
        let name = format!("Climbers {number}");
        ana.posts(&climbers.path("/update")).json(&json!({"name": name})).await.ok();
        let said = ana.says(&climbers, &name).await;
        writing(&ana, &ben, json!({"text": name})).await.created();
        while feed.next().await["type"] != "direct_message.create" {}
        // Ben has received the changes, so the other server must show them, although its rooms had
        // answered before.
        assert_eq!(ana_there.gets(&climbers.path("")).await.ok()["name"], name);
        assert_eq!(ana_there.reads(&climbers, "?limit=1").await[0]["id"], said["id"]);
        let path = format!("/v3/direct_messages?other_user_id={}", ben.id);
        let letters = ana_there.gets(&path).await.ok();
        assert_eq!(letters["direct_messages"][0]["text"], name);
    }
}

#[tokio::test]
async fn conversation_continues_after_a_take_over() {
    let shared = SharedJournals::new();
    let [here, there] = shared.two().await;
    let ([ana, ben], climbers) = here.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    let mut both = [(&here, 0), (&there, 1)];
    let mut last = String::new();
    for round in 0..6 {
        let (owner, _) = both[0];
        let words = format!("round {round}");
        // This server may have taken over just now, and its clock may be behind.
        let said = owner.welcomes(&ana).says(&climbers, &words).await;
        assert!(text(&said["id"]) > last.as_str(), "ids grow in a conversation");
        last = text(&said["id"]).to_owned();
        feed.hears(&words).await;
        assert_eq!(ana.reads_texts(&climbers, "?limit=1").await, [words]);
        both.swap(0, 1);
        shared.takes_over(both[0].1).await;
        shared.are_even().await;
    }
}

#[tokio::test]
async fn callbacks_move_with_a_take_over() {
    let shared = SharedJournals::new();
    let [here, there] = shared.two().await;
    let ([ana, _], climbers) = here.climbing(["Ana", "Ben"]).await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    let mut both = [(&here, 0), (&there, 1)];
    for round in 0..4_u32 {
        let ana = both[0].0.welcomes(&ana);
        let words = format!("round {round}");
        ana.says(&climbers, &words).await;
        // The bot is called back only once: the next request belongs to the next round.
        assert_eq!(listener.hears().await.json()["text"], words);
        newest_becomes(&ana, &bot, round + 2, "delivered").await;
        both.swap(0, 1);
        shared.takes_over(both[0].1).await;
        shared.are_even().await;
    }
    listener.hears_nothing().await;
}

#[tokio::test]
async fn group_owner_server_applies_account_changes() {
    let shared = SharedJournals::new();
    let [here, there] = shared.two().await;
    let ([ana, ben], climbers) = here.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    let mut both = [(&here, 0), (&there, 1)];
    for name in ["Anna", "Anne", "Anita"] {
        let owner = both[0].0.welcomes(&ana);
        owner.posts("/v3/users/update").json(&json!({"name": name})).await.ok();
        while feed.next().await["type"] != "membership.update" {}
        let members = owner.gets(&climbers.path("")).await.ok()["members"].clone();
        let names: Vec<_> = members.as_array().unwrap().iter().map(|it| &it["name"]).collect();
        assert!(names.contains(&&json!(name)), "{names:?}");
        both.swap(0, 1);
        shared.takes_over(both[0].1).await;
        shared.are_even().await;
    }
}

#[tokio::test]
async fn read_mark_survives_a_hand_over() {
    let shared = SharedJournals::new();
    let [here, there] = shared.two().await;
    let ([ana, ben], climbers) = here.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    let mut both = [(&here, 0), (&there, 1)];
    for round in 0..4_u32 {
        let (owner, node) = both[0];
        owner.welcomes(&ana).says(&climbers, &format!("round {round}")).await;
        let n = feed.hears(&format!("round {round}")).await["n"].clone();
        shared.are_even().await;
        let mut socket = owner.welcomes(&ben).listens().await.socket;
        socket.tells(&json!({"t": "read", "conv": climbers.conv(), "n": n})).await;
        // The server handles frames of a socket in order, so once the pong comes, the mark has been
        // decided. The event may come before it.
        socket.tells(&json!({"t": "ping"})).await;
        while socket.next().await.unwrap()["t"] != "pong" {}
        shared.hands_over(node);
        loop {
            let event = feed.hears_of("read").await;
            if event["data"]["n"] == n {
                break;
            }
        }
        both.swap(0, 1);
        shared.takes_over(both[0].1).await;
        shared.are_even().await;
    }
}
