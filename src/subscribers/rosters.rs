//! Who is in groups, kept in memory for what other nodes decide there: so most of what they
//! decide is told at once, whatever the index has.

use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::domain::audience::Audience;
use crate::domain::event::Fact;
use crate::domain::group::GroupFact;
use crate::domain::ids::{GroupId, StreamId};
use crate::journal::{Committed, Cursor};

/// Users in the groups whose members are kept: 8 bytes each.
const KEPT_USERS: u64 = 1_000_000;
/// Places in which is noted when members came or went; groups share them by number. A note
/// that is another group's costs a look-up.
const PLACES: u64 = 4096;

/// Members of groups, and from which record on.
pub(super) struct Rosters {
    kept: Cache<GroupId, (Cursor, Audience), Users>,
    /// The newest record by which somebody came or went.
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
    /// Hears of a commit, before anybody looks at it or at what follows.
    pub(super) fn hear(&self, commit: &Committed) {
        let StreamId::Group(group) = commit.stream else { return };
        if commit.entries.iter().any(|entry| brings_or_takes(&entry.event.fact)) {
            self.changed(group).fetch_max(commit.cursor.get(), Ordering::SeqCst);
        }
    }

    /// Who is in a group at one of its records that was heard of and changes nothing of that,
    /// if that is known.
    pub(super) fn at(&self, group: GroupId, record: Cursor) -> Option<Audience> {
        let (since, users) = self.kept.get(&group)?;
        let changed = Cursor::new(self.changed(group).load(Ordering::SeqCst));
        (since <= record && changed <= since).then_some(users)
    }

    /// These are in it, at this record.
    pub(super) fn keep(&self, group: GroupId, record: Cursor, users: Audience) {
        self.kept.insert(group, (record, users));
    }

    fn changed(&self, group: GroupId) -> &AtomicU64 {
        &self.changed[usize::try_from(group.get() % PLACES).unwrap_or(0)]
    }
}

/// Whether somebody is in a group after it who was not before, or the other way round.
pub(super) const fn brings_or_takes(fact: &Fact) -> bool {
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
        // Of what stands before it, others may have been there.
        assert_eq!((knows(19), knows(21)), (false, false));
        // Looked up for what stood before, and kept too late.
        rosters.keep(group, Cursor::new(19), Audience::of([UserId::new(1)]));
        assert!(!knows(21));
        rosters.keep(group, Cursor::new(21), Audience::nobody());
        assert!(knows(21));
    }
}
