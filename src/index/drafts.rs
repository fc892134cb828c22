//! Reading what somebody has written and not sent.

use crate::domain::ids::{Conversation, UserId};
use crate::domain::user::Draft;
use crate::index::{Index, IndexFault, keys};

impl Index {
    /// The draft of somebody in a conversation, however old.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn draft(&self, user: UserId, conv: Conversation) -> Result<Option<Draft>, IndexFault> {
        self.row("draft", &keys::past::draft(user, conv.into()))
    }

    /// Those of all conversations that somebody is in.
    ///
    /// # Errors
    /// When the index cannot be read.
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
