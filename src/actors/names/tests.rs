//! One name, one account, whatever happens to those who take it.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use actix::Arbiter;
use futures_util::FutureExt;
use tokio::task::JoinHandle;

use super::*;
use crate::drain::Drain;
use crate::id_generator::CountingIdGenerator;
use crate::idle::LOOK_EVERY;
use crate::operator_rules::SharedOperatorRules;
use crate::room_context::{self, RoomContext};
use crate::topic_parents::TopicParents;
use crate::user::protocol::{ChangeProfile, NamingRefusal, Register, ViewUser};
use crate::write_limits::WriteLimits;
use auth::accounts::Accounts;
use base::bounds::places::Places;
use base::bounds::turns::Owner;
use base::bounds::{Bound, Budget};
use base::clock::ManualClock;
use domain::group::AddressTrust;
use domain::limits::FORMER_EMAIL_MILLIS;
use domain::text::{Email, UserName};
use domain::time::Timestamp;
use domain::user::{FloodLimits, Pace, Profile, ProfileChange};
use index::archive::Archive;
use index::indexer::{self, Indexer, OpenedIndex};
use index::memory::MemoryRows;
use journal::Journal;
use journal::faulty::FaultyJournal;
use journal::memory::MemoryJournal;
use wire::instance::Instance;

const ANA: UserId = UserId::new(1);
const BEN: UserId = UserId::new(2);

/// Rooms over a journal whose commits can be held back.
struct Fixture {
    journal: Arc<FaultyJournal>,
    clock: Arc<ManualClock>,
    directory: Directory,
    names: Names,
    _indexer: Indexer,
}

impl Fixture {
    fn begins() -> Self {
        let fixture = Self::without_threads();
        fixture.directory.add_arbiter(Arbiter::current());
        fixture
    }

    /// The state before the first thread for rooms exists.
    fn without_threads() -> Self {
        let journal = Arc::new(FaultyJournal::around(Arc::new(MemoryJournal::new())));
        let shared = Arc::clone(&journal) as Arc<dyn Journal>;
        let rows = Arc::new(MemoryRows::default());
        let OpenedIndex { index, highs, indexer, .. } =
            indexer::open(rows, Arc::clone(&shared)).unwrap();
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_800_000_000)));
        let pace = Pace { most: 300, millis: 60_000 };
        let directory = Directory::new(RoomContext {
            accounts: Accounts::new(Arc::clone(&index)),
            archive: Archive::new(index, shared),
            clock: Arc::clone(&clock) as _,
            id_generator: Arc::new(CountingIdGenerator::after(highs)),
            instance: Arc::new(Instance::new("http://localhost", "http://localhost", 1)),
            flood_limits: FloodLimits { messages: pace, strangers: pace },
            topic_parents: TopicParents::default(),
            write_limits: WriteLimits::off(),
            address_trust: AddressTrust::Trusted,
            drain: Drain::default(),
            undurable: Budget::new(
                &Places::default(),
                "commits",
                Bound { items: 100, bytes: 1 << 20 },
            ),
            rules_memory: room_context::rules_memory(&Places::default()),
            operator_rules: SharedOperatorRules::default(),
            look_every: LOOK_EVERY,
        });
        let names = Names { patience: Duration::ZERO, ..Names::new(directory.clone()) };
        Self { journal, clock, directory, names, _indexer: indexer }
    }

    /// Registers a user with this address, as the HTTP layer does.
    fn registers(&self, id: UserId, email: &str) -> JoinHandle<Result<(), String>> {
        let names = self.names.clone();
        let directory = self.directory.clone();
        let profile = of(email);
        actix::spawn(async move {
            let wanted = profile.contacts().collect();
            let register = async |until| {
                let password = String::new();
                directory
                    .ask(
                        id,
                        Register {
                            until,
                            profile,
                            password,
                            token: None,
                            note: None,
                            operator: None,
                            identity: None,
                            provisioning: None,
                            waiting: None,
                        },
                    )
                    .await
            };
            names.take(id, wanted, register).await.map(drop).map_err(|it| format!("{it:?}"))
        })
    }

    /// The address of an account; `None` if the account does not exist.
    async fn email_of(&self, id: UserId) -> Option<String> {
        let user = self.directory.ask(id, ViewUser).await.ok()?;
        Some(user.profile.email.as_str().to_owned())
    }

    /// Waits until this many commits are held back.
    async fn is_held_up(&self, commits: usize) {
        while self.journal.held() < commits {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    }
}

fn of(email: &str) -> Profile {
    Profile {
        name: UserName::parse("Somebody".to_owned()).unwrap(),
        email: Email::parse(email).unwrap(),
        phone: None,
        image: None,
        zip_code: None,
        guest: None,
    }
}

const ADDRESS: &str = "ana@example.org";

#[actix::test]
async fn name_has_one_holder_until_released() {
    let fixture = Fixture::begins();
    fixture.registers(ANA, ADDRESS).await.unwrap().unwrap();
    assert_eq!(fixture.registers(BEN, "Ana@Example.org").await.unwrap().unwrap_err(), "Taken");
    let names = fixture.names.clone();
    let email = Email::parse("ana@elsewhere.example").unwrap();
    let change = ProfileChange { email: Some(email.clone()), ..Default::default() };
    let changed = names.take(ANA, vec![Contact::from(&email)], async |until| {
        let claimed = Some(until);
        fixture.directory.ask(ANA, ChangeProfile { change, claimed, entered: None }).await
    });
    changed.await.unwrap();
    // A former address stays reserved for its owner.
    assert_eq!(fixture.registers(BEN, ADDRESS).await.unwrap().unwrap_err(), "Taken");
    fixture.clock.pass(FORMER_EMAIL_MILLIS + 1);
    fixture.registers(BEN, ADDRESS).await.unwrap().unwrap();
    let third = fixture.registers(UserId::new(3), "ana@elsewhere.example").await.unwrap();
    assert_eq!(third.unwrap_err(), "Taken");
}

/// The disk stalls while Ana's account is written. In an earlier version, her request gave up and
/// took the claim, which was only in memory, with it: Ben got the same name.
#[actix::test]
async fn a_disk_that_stalls_lets_no_two_have_one_name() {
    let fixture = Fixture::begins();
    // Her claim is durable, and her account under way, when the disk stalls.
    let claimed = fixture.names.claim(ANA, &Contact::from(&of(ADDRESS).email).into()).await;
    let until = claimed.unwrap_or_else(|_| panic!("the name is free")).until;
    fixture.journal.hold();
    let directory = fixture.directory.clone();
    let anas = actix::spawn(async move {
        let profile = of(ADDRESS);
        let password = String::new();
        drop(
            directory
                .ask(
                    ANA,
                    Register {
                        until,
                        profile,
                        password,
                        token: None,
                        note: None,
                        operator: None,
                        identity: None,
                        provisioning: None,
                        waiting: None,
                    },
                )
                .await,
        );
    });
    fixture.is_held_up(1).await;
    // The request is gone; nobody waits for the answer any more.
    anas.abort();
    fixture.clock.pass(120_000);
    let bens = fixture.registers(BEN, ADDRESS);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!bens.is_finished(), "whether the name is Ana's is not known yet");
    fixture.journal.release();
    assert_eq!(bens.await.unwrap().unwrap_err(), "Taken");
    assert_eq!(fixture.email_of(ANA).await.as_deref(), Some(ADDRESS));
    assert_eq!(fixture.email_of(BEN).await, None);
}

#[actix::test]
async fn unfinished_claim_expires_after_a_minute() {
    let fixture = Fixture::begins();
    let claimed = fixture.names.claim(ANA, &Contact::from(&of(ADDRESS).email).into()).await;
    let until = claimed.unwrap_or_else(|_| panic!("the name is free")).until;
    fixture.clock.pass(59_000);
    assert_eq!(fixture.registers(BEN, ADDRESS).await.unwrap().unwrap_err(), "Fault(Busy)");
    fixture.clock.pass(1_000);
    fixture.registers(BEN, ADDRESS).await.unwrap().unwrap();
    // The first claimant comes back, too late.
    let late = Register {
        until,
        profile: of(ADDRESS),
        password: String::new(),
        token: None,
        note: None,
        operator: None,
        identity: None,
        provisioning: None,
        waiting: None,
    };
    let late = fixture.directory.ask(ANA, late).await;
    assert!(matches!(late, Err(Failure::Refused(NamingRefusal::Late))));
}

#[actix::test]
async fn second_claim_waits_for_outcome_of_first() {
    let mut fixture = Fixture::begins();
    fixture.names.patience = Duration::from_secs(3600);
    let claimed = fixture.names.claim(ANA, &Contact::from(&of(ADDRESS).email).into()).await;
    let claimed = claimed.unwrap_or_else(|_| panic!("the name is free"));
    let bens = fixture.registers(BEN, ADDRESS);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!bens.is_finished(), "whether the name will be Ana's is not known yet");
    fixture.names.release(&[claimed]).await;
    bens.await.unwrap().unwrap();
    assert_eq!(fixture.registers(ANA, ADDRESS).await.unwrap().unwrap_err(), "Taken");
}

#[actix::test]
async fn a_name_is_free_after_an_act_that_was_certainly_not_done() {
    let fixture = Fixture::begins();
    let fails = |fault: Fault| {
        let name = vec![Contact::from(&of(ADDRESS).email)];
        let act = async |_| Err::<(), Failure<UserRefusal>>(Failure::Fault(fault));
        let names = fixture.names.clone();
        async move { names.take(ANA, name, act).await.unwrap_err() }
    };
    fails(Fault::Late).await;
    assert_eq!(fixture.registers(BEN, ADDRESS).await.unwrap().unwrap_err(), "Fault(Busy)");
    fixture.clock.pass(60_000);
    fails(Fault::Busy).await;
    fixture.registers(BEN, ADDRESS).await.unwrap().unwrap();
}

/// Data directories from before names had streams.
#[actix::test]
async fn a_name_of_an_older_account_is_taken() {
    let fixture = Fixture::begins();
    let until = Monotonic::from_millis(u64::MAX);
    let profile = of(ADDRESS);
    let password = String::new();
    let older = Register {
        until,
        profile,
        password,
        token: None,
        note: None,
        operator: None,
        identity: None,
        provisioning: None,
        waiting: None,
    };
    fixture.directory.ask(ANA, older).await.unwrap();
    assert_eq!(fixture.registers(BEN, ADDRESS).await.unwrap().unwrap_err(), "Taken");
    // An account may take the name that it has.
    let own = vec![Contact::from(&of(ADDRESS).email)];
    let kept = fixture.names.take(ANA, own, async |_| Ok::<(), Failure<UserRefusal>>(()));
    kept.await.unwrap();
}

/// A crash between the claim and the account, or between the account and the confirmation of the
/// claim.
#[actix::test]
async fn next_claim_resolves_unrecorded_outcome() {
    let fixture = Fixture::begins();
    fixture.journal.hold();
    let anas = fixture.registers(ANA, ADDRESS);
    fixture.is_held_up(1).await;
    anas.abort();
    fixture.journal.release();
    fixture.clock.pass(60_000);
    fixture.registers(BEN, ADDRESS).await.unwrap().unwrap();
    assert_eq!(fixture.email_of(ANA).await, None);
}

#[actix::test]
async fn question_waits_for_the_first_thread() {
    let fixture = Fixture::without_threads();
    let until = Monotonic::from_millis(u64::MAX);
    let profile = of(ADDRESS);
    let register = Register {
        until,
        profile,
        password: String::new(),
        token: None,
        note: None,
        operator: None,
        identity: None,
        provisioning: None,
        waiting: None,
    };
    let mut asked = pin!(fixture.directory.ask(ANA, register));
    assert!(asked.as_mut().now_or_never().is_none(), "nobody can answer yet");
    fixture.directory.add_arbiter(Arbiter::current());
    assert!(asked.await.is_ok());
    assert_eq!(fixture.email_of(ANA).await.as_deref(), Some(ADDRESS));
}

#[actix::test]
async fn full_mailbox_refuses_questions() {
    let fixture = Fixture::begins();
    fixture.registers(ANA, ADDRESS).await.unwrap().unwrap();
    let ask = || Box::pin(fixture.directory.ask(ANA, ViewUser));
    // The room has the thread of this test: it reads nothing before the test waits.
    let mut asked = Vec::new();
    let refused = (0..100_000).find_map(|_| {
        let mut one = ask();
        let refused = one.as_mut().now_or_never();
        asked.push(one);
        refused
    });
    assert!(matches!(refused, Some(Err(Failure::Fault(Fault::Busy)))), "{} wait", asked.len());
    asked.pop();
    for waiting in asked {
        assert!(waiting.await.is_ok());
    }
    assert!(ask().await.is_ok());
}

#[actix::test]
async fn server_whose_commits_never_become_durable_is_not_ready() {
    let fixture = Fixture::begins();
    let context = fixture.directory.context().clone();
    assert!(context.readiness().await.is_given());
    fixture.journal.hold();
    let registering = fixture.registers(ANA, "ana@example.org");
    fixture.is_held_up(1).await;
    let readiness = context.readiness().await;
    assert_eq!((readiness.writes, readiness.reads), ("waiting", "answered"));
    fixture.journal.release();
    registering.await.unwrap().unwrap();
    assert!(context.readiness().await.is_given());
}

#[actix::test]
async fn server_whose_reads_are_not_answered_is_not_ready() {
    let fixture = Fixture::begins();
    let context = fixture.directory.context().clone();
    let (end, ends) = std::sync::mpsc::sync_channel::<()>(0);
    let ends = Arc::new(std::sync::Mutex::new(ends));
    let stuck: Vec<_> = (0..64)
        .map(|_| {
            let archive = context.archive.clone();
            let ends = Arc::clone(&ends);
            let wait = move |_: &Archive| Ok(ends.lock().unwrap().recv().is_err());
            actix::spawn(async move { archive.blocking(Owner::Server, wait).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let readiness = context.readiness().await;
    assert_eq!((readiness.writes, readiness.reads), ("durable", "waiting"));
    drop(end);
    for read in stuck {
        assert!(read.await.unwrap().unwrap());
    }
    assert!(context.readiness().await.is_given());
}
