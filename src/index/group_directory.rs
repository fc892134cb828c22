//! The directory of searchable groups: its rows, and what a user finds in it.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::derive::Derivation;
use crate::{Index, IndexFault, keys};
use domain::canonical::folds::comparable;
use domain::group::{
    Ban, DirectoryOrder, DirectoryQuery, FoundGroup, FoundGroups, JoinRequest, MembershipEnd,
    MembershipState, Settings, is_denial_over,
};
use domain::ids::{GroupId, UserId};
use domain::text::Description;
use domain::time::Timestamp;

/// The row of a searchable group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ListedRow {
    group: GroupId,
    members: u64,
    /// When somebody joined it last.
    joined_at: Timestamp,
    /// Its name and description, folded.
    words: String,
}

impl Index {
    /// Finds searchable groups whose name or description contains every word, without those that
    /// ban the reader.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every function here.
    pub fn find_groups(
        &self,
        query: &DirectoryQuery,
        now: Timestamp,
    ) -> Result<FoundGroups, IndexFault> {
        let typed = comparable(&query.words);
        let words: Vec<&str> = typed.split_whitespace().collect();
        let mut listed: Vec<ListedRow> = self.rows_of("listed group", &keys::listed_groups())?;
        listed.retain(|row| words.iter().all(|word| row.words.contains(word)));
        let mut found = Vec::with_capacity(listed.len());
        for row in listed {
            let ban: Option<Ban> = self.row("ban", &keys::ban(row.group, query.reader))?;
            found.extend(ban.is_none_or(|ban| ban.is_over(now)).then_some(row));
        }
        match query.order {
            DirectoryOrder::Members => found.sort_by_key(|it| (Reverse(it.members), it.group)),
            DirectoryOrder::Joined => found.sort_by_key(|it| (Reverse(it.joined_at), it.group)),
        }
        let count = found.len();
        let mut groups = Vec::new();
        for ListedRow { group: id, members, .. } in
            found.into_iter().skip(query.from).take(query.limit)
        {
            let Some(row) = self.group(id)? else { continue };
            let state = self.state_of(id, query.reader, now)?;
            groups.push(FoundGroup { id, settings: row.settings, members, state });
        }
        Ok(FoundGroups { groups, count })
    }

    /// What a user is to a group, as the rule of the group says (`Group::state_of`).
    fn state_of(
        &self,
        group: GroupId,
        user: UserId,
        now: Timestamp,
    ) -> Result<Option<MembershipState>, IndexFault> {
        if self.member(group, user)?.is_some() {
            return Ok(Some(MembershipState::Active));
        }
        let request: Option<JoinRequest> =
            self.row("join request", &keys::join_request(group, user))?;
        if request.is_some_and(|request| request.is_own() && !request.is_over(now)) {
            return Ok(Some(MembershipState::Requested));
        }
        let denial: Option<(UserId, Timestamp)> = self.row("denial", &keys::denial(group, user))?;
        if denial.is_some_and(|(_, at)| !is_denial_over(at, now)) {
            return Ok(Some(MembershipState::Denied));
        }
        let former = self.former_member(group, user)?;
        Ok(former.map(|former| match former.parting {
            MembershipEnd::Left => MembershipState::Exited,
            MembershipEnd::Removed => MembershipState::Removed,
        }))
    }
}

impl Index {
    /// Whether the owner archived a group.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn is_archived(&self, group: GroupId) -> Result<bool, IndexFault> {
        let row: Option<()> = self.row("archived group", &keys::archived_group(group))?;
        Ok(row.is_some())
    }
}

impl Derivation<'_> {
    /// Lists a group, or takes it out, after its settings changed.
    pub(super) fn list_group(
        &mut self,
        group: GroupId,
        settings: &Settings,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        let key = keys::listed_group(group);
        if !settings.is_listed() {
            return self.unlist_group(group);
        }
        let about = settings.description.as_ref().map_or("", Description::as_str);
        let words = comparable(&format!("{}\n{about}", settings.name.as_str()));
        let known: Option<ListedRow> = self.draft.get("listed group", &key)?;
        let row = match known {
            Some(known) => ListedRow { words, ..known },
            None => {
                let members = self.draft.keys_below(&keys::members(group))?.len() as u64;
                ListedRow { group, members, joined_at: at, words }
            }
        };
        self.draft.put(key, &row)
    }

    /// Notes whether a group is archived.
    pub(super) fn note_archived(
        &mut self,
        group: GroupId,
        is_archived: bool,
    ) -> Result<(), IndexFault> {
        let key = keys::archived_group(group);
        match (is_archived, self.draft.has(&key)?) {
            (true, false) => self.draft.put(key, &()),
            (false, true) => {
                self.draft.delete(key);
                Ok(())
            }
            (true, true) | (false, false) => Ok(()),
        }
    }

    /// Takes a group out of the directory.
    pub(super) fn unlist_group(&mut self, group: GroupId) -> Result<(), IndexFault> {
        let key = keys::listed_group(group);
        if self.draft.has(&key)? {
            self.draft.delete(key);
        }
        Ok(())
    }

    /// Counts people who joined, if the group is listed.
    pub(super) fn count_joins(
        &mut self,
        group: GroupId,
        joined: u64,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        self.change_listed(group, |row| {
            row.members += joined;
            row.joined_at = at;
        })
    }

    /// Counts a member who left, if the group is listed.
    pub(super) fn count_leave(&mut self, group: GroupId) -> Result<(), IndexFault> {
        self.change_listed(group, |row| row.members = row.members.saturating_sub(1))
    }

    fn change_listed(
        &mut self,
        group: GroupId,
        change: impl FnOnce(&mut ListedRow),
    ) -> Result<(), IndexFault> {
        let key = keys::listed_group(group);
        let row: Option<ListedRow> = self.draft.get("listed group", &key)?;
        let Some(mut row) = row else { return Ok(()) };
        change(&mut row);
        self.draft.put(key, &row)
    }
}
