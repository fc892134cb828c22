//! Rows of message requests: from whom each user takes direct messages, and which requests to them
//! are open or declined.

use crate::derive::Derivation;
use crate::{Index, IndexFault, keys};
use domain::ids::UserId;
use domain::message_requests::{DmRules, RequestedChats};

impl Derivation<'_> {
    /// Changes what a user decides about direct messages; the default needs no row.
    pub(super) fn change_dm_rules(
        &mut self,
        user: UserId,
        change: impl FnOnce(&mut DmRules),
    ) -> Result<(), IndexFault> {
        let key = keys::dm_rules(user);
        let mut rules: DmRules = self.draft.get("direct message rules", &key)?.unwrap_or_default();
        change(&mut rules);
        if rules == DmRules::default() {
            self.draft.delete(key);
            return Ok(());
        }
        self.draft.put(key, &rules)
    }
}

impl Index {
    /// Returns from whom a user takes direct messages, and the requests to them.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn dm_rules(&self, user: UserId) -> Result<DmRules, IndexFault> {
        Ok(self.row("direct message rules", &keys::dm_rules(user))?.unwrap_or_default())
    }

    /// Returns the chats of a user that are requests.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn requested_chats(&self, user: UserId) -> Result<RequestedChats, IndexFault> {
        Ok(self.dm_rules(user)?.chats(user))
    }
}
