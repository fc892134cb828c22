//! The rules of accounts that a directory manages.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::mail::MailChange;
use crate::scim::{DirectoryNames, FirstProvisioning, ProvisioningChange};
use crate::user::{ProfileChange, User, UserFact};

/// What a directory wants of an account; absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedProvisioning {
    /// The changes of the profile.
    pub profile: ProfileChange,
    /// The directory's names for the account.
    pub names: Option<DirectoryNames>,
    /// Whether the account can be used.
    pub is_active: Option<bool>,
    /// Whether a resource that was deleted begins again.
    pub restores: bool,
}

fn provisioned(change: ProvisioningChange) -> Fact {
    Fact::User(UserFact::Provisioned(change))
}

impl User {
    /// Whether nobody can log in to the account: it was disabled, or it is new and waits.
    pub const fn is_disabled(&self) -> bool {
        self.was_disabled() || self.waiting.is_some()
    }

    /// Whether an operator disabled the account, or the directory did.
    pub const fn was_disabled(&self) -> bool {
        self.disabled_at.is_some() || self.provisioning.deactivated_at.is_some()
    }

    /// Makes the account as the directory wants it. Decides nothing if it is so already.
    pub fn provision(&self, wanted: &WantedProvisioning) -> Decision<()> {
        let mut facts = self.change_profile(&wanted.profile).facts;
        let email = wanted.profile.email.clone();
        let address = email.filter(|email| email.key() != self.profile.email.key());
        // The directory vouches for the address.
        let confirmed = address.map(|address| MailChange::Confirmed { address });
        facts.extend(confirmed.map(|change| Fact::User(UserFact::Mailed(change))));
        let names = wanted.names.clone().filter(|names| *names != self.provisioning.names);
        facts.extend(names.map(|names| provisioned(ProvisioningChange::Named(names))));
        let restored = wanted.restores && self.provisioning.is_removed;
        if restored {
            facts.push(provisioned(ProvisioningChange::Restored));
        }
        let is_active = restored || self.provisioning.deactivated_at.is_none();
        match wanted.is_active {
            Some(true) if !is_active => facts.push(provisioned(ProvisioningChange::Activated)),
            Some(false) if is_active => {
                facts.extend(self.shut_out());
                facts.push(provisioned(ProvisioningChange::Deactivated));
            }
            Some(_) | None => {}
        }
        Decision { facts, answer: () }
    }

    /// Ends what the directory has of the account, and disables it. Decides nothing if that was
    /// done before.
    pub fn unprovision(&self) -> Decision<()> {
        if self.provisioning.is_removed {
            return Decision::unchanged(());
        }
        let mut facts = self.shut_out();
        facts.push(provisioned(ProvisioningChange::Removed));
        Decision { facts, answer: () }
    }
}

/// The first facts of an account that a directory creates, beside its profile.
pub fn begun_by_directory(first: FirstProvisioning) -> impl Iterator<Item = UserFact> {
    let FirstProvisioning { names, is_active } = first;
    let deactivated = (!is_active).then_some(ProvisioningChange::Deactivated);
    std::iter::once(ProvisioningChange::Named(names)).chain(deactivated).map(UserFact::Provisioned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;
    use crate::user::fixtures::ana_with_token;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn apply(user: &mut User, now: u64, decision: Decision<()>) -> usize {
        for fact in &decision.facts {
            let Fact::User(fact) = fact else { panic!("a user decides facts of users") };
            user.apply(at(now), fact);
        }
        decision.facts.len()
    }

    fn active(is_active: bool) -> WantedProvisioning {
        WantedProvisioning { is_active: Some(is_active), ..WantedProvisioning::default() }
    }

    #[test]
    fn directory_and_operator_have_flags_of_their_own() {
        let mut ana = ana_with_token();
        let shut = ana.provision(&active(false));
        assert_eq!(apply(&mut ana, 5, shut), 2);
        assert!(ana.is_disabled() && ana.tokens.is_empty() && ana.disabled_at.is_none());
        assert!(ana.provision(&active(false)).facts.is_empty(), "shut once");
        assert!(ana.enable().facts.is_empty(), "the operator's flag is not set");
        let disabled = ana.disable();
        apply(&mut ana, 6, disabled);
        let opened = ana.provision(&active(true));
        apply(&mut ana, 7, opened);
        assert!(ana.is_disabled(), "the operator's flag stays");
        let enabled = ana.enable();
        apply(&mut ana, 8, enabled);
        assert!(!ana.is_disabled());
    }

    #[test]
    fn removed_resource_may_begin_again() {
        let mut ana = ana_with_token();
        let names = DirectoryNames { user_name: Some("ana".to_owned()), external_id: None };
        let named = WantedProvisioning { names: Some(names), ..WantedProvisioning::default() };
        let decision = ana.provision(&named);
        assert_eq!(apply(&mut ana, 1, decision), 1);
        assert!(ana.provisioning.is_managed() && ana.provision(&named).facts.is_empty());
        let removed = ana.unprovision();
        apply(&mut ana, 2, removed);
        assert!(ana.is_disabled() && !ana.provisioning.is_managed());
        assert!(ana.unprovision().facts.is_empty());
        let restore = WantedProvisioning { restores: true, ..active(true) };
        let restored = ana.provision(&restore);
        assert_eq!(apply(&mut ana, 3, restored), 1);
        assert!(!ana.is_disabled() && ana.provisioning.is_managed());
        let removed = ana.unprovision();
        apply(&mut ana, 4, removed);
        let shut = ana.provision(&WantedProvisioning { restores: true, ..active(false) });
        apply(&mut ana, 5, shut);
        assert!(ana.is_disabled() && ana.provisioning.is_managed());
    }
}
