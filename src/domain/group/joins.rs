//! Joining a group with a link or from the directory, and rejoining it after leaving.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{
    Ban, Denied, Group, GroupFact, JoinRequest, Member, MembershipEnd, Newcomer, SharedLink,
    invite_links,
};
use crate::id_generator::IdGenerator;
use crate::ids::{MembershipId, UserId};
use crate::limits::{GROUP_MEMBERS, JOIN_REQUESTS, USER_JOIN_REQUESTS};
use crate::message::SystemMessage;
use crate::text::{JoinResponse, Nickname};
use crate::time::{Moment, Timestamp};

/// Why a user may not join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum JoinRefusal {
    /// The group is gone, the share token is wrong, or the user never was a member; one refusal for
    /// all, so that strangers learn nothing of the group.
    #[error("there is no such group")]
    NoSuchGroup,
    /// Only for rejoining: a user who was removed needs the share URL, or a member who adds them.
    #[error("you were removed from this group; a member can add you or send you its share URL")]
    Removed,
    /// The user is banned.
    #[error("you are banned from this group")]
    Banned(Box<Ban>),
    /// The group is archived or frozen.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The group has too many members.
    #[error("a group has at most {GROUP_MEMBERS} members")]
    Full,
    /// The link was used up or ended.
    #[error("this link has ended; ask for a new one")]
    LinkEnded,
    /// Too many people wait for a decision.
    #[error("{JOIN_REQUESTS} people ask to join this group; try again later")]
    TooManyRequests,
    /// The user has too many open requests to join groups.
    #[error("you have {USER_JOIN_REQUESTS} open requests to join groups; withdraw one or wait")]
    TooManyAsked,
    /// The group asks a question, and the user did not answer it. Existing clients know the text.
    #[error("Reason requires answer to groups question")]
    AnswerRequired,
    /// The user was denied lately.
    #[error("your request to join this group was denied; you may ask again a day later")]
    RequestDenied {
        /// Milliseconds until they may ask again.
        wait_millis: u64,
    },
}

/// How a user who wants to join knows of the group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum JoinWay {
    /// The token of the share URL or an invite link.
    Link(String),
    /// They left it, or the directory lists it.
    NoLink {
        /// Whether the installation has a directory.
        has_directory: bool,
    },
}

/// How a user wants to join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinAttempt {
    /// How they come.
    pub way: JoinWay,
    /// The answer to the question of the group.
    #[serde(default)]
    pub answer: Option<JoinResponse>,
    /// How many other groups the user has asked to join.
    #[serde(default)]
    pub open_elsewhere: usize,
}

/// What became of a user who wanted to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Joining {
    /// They became a member.
    In,
    /// The owner or an admin decides about their request, which has the id of the membership.
    Requested(MembershipId),
    /// They were a member before.
    Already,
}

impl JoinAttempt {
    /// An attempt of a user who has asked to join no other group.
    pub const fn new(token: String, answer: Option<JoinResponse>) -> Self {
        Self { way: JoinWay::Link(token), answer, open_elsewhere: 0 }
    }

    /// An attempt without a link.
    pub const fn without_link(answer: Option<JoinResponse>, has_directory: bool) -> Self {
        Self { way: JoinWay::NoLink { has_directory }, answer, open_elsewhere: 0 }
    }

    /// An attempt with this token, without an answer.
    pub fn by(token: &str) -> Self {
        Self::new(token.to_owned(), None)
    }
}

impl Group {
    /// Makes a member of a user who has a link of the group or found it in the directory, or files
    /// their request if the owner or an admin decides who comes this way. Decides nothing for a
    /// member. An open request stays, with the newer answer. Who left by themselves comes back
    /// without asking; a removed user needs a link.
    ///
    /// # Errors
    /// If the link is unknown or ended, the user is banned, or the group is gone or full; and as
    /// [`Group::ask_to_join`].
    pub fn join(
        &self,
        user: Newcomer,
        attempt: JoinAttempt,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Joining>, JoinRefusal> {
        let token = match &attempt.way {
            JoinWay::Link(token) => Some(token.as_str()),
            JoinWay::NoLink { has_directory } => {
                let is_found = *has_directory && self.is_listed();
                if !is_found || self.former.contains_key(&user.id) {
                    return self.walk_back(user, now, id_generator);
                }
                None
            }
        };
        let link = match token {
            Some(token) => self.link_of(token, now.wall),
            None => Ok(SharedLink::Directory),
        };
        if link == Err(JoinRefusal::NoSuchGroup) {
            return Err(JoinRefusal::NoSuchGroup);
        }
        if self.member(user.id).is_some() {
            return Ok(Decision::unchanged(Joining::Already));
        }
        self.refuse_banned(user.id, now.wall)?;
        self.refuse_newcomers_at_standstill()?;
        let asked = self.open_request(user.id, now.wall);
        let has_used = |request: &&JoinRequest| token.is_some_and(|token| request.came_by(token));
        if let Some(request) = asked.filter(has_used) {
            return Ok(self.ask_again(request, attempt.answer));
        }
        let link = link?;
        if matches!(link, SharedLink::Invite(invite) if invite.is_void()) {
            return Err(JoinRefusal::LinkEnded);
        }
        if self.link_asks(link) && !self.has_left(user.id) {
            return self.ask_to_join(user, link, attempt, now, id_generator);
        }
        let used = match link {
            SharedLink::ShareUrl | SharedLink::Directory => None,
            SharedLink::Invite(link) => Some(invite_links::used(link, user.id)),
        };
        let nickname = Nickname::from(user.name.clone());
        let member = Member::added(user, nickname, id_generator);
        let line = SystemMessage::Joined { user: member.named(), approver: None };
        let mut decided = self.let_in(member, line, now, id_generator)?;
        decided.facts.extend(used);
        Ok(Decision { facts: decided.facts, answer: Joining::In })
    }

    fn walk_back(
        &self,
        user: Newcomer,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Joining>, JoinRefusal> {
        let is_member = self.member(user.id).is_some();
        let Decision { facts, answer: () } = self.rejoin(user, now, id_generator)?;
        let answer = if is_member { Joining::Already } else { Joining::In };
        Ok(Decision { facts, answer })
    }

    /// Makes a member again of a user who left, under their last nickname. Decides nothing for a
    /// member.
    ///
    /// # Errors
    /// If the user never was a member or was removed, or the group is gone or full.
    pub fn rejoin(
        &self,
        user: Newcomer,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, JoinRefusal> {
        if self.member(user.id).is_some() {
            return Ok(Decision::unchanged(()));
        }
        if !self.disbanded {
            self.refuse_banned(user.id, now.wall)?;
        }
        let former = self.former.get(&user.id).filter(|_| !self.disbanded);
        let former = former.ok_or(JoinRefusal::NoSuchGroup)?;
        if former.parting == MembershipEnd::Removed {
            return Err(JoinRefusal::Removed);
        }
        self.refuse_newcomers_at_standstill()?;
        let member = Member::added(user, former.member.nickname.clone(), id_generator);
        let line = SystemMessage::Rejoined { user: member.named() };
        self.let_in(member, line, now, id_generator)
    }

    fn refuse_banned(&self, user: UserId, now: Timestamp) -> Result<(), JoinRefusal> {
        let ban = self.ban_of(user, now);
        ban.map_or(Ok(()), |ban| Err(JoinRefusal::Banned(Box::new(ban.clone()))))
    }

    fn let_in(
        &self,
        member: Member,
        line: SystemMessage,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, JoinRefusal> {
        if self.members.len() >= GROUP_MEMBERS {
            return Err(JoinRefusal::Full);
        }
        let by: UserId = member.user_id;
        let members = vec![member];
        let mut facts = self.wake_bots(&members);
        facts.insert(0, Fact::Group(GroupFact::MembersJoined { members, by }));
        facts.push(self.system_message(line, now.wall, id_generator));
        Ok(Decision { facts, answer: () })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table, newcomer};
    use crate::group::{AdmissionChange, RequestOrigin, SettingsChange};

    fn shared() -> (Table, String) {
        let mut table = Table::of_two();
        let token = table.shares();
        (table, token)
    }

    fn joins(table: &mut Table, user: UserId, token: &str) -> Result<(), JoinRefusal> {
        let attempt = JoinAttempt::by(token);
        let join = table.does(|group, now, ids| group.join(newcomer(user), attempt, now, ids));
        join.map(|joining| assert!(matches!(joining, Joining::In | Joining::Already)))
    }

    fn rejoins(table: &mut Table, user: UserId) -> Result<(), JoinRefusal> {
        table.does(|group, now, id_generator| group.rejoin(newcomer(user), now, id_generator))
    }

    #[test]
    fn share_token_admits_its_holder() {
        let (mut table, token) = shared();
        joins(&mut table, CARA, &token).unwrap();
        assert_eq!(table.group.member(CARA).unwrap().nickname.as_str(), "Cara");
        assert_eq!(table.lines(), ["Cara has joined the group."]);
    }

    #[test]
    fn share_token_must_match_and_sharing_be_on() {
        let (mut table, token) = shared();
        assert_eq!(joins(&mut table, CARA, "wrong"), Err(JoinRefusal::NoSuchGroup));
        table.unshares();
        assert_eq!(joins(&mut table, CARA, &token), Err(JoinRefusal::NoSuchGroup));
    }

    #[test]
    fn joining_as_a_member_changes_nothing() {
        let (mut table, token) = shared();
        joins(&mut table, BEN, &token).unwrap();
        assert_eq!(table.facts.len(), 0);
    }

    #[test]
    fn removed_member_may_join_but_not_rejoin() {
        let (mut table, token) = shared();
        table.removes(ANA, BEN);
        assert_eq!(rejoins(&mut table, BEN), Err(JoinRefusal::Removed));
        joins(&mut table, BEN, &token).unwrap();
        assert!(table.group.member(BEN).is_some());
    }

    #[test]
    fn rejoining_member_keeps_nickname_but_no_role() {
        let mut table = Table::of_two();
        table.promote(BEN);
        table.renames(BEN, "Benny");
        let before = table.group.members[&BEN].membership_id;
        table.removes(BEN, BEN);
        rejoins(&mut table, BEN).unwrap();
        let member = table.group.member(BEN).unwrap();
        assert_eq!(member.nickname.as_str(), "Benny");
        assert_eq!(member.role, crate::group::Role::Member);
        assert_ne!(member.membership_id, before, "a membership names one stay");
        assert_eq!(table.lines(), ["Benny has rejoined the group."]);
    }

    #[test]
    fn strangers_and_members_cannot_rejoin() {
        let mut table = Table::of_two();
        assert_eq!(rejoins(&mut table, CARA), Err(JoinRefusal::NoSuchGroup));
        rejoins(&mut table, BEN).unwrap();
        assert_eq!(table.facts.len(), 0);
    }

    /// A user comes without a link.
    fn finds(table: &mut Table, user: UserId, has_directory: bool) -> Result<Joining, JoinRefusal> {
        let attempt = JoinAttempt::without_link(None, has_directory);
        table.does(|group, now, ids| group.join(newcomer(user), attempt, now, ids))
    }

    fn list(table: &mut Table, is_searchable: bool) {
        let change =
            SettingsChange { is_searchable: Some(is_searchable), ..SettingsChange::default() };
        table.does(|group, now, ids| group.change(ANA, change, now, ids)).unwrap();
    }

    #[test]
    fn strangers_join_only_searchable_groups_without_a_link() {
        let mut table = Table::of_two();
        assert_eq!(finds(&mut table, CARA, true), Err(JoinRefusal::NoSuchGroup));
        list(&mut table, true);
        assert_eq!(table.lines(), ["Ana listed the group in the directory."]);
        assert_eq!(finds(&mut table, CARA, false), Err(JoinRefusal::NoSuchGroup));
        assert_eq!(finds(&mut table, CARA, true), Ok(Joining::In));
        assert_eq!(finds(&mut table, CARA, true), Ok(Joining::Already));
        table.removes(ANA, CARA);
        assert_eq!(finds(&mut table, CARA, true), Err(JoinRefusal::Removed));
        list(&mut table, false);
        assert_eq!(table.lines(), ["Ana took the group out of the directory."]);
        table.removes(BEN, BEN);
        assert_eq!(finds(&mut table, BEN, true), Ok(Joining::In), "who left comes back");
    }

    #[test]
    fn searchable_group_with_approval_files_a_request() {
        let mut table = Table::of_two();
        list(&mut table, true);
        let requires_approval = Some(true);
        let admission = AdmissionChange { requires_approval, ..AdmissionChange::default() };
        let change = SettingsChange { admission, ..SettingsChange::default() };
        table.does(|group, now, ids| group.change(ANA, change, now, ids)).unwrap();
        let Ok(Joining::Requested(id)) = finds(&mut table, CARA, true) else {
            panic!("a request is filed")
        };
        assert_eq!(table.group.requests[&CARA].origin, RequestOrigin::Directory);
        assert_eq!(finds(&mut table, CARA, true), Ok(Joining::Requested(id)));
    }

    #[test]
    fn nobody_joins_a_group_that_is_gone() {
        let (mut table, token) = shared();
        table.removes(BEN, BEN);
        table.does(|group, _, _| group.disband(ANA)).unwrap();
        assert_eq!(joins(&mut table, CARA, &token), Err(JoinRefusal::NoSuchGroup));
        assert_eq!(rejoins(&mut table, BEN), Err(JoinRefusal::NoSuchGroup));
    }

    #[test]
    fn a_full_group_lets_nobody_in() {
        let (mut table, token) = shared();
        table.fills_up();
        assert_eq!(joins(&mut table, CARA, &token), Err(JoinRefusal::Full));
    }
}
