//! The cost of reads, counted in rows that are looked at, not in time. It must grow with what is
//! asked for and found, not with what is stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use coterie::domain::calendar::details::{EventDetails, LocalMoment};
use coterie::domain::calendar::{CalendarChange, MadeEvent};
use coterie::domain::event::Fact;
use coterie::domain::group::{
    AddItem, AddRequest, Admission, GroupFact, GroupKind, Member, MembershipEnd, MentionAll, Role,
    Settings, Who,
};
use coterie::domain::ids::{
    AddId, CalendarEventId, Conversation, GroupId, MembershipId, MessageId, PollId, StreamId,
    UserId,
};
use coterie::domain::message::{Author, Message};
use coterie::domain::polls::{MadePoll, NewPoll, PollChange, PollKind, Visibility};
use coterie::domain::revision::RevisionPolicy;
use coterie::domain::text::{GroupName, Nickname};
use coterie::domain::time::Timestamp;
use coterie::domain::user::UpTo;
use coterie::index::archive::Archive;
use coterie::index::indexer::{self, Indexer};
use coterie::index::memory::MemoryRows;
use coterie::index::timeline::TimelineRange;
use coterie::index::{IndexFault, RowChange, RowVisitor, Rows, Walk};
use coterie::journal::memory::MemoryJournal;
use coterie::journal::{Cursor, Journal};

use crate::history::History;

const GROUP: GroupId = GroupId::new(10_000_001);
const ANA: UserId = UserId::new(20_000_000);
const BEN: UserId = UserId::new(20_000_001);
/// Messages before and after what is looked for.
const MANY: u64 = 1500;
/// How many rows it may cost to find a place: two or three binary searches.
const A_FEW: u64 = 250;

/// Rows that count how many of them are looked at.
#[derive(Debug, Default)]
struct CountingRows {
    rows: MemoryRows,
    looked_at: AtomicU64,
}

impl Rows for CountingRows {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFault> {
        self.looked_at.fetch_add(1, Ordering::SeqCst);
        self.rows.get(key)
    }

    fn scan(
        &self,
        low: &[u8],
        high: &[u8],
        walk: Walk,
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), IndexFault> {
        self.looked_at.fetch_add(1, Ordering::SeqCst);
        self.rows.scan(low, high, walk, &mut |key, value| {
            self.looked_at.fetch_add(1, Ordering::SeqCst);
            visit(key, value)
        })
    }

    fn apply(&self, changes: Vec<RowChange>) -> Result<(), IndexFault> {
        self.rows.apply(changes)
    }

    fn flush(&self) -> Result<(), IndexFault> {
        self.rows.flush()
    }
}

/// A group with many messages, each in a row of its own.
struct Fixture {
    history: History,
    journal: Arc<MemoryJournal>,
    rows: Arc<CountingRows>,
    archive: Archive,
    runtime: tokio::runtime::Runtime,
    _indexer: Indexer,
    said: u64,
}

fn member(user: UserId, stay: u64) -> Member {
    Member {
        membership_id: MembershipId::new(user.get() * 10 + stay),
        user_id: user,
        nickname: Nickname::parse("N".to_owned()).unwrap(),
        name: "N".to_owned(),
        image: None,
        role: Role::Member,
        muted: false,
        mute_ends: None,
        is_guest: false,
    }
}

fn settings(name: &str) -> Settings {
    Settings {
        name: GroupName::parse(name.to_owned()).unwrap(),
        description: None,
        image: None,
        kind: GroupKind::Private,
        share_token: None,
        revising: RevisionPolicy::default(),
        mention_all: MentionAll::Admins,
        slow_mode: 0,
        admission: Admission::default(),
        is_searchable: false,
        archived_at: None,
        frozen: None,
    }
}

impl Fixture {
    fn begins() -> Self {
        let rows = Arc::<CountingRows>::default();
        let journal = Arc::new(MemoryJournal::new());
        let opened = indexer::open(Arc::clone(&rows) as _, Arc::clone(&journal) as _).unwrap();
        let archive = Archive::new(opened.index, Arc::clone(&journal) as _);
        let (history, _indexer) = (History::of(1), opened.indexer);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut group_snapshot =
            Self { history, journal, rows, archive, runtime, _indexer, said: 0 };
        let owner = Member { role: Role::Owner, ..member(ANA, 0) };
        let created = GroupFact::Created { settings: settings("Climbers"), owner };
        group_snapshot.happens(vec![created]);
        group_snapshot.joins(0);
        group_snapshot
    }

    /// Writes one commit and waits until its rows are there.
    fn happens(&mut self, facts: Vec<GroupFact>) -> Cursor {
        let facts = facts.into_iter().map(Fact::Group).collect();
        self.history.writes(&*self.journal, StreamId::Group(GROUP), facts);
        self.runtime.block_on(self.archive.index.reached(self.journal.newest())).unwrap();
        self.archive.here()
    }

    fn joins(&mut self, stay: u64) -> Cursor {
        self.happens(vec![GroupFact::MembersJoined { members: vec![member(BEN, stay)], by: ANA }])
    }

    /// Ana asks to add nobody, so many seconds later, and the request is settled.
    fn adds_nobody(&mut self, second: u64) {
        let id = AddId::new(second);
        let at = Timestamp::from_millis(self.history.at().millis() + second * 1000);
        let asked = AddRequest { id, by: ANA, at, items: Vec::new(), results: None };
        self.happens(vec![GroupFact::AddRequested(asked)]);
        self.happens(vec![GroupFact::AddSettled { request: id, results: Vec::new() }]);
    }

    fn leaves(&mut self, stay: u64) -> Cursor {
        let (member, parting) = (member(BEN, stay), MembershipEnd::Left);
        self.happens(vec![GroupFact::MemberLeft { member, parting, by: BEN }])
    }

    fn is_said(&mut self, times: u64) -> Cursor {
        for _ in 0..times {
            self.said += 1;
            let id = MessageId::new(180_000_000_000_000_000 + self.said * 1_000_000_007);
            let (author, count) = (Author::Member(ANA), self.said);
            let message = Message { author, count, ..Message::unlogged(id) };
            self.happens(vec![GroupFact::Posted(Arc::new(message))]);
        }
        self.archive.here()
    }

    /// Returns what `look` finds, and how many rows it looked at.
    fn costs<T>(&self, look: impl FnOnce(&Archive) -> T) -> (T, u64) {
        let before = self.rows.looked_at.load(Ordering::SeqCst);
        let found = look(&self.archive);
        (found, self.rows.looked_at.load(Ordering::SeqCst) - before)
    }
}

/// The numbers (`n`) of the events of the group that one user may hear between two cursors.
fn heard(archive: &Archive, user: UserId, after: Cursor, upto: Cursor) -> Vec<u64> {
    match archive.timeline(user, after, upto, usize::MAX).unwrap() {
        TimelineRange::Places(places) => places.iter().map(|place| place.at.n).collect(),
        TimelineRange::TooFar => panic!("there is no limit"),
    }
}

#[test]
fn read_mark_is_found_at_any_distance() {
    let mut group_snapshot = Fixture::begins();
    group_snapshot.is_said(MANY);
    // Two events precede the first message.
    for (n, count) in [(0, 0), (1, 0), (2, 0), (3, 1), (1000, 998), (MANY, MANY - 2)] {
        let conv = Conversation::Group(GROUP);
        let (mark, cost) =
            group_snapshot.costs(|archive| archive.index.mark_at(conv, UpTo::Event(n)).unwrap());
        let mark = mark.unwrap();
        assert_eq!((mark.n, mark.count), (n, count));
        assert!(cost < A_FEW, "{cost} rows for event {n} of {MANY}");
    }
}

#[test]
fn range_read_costs_only_its_content() {
    let mut group_snapshot = Fixture::begins();
    group_snapshot.is_said(MANY);
    let after = group_snapshot.archive.here();
    group_snapshot.is_said(20);
    group_snapshot
        .happens(vec![GroupFact::SettingsChanged { settings: settings("Walkers"), by: ANA }]);
    let upto = group_snapshot.is_said(5);
    group_snapshot.is_said(MANY);
    for _ in 0..300 {
        group_snapshot
            .happens(vec![GroupFact::SettingsChanged { settings: settings("C"), by: ANA }]);
    }
    let (heard, cost) = group_snapshot.costs(|archive| heard(archive, ANA, after, upto));
    assert_eq!(heard, (MANY + 3..=MANY + 28).collect::<Vec<_>>());
    assert!(cost < A_FEW, "{cost} rows for {} events", heard.len());
}

#[test]
fn former_members_replay_is_cheap_and_empty() {
    let mut group_snapshot = Fixture::begins();
    let after = group_snapshot.archive.here();
    group_snapshot.is_said(50);
    let parting = group_snapshot.leaves(0);
    let upto = group_snapshot.is_said(MANY);
    let (told, cost) = group_snapshot.costs(|archive| heard(archive, BEN, after, upto));
    assert_eq!(told, [53]);
    assert!(cost < 20, "{cost} rows");
    let (told, _) = group_snapshot.costs(|archive| heard(archive, BEN, parting, upto));
    assert_eq!(told, Vec::<u64>::new());
}

#[test]
fn rejoined_member_reads_only_own_stays() {
    let mut group_snapshot = Fixture::begins();
    let after = group_snapshot.archive.here();
    group_snapshot.is_said(10);
    group_snapshot.leaves(0);
    group_snapshot.is_said(MANY);
    group_snapshot.joins(1);
    let upto = group_snapshot.is_said(10);
    let (told, cost) = group_snapshot.costs(|archive| heard(archive, BEN, after, upto));
    let (first, second) = (3..=13, MANY + 14..=MANY + 24);
    assert_eq!(told, first.chain(second).collect::<Vec<_>>());
    assert!(cost < A_FEW, "{cost} rows for {} events", told.len());
}

/// A read between two cursors, which seeks, finds the same part of the timeline as a read of
/// everything.
#[test]
fn every_stretch_is_the_part_of_the_whole() {
    let mut group_snapshot = Fixture::begins();
    let mut cursors = vec![Cursor::START];
    for round in 0..12 {
        cursors.push(group_snapshot.is_said(round % 4));
        if round % 3 == 1 {
            cursors.push(group_snapshot.leaves(round));
            cursors.push(group_snapshot.is_said(2));
            cursors.push(group_snapshot.joins(round + 1));
        }
        let changed = GroupFact::SettingsChanged { settings: settings("Walkers"), by: ANA };
        cursors.push(group_snapshot.happens(vec![changed]));
    }
    for user in [ANA, BEN] {
        let end = group_snapshot.archive.here();
        let whole = heard(&group_snapshot.archive, user, Cursor::START, end);
        for after in &cursors {
            for upto in cursors.iter().filter(|upto| *upto >= after) {
                let part = heard(&group_snapshot.archive, user, *after, *upto);
                let before = heard(&group_snapshot.archive, user, Cursor::START, *after).len();
                let beyond = heard(&group_snapshot.archive, user, *upto, end).len();
                assert_eq!(part, whole[before..whole.len() - beyond], "{after:?} to {upto:?}");
            }
        }
    }
}

#[test]
fn room_with_many_old_polls_and_events_loads_the_open_ones() {
    let mut group = Fixture::begins();
    let begin = group.history.at();
    let made = |number: u64, starts: Timestamp| {
        let options = vec!["six".to_owned(), "seven".to_owned()];
        let poll = NewPoll {
            subject: "When?".to_owned(),
            options,
            ends: begin.plus_millis(60_000),
            kind: PollKind::Single,
            visibility: Visibility::Public,
        };
        let poll = MadePoll { id: PollId::new(number), owner: ANA, at: begin, poll };
        let moment = |at| LocalMoment { at, offset: 0 };
        let details = EventDetails {
            name: "Climb".to_owned(),
            description: None,
            starts: moment(starts),
            ends: moment(starts.plus_millis(1000)),
            is_all_day: false,
            timezone: "UTC".to_owned(),
            location: None,
            reminders: Vec::new(),
        };
        let event =
            MadeEvent { id: CalendarEventId::new(number), creator: ANA, at: begin, details };
        [
            GroupFact::Polled(Arc::new(PollChange::Made(poll))),
            GroupFact::Planned(Arc::new(CalendarChange::Made(event))),
        ]
    };
    let later = begin.plus_millis(86_400_000);
    for number in 1..=MANY {
        let ended = PollChange::Ended { poll: PollId::new(number), by: None };
        let old = made(number, begin.plus_millis(number)).into_iter();
        group.happens(old.chain([GroupFact::Polled(Arc::new(ended))]).collect());
    }
    let open = [MANY + 1, MANY + 2];
    open.into_iter().for_each(|number| {
        group.happens(made(number, later).into());
    });
    let stream = StreamId::Group(GROUP);
    let (polls, cost) = group.costs(|archive| archive.index.open_polls(stream).unwrap());
    assert_eq!(polls.iter().map(|poll| poll.made.id.get()).collect::<Vec<_>>(), open);
    assert!(cost < 20, "{cost} rows for {} polls", polls.len());
    let (events, cost) = group.costs(|archive| archive.index.open_calendar(stream, later).unwrap());
    assert_eq!(events.iter().map(|event| event.id.get()).collect::<Vec<_>>(), open);
    assert!(cost < 20, "{cost} rows for {} events", events.len());
}

#[test]
fn look_at_the_size_of_a_large_group_costs_the_limit() {
    let mut group = Fixture::begins();
    let members = (0..MANY).map(|number| member(UserId::new(30_000_000 + number), 0)).collect();
    group.happens(vec![GroupFact::MembersJoined { members, by: ANA }]);
    let members = |most| move |archive: &Archive| archive.index.members_up_to(GROUP, most).unwrap();
    let (found, cost) = group.costs(members(200));
    assert_eq!(found, None);
    assert!(cost < 205, "{cost} rows");
    let all = usize::try_from(MANY).unwrap() + 2;
    assert_eq!(group.costs(members(all)).0.unwrap().len(), all);
    assert_eq!(group.costs(members(all - 1)).0, None);
}

#[test]
fn requests_to_add_people_are_not_kept_for_ever() {
    let mut group = Fixture::begins();
    for second in [0, 1_800, 3_600, 5_300] {
        group.adds_nobody(second);
    }
    let index = &group.archive.index;
    let mut seconds = vec![0, 1_800, 3_600, 5_300];
    seconds.retain(|second| index.add_request(GROUP, AddId::new(*second)).unwrap().is_some());
    assert_eq!(seconds, [1_800, 3_600, 5_300], "of an hour");
}

#[test]
fn settled_request_to_add_people_keeps_its_results_only() {
    let mut group = Fixture::begins();
    let item = AddItem {
        who: Who::User(BEN),
        nickname: Nickname::parse("Ben".to_owned()).unwrap(),
        guid: "one".to_owned(),
    };
    let (id, at) = (AddId::new(7), group.history.at());
    let request = AddRequest { id, by: ANA, at, items: vec![item; 50], results: None };
    group.happens(vec![GroupFact::AddRequested(request.clone())]);
    let kept = |group: &Fixture| group.archive.index.add_request(GROUP, id).unwrap().unwrap();
    assert_eq!(kept(&group), request, "its people are still to be looked up");
    let results = vec![("one".to_owned(), member(BEN, 1))];
    group.happens(vec![GroupFact::AddSettled { request: id, results: results.clone() }]);
    let settled = AddRequest { items: Vec::new(), results: Some(results), ..request };
    assert_eq!(kept(&group), settled);
}

#[test]
fn request_to_add_people_costs_the_same_after_many() {
    let mut group = Fixture::begins();
    let mut costs = |seconds: std::ops::Range<u64>| {
        let before = group.rows.looked_at.load(Ordering::SeqCst);
        seconds.for_each(|second| group.adds_nobody(second));
        group.rows.looked_at.load(Ordering::SeqCst) - before
    };
    let first = costs(0..100);
    costs(100..1_000);
    let later = costs(1_000..1_100);
    assert!(later <= first + 100, "{later} rows, {first} at first");
}
