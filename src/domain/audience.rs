//! Who may hear of an event: the users to whom it is pushed.

use std::sync::Arc;

use crate::domain::ids::UserId;
use crate::domain::time::Monotonic;

/// Users who may hear, each once. Cloning shares the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audience(Option<Arc<[UserId]>>);

impl Audience {
    /// Nobody: for facts that are kept but not told.
    pub const fn nobody() -> Self {
        Self(None)
    }

    /// These users.
    pub fn of(users: impl IntoIterator<Item = UserId>) -> Self {
        Self(Some(users.into_iter().collect()))
    }

    /// These users and one more, who has just left or is about to come.
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

    /// All of them.
    pub fn users(&self) -> &[UserId] {
        self.0.as_deref().unwrap_or_default()
    }
}

/// Users who see a fact of somebody else, since they have a chat with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatContacts {
    /// Each once, in the order of ids.
    pub users: Arc<[UserId]>,
    /// When they were looked up. Whose chat began since then is not among them.
    pub as_of: Monotonic,
}
