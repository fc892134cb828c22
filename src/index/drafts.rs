//! Reads drafts: what users have written and not sent.

use crate::domain::ids::{Conversation, UserId};
use crate::domain::user::Draft;
use crate::index::{Index, IndexFault, keys};

impl Index {
    /// Returns a user's draft in a conversation, however old.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn draft(&self, user: UserId, conv: Conversation) -> Result<Option<Draft>, IndexFault> {
        self.row("draft", &keys::past::draft(user, conv.into()))
    }

    /// Returns a user's drafts in all conversations that they are in.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn drafts(&self, user: UserId) -> Result<Vec<(Conversation, Draft)>, IndexFault> {
        let groups = self.seats(user)?.into_iter().filter(|(_, seat)| seat.is_active());
        let mut conversations: Vec<Conversation> = groups.map(|(id, _)| id.into()).collect();
        let others = self.chats(user)?.into_iter();
        let pairs = others.filter_map(|(other, _)| crate::domain::ids::Pair::of(user, other));
        conversations.extend(pairs.map(Conversation::from));
        let mut found = Vec::new();
        for conv in conversations {
            found.extend(self.draft(user, conv)?.map(|draft| (conv, draft)));
        }
        Ok(found)
    }
}
