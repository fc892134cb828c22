//! Drafts: messages that a user began and has not sent, the same on all of their devices. Nobody
//! else learns of them.

use serde::{Deserialize, Serialize};

use crate::attachment::Attachment;
use crate::event::{Decision, Fact};
use crate::ids::Conversation;
use crate::limits::DRAFT_MILLIS;
use crate::time::Timestamp;
use crate::user::{User, UserFact};

/// A message that a user began and has not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The text; empty if there are only attachments.
    pub text: String,
    /// The attachments.
    pub attachments: Vec<Attachment>,
    /// When the draft was saved.
    pub at: Timestamp,
}

impl Draft {
    /// Whether the draft has no content; an empty one ends the draft before it.
    pub const fn is_empty(&self) -> bool {
        self.text.is_empty() && self.attachments.is_empty()
    }

    /// Whether the draft has content and is not expired.
    pub fn is_kept(&self, now: Timestamp) -> bool {
        !self.is_empty() && now.millis_since(self.at) < DRAFT_MILLIS
    }
}

impl User {
    /// Saves a draft in place of the earlier one.
    pub fn draft(&self, conv: Conversation, draft: Draft) -> Decision<Draft> {
        let fact = Fact::User(UserFact::Drafted { conv, draft: draft.clone() });
        Decision { facts: vec![fact], answer: draft }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draft_expires_after_30_days() {
        let at = Timestamp::from_seconds(1_000_000);
        let after = |seconds: u64| Timestamp::from_seconds(1_000_000 + seconds);
        let draft = |text: &str| Draft { text: text.to_owned(), attachments: Vec::new(), at };
        assert!(draft("rope").is_kept(after(30 * 86_400 - 1)));
        assert!(!draft("rope").is_kept(after(30 * 86_400)));
        assert!(!draft("").is_kept(at));
    }
}
