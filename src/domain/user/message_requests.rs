//! What a user decides about message requests: whom they take messages from, and which requests they
//! accept.

use crate::chat::WriteRefusal;
use crate::event::{Decision, Fact};
use crate::ids::{Conversation, Pair, UserId};
use crate::message_requests::{
    DECLINED_REQUESTS, DmFrom, DmRefusal, OPEN_REQUESTS, Reception, RequestChange, RequestState,
};
use crate::user::{User, UserFact};

/// Why a request was not decided.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, thiserror::Error,
)]
pub enum MessageRequestRefusal {
    /// There is no such request.
    #[error("there is no message request of this user")]
    Unknown,
    /// The user has declined too many.
    #[error("at most {DECLINED_REQUESTS} requests can be declined; accept one of them first")]
    Full,
}

/// What a recipient says about a sender whom they do not block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SenderStanding {
    /// Whether the sender has an open request.
    pub has_request: bool,
    /// From whom the recipient takes the first message; `None` for the default of the server.
    pub dm_from: Option<DmFrom>,
}

impl User {
    /// Lets `from` write to this user, as far as this user decides that without knowing more about
    /// the two.
    ///
    /// # Errors
    /// If this user blocked `from`, or declined their request.
    pub fn admit(&self, from: UserId) -> Result<SenderStanding, WriteRefusal> {
        if self.blocks(from) {
            return Err(WriteRefusal::Blocked);
        }
        let has_request = match self.dm_rules.state(from) {
            Some(RequestState::Declined) => return Err(DmRefusal::Declined.into()),
            Some(RequestState::Open) => true,
            None => false,
        };
        Ok(SenderStanding { has_request, dm_from: self.dm_rules.choice })
    }

    /// Whether a conversation is a request to this user that they have not accepted.
    pub(super) fn is_request(&self, conv: Conversation) -> bool {
        let Conversation::Chat(pair) = conv else { return false };
        pair.other(self.id).is_some_and(|from| self.dm_rules.state(from).is_some())
    }

    /// Chooses from whom this user takes direct messages; `None` for the default of the server.
    pub fn choose_dm_from(&self, choice: Option<DmFrom>) -> Decision<()> {
        let fact = || Fact::User(UserFact::DmFromChosen { choice });
        let is_new = self.dm_rules.choice != choice;
        Decision { facts: is_new.then(fact).into_iter().collect(), answer: () }
    }

    /// Opens a request of `from`, who is about to send the first message.
    ///
    /// # Errors
    /// If this user has too many open requests.
    pub fn open_request(&self, from: UserId) -> Result<Decision<()>, WriteRefusal> {
        if self.dm_rules.state(from).is_some() {
            return Ok(Decision::unchanged(()));
        }
        if self.dm_rules.count(RequestState::Open) >= OPEN_REQUESTS {
            return Err(DmRefusal::TooManyRequests.into());
        }
        Ok(self.request_changed(from, RequestChange::Opened))
    }

    /// Accepts the request of `from`, also one that was declined. Decides nothing if there is none.
    pub fn accept_request(&self, from: UserId) -> Decision<()> {
        match self.dm_rules.state(from) {
            Some(RequestState::Open | RequestState::Declined) => {
                self.request_changed(from, RequestChange::Accepted)
            }
            None => Decision::unchanged(()),
        }
    }

    /// Declines the request of `from`: they can write no more.
    ///
    /// # Errors
    /// If there is no such request, or this user declined too many.
    pub fn decline_request(&self, from: UserId) -> Result<Decision<()>, MessageRequestRefusal> {
        match self.dm_rules.state(from) {
            None => Err(MessageRequestRefusal::Unknown),
            Some(RequestState::Declined) => Ok(Decision::unchanged(())),
            Some(RequestState::Open)
                if self.dm_rules.count(RequestState::Declined) >= DECLINED_REQUESTS =>
            {
                Err(MessageRequestRefusal::Full)
            }
            Some(RequestState::Open) => Ok(self.request_changed(from, RequestChange::Declined)),
        }
    }

    fn request_changed(&self, from: UserId, change: RequestChange) -> Decision<()> {
        let fact = |chat| Fact::User(UserFact::RequestChanged { chat, change });
        let facts = Pair::of(self.id, from).map(fact).into_iter().collect();
        Decision { facts, answer: () }
    }
}

impl SenderStanding {
    /// How a message of the sender is received. `default`: the choice of the server. `has_begun`:
    /// whether the two have a chat. `shares_group`: whether they share a group.
    ///
    /// # Errors
    /// If the recipient takes no first message from them.
    pub const fn reception(
        self,
        default: DmFrom,
        has_begun: bool,
        shares_group: bool,
    ) -> Result<Reception, DmRefusal> {
        if self.has_request {
            return Ok(Reception::Request);
        }
        if has_begun {
            return Ok(Reception::Message);
        }
        match self.dm_from {
            Some(choice) => choice.receive(shares_group),
            None => default.receive(shares_group),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;
    use crate::user::ReadMark;
    use crate::user::fixtures::ana_since;

    const BEN: UserId = UserId::new(2);

    fn apply(user: &mut User, decision: &Decision<()>) {
        for fact in &decision.facts {
            let Fact::User(fact) = fact else { panic!("a user decides facts of users") };
            user.apply(Timestamp::from_seconds(5), fact);
        }
    }

    fn requested() -> User {
        let mut ana = ana_since(Timestamp::default());
        let opened = ana.open_request(BEN).unwrap();
        apply(&mut ana, &opened);
        ana
    }

    fn reception(user: &User, has_begun: bool) -> Result<Reception, WriteRefusal> {
        Ok(user.admit(BEN)?.reception(DmFrom::Requests, has_begun, false)?)
    }

    #[test]
    fn request_stays_one_until_it_is_decided() {
        let mut ana = requested();
        assert!(ana.open_request(BEN).unwrap().facts.is_empty(), "it is open already");
        assert_eq!(reception(&ana, true), Ok(Reception::Request));
        let mark = ReadMark::forward(Pair::of(ana.id, BEN).unwrap().into(), 3, 3);
        let unread = ana.read(mark, None);
        assert_eq!((unread.facts.len(), unread.answer.n), (0, 0), "reading it marks nothing");
        let accepted = ana.accept_request(BEN);
        apply(&mut ana, &accepted);
        assert_eq!(reception(&ana, true), Ok(Reception::Message));
        assert_eq!(ana.read(mark, None).answer.n, 3);
        assert!(ana.accept_request(BEN).facts.is_empty());
        assert_eq!(ana.decline_request(BEN).unwrap_err(), MessageRequestRefusal::Unknown);
    }

    #[test]
    fn declined_request_can_be_accepted_later() {
        let mut ana = requested();
        let declined = ana.decline_request(BEN).unwrap();
        apply(&mut ana, &declined);
        assert_eq!(reception(&ana, true), Err(DmRefusal::Declined.into()));
        assert!(ana.decline_request(BEN).unwrap().facts.is_empty());
        let accepted = ana.accept_request(BEN);
        apply(&mut ana, &accepted);
        assert_eq!(reception(&ana, true), Ok(Reception::Message));
    }

    #[test]
    fn open_requests_end_somewhere() {
        let mut ana = ana_since(Timestamp::default());
        for from in 0..OPEN_REQUESTS as u64 {
            let opened = ana.open_request(UserId::new(100 + from)).unwrap();
            apply(&mut ana, &opened);
        }
        let refused = ana.open_request(BEN).unwrap_err();
        assert_eq!(refused, DmRefusal::TooManyRequests.into());
    }

    #[test]
    fn own_choice_goes_before_the_default() {
        let mut ana = ana_since(Timestamp::default());
        assert_eq!(reception(&ana, false), Ok(Reception::Request));
        let chosen = ana.choose_dm_from(Some(DmFrom::Nobody));
        apply(&mut ana, &chosen);
        assert_eq!(reception(&ana, false), Err(DmRefusal::NobodyNew.into()));
        assert_eq!(reception(&ana, true), Ok(Reception::Message), "the two have a chat");
        assert!(ana.choose_dm_from(Some(DmFrom::Nobody)).facts.is_empty());
    }
}
