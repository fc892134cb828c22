//! The messages that a user saved: one row for all of them, since they are few.

use crate::archive::{Archive, Archived};
use crate::derive::Derivation;
use crate::{Index, IndexFault, keys};
use domain::ids::{Conversation, MessageId, UserId};
use domain::scopes::ScopeSet;
use domain::user::SavedMessage;

impl Derivation<'_> {
    /// Adds a message to those that a user saved.
    pub(super) fn save_message(
        &mut self,
        user: UserId,
        message: &SavedMessage,
    ) -> Result<(), IndexFault> {
        self.change_saved(user, |saved| saved.push(message.clone()))
    }

    /// Takes a message out of those that a user saved.
    pub(super) fn unsave_message(
        &mut self,
        user: UserId,
        conv: Conversation,
        message: MessageId,
    ) -> Result<(), IndexFault> {
        self.change_saved(user, |saved| saved.retain(|it| !it.is_of(conv, message)))
    }

    fn change_saved(
        &mut self,
        user: UserId,
        change: impl FnOnce(&mut Vec<SavedMessage>),
    ) -> Result<(), IndexFault> {
        let key = keys::saved(user);
        let mut saved: Vec<SavedMessage> = self.draft.get("saved", &key)?.unwrap_or_default();
        change(&mut saved);
        if saved.is_empty() {
            self.draft.delete(key);
            return Ok(());
        }
        self.draft.put(key, &saved)
    }
}

impl Index {
    /// Returns the messages that a user saved, the first saved first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn saved(&self, user: UserId) -> Result<Vec<SavedMessage>, IndexFault> {
        Ok(self.row("saved", &keys::saved(user))?.unwrap_or_default())
    }
}

impl Archive {
    /// Returns messages that a user saved before `before`, the newest saved first, as far as these
    /// scopes read their conversations; each with the message as it is now, `None` if it was deleted or
    /// the user may not read it any more.
    ///
    /// # Errors
    /// If index or journal cannot be read; the same below.
    pub fn saved_before(
        &self,
        user: UserId,
        scopes: ScopeSet,
        before: u64,
        most: usize,
    ) -> Result<Vec<(SavedMessage, Option<Archived>)>, IndexFault> {
        let saved = self.index.saved(user)?.into_iter().rev();
        let page = saved.filter(|it| it.id < before && scopes.reads(it.conv)).take(most);
        let found = |saved: SavedMessage| {
            let message = self.readable(user, saved.conv, saved.message)?;
            Ok((saved, message))
        };
        page.map(found).collect()
    }

    /// Returns a message that this user may read and that was not deleted.
    pub fn readable(
        &self,
        user: UserId,
        conv: Conversation,
        message: MessageId,
    ) -> Result<Option<Archived>, IndexFault> {
        if !self.index.is_in(user, conv)? {
            return Ok(None);
        }
        Ok(self.message(conv.into(), message)?.filter(|it| !it.message.is_deleted()))
    }
}
