//! Bans, timeouts and rules of a group.

use std::sync::Arc;

use crate::domain::group::{Ban, Rule, Rules, Timeout};
use crate::domain::ids::GroupId;
use crate::index::{Index, IndexFault, keys};

impl Index {
    /// The bans of a group, also some that are over.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every function here.
    pub fn bans(&self, id: GroupId) -> Result<Vec<Ban>, IndexFault> {
        self.rows_of("ban", &keys::bans(id))
    }

    /// The timeouts of a group, also some that are over.
    pub fn timeouts(&self, id: GroupId) -> Result<Vec<Timeout>, IndexFault> {
        self.rows_of("timeout", &keys::timeouts(id))
    }

    /// The rules of a group.
    pub fn rules(&self, id: GroupId) -> Result<Rules, IndexFault> {
        let rules: Vec<Rule> = self.rows_of("rule", &keys::rules(id))?;
        Ok(Arc::new(rules.into_iter().map(|rule| (rule.id, Arc::new(rule))).collect()))
    }
}
