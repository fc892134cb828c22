//! Random acts against models of a few plain lines. Here: a group against a naive list. In the
//! other modules: the events that readers get against the snapshots that they are shown.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod acting;
mod caller;
mod carrying;
mod converging;
mod moments;
mod picture;
#[path = "../program/mod.rs"]
mod program;
#[path = "../crash/site.rs"]
#[expect(dead_code, reason = "shared with the tests that kill, which ask for more")]
mod site;
#[path = "../waiting/mod.rs"]
mod waiting;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use coterie::actors::id_generator::CountingIdGenerator;
use coterie::domain::attachment::AddressForm;
use coterie::domain::event::Fact;
use coterie::domain::group::{
    AddItem, Admission, Group, GroupFact, LookupResult, LookupTarget, MentionAll, NewGroup,
    Newcomer, PostRefusal, ResultsRefusal, Who,
};
use coterie::domain::highest_ids::HighestIds;
use coterie::domain::ids::{AddId, GroupId, MessageId, UserId};
use coterie::domain::message::{Author, NewMessage};
use coterie::domain::text::{GroupName, MessageText, Nickname, SourceGuid, UserName};
use coterie::domain::time::{Moment, Monotonic, Timestamp};
use proptest::prelude::*;

/// A random act. Users and guids are few, so that they collide.
#[derive(Debug, Clone)]
enum Act {
    Post {
        by: u64,
        guid: u8,
    },
    Add {
        by: u64,
        whom: Vec<u64>,
    },
    /// The look-up for an open request returns; it finds only users whose number is below `known`.
    Settle {
        request: usize,
        known: u64,
    },
    AskResults {
        by: u64,
        request: usize,
    },
    Pass {
        millis: u64,
    },
}

fn act() -> impl Strategy<Value = Act> {
    let user = || 1..6_u64;
    prop_oneof![
        6 => (user(), 0..4_u8).prop_map(|(by, guid)| Act::Post { by, guid }),
        2 => (user(), proptest::collection::vec(user(), 0..4))
            .prop_map(|(by, whom)| Act::Add { by, whom }),
        2 => (0..4_usize, user()).prop_map(|(request, known)| Act::Settle { request, known }),
        1 => (user(), 0..4_usize).prop_map(|(by, request)| Act::AskResults { by, request }),
        2 => prop_oneof![Just(1), Just(999), Just(30_000), Just(59_999), Just(3_599_999)]
            .prop_map(|millis| Act::Pass { millis }),
    ]
}

/// The naive model of a group.
#[derive(Default)]
struct Naive {
    members: BTreeSet<u64>,
    /// For each message its author (None for lines), guid, millisecond and id.
    log: Vec<(Option<u64>, String, u64, MessageId)>,
    requests: Vec<Request>,
}

struct Request {
    id: AddId,
    by: u64,
    whom: Vec<u64>,
    results: Option<Vec<u64>>,
}

/// The real group, the naive one, and the time.
struct Both {
    group: Group,
    naive: Naive,
    id_generator: CountingIdGenerator,
    millis: u64,
}

fn item(user: u64) -> AddItem {
    AddItem {
        who: Who::User(UserId::new(user)),
        nickname: Nickname::parse("N".to_owned()).unwrap(),
        guid: format!("a{user}"),
    }
}

fn newcomer(user: u64) -> Newcomer {
    let name = UserName::parse(format!("U{user}")).unwrap();
    Newcomer { id: UserId::new(user), name, image: None, is_guest: false }
}

impl Both {
    fn new() -> Self {
        let id_generator = CountingIdGenerator::after(HighestIds::default());
        let name = GroupName::parse("Climbers".to_owned()).unwrap();
        let new = NewGroup {
            name,
            description: None,
            image: None,
            share: false,
            office_mode: false,
            mention_all: MentionAll::Admins,
            slow_mode: 0,
            admission: Admission::default(),
            is_searchable: false,
            group_type: None,
        };
        let GroupFact::Created { settings, owner } = new.created_by(newcomer(1), &id_generator)
        else {
            panic!("a new group begins with being created");
        };
        let at = Timestamp::from_millis(1_800_000_000_000);
        let group = Group::created(GroupId::new(7), settings, owner, at);
        let naive = Naive { members: [1].into(), ..Naive::default() };
        Self { group, naive, id_generator, millis: 0 }
    }

    fn now(&self) -> Moment {
        Moment {
            wall: Timestamp::from_millis(1_800_000_000_000 + self.millis),
            mono: Monotonic::from_millis(1_000_000 + self.millis),
        }
    }

    fn apply(&mut self, facts: Vec<Fact>) {
        let now = self.now();
        for fact in facts {
            let Fact::Group(fact) = fact else { panic!("a group decides about itself") };
            if let GroupFact::Posted(message) = &fact {
                let author = message.author.user().map(UserId::get);
                let entry = (author, message.source_guid.clone(), self.millis, message.id);
                self.naive.log.push(entry);
            }
            self.group.apply(now.wall, &fact, now);
        }
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Post { by, guid } => self.post(*by, &format!("g{guid}")),
            Act::Add { by, whom } => self.add(*by, whom),
            Act::Settle { request, known } => self.settle(*request, *known),
            Act::AskResults { by, request } => self.ask(*by, *request),
            Act::Pass { millis } => self.millis += millis,
        }
    }

    fn post(&mut self, by: u64, guid: &str) {
        let known = self.naive.log.iter().rev().find(|(author, of, at, _)| {
            *author == Some(by) && of == guid && self.millis - at < 60_000
        });
        let expected = match (self.naive.members.contains(&by), known) {
            (false, _) => Err(PostRefusal::NotAMember),
            (true, Some((_, _, _, id))) => Err(PostRefusal::DuplicateGuid { existing: *id }),
            (true, None) => Ok(()),
        };
        let new = NewMessage {
            source_guid: SourceGuid::parse(guid.to_owned()).unwrap(),
            text: Some(MessageText::parse("words".to_owned()).unwrap()),
            attachments: Vec::new(),
            form: AddressForm::Specified,
            here: Vec::new(),
        };
        let decided = self.group.post(UserId::new(by), (new, None), self.now(), &self.id_generator);
        assert_eq!(decided.as_ref().map(|_| ()).map_err(Clone::clone), expected);
        if let Ok(decision) = decided {
            assert_eq!(decision.answer.author, Author::Member(UserId::new(by)));
            self.apply(decision.facts);
        }
    }

    fn add(&mut self, by: u64, whom: &[u64]) {
        let items = whom.iter().copied().map(item).collect();
        let decided =
            self.group.request_add(UserId::new(by), items, self.now(), &self.id_generator);
        assert_eq!(decided.is_ok(), self.naive.members.contains(&by));
        let Ok(decision) = decided else { return };
        let id = decision.answer;
        self.naive.requests.push(Request { id, by, whom: whom.to_vec(), results: None });
        self.apply(decision.facts);
    }

    fn settle(&mut self, request: usize, known: u64) {
        let Some(open) = self.naive.requests.get_mut(request) else { return };
        let found = open.whom.iter().map(|user| LookupResult {
            item: item(*user),
            sought: match *user < known {
                true => LookupTarget::Account(newcomer(*user)),
                false => LookupTarget::Nobody,
            },
        });
        let found = found.collect();
        let (id, by) = (open.id, open.by);
        let lines = usize::from(if open.results.is_none() {
            let results: Vec<u64> = open.whom.iter().copied().filter(|it| *it < known).collect();
            let comes = results.iter().any(|user| !self.naive.members.contains(user));
            self.naive.members.extend(&results);
            open.results = Some(results);
            comes
        } else {
            false
        });
        let before = self.naive.log.len();
        let decision = self.group.settle_add(id, found, self.now(), &self.id_generator);
        self.apply(decision.facts);
        assert_eq!(self.naive.log.len(), before + lines, "one line if anybody of {by}'s came");
    }

    fn ask(&self, by: u64, request: usize) {
        let Some(asked) = self.naive.requests.get(request) else { return };
        let answer = self.group.may_see_results(UserId::new(by), asked.id);
        let expected = match &asked.results {
            _ if !self.naive.members.contains(&by) => Err(ResultsRefusal::NotAMember),
            None => Err(ResultsRefusal::NotReady),
            Some(_) => Ok(()),
        };
        assert_eq!(answer, expected);
    }

    /// Checks what must hold after each act.
    fn check(&self) {
        let members: Vec<u64> = self.group.members.keys().map(|it| it.get()).collect();
        assert_eq!(members, self.naive.members.iter().copied().collect::<Vec<_>>());
        let audience: Vec<u64> = self.group.audience().users().iter().map(|it| it.get()).collect();
        assert_eq!(audience, members, "who is in hears, and nobody else");
        assert_eq!(self.group.count, self.naive.log.len() as u64);
        let ids: Vec<MessageId> = self.naive.log.iter().map(|(.., id)| *id).collect();
        assert!(ids.is_sorted_by(|one, other| one < other), "ids grow");
        assert_eq!(self.group.last.as_ref().map(|it| it.id), ids.last().copied());
        let mut memberships = BTreeMap::new();
        for member in self.group.members.values() {
            let other = memberships.insert(member.membership_id, member.user_id);
            assert_eq!(other, None, "a membership id names one stay");
        }
        let shared = Arc::clone(&self.group.members);
        assert_eq!(self.group.shared_copy().members, shared);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn group_matches_a_naive_list(acts in proptest::collection::vec(act(), 0..60)) {
        let mut both = Both::new();
        for act in &acts {
            both.act(act);
            both.check();
        }
    }
}
