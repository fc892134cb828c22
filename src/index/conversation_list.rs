//! Rows of folders: into which a user sorts conversations. Pins are in the user's own row.

use crate::derive::Derivation;
use crate::{Index, IndexFault, keys};
use domain::ids::UserId;
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
    /// Returns the list of a user's conversations without those that the user is no longer in.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn conversation_list(&self, user: &User) -> Result<ConversationList, IndexFault> {
        let list = user.conversation_list();
        let mut own = list.conversations();
        for conversation in list.conversations() {
            if !self.is_in(user.id, conversation)? {
                own.remove(&conversation);
            }
        }
        Ok(list.among(&own))
    }

    /// A user's folders of conversations, in the user's order.
    pub(crate) fn folders(&self, user: UserId) -> Result<Vec<Folder>, IndexFault> {
        Ok(self.row("folders", &keys::folders(user))?.unwrap_or_default())
    }
}
