//! The audit of a group: an entry for each act of its owner and admins.

use crate::derive::Derivation;
use crate::{Flow, Index, IndexFault, Walk, keys, rows};
use domain::group::{GroupAuditEntry, GroupFact, Member};
use domain::ids::GroupId;
use domain::time::Timestamp;
use journal::Cursor;

impl Derivation<'_> {
    /// Writes the entry of a fact, if it has one. Called before the fact changes other rows, from
    /// which the role before it is read.
    pub(super) fn audit(
        &mut self,
        group: GroupId,
        cursor: Cursor,
        at: Timestamp,
        fact: &GroupFact,
    ) -> Result<(), IndexFault> {
        let mut before: Option<Member> = None;
        if let GroupFact::MemberChanged { member, .. } = fact {
            before = self.draft.get("member", &keys::member(group, member.user_id))?;
        }
        match fact.audit_entry(at, before.map(|member| member.role)) {
            Some(entry) => self.draft.put(keys::audit_entry(group, cursor.get()), &entry),
            None => Ok(()),
        }
    }
}

impl Index {
    /// Visits the entries of the audit of a group before this one, the newest first; each with its
    /// number.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn audit_entries(
        &self,
        group: GroupId,
        before: Option<u64>,
        visit: &mut dyn FnMut(u64, GroupAuditEntry) -> Flow,
    ) -> Result<(), IndexFault> {
        let low = keys::audit_entries(group);
        let high_of = |id: u64| keys::audit_entry(group, id.saturating_sub(1));
        let high = before.map_or_else(|| keys::end_of(&low), high_of);
        self.rows.scan(&low, &high, Walk::Down, &mut |key, value| {
            Ok(visit(keys::last_number(key), rows::decode("audit entry", value)?))
        })
    }
}
