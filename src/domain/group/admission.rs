//! Admission: whether the owner or an admin decides who joins, the question that people answer, and
//! how long a denied user waits.

use serde::{Deserialize, Serialize};

use crate::group::{Group, GroupAct, JoinRequest, LinkApproval, MembershipEnd, SharedLink};
use crate::ids::UserId;
use crate::limits::DENIAL_MILLIS;
use crate::nested_option;
use crate::text::{JoinQuestion, JoinResponse};
use crate::time::Timestamp;

/// The question of a group that has none of its own.
pub const USUAL_QUESTION: &str = "Why do you want to join this group?";

/// How people become members.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admission {
    /// Whether the owner or an admin decides who joins.
    pub requires_approval: bool,
    /// Whether people who ask to join have to answer the question.
    pub shows_question: bool,
    /// The question; `None` is the usual one.
    pub question: Option<JoinQuestion>,
}

impl Admission {
    /// The question as people read it; `None` if the group neither has nor asks one.
    pub fn question(&self) -> Option<&str> {
        let own = self.question.as_ref().map(JoinQuestion::as_str);
        own.or_else(|| self.shows_question.then_some(USUAL_QUESTION))
    }
}

/// Changes of the admission. `None` leaves a value as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdmissionChange {
    /// Whether the owner or an admin is to decide who joins.
    pub requires_approval: Option<bool>,
    /// Whether people are to answer the question.
    pub shows_question: Option<bool>,
    /// The new question; `Some(None)` is the usual one.
    #[serde(with = "nested_option")]
    pub question: Option<Option<JoinQuestion>>,
}

impl AdmissionChange {
    /// The admission after the change.
    #[must_use]
    pub fn applied_to(self, admission: &Admission) -> Admission {
        Admission {
            requires_approval: self.requires_approval.unwrap_or(admission.requires_approval),
            shows_question: self.shows_question.unwrap_or(admission.shows_question),
            question: self.question.unwrap_or_else(|| admission.question.clone()),
        }
    }
}

/// The answer to the question of a group, with the question as it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinAnswer {
    /// The question.
    pub question: String,
    /// The answer.
    pub response: JoinResponse,
}

/// What a user is to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MembershipState {
    /// A member.
    Active,
    /// They asked to join.
    Requested,
    /// Their request was denied lately.
    Denied,
    /// They left.
    Exited,
    /// Somebody else removed them.
    Removed,
}

impl MembershipState {
    /// Every state.
    pub const ALL: [Self; 5] =
        [Self::Active, Self::Requested, Self::Denied, Self::Exited, Self::Removed];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Requested => "requested_pending",
            Self::Denied => "denied",
            Self::Exited => "exited",
            Self::Removed => "removed",
        }
    }
}

/// Whether a denial at this time is over, so that the user may ask again.
pub fn is_denial_over(denied_at: Timestamp, now: Timestamp) -> bool {
    now.millis_since(denied_at) >= DENIAL_MILLIS
}

impl Group {
    /// Whether people who use a link ask the owner and admins.
    pub fn link_asks(&self, link: SharedLink<'_>) -> bool {
        let approval = match link {
            SharedLink::ShareUrl | SharedLink::Directory => None,
            SharedLink::Invite(link) => link.approval,
        };
        match approval {
            Some(LinkApproval::Ask) => true,
            Some(LinkApproval::Skip) => false,
            None => self.settings.admission.requires_approval,
        }
    }

    /// What a user is to the group, as far as they know of it.
    pub fn state_of(&self, user: UserId, now: Timestamp) -> Option<MembershipState> {
        if self.member(user).is_some() {
            return Some(MembershipState::Active);
        }
        if self.open_request(user, now).is_some_and(JoinRequest::is_own) {
            return Some(MembershipState::Requested);
        }
        if self.denied_millis(user, now).is_some() {
            return Some(MembershipState::Denied);
        }
        self.former.get(&user).map(|former| match former.parting {
            MembershipEnd::Left => MembershipState::Exited,
            MembershipEnd::Removed => MembershipState::Removed,
        })
    }

    /// Whether a user left by themselves, so that they may come back without asking.
    pub(super) fn has_left(&self, user: UserId) -> bool {
        self.former.get(&user).is_some_and(|former| former.parting == MembershipEnd::Left)
    }

    /// Whether people whom this member adds or invites wait for the owner or an admin.
    pub(super) fn adding_asks(&self, by: UserId) -> bool {
        let decides = |member| self.grants(member, GroupAct::DecideRequests);
        self.settings.admission.requires_approval && !self.member(by).is_some_and(decides)
    }

    /// Milliseconds until a denied user may ask again; `None` if they may.
    pub(super) fn denied_millis(&self, user: UserId, now: Timestamp) -> Option<u64> {
        let denied_at = self.denials.get(&user).filter(|at| !is_denial_over(**at, now))?;
        Some(DENIAL_MILLIS.saturating_sub(now.millis_since(*denied_at)))
    }

    /// Ends a request. Who was denied waits before they ask again; who withdrew theirs does not.
    pub(super) fn settle_request(
        &mut self,
        user: UserId,
        by: UserId,
        is_approved: bool,
        at: Timestamp,
    ) {
        self.requests.remove(&user);
        if !is_approved && by != user {
            self.denials.retain(|_, denied_at| !is_denial_over(*denied_at, at));
            self.denials.insert(user, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table, newcomer};
    use crate::group::{
        ChangeRefusal, Denied, JoinAttempt, JoinRefusal, Joining, LookupResult, LookupTarget,
        RequestOrigin, SettingsChange, Who,
    };
    use crate::limits::USER_JOIN_REQUESTS;

    const ON: AdmissionChange =
        AdmissionChange { requires_approval: Some(true), shows_question: None, question: None };

    fn admits(table: &mut Table, by: UserId, change: AdmissionChange) -> Result<(), ChangeRefusal> {
        let change = SettingsChange { admission: change, ..SettingsChange::default() };
        table.does(|group, now, ids| group.change(by, change, now, ids))
    }

    fn asking() -> (Table, String) {
        let mut table = Table::of_two();
        let token = table.shares();
        admits(&mut table, ANA, ON).unwrap();
        (table, token)
    }

    fn attempt(token: &str, answer: Option<&str>) -> JoinAttempt {
        let answer = answer.map(|text| JoinResponse::parse(text.to_owned()).unwrap());
        JoinAttempt { answer, ..JoinAttempt::by(token) }
    }

    fn joins(table: &mut Table, attempt: JoinAttempt) -> Result<Joining, JoinRefusal> {
        table.does(|group, now, ids| group.join(newcomer(CARA), attempt, now, ids))
    }

    fn decides(table: &mut Table, is_approved: bool) {
        let id = table.group.requests[&CARA].id;
        let decided =
            table.does(|group, now, ids| group.decide_request(ANA, id, is_approved, now, ids));
        decided.unwrap();
    }

    #[test]
    fn only_owner_and_admins_change_admission() {
        let mut table = Table::of_two();
        let denied = Err(ChangeRefusal::Denied(Denied::Role(GroupAct::ChangeType)));
        assert_eq!(admits(&mut table, BEN, ON), denied);
        admits(&mut table, ANA, ON).unwrap();
        assert_eq!(table.lines(), ["Ana switched approval of new members on."]);
        admits(&mut table, ANA, ON).unwrap();
        assert!(table.facts.is_empty());
        let question = Some(Some(JoinQuestion::parse("Which routes?".to_owned()).unwrap()));
        let asks = AdmissionChange { question, ..AdmissionChange::default() };
        admits(&mut table, ANA, asks).unwrap();
        assert_eq!(table.lines(), [] as [&str; 0]);
        assert_eq!(table.group.settings.admission.question(), Some("Which routes?"));
    }

    #[test]
    fn share_url_files_a_request_until_approved() {
        let (mut table, token) = asking();
        let Ok(Joining::Requested(id)) = joins(&mut table, attempt(&token, None)) else {
            panic!("a request is filed")
        };
        assert!(table.group.member(CARA).is_none());
        assert_eq!(joins(&mut table, attempt(&token, None)), Ok(Joining::Requested(id)));
        assert!(table.facts.is_empty());
        decides(&mut table, true);
        assert_eq!(table.group.member(CARA).unwrap().membership_id, id);
        table.removes(CARA, CARA);
        assert_eq!(
            joins(&mut table, attempt(&token, None)),
            Ok(Joining::In),
            "who left comes back"
        );
        table.removes(ANA, CARA);
        let asked = joins(&mut table, attempt(&token, None));
        assert!(matches!(asked, Ok(Joining::Requested(_))), "who was removed asks");
    }

    #[test]
    fn question_needs_an_answer_and_keeps_the_newest() {
        let (mut table, token) = asking();
        let shown = AdmissionChange { shows_question: Some(true), ..AdmissionChange::default() };
        admits(&mut table, ANA, shown).unwrap();
        let unanswered = joins(&mut table, attempt(&token, None));
        assert_eq!(unanswered, Err(JoinRefusal::AnswerRequired));
        let first = joins(&mut table, attempt(&token, Some("ropes"))).unwrap();
        assert_eq!(joins(&mut table, attempt(&token, Some("knots"))), Ok(first));
        assert_eq!(joins(&mut table, attempt(&token, None)), Ok(first));
        let answer = table.group.requests[&CARA].answer.clone().unwrap();
        assert_eq!((answer.response.as_str(), &*answer.question), ("knots", USUAL_QUESTION));
    }

    #[test]
    fn denied_user_waits_a_day_and_withdrawn_request_none() {
        let (mut table, token) = asking();
        joins(&mut table, attempt(&token, None)).unwrap();
        let withdrawn = table
            .does(|group, now, _| Ok::<_, JoinRefusal>(group.withdraw_request(CARA, now.wall)));
        withdrawn.unwrap();
        joins(&mut table, attempt(&token, None)).unwrap();
        decides(&mut table, false);
        let Err(JoinRefusal::RequestDenied { wait_millis }) =
            joins(&mut table, attempt(&token, None))
        else {
            panic!("a denied user waits")
        };
        assert!(wait_millis <= DENIAL_MILLIS && wait_millis > DENIAL_MILLIS - 60_000);
        let off = AdmissionChange { requires_approval: Some(false), ..ON };
        admits(&mut table, ANA, off).unwrap();
        assert_eq!(joins(&mut table, attempt(&token, None)), Ok(Joining::In));
    }

    #[test]
    fn open_requests_of_a_user_are_limited() {
        let (mut table, token) = asking();
        let busy = JoinAttempt { open_elsewhere: USER_JOIN_REQUESTS, ..attempt(&token, None) };
        assert_eq!(joins(&mut table, busy.clone()), Err(JoinRefusal::TooManyAsked));
        let off = AdmissionChange { requires_approval: Some(false), ..ON };
        admits(&mut table, ANA, off).unwrap();
        assert_eq!(joins(&mut table, busy), Ok(Joining::In));
    }

    #[test]
    fn plain_member_adds_by_a_request_and_admin_directly() {
        let (mut table, _) = asking();
        let sought = LookupTarget::Account(newcomer(CARA));
        let found = LookupResult { sought, ..Table::found(Who::User(CARA), "Carabiner") };
        table.adds(BEN, vec![found.clone()]);
        assert!(table.group.member(CARA).is_none());
        let request = table.group.requests[&CARA].clone();
        assert!(matches!(request.origin, RequestOrigin::Added { .. }));
        assert!(!table.group.may_decide(BEN, &request), "the adder does not decide");
        table.adds(BEN, vec![found.clone()]);
        assert_eq!(table.group.requests[&CARA].id, request.id);
        decides(&mut table, true);
        assert_eq!(table.group.member(CARA).unwrap().nickname.as_str(), "Carabiner");
        table.removes(ANA, CARA);
        table.adds(ANA, vec![found]);
        assert!(table.group.member(CARA).is_some(), "the owner adds directly");
    }
}
