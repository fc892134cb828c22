//! Reads drafts: what users have written and not sent.

use crate::domain::ids::{Conversation, UserId};
use crate::domain::user::Draft;
use crate::index::{Flow, Index, IndexFault, Walk, keys, rows};

impl Index {
    /// Returns a user's draft in a conversation, however old.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn draft(&self, user: UserId, conv: Conversation) -> Result<Option<Draft>, IndexFault> {
        self.row("draft", &keys::past::draft(user, conv.into()))
    }

    /// Returns a user's drafts in the groups that they are in, and in chats, whether these have begun
    /// or not.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn drafts(&self, user: UserId) -> Result<Vec<(Conversation, Draft)>, IndexFault> {
        let prefix = keys::past::drafts(user);
        let (mut groups, mut chats) = (Vec::new(), Vec::new());
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, value| {
            match keys::past::conversation_of_draft(key) {
                Some(conv @ Conversation::Group(_)) => {
                    groups.push((conv, rows::decode("draft", value)?));
                }
                Some(conv @ Conversation::Chat(_)) => {
                    chats.push((conv, rows::decode("draft", value)?));
                }
                None => {}
            }
            Ok(Flow::Continue)
        })?;
        let mut found = Vec::with_capacity(groups.len() + chats.len());
        for (conv, draft) in groups {
            if self.is_in(user, conv)? {
                found.push((conv, draft));
            }
        }
        found.extend(chats);
        Ok(found)
    }
}
