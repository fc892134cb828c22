//! Whom messages of a group may mention: the rules of [`crate::domain::addressing`] with the
//! group's people and settings.

use crate::domain::addressing::{Company, People};
use crate::domain::group::{Group, MentionAll, Role};
use crate::domain::ids::UserId;
use crate::domain::message::Message;

impl People for Group {
    fn includes(&self, user: UserId) -> bool {
        self.member(user).is_some()
    }
}

impl Group {
    /// The company in which a member, or a bot that they made, says something.
    pub(super) fn company<'a>(
        &'a self,
        author: UserId,
        answered: Option<&'a Message>,
        here: &'a [UserId],
    ) -> Company<'a> {
        let is_admin = self.member(author).is_some_and(|member| member.role != Role::Member);
        let may_mention_all = is_admin || self.settings.mention_all == MentionAll::Members;
        Company { people: self, may_mention_all, answered, here }
    }
}
