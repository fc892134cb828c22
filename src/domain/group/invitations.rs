//! Inviting: a person added by an email address or a phone number that no account has gets an
//! invite, and becomes a member once such an account exists.
//!
//! An invite is a fact of the group. The group does not know of accounts: `subscribers::reconciler`
//! tells the room of the account, and the room checks again whether there is an invite.

use serde::{Deserialize, Serialize};

use crate::canonical::contacts;
use crate::event::{Decision, Fact};
use crate::group::{AddressTrust, Group, GroupFact, JoinRefusal, Member, Newcomer, Who};
use crate::id_generator::IdGenerator;
use crate::ids::UserId;
use crate::limits::{GROUP_INVITES, GROUP_MEMBERS};
use crate::message::SystemMessage;
use crate::named::NamedUser;
use crate::text::{Email, Nickname, Phone};
use crate::time::Moment;

/// The key of an email address or a phone number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "StoredContact")]
pub enum Contact {
    /// The key of an email address.
    Email(String),
    /// The key of a phone number.
    Phone(String),
}

/// A contact as it was stored: the keys of earlier versions become those of now.
#[derive(Deserialize)]
enum StoredContact {
    Email(String),
    Phone(String),
}

impl From<StoredContact> for Contact {
    fn from(stored: StoredContact) -> Self {
        match stored {
            StoredContact::Email(text) => Self::Email(contacts::email_key(&text)),
            StoredContact::Phone(digits) => Self::Phone(contacts::phone_key(&digits)),
        }
    }
}

impl From<&Email> for Contact {
    fn from(email: &Email) -> Self {
        Self::Email(email.key())
    }
}

impl From<&Phone> for Contact {
    fn from(phone: &Phone) -> Self {
        Self::Phone(phone.key())
    }
}

impl Contact {
    /// The contact by which a person is named; `None` if they are named by the id of an account.
    pub fn of(who: &Who) -> Option<Self> {
        match who {
            Who::User(_) => None,
            Who::Email(email) => Some(email.into()),
            Who::Phone(phone) => Some(phone.into()),
        }
    }
}

/// The invite of a person who has no account yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invite {
    /// The address or number that the person's account will have.
    pub contact: Contact,
    /// The nickname that the person gets in the group.
    pub nickname: Nickname,
    /// The member who invited the person.
    pub by: NamedUser,
}

impl Group {
    /// Whether there is room for one more invite, if `beside` others are about to be added.
    pub(super) fn may_invite(&self, beside: usize) -> bool {
        self.invites.len() + beside < GROUP_INVITES
    }

    /// Makes a member of a user who was invited under one of these contacts, or files a request if
    /// nobody confirmed the contacts, or a plain member invited them to a group in which the owner
    /// and admins decide who joins. Decides nothing if there is no such invite.
    ///
    /// # Errors
    /// If the group is gone or full; an invite to a full group stays.
    pub fn redeem_invites(
        &self,
        user: Newcomer,
        names: &[Contact],
        trust: AddressTrust,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, JoinRefusal> {
        if self.disbanded {
            return Err(JoinRefusal::NoSuchGroup);
        }
        let invites: Vec<&Invite> = names.iter().filter_map(|it| self.invites.get(it)).collect();
        let Some(invite) = invites.first() else { return Ok(Decision::unchanged(())) };
        let contacts = invites.iter().map(|invite| invite.contact.clone()).collect();
        let settled = Fact::Group(GroupFact::InvitesSettled { user: user.id, contacts });
        if self.member(user.id).is_some() {
            return Ok(Decision { facts: vec![settled], answer: () });
        }
        // It waits until the group is taken out of the archive.
        if self.settings.is_at_standstill() {
            return Ok(Decision::unchanged(()));
        }
        // The invite of a banned user is used up, so that it does not bring them back later.
        if self.ban_of(user.id, now.wall).is_some() {
            return Ok(Decision { facts: vec![settled], answer: () });
        }
        if trust == AddressTrust::Unconfirmed || self.adding_asks(invite.by.id) {
            let request = self.join_request(user, invite, now, id_generator);
            return Ok(Decision {
                facts: request.into_iter().chain([settled]).collect(),
                answer: (),
            });
        }
        if self.members.len() >= GROUP_MEMBERS {
            return Err(JoinRefusal::Full);
        }
        let by: UserId = invite.by.id;
        let member = Member::added(user, invite.nickname.clone(), id_generator);
        let line = SystemMessage::Added {
            added: vec![member.named()],
            adder: invite.by.clone(),
            is_by_invite: true,
        };
        let members = vec![member];
        let mut facts = self.wake_bots(&members);
        facts.insert(0, Fact::Group(GroupFact::MembersJoined { members, by }));
        facts.push(self.system_message(line, now.wall, id_generator));
        facts.push(settled);
        Ok(Decision { facts, answer: () })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table, newcomer};
    use crate::group::{LookupResult, LookupTarget};

    fn cara() -> Email {
        Email::parse("Cara@Example.org").unwrap()
    }

    fn invites(table: &mut Table) {
        let who = Who::Email(cara());
        table.adds(
            ANA,
            vec![LookupResult { sought: LookupTarget::Nobody, ..Table::found(who, "Cary") }],
        );
    }

    fn admits(table: &mut Table, user: UserId) -> Result<(), JoinRefusal> {
        let names =
            [Contact::Phone("333".to_owned()), Contact::Email("cara@example.org".to_owned())];
        table.does(|group, now, id_generator| {
            group.redeem_invites(newcomer(user), &names, AddressTrust::Trusted, now, id_generator)
        })
    }

    #[test]
    fn stored_contacts_get_the_keys_of_now() {
        let stored = r#"[{"Email":"ana@example.org\u200b"},{"Phone":"00491701234567"}]"#;
        let contacts: Vec<Contact> = serde_json::from_str(stored).unwrap();
        let typed = [
            Contact::from(&Email::parse("Ana@example.org").unwrap()),
            Contact::from(&Phone::parse("+49 170 1234567").unwrap()),
        ];
        assert_eq!(contacts, typed);
    }

    #[test]
    fn unknown_address_becomes_an_invite() {
        let mut table = Table::of_two();
        invites(&mut table);
        assert_eq!(table.group.invites.len(), 1);
        assert_eq!(table.group.members.len(), 2);
        assert_eq!(table.lines(), Vec::<String>::new());
        assert!(matches!(
            table.facts.last(),
            Some(Fact::Group(GroupFact::AddSettled { results, .. })) if results.is_empty()
        ));
    }

    #[test]
    fn redeemed_invite_becomes_a_membership() {
        let mut table = Table::of_two();
        invites(&mut table);
        admits(&mut table, CARA).unwrap();
        assert_eq!(table.group.member(CARA).unwrap().nickname.as_str(), "Cary");
        assert_eq!(table.lines(), ["Ana added Cary to the group."]);
        assert!(table.group.invites.is_empty());
        table.removes(ANA, CARA);
        admits(&mut table, CARA).unwrap();
        assert!(table.group.member(CARA).is_none(), "an invite serves once");
    }

    #[test]
    fn uninvited_user_is_not_admitted() {
        let mut table = Table::of_two();
        admits(&mut table, CARA).unwrap();
        assert_eq!(table.facts.len(), 0);
    }

    #[test]
    fn joining_otherwise_ends_the_invite_silently() {
        let mut table = Table::of_two();
        invites(&mut table);
        admits(&mut table, BEN).unwrap();
        assert!(table.group.invites.is_empty());
        assert_eq!(table.lines(), Vec::<String>::new());
    }

    #[test]
    fn an_invite_to_a_full_group_stays() {
        let mut table = Table::of_two();
        invites(&mut table);
        table.fills_up();
        assert_eq!(admits(&mut table, CARA), Err(JoinRefusal::Full));
        assert_eq!(table.group.invites.len(), 1);
    }

    #[test]
    fn a_user_named_by_id_is_never_invited() {
        let mut table = Table::of_two();
        let who = Who::User(UserId::new(404));
        table.adds(
            ANA,
            vec![LookupResult { sought: LookupTarget::Nobody, ..Table::found(who, "Nobody") }],
        );
        assert!(table.group.invites.is_empty());
    }

    #[test]
    fn blocking_user_is_neither_added_nor_invited() {
        let mut table = Table::of_two();
        let who = Who::Email(cara());
        table.adds(
            ANA,
            vec![LookupResult { sought: LookupTarget::Unwilling, ..Table::found(who, "Cary") }],
        );
        assert!(table.group.invites.is_empty());
        assert_eq!(table.group.members.len(), 2);
    }
}
