//! Tests of the ledger with a journal that is busy or fails, on the smallest kind of room.

use std::sync::Arc;

use actix::{Actor, Addr};
use futures_util::future::join_all;

use crate::ask::{Ask, AuditNote, Failure, Fault, Posted, Reply};
use crate::audit::AuditActor;
use crate::audit::protocol::Note;
use crate::drain::Drain;
use crate::id_generator::CountingIdGenerator;
use crate::idle::LOOK_EVERY;
use crate::operator_rules::SharedOperatorRules;
use crate::room_context::RoomContext;
use crate::topic_parents::TopicParents;
use crate::write_limits::WriteLimits;
use auth::accounts::Accounts;
use base::bounds::places::Places;
use base::bounds::{Bound, Budget};
use base::clock::ManualClock;
use domain::audit::{AdminAct, AuditFact, Operator};
use domain::group::AddressTrust;
use domain::time::Timestamp;
use domain::user::{FloodLimits, Pace};
use index::archive::Archive;
use index::indexer::{self, Indexer};
use index::memory::MemoryRows;
use journal::faulty::{FaultyJournal, InjectedFault as Meets};
use journal::memory::MemoryJournal;
use journal::{Cursor, Journal};
use wire::instance::Instance;

/// A room, its journal, and the budget of what is not durable.
struct Fixture {
    room: Addr<AuditActor>,
    journal: Arc<FaultyJournal>,
    undurable: Budget,
    _indexer: Indexer,
}

impl Fixture {
    fn with(bound: Bound) -> Self {
        let journal = Arc::new(FaultyJournal::around(Arc::new(MemoryJournal::new())));
        let kept: Arc<dyn Journal> = Arc::<FaultyJournal>::clone(&journal);
        let opened = indexer::open(Arc::new(MemoryRows::default()), Arc::clone(&kept)).unwrap();
        let pace = Pace { most: 1, millis: 1 };
        let undurable = Budget::new(&Places::default(), "commits", bound);
        let context = RoomContext {
            accounts: Accounts::new(Arc::clone(&opened.index)),
            archive: Archive::new(opened.index, kept),
            clock: Arc::new(ManualClock::at(Timestamp::from_seconds(1))),
            id_generator: Arc::new(CountingIdGenerator::after(opened.highs)),
            instance: Arc::new(Instance::new("http://here.test", "http://here.test", 1)),
            undurable: undurable.clone(),
            rules_memory: Budget::new(&Places::default(), "rules", bound),
            operator_rules: SharedOperatorRules::default(),
            drain: Drain::default(),
            look_every: LOOK_EVERY,
            flood_limits: FloodLimits { messages: pace, strangers: pace },
            topic_parents: TopicParents::default(),
            write_limits: WriteLimits::off(),
            address_trust: AddressTrust::Trusted,
        };
        let room = AuditActor::new(context).start();
        Self { room, journal, undurable, _indexer: opened.indexer }
    }

    /// Asks the room to record a fact.
    async fn notes(&self) -> Result<(), Failure<std::convert::Infallible>> {
        let act = AuditFact::Administered { by: Operator::of_uid(0), act: AdminAct::BackupTaken };
        let (reply, answer) = Reply::pair();
        self.room.send(Posted::new(Ask { question: Note(act), reply })).await.unwrap();
        answer.answer().await
    }

    fn durable(&self) -> usize {
        let scan = self.journal.scan(Cursor::START, 1 << 20).unwrap();
        scan.commits.iter().map(|it| it.entries.len()).sum()
    }
}

/// An act of an operator and its entry used to be two commits, between which a crash lost the entry.
#[actix::test]
async fn act_and_its_audit_entry_are_one_commit() {
    let fixture = Fixture::with(MUCH);
    let fact = |act| AuditFact::Administered { by: Operator::of_uid(0), act };
    let act = fact(AdminAct::BackupTaken);
    let entry = fact(AdminAct::ClockAccepted);
    let audit: AuditNote<()> = Box::new(move |()| vec![entry.clone()]);
    let (reply, answer) = Reply::pair_with(None, Some(audit));
    fixture.room.send(Posted::new(Ask { question: Note(act), reply })).await.unwrap();
    answer.answer().await.unwrap();
    let scan = fixture.journal.scan(Cursor::START, 1 << 20).unwrap();
    let [commit] = scan.commits.as_slice() else { panic!("one commit: {:?}", scan.commits) };
    assert_eq!(commit.entries.len(), 2);
}

const MUCH: Bound = Bound { items: 1000, bytes: 1 << 20 };

#[actix::test]
async fn a_busy_journal_holds_a_room_up_and_costs_nothing() {
    let fixture = Fixture::with(MUCH);
    fixture.notes().await.unwrap();
    (0..3).for_each(|_| fixture.journal.fail_next(Meets::Busy));
    let answers = join_all((0..20).map(|_| fixture.notes())).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert!(fixture.room.connected(), "the room never stopped");
    assert_eq!(fixture.durable(), 21);
    assert_eq!(fixture.undurable.held(), Bound { items: 0, bytes: 0 });
}

#[actix::test]
async fn full_ledgers_refuse_and_keep_pending_commits() {
    let fixture = Fixture::with(Bound { items: 1000, bytes: 1000 });
    fixture.journal.hold();
    let release = async {
        while fixture.undurable.held().bytes < 1000 {
            tokio::task::yield_now().await;
        }
        fixture.journal.release();
    };
    let (answers, ()) = tokio::join!(join_all((0..50).map(|_| fixture.notes())), release);
    let busy = |it: &&Result<(), Failure<_>>| matches!(it, Err(Failure::Fault(Fault::Busy)));
    let refused = answers.iter().filter(busy).count();
    let done = answers.iter().filter(|it| it.is_ok()).count();
    assert!(refused > 0 && done > 0 && refused + done == 50, "{answers:?}");
    assert_eq!(fixture.durable(), done);
    fixture.notes().await.unwrap();
}

#[actix::test]
async fn late_durable_commit_answers_only_its_waiters() {
    let fixture = Fixture::with(MUCH);
    fixture.journal.hold();
    fixture.journal.fail_next(Meets::UnknownWritten);
    let release = async {
        while fixture.journal.held() == 0 {
            tokio::task::yield_now().await;
        }
        fixture.journal.release();
    };
    // The first note is under way when the others come, which are gathered behind it.
    let (answers, ()) = tokio::join!(join_all((0..5).map(|_| fixture.notes())), release);
    let written = answers.iter().filter(|it| it.is_ok()).count();
    assert!(answers[0].is_ok() && written < 5, "{answers:?}");
    assert_eq!(fixture.durable(), written);
    assert!(!fixture.room.connected(), "it loads itself again");
}
