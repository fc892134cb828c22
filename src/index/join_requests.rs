//! Requests to become a member: those of a group, those that a user may decide, and those that a
//! user sent.

use crate::rows::{GroupRow, SentRow};
use crate::{Index, IndexFault, keys};
use domain::group::{JoinRequest, Role, SentRequest, is_denial_over};
use domain::ids::{GroupId, UserId};
use domain::time::Timestamp;

impl Index {
    /// When users were denied to join a group, also some denials that are over.
    pub fn denials(&self, id: GroupId) -> Result<Vec<(UserId, Timestamp)>, IndexFault> {
        self.rows_of("denial", &keys::denials(id))
    }

    /// The requests to join groups that a user sent and that are open, and those that were denied
    /// in the last day, by group.
    pub fn sent_requests(
        &self,
        user: UserId,
        now: Timestamp,
    ) -> Result<Vec<SentRequest>, IndexFault> {
        let mut sent = Vec::new();
        for (row, group) in self.sent_rows(user, now)? {
            let SentRow { group: id, at, is_denied } = row;
            let members = self.members(id)?.len();
            let settings = group.settings;
            sent.push(SentRequest { group: id, settings, members, at, is_denied });
        }
        Ok(sent)
    }

    fn sent_rows(
        &self,
        user: UserId,
        now: Timestamp,
    ) -> Result<Vec<(SentRow, GroupRow)>, IndexFault> {
        let known: Vec<SentRow> = self.rows_of("sent request", &keys::sent_requests(user))?;
        let mut sent = Vec::new();
        for request in known {
            let is_over = match request.is_denied {
                true => is_denial_over(request.at, now),
                false => {
                    let key = keys::join_request(request.group, user);
                    let filed: Option<JoinRequest> = self.row("join request", &key)?;
                    filed.is_none_or(|filed| filed.is_over(now))
                }
            };
            let group = self.group(request.group)?.filter(|row| !is_over && !row.disbanded);
            sent.extend(group.map(|row| (request, row)));
        }
        Ok(sent)
    }

    /// Number of groups other than this one that a user asks to join.
    pub fn requests_elsewhere(
        &self,
        user: UserId,
        group: GroupId,
        now: Timestamp,
    ) -> Result<usize, IndexFault> {
        let sent = self.sent_rows(user, now)?;
        let is_open = |request: &SentRow| !request.is_denied && request.group != group;
        Ok(sent.iter().filter(|(request, _)| is_open(request)).count())
    }

    /// The requests to become a member of a group that are not settled.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every function here.
    pub fn join_requests(&self, id: GroupId) -> Result<Vec<JoinRequest>, IndexFault> {
        self.rows_of("join request", &keys::join_requests(id))
    }

    /// The open requests that a user may decide in their groups, the newest first.
    pub fn received_requests(
        &self,
        user: UserId,
        now: Timestamp,
    ) -> Result<Vec<(GroupId, JoinRequest)>, IndexFault> {
        let mut received = Vec::new();
        for id in self.groups_of(user)? {
            let requests = self.join_requests(id)?;
            if requests.is_empty() {
                continue;
            }
            let role = self.member(id, user)?.map_or(Role::Member, |member| member.role);
            let row = self.group(id)?;
            let inviters = row.is_some_and(|row| !row.settings.admission.requires_approval);
            for request in requests {
                let is_inviter = inviters && request.inviter() == Some(user);
                let may_decide = role != Role::Member || is_inviter;
                // The request of a deleted account can no longer be decided.
                if may_decide && !request.is_over(now) && self.user(request.user.id)?.is_some() {
                    received.push((id, request));
                }
            }
        }
        received.sort_by_key(|(_, request)| std::cmp::Reverse((request.at, request.id)));
        Ok(received)
    }
}
