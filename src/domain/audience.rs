//! Audiences: the users to whom an event is pushed.

use std::sync::Arc;

use crate::ids::UserId;
use crate::time::Monotonic;

/// The users who may receive an event, each once, sorted by id. Cloning shares the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audience(Option<Arc<[UserId]>>);

impl Audience {
    /// An empty audience, for facts that are stored but not told.
    pub const fn nobody() -> Self {
        Self(None)
    }

    /// The audience of these users.
    pub fn of(users: impl IntoIterator<Item = UserId>) -> Self {
        let mut users: Vec<UserId> = users.into_iter().collect();
        users.sort_unstable();
        users.dedup();
        Self(Some(users.into()))
    }

    /// The audience with more users, such as one who has just left or is about to join.
    #[must_use]
    pub fn and(&self, more: impl IntoIterator<Item = UserId>) -> Self {
        Self::of(self.users().iter().copied().chain(more))
    }

    /// The users of the audience.
    pub fn users(&self) -> &[UserId] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Whether this user is in the audience.
    pub fn has(&self, user: UserId) -> bool {
        self.users().binary_search(&user).is_ok()
    }

    /// Whether both share one list, so that they need not be compared user by user.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (None, None) => true,
            _ => false,
        }
    }
}

/// The chat contacts of a user, who receive changes of the user's public profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatContacts {
    /// The contacts, each once, sorted by id.
    pub users: Arc<[UserId]>,
    /// When they were looked up. Contacts whose chat began later are missing.
    pub as_of: Monotonic,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audience_has_each_user_once_in_order() {
        let users = |list: &[u64]| list.iter().copied().map(UserId::new).collect::<Vec<_>>();
        let some = Audience::of(users(&[7, 3, 7, 5]));
        assert_eq!(some.users(), users(&[3, 5, 7]));
        let more = some.and(users(&[4, 5, 9, 1]));
        assert_eq!(more.users(), users(&[1, 3, 4, 5, 7, 9]));
        assert!(more.has(UserId::new(9)) && !some.has(UserId::new(9)));
        assert!(some.is_same(&some.clone()) && !some.is_same(&Audience::of(users(&[3, 5, 7]))));
        assert!(!Audience::nobody().has(UserId::new(3)));
    }
}
