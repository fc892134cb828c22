//! How invitations of the operators are made, used and ended. Pure rules; the room of the installation
//! asks them.
//!
//! A use is counted before the account is made, and by the address that registers: an interrupted
//! registration is repeated with the same use.

use std::sync::Arc;

use crate::event::{Decision, Fact};
use crate::group::InviteLinkState;
use crate::id_generator::IdGenerator;
use crate::ids::{InvitationId, UserId};
use crate::instance::InstanceFact;
use crate::limits::{INVITATIONS, REMEMBERED_INVITATIONS};
use crate::operators::invitations::{
    self, AccountInvitation, AddressMark, InvitationChange, InvitationRefusal, Invitations,
    with_token,
};
use crate::text::{Email, InviteName};
use crate::time::Timestamp;

/// An invitation that an operator wants to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInvitation {
    /// The name, for operators.
    pub name: Option<InviteName>,
    /// How many people may use it.
    pub max_uses: u32,
    /// Milliseconds until it ends; `None` for never.
    pub valid_millis: Option<u64>,
}

/// The invitations as the room of the installation decides about them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InvitationList(Invitations);

impl From<Invitations> for InvitationList {
    fn from(invitations: Invitations) -> Self {
        Self(invitations)
    }
}

impl InvitationList {
    /// Makes an invitation, and forgets the oldest of those that cannot be used any more, beyond
    /// those that are remembered.
    ///
    /// # Errors
    /// If there are too many that can be used.
    pub fn make(
        &self,
        by: UserId,
        new: NewInvitation,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Arc<AccountInvitation>>, InvitationRefusal> {
        let is_open = |it: &&Arc<AccountInvitation>| it.state(now) == InviteLinkState::Open;
        if self.0.values().filter(is_open).count() >= INVITATIONS {
            return Err(InvitationRefusal::Full);
        }
        let invitation = Arc::new(AccountInvitation {
            // Ids of invitations are taken from the same sequence as those of messages.
            id: InvitationId::new(id_generator.message(now).get()),
            // It opens the place, so it is twice as long as the one that opens a group.
            token: id_generator.share_token() + &id_generator.share_token(),
            name: new.name,
            by,
            at: now,
            max_uses: new.max_uses,
            expires_at: new.valid_millis.map(|millis| now.plus_millis(millis)),
            used_by: std::collections::BTreeSet::new(),
            is_ended: false,
        });
        let over: Vec<InvitationId> =
            self.0.values().filter(|it| !is_open(it)).map(|it| it.id).collect();
        let many = over.len().saturating_sub(REMEMBERED_INVITATIONS);
        let forgotten = over.into_iter().take(many).map(|id| InvitationChange::Forgotten { id });
        let made = InvitationChange::Made(Arc::clone(&invitation));
        let facts = forgotten.chain([made]).map(changed).collect();
        Ok(Decision { facts, answer: invitation })
    }

    /// Counts the use of an invitation by an address; one that used it before is not counted again.
    ///
    /// # Errors
    /// If there is no such invitation, or it cannot be used.
    pub fn register_use(
        &self,
        token: &str,
        address: &Email,
        now: Timestamp,
    ) -> Result<Decision<()>, InvitationRefusal> {
        let invitation = with_token(&self.0, token).ok_or(InvitationRefusal::Unknown)?;
        let address = AddressMark::of(token, address);
        invitation.permit(address, now)?;
        if invitation.used_by.contains(&address) {
            return Ok(Decision::unchanged(()));
        }
        let used = InvitationChange::Used { id: invitation.id, address };
        Ok(Decision { facts: vec![changed(used)], answer: () })
    }

    /// Ends an invitation.
    ///
    /// # Errors
    /// If there is no such invitation, or it was ended before.
    pub fn end(
        &self,
        id: InvitationId,
    ) -> Result<Decision<Arc<AccountInvitation>>, InvitationRefusal> {
        let invitation = self.0.get(&id).filter(|it| !it.is_ended);
        let invitation = Arc::clone(invitation.ok_or(InvitationRefusal::Unknown)?);
        let facts = vec![changed(InvitationChange::Ended { id })];
        Ok(Decision { facts, answer: invitation })
    }

    /// Applies a fact.
    pub fn apply(&mut self, fact: &InstanceFact) {
        if let InstanceFact::InvitationChanged(change) = fact {
            invitations::apply(&mut self.0, change);
        }
    }
}

const fn changed(change: InvitationChange) -> Fact {
    Fact::Instance(InstanceFact::InvitationChanged(change))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, CountingIds};

    const HOUR: u64 = 3_600_000;

    /// The room's list, and what makes its ids.
    #[derive(Default)]
    struct Room {
        list: InvitationList,
        ids: CountingIds,
    }

    impl Room {
        fn settles<T>(&mut self, decided: Decision<T>) -> (usize, T) {
            for fact in &decided.facts {
                let Fact::Instance(fact) = fact else { panic!("{fact:?}") };
                self.list.apply(fact);
            }
            (decided.facts.len(), decided.answer)
        }

        fn makes(&mut self, max_uses: u32, second: u64) -> Result<String, InvitationRefusal> {
            let new = NewInvitation { name: None, max_uses, valid_millis: Some(HOUR) };
            let made = self.list.make(ANA, new, Timestamp::from_seconds(second), &self.ids)?;
            Ok(self.settles(made).1.token.clone())
        }

        /// The number of facts of a use.
        fn uses(
            &mut self,
            token: &str,
            address: &str,
            second: u64,
        ) -> Result<usize, InvitationRefusal> {
            let address = Email::parse(address).unwrap();
            let now = Timestamp::from_seconds(second);
            let used = self.list.register_use(token, &address, now)?;
            Ok(self.settles(used).0)
        }
    }

    #[test]
    fn as_many_people_as_may_use_it_each_as_often_as_needed() {
        let mut room = Room::default();
        let token = room.makes(2, 1).unwrap();
        for (address, expected) in [
            ("a@example.org", Ok(1)),
            ("A@EXAMPLE.org", Ok(0)),
            ("b@example.org", Ok(1)),
            ("c@example.org", Err(InvitationRefusal::UsedUp)),
            ("a@example.org", Ok(0)),
        ] {
            assert_eq!(room.uses(&token, address, 2), expected, "{address}");
        }
        assert_eq!(room.uses("another", "a@example.org", 2), Err(InvitationRefusal::Unknown));
        let late = 1 + HOUR / 1000;
        assert_eq!(room.uses(&token, "a@example.org", late), Err(InvitationRefusal::Expired));
    }

    #[test]
    fn an_ended_one_is_of_no_use_and_ends_once() {
        let mut room = Room::default();
        let token = room.makes(2, 1).unwrap();
        let id = with_token(&room.list.0, &token).unwrap().id;
        let ended = room.list.end(id).unwrap();
        room.settles(ended);
        assert_eq!(room.uses(&token, "a@example.org", 2), Err(InvitationRefusal::Ended));
        assert_eq!(room.list.end(id).err(), Some(InvitationRefusal::Unknown));
    }

    #[test]
    fn open_ones_have_a_limit_and_the_oldest_others_are_forgotten() {
        let mut room = Room::default();
        let first = room.makes(1, 1).unwrap();
        for _ in 1..INVITATIONS {
            room.makes(1, 1).unwrap();
        }
        assert_eq!(room.makes(1, 1), Err(InvitationRefusal::Full));
        // An hour later all of them have expired.
        let late = 1 + HOUR / 1000;
        assert_eq!(room.uses(&first, "a@example.org", late), Err(InvitationRefusal::Expired));
        room.makes(1, late).unwrap();
        assert_eq!(room.list.0.len(), REMEMBERED_INVITATIONS + 1);
        assert_eq!(room.uses(&first, "a@example.org", late), Err(InvitationRefusal::Unknown));
    }
}
