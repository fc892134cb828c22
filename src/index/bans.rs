//! Bans, timeouts, appeals, rules, held messages and invite links of a group.

use std::sync::Arc;

use crate::{Index, IndexFault, keys};
use domain::group::{
    Appeal, Appeals, Ban, HeldMessage, HeldMessages, InviteLink, InviteLinks, Rule, Rules, Timeout,
};
use domain::ids::GroupId;

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

    /// The messages of a group that wait for approval.
    pub fn held(&self, id: GroupId) -> Result<HeldMessages, IndexFault> {
        let held: Vec<HeldMessage> = self.rows_of("held message", &keys::held_messages(id))?;
        Ok(held.into_iter().map(|held| (held.id(), Arc::new(held))).collect())
    }

    /// The invite links of a group, also some that ended.
    pub fn invite_links(&self, id: GroupId) -> Result<InviteLinks, IndexFault> {
        let links: Vec<InviteLink> = self.rows_of("invite link", &keys::invite_links(id))?;
        Ok(links.into_iter().map(|link| (link.id, Arc::new(link))).collect())
    }

    /// The newest appeal of each user against each kind of act.
    pub fn appeals(&self, id: GroupId) -> Result<Appeals, IndexFault> {
        let appeals: Vec<Appeal> = self.rows_of("appeal", &keys::appeals(id))?;
        Ok(appeals.into_iter().map(|appeal| ((appeal.user, appeal.act), appeal)).collect())
    }

    /// The rules of a group.
    pub fn rules(&self, id: GroupId) -> Result<Rules, IndexFault> {
        let rules: Vec<Rule> = self.rows_of("rule", &keys::rules(id))?;
        Ok(Arc::new(rules.into_iter().map(|rule| (rule.id, Arc::new(rule))).collect()))
    }
}
