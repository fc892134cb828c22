//! Messages that a user saved to find them again. Nobody else learns of it.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::ids::{Conversation, MessageId};
use crate::limits::SAVED_MESSAGES;
use crate::time::Timestamp;
use crate::user::{User, UserFact};

/// A message that a user saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedMessage {
    /// Grows with each message that the user saves; unique among them.
    pub id: u64,
    /// The conversation of the message.
    pub conv: Conversation,
    /// The message.
    pub message: MessageId,
    /// When it was saved.
    pub at: Timestamp,
}

impl SavedMessage {
    /// Whether this message was saved.
    pub fn is_of(&self, conv: Conversation, message: MessageId) -> bool {
        self.conv == conv && self.message == message
    }
}

/// Why a message was not saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum SaveRefusal {
    /// The user is not in the conversation, or there is no such message, or it was deleted.
    #[error("there is no such message")]
    NoMessage,
    /// The user has saved too many.
    #[error("at most {SAVED_MESSAGES} messages can be saved")]
    Full,
}

impl User {
    /// The message as this user saved it, if they did.
    pub fn saved_message(&self, conv: Conversation, message: MessageId) -> Option<&SavedMessage> {
        self.saved.iter().find(|saved| saved.is_of(conv, message))
    }

    /// Saves a message; decides nothing if it is saved already.
    ///
    /// # Errors
    /// If the user has saved too many.
    pub fn save_message(
        &self,
        conv: Conversation,
        message: MessageId,
        now: Timestamp,
    ) -> Result<Decision<SavedMessage>, SaveRefusal> {
        if let Some(saved) = self.saved_message(conv, message) {
            return Ok(Decision::unchanged(saved.clone()));
        }
        if self.saved.len() >= SAVED_MESSAGES {
            return Err(SaveRefusal::Full);
        }
        let newest = self.saved.last().map_or(0, |saved| saved.id);
        let id = now.millis().max(newest.saturating_add(1));
        let saved = SavedMessage { id, conv, message, at: now };
        let fact = Fact::User(UserFact::MessageSaved(saved.clone()));
        Ok(Decision { facts: vec![fact], answer: saved })
    }

    /// Takes a message out of the saved ones; decides nothing if it is not among them.
    pub fn unsave_message(&self, conv: Conversation, message: MessageId) -> Decision<()> {
        let fact = |_: &SavedMessage| Fact::User(UserFact::MessageUnsaved { conv, message });
        let facts = self.saved_message(conv, message).map(fact).into_iter().collect();
        Decision { facts, answer: () }
    }

    pub(super) fn forget_saved(&mut self, conv: Conversation, message: MessageId) {
        self.saved.retain(|saved| !saved.is_of(conv, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::GroupId;
    use crate::user::fixtures::ana_since;

    fn conv() -> Conversation {
        Conversation::from(GroupId::new(1))
    }

    fn saves(ana: &mut User, message: u64, now: Timestamp) -> usize {
        let decided = ana.save_message(conv(), MessageId::new(message), now).unwrap();
        for fact in &decided.facts {
            let Fact::User(fact) = fact else { panic!("{fact:?}") };
            ana.apply(now, fact);
        }
        decided.facts.len()
    }

    #[test]
    fn saved_messages_are_unique_in_order_and_limited() {
        let now = Timestamp::from_seconds(1_700_000_000);
        let mut ana = ana_since(now);
        assert_eq!([saves(&mut ana, 7, now), saves(&mut ana, 7, now)], [1, 0]);
        for message in 0..SAVED_MESSAGES as u64 - 1 {
            saves(&mut ana, 100 + message, now);
        }
        assert!(ana.saved.windows(2).all(|pair| pair[0].id < pair[1].id));
        let more = ana.save_message(conv(), MessageId::new(9), now);
        assert_eq!(more.unwrap_err(), SaveRefusal::Full);
        assert_eq!(saves(&mut ana, 7, now), 0, "it is saved already");
        let decided = ana.unsave_message(conv(), MessageId::new(7));
        let Fact::User(fact) = &decided.facts[0] else { panic!("{decided:?}") };
        ana.apply(now, fact);
        assert_eq!(ana.unsave_message(conv(), MessageId::new(7)).facts, []);
        assert_eq!(saves(&mut ana, 7, now), 1);
    }
}
