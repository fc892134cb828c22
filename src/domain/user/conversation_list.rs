//! A user's list of conversations: which are pinned at its top, in the order given, and the folders
//! that the user sorts conversations into. The same on every device; nobody else learns of it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::ids::Conversation;
use crate::user::{User, UserFact};

/// A folder in a user's list of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// Its name, unlike the names of the user's other folders.
    pub name: String,
    /// The conversations in it, in the user's order.
    pub conversations: Vec<Conversation>,
}

/// How a user's list of conversations is arranged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationList {
    /// The pinned conversations, in the user's order.
    pub pinned: Vec<Conversation>,
    /// The folders, in the user's order.
    pub folders: Vec<Folder>,
}

/// A change of the list: what is given replaces what was there.
#[derive(Debug, Clone, Default)]
pub struct ConversationListChange {
    /// The pinned conversations.
    pub pinned: Option<Vec<Conversation>>,
    /// The folders.
    pub folders: Option<Vec<Folder>>,
}

impl ConversationList {
    /// Every conversation that it names.
    pub fn conversations(&self) -> BTreeSet<Conversation> {
        let in_folders = self.folders.iter().flat_map(|folder| &folder.conversations);
        self.pinned.iter().chain(in_folders).copied().collect()
    }

    /// The list with the conversations that are among these.
    #[must_use]
    pub fn among(mut self, own: &BTreeSet<Conversation>) -> Self {
        self.pinned.retain(|it| own.contains(it));
        for folder in &mut self.folders {
            folder.conversations.retain(|it| own.contains(it));
        }
        self
    }

    /// The list after a change.
    #[must_use]
    pub fn changed(self, change: ConversationListChange) -> Self {
        Self {
            pinned: change.pinned.unwrap_or(self.pinned),
            folders: change.folders.unwrap_or(self.folders),
        }
    }
}

impl User {
    /// How this user's list is arranged.
    pub fn conversation_list(&self) -> ConversationList {
        ConversationList { pinned: self.pinned.clone(), folders: self.folders.clone() }
    }

    pub(super) fn set_list(&mut self, pinned: &[Conversation], folders: &[Folder]) {
        self.pinned = pinned.to_vec();
        self.folders = folders.to_vec();
    }

    /// Changes how the list is arranged; decides nothing if that changes nothing.
    pub fn arrange_list(&self, change: ConversationListChange) -> Decision<ConversationList> {
        let now = self.conversation_list();
        let list = now.clone().changed(change);
        if list == now {
            return Decision::unchanged(list);
        }
        let ConversationList { pinned, folders } = list.clone();
        let fact = Fact::User(UserFact::ListArranged { pinned, folders });
        Decision { facts: vec![fact], answer: list }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::GroupId;
    use crate::time::Timestamp;
    use crate::user::fixtures::ana_since;

    #[test]
    fn a_repeated_change_makes_no_event_and_the_rest_stays() {
        let mut ana = ana_since(Timestamp::default());
        let [one, other] = [1, 2].map(|id| Conversation::from(GroupId::new(id)));
        let pins = |ids: &[Conversation]| ConversationListChange {
            pinned: Some(ids.to_vec()),
            folders: None,
        };
        let work = Folder { name: "Work".to_owned(), conversations: vec![other] };
        let sorted = ConversationListChange { pinned: None, folders: Some(vec![work.clone()]) };
        for change in [pins(&[one, other]), sorted.clone()] {
            let decided = ana.arrange_list(change);
            let Fact::User(fact) = &decided.facts[0] else { panic!("{decided:?}") };
            ana.apply(Timestamp::default(), fact);
        }
        let list = ConversationList { pinned: vec![one, other], folders: vec![work] };
        assert_eq!(ana.conversation_list(), list);
        assert_eq!(ana.arrange_list(pins(&[one, other])).facts, []);
        assert_eq!(ana.arrange_list(sorted).facts, []);
        assert_eq!(ana.arrange_list(pins(&[other, one])).facts.len(), 1);
        assert_eq!(list.conversations(), BTreeSet::from([one, other]));
        assert_eq!(list.among(&BTreeSet::from([one])).conversations(), BTreeSet::from([one]));
    }
}
