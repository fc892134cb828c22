//! Confidential events: a row for each user who received one, so that they receive it again when they
//! resume. Who is an admin has rows of its own, since members of a group can be thousands.

use crate::derive::Derivation;
use crate::rows::{EventPosition, GroupRow};
use crate::timeline::TimelinePlace;
use crate::topics::TopicRow;
use crate::{Flow, Index, IndexFault, Walk, keys, rows};
use domain::group::{Group, GroupFact, GroupParts, Member, Role};
use domain::ids::{GroupId, StreamId, UserId};
use journal::Cursor;

/// The row of a confidential event: the group or topic, and where the event is in the journal.
type ConfidedRow = (GroupId, u64, u16);

impl Derivation<'_> {
    /// Writes the rows of a confidential fact. Called before the fact changes other rows.
    pub(super) fn confide(
        &mut self,
        group: GroupId,
        at: EventPosition,
        fact: &GroupFact,
    ) -> Result<(), IndexFault> {
        if !fact.is_confidential() {
            return Ok(());
        }
        let topic: Option<TopicRow> = self.draft.get("topic", &keys::topic(group))?;
        let behind = topic.map_or(group, |row| row.group);
        let row: Option<GroupRow> = self.draft.get("group", &keys::group(behind))?;
        let Some(row) = row else { return Ok(()) };
        let mut users = fact.concerned();
        for key in self.draft.keys_below(&keys::admins(behind))? {
            users.push(keys::user_of(&key));
        }
        let mut members: Vec<Member> = Vec::new();
        for user in users {
            members.extend(self.draft.get::<Member>("member", &keys::member(behind, user))?);
        }
        let confided: ConfidedRow = (group, at.record.get(), at.index);
        for user in with_members(behind, row, members).audience_of(fact).users() {
            self.draft.put(keys::confided(*user, at.cursor().get()), &confided)?;
        }
        Ok(())
    }

    /// Notes whether somebody is the owner or an admin of a group; `None` if not a member.
    pub(super) fn note_admin(
        &mut self,
        group: GroupId,
        user: UserId,
        role: Option<Role>,
    ) -> Result<(), IndexFault> {
        let key = keys::admin(group, user);
        match role {
            Some(Role::Owner | Role::Admin) => self.draft.put_bytes(key, Vec::new()),
            Some(Role::Member) | None if self.draft.has(&key)? => self.draft.delete(key),
            Some(Role::Member) | None => {}
        }
        Ok(())
    }
}

impl Index {
    /// Whether a user may be shown a confidential event of a group or topic now, because it still
    /// concerns them or they still decide about such things.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn confides(
        &self,
        group: GroupId,
        user: UserId,
        fact: &GroupFact,
    ) -> Result<bool, IndexFault> {
        let behind = self.group_behind(group)?;
        let row: Option<GroupRow> = self.row("group", &keys::group(behind))?;
        let Some(row) = row else { return Ok(false) };
        let mut members: Vec<Member> = Vec::new();
        for user in fact.concerned().into_iter().chain([user]) {
            members.extend(self.member(behind, user)?);
        }
        Ok(with_members(behind, row, members).confides(user, fact))
    }

    /// Returns the users who received a confidential event and are still in the group.
    pub fn confidants(
        &self,
        group: GroupId,
        event: Cursor,
        fact: &GroupFact,
    ) -> Result<Vec<UserId>, IndexFault> {
        let mut users = fact.concerned();
        let prefix = keys::admins(self.group_behind(group)?);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, _| {
            users.push(keys::user_of(key));
            Ok(Flow::Continue)
        })?;
        let mut heard = Vec::new();
        for user in users {
            let has_row = self.rows.get(&keys::confided(user, event.get()))?.is_some();
            if has_row && self.member(group, user)?.is_some() {
                heard.push(user);
            }
        }
        Ok(heard)
    }

    /// Visits the confidential events that a user received between two cursors, the newest first.
    pub(super) fn confided(
        &self,
        user: UserId,
        after: Cursor,
        upto: Cursor,
        visit: &mut dyn FnMut(TimelinePlace) -> Flow,
    ) -> Result<(), IndexFault> {
        let low = keys::confided(user, after.get().saturating_add(1));
        let high = keys::confided(user, upto.get());
        self.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            let (group, record, index): ConfidedRow = rows::decode("confided", value)?;
            let at = EventPosition { record: Cursor::new(record), index, n: 0 };
            Ok(visit(TimelinePlace { stream: StreamId::Group(group), at }))
        })
    }
}

/// A group with its settings and these members alone.
fn with_members(id: GroupId, row: GroupRow, members: Vec<Member>) -> Group {
    Group::assembled(id, GroupParts { members, ..row.parts() })
}
