//! Bans of a group.

use crate::domain::group::Ban;
use crate::domain::ids::GroupId;
use crate::index::{Index, IndexFault, keys};

impl Index {
    /// The bans of a group, also some that are over.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn bans(&self, id: GroupId) -> Result<Vec<Ban>, IndexFault> {
        self.rows_of("ban", &keys::bans(id))
    }
}
