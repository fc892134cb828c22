//! What must be true of the data on the disk, whatever happened before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use coterie::domain::event::Fact;
use coterie::domain::group::{GroupFact, Member};
use coterie::domain::ids::{Conversation, GroupId, MessageId, StreamId, UserId};
use coterie::domain::message::Message;
use coterie::domain::user::UserFact;
use coterie::index::comparison::compare;
use coterie::index::indexer;
use coterie::index::memory::MemoryRows;
use coterie::journal::{Committed, Cursor, Journal, StreamHead};
use coterie::threads::Threads;

use crate::book::{Book, Possible, Say};
use crate::rows::SimRows;

/// For how many seconds a guid is recognized as a repetition.
const GUID_SECONDS: u64 = 60;

/// Returns every commit of a journal.
pub(crate) fn all_of(journal: &dyn Journal) -> Vec<Arc<Committed>> {
    let (mut all, mut from) = (Vec::new(), Cursor::START);
    loop {
        let scan = journal.scan(from, 1 << 20).expect("what is durable can be read");
        if scan.commits.is_empty() {
            return all;
        }
        (from, all) = (scan.next, [all, scan.commits].concat());
    }
}

/// The contents of the journal as a few plain maps.
#[derive(Default)]
pub(crate) struct Log {
    heads: BTreeMap<StreamId, StreamHead>,
    messages: BTreeMap<Conversation, Vec<Arc<Message>>>,
    likes: BTreeSet<(UserId, Conversation, MessageId)>,
    seats: BTreeSet<(UserId, GroupId)>,
    users: BTreeSet<UserId>,
}

impl Log {
    /// Reads the commits; breaks in a stream or in an order are reported to the book.
    pub(crate) fn of(commits: &[Arc<Committed>], book: &mut Book) -> Self {
        let mut log = Self::default();
        for commit in commits {
            let head = log.heads.entry(commit.stream).or_default();
            if commit.before != *head {
                let (stream, before) = (commit.stream, commit.before);
                book.object(format!("{stream} goes on from {before:?}, it ended at {head:?}"));
            }
            *head = commit.after;
            for (_, _, event) in commit.numbered() {
                log.take(commit.stream, &event.fact, book);
            }
        }
        log
    }

    fn take(&mut self, stream: StreamId, fact: &Fact, book: &mut Book) {
        let conv = match stream {
            StreamId::Group(id) => Some(Conversation::Group(id)),
            StreamId::Chat(pair) => Some(Conversation::Chat(pair)),
            StreamId::User(_)
            | StreamId::Name(_)
            | StreamId::Callbacks
            | StreamId::Audit
            | StreamId::Instance => None,
        };
        if let (Some(conv), Some(message)) = (conv, fact.message()) {
            let log = self.messages.entry(conv).or_default();
            let last = log.last().map(|last| (last.id, last.count));
            if last.is_some_and(|last| last.0 >= message.id) {
                book.object(format!("{} comes after {last:?}", message.id));
            }
            if last.map_or(0, |last| last.1) + 1 != message.count {
                book.object(format!("{} counts {} after {last:?}", message.id, message.count));
            }
            log.push(Arc::clone(message));
        }
        if let (Some(conv), Some((change, is_given))) = (conv, fact.like()) {
            let like = (change.by, conv, change.message);
            let is_new = if is_given { self.likes.insert(like) } else { self.likes.remove(&like) };
            if !is_new {
                book.object(format!("{like:?} changed to what it was"));
            }
        }
        match (stream, fact) {
            (StreamId::Group(group), Fact::Group(GroupFact::Created { owner, .. })) => {
                self.seats.insert((owner.user_id, group));
            }
            (StreamId::Group(group), Fact::Group(GroupFact::MembersJoined { members, .. })) => {
                self.seats.extend(members.iter().map(|member| (member.user_id, group)));
            }
            (StreamId::Group(group), Fact::Group(GroupFact::MemberLeft { member, .. })) => {
                self.seats.remove(&(member.user_id, group));
            }
            (StreamId::User(user), Fact::User(UserFact::Registered { .. })) => {
                if !self.users.insert(user) {
                    book.object(format!("{user} is registered twice"));
                }
            }
            (_, _) => {}
        }
    }

    /// Checks that everything acknowledged is there, once and in order, and nothing else.
    pub(crate) fn check(&self, book: &mut Book) {
        let mut wrong = Vec::new();
        self.check_says(book, &mut wrong);
        if book.has_twins {
            // Likes and seats cannot be checked with two rooms per stream: the room with an old
            // state may find that nothing has to change, so it writes nothing, and the journal
            // refuses nothing.
            return wrong.into_iter().for_each(|what| book.object(what));
        }
        let likes = book
            .likes
            .iter()
            .map(|(like, possible)| (format!("{like:?}"), possible, self.likes.contains(like)));
        let seats = book
            .seats
            .iter()
            .map(|(seat, possible)| (format!("{seat:?}"), possible, self.seats.contains(seat)));
        let is_possible = |possible: &Possible, is: bool| match possible.is_empty() {
            true => !is,
            false => possible.contains(&is),
        };
        for (what, possible, is) in likes.chain(seats) {
            if !is_possible(possible, is) {
                wrong.push(format!("{what} is {is}, told was {possible:?}"));
            }
        }
        let accounts = book.people.iter().filter_map(|person| person.account.as_ref());
        for (user, _) in accounts.filter(|(user, _)| !self.users.contains(user)) {
            wrong.push(format!("the account {user} is gone"));
        }
        for (group, _) in &book.groups {
            if !self.heads.contains_key(&StreamId::Group(*group)) {
                wrong.push(format!("the group {group} is gone"));
            }
        }
        wrong.into_iter().for_each(|what| book.object(what));
    }

    fn check_says(&self, book: &Book, wrong: &mut Vec<String>) {
        let mut places: BTreeMap<(Conversation, &str), Vec<(usize, MessageId)>> = BTreeMap::new();
        for (conv, log) in &self.messages {
            for (place, message) in log.iter().enumerate() {
                let text = message.text.as_deref().unwrap_or_default();
                if message.line.is_none() {
                    places.entry((*conv, text)).or_default().push((place, message.id));
                }
            }
        }
        for (number, say) in book.says.iter().enumerate() {
            let found = places.remove(&(say.conv, say.text.as_str())).unwrap_or_default();
            if let Some(what) = flaw_of(say, &found, book.jumps > 0) {
                wrong.push(format!("m{number} {what}: {found:?}, {say:?}"));
            }
        }
        wrong.extend(places.keys().map(|(conv, text)| format!("{conv:?} holds {text:?}")));
        self.check_order(book, wrong);
    }

    /// Checks that a message which was acknowledged before another one began comes before it.
    fn check_order(&self, book: &Book, wrong: &mut Vec<String>) {
        let mut told: Vec<&Say> = book.says.iter().filter(|say| say.told.is_some()).collect();
        told.sort_by_key(|say| (say.conv, say.told.map(|it| it.1)));
        for (at, one) in told.iter().enumerate() {
            let later = told[at + 1..].iter().take_while(|it| it.conv == one.conv);
            for other in later {
                if other.told.is_some_and(|it| it.0 < one.begun) {
                    wrong.push(format!("{:?} comes before {:?}", one.text, other.text));
                }
            }
        }
    }
}

fn flaw_of(say: &Say, found: &[(usize, MessageId)], has_jumped: bool) -> Option<&'static str> {
    let most = if say.is_keyed { 1 } else { say.tries - say.refused };
    // The times are those in the ids, when the tries were decided: a try may wait for the disk for
    // longer than a guid is recognized.
    let is_too_soon = !has_jumped
        && found
            .array_windows()
            .any(|[(_, one), (_, again)]| again.second() < one.second() + GUID_SECONDS);
    match say.told {
        Some((_, id)) if !found.iter().any(|it| it.1 == id) => Some("was told and is not there"),
        None if say.tries == say.refused && !found.is_empty() => Some("was refused and is there"),
        _ if found.len() > most as usize => Some("is there too often"),
        _ if is_too_soon => Some("is there again too soon"),
        _ => None,
    }
}

/// Compares the live rows with rows that are rebuilt from the journal; returns the first
/// difference.
pub(crate) fn check_rows(
    rows: &SimRows,
    journal: &Arc<dyn Journal>,
    threads: Threads,
) -> Option<String> {
    let rebuilt = Arc::new(MemoryRows::default());
    let opened = indexer::open_with(rebuilt.clone(), Arc::clone(journal), threads);
    drop(opened.expect("an index can be made"));
    let compared = compare(rows, &*rebuilt).expect("rows can be read");
    compared.differences.first().map(|first| format!("the index differs: {first}"))
}

/// An event that a user may hear.
struct Audible {
    conv: String,
    n: u64,
    /// Whether the user must hear it. Events of a group from before the user left it are not due.
    is_due: bool,
}

/// Checks that each subscription heard every event that is due, and none that its user may not
/// hear.
pub(crate) fn check_subscriptions(commits: &[Arc<Committed>], book: &mut Book) {
    let mut wrong = Vec::new();
    for (number, subscription) in book.subscriptions.iter().enumerate() {
        let Some((user, _)) = book.people[subscription.who].account else { continue };
        if !subscription.is_synced {
            wrong.push(format!("subscription {number} is never told everything"));
        }
        let audible = audible_to(user, commits);
        for heard in &subscription.heard {
            let known = audible.get(&heard.cursor);
            if known.is_none_or(|it| (&it.conv, it.n) != (&heard.conv, heard.n)) {
                wrong.push(format!("subscription {number} of {user} hears {heard:?}"));
            }
        }
        let heard: BTreeSet<Cursor> = subscription.heard.iter().map(|it| it.cursor).collect();
        for (cursor, event) in
            audible.range(subscription.first..).skip_while(|it| *it.0 <= subscription.first)
        {
            if event.is_due && !heard.contains(cursor) {
                let what = format!("{} {} at {cursor:?}", event.conv, event.n);
                wrong.push(format!("subscription {number} of {user} never hears {what}"));
            }
        }
    }
    wrong.into_iter().for_each(|what| book.object(what));
}

fn audible_to(user: UserId, commits: &[Arc<Committed>]) -> BTreeMap<Cursor, Audible> {
    let mut audible: BTreeMap<Cursor, Audible> = BTreeMap::new();
    let mut seats: BTreeSet<GroupId> = BTreeSet::new();
    let mut topics: BTreeMap<GroupId, GroupId> = BTreeMap::new();
    let (mut chats, mut public_profiles) = (BTreeSet::new(), BTreeMap::<UserId, u64>::new());
    for commit in commits {
        for (cursor, n, event) in commit.numbered() {
            let (hears, mut conv, mut n) = (
                match commit.stream {
                    StreamId::User(own) if own == user => true,
                    StreamId::User(_)
                    | StreamId::Name(_)
                    | StreamId::Callbacks
                    | StreamId::Audit
                    | StreamId::Instance => false,
                    StreamId::Chat(pair) => {
                        pair.other(user).map(|other| chats.insert(other));
                        pair.other(user).is_some()
                    }
                    StreamId::Group(group) => {
                        if let Fact::Group(GroupFact::Topic(change)) = &event.fact {
                            topics.insert(change.topic(), group);
                        }
                        // The members of its group receive the events of a topic.
                        let group = *topics.get(&group).unwrap_or(&group);
                        let was_in = seats.contains(&group);
                        let has_left = takes_seat(user, group, &event.fact, &mut seats);
                        if has_left {
                            let left = topics.iter().filter(|(_, parent)| **parent == group);
                            let left = left.map(|(topic, _)| *topic).chain([group]);
                            let left: Vec<String> =
                                left.map(|id| StreamId::Group(id).to_string()).collect();
                            let before = audible.values_mut().filter(|it| left.contains(&it.conv));
                            before.for_each(|it| it.is_due = false);
                        }
                        was_in || seats.contains(&group)
                    }
                },
                commit.stream.to_string(),
                n,
            );
            let mut is_chat_contact = false;
            if let (StreamId::User(other), Fact::User(UserFact::ProfileChanged { .. })) =
                (commit.stream, &event.fact)
            {
                let count = public_profiles.entry(other).or_default();
                *count += 1;
                if chats.contains(&other) {
                    (conv, n, is_chat_contact) = (format!("p:{other}"), Some(*count), true);
                }
            }
            if let Some(n) = n.filter(|_| hears || is_chat_contact) {
                audible.insert(cursor, Audible { conv, n, is_due: true });
            }
        }
    }
    audible
}

/// Updates the groups that the user is in. Returns whether this fact removed the user from the
/// group.
fn takes_seat(user: UserId, group: GroupId, fact: &Fact, seats: &mut BTreeSet<GroupId>) -> bool {
    let comes = match fact {
        Fact::Group(GroupFact::Created { owner, .. }) => owner.user_id == user,
        Fact::Group(GroupFact::MembersJoined { members, .. }) => {
            members.iter().any(|member| member.user_id == user)
        }
        Fact::Group(_)
        | Fact::User(_)
        | Fact::Chat(_)
        | Fact::Answered(_)
        | Fact::AlarmSettled(_)
        | Fact::Callback(_)
        | Fact::Name(_)
        | Fact::Audit(_)
        | Fact::Instance(_) => false,
    };
    if comes {
        seats.insert(group);
    }
    let is_of = |member: &Member| member.user_id == user;
    let leaves = matches!(fact, Fact::Group(GroupFact::MemberLeft { member, .. }) if is_of(member));
    leaves && seats.remove(&group)
}
