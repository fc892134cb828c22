//! The past: groups and accounts as they were right after events whose frames show them. A client
//! that receives such an event later is shown what others were shown live.
//!
//! A group's settings have a row for each such event, and its members one for each change of their
//! own, so that a new name of a large group does not copy all its members.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::archive::Archive;
use crate::draft::BatchDraft;
use crate::rows::{self, EventPosition, GroupRow, UserRow};
use crate::runs::LocatedMessage;
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::group::{Group, GroupParts, Member};
use domain::ids::{GroupId, Pair, StreamId, UserId};
use domain::time::Timestamp;
use domain::user::{Profile, SmsMode, User};
use journal::Cursor;

/// A past account, as far as clients are shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PastAccount {
    profile: Profile,
    sms: Option<SmsMode>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// Notes what a group without its members is from event `n` on.
pub(super) fn note_group(
    draft: &mut BatchDraft<'_>,
    group: GroupId,
    n: u64,
    row: &GroupRow,
) -> Result<(), IndexFault> {
    draft.put(keys::shown(StreamId::Group(group), n), row)
}

/// Notes what a user is in a group from event `n` on; `None` if not a member.
pub(super) fn note_member(
    draft: &mut BatchDraft<'_>,
    group: GroupId,
    n: u64,
    user: UserId,
    member: Option<&Member>,
) -> Result<(), IndexFault> {
    draft.put(keys::past_member(group, user, n), &member)
}

/// Notes what an account is from event `n` on.
pub(super) fn note_account(
    draft: &mut BatchDraft<'_>,
    user: UserId,
    n: u64,
    row: &UserRow,
) -> Result<(), IndexFault> {
    let past = PastAccount {
        profile: row.profile.clone(),
        sms: row.sms.clone(),
        created_at: row.created_at,
        updated_at: row.updated_at,
    };
    draft.put(keys::shown(StreamId::User(user), n), &past)
}

/// Deletes the past of an account.
pub(super) fn forget_account(draft: &mut BatchDraft<'_>, user: UserId) -> Result<(), IndexFault> {
    for key in draft.keys_below(&keys::all_shown(StreamId::User(user)))? {
        draft.delete(key);
    }
    Ok(())
}

impl Archive {
    /// Returns a group right after event `n`, if that event shows the group.
    ///
    /// # Errors
    /// If index or journal cannot be read; the same for every read here.
    pub fn group_then(&self, id: GroupId, n: u64) -> Result<Option<Arc<Group>>, IndexFault> {
        let stream = StreamId::Group(id);
        let row: Option<GroupRow> = self.index.row("past group", &keys::shown(stream, n))?;
        let Some(row) = row else { return Ok(None) };
        let tail = self.index.tail(stream)?.unwrap_or_default();
        let past = self.index.first_message(stream, &tail, &|at| at.n > n)?;
        let mut newest: Option<EventPosition> = None;
        self.index.messages(
            stream,
            (0, past),
            Walk::Down,
            &mut |LocatedMessage { at, .. }| {
                newest = Some(at).filter(|at| at.n <= n);
                Ok(if newest.is_some() { Flow::Stop } else { Flow::Continue })
            },
        )?;
        let last = newest.map(|at| self.message_at(&at)).transpose()?;
        let last = last.map(|last| self.then(stream, last, n)).transpose()?;
        let members = self.members_then(id, n)?;
        Ok(Some(Arc::new(Group::assembled(id, GroupParts { members, last, ..row.parts() }))))
    }

    pub(super) fn members_then(&self, id: GroupId, n: u64) -> Result<Vec<Member>, IndexFault> {
        let mut members: Vec<Member> = Vec::new();
        let prefix = keys::past_members(id);
        self.index.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, value| {
            let (user, since) = keys::last_two_numbers(key);
            if since <= n {
                // The rows of one user are neighbours, the newest last.
                members.pop_if(|known| known.user_id.get() == user);
                members.extend(rows::decode::<Option<Member>>("past member", value)?);
            }
            Ok(Flow::Continue)
        })?;
        Ok(members)
    }

    /// Returns a user's account right after event `n` of theirs, if that event shows the account.
    pub fn account_then(&self, id: UserId, n: u64) -> Result<Option<User>, IndexFault> {
        let key = keys::shown(StreamId::User(id), n);
        let past: Option<PastAccount> = self.index.row("past account", &key)?;
        Ok(past.map(|past| {
            let mut user = User::registered(id, past.profile, String::new(), past.created_at);
            user.updated_at = past.updated_at;
            user.sms = past.sms;
            user
        }))
    }
}

impl Archive {
    /// Returns who is in a group right after its event `n`, in the order of ids.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn roster_at(&self, group: GroupId, n: u64) -> Result<Vec<UserId>, IndexFault> {
        Ok(self.members_then(group, n)?.into_iter().map(|member| member.user_id).collect())
    }

    /// Returns the number of the public profile that a user's event at `at` made, and the other
    /// users who see it: those whose chat with the user began before the event. `None` if the event
    /// made no public profile.
    pub fn onlookers_at(
        &self,
        user: UserId,
        at: Cursor,
    ) -> Result<Option<(u64, Vec<UserId>)>, IndexFault> {
        let Some(number) = self.index.public_profile_of(user, at)? else { return Ok(None) };
        let mut users = Vec::new();
        for (other, _) in self.index.chats(user)? {
            let Some(pair) = Pair::of(user, other) else { continue };
            if self.index.beginning(pair)? < at {
                users.push(other);
            }
        }
        Ok(Some((number, users)))
    }
}

impl Index {
    /// Returns the number of the public profile that an event of a user made, if it made one.
    fn public_profile_of(&self, user: UserId, event: Cursor) -> Result<Option<u64>, IndexFault> {
        let mut number = None;
        let low = keys::public_profile(user, 0);
        let high = keys::public_profile(user, u64::MAX);
        self.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            let at = EventPosition::decode(value)?;
            number = Some(at.n).filter(|_| at.cursor() == event);
            Ok(if at.cursor() > event { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(number)
    }
}
