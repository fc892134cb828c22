//! Servers over a log that several share: everything above the journal is as it was, and
//! what is written at one is read at another.

use std::sync::{Arc, Mutex};
use std::thread;

use coterie::journal::Journal;
use coterie::journal::file::JournalOptions;
use coterie::journal::replicated::shard::Shard;
use coterie::journal::replicated::{NodeIdentity, ReplicatedJournal};
use serde_json::json;
use tempfile::TempDir;

use crate::direct_messages::writing;
use crate::paper_log::PaperLog;
use crate::world::World;
use crate::world::person::SOON;
use crate::world::server::Setup;
use crate::world::trouble::BeforeJournal;

/// What a node may write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owns {
    Everything,
    Nothing,
}

/// A log, and the copies of it.
struct SharedJournals {
    log: PaperLog,
    copies: TempDir,
    opened: Arc<Mutex<Vec<Arc<ReplicatedJournal>>>>,
}

impl SharedJournals {
    fn new() -> Self {
        Self { log: PaperLog::default(), copies: TempDir::new().unwrap(), opened: Arc::default() }
    }

    /// A server whose journal is this node's.
    fn node(&self, name: &str, owns: Owns) -> Setup {
        let (log, path) = (self.log.clone(), self.copies.path().join(name));
        let opened = Arc::clone(&self.opened);
        let open: BeforeJournal = Arc::new(move |_| {
            let (log, path) = (log.handle(), path.clone());
            // The hook is called where nobody may wait.
            let opening = thread::spawn(move || {
                let who = NodeIdentity { run: fastrand::u64(..), grew_from: None };
                let options = JournalOptions::default();
                let (journal, _) = ReplicatedJournal::open(&path, log, who, options).unwrap();
                journal.wait_until_current().unwrap();
                let owned = Shard::all().filter(|_| owns == Owns::Everything);
                let claims: Vec<_> = owned.map(|it| journal.take_over(it)).collect();
                claims.into_iter().for_each(|it| it.blocking_recv().unwrap().unwrap());
                Arc::new(journal)
            });
            let journal = opening.join().unwrap();
            opened.lock().unwrap().push(Arc::clone(&journal));
            journal as Arc<dyn Journal>
        });
        Setup::default().journal(open)
    }

    /// Waits until every copy is as far as the farthest.
    async fn are_even(&self) {
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
async fn what_is_written_at_one_server_is_read_at_another_over_the_same_log() {
    let shared = SharedJournals::new();
    let here = World::with(shared.node("here", Owns::Everything)).await;
    let there = World::with(shared.node("there", Owns::Nothing)).await;
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
    // Ben's token, the group, its messages and who likes them: all from the other copy.
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
async fn a_server_that_does_not_own_a_conversation_writes_nothing_there() {
    let shared = SharedJournals::new();
    let here = World::with(shared.node("here", Owns::Everything)).await;
    let there = World::with(shared.node("there", Owns::Nothing)).await;
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
