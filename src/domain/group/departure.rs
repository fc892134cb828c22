//! Departing: what becomes of a group when the account of a member is deleted.

use std::cmp::Reverse;

use crate::event::{Decision, Fact};
use crate::group::{Group, GroupFact, Member, MembershipEnd, Role};
use crate::id_generator::IdGenerator;
use crate::ids::UserId;
use crate::message::SystemMessage;
use crate::time::Moment;

impl Group {
    /// The next step of removing a user whose account is deleted; decides nothing when all steps
    /// are done. First the bots that they made are removed, since nobody could change them any more.
    /// Then, if they own the group, it is handed to an admin, or else to another member, the one
    /// with the oldest membership; if nobody else is in it, it is disbanded. At last they leave.
    ///
    /// Each call takes one step, since a decision makes at most one system message.
    pub fn depart(
        &self,
        user: UserId,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Decision<()> {
        let done = Decision::unchanged(());
        if self.disbanded {
            return done;
        }
        if let Some(bot) = self.bots.values().find(|bot| bot.creator == user) {
            return self.remove_bot(user, &bot.id, now, id_generator).unwrap_or(done);
        }
        let Some(member) = self.member(user).cloned() else { return done };
        if user == self.creator {
            return match self.heir() {
                Some(heir) => self.hand_to(user, heir, now, id_generator).unwrap_or(done),
                None => {
                    let ended = Fact::Group(GroupFact::Disbanded { by: user });
                    Decision { facts: vec![ended], answer: () }
                }
            };
        }
        let line = SystemMessage::Left { user: member.named() };
        let left = GroupFact::MemberLeft { member, parting: MembershipEnd::Left, by: user };
        let facts = vec![Fact::Group(left), self.system_message(line, now.wall, id_generator)];
        Decision { facts, answer: () }
    }

    /// The member who becomes the owner when the account of the owner is deleted.
    fn heir(&self) -> Option<UserId> {
        let others = self.all_members().filter(|member| member.user_id != self.creator);
        let rank = |member: &&Member| (Reverse(member.role == Role::Admin), member.membership_id);
        others.min_by_key(rank).map(|member| member.user_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table};

    fn departs(table: &mut Table, user: UserId) {
        let mut steps = 0;
        loop {
            let step = table.does(|group, now, id_generator| {
                Ok::<_, ()>(group.depart(user, now, id_generator))
            });
            step.unwrap();
            if table.facts.is_empty() {
                return;
            }
            steps += 1;
            assert!(steps < 5, "it comes to an end");
        }
    }

    #[test]
    fn deleted_account_leaves_the_group_with_a_line() {
        let mut table = Table::of_two();
        let step = table
            .does(|group, now, id_generator| Ok::<_, ()>(group.depart(BEN, now, id_generator)));
        step.unwrap();
        assert_eq!((table.group.member(BEN), table.lines().len()), (None, 1));
        departs(&mut table, BEN);
    }

    #[test]
    fn longest_member_inherits_the_group() {
        let mut table = Table::of_three();
        departs(&mut table, ANA);
        assert_eq!((table.group.creator, table.group.member(ANA)), (BEN, None));
        assert_eq!(table.group.member(BEN).unwrap().role, Role::Owner);
    }

    #[test]
    fn an_admin_comes_first() {
        let mut table = Table::of_three();
        let handed =
            table.does(|group, now, id_generator| group.hand_to(ANA, CARA, now, id_generator));
        handed.unwrap();
        departs(&mut table, CARA);
        assert_eq!(table.group.creator, ANA, "who had it before, and is an admin since");
    }

    #[test]
    fn a_group_where_nobody_else_is_ends() {
        let mut table = Table::of_two();
        departs(&mut table, BEN);
        departs(&mut table, ANA);
        assert!(table.group.disbanded);
    }
}
