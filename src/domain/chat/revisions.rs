//! Editing, deleting and pinning in a chat: the rules of [`crate::domain::revision`], where only
//! the author of a message may edit or delete it, without a time limit.

use std::sync::Arc;

use crate::domain::addressing::online_when_sent;
use crate::domain::chat::{Chat, ChatFact};
use crate::domain::event::{Decision, Fact};
use crate::domain::ids::UserId;
use crate::domain::message::{Author, Message};
use crate::domain::pins::{PinAction, PinRefusal};
use crate::domain::revision::{
    MessageChange, Reviser, ReviserId, Revision, RevisionPolicy, RevisionRefusal,
};
use crate::domain::time::Moment;

/// The policy of every chat, as clients are shown it.
pub const CHAT_POLICY: RevisionPolicy = RevisionPolicy { by_admin: false, ..RevisionPolicy::OPEN };

impl Chat {
    /// The role of a caller in this chat, to decide which messages they may revise.
    ///
    /// # Errors
    /// If the caller is none of the two.
    pub fn reviser(&self, by: &ReviserId) -> Result<Reviser, RevisionRefusal> {
        match by {
            ReviserId::User(user) if self.pair.other(*user).is_some() => {
                Ok(Reviser { author: Author::Member(*user), is_admin: false })
            }
            ReviserId::User(_) | ReviserId::Bot(_) => Err(RevisionRefusal::NotAMember),
        }
    }

    /// Edits a message.
    ///
    /// # Errors
    /// If the caller may not edit the message, or the edited message would be empty or mention
    /// somebody it cannot.
    pub fn edit(
        &self,
        by: &ReviserId,
        message: &Message,
        change: MessageChange,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal> {
        let context = self.context(None, online_when_sent(&message.attachments));
        let rules = (&CHAT_POLICY, &context);
        Ok(decision(message.edit(&self.reviser(by)?, change, rules, now.wall)?))
    }

    /// Deletes a message.
    ///
    /// # Errors
    /// If the caller may not delete the message.
    pub fn delete(
        &self,
        by: &ReviserId,
        message: &Message,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal> {
        Ok(decision(message.delete(&self.reviser(by)?, &CHAT_POLICY, now.wall)?))
    }

    /// Pins or unpins a message.
    ///
    /// # Errors
    /// If the caller is none of the two, or the message cannot be pinned.
    pub fn pin(
        &self,
        by: UserId,
        message: &Message,
        action: PinAction,
    ) -> Result<Decision<()>, PinRefusal> {
        self.pair.other(by).ok_or(PinRefusal::NotAMember)?;
        Ok(decision(self.pins.decide(message, by, action)?))
    }
}

fn decision(revision: Option<Revision>) -> Decision<()> {
    let fact = revision.map(|it| Fact::Chat(ChatFact::Revised(Arc::new(it))));
    Decision { facts: fact.into_iter().collect(), answer: () }
}
