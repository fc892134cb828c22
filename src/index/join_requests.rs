//! Requests to become a member: those of a group, and those that a user may decide.

use crate::{Index, IndexFault, keys};
use domain::group::{JoinRequest, Role};
use domain::ids::{GroupId, UserId};
use domain::time::Timestamp;

impl Index {
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
            for request in requests {
                let may_decide = role != Role::Member || request.inviter() == Some(user);
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
