//! What is still to be done in groups because of something that happened to an account:
//! a new name or picture to be shown, an invite to become a membership, somebody who is
//! gone to be taken out.
//!
//! A row stands for as long as the two do not fit together, whichever of them changed
//! last. So it needs no record of how far somebody got with it: what was done takes the
//! row away, and what came later brings it back.

use crate::domain::ids::{GroupId, UserId};
use crate::index::{Go, Index, IndexFault, Walk, keys};

/// Something of this user's is to be done in this group.
pub type Due = (UserId, GroupId);

pub(super) fn key((user, group): Due) -> Vec<u8> {
    [b"J".as_slice(), &user.get().to_be_bytes(), &group.get().to_be_bytes()].concat()
}

impl Index {
    /// What is due, in order, at most so many after this one.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn due(&self, after: Option<Due>, most: usize) -> Result<Vec<Due>, IndexFault> {
        let low = after.map_or_else(|| b"J".to_vec(), |after| [&key(after)[..], &[0]].concat());
        self.due_between(&low, &keys::end_of(b"J"), most)
    }

    /// In which groups something of a user's is due.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn due_of(&self, user: UserId) -> Result<Vec<Due>, IndexFault> {
        let all = |group| key((user, GroupId::new(group)));
        self.due_between(&all(0), &all(u64::MAX), usize::MAX)
    }

    fn due_between(&self, low: &[u8], high: &[u8], most: usize) -> Result<Vec<Due>, IndexFault> {
        let mut found = Vec::new();
        self.rows.scan(low, high, Walk::Up, &mut |key, _| {
            if found.len() >= most {
                return Ok(Go::Stop);
            }
            let (user, group) = keys::last_two_numbers(key);
            found.push((UserId::new(user), GroupId::new(group)));
            Ok(Go::On)
        })?;
        Ok(found)
    }
}
