//! Alarms: reminders, ends of polls and ends of mutes come once each, however often the server is
//! down and whichever times people choose, and no alarm that is due stays in the index.

use std::sync::Arc;

use coterie::clock::Clock;
use coterie::domain::alarm::{AlarmSettled, Appointment, DatedAppointment};
use coterie::domain::calendar::CalendarChange;
use coterie::domain::event::{Entry, Event, Fact};
use coterie::domain::group::GroupFact;
use coterie::domain::ids::{
    CalendarEventId, Conversation, GroupId, Pair, PollId, StreamId, UserId,
};
use coterie::domain::polls::PollChange;
use coterie::domain::time::Timestamp;
use coterie::index::indexer;
use coterie::index::sled_index::SledRows;
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::{Commit, CommitId, Committed, Cursor, Journal, Outcome, Scan};
use fastrand::Rng;
use serde_json::{Value, json};

use crate::direct_messages::conversation;
use crate::push_same::here;
use crate::world::World;
use crate::world::person::{Group, Person, text};
use crate::world::server::lets_go;

/// How many random lives of a server are tried.
const LIVES: u64 = 12;
/// Acts of each life.
const ACTS: usize = 14;

/// The time in the form of the API; within January 2027.
fn iso(second: u64) -> String {
    let since = second - 1_800_000_000 + 8 * 3600;
    let (days, hours, minutes) = (since / 86_400, since / 3600 % 24, since / 60 % 60);
    format!("2027-01-{:02}T{hours:02}:{minutes:02}:{:02}Z", 15 + days, since % 60)
}

fn number(value: &Value) -> u64 {
    text(value).parse().unwrap()
}

/// A calendar event as a reader of the documentation expects it to be.
struct Planned {
    conv: String,
    id: u64,
    start: u64,
    end: u64,
    reminders: Vec<u64>,
    reminded: u64,
    is_shown: bool,
}

impl Planned {
    /// The reminder that is sent at this time, if any: the last one that came due.
    fn remind(&mut self, now: u64) -> Option<Rung> {
        let due = |before: &&u64| {
            let at = self.start - **before;
            self.reminded < at && at <= now
        };
        let before = *self.reminders.iter().filter(due).min().filter(|_| self.is_shown)?;
        self.reminded = self.start - before;
        Some(Rung::Reminder(self.id, before as u32))
    }
}

/// Something that happened by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rung {
    Reminder(u64, u32),
    PollEnd(u64),
    MuteEnd,
}

/// What people did, and what is to follow from it.
struct Book {
    random: Rng,
    people: [Person; 2],
    climbers: Group,
    events: Vec<Planned>,
    /// Open polls: id, end.
    polls: Vec<(u64, u64)>,
    mute_ends: Option<u64>,
    expected: Vec<Rung>,
}

impl Book {
    fn now(world: &World) -> u64 {
        world.clock_seconds()
    }

    /// What happens by itself up to this time.
    fn rings(&mut self, now: u64) -> usize {
        let before = self.expected.len();
        self.expected.extend(self.events.iter_mut().filter_map(|event| event.remind(now)));
        let over = self.polls.extract_if(.., |(_, ends)| *ends <= now);
        self.expected.extend(over.map(|(poll, _)| Rung::PollEnd(poll)));
        if self.mute_ends.take_if(|ends| *ends <= now).is_some() {
            self.expected.push(Rung::MuteEnd);
        }
        self.expected.len() - before
    }

    fn reminders(&mut self) -> Vec<u64> {
        let mut reminders = vec![7200, 3600, 900, 60, 0];
        reminders.retain(|_| self.random.bool());
        reminders
    }

    async fn plans(&mut self, world: &World) {
        let [ana, ben] = &self.people;
        let conv = match self.random.bool() {
            true => self.climbers.id.clone(),
            false => conversation(ana, ben),
        };
        let start = Self::now(world) + self.random.u64(1..18_000);
        let end = start + [0, 0, 600, 7200][self.random.usize(..4)];
        let ana = ana.clone();
        let reminders = self.reminders();
        let body = json!({"name": "Climb", "start_at": iso(start), "end_at": iso(end),
            "reminders": reminders});
        let place = format!("/v3/conversations/{conv}/events/create");
        let made = ana.posts(&place).json(&body).await.created();
        let (id, reminded) = (number(&made["event"]["event_id"]), Self::now(world));
        self.events.push(Planned { conv, id, start, end, reminders, reminded, is_shown: true });
    }

    async fn changes(&mut self, world: &World) {
        let now = Self::now(world);
        let ahead = self.events.iter().enumerate().filter(|(_, it)| it.is_shown && it.end > now);
        let ahead: Vec<usize> = ahead.map(|(index, _)| index).collect();
        let Some(index) = self.random.choice(ahead) else { return };
        let reminders = self.reminders();
        let event = &mut self.events[index];
        let of = |what: &str| {
            format!("/v3/conversations/{}/events/{what}?event_id={}", event.conv, event.id)
        };
        let ana = &self.people[0];
        let change = match self.random.u8(..5) {
            0 => json!({"name": "Hike"}),
            1 => {
                event.start = now + self.random.u64(1..18_000);
                event.end = event.start + 60;
                json!({"start_at": iso(event.start), "end_at": iso(event.end)})
            }
            2 => {
                let is_same = event.reminders == reminders;
                event.reminded = if is_same { event.reminded } else { now };
                event.reminders.clone_from(&reminders);
                json!({"reminders": reminders})
            }
            3 => {
                event.is_shown = false;
                ana.asks("DELETE", &of("delete")).await.ok();
                return;
            }
            _ => {
                event.is_shown = false;
                let path = format!("/v3/conversations/{}/messages/{}", event.conv, event.id);
                assert_eq!(ana.asks("DELETE", &path).await.status, 204);
                return;
            }
        };
        if change.get("start_at").is_some() {
            event.reminded = now;
        }
        ana.posts(&of("update")).json(&change).await.ok();
    }

    async fn asks(&mut self, world: &World) {
        let ends = Self::now(world) + self.random.u64(60..9000);
        let body = json!({"subject": "When?", "options": [{"title": "six"}, {"title": "seven"}],
            "expiration": ends, "type": "single", "visibility": "public"});
        let place = format!("/v3/poll/{}", self.climbers.id);
        let made = self.people[0].posts(&place).json(&body).await.created();
        self.polls.push((number(&made["poll"]["data"]["id"]), ends));
    }

    async fn ends_a_poll(&mut self) {
        if self.polls.is_empty() {
            return;
        }
        let (poll, _) = self.polls.swap_remove(self.random.usize(..self.polls.len()));
        let group = &self.climbers.id;
        if self.random.bool() {
            self.people[0].posts(&format!("/v3/poll/{group}/{poll}/end")).await.ok();
        } else {
            let path = format!("/v3/conversations/{group}/messages/{poll}");
            assert_eq!(self.people[0].asks("DELETE", &path).await.status, 204);
        }
    }

    async fn mutes(&mut self, world: &World) {
        let minutes = self.random.u64(1..120);
        let place = self.climbers.path("/memberships/mute");
        self.people[1].posts(&place).json(&json!({"duration": minutes})).await.ok();
        self.mute_ends = Some(Self::now(world) + minutes * 60);
    }

    /// Lets time pass while the server runs, and waits for what is due.
    async fn waits(&mut self, world: &World) {
        let cursor = here(&self.people[1]).await;
        world.seconds_pass(self.random.u64(1..7200));
        self.hears_what_rings(world, cursor).await;
    }

    /// Waits until everything that is due now has happened after this cursor.
    async fn hears_what_rings(&mut self, world: &World, mut cursor: String) {
        let mut left = self.rings(Self::now(world));
        while left > 0 {
            let place = format!("/v3/events?after={cursor}&wait=30");
            let mut page = self.people[1].gets(&place).await.ok();
            let kinds = ["event.reminder", "poll.finished", "membership.update"];
            let events = page["events"].as_array().unwrap();
            let rung = events.iter().filter(|it| kinds.contains(&text(&it["type"])));
            left = left.checked_sub(rung.count()).expect("nothing else happens by itself");
            cursor = text(&page["c"].take()).to_owned();
        }
    }

    /// Stops the server and starts it at another time: mostly later, seldom earlier.
    async fn restarts(&mut self, world: &mut World) {
        let cursor = here(&self.people[1]).await;
        world.stops().await;
        if self.random.u8(..4) == 0 {
            let back = Self::now(world) - self.random.u64(1..300);
            world.clock.jump_to(Timestamp::from_seconds(back));
        } else {
            world.seconds_pass(self.random.u64(1..14_400));
        }
        world.restarts().await;
        self.people = self.people.clone().map(|person| world.welcomes(&person));
        self.hears_what_rings(world, cursor).await;
    }

    async fn acts(&mut self, world: &mut World) {
        match self.random.u8(..10) {
            0 | 1 => self.plans(world).await,
            2 => self.changes(world).await,
            3 => self.asks(world).await,
            4 => self.ends_a_poll().await,
            5 => self.mutes(world).await,
            6 | 7 => self.waits(world).await,
            _ => self.restarts(world).await,
        }
    }
}

/// The facts of a stopped server that happened by themselves.
fn rung(commits: &[Arc<Committed>]) -> Vec<Rung> {
    let of = |fact: &Fact| {
        if let Some(change) = fact.planned() {
            let CalendarChange::Reminded { event, before } = **change else { return None };
            return Some(Rung::Reminder(event.get(), before));
        }
        let Fact::Group(fact) = fact else { return None };
        if let GroupFact::Polled(change) = fact {
            let PollChange::Ended { poll, by: None } = **change else { return None };
            return Some(Rung::PollEnd(poll.get()));
        }
        let GroupFact::MemberChanged { member, .. } = fact else { return None };
        (!member.muted).then_some(Rung::MuteEnd)
    };
    let entries = commits.iter().flat_map(|commit| &commit.entries);
    entries.filter_map(|entry| of(&entry.event.fact)).collect()
}

/// The journal of a stopped server, and all its commits.
fn journal(world: &World) -> (Arc<dyn Journal>, Vec<Arc<Committed>>) {
    let (journal, _) = FileJournal::open(&world.journal(), JournalOptions::default()).unwrap();
    let (mut from, mut all) = (Cursor::START, Vec::new());
    loop {
        let Scan { commits, next } = journal.scan(from, 1 << 20).unwrap();
        if commits.is_empty() {
            return (Arc::new(journal), all);
        }
        all.extend(commits);
        from = next;
    }
}

/// The alarms of a stopped server that are due.
async fn due_alarms(world: &World) -> Vec<DatedAppointment> {
    lets_go(world.data()).await;
    let (journal, _) = journal(world);
    let rows = SledRows::open(&world.data().join("index"), 1 << 20).unwrap();
    let opened = indexer::open(Arc::new(rows), Arc::clone(&journal)).unwrap();
    opened.index.reached(journal.newest()).await.unwrap();
    let now = world.clock.now().wall;
    let mut due = opened.index.alarms(None, 1000).unwrap();
    due.retain(|(at, _)| *at <= now);
    due
}

/// Plans, asks and mutes at random; then lets all of it come due, and compares.
async fn lives(seed: u64) {
    let mut world = World::start().await;
    let (people, climbers) = world.climbing(["Ana", "Ben"]).await;
    let (events, polls, expected) = (Vec::new(), Vec::new(), Vec::new());
    let random = Rng::with_seed(seed);
    let mut book = Book { random, people, climbers, events, polls, mute_ends: None, expected };
    for _ in 0..ACTS {
        book.acts(&mut world).await;
    }
    let cursor = here(&book.people[1]).await;
    world.seconds_pass(86_400);
    book.hears_what_rings(&world, cursor).await;
    world.stops().await;
    assert_eq!(due_alarms(&world).await, [], "seed {seed}");
    lets_go(world.data()).await;
    let mut found = rung(&journal(&world).1);
    found.sort();
    book.expected.sort();
    assert_eq!(found, book.expected, "seed {seed}");
}

#[tokio::test]
async fn everything_due_comes_once_and_leaves_no_alarm() {
    for seed in 0..LIVES {
        lives(seed).await;
    }
}

#[tokio::test]
async fn alarm_without_purpose_is_removed_when_it_rings() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let chat = conversation(&ana, &ben);
    let body = json!({"name": "Climb", "start_at": iso(Book::now(&world) + 7200),
        "end_at": iso(Book::now(&world) + 9000), "reminders": [900]});
    let made = ana.posts(&format!("/v3/conversations/{chat}/events/create")).json(&body);
    let event = CalendarEventId::new(number(&made.await.created()["event"]["event_id"]));
    let body = json!({"name": "Rest", "start_at": iso(Book::now(&world) + 4500),
        "end_at": iso(Book::now(&world) + 9000), "reminders": [900]});
    ana.posts(&format!("/v3/conversations/{chat}/events/create")).json(&body).await.created();
    let body = json!({"subject": "When?", "options": [{"title": "six"}, {"title": "seven"}],
        "expiration": Book::now(&world) + 3600, "type": "single", "visibility": "public"});
    ana.posts(&format!("/v3/poll/{}", climbers.id)).json(&body).await.created();
    world.stops().await;
    lets_go(world.data()).await;
    let ids = [&ana, &ben].map(|person| UserId::new(person.id.parse().unwrap()));
    let group = GroupId::new(climbers.id.parse().unwrap());
    let pair = Pair::of(ids[0], ids[1]).unwrap();
    let unknown = CalendarEventId::new(7);
    let strays = [
        Appointment::MuteEnds { group, user: ids[1] },
        Appointment::MuteEnds { group, user: UserId::new(7) },
        Appointment::PollEnds { group, poll: PollId::new(7) },
        Appointment::Reminder { conv: Conversation::Group(group), event: unknown },
        Appointment::Reminder { conv: Conversation::Chat(pair), event: unknown },
        // This one is due later than its row says.
        Appointment::Reminder { conv: Conversation::Chat(pair), event },
    ];
    let at = world.clock.now().wall;
    let (journal, commits) = journal(&world);
    for stream in [StreamId::Group(group), StreamId::Chat(pair)] {
        let settled = |appointment: Appointment| {
            let next = Some(at.plus_millis(60_000));
            let fact = Fact::AlarmSettled(AlarmSettled { appointment, at, next });
            Entry::stored(Arc::new(Event { at, fact }))
        };
        let own = strays.iter().copied().filter(|it| it.stream() == stream);
        let head = commits.iter().rev().find(|it| it.stream == stream).unwrap().after;
        let (id, entries) = (CommitId(u128::from(head.token)), own.map(settled).collect());
        let submitted = journal.submit(Commit { stream, head, id, at, entries }).unwrap();
        assert!(matches!(submitted.await, Outcome::Committed(_)));
    }
    drop((journal, commits));
    world.restarts().await;
    let ben = world.welcomes(&ben);
    let cursor = here(&ben).await;
    world.seconds_pass(3600);
    // These alarms come after the others of their rooms; the rooms ring at the same time.
    let mut feed = ben.listens_after(&cursor).await;
    let mut awaited = vec!["event.reminder", "poll.finished"];
    while !awaited.is_empty() {
        let event = feed.next().await;
        awaited.retain(|kind| *kind != text(&event["type"]));
    }
    world.stops().await;
    assert_eq!(due_alarms(&world).await, []);
    // The reminder that is to come was moved, not removed.
    world.seconds_pass(3600);
    let [left] = due_alarms(&world).await.try_into().unwrap();
    assert_eq!(left.1, strays[5]);
    assert_eq!(left.0.seconds(), world.clock_seconds() - 900);
}
