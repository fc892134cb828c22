//! Pins: which messages of a conversation are pinned, and who may pin them.
//!
//! Pure rules. A pin is a revision of its message, so a shown message has its pin.
//! [`Pins`] only keeps which messages are pinned, since their number is limited.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::group::permissions::Denied;
use crate::ids::{MessageId, UserId};
use crate::limits::PINS;
use crate::message::{Author, Message};
use crate::revision::{Revision, RevisionKind};

/// The pinned messages of one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins(BTreeSet<MessageId>);

impl FromIterator<MessageId> for Pins {
    fn from_iter<I: IntoIterator<Item = MessageId>>(messages: I) -> Self {
        Self(messages.into_iter().collect())
    }
}

impl Pins {
    /// Applies a revision to the pins of its conversation. Deleting a message unpins it.
    pub fn apply(&mut self, revision: &Revision) {
        match revision.kind {
            RevisionKind::Pinned => drop(self.0.insert(revision.message)),
            RevisionKind::Unpinned | RevisionKind::Deleted { .. } => {
                self.0.remove(&revision.message);
            }
            RevisionKind::Edited { .. } | RevisionKind::Previewed { .. } => {}
        }
    }

    /// Pins or unpins a message; `None` if that changes nothing.
    ///
    /// # Errors
    /// If too many messages are pinned, or the message to be pinned was deleted.
    pub fn decide(
        &self,
        message: &Message,
        by: UserId,
        action: PinAction,
    ) -> Result<Option<Revision>, PinRefusal> {
        let is_pinned = message.state.pinned.is_some();
        let kind = match action {
            PinAction::Pin if message.is_deleted() => return Err(PinRefusal::Deleted),
            PinAction::Pin if is_pinned => return Ok(None),
            PinAction::Pin if self.0.len() >= PINS => return Err(PinRefusal::Full),
            PinAction::Pin => RevisionKind::Pinned,
            PinAction::Unpin if is_pinned => RevisionKind::Unpinned,
            PinAction::Unpin => return Ok(None),
        };
        Ok(Some(Revision { message: message.id, by: Author::Member(by), kind }))
    }
}

/// A request to pin or unpin a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PinAction {
    /// Pin the message.
    Pin,
    /// Unpin the message.
    Unpin,
}

/// Why a message was not pinned or unpinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum PinRefusal {
    /// The caller is not in the conversation, or it does not exist.
    #[error("there is no such conversation")]
    NotAMember,
    /// The conversation has no such message.
    #[error("there is no such message")]
    NoMessage,
    /// The message was deleted.
    #[error("this message was deleted")]
    Deleted,
    /// The conversation already has [`PINS`] pinned messages.
    #[error("at most {PINS} messages of a conversation can be pinned")]
    Full,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::revision::Deleter;
    use crate::time::Timestamp;

    const ANA: UserId = UserId::new(1);

    fn said(id: u64) -> Message {
        Message::silent(id, id)
    }

    fn decided(pins: &Pins, message: &Message, action: PinAction) -> Option<Revision> {
        pins.decide(message, ANA, action).unwrap()
    }

    #[test]
    fn repeated_pin_and_unpin_change_nothing() {
        let mut pins = Pins::default();
        let at = Timestamp::from_seconds(9);
        let pinned = decided(&pins, &said(1), PinAction::Pin).unwrap();
        pins.apply(&pinned);
        let message = said(1).revised(&pinned, at);
        assert_eq!(message.state.pinned.map(|pin| (pin.at, pin.by)), Some((at, ANA)));
        assert_eq!(message.updated_at(), said(1).updated_at(), "it says what it said");
        assert_eq!(decided(&pins, &message, PinAction::Pin), None);
        let unpinned = decided(&pins, &message, PinAction::Unpin).unwrap();
        pins.apply(&unpinned);
        let message = message.revised(&unpinned, at);
        assert_eq!((message.state.pinned, pins.clone()), (None, Pins::default()));
        assert_eq!(decided(&pins, &message, PinAction::Unpin), None);
    }

    #[test]
    fn pins_are_limited_and_deletions_free_a_place() {
        let mut pins: Pins = (1..=PINS as u64).map(MessageId::new).collect();
        let refused = pins.decide(&said(100), ANA, PinAction::Pin);
        assert_eq!(refused, Err(PinRefusal::Full));
        let kind = RevisionKind::Deleted { actor: Deleter::Sender };
        let gone = Revision { message: MessageId::new(7), by: Author::System, kind };
        pins.apply(&gone);
        assert!(decided(&pins, &said(100), PinAction::Pin).is_some());
        let deleted = said(7).revised(&gone, Timestamp::from_seconds(9));
        assert_eq!(pins.decide(&deleted, ANA, PinAction::Pin), Err(PinRefusal::Deleted));
        assert_eq!(decided(&pins, &deleted, PinAction::Unpin), None);
    }
}
