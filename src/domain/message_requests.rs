//! Message requests: from whom a user takes direct messages, and what somebody may send whom the
//! user does not know.
//!
//! Pure rules about one recipient. Everybody with whom the recipient has a chat already is known. The first
//! message of somebody else begins a request if the recipient wants that: it is listed apart and
//! sends no notice, and the sender may write little, until the recipient accepts it or writes back.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::ids::{Pair, StreamId, UserId};
use crate::time::Timestamp;

/// Messages that one may send before a request is accepted.
pub const REQUEST_MESSAGES: u64 = 3;
/// Open requests to one user; more are refused until the user decides some.
pub const OPEN_REQUESTS: usize = 200;
/// Requests that one user can have declined.
pub const DECLINED_REQUESTS: usize = 10_000;

/// From whom a user takes the first direct message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DmFrom {
    /// From everybody.
    #[default]
    Everyone,
    /// From people with whom they share a group.
    SharedGroups,
    /// From people with whom they share a group, and from others as a request.
    Requests,
    /// From nobody new.
    Nobody,
}

impl DmFrom {
    /// Every choice.
    pub const ALL: [Self; 4] = [Self::Everyone, Self::SharedGroups, Self::Requests, Self::Nobody];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Everyone => "everyone",
            Self::SharedGroups => "shared_groups",
            Self::Requests => "requests",
            Self::Nobody => "nobody",
        }
    }

    /// The choice with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == name)
    }

    /// How a first message is received from somebody who shares a group with the recipient, or does
    /// not.
    ///
    /// # Errors
    /// If the recipient takes none from them.
    pub const fn receive(self, shares_group: bool) -> Result<Reception, DmRefusal> {
        match (self, shares_group) {
            (Self::Everyone, _) | (Self::SharedGroups | Self::Requests, true) => {
                Ok(Reception::Message)
            }
            (Self::Requests, false) => Ok(Reception::Request),
            (Self::SharedGroups, false) => Err(DmRefusal::NoSharedGroup),
            (Self::Nobody, _) => Err(DmRefusal::NobodyNew),
        }
    }
}

/// How a direct message is received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reception {
    /// As a message of somebody known.
    Message,
    /// As a part of a request that is not accepted.
    Request,
}

/// Why a user takes no message from somebody, or not this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum DmRefusal {
    /// The recipient takes messages from people with a shared group.
    #[error("this user takes direct messages only from people who share a group with them")]
    NoSharedGroup,
    /// The recipient takes messages from nobody new.
    #[error("this user takes no direct messages from new people")]
    NobodyNew,
    /// The recipient declined the request.
    #[error("this user declined your message request")]
    Declined,
    /// The recipient has too many open requests.
    #[error("this user has too many open message requests; try again later")]
    TooManyRequests,
    /// The sender sent as much as a request may have.
    #[error(
        "this user has not accepted your message request; until then you can send at most \
         {REQUEST_MESSAGES} messages"
    )]
    Unanswered,
    /// The message has more than text.
    #[error("this user has not accepted your message request; until then you can send text only")]
    TextOnly,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestState {
    /// The recipient has not decided.
    Open,
    /// The recipient declined it: the sender can write no more.
    Declined,
}

impl RequestState {
    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Declined => "declined",
        }
    }
}

/// A change of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestChange {
    /// Somebody is about to send the first message.
    Opened,
    /// The recipient accepted it, or wrote back.
    Accepted,
    /// The recipient declined it.
    Declined,
}

impl RequestChange {
    /// Every change.
    pub const ALL: [Self; 3] = [Self::Opened, Self::Accepted, Self::Declined];

    /// What the request became; `None` if it was accepted, so that there is none any more.
    pub const fn state(self) -> Option<RequestState> {
        match self {
            Self::Opened => Some(RequestState::Open),
            Self::Accepted => None,
            Self::Declined => Some(RequestState::Declined),
        }
    }

    /// The name in the API of what the request became.
    pub const fn as_str(self) -> &'static str {
        match self.state() {
            Some(state) => state.as_str(),
            None => "accepted",
        }
    }
}

/// A request that was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRequest {
    /// When it was opened or declined.
    pub since: Timestamp,
    /// What became of it.
    pub state: RequestState,
}

/// From whom one user takes direct messages, and the requests to them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmRules {
    /// The user's choice; `None` for the default of the server.
    pub choice: Option<DmFrom>,
    /// The requests that are open or declined, by their senders.
    pub requests: BTreeMap<UserId, MessageRequest>,
}

impl DmRules {
    /// What became of the request of a user; `None` if there is none, or it was accepted.
    pub fn state(&self, from: UserId) -> Option<RequestState> {
        self.requests.get(&from).map(|request| request.state)
    }

    /// The chats of `user`, whose rules these are, that are requests.
    pub fn chats(&self, user: UserId) -> RequestedChats {
        let chat = |(from, request): (&UserId, &MessageRequest)| {
            Some((StreamId::Chat(Pair::of(user, *from)?), request.state))
        };
        RequestedChats(self.requests.iter().filter_map(chat).collect())
    }

    /// The number of requests in a state.
    pub fn count(&self, state: RequestState) -> usize {
        self.requests.values().filter(|request| request.state == state).count()
    }

    /// Applies a change of the request of `from`, the other user of a chat.
    pub fn apply(&mut self, at: Timestamp, from: Option<UserId>, change: RequestChange) {
        let Some(from) = from else { return };
        match change.state() {
            Some(state) => drop(self.requests.insert(from, MessageRequest { since: at, state })),
            None => drop(self.requests.remove(&from)),
        }
    }
}

/// The chats of a user that began with a request which the user has not accepted.
#[derive(Debug, Clone, Default)]
pub struct RequestedChats(HashMap<StreamId, RequestState>);

impl RequestedChats {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What became of the request of a chat; `None` if it is none, or was accepted.
    pub fn state(&self, stream: StreamId) -> Option<RequestState> {
        self.0.get(&stream).copied()
    }

    /// The chats with an open request.
    pub fn open(&self) -> impl Iterator<Item = StreamId> {
        let open = self.0.iter().filter(|(_, state)| **state == RequestState::Open);
        open.map(|(stream, _)| *stream)
    }

    /// Applies a change of the request of a chat.
    pub fn apply(&mut self, chat: Pair, change: RequestChange) {
        match change.state() {
            Some(state) => drop(self.0.insert(StreamId::Chat(chat), state)),
            None => drop(self.0.remove(&StreamId::Chat(chat))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for choice in DmFrom::ALL {
            assert_eq!(DmFrom::named(choice.as_str()), Some(choice));
        }
        assert_eq!(DmFrom::named("friends"), None);
    }

    #[test]
    fn strangers_are_received_as_chosen() {
        let received = |choice: DmFrom| [true, false].map(|shares| choice.receive(shares));
        let known = Ok(Reception::Message);
        assert_eq!(received(DmFrom::Everyone), [known, known]);
        assert_eq!(received(DmFrom::SharedGroups), [known, Err(DmRefusal::NoSharedGroup)]);
        assert_eq!(received(DmFrom::Requests), [known, Ok(Reception::Request)]);
        assert_eq!(received(DmFrom::Nobody), [Err(DmRefusal::NobodyNew); 2]);
    }
}
