//! What the rooms of topics have from the rooms of their groups: a cell for each group with topics,
//! into which the group's room puts its state after each change, and which the rooms of the topics
//! read before each decision.
//!
//! A cell lives as long as one of these rooms. The room of a group with topics holds its cell from its
//! start on, so a topic that finds none, or an empty one, knows that the group has no room, and fills
//! the cell from the index.

use std::sync::{Arc, PoisonError, RwLock, Weak};

use dashmap::DashMap;

use domain::group::TopicParent;
use domain::ids::GroupId;

/// After how many new cells those are forgotten that no room holds any more.
const SWEEP: usize = 256;

/// The cells of all groups with topics. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct TopicParents(Arc<DashMap<GroupId, Weak<ParentCell>>>);

/// The state of a group, for its topics.
#[derive(Debug, Default)]
pub(super) struct ParentCell(RwLock<Option<Arc<TopicParent>>>);

impl TopicParents {
    /// The cell of a group, the same for all who hold it.
    pub(super) fn of(&self, group: GroupId) -> Arc<ParentCell> {
        if self.0.len() % SWEEP == SWEEP - 1 {
            self.0.retain(|_, cell| cell.strong_count() > 0);
        }
        let mut place = self.0.entry(group).or_default();
        match place.upgrade() {
            Some(cell) => cell,
            None => {
                let cell = Arc::new(ParentCell::default());
                *place = Arc::downgrade(&cell);
                cell
            }
        }
    }
}

impl ParentCell {
    /// The newest state; `None` if nobody has put one yet.
    pub(super) fn newest(&self) -> Option<Arc<TopicParent>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts the state after a change. Called by the group's room only.
    pub(super) fn put(&self, parent: TopicParent) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(parent));
    }

    /// Puts a state that was read from the index, unless the group's room has put one meanwhile.
    /// Returns the state that counts.
    pub(super) fn put_if_empty(&self, read: TopicParent) -> Arc<TopicParent> {
        let mut state = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(state.get_or_insert_with(|| Arc::new(read)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_of_one_group_share_a_cell_while_one_of_them_lives() {
        let parents = TopicParents::default();
        let group = GroupId::new(7);
        let cell = parents.of(group);
        assert!(Arc::ptr_eq(&cell, &parents.of(group)));
        assert!(!Arc::ptr_eq(&cell, &parents.of(GroupId::new(8))));
        let weak = Arc::downgrade(&cell);
        drop(cell);
        assert_eq!(weak.strong_count(), 0);
        assert!(parents.of(group).newest().is_none());
        for id in 0..SWEEP as u64 {
            parents.of(GroupId::new(id));
        }
        assert!(parents.0.len() < SWEEP, "cells that nobody holds are forgotten");
    }
}
