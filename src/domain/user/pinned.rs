//! Pinned conversations: those that a user wants at the top of the list on every device, in the
//! order given. Nobody else learns of them.

use crate::event::{Decision, Fact};
use crate::ids::Conversation;
use crate::user::{User, UserFact};

impl User {
    /// Pins these conversations in this order and unpins all others; decides nothing if that
    /// changes nothing.
    pub fn pin_conversations(&self, conversations: Vec<Conversation>) -> Decision<()> {
        if self.pinned == conversations {
            return Decision::unchanged(());
        }
        let fact = Fact::User(UserFact::ConversationsPinned { conversations });
        Decision { facts: vec![fact], answer: () }
    }
}

#[cfg(test)]
mod tests {
    use crate::ids::GroupId;
    use crate::time::Timestamp;
    use crate::user::fixtures::ana_since;

    #[test]
    fn repeated_pin_makes_no_event() {
        let mut ana = ana_since(Timestamp::default());
        let one = GroupId::new(1).into();
        let other = GroupId::new(2).into();
        let decided = ana.pin_conversations(vec![one, other]);
        let crate::event::Fact::User(fact) = &decided.facts[0] else { panic!("{decided:?}") };
        ana.apply(Timestamp::default(), fact);
        assert_eq!(ana.pinned, [one, other]);
        assert_eq!(ana.pin_conversations(vec![one, other]).facts, []);
        assert_eq!(ana.pin_conversations(vec![other, one]).facts.len(), 1);
    }
}
