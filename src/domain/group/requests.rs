//! Requests to become a member: an account with an invited address that nobody confirmed is let in
//! by the inviter, the owner or an admin, under its own name. Anybody can enter any address as
//! theirs, so the address alone proves nothing. The owner and admins also let in those who ask by an
//! invite link, from the directory or by the share URL, and people whom a plain member adds to a
//! group in which they decide.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{
    Denied, Group, GroupAct, GroupFact, Invite, InviteLink, JoinAnswer, JoinAttempt, JoinRefusal,
    Joining, LookupResult, LookupTarget, Member, Newcomer, Settings, SharedLink, USUAL_QUESTION,
    invite_links,
};
use crate::id_generator::IdGenerator;
use crate::ids::{GroupId, InviteLinkId, MembershipId, UserId};
use crate::limits::{GROUP_MEMBERS, JOIN_REQUEST_MILLIS, JOIN_REQUESTS, USER_JOIN_REQUESTS};
use crate::message::SystemMessage;
use crate::named::NamedUser;
use crate::text::{InviteName, JoinResponse, Nickname};
use crate::time::{Moment, Timestamp};

/// How far an address that a user entered is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressTrust {
    /// The server serves its own machine only, or the user confirmed the address.
    Trusted,
    /// Nobody confirmed the address.
    Unconfirmed,
}

/// A request to become a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredJoinRequest", into = "StoredJoinRequest")]
pub struct JoinRequest {
    /// The membership's id, which the member keeps.
    pub id: MembershipId,
    /// The user who would become a member.
    pub user: Newcomer,
    /// Why the user may ask.
    pub origin: RequestOrigin,
    /// When the request was filed.
    pub at: Timestamp,
    /// The answer to the question of the group.
    pub answer: Option<JoinAnswer>,
}

/// Why a user may ask to become a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestOrigin {
    /// An invite, with the address that the user entered as theirs.
    Address(Invite),
    /// An invite link.
    Link(RequestLink),
    /// The share URL of the group.
    ShareUrl,
    /// The directory.
    Directory,
    /// A plain member added the user.
    Added {
        /// The member.
        by: NamedUser,
        /// The nickname that the user gets in the group.
        nickname: Nickname,
    },
}

/// The invite link of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestLink {
    /// The link.
    pub id: InviteLinkId,
    /// Its token.
    pub token: String,
    /// Its name.
    pub name: Option<InviteName>,
    /// The member who made the link.
    pub by: NamedUser,
}

/// A request as it is stored: the first ones have an invite and no link. `link` is present if it is
/// set, or the part behind it is present.
#[derive(Serialize, Deserialize)]
struct StoredJoinRequest {
    id: MembershipId,
    user: Newcomer,
    invite: Option<Invite>,
    at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<Option<RequestLink>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    later: Option<LaterPart>,
}

/// The part of a request that later versions added.
#[derive(Serialize, Deserialize)]
struct LaterPart {
    origin: Option<LaterOrigin>,
    answer: Option<JoinAnswer>,
}

/// The origins that later versions added.
#[derive(Serialize, Deserialize)]
enum LaterOrigin {
    ShareUrl,
    Added { by: NamedUser, nickname: Nickname },
    Directory,
}

impl From<StoredJoinRequest> for JoinRequest {
    fn from(stored: StoredJoinRequest) -> Self {
        let StoredJoinRequest { id, user, invite, at, link, later } = stored;
        let (later_origin, answer) = later.map_or((None, None), |it| (it.origin, it.answer));
        let origin = match (invite, link.flatten(), later_origin) {
            (Some(invite), ..) => RequestOrigin::Address(invite),
            (None, Some(link), _) => RequestOrigin::Link(link),
            (None, None, Some(LaterOrigin::ShareUrl)) => RequestOrigin::ShareUrl,
            (None, None, Some(LaterOrigin::Directory)) => RequestOrigin::Directory,
            (None, None, Some(LaterOrigin::Added { by, nickname })) => {
                RequestOrigin::Added { by, nickname }
            }
            (None, None, None) => RequestOrigin::Link(RequestLink::unknown()),
        };
        Self { id, user, origin, at, answer }
    }
}

impl From<JoinRequest> for StoredJoinRequest {
    fn from(request: JoinRequest) -> Self {
        let JoinRequest { id, user, origin, at, answer } = request;
        let (invite, link, origin) = match origin {
            RequestOrigin::Address(invite) => (Some(invite), None, None),
            RequestOrigin::Link(link) => (None, Some(link), None),
            RequestOrigin::ShareUrl => (None, None, Some(LaterOrigin::ShareUrl)),
            RequestOrigin::Directory => (None, None, Some(LaterOrigin::Directory)),
            RequestOrigin::Added { by, nickname } => {
                (None, None, Some(LaterOrigin::Added { by, nickname }))
            }
        };
        let has_later = origin.is_some() || answer.is_some();
        let later = has_later.then_some(LaterPart { origin, answer });
        let link = (link.is_some() || later.is_some()).then_some(link);
        Self { id, user, invite, at, link, later }
    }
}

impl RequestLink {
    /// Stands for a link that a damaged record does not name.
    const fn unknown() -> Self {
        let by = NamedUser { id: UserId::new(0), name: String::new() };
        Self { id: InviteLinkId::new(0), token: String::new(), name: None, by }
    }
}

impl JoinRequest {
    /// The member who decides about the request besides the owner and admins.
    pub const fn inviter(&self) -> Option<UserId> {
        match &self.origin {
            RequestOrigin::Address(invite) => Some(invite.by.id),
            RequestOrigin::Link(_)
            | RequestOrigin::ShareUrl
            | RequestOrigin::Directory
            | RequestOrigin::Added { .. } => None,
        }
    }

    /// Whether the user asked by themselves, so that they know of the request and of the group.
    pub const fn is_own(&self) -> bool {
        match &self.origin {
            RequestOrigin::Link(_) | RequestOrigin::ShareUrl | RequestOrigin::Directory => true,
            RequestOrigin::Address(_) | RequestOrigin::Added { .. } => false,
        }
    }

    /// The nickname that the user gets in the group.
    pub fn nickname(&self) -> Nickname {
        match &self.origin {
            RequestOrigin::Added { nickname, .. } => nickname.clone(),
            RequestOrigin::Address(_)
            | RequestOrigin::Link(_)
            | RequestOrigin::ShareUrl
            | RequestOrigin::Directory => self.user.name.clone().into(),
        }
    }

    /// Whether the user asked by the link with this token.
    pub fn came_by(&self, token: &str) -> bool {
        matches!(&self.origin, RequestOrigin::Link(link) if link.token == token)
    }

    /// Whether the request is too old to be decided.
    pub fn is_over(&self, now: Timestamp) -> bool {
        now.millis_since(self.at) >= JOIN_REQUEST_MILLIS
    }
}

/// A request to join a group, as the user who sent it sees it.
#[derive(Debug, Clone)]
pub struct SentRequest {
    /// The group.
    pub group: GroupId,
    /// Its settings.
    pub settings: Settings,
    /// Number of its members.
    pub members: usize,
    /// When the request was filed, or denied.
    pub at: Timestamp,
    /// Whether it was denied.
    pub is_denied: bool,
}

/// Why a request was not decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RequestRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// There is no such request, or it was decided, or it is too old.
    #[error("there is no such request")]
    NoRequest,
    /// The caller is neither the inviter nor the owner or an admin.
    #[error("only the inviter, the owner and admins may decide this request")]
    NotAllowed,
    /// The member is timed out.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The group has too many members.
    #[error("a group has at most {GROUP_MEMBERS} members")]
    Full,
}

impl Group {
    /// Files a request of a user who entered an invited address as theirs.
    pub(super) fn join_request(
        &self,
        user: Newcomer,
        invite: &Invite,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Option<Fact> {
        if self.open_request(user.id, now.wall).is_some() {
            return None;
        }
        let id = id_generator.membership();
        let origin = RequestOrigin::Address(invite.clone());
        let request = JoinRequest { id, user, origin, at: now.wall, answer: None };
        Some(Fact::Group(GroupFact::JoinRequested(request)))
    }

    /// Files the request of a user who has a link that asks. An open request of theirs that came
    /// otherwise stays, with the newer answer; the link is not used then.
    ///
    /// # Errors
    /// If the user was denied lately or has not answered the question, or there are too many
    /// requests.
    pub(super) fn ask_to_join(
        &self,
        user: Newcomer,
        link: SharedLink<'_>,
        attempt: JoinAttempt,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Joining>, JoinRefusal> {
        if let Some(request) = self.open_request(user.id, now.wall) {
            return Ok(self.ask_again(request, attempt.answer));
        }
        if let Some(wait_millis) = self.denied_millis(user.id, now.wall) {
            return Err(JoinRefusal::RequestDenied { wait_millis });
        }
        if self.settings.admission.shows_question && attempt.answer.is_none() {
            return Err(JoinRefusal::AnswerRequired);
        }
        if attempt.open_elsewhere >= USER_JOIN_REQUESTS {
            return Err(JoinRefusal::TooManyAsked);
        }
        if self.open_requests(now.wall) >= JOIN_REQUESTS {
            return Err(JoinRefusal::TooManyRequests);
        }
        let (origin, used) = match link {
            SharedLink::ShareUrl => (RequestOrigin::ShareUrl, None),
            SharedLink::Directory => (RequestOrigin::Directory, None),
            SharedLink::Invite(link) => {
                let used = invite_links::used(link, user.id);
                (RequestOrigin::Link(self.request_link(link)), Some(used))
            }
        };
        let id = id_generator.membership();
        let answer = attempt.answer.map(|response| self.answered(response));
        let request = JoinRequest { id, user, origin, at: now.wall, answer };
        let filed = Fact::Group(GroupFact::JoinRequested(request));
        let facts = [filed].into_iter().chain(used).collect();
        Ok(Decision { facts, answer: Joining::Requested(id) })
    }

    /// Replaces the answer of an open request, if there is a newer one.
    pub(super) fn ask_again(
        &self,
        request: &JoinRequest,
        response: Option<JoinResponse>,
    ) -> Decision<Joining> {
        let joining = Joining::Requested(request.id);
        let answer = response.map(|response| self.answered(response));
        if answer.is_none() || answer == request.answer {
            return Decision::unchanged(joining);
        }
        let request = JoinRequest { answer, ..request.clone() };
        let filed = Fact::Group(GroupFact::JoinRequested(request));
        Decision { facts: vec![filed], answer: joining }
    }

    /// An answer with the question that it belongs to.
    fn answered(&self, response: JoinResponse) -> JoinAnswer {
        let question = self.settings.admission.question().unwrap_or(USUAL_QUESTION).to_owned();
        JoinAnswer { question, response }
    }

    fn request_link(&self, link: &InviteLink) -> RequestLink {
        let maker = self.member(link.by).map(Member::named);
        let by = maker.unwrap_or_else(|| NamedUser { id: link.by, name: String::new() });
        RequestLink { id: link.id, token: link.token.clone(), name: link.name.clone(), by }
    }

    /// The request of a person whom a plain member adds; `None` if they have one, were denied
    /// lately, or too many wait. `beside` others are about to be filed.
    pub(super) fn request_of_added(
        &self,
        added: &LookupResult,
        adder: &NamedUser,
        beside: &[JoinRequest],
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Option<JoinRequest> {
        let LookupResult { item, sought: LookupTarget::Account(user) } = added else { return None };
        let is_filed = beside.iter().any(|request| request.user.id == user.id)
            || self.open_request(user.id, now.wall).is_some();
        let is_full = self.open_requests(now.wall) + beside.len() >= JOIN_REQUESTS;
        if is_filed || is_full || self.denied_millis(user.id, now.wall).is_some() {
            return None;
        }
        let origin = RequestOrigin::Added { by: adder.clone(), nickname: item.nickname.clone() };
        let id = id_generator.membership();
        Some(JoinRequest { id, user: user.clone(), origin, at: now.wall, answer: None })
    }

    /// Withdraws the request of a user. Decides nothing if they have none.
    pub fn withdraw_request(&self, user: UserId, now: Timestamp) -> Decision<()> {
        if self.open_request(user, now).is_none() {
            return Decision::unchanged(());
        }
        let withdrawn = GroupFact::RequestSettled { user, by: user, is_approved: false };
        Decision { facts: vec![Fact::Group(withdrawn)], answer: () }
    }

    fn open_requests(&self, now: Timestamp) -> usize {
        self.requests.values().filter(|request| !request.is_over(now)).count()
    }

    /// Keeps a request, and forgets those that are too old.
    pub(super) fn file(&mut self, request: JoinRequest, at: Timestamp) {
        self.requests.retain(|_, known| !known.is_over(at));
        self.requests.insert(request.user.id, request);
    }

    pub(super) fn open_request(&self, user: UserId, now: Timestamp) -> Option<&JoinRequest> {
        self.requests.get(&user).filter(|request| !request.is_over(now))
    }

    /// Whether a user may decide a request: the owner and admins, and the inviter where people join
    /// without approval.
    pub(super) fn may_decide(&self, by: UserId, request: &JoinRequest) -> bool {
        let inviter_decides = !self.settings.admission.requires_approval;
        let is_inviter = inviter_decides && request.inviter() == Some(by);
        let decides = |member| is_inviter || self.grants(member, GroupAct::DecideRequests);
        self.member(by).is_some_and(decides)
    }

    /// The open requests that a member may decide, oldest first.
    ///
    /// # Errors
    /// If the reader is no member.
    pub fn requests_for(
        &self,
        reader: UserId,
        now: Timestamp,
    ) -> Result<Vec<JoinRequest>, RequestRefusal> {
        self.member(reader).ok_or(RequestRefusal::NotAMember)?;
        let open = self.requests.values().filter(|it| !it.is_over(now));
        let mut open: Vec<_> = open.filter(|it| self.may_decide(reader, it)).cloned().collect();
        open.sort_by_key(|request| (request.at, request.id));
        Ok(open)
    }

    /// Approves or denies a request.
    ///
    /// # Errors
    /// If there is no such request, the member may not decide it, or the group is full.
    pub fn decide_request(
        &self,
        by: UserId,
        id: MembershipId,
        is_approved: bool,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, RequestRefusal> {
        self.member(by).ok_or(RequestRefusal::NotAMember)?;
        let request = self.requests.values().find(|it| it.id == id && !it.is_over(now.wall));
        let request = request.ok_or(RequestRefusal::NoRequest)?;
        self.refuse_timed_out(by, now.wall)?;
        if !self.may_decide(by, request) {
            return Err(RequestRefusal::NotAllowed);
        }
        let user = request.user.clone();
        let settled = GroupFact::RequestSettled { user: user.id, by, is_approved };
        let mut facts = vec![Fact::Group(settled)];
        if is_approved && self.member(user.id).is_none() {
            if self.members.len() >= GROUP_MEMBERS {
                return Err(RequestRefusal::Full);
            }
            let added = Member::added(user, request.nickname(), id_generator);
            let member = Member { membership_id: id, ..added };
            let line = SystemMessage::Joined { user: member.named(), approver: Some(by) };
            let members = vec![member];
            let woken = self.wake_bots(&members);
            facts.push(Fact::Group(GroupFact::MembersJoined { members, by }));
            facts.extend(woken);
            facts.push(self.system_message(line, now.wall, id_generator));
        }
        Ok(Decision { facts, answer: () })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table, newcomer};
    use crate::group::{Contact, LookupResult, LookupTarget, Who};
    use crate::text::Email;

    fn cara() -> Email {
        Email::parse("boss@example.org").unwrap()
    }

    /// A group of Ana and Ben, where Ben invited the boss, and Cara entered that address.
    fn requested() -> Table {
        let mut table = Table::of_two();
        let who = Who::Email(cara());
        table.adds(
            BEN,
            vec![LookupResult { sought: LookupTarget::Nobody, ..Table::found(who, "Boss") }],
        );
        enters(&mut table);
        table
    }

    fn enters(table: &mut Table) {
        let names = [Contact::from(&cara())];
        table
            .does(|group, now, id_generator| {
                let trust = AddressTrust::Unconfirmed;
                group.redeem_invites(newcomer(CARA), &names, trust, now, id_generator)
            })
            .unwrap();
    }

    fn id(table: &Table) -> MembershipId {
        table.group.requests[&CARA].id
    }

    fn decides(table: &mut Table, by: UserId, is_approved: bool) -> Result<(), RequestRefusal> {
        let id = id(table);
        table.does(|group, now, id_generator| {
            group.decide_request(by, id, is_approved, now, id_generator)
        })
    }

    #[test]
    fn unconfirmed_address_makes_a_request_and_uses_up_the_invite() {
        let mut table = requested();
        assert!(table.group.member(CARA).is_none());
        assert!(table.group.invites.is_empty());
        assert_eq!(table.lines(), Vec::<String>::new());
        enters(&mut table);
        assert_eq!(table.facts.len(), 0);
    }

    #[test]
    fn inviter_and_owner_approve_under_the_name_of_the_account() {
        for by in [ANA, BEN] {
            let mut table = requested();
            let id = id(&table);
            decides(&mut table, by, true).unwrap();
            let member = table.group.member(CARA).unwrap();
            assert_eq!(
                (member.nickname.as_str(), member.membership_id),
                (member.name.as_str(), id)
            );
            assert!(table.group.requests.is_empty());
            assert_eq!(table.lines().len(), 1);
        }
    }

    #[test]
    fn denied_request_ends_without_a_line() {
        let mut table = requested();
        decides(&mut table, BEN, false).unwrap();
        assert!(table.group.member(CARA).is_none());
        assert!(table.group.requests.is_empty());
        assert_eq!(table.lines(), Vec::<String>::new());
    }

    #[test]
    fn strangers_decide_nothing() {
        let mut table = requested();
        assert_eq!(decides(&mut table, CARA, true), Err(RequestRefusal::NotAMember));
        let id = MembershipId::new(404);
        let unknown = table.does(|group, now, id_generator| {
            group.decide_request(ANA, id, true, now, id_generator)
        });
        assert_eq!(unknown, Err(RequestRefusal::NoRequest));
    }
}
