//! Adding people: a request is stored at once, the people are looked up afterwards, and the results
//! can be fetched for an hour.
//!
//! The rules do not look people up: the room does, and comes back with the accounts that it found.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{
    BrokenRule, Contact, Denied, Group, GroupAct, GroupFact, Invite, JoinRequest, Member, Newcomer,
    Role,
};
use crate::id_generator::IdGenerator;
use crate::ids::{AddId, UserId};
use crate::limits::{ADD_RESULTS_MILLIS, GROUP_MEMBERS, OPEN_ADDS};
use crate::message::SystemMessage;
use crate::text::{Email, Nickname, Phone};
use crate::time::{Moment, Timestamp};

/// How a person to be added is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Who {
    /// By the id of the account.
    User(UserId),
    /// By the email address of an account.
    Email(Email),
    /// By the phone number of an account.
    Phone(Phone),
}

/// One person of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddItem {
    /// The person to add.
    pub who: Who,
    /// The nickname that the person gets in the group.
    pub nickname: Nickname,
    /// The client's own name for the item.
    pub guid: String,
}

/// A request to add people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddRequest {
    /// The request's id.
    pub id: AddId,
    /// The member who asked.
    pub by: UserId,
    /// When the member asked.
    pub at: Timestamp,
    /// The people to add.
    pub items: Vec<AddItem>,
    /// The results, once the request is settled.
    #[serde(default)]
    pub results: Option<AddResults>,
}

impl AddRequest {
    /// Whether the request is older than an hour, so that nobody may see its results any more.
    pub fn is_old(&self, now: Timestamp) -> bool {
        now.millis_since(self.at) >= ADD_RESULTS_MILLIS
    }
}

/// The guids of the items whose people became members or already were, each with the membership.
pub type AddResults = Vec<(String, Member)>;

/// The result of the look-up of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupResult {
    /// The item that was looked up.
    pub item: AddItem,
    /// The account that the item names, if there is one.
    pub sought: LookupTarget,
}

/// The account that an item names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupTarget {
    /// The account was found.
    Account(Newcomer),
    /// There is no such account: an email address or a phone number becomes an invite.
    Nobody,
    /// The account has blocked the caller: it is neither added nor invited.
    Unwilling,
}

/// Why a request to add people was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AddRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The caller's role does not allow adding people.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A rule of the group does not allow one of the nicknames.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
    /// The group would have too many members.
    #[error("a group has at most {GROUP_MEMBERS} members")]
    Full,
    /// Too many requests wait for their look-ups.
    #[error("the group has {OPEN_ADDS} unfinished requests to add members")]
    TooManyOpen,
}

/// Why there are no results to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResultsRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The people are still being looked up.
    #[error("results are not ready, try again shortly")]
    NotReady,
    /// The request is unknown, or older than an hour.
    #[error("results are no longer available")]
    Gone,
}

impl Group {
    /// Stores a request to add people.
    ///
    /// # Errors
    /// If the caller is no member or may not add people, or the group would have too many members.
    pub fn request_add(
        &self,
        by: UserId,
        items: Vec<AddItem>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<AddId>, AddRefusal> {
        let asker = self.member(by).ok_or(AddRefusal::NotAMember)?;
        self.permit(asker, GroupAct::AddMembers, now.wall)?;
        if self.members.len() + items.len() > GROUP_MEMBERS {
            return Err(AddRefusal::Full);
        }
        if self.open_adds.len() >= OPEN_ADDS {
            return Err(AddRefusal::TooManyOpen);
        }
        let request = AddRequest { id: id_generator.add(), by, at: now.wall, items, results: None };
        let answer = request.id;
        Ok(Decision { facts: vec![Fact::Group(GroupFact::AddRequested(request))], answer })
    }

    /// Makes members of the accounts that were found, and invites of the email addresses and phone
    /// numbers without one, as far as the limits allow. Where the owner and admins decide who joins,
    /// a plain member files requests for the accounts instead. Decides nothing if the request is
    /// unknown or already settled.
    pub fn settle_add(
        &self,
        request: AddId,
        found: Vec<LookupResult>,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Decision<()> {
        let Some(by) = self.open_adds.get(&request).map(|known| known.by) else {
            return Decision::unchanged(());
        };
        let mut joined: Vec<Member> = Vec::new();
        let mut invites: Vec<Invite> = Vec::new();
        let mut requests: Vec<JoinRequest> = Vec::new();
        let mut results: AddResults = Vec::new();
        let asks = self.adding_asks(by);
        // If the group was disbanded or the adder left meanwhile, the request is settled without
        // results, so that its client is not told "try again" for ever.
        let adder = self.member(by).map(Member::named);
        let wanted = adder.iter().flat_map(|adder| found.iter().map(move |it| (adder, it)));
        for (adder, result) in wanted {
            let LookupResult { item, sought } = result;
            match sought {
                // Nobody learns from the results whether the account or a ban is the reason.
                LookupTarget::Account(user) if self.ban_of(user.id, now.wall).is_some() => {}
                LookupTarget::Account(user) if asks && self.member(user.id).is_none() => {
                    let asked = self.request_of_added(result, adder, &requests, now, id_generator);
                    requests.extend(asked);
                }
                LookupTarget::Account(user) => {
                    results.extend(self.seat_item(item, user, &mut joined, id_generator));
                }
                LookupTarget::Nobody => {
                    let is_new = |contact: &Contact| !self.invites.contains_key(contact);
                    let contact = Contact::of(&item.who).filter(is_new);
                    let contact = contact.filter(|_| self.may_invite(invites.len()));
                    let nickname = item.nickname.clone();
                    let by = adder.clone();
                    invites.extend(contact.map(|contact| Invite { contact, nickname, by }));
                }
                LookupTarget::Unwilling => {}
            }
        }
        let mut facts = Vec::new();
        if let Some(adder) = adder.filter(|_| !joined.is_empty()) {
            let added = joined.iter().map(Member::named).collect();
            let woken = self.wake_bots(&joined);
            facts.push(Fact::Group(GroupFact::MembersJoined { members: joined, by }));
            facts.extend(woken);
            facts.push(self.system_message(
                SystemMessage::Added { added, adder, is_by_invite: false },
                now.wall,
                id_generator,
            ));
        }
        let filed = requests.into_iter().map(GroupFact::JoinRequested);
        facts.extend(filed.map(Fact::Group));
        if !invites.is_empty() {
            facts.push(Fact::Group(GroupFact::Invited { invites }));
        }
        facts.push(Fact::Group(GroupFact::AddSettled { request, results }));
        Decision { facts, answer: () }
    }

    /// Returns the result of an item that names an account: the existing membership, or a new one
    /// if there is room.
    fn seat_item(
        &self,
        item: &AddItem,
        user: &Newcomer,
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

    /// Whether a user may see the results of a request now; the archive has them, for an hour.
    ///
    /// # Errors
    /// If the caller is no member, or the request is not settled yet.
    pub fn may_see_results(&self, asker: UserId, request: AddId) -> Result<(), ResultsRefusal> {
        self.member(asker).ok_or(ResultsRefusal::NotAMember)?;
        if self.open_adds.contains_key(&request) { Err(ResultsRefusal::NotReady) } else { Ok(()) }
    }
}

impl Member {
    /// A new plain member with this nickname.
    pub(super) fn added(
        user: Newcomer,
        nickname: Nickname,
        id_generator: &dyn IdGenerator,
    ) -> Self {
        Self {
            membership_id: id_generator.membership(),
            user_id: user.id,
            nickname,
            name: user.name.as_str().to_owned(),
            image: user.image,
            role: Role::Member,
            muted: false,
            mute_ends: None,
            is_guest: user.is_guest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, Table};

    #[test]
    fn open_requests_are_limited_until_they_are_settled() {
        let mut table = Table::of_two();
        let asks = |table: &mut Table| {
            table.does(|group, now, ids| group.request_add(ANA, Vec::new(), now, ids))
        };
        let first = asks(&mut table).unwrap();
        for _ in 1..OPEN_ADDS {
            asks(&mut table).unwrap();
        }
        assert_eq!(asks(&mut table), Err(AddRefusal::TooManyOpen));
        table
            .does(|group, now, ids| Ok::<_, ()>(group.settle_add(first, Vec::new(), now, ids)))
            .unwrap();
        asks(&mut table).unwrap();
    }

    #[test]
    fn contact_is_invited_once() {
        let mut table = Table::of_two();
        let phone = Who::Phone(Phone::parse("+1 555 010 9999").unwrap());
        let found = LookupResult { sought: LookupTarget::Nobody, ..Table::found(phone, "Cary") };
        table.adds(ANA, vec![found.clone()]);
        let invites = |table: &Table| {
            table.facts.iter().any(|it| matches!(it, Fact::Group(GroupFact::Invited { .. })))
        };
        assert!(invites(&table));
        table.adds(ANA, vec![found]);
        assert!(!invites(&table));
    }
}
