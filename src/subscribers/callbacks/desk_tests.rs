//! The desk without a network: a bot whose log, listener and host are played here.

use std::sync::Arc;

use crate::domain::callback::{Delivery, DeliveryState};
use crate::domain::group::Bot;
use crate::domain::ids::{BotId, GroupId, MessageId, UserId};
use crate::domain::message::{Author, Message};
use crate::domain::text::{CallbackUrl, Nickname};
use crate::domain::time::Timestamp;
use crate::index::rows::{BotRow, CalledBack};
use crate::subscribers::callbacks::customer::{Errand, QUEUE};
use crate::subscribers::callbacks::desk::Desk;
use crate::subscribers::callbacks::schedule::Verdict;

const GROUP: GroupId = GroupId::new(7);

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

fn host() -> Arc<str> {
    "http://x.test".into()
}

fn row(number: u64) -> BotRow {
    let bot = Bot {
        id: BotId::new(format!("bot{number}")),
        number: UserId::new(number),
        creator: UserId::new(1),
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
    };
    BotRow { group: GROUP, bot }
}

fn message(id: u64, author: Author) -> Arc<Message> {
    Arc::new(Message { author, ..Message::test(MessageId::new(id)) })
}

fn said(id: u64) -> Arc<Message> {
    message(id, Author::System)
}

/// A desk with one bot that has read its whole log.
fn desk() -> Desk {
    let mut desk = Desk::default();
    desk.adopt(row(1), host(), CalledBack::default(), Vec::new());
    read(&mut desk, &[], true);
    desk
}

fn read(desk: &mut Desk, page: &[Arc<Message>], is_all: bool) {
    let customer = desk.customer(UserId::new(1)).unwrap();
    assert!(customer.wants_filling());
    customer.begin_filling();
    customer.fill(page, is_all, at(0));
    desk.place(UserId::new(1));
}

fn ends(desk: &mut Desk, errand: &Errand, verdict: Verdict, now: Timestamp) -> Delivery {
    let delivery = verdict.conclude(&errand.delivery, now, 0.5);
    desk.came_back(&host(), verdict == Verdict::Taken, now);
    desk.settle(&delivery, now);
    delivery
}

/// Everything that is due, taken by the listener; the ids of the messages.
fn drain(desk: &mut Desk, now: Timestamp) -> Vec<u64> {
    let mut taken = Vec::new();
    while let Some(errand) = desk.take(&host(), now) {
        taken.push(errand.delivery.message.get());
        ends(desk, &errand, Verdict::Taken, now);
    }
    taken
}

#[test]
fn one_request_of_a_bot_is_under_way_and_they_keep_their_order() {
    let mut desk = desk();
    (1..=3).for_each(|id| desk.hear(GROUP, &said(id), at(0)));
    let first = desk.take(&host(), at(0)).unwrap();
    assert!(desk.take(&host(), at(0)).is_none());
    ends(&mut desk, &first, Verdict::Taken, at(0));
    assert_eq!(drain(&mut desk, at(0)), [2, 3]);
}

#[test]
fn what_came_back_but_is_not_durable_yet_holds_the_bot() {
    let mut desk = desk();
    (1..=2).for_each(|id| desk.hear(GROUP, &said(id), at(0)));
    desk.take(&host(), at(0)).unwrap();
    desk.came_back(&host(), true, at(0));
    desk.place(UserId::new(1));
    assert!(desk.take(&host(), at(0)).is_none());
}

#[test]
fn a_host_gets_four_at_the_same_time() {
    let mut desk = Desk::default();
    for number in 1..=9 {
        desk.adopt(row(number), host(), CalledBack::default(), Vec::new());
        let customer = desk.customer(UserId::new(number)).unwrap();
        customer.begin_filling();
        customer.fill(&[], true, at(0));
    }
    desk.hear(GROUP, &said(1), at(0));
    let under_way = std::iter::from_fn(|| desk.take(&host(), at(0))).count();
    assert_eq!(under_way, 4);
}

#[test]
fn all_hosts_together_get_256_at_the_same_time() {
    let mut desk = Desk::default();
    let host = |number: u64| -> Arc<str> { format!("http://{number}.test").into() };
    for number in 1..=300 {
        desk.adopt(row(number), host(number), CalledBack::default(), Vec::new());
        let customer = desk.customer(UserId::new(number)).unwrap();
        customer.begin_filling();
        customer.fill(&[], true, at(0));
    }
    desk.hear(GROUP, &said(1), at(0));
    let under_way = (1..=300).filter(|it| desk.take(&host(*it), at(0)).is_some()).count();
    assert_eq!(under_way, 256);
    desk.came_back(&host(1), true, at(0));
    assert!(desk.take(&host(300), at(0)).is_some());
}

#[test]
fn a_host_that_fails_is_left_alone_and_then_probed_by_one() {
    let mut desk = Desk::default();
    for number in 1..=12 {
        desk.adopt(row(number), host(), CalledBack::default(), vec![]);
        let customer = desk.customer(UserId::new(number)).unwrap();
        customer.begin_filling();
        customer.fill(&[said(1)], true, at(0));
        desk.place(UserId::new(number));
    }
    for _ in 0..10 {
        let errand = desk.take(&host(), at(0)).unwrap();
        ends(&mut desk, &errand, Verdict::Failed, at(0));
    }
    assert!(desk.take(&host(), at(29)).is_none());
    assert!(desk.take(&host(), at(30)).is_some());
    assert!(desk.take(&host(), at(30)).is_none());
}

#[test]
fn a_bot_that_cannot_keep_up_reads_the_log_instead() {
    let mut desk = desk();
    let many = QUEUE as u64 * 2 + 10;
    (1..=many).for_each(|id| desk.hear(GROUP, &said(id), at(0)));
    let first = QUEUE as u64;
    assert_eq!(drain(&mut desk, at(0)), (1..=first).collect::<Vec<_>>());
    let page: Vec<_> = (first + 1..=2 * first).map(said).collect();
    read(&mut desk, &page, false);
    assert_eq!(drain(&mut desk, at(0)), (first + 1..=2 * first).collect::<Vec<_>>());
    let rest: Vec<_> = (2 * first + 1..=many).map(said).collect();
    read(&mut desk, &rest, true);
    desk.hear(GROUP, &said(many + 1), at(0));
    assert_eq!(drain(&mut desk, at(0)), (2 * first + 1..=many + 1).collect::<Vec<_>>());
}

#[test]
fn what_is_said_while_the_log_is_read_comes_once() {
    let mut desk = Desk::default();
    desk.adopt(row(1), host(), CalledBack::default(), Vec::new());
    desk.customer(UserId::new(1)).unwrap().begin_filling();
    (2..=4).for_each(|id| desk.hear(GROUP, &said(id), at(0)));
    let page: Vec<_> = (1..=3).map(said).collect();
    desk.customer(UserId::new(1)).unwrap().fill(&page, true, at(0));
    desk.place(UserId::new(1));
    assert_eq!(drain(&mut desk, at(0)), [1, 2, 3, 4]);
}

#[test]
fn a_bot_passes_over_its_own_words() {
    let mut desk = desk();
    desk.hear(GROUP, &message(1, Author::Bot(UserId::new(1))), at(0));
    desk.hear(GROUP, &message(2, Author::Bot(UserId::new(2))), at(0));
    assert_eq!(drain(&mut desk, at(0)), [2]);
}

#[test]
fn after_a_start_a_failed_message_comes_first_and_parked_ones_when_they_are_due() {
    let of = (UserId::new(1), GROUP);
    let begun = |id: u64, message| {
        Delivery::begun(crate::domain::ids::DeliveryId::new(id), of, MessageId::new(message), at(0))
    };
    let (parked, failed) = (DeliveryState::Parked, DeliveryState::Failed);
    let parked =
        Delivery { state: parked, out_of_order: true, next_at: Some(at(600)), ..begun(1, 1) };
    let failed = Delivery { state: failed, attempt: 1, next_at: Some(at(5)), ..begun(2, 2) };
    let mut desk = Desk::default();
    let so_far = CalledBack { until: 1, newest: 2 };
    desk.adopt(row(1), host(), so_far, vec![parked, failed]);
    read(&mut desk, &[said(2), said(3)], true);
    assert!(desk.take(&host(), at(4)).is_none());
    let errand = desk.take(&host(), at(5)).unwrap();
    assert_eq!((errand.delivery.id.get(), errand.delivery.attempt), (2, 1));
    ends(&mut desk, &errand, Verdict::Taken, at(5));
    assert_eq!(drain(&mut desk, at(5)), [3]);
    assert_eq!(drain(&mut desk, at(600)), [1]);
}
