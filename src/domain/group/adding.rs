//! Adding people: a request is kept at once, looked up afterwards, and its results
//! can be asked for during an hour.
//!
//! Looking people up is not done here: the room asks for it and comes back with
//! what was found.

use serde::{Deserialize, Serialize};

use crate::domain::event::{Decision, Fact};
use crate::domain::group::{Contact, Group, GroupFact, Invite, Member, Role, Starter};
use crate::domain::id_generator::IdGenerator;
use crate::domain::ids::{AddId, UserId};
use crate::domain::limits::{ADD_RESULTS_MILLIS, GROUP_MEMBERS};
use crate::domain::message::SystemMessage;
use crate::domain::text::{Email, Nickname, Phone};
use crate::domain::time::{Moment, Timestamp};

/// How somebody to be added is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Who {
    /// By id.
    User(UserId),
    /// By the email address of an account.
    Email(Email),
    /// By the phone number of an account.
    Phone(Phone),
}

/// One person of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddItem {
    /// Whom.
    pub who: Who,
    /// To be called what.
    pub nickname: Nickname,
    /// The client's own name for the item.
    pub guid: String,
}

/// A request to add people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddRequest {
    /// Names it.
    pub id: AddId,
    /// Whose it is.
    pub by: UserId,
    /// Since when.
    pub at: Timestamp,
    /// Whom to add.
    pub items: Vec<AddItem>,
    /// What came of it, once it is settled.
    #[serde(default)]
    pub results: Option<AddResults>,
}

/// Which items became, or already were, members.
pub type AddResults = Vec<(String, Member)>;

/// What the look-up of one item found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupResult {
    /// The item.
    pub item: AddItem,
    /// Whom it names.
    pub sought: LookupTarget,
}

/// Whom an item names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupTarget {
    /// This account.
    Account(Starter),
    /// No account: an email address or a phone number becomes an invite.
    Nobody,
    /// An account that has blocked the asker: neither added nor invited.
    Unwilling,
}

/// Why a request to add people was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AddRefusal {
    /// Also for a group that is gone.
    #[error("there is no such group")]
    NotAMember,
    /// Office mode is on.
    #[error("only the owner and admins may add members to this group")]
    AdminsOnly,
    /// Too many people.
    #[error("a group has at most {GROUP_MEMBERS} members")]
    Full,
}

/// Why there are no results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResultsRefusal {
    /// Also for a group that is gone.
    #[error("there is no such group")]
    NotAMember,
    /// Still being looked up.
    #[error("results are not ready, try again shortly")]
    NotReady,
    /// Unknown, or older than an hour.
    #[error("results are no longer available")]
    Gone,
}

impl Group {
    /// Keeps a request to add people.
    ///
    /// # Errors
    /// When the asker may not add here, or the group would be too large.
    pub fn request_add(
        &self,
        by: UserId,
        items: Vec<AddItem>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<AddId>, AddRefusal> {
        let asker = self.member(by).ok_or(AddRefusal::NotAMember)?;
        if self.settings.office_mode && asker.role == Role::Member {
            return Err(AddRefusal::AdminsOnly);
        }
        if self.members.len() + items.len() > GROUP_MEMBERS {
            return Err(AddRefusal::Full);
        }
        let request = AddRequest { id: id_generator.add(), by, at: now.wall, items, results: None };
        let answer = request.id;
        Ok(Decision { facts: vec![Fact::Group(GroupFact::AddRequested(request))], answer })
    }

    /// Makes members of the people who were found and keeps invites for those who have
    /// no account yet, as far as both fit. Nothing happens when the request is settled
    /// already or unknown.
    pub fn settle_add(
        &self,
        request: AddId,
        found: Vec<LookupResult>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Decision<()> {
        let open = self.adds.get(&request).filter(|known| known.results.is_none());
        let Some(by) = open.map(|known| known.by) else { return Decision::unchanged(()) };
        let mut joined: Vec<Member> = Vec::new();
        let mut invites: Vec<Invite> = Vec::new();
        let mut results: AddResults = Vec::new();
        // A group that was disbanded meanwhile settles with nobody, so that the asker
        // is not left with "try again" for ever.
        let adder = self.member(by).map(Member::named);
        let wanted = adder.iter().flat_map(|adder| found.iter().map(move |it| (adder, it)));
        for (adder, LookupResult { item, sought }) in wanted {
            match sought {
                LookupTarget::Account(user) => {
                    results.extend(self.seat_item(item, user, &mut joined, id_generator));
                }
                LookupTarget::Nobody => {
                    let contact = Contact::of(&item.who).filter(|_| self.may_invite(invites.len()));
                    let (nickname, by) = (item.nickname.clone(), adder.clone());
                    invites.extend(contact.map(|contact| Invite { contact, nickname, by }));
                }
                LookupTarget::Unwilling => {}
            }
        }
        let mut facts = Vec::new();
        if let Some(adder) = adder.filter(|_| !joined.is_empty()) {
            let added = joined.iter().map(Member::named).collect();
            facts.push(Fact::Group(GroupFact::MembersJoined { members: joined, by }));
            facts.push(self.system_message(
                SystemMessage::Added { added, adder },
                now.wall,
                id_generator,
            ));
        }
        if !invites.is_empty() {
            facts.push(Fact::Group(GroupFact::Invited { invites }));
        }
        facts.push(Fact::Group(GroupFact::AddSettled { request, results }));
        Decision { facts, answer: () }
    }

    /// What comes of an item that names an account: the membership that is there, or a
    /// new one if there is room.
    fn seat_item(
        &self,
        item: &AddItem,
        user: &Starter,
        joined: &mut Vec<Member>,
        id_generator: &dyn IdGenerator,
    ) -> Option<(String, Member)> {
        let seated = joined.iter().find(|member| member.user_id == user.id);
        let known = seated.or_else(|| self.member(user.id)).cloned();
        let is_full = self.members.len() + joined.len() >= GROUP_MEMBERS;
        let member = match known {
            Some(member) => member,
            None if is_full => return None,
            None => {
                let member = Member::added(user.clone(), item.nickname.clone(), id_generator);
                joined.push(member.clone());
                member
            }
        };
        Some((item.guid.clone(), member))
    }

    /// What came of a request, during an hour.
    ///
    /// # Errors
    /// When the asker is no member, or there is nothing to tell yet or any more.
    pub fn add_results(
        &self,
        asker: UserId,
        request: AddId,
        now: Timestamp,
    ) -> Result<AddResults, ResultsRefusal> {
        self.member(asker).ok_or(ResultsRefusal::NotAMember)?;
        let known = self.adds.get(&request).ok_or(ResultsRefusal::Gone)?;
        if now.millis_since(known.at) >= ADD_RESULTS_MILLIS {
            return Err(ResultsRefusal::Gone);
        }
        known.results.clone().ok_or(ResultsRefusal::NotReady)
    }
}

impl Member {
    /// Somebody who comes in as a plain member, under this nickname.
    pub(super) fn added(user: Starter, nickname: Nickname, id_generator: &dyn IdGenerator) -> Self {
        Self {
            membership_id: id_generator.membership(),
            user_id: user.id,
            nickname,
            name: user.name.as_str().to_owned(),
            image: user.image,
            role: Role::Member,
            muted: false,
            mute_ends: None,
        }
    }
}
