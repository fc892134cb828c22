//! Audiences: the users to whom an event is pushed.

use std::sync::Arc;

use crate::domain::ids::UserId;
use crate::domain::time::Monotonic;

/// The users who may hear of an event, each once. Cloning shares the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audience(Option<Arc<[UserId]>>);

impl Audience {
    /// An empty audience, for facts that are stored but not told.
    pub const fn nobody() -> Self {
        Self(None)
    }

    /// The audience of these users.
    pub fn of(users: impl IntoIterator<Item = UserId>) -> Self {
        Self(Some(users.into_iter().collect()))
    }

    /// The audience with more users, such as one who has just left or is about to join.
    #[must_use]
    pub fn and(&self, more: impl IntoIterator<Item = UserId>) -> Self {
        let mut users: Vec<UserId> = self.users().to_vec();
        for user in more {
            if !users.contains(&user) {
                users.push(user);
            }
        }
        Self::of(users)
    }

    /// The users of the audience.
    pub fn users(&self) -> &[UserId] {
        self.0.as_deref().unwrap_or_default()
    }
}

/// The chat contacts of a user, who hear of changes of the user's public profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatContacts {
    /// The contacts, each once, sorted by id.
    pub users: Arc<[UserId]>,
    /// When they were looked up. Contacts whose chat began later are missing.
    pub as_of: Monotonic,
}
