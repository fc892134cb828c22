//! New accounts that wait before anybody can log in to them.

use crate::derive::Derivation;
use crate::rows::UserRow;
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::ids::UserId;
use domain::registration::{AccountWait, WaitingReason};

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
        let mut waiting = Vec::new();
        for id in self.waiting_ids(&keys::waiting_accounts())? {
            waiting.extend(self.user(id)?.and_then(|row| row.waiting).map(|it| (id, it)));
        }
        Ok(waiting)
    }

    /// Returns at most `limit` accounts after this one that wait for an approval, the first one first,
    /// and whether there are more.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn account_requests(
        &self,
        after: UserId,
        limit: usize,
    ) -> Result<(Vec<(UserId, UserRow)>, bool), IndexFault> {
        let mut found = Vec::new();
        for id in
            self.waiting_ids(&keys::waiting_account(UserId::new(after.get().saturating_add(1))))?
        {
            let Some(row) = self.user(id)? else { continue };
            let reason = row.waiting.as_ref().map(|it| &it.reason);
            if !matches!(reason, Some(WaitingReason::Approval { .. })) {
                continue;
            }
            if found.len() == limit {
                return Ok((found, true));
            }
            found.push((id, row));
        }
        Ok((found, false))
    }

    /// The ids of accounts that wait, from this key on.
    fn waiting_ids(&self, low: &[u8]) -> Result<Vec<UserId>, IndexFault> {
        let mut ids = Vec::new();
        let end = keys::end_of(&keys::waiting_accounts());
        self.rows.scan(low, &end, Walk::Up, &mut |key, _| {
            ids.push(UserId::new(keys::last_number(key)));
            Ok(Flow::Continue)
        })?;
        Ok(ids)
    }
}
