//! Invite links: links with a name, a number of uses and an end, beside the share URL of the group.
//!
//! The room counts the uses: a join and its use are one decision, so a link never lets in more
//! people than it may. An ended link is remembered for a while, so that its holders learn that it ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{Denied, Group, GroupAct, GroupFact, JoinRefusal, LookupTarget, Moderation};
use crate::guests::Guest;
use crate::id_generator::IdGenerator;
use crate::ids::{InviteLinkId, UserId};
use crate::limits::{EMAIL_INVITE_MILLIS, EMAIL_INVITES, INVITE_LINKS, REMEMBERED_INVITE_LINKS};
use crate::text::{Email, InviteName};
use crate::time::Timestamp;

/// Whether people who use a link wait for the owner or an admin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkApproval {
    /// They ask to join.
    Ask,
    /// They join at once.
    Skip,
}

impl LinkApproval {
    /// Every value.
    pub const ALL: [Self; 2] = [Self::Ask, Self::Skip];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Skip => "skip",
        }
    }
}

/// A link that a member wants to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewInviteLink {
    /// The name, for those who manage the links.
    pub name: Option<InviteName>,
    /// How many people may use it; `None` for any number.
    pub max_uses: Option<u32>,
    /// Milliseconds until it ends; `None` for never.
    pub valid_millis: Option<u64>,
    /// Whether people who use it wait; `None` as with the share URL.
    pub approval: Option<LinkApproval>,
    /// Whether people without an account become guests with it.
    #[serde(default)]
    pub is_for_guests: bool,
}

/// A link with which people join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InviteLink {
    /// The id.
    pub id: InviteLinkId,
    /// The secret part of its URL.
    pub token: String,
    /// The name.
    pub name: Option<InviteName>,
    /// The member who made it.
    pub by: UserId,
    /// When it was made.
    pub at: Timestamp,
    /// How many people may use it.
    pub max_uses: Option<u32>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// Whether people who use it wait.
    pub approval: Option<LinkApproval>,
    /// How many people used it.
    pub uses: u32,
    /// Whether a member ended it.
    pub is_ended: bool,
    /// Whether people without an account become guests with it. Records without it are as they were
    /// before it existed; `Some(false)` keeps the place of the field before the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guests: Option<bool>,
    /// The email address that it was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addressee: Option<Addressee>,
}

/// The email address that a link was made for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addressee {
    /// The address.
    pub email: Email,
    /// Whether the link lets nobody in, because its addressee is banned or has blocked the maker.
    /// The maker does not learn it, so the link looks like any other.
    pub is_void: bool,
}

/// A person to be invited by email.
#[derive(Debug, Clone)]
pub struct EmailInvitee {
    /// The address.
    pub email: Email,
    /// The account that has it.
    pub account: LookupTarget,
}

/// Whether a link can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InviteLinkState {
    /// It can be used.
    Open,
    /// Its time is up.
    Expired,
    /// So many people used it as may.
    UsedUp,
    /// A member ended it.
    Ended,
}

impl InviteLinkState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Open, Self::Expired, Self::UsedUp, Self::Ended];

    /// The state of a link that somebody ended or not, that ends by itself or not, and that as many
    /// people used as may or not.
    pub fn of(
        is_ended: bool,
        expires_at: Option<Timestamp>,
        is_used_up: bool,
        now: Timestamp,
    ) -> Self {
        if is_ended {
            Self::Ended
        } else if expires_at.is_some_and(|end| end <= now) {
            Self::Expired
        } else if is_used_up {
            Self::UsedUp
        } else {
            Self::Open
        }
    }

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Expired => "expired",
            Self::UsedUp => "used_up",
            Self::Ended => "ended",
        }
    }
}

impl InviteLink {
    /// Whether the link can be used now.
    pub fn state(&self, now: Timestamp) -> InviteLinkState {
        let is_used_up = self.max_uses.is_some_and(|most| self.uses >= most);
        InviteLinkState::of(self.is_ended, self.expires_at, is_used_up, now)
    }

    /// The guest whom the link makes of somebody without an account, whose account ends with the
    /// link; `None` if it makes none.
    pub fn guest(&self) -> Option<Guest> {
        self.is_for_guests().then_some(Guest { until: self.expires_at })
    }

    /// Whether people without an account become guests with it.
    pub fn is_for_guests(&self) -> bool {
        self.guests.unwrap_or_default()
    }

    /// Whether the link lets nobody in, although it looks like any other.
    pub fn is_void(&self) -> bool {
        self.addressee.as_ref().is_some_and(|addressee| addressee.is_void)
    }

    /// Applies a change of this link.
    pub fn apply(&mut self, change: &InviteLinkChange) {
        match change {
            InviteLinkChange::Made(_) => {}
            InviteLinkChange::Used { .. } => self.uses += 1,
            InviteLinkChange::Ended { .. } => self.is_ended = true,
        }
    }
}

/// Something that happened to a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum InviteLinkChange {
    /// It was made.
    Made(InviteLink),
    /// Somebody joined with it, or asked to.
    Used {
        /// The link.
        id: InviteLinkId,
        /// The member who made it.
        maker: UserId,
        /// Who used it.
        user: UserId,
    },
    /// A member ended it.
    Ended {
        /// The link.
        id: InviteLinkId,
        /// The member who made it.
        maker: UserId,
        /// Who ended it.
        by: UserId,
    },
}

impl InviteLinkChange {
    /// The link.
    pub const fn id(&self) -> InviteLinkId {
        match self {
            Self::Made(link) => link.id,
            Self::Used { id, .. } | Self::Ended { id, .. } => *id,
        }
    }

    /// The member who made the link.
    pub const fn maker(&self) -> UserId {
        match self {
            Self::Made(link) => link.by,
            Self::Used { maker, .. } | Self::Ended { maker, .. } => *maker,
        }
    }

    /// Who made, used or ended the link.
    pub const fn by(&self) -> UserId {
        match self {
            Self::Made(link) => link.by,
            Self::Used { user, .. } => *user,
            Self::Ended { by, .. } => *by,
        }
    }

    /// The name of it in the audit log of the server.
    pub const fn audit_act(&self) -> &'static str {
        match self {
            Self::Made(_) => "invite_created",
            Self::Used { .. } => "invite_used",
            Self::Ended { .. } => "invite_ended",
        }
    }
}

/// The links of a group, also some that ended.
pub type InviteLinks = BTreeMap<InviteLinkId, Arc<InviteLink>>;

/// The link that a token belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedLink<'a> {
    /// The share URL of the group.
    ShareUrl,
    /// An invite link.
    Invite(&'a Arc<InviteLink>),
    /// No link: the directory lists the group.
    Directory,
}

/// Why links were not shown, or one was not made or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum InviteLinkRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// There is no such link, it has been ended, or it is not the caller's.
    #[error("there is no such invite")]
    NoLink,
    /// The group has too many links that can be used.
    #[error("a group has at most {INVITE_LINKS} open invites")]
    Full,
    /// The group has too many links for email addresses that can be used.
    #[error("emails would exceed the {EMAIL_INVITES} open invites by email that a group may have")]
    FullOfEmails,
}

impl Group {
    /// The links that a reader sees, newest first: their own, and all of them for the owner and
    /// admins. Without those that a member ended.
    ///
    /// # Errors
    /// If the reader is no member.
    pub fn invite_links_for(
        &self,
        reader: UserId,
        now: Timestamp,
    ) -> Result<Vec<Arc<InviteLink>>, InviteLinkRefusal> {
        let member = self.member(reader).ok_or(InviteLinkRefusal::NotAMember)?;
        self.permit(member, GroupAct::Read, now)?;
        let sees_all = self.grants(member, GroupAct::ManageInvites);
        let is_seen = |link: &&Arc<InviteLink>| !link.is_ended && (sees_all || link.by == reader);
        Ok(self.invite_links.values().rev().filter(is_seen).cloned().collect())
    }

    /// Makes a link.
    ///
    /// # Errors
    /// If the caller may not, or the group has too many.
    pub fn make_invite_link(
        &self,
        by: UserId,
        new: NewInviteLink,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Arc<InviteLink>>, InviteLinkRefusal> {
        let member = self.member(by).ok_or(InviteLinkRefusal::NotAMember)?;
        self.permit(member, GroupAct::Share, now)?;
        if new.approval == Some(LinkApproval::Skip) || new.is_for_guests {
            self.permit(member, GroupAct::ManageInvites, now)?;
        }
        if self.open_links(now).filter(|link| link.addressee.is_none()).count() >= INVITE_LINKS {
            return Err(InviteLinkRefusal::Full);
        }
        let link = InviteLink {
            // Ids of links are taken from the same sequence as those of messages.
            id: InviteLinkId::new(id_generator.message(now).get()),
            token: id_generator.share_token(),
            name: new.name,
            by,
            at: now,
            max_uses: new.max_uses,
            expires_at: new.valid_millis.map(|millis| now.plus_millis(millis)),
            approval: new.approval,
            uses: 0,
            is_ended: false,
            guests: new.is_for_guests.then_some(true),
            addressee: None,
        };
        let made = changed(InviteLinkChange::Made(link.clone()));
        Ok(Decision { facts: vec![made], answer: Arc::new(link) })
    }

    /// Makes a link for each of these email addresses, in their order. Those of banned people, and
    /// of people who have blocked the caller, let nobody in.
    ///
    /// # Errors
    /// If the caller may not, or the group has too many.
    pub fn make_email_invites(
        &self,
        by: UserId,
        invitees: Vec<EmailInvitee>,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Vec<Arc<InviteLink>>>, InviteLinkRefusal> {
        let member = self.member(by).ok_or(InviteLinkRefusal::NotAMember)?;
        self.permit(member, GroupAct::Share, now)?;
        let open = self.open_links(now).filter(|link| link.addressee.is_some()).count();
        if open + invitees.len() > EMAIL_INVITES {
            return Err(InviteLinkRefusal::FullOfEmails);
        }
        let make = |EmailInvitee { email, account }: EmailInvitee| {
            let is_void = match account {
                LookupTarget::Account(user) => self.ban_of(user.id, now).is_some(),
                LookupTarget::Nobody => false,
                LookupTarget::Unwilling => true,
            };
            Arc::new(InviteLink {
                id: InviteLinkId::new(id_generator.message(now).get()),
                token: id_generator.share_token(),
                name: None,
                by,
                at: now,
                max_uses: Some(1),
                expires_at: Some(now.plus_millis(EMAIL_INVITE_MILLIS)),
                approval: None,
                uses: 0,
                is_ended: false,
                guests: Some(false),
                addressee: Some(Addressee { email, is_void }),
            })
        };
        let links: Vec<Arc<InviteLink>> = invitees.into_iter().map(make).collect();
        let made =
            |link: &Arc<InviteLink>| changed(InviteLinkChange::Made(InviteLink::clone(link)));
        Ok(Decision { facts: links.iter().map(made).collect(), answer: links })
    }

    /// The links that can be used.
    fn open_links(&self, now: Timestamp) -> impl Iterator<Item = &Arc<InviteLink>> {
        self.invite_links.values().filter(move |link| link.state(now) == InviteLinkState::Open)
    }

    /// Ends a link.
    ///
    /// # Errors
    /// If there is no such link, or the caller may not end it.
    pub fn end_invite_link(
        &self,
        by: UserId,
        id: InviteLinkId,
        now: Timestamp,
    ) -> Result<Decision<()>, InviteLinkRefusal> {
        let member = self.member(by).ok_or(InviteLinkRefusal::NotAMember)?;
        self.refuse_timed_out(by, now)?;
        let sees_all = self.grants(member, GroupAct::ManageInvites);
        let link = self.invite_links.get(&id);
        let link = link.filter(|link| !link.is_ended && (sees_all || link.by == by));
        let link = link.ok_or(InviteLinkRefusal::NoLink)?;
        let ended = changed(InviteLinkChange::Ended { id, maker: link.by, by });
        Ok(Decision { facts: vec![ended], answer: () })
    }

    /// The link that a token belongs to, if people can use it.
    ///
    /// # Errors
    /// If there is no such link, or it ended.
    pub fn link_of(&self, token: &str, now: Timestamp) -> Result<SharedLink<'_>, JoinRefusal> {
        if self.disbanded {
            return Err(JoinRefusal::NoSuchGroup);
        }
        if self.settings.share_token.as_deref() == Some(token) {
            return Ok(SharedLink::ShareUrl);
        }
        let link = self.invite_links.values().find(|link| link.token == token);
        let link = link.ok_or(JoinRefusal::NoSuchGroup)?;
        match link.state(now) {
            InviteLinkState::Open => Ok(SharedLink::Invite(link)),
            InviteLinkState::Expired | InviteLinkState::UsedUp | InviteLinkState::Ended => {
                Err(JoinRefusal::LinkEnded)
            }
        }
    }

    /// Applies what happened to a link.
    pub(super) fn change_invite_link(&mut self, change: &InviteLinkChange, at: Timestamp) {
        if let InviteLinkChange::Made(link) = change {
            self.invite_links.insert(link.id, Arc::new(link.clone()));
            for id in forgotten_links(self.invite_links.values().map(|link| &**link), at) {
                self.invite_links.remove(&id);
            }
        } else if let Some(link) = self.invite_links.get_mut(&change.id()) {
            Arc::make_mut(link).apply(change);
        }
    }
}

/// The oldest links that ended, beyond those that a group remembers. `links` are sorted by id.
pub fn forgotten_links<'a>(
    links: impl Iterator<Item = &'a InviteLink>,
    now: Timestamp,
) -> Vec<InviteLinkId> {
    let is_over = |link: &&InviteLink| link.state(now) != InviteLinkState::Open;
    let over: Vec<InviteLinkId> = links.filter(is_over).map(|link| link.id).collect();
    let many = over.len().saturating_sub(REMEMBERED_INVITE_LINKS);
    over.into_iter().take(many).collect()
}

/// The fact that somebody used a link.
pub(super) fn used(link: &InviteLink, user: UserId) -> Fact {
    changed(InviteLinkChange::Used { id: link.id, maker: link.by, user })
}

/// The fact of what happened to a link.
fn changed(change: InviteLinkChange) -> Fact {
    Fact::Group(GroupFact::Moderated(Moderation::InviteLink(change).into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table, newcomer};
    use crate::group::{JoinAttempt, Joining};

    const DAN: UserId = UserId::new(10_000_004);

    fn new(max_uses: Option<u32>, approval: Option<LinkApproval>) -> NewInviteLink {
        let is_for_guests = false;
        NewInviteLink {
            name: None,
            max_uses,
            valid_millis: Some(3_600_000),
            approval,
            is_for_guests,
        }
    }

    fn makes(
        table: &mut Table,
        by: UserId,
        new: NewInviteLink,
    ) -> Result<Arc<InviteLink>, InviteLinkRefusal> {
        table.does(|group, now, ids| group.make_invite_link(by, new, now.wall, ids))
    }

    fn joins(table: &mut Table, user: UserId, token: &str) -> Result<Joining, JoinRefusal> {
        table.does(|group, now, ids| group.join(newcomer(user), JoinAttempt::by(token), now, ids))
    }

    fn uses(table: &Table, link: &InviteLink) -> u32 {
        table.group.invite_links[&link.id].uses
    }

    #[test]
    fn link_lets_in_as_many_as_it_may() {
        let mut table = Table::of_two();
        let link = makes(&mut table, BEN, new(Some(1), None)).unwrap();
        assert_eq!(joins(&mut table, BEN, &link.token), Ok(Joining::Already));
        assert_eq!(uses(&table, &link), 0, "members use nothing");
        assert_eq!(joins(&mut table, CARA, &link.token), Ok(Joining::In));
        assert_eq!(joins(&mut table, DAN, &link.token), Err(JoinRefusal::LinkEnded));
        assert_eq!(joins(&mut table, CARA, &link.token), Ok(Joining::Already));
        assert_eq!(uses(&table, &link), 1);
    }

    #[test]
    fn link_that_asks_files_one_request() {
        let mut table = Table::of_two();
        let link = makes(&mut table, BEN, new(Some(1), Some(LinkApproval::Ask))).unwrap();
        let Ok(Joining::Requested(id)) = joins(&mut table, CARA, &link.token) else {
            panic!("a request is filed")
        };
        assert!(table.group.member(CARA).is_none());
        assert_eq!(joins(&mut table, CARA, &link.token), Ok(Joining::Requested(id)));
        assert_eq!(uses(&table, &link), 1);
        let decide = |table: &mut Table, by| {
            table.does(|group, now, ids| group.decide_request(by, id, true, now, ids))
        };
        assert!(decide(&mut table, BEN).is_err(), "the maker of the link does not decide");
        decide(&mut table, ANA).unwrap();
        assert_eq!(table.group.member(CARA).unwrap().membership_id, id);
    }

    #[test]
    fn ended_and_expired_links_let_nobody_in() {
        let mut table = Table::of_two();
        let link = makes(&mut table, BEN, new(None, None)).unwrap();
        let end = |table: &mut Table, by| {
            table.does(|group, now, _| group.end_invite_link(by, link.id, now.wall))
        };
        table.promote(BEN);
        assert_eq!(end(&mut table, CARA), Err(InviteLinkRefusal::NotAMember));
        let late = Timestamp::from_seconds(4_000_000_000);
        assert_eq!(table.group.link_of(&link.token, late).err(), Some(JoinRefusal::LinkEnded));
        end(&mut table, ANA).unwrap();
        assert_eq!(end(&mut table, ANA), Err(InviteLinkRefusal::NoLink));
        assert_eq!(joins(&mut table, CARA, &link.token), Err(JoinRefusal::LinkEnded));
        assert_eq!(joins(&mut table, CARA, "x"), Err(JoinRefusal::NoSuchGroup));
    }

    #[test]
    fn plain_members_make_and_see_their_own_links() {
        let mut table = Table::of_two();
        let skips = new(None, Some(LinkApproval::Skip));
        let denied = Denied::Role(GroupAct::ManageInvites);
        assert_eq!(makes(&mut table, BEN, skips.clone()), Err(denied.into()));
        let anas = makes(&mut table, ANA, skips).unwrap();
        let bens = makes(&mut table, BEN, new(None, None)).unwrap();
        let listed = |reader| {
            let links = table.group.invite_links_for(reader, Timestamp::from_seconds(1)).unwrap();
            links.iter().map(|link| link.id).collect::<Vec<_>>()
        };
        assert_eq!(listed(ANA), [bens.id, anas.id]);
        assert_eq!(listed(BEN), [bens.id]);
        let refused = table.does(|group, now, _| group.end_invite_link(BEN, anas.id, now.wall));
        assert_eq!(refused, Err(InviteLinkRefusal::NoLink));
    }

    #[test]
    fn group_has_a_limit_of_open_links_and_forgets_old_ones() {
        let mut table = Table::of_two();
        let mut ended = Vec::new();
        for _ in 0..=REMEMBERED_INVITE_LINKS {
            let link = makes(&mut table, ANA, new(None, None)).unwrap();
            table.does(|group, now, _| group.end_invite_link(ANA, link.id, now.wall)).unwrap();
            ended.push(link.token.clone());
        }
        for _ in 0..INVITE_LINKS {
            makes(&mut table, ANA, new(None, None)).unwrap();
        }
        assert_eq!(makes(&mut table, ANA, new(None, None)), Err(InviteLinkRefusal::Full));
        assert_eq!(joins(&mut table, CARA, &ended[0]), Err(JoinRefusal::NoSuchGroup));
        assert_eq!(joins(&mut table, CARA, &ended[1]), Err(JoinRefusal::LinkEnded));
        assert_eq!(table.group.invite_links.len(), REMEMBERED_INVITE_LINKS + INVITE_LINKS);
    }
}
