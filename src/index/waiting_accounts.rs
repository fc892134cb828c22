//! New accounts that wait before anybody can log in to them.

use crate::derive::Derivation;
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::ids::UserId;
use domain::registration::AccountWait;

impl Derivation<'_> {
    /// Notes what an account waits for; `None` if it waits no more.
    pub(super) fn waits(
        &mut self,
        user: UserId,
        waiting: Option<&AccountWait>,
    ) -> Result<(), IndexFault> {
        let key = keys::waiting_account(user);
        match waiting {
            Some(_) => self.draft.put_bytes(key, Vec::new()),
            None => self.draft.delete(key),
        }
        self.change(user, |row| row.waiting = waiting.cloned())
    }
}

impl Index {
    /// Returns the accounts that wait, the first one first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn waiting_accounts(&self) -> Result<Vec<(UserId, AccountWait)>, IndexFault> {
        let low = keys::waiting_accounts();
        let mut ids = Vec::new();
        self.rows.scan(&low, &keys::end_of(&low), Walk::Up, &mut |key, _| {
            ids.push(UserId::new(keys::last_number(key)));
            Ok(Flow::Continue)
        })?;
        let mut waiting = Vec::new();
        for id in ids {
            waiting.extend(self.user(id)?.and_then(|row| row.waiting).map(|it| (id, it)));
        }
        Ok(waiting)
    }
}
