//! Tests of the scheduler without a network: the log, listener and host of a bot are simulated
//! here.

use std::sync::Arc;

use crate::callbacks::endpoint::{Attempt, LogRead, QUEUE};
use crate::callbacks::event::CallbackEvent;
use crate::callbacks::schedule::AttemptOutcome;
use crate::callbacks::scheduler::{CallbackBudgets, DeliveryScheduler};
use base::bounds::places::Places;
use domain::bot_event::BotEvent;
use domain::callback::{Delivery, DeliveryState};
use domain::event::{Event, Fact};
use domain::group::{Bot, BotHabits, GroupFact};
use domain::ids::{BotId, GroupId, MessageId, UserId};
use domain::message::{Author, Message, MessageJson};
use domain::revision::{Deleter, Revision, RevisionKind};
use domain::text::{CallbackUrl, Nickname};
use domain::time::Timestamp;
use index::rows::{BotRow, CallbackProgress};
use wire::instance::Instance;
use wire::message;

const GROUP: GroupId = GroupId::new(7);

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

fn host() -> Arc<str> {
    "http://x.test".into()
}

/// The creator of every bot, unless a test needs several.
const CREATOR: UserId = UserId::new(1);

fn row(number: u64) -> BotRow {
    let bot = Bot {
        id: BotId::new(format!("bot{number}")),
        number: UserId::new(number),
        creator: CREATOR,
        name: Nickname::parse("Echo".to_owned()).unwrap(),
        avatar: None,
        callback_url: Some(CallbackUrl::parse("http://x.test/").unwrap()),
        dm_notification: false,
        active: true,
        secret: None,
        previous_secret: None,
        receive_own: false,
        after: MessageId::new(0),
        client: None,
        events: None,
        habits: BotHabits::default(),
    };
    BotRow { group: GROUP, bot }
}

fn message(id: u64, author: Author) -> CallbackEvent {
    let message = Message { author, ..Message::unlogged(MessageId::new(id)) };
    let instance = Instance::new("http://here", "http://here", 1);
    let shown = message::fresh(GROUP, Arc::new(message), &instance);
    told(id, GroupFact::Posted(shown.message), shown.json)
}

fn told(n: u64, fact: GroupFact, json: MessageJson) -> CallbackEvent {
    let event = Arc::new(Event { at: at(0), fact: Fact::Group(fact) });
    CallbackEvent { n, event, json }
}

/// The event that a message was deleted.
fn deleted(n: u64, id: u64) -> CallbackEvent {
    let kind = RevisionKind::Deleted { actor: Deleter::Sender };
    let revision = Revision { message: MessageId::new(id), by: Author::System, kind };
    told(n, GroupFact::Revised(Arc::new(revision)), said(id).json)
}

fn page(events: Vec<CallbackEvent>, is_all: bool) -> LogRead {
    let upto = events.last().map_or(0, |it| it.n);
    LogRead { events, upto, is_all }
}

fn said(id: u64) -> CallbackEvent {
    message(id, Author::System)
}

/// A scheduler with one bot that has read its whole log.
fn scheduler() -> DeliveryScheduler {
    let mut scheduler = DeliveryScheduler::new(CallbackBudgets::new(&Places::default()));
    scheduler.register(row(1), host(), CallbackProgress::default(), Vec::new());
    read(&mut scheduler, &[], true);
    scheduler
}

fn read(scheduler: &mut DeliveryScheduler, events: &[CallbackEvent], is_all: bool) {
    let endpoint = scheduler.endpoint(UserId::new(1)).unwrap();
    assert!(endpoint.wants_filling());
    endpoint.begin_filling();
    endpoint.fill(&page(events.to_vec(), is_all), at(0));
    scheduler.enqueue(UserId::new(1));
}

fn ends(
    scheduler: &mut DeliveryScheduler,
    attempt: &Attempt,
    verdict: AttemptOutcome,
    now: Timestamp,
) -> Delivery {
    let delivery = verdict.conclude(&attempt.delivery, now, 0.5);
    scheduler.came_back(&host(), CREATOR, Some(verdict == AttemptOutcome::Taken), now);
    scheduler.settle(&delivery, now);
    delivery
}

/// Takes and delivers everything that is due; returns the ids of the messages.
fn drain(scheduler: &mut DeliveryScheduler, now: Timestamp) -> Vec<u64> {
    let mut taken = Vec::new();
    while let Some(attempt) = scheduler.take(&host(), now) {
        taken.push(attempt.delivery.message.get());
        ends(scheduler, &attempt, AttemptOutcome::Taken, now);
    }
    taken
}

#[test]
fn bot_has_one_callback_in_flight_in_order() {
    let mut scheduler = scheduler();
    (1..=3).for_each(|id| scheduler.hear(GROUP, &said(id), at(0)));
    let first = scheduler.take(&host(), at(0)).unwrap();
    assert!(scheduler.take(&host(), at(0)).is_none());
    ends(&mut scheduler, &first, AttemptOutcome::Taken, at(0));
    assert_eq!(drain(&mut scheduler, at(0)), [2, 3]);
}

#[test]
fn bot_waits_until_its_outcome_is_durable() {
    let mut scheduler = scheduler();
    (1..=2).for_each(|id| scheduler.hear(GROUP, &said(id), at(0)));
    scheduler.take(&host(), at(0)).unwrap();
    scheduler.came_back(&host(), CREATOR, Some(true), at(0));
    scheduler.enqueue(UserId::new(1));
    assert!(scheduler.take(&host(), at(0)).is_none());
}

/// A scheduler whose bots have read their whole logs: one of each of these creators, called back at
/// the host with its number.
fn scheduler_of(creators: &[u64], host: impl Fn(u64) -> Arc<str>) -> DeliveryScheduler {
    let mut scheduler = DeliveryScheduler::new(CallbackBudgets::new(&Places::default()));
    for (number, creator) in (1..).zip(creators) {
        let mut row = row(number);
        row.bot.creator = UserId::new(*creator);
        scheduler.register(row, host(number), CallbackProgress::default(), Vec::new());
        let endpoint = scheduler.endpoint(UserId::new(number)).unwrap();
        endpoint.begin_filling();
        endpoint.fill(&page(vec![], true), at(0));
    }
    scheduler
}

fn own_host(number: u64) -> Arc<str> {
    format!("http://{number}.test").into()
}

/// Begins every attempt that may begin; returns the creators of the bots, in order.
fn take_all(scheduler: &mut DeliveryScheduler) -> Vec<u64> {
    let mut creators = Vec::new();
    for host in scheduler.due_hosts(at(0)) {
        while let Some(attempt) = scheduler.take(&host, at(0)) {
            creators.push(attempt.bot.creator.get());
        }
    }
    creators
}

#[test]
fn host_receives_four_requests_at_the_same_time() {
    let mut scheduler = scheduler_of(&[1; 9], |_| host());
    scheduler.hear(GROUP, &said(1), at(0));
    assert_eq!(take_all(&mut scheduler).len(), 4);
}

#[test]
fn all_hosts_together_receive_256_requests_at_the_same_time() {
    let creators: Vec<u64> = (1..=300).collect();
    let mut scheduler = scheduler_of(&creators, own_host);
    scheduler.hear(GROUP, &said(1), at(0));
    assert_eq!(take_all(&mut scheduler).len(), 256);
    assert!(scheduler.due_hosts(at(0)).is_empty(), "no host is looked at while all is taken");
    scheduler.came_back(&own_host(1), CREATOR, Some(true), at(0));
    assert_eq!(take_all(&mut scheduler).len(), 1);
}

/// One user with slow listeners under many host names held all requests.
#[test]
fn bots_of_one_creator_have_a_quarter_of_all_requests() {
    let creators: Vec<u64> = [vec![1; 300], vec![2; 10]].concat();
    let mut scheduler = scheduler_of(&creators, own_host);
    scheduler.hear(GROUP, &said(1), at(0));
    let under_way = take_all(&mut scheduler);
    let of = |creator| under_way.iter().filter(|it| **it == creator).count();
    assert_eq!((of(1), of(2)), (64, 10));
    let attempt_ended = own_host(under_way.iter().position(|it| *it == 1).unwrap() as u64 + 1);
    scheduler.came_back(&attempt_ended, CREATOR, Some(true), at(0));
    assert_eq!(take_all(&mut scheduler), [1]);
}

#[test]
fn creators_with_bots_at_one_host_take_turns() {
    let mut scheduler = scheduler_of(&[1, 1, 1, 1, 1, 2], |_| host());
    scheduler.hear(GROUP, &said(1), at(0));
    assert_eq!(take_all(&mut scheduler), [1, 2, 1, 1]);
}

#[test]
fn a_host_that_fails_is_left_alone_and_then_probed_by_one() {
    let mut scheduler = DeliveryScheduler::new(CallbackBudgets::new(&Places::default()));
    for number in 1..=12 {
        scheduler.register(row(number), host(), CallbackProgress::default(), vec![]);
        let endpoint = scheduler.endpoint(UserId::new(number)).unwrap();
        endpoint.begin_filling();
        endpoint.fill(&page(vec![said(1)], true), at(0));
        scheduler.enqueue(UserId::new(number));
    }
    for _ in 0..10 {
        let attempt = scheduler.take(&host(), at(0)).unwrap();
        ends(&mut scheduler, &attempt, AttemptOutcome::Failed, at(0));
    }
    assert!(scheduler.take(&host(), at(29)).is_none());
    assert!(scheduler.take(&host(), at(30)).is_some());
    assert!(scheduler.take(&host(), at(30)).is_none());
}

#[test]
fn failed_unused_host_is_forgotten_after_an_hour() {
    let mut scheduler = scheduler();
    scheduler.hear(GROUP, &said(1), at(0));
    let attempt = scheduler.take(&host(), at(0)).unwrap();
    ends(&mut scheduler, &attempt, AttemptOutcome::Failed, at(1));
    assert_eq!(scheduler.due_hosts(at(5000)), [host()], "it is tried again");
    scheduler.forget(UserId::new(1));
    assert!(scheduler.due_hosts(at(3600)).is_empty());
    assert_eq!(scheduler.remembered_hosts(), 1, "its failures count for the next bot");
    assert!(scheduler.due_hosts(at(3601)).is_empty());
    assert_eq!(scheduler.remembered_hosts(), 0);
}

#[test]
fn a_bot_that_cannot_keep_up_reads_the_log_instead() {
    let mut scheduler = scheduler();
    let many = QUEUE as u64 * 2 + 10;
    (1..=many).for_each(|id| scheduler.hear(GROUP, &said(id), at(0)));
    let first = QUEUE as u64;
    assert_eq!(drain(&mut scheduler, at(0)), (1..=first).collect::<Vec<_>>());
    let next: Vec<_> = (first + 1..=2 * first).map(said).collect();
    read(&mut scheduler, &next, false);
    assert_eq!(drain(&mut scheduler, at(0)), (first + 1..=2 * first).collect::<Vec<_>>());
    let rest: Vec<_> = (2 * first + 1..=many).map(said).collect();
    read(&mut scheduler, &rest, true);
    scheduler.hear(GROUP, &said(many + 1), at(0));
    assert_eq!(drain(&mut scheduler, at(0)), (2 * first + 1..=many + 1).collect::<Vec<_>>());
}

#[test]
fn message_during_log_read_is_sent_once() {
    let mut scheduler = DeliveryScheduler::new(CallbackBudgets::new(&Places::default()));
    scheduler.register(row(1), host(), CallbackProgress::default(), Vec::new());
    scheduler.endpoint(UserId::new(1)).unwrap().begin_filling();
    (2..=4).for_each(|id| scheduler.hear(GROUP, &said(id), at(0)));
    let read = page((1..=3).map(said).collect(), true);
    scheduler.endpoint(UserId::new(1)).unwrap().fill(&read, at(0));
    scheduler.enqueue(UserId::new(1));
    assert_eq!(drain(&mut scheduler, at(0)), [1, 2, 3, 4]);
}

#[test]
fn message_during_log_read_waits_its_turn() {
    let mut scheduler = DeliveryScheduler::new(CallbackBudgets::new(&Places::default()));
    scheduler.register(row(1), host(), CallbackProgress::default(), Vec::new());
    scheduler.endpoint(UserId::new(1)).unwrap().begin_filling();
    scheduler.hear(GROUP, &said(4), at(0));
    assert_eq!(drain(&mut scheduler, at(0)), [0; 0], "what is before it is not known yet");
    let read = page((1..=3).map(said).collect(), true);
    scheduler.endpoint(UserId::new(1)).unwrap().fill(&read, at(0));
    scheduler.enqueue(UserId::new(1));
    assert_eq!(drain(&mut scheduler, at(0)), [1, 2, 3, 4]);
}

#[test]
fn a_bot_passes_over_its_own_words() {
    let mut scheduler = scheduler();
    scheduler.hear(GROUP, &message(1, Author::Bot(UserId::new(1))), at(0));
    scheduler.hear(GROUP, &message(2, Author::Bot(UserId::new(2))), at(0));
    assert_eq!(drain(&mut scheduler, at(0)), [2]);
}

#[test]
fn restart_sends_failed_first_and_parked_when_due() {
    let of = (UserId::new(1), GROUP);
    let begun = |id: u64, message| {
        Delivery::begun(
            domain::ids::DeliveryId::new(id),
            of.0,
            of.1,
            said(message).delivered(),
            at(0),
        )
    };
    let parked = DeliveryState::Parked;
    let failed = DeliveryState::Failed;
    let parked =
        Delivery { state: parked, out_of_order: true, next_at: Some(at(600)), ..begun(1, 1) };
    let failed = Delivery { state: failed, attempt: 1, next_at: Some(at(5)), ..begun(2, 2) };
    let mut scheduler = DeliveryScheduler::new(CallbackBudgets::new(&Places::default()));
    let so_far = CallbackProgress { until: 1, newest: 2, until_n: 1 };
    scheduler.register(row(1), host(), so_far, vec![parked, failed]);
    read(&mut scheduler, &[said(2), said(3)], true);
    assert!(scheduler.take(&host(), at(4)).is_none());
    let attempt = scheduler.take(&host(), at(5)).unwrap();
    assert_eq!((attempt.delivery.id.get(), attempt.delivery.attempt), (2, 1));
    ends(&mut scheduler, &attempt, AttemptOutcome::Taken, at(5));
    assert_eq!(drain(&mut scheduler, at(5)), [3]);
    assert_eq!(drain(&mut scheduler, at(600)), [1]);
}

#[test]
fn bot_receives_its_callback_events_in_order() {
    let mut scheduler = DeliveryScheduler::new(CallbackBudgets::new(&Places::default()));
    let mut asking = row(1);
    asking.bot.events = Some(vec![BotEvent::Message, BotEvent::MessageDeleted]);
    for row in [asking, row(2)] {
        let number = row.bot.number;
        scheduler.register(row, host(), CallbackProgress::default(), Vec::new());
        let endpoint = scheduler.endpoint(number).unwrap();
        endpoint.begin_filling();
        endpoint.fill(&page(vec![], true), at(0));
    }
    assert!(scheduler.wants(GROUP, BotEvent::MessageDeleted));
    assert!(!scheduler.wants(GROUP, BotEvent::Reaction));
    for told in [said(1), deleted(2, 1), said(3)] {
        scheduler.hear(GROUP, &told, at(0));
    }
    let mut told = Vec::new();
    while let Some(attempt) = scheduler.take(&host(), at(0)) {
        let delivery = ends(&mut scheduler, &attempt, AttemptOutcome::Taken, at(0));
        told.push((delivery.bot.get(), delivery.n, delivery.event));
    }
    told.sort_by_key(|(bot, ..)| *bot);
    let said = BotEvent::Message;
    let deleted = BotEvent::MessageDeleted;
    assert_eq!(told, [(1, 1, said), (1, 2, deleted), (1, 3, said), (2, 1, said), (2, 3, said)]);
}
