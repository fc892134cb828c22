//! Finds the audience of an event in the rows: for events that another node decided, whose room
//! told nobody here.

use crate::domain::ids::{GroupId, Pair, UserId};
use crate::index::archive::Archive;
use crate::index::rows::EventPosition;
use crate::index::{Flow, Index, IndexFault, Walk, keys};
use crate::journal::Cursor;

impl Archive {
    /// Returns who is in a group right after its event `n`, in the order of ids.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn roster_at(&self, group: GroupId, n: u64) -> Result<Vec<UserId>, IndexFault> {
        Ok(self.members_then(group, n)?.into_iter().map(|member| member.user_id).collect())
    }

    /// Returns the number of the public profile that a user's event at `at` made, and the other
    /// users who see it: those whose chat with the user began before the event. `None` if the event
    /// made no public profile.
    pub fn onlookers_at(
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
    /// Returns the number of the public profile that an event of a user made, if it made one.
    fn public_profile_of(&self, user: UserId, event: Cursor) -> Result<Option<u64>, IndexFault> {
        let mut number = None;
        let (low, high) = (keys::public_profile(user, 0), keys::public_profile(user, u64::MAX));
        self.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            let at = EventPosition::decode(value)?;
            number = Some(at.n).filter(|_| at.cursor() == event);
            Ok(if at.cursor() > event { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(number)
    }
}
