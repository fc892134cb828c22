//! Rows are a function of the journal and of nothing else: not of how many commits were applied
//! together, nor of restarts between them, nor of reads meanwhile.
//!
//! `PROPTEST_CASES` sets how many histories are tried.

use std::sync::Arc;

use coterie::domain::bot_event::BotEvent;
use coterie::domain::callback::{CallbackFact, DeliveredEvent, Delivery, DeliveryState};
use coterie::domain::event::Fact;
use coterie::domain::first_answer::{AskKey, Fingerprint, FirstAnswer};
use coterie::domain::ids::{
    Conversation, DeliveryId, GroupId, MessageId, StreamId, TokenId, UserId,
};
use coterie::domain::time::Timestamp;
use coterie::domain::user::{Device, ReadMark, SmsMode, UserFact};
use coterie::index::indexer::{self, OpenedIndex};
use coterie::index::memory::MemoryRows;
use coterie::index::{IndexFault, Rows, comparison};
use coterie::journal::Journal;
use coterie::journal::memory::MemoryJournal;
use fastrand::Rng;
use proptest::prelude::*;

use crate::history::History;

/// A part of a history, after which the index catches up.
#[derive(Debug, Clone)]
struct Stretch {
    /// Hours that pass before the commits.
    hours: u64,
    /// Commits of groups, users and chats.
    commits: usize,
    /// Commits of first answers, callbacks, marks and devices.
    lesser: usize,
    /// Whether the index is closed during the commits.
    is_missed: bool,
}

fn stretch() -> impl Strategy<Value = Stretch> {
    (0_u64..30, 0_usize..12, 0_usize..12, any::<bool>()).prop_map(
        |(hours, commits, lesser, is_missed)| Stretch { hours, commits, lesser, is_missed },
    )
}

/// A random fact of one of the streams that [`History`] does not cover.
fn lesser_fact(random: &mut Rng, at: Timestamp) -> (StreamId, Fact) {
    let user = UserId::new(20_000_000 + random.u64(0..4));
    let stream = StreamId::User(user);
    match random.u8(0..10) {
        // Mostly first answers with few keys, so that some keys are used again after a day.
        0..5 => {
            let (key, request) = (AskKey::new(random.u128(0..12)), Fingerprint::new(1));
            let first = FirstAnswer { key, request, status: 201, body: None, headers: vec![] };
            (stream, Fact::Answered(Arc::new(first)))
        }
        5..7 => {
            let (bot, group) = (UserId::new(30_000_000 + random.u64(0..2)), GroupId::new(1));
            let id = random.u64(1..2200);
            let of = (bot, group);
            let (event, message) = (BotEvent::Message, Some(MessageId::new(id)));
            let told = DeliveredEvent { n: id, event, message };
            let begun = Delivery::begun(DeliveryId::new(id), of.0, of.1, told, at);
            let state = random.choice(DeliveryState::ALL).unwrap();
            let noted = CallbackFact::Noted(Box::new(Delivery { state, ..begun }));
            (StreamId::Callbacks, Fact::Callback(noted))
        }
        7..9 => {
            let conv = Conversation::Group(GroupId::new(10_000_001 + random.u64(0..3)));
            let mark = ReadMark {
                conv,
                n: random.u64(0..30),
                count: random.u64(0..30),
                is_set_back: random.u8(0..4) == 0,
            };
            (stream, Fact::User(UserFact::ReadUpTo(mark)))
        }
        _ => (stream, Fact::User(account_fact(random, at))),
    }
}

fn account_fact(random: &mut Rng, at: Timestamp) -> UserFact {
    let id = format!("device {}", random.u8(0..3));
    let other = UserId::new(20_000_000 + random.u64(0..4));
    match random.u8(0..6) {
        0 => UserFact::DeviceRemoved { id },
        1 => UserFact::Blocked { other },
        2 => UserFact::SmsModeOn(SmsMode { until: at, registration_id: None }),
        3 => UserFact::SmsModeOff,
        _ => {
            let (key, secret, token) = (vec![1; 65], vec![2; 16], TokenId::new(random.u64(0..3)));
            let endpoint = "https://push.example.org/1".to_owned();
            UserFact::DeviceAdded(Device {
                id,
                endpoint,
                key,
                secret,
                token,
                since: at,
                scopes: None,
            })
        }
    }
}

fn reaches(opened: &OpenedIndex, journal: &dyn Journal) -> Result<(), IndexFault> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(opened.index.reached(journal.newest()))
}

fn check(seed: u64, stretches: &[Stretch]) {
    let mut random = Rng::with_seed(seed);
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let rows: Arc<dyn Rows> = Arc::new(MemoryRows::default());
    let mut history = History::of(seed);
    let open = || indexer::open(Arc::clone(&rows), Arc::clone(&journal)).unwrap();
    let mut opened = Some(open());
    for stretch in stretches {
        if stretch.is_missed {
            drop(opened.take());
        }
        history.waits(stretch.hours * 3_600_000);
        history.goes_on(&*journal, stretch.commits);
        for _ in 0..stretch.lesser {
            let (stream, fact) = lesser_fact(&mut random, history.at());
            history.writes(&*journal, stream, vec![fact]);
        }
        reaches(opened.get_or_insert_with(open), &*journal).unwrap();
    }
    drop(opened);
    let rebuilt: Arc<dyn Rows> = Arc::new(MemoryRows::default());
    drop(indexer::open(Arc::clone(&rebuilt), Arc::clone(&journal)).unwrap());
    let compared = comparison::compare(&*rows, &*rebuilt).unwrap();
    let told: Vec<String> = compared.differences.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "rows depend on more than the journal: {told:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig { cases: ProptestConfig::default().cases.max(256), ..Default::default() }
    })]

    #[test]
    fn rows_are_independent_of_batches(
        seed in any::<u64>(),
        stretches in proptest::collection::vec(stretch(), 1..12),
    ) {
        check(seed, &stretches);
    }
}
