//! Who could hear of an event, found again from the rows: for events that were decided by
//! another node, whose room said it to nobody here.

use crate::domain::ids::{GroupId, Pair, UserId};
use crate::index::archive::Archive;
use crate::index::rows::At;
use crate::index::{Go, Index, IndexFault, Walk, keys};
use crate::journal::Cursor;

impl Archive {
    /// Who is in a group right after its event of this number, in the order of ids.
    ///
    /// # Errors
    /// When the index cannot be read; so for every question here.
    pub fn roster_then(&self, group: GroupId, n: u64) -> Result<Vec<UserId>, IndexFault> {
        Ok(self.members_then(group, n)?.into_iter().map(|member| member.user_id).collect())
    }

    /// Who else sees a user look different from this event of theirs on, and the number of
    /// that public profile; `None` if nobody does. Those see it whose chat began before it.
    pub fn onlookers_then(
        &self,
        user: UserId,
        at: Cursor,
    ) -> Result<Option<(u64, Vec<UserId>)>, IndexFault> {
        let Some(number) = self.index.public_profile_of(user, at)? else { return Ok(None) };
        let mut users = Vec::new();
        for (other, _) in self.index.chats(user)? {
            let Some(pair) = Pair::of(user, other) else { continue };
            if self.index.beginning(pair)? < at {
                users.push(other);
            }
        }
        Ok(Some((number, users)))
    }
}

impl Index {
    /// The number of the public profile that an event of a user made, if it made one.
    fn public_profile_of(&self, user: UserId, event: Cursor) -> Result<Option<u64>, IndexFault> {
        let mut number = None;
        let (low, high) = (keys::public_profile(user, 0), keys::public_profile(user, u64::MAX));
        self.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            let at = At::decode(value)?;
            number = Some(at.n).filter(|_| at.cursor() == event);
            Ok(if at.cursor() > event { Go::On } else { Go::Stop })
        })?;
        Ok(number)
    }
}
