//! Rows of folders: into which a user sorts conversations. Pins are in the user's own row.

use std::collections::BTreeSet;

use crate::derive::Derivation;
use crate::{Index, IndexFault, keys};
use domain::ids::{Conversation, UserId};
use domain::user::{ConversationList, Folder, User};

impl Derivation<'_> {
    /// Replaces a user's folders; to have none needs no row.
    pub(super) fn change_folders(
        &mut self,
        user: UserId,
        folders: &[Folder],
    ) -> Result<(), IndexFault> {
        let key = keys::folders(user);
        if folders.is_empty() {
            self.draft.delete(key);
            return Ok(());
        }
        self.draft.put(key, &folders)
    }
}

impl Index {
    /// Returns how the list of conversations of this account is arranged, without those that the user
    /// is no longer in.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn conversation_list(&self, account: &User) -> Result<ConversationList, IndexFault> {
        let folders = self.folders(account.id)?;
        let list = ConversationList { pinned: account.pinned.clone(), folders };
        let own = self.own_conversations(account.id, list.conversations())?;
        Ok(list.among(&own))
    }

    /// Returns those of the conversations that the user is in.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn own_conversations(
        &self,
        user: UserId,
        among: BTreeSet<Conversation>,
    ) -> Result<BTreeSet<Conversation>, IndexFault> {
        let mut own = BTreeSet::new();
        for conversation in among {
            if self.is_in(user, conversation)? {
                own.insert(conversation);
            }
        }
        Ok(own)
    }

    /// Returns a user's folders of conversations, in the user's order.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn folders(&self, user: UserId) -> Result<Vec<Folder>, IndexFault> {
        Ok(self.row("folders", &keys::folders(user))?.unwrap_or_default())
    }
}
