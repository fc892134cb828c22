//! A cache of the members of groups, for commits that other nodes decided: most of them are passed
//! on at once, without waiting for the index.

use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::domain::audience::Audience;
use crate::domain::event::Fact;
use crate::domain::group::GroupFact;
use crate::domain::ids::{GroupId, StreamId};
use crate::journal::{Committed, Cursor};

/// Users in all cached groups together; each takes 8 bytes.
const KEPT_USERS: u64 = 1_000_000;
/// Places that note the newest change of members; groups share a place if their ids are equal
/// modulo this number. A change in another group of the place costs only a look-up.
const PLACES: u64 = 4096;

/// The members of groups, each list with the record from which on it is known to hold.
pub(super) struct Rosters {
    kept: Cache<GroupId, (Cursor, Audience), Users>,
    /// By place, the newest record that changed members.
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
        if commit.entries.iter().any(|entry| changes_members(&entry.event.fact)) {
            self.changed(group).fetch_max(commit.cursor.get(), Ordering::SeqCst);
        }
    }

    /// The members of a group at one of its records, if they are known. The record must have been
    /// heard of and must not change members itself.
    pub(super) fn at(&self, group: GroupId, record: Cursor) -> Option<Audience> {
        let (since, users) = self.kept.get(&group)?;
        let changed = Cursor::new(self.changed(group).load(Ordering::SeqCst));
        (since <= record && changed <= since).then_some(users)
    }

    /// Keeps the members of a group, as they are at this record.
    pub(super) fn keep(&self, group: GroupId, record: Cursor, users: Audience) {
        self.kept.insert(group, (record, users));
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
    use crate::domain::event::{Entry, Event, Origin};
    use crate::domain::ids::UserId;
    use crate::domain::time::Timestamp;
    use crate::journal::{CommitId, StreamHead};

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
    fn what_is_known_holds_until_somebody_comes_or_goes() {
        let (rosters, group) = (Rosters::default(), GroupId::new(7));
        let knows = |record| rosters.at(group, Cursor::new(record)).is_some();
        assert!(!knows(10), "nothing is known yet");
        rosters.keep(group, Cursor::new(10), Audience::of([UserId::new(1)]));
        assert_eq!((knows(9), knows(10), knows(11)), (false, true, true));
        rosters.hear(&disbanding(GroupId::new(8), 12));
        assert!(knows(13), "it was another one");
        rosters.hear(&disbanding(group, 20));
        // Before the change nothing is known either: only the newest change is noted.
        assert_eq!((knows(19), knows(21)), (false, false));
        // Looked up for a record before the change, and kept after the change was heard of.
        rosters.keep(group, Cursor::new(19), Audience::of([UserId::new(1)]));
        assert!(!knows(21));
        rosters.keep(group, Cursor::new(21), Audience::nobody());
        assert!(knows(21));
    }
}
