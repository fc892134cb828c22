//! A cache of the members of groups, for commits that other nodes decided: most of them are passed
//! on at once, without waiting for the index.

use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use domain::audience::Audience;
use domain::event::Fact;
use domain::group::GroupFact;
use domain::ids::{GroupId, StreamId};
use journal::{Committed, Cursor};

/// Users in all cached groups together; each takes 8 bytes.
const KEPT_USERS: u64 = 1_000_000;
/// Places that note the newest change of members; groups share a place if their ids are equal
/// modulo this number. A change in another group of the place costs only a look-up.
const PLACES: u64 = 4096;

/// The members of groups, each list with the event from which on it is known to hold.
pub(super) struct Rosters {
    kept: Cache<GroupId, (Cursor, Audience), Users>,
    /// By place, the newest event that changed members.
    changed: Vec<AtomicU64>,
}

#[derive(Debug, Clone)]
struct Users;

impl Weighter<GroupId, (Cursor, Audience)> for Users {
    fn weight(&self, _: &GroupId, (_, users): &(Cursor, Audience)) -> u64 {
        users.users().len() as u64 + 1
    }
}

impl Default for Rosters {
    fn default() -> Self {
        let changed = (0..PLACES).map(|_| AtomicU64::new(0)).collect();
        Self { kept: Cache::with_weighter(10_000, KEPT_USERS, Users), changed }
    }
}

impl Rosters {
    /// Notes a commit that changes members. Called before anybody looks at that commit or a later
    /// one.
    pub(super) fn hear(&self, commit: &Committed) {
        let StreamId::Group(group) = commit.stream else { return };
        for (event, _, stored) in commit.numbered() {
            if changes_members(&stored.fact) {
                self.changed(group).fetch_max(event.get(), Ordering::SeqCst);
            }
        }
    }

    /// The members of a group at one of its events, if they are known. The event's commit must have
    /// been noted, and the event must not change members itself.
    pub(super) fn at(&self, group: GroupId, event: Cursor) -> Option<Audience> {
        let (since, users) = self.kept.get(&group)?;
        let changed = Cursor::new(self.changed(group).load(Ordering::SeqCst));
        (since <= event && changed <= since).then_some(users)
    }

    /// Keeps the members of a group, as they are at this event.
    pub(super) fn keep(&self, group: GroupId, event: Cursor, users: Audience) {
        self.kept.insert(group, (event, users));
    }

    fn changed(&self, group: GroupId) -> &AtomicU64 {
        &self.changed[usize::try_from(group.get() % PLACES).unwrap_or(0)]
    }
}

/// Whether the fact changes who is in a group.
pub(super) const fn changes_members(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::Group(
            GroupFact::Created { .. }
                | GroupFact::MembersJoined { .. }
                | GroupFact::MemberLeft { .. }
                | GroupFact::Disbanded { .. }
        )
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use domain::event::{Entry, Event, Origin};
    use domain::ids::UserId;
    use domain::time::Timestamp;
    use journal::{CommitId, StreamHead};

    fn disbanding(group: GroupId, record: u64) -> Committed {
        let at = Timestamp::from_seconds(1_700_000_000);
        let fact = Fact::Group(GroupFact::Disbanded { by: UserId::new(1) });
        Committed {
            cursor: Cursor::new(record),
            stream: StreamId::Group(group),
            id: CommitId(1),
            at,
            before: StreamHead::default(),
            after: StreamHead::default(),
            entries: vec![Entry::stored(Arc::new(Event { at, fact }))],
            origin: Origin::Read,
        }
    }

    #[test]
    fn roster_is_cached_until_membership_changes() {
        let rosters = Rosters::default();
        let group = GroupId::new(7);
        let knows = |record| rosters.at(group, Cursor::new(record)).is_some();
        assert!(!knows(10), "nothing is known yet");
        rosters.keep(group, Cursor::new(10), Audience::of([UserId::new(1)]));
        assert_eq!((knows(9), knows(10), knows(11)), (false, true, true));
        rosters.hear(&disbanding(GroupId::new(8), 12));
        assert!(knows(13), "it was another one");
        rosters.hear(&disbanding(group, 20));
        // Before the change nothing is known either: only the newest change is noted.
        assert_eq!((knows(19), knows(21)), (false, false));
        // Looked up for a record before the change, and kept after the change was received.
        rosters.keep(group, Cursor::new(19), Audience::of([UserId::new(1)]));
        assert!(!knows(21));
        rosters.keep(group, Cursor::new(21), Audience::nobody());
        assert!(knows(21));
    }

    #[test]
    fn roster_follows_each_event_of_a_commit() {
        let rosters = Rosters::default();
        let group = GroupId::new(7);
        let mut commit = disbanding(group, 20);
        let change = commit.entries.remove(0);
        let at = commit.at;
        let fact =
            Fact::Group(GroupFact::OwnerChanged { old: UserId::new(1), new: UserId::new(2) });
        let other = || Entry::stored(Arc::new(Event { at, fact: fact.clone() }));
        commit.entries = vec![other(), change, other(), other()];
        rosters.hear(&commit);
        let event = |index| commit.cursor.event(index);
        let knows = |index| rosters.at(group, event(index)).is_some();
        // The members before the change do not hold after it, in the same commit or a later one.
        rosters.keep(group, event(0), Audience::of([UserId::new(1), UserId::new(2)]));
        assert!(!knows(2) && rosters.at(group, Cursor::new(4000)).is_none());
        rosters.keep(group, event(2), Audience::of([UserId::new(1)]));
        assert_eq!((knows(0), knows(2), knows(3)), (false, true, true));
    }
}
