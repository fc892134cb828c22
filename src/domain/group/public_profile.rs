//! A member's account-wide name and picture, as their groups show it.

use crate::domain::attachment::ImageRef;
use crate::domain::event::{Decision, Fact};
use crate::domain::group::{Group, GroupFact};
use crate::domain::ids::UserId;

impl Group {
    /// Takes over what a member is called elsewhere, and what they look like. The
    /// nickname stays: that is theirs in this group. Writes no line, and nothing happens
    /// when it is the same or they are no member.
    pub fn redraw(&self, user: UserId, name: &str, image: Option<&ImageRef>) -> Decision<()> {
        let Some(known) = self.member(user) else { return Decision::unchanged(()) };
        let mut member = known.clone();
        member.name = name.to_owned();
        member.image = image.cloned();
        if member == *known {
            return Decision::unchanged(());
        }
        let fact = Fact::Group(GroupFact::MemberChanged { member, by: user });
        Decision { facts: vec![fact], answer: () }
    }
}
