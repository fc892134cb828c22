//! Rows of folders: into which a user sorts conversations. Pins are in the user's own row.

use crate::derive::Derivation;
use crate::{Index, IndexFault, keys};
use domain::ids::UserId;
use domain::user::Folder;

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
    /// Returns a user's folders of conversations, in the user's order.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn folders(&self, user: UserId) -> Result<Vec<Folder>, IndexFault> {
        Ok(self.row("folders", &keys::folders(user))?.unwrap_or_default())
    }
}
