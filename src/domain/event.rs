//! Events: the facts that the journal keeps, and the only noun that travels.
//!
//! Every change of a conversation or of a user is one of these. Adding a variant
//! makes the compiler name each place that has to answer: the rule that applies it,
//! the index rows, the JSON.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::asked::AnsweredQuestion;
use crate::domain::audience::{Audience, ChatContacts};
use crate::domain::audit::AuditFact;
use crate::domain::calendar::{CalendarChange, CalendarEvent};
use crate::domain::callback::CallbackFact;
use crate::domain::chat::ChatFact;
use crate::domain::first_answer::FirstAnswer;
use crate::domain::group::{Group, GroupFact};
use crate::domain::likes::{LikeChange, Likers};
use crate::domain::message::{Message, MessageJson, ShownMessage};
use crate::domain::name::NameFact;
use crate::domain::notices::Muters;
use crate::domain::polls::Poll;
use crate::domain::revision::Revision;
use crate::domain::time::Timestamp;
use crate::domain::user::{User, UserFact};

/// A fact and the time at which it became one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When it was decided.
    pub at: Timestamp,
    /// What happened.
    pub fact: Fact,
}

/// What happened, by the kind of room that decided it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fact {
    /// In a group.
    Group(GroupFact),
    /// To a user.
    User(UserFact),
    /// Between two people.
    Chat(ChatFact),
    /// In any room: an act of its stream was answered like this under a key.
    Answered(Arc<FirstAnswer>),
    /// To a message on its way to a bot.
    Callback(CallbackFact),
    /// For operators alone.
    Audit(AuditFact),
    /// To an email address or a phone number.
    Name(NameFact),
}

impl Fact {
    /// Whether readers hear of it, so that it takes a number `n` in its stream.
    ///
    /// Facts that no reader may see (a token, a request being worked on) take none:
    /// a reader would take the missing number for a gap.
    pub fn is_audible(&self) -> bool {
        match self {
            Self::Group(fact) => fact.is_audible(),
            Self::User(fact) => fact.is_audible(),
            Self::Chat(fact) => fact.is_audible(),
            Self::Answered(_) => false,
            Self::Callback(_) => false,
            Self::Audit(_) => false,
            Self::Name(_) => false,
        }
    }

    /// What happened to an event of a calendar, if it is about one.
    pub fn planned(&self) -> Option<&Arc<CalendarChange>> {
        match self {
            Self::Group(GroupFact::Planned(change)) | Self::Chat(ChatFact::Planned(change)) => {
                Some(change)
            }
            Self::Group(_)
            | Self::User(_)
            | Self::Chat(_)
            | Self::Answered(_)
            | Self::Callback(_)
            | Self::Audit(_)
            | Self::Name(_) => None,
        }
    }

    /// Whether it is written even where there is hardly any room left on the disk: log-ins
    /// and log-outs, and what operators do. It is small, and without it nobody could look
    /// at what is there.
    pub const fn is_vital(&self) -> bool {
        match self {
            Self::User(fact) => fact.is_vital(),
            Self::Audit(_) => true,
            Self::Group(_)
            | Self::Chat(_)
            | Self::Answered(_)
            | Self::Callback(_)
            | Self::Name(_) => false,
        }
    }

    /// Whether facts that are written together are vital: some are, and the others only
    /// keep answers.
    pub fn are_vital<'a>(facts: impl Iterator<Item = &'a Self>) -> bool {
        let mut is_any = false;
        for fact in facts {
            is_any |= fact.is_vital();
            if !fact.is_vital() && !fact.is_answer() {
                return false;
            }
        }
        is_any
    }

    /// Whether it only keeps an answer: nothing changes by it that lists show.
    pub const fn is_answer(&self) -> bool {
        matches!(self, Self::Answered(_))
    }

    /// The like that it gave or took back, if it did, and which of the two.
    pub fn like(&self) -> Option<(&LikeChange, bool)> {
        match self {
            Self::Group(GroupFact::Liked(change)) | Self::Chat(ChatFact::Liked(change)) => {
                Some((change, true))
            }
            Self::Group(GroupFact::Unliked(change)) | Self::Chat(ChatFact::Unliked(change)) => {
                Some((change, false))
            }
            Self::Group(_)
            | Self::User(_)
            | Self::Chat(_)
            | Self::Answered(_)
            | Self::Callback(_)
            | Self::Audit(_)
            | Self::Name(_) => None,
        }
    }

    /// The revision of a message that it is, if it is one.
    pub fn revision(&self) -> Option<&Arc<Revision>> {
        match self {
            Self::Group(GroupFact::Revised(revision)) | Self::Chat(ChatFact::Revised(revision)) => {
                Some(revision)
            }
            Self::Group(_)
            | Self::User(_)
            | Self::Chat(_)
            | Self::Answered(_)
            | Self::Callback(_)
            | Self::Audit(_)
            | Self::Name(_) => None,
        }
    }

    /// The message that it put into a log, if it did.
    pub fn message(&self) -> Option<&Arc<Message>> {
        match self {
            Self::Group(GroupFact::Posted(message)) | Self::Chat(ChatFact::Posted(message)) => {
                Some(message)
            }
            Self::Group(_)
            | Self::User(_)
            | Self::Chat(_)
            | Self::Answered(_)
            | Self::Callback(_)
            | Self::Audit(_)
            | Self::Name(_) => None,
        }
    }
}

/// Where the events of a commit come from, as far as those know who carry them out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A room of this process decided them: entries say who hears, and what is shown.
    Here,
    /// They were read, after a start or because another node decided them: entries say
    /// nothing but what is stored.
    Read,
    /// The same, and who hears and what is shown was looked up since.
    LookedUp,
}

/// An event on its way: what is stored, and what only the living process needs.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What the journal stores.
    pub event: Arc<Event>,
    /// Who may hear of it; not stored, since replay asks the index.
    pub audience: Audience,
    /// What the room shows of itself right after it; not stored either.
    pub state: RoomState,
    /// The question of another node that this and the events before it answered; stored
    /// beside the events.
    pub asked: Option<Arc<AnsweredQuestion>>,
}

impl Entry {
    /// An event as it is read back: what only the living process needs is not there.
    pub fn stored(event: Arc<Event>) -> Self {
        let (audience, state) = (Audience::nobody(), RoomState::default());
        Self { event, audience, state, asked: None }
    }

    /// The message that it put into a log, if it did, as its room made it.
    pub fn shown_message(&self) -> Option<ShownMessage> {
        let message = Arc::clone(self.event.fact.message()?);
        Some(ShownMessage { message, json: self.state.message.clone()? })
    }
}

/// What is shown of a room right after a fact, for those facts that are told so.
#[derive(Debug, Clone, Default)]
pub struct RoomState {
    /// The message that it put into the log, or revised.
    pub message: Option<MessageJson>,
    /// The same as rooms keep it, for facts that revise one.
    pub revised: Option<Arc<Message>>,
    /// The group, for facts that are told by showing it.
    pub group_snapshot: Option<Arc<Group>>,
    /// The poll, for facts about one.
    pub poll: Option<Arc<Poll>>,
    /// The event of the calendar, for facts about one.
    pub planned: Option<Arc<CalendarEvent>>,
    /// Who muted the group, for messages; nothing where nobody did.
    pub muters: Option<Muters>,
    /// Who likes the message, for facts about a like or a revision.
    pub likers: Option<Arc<Likers>>,
    /// The account, for facts that are told by showing it.
    pub account: Option<Arc<User>>,
    /// Who else may hear how the user looks now, for facts that change it.
    pub chat_contacts: Option<ChatContacts>,
}

/// What a rule decided: events to record, and the answer once they are durable.
#[derive(Debug)]
pub struct Decision<T> {
    /// In the order in which they happened; none when nothing changes.
    pub facts: Vec<Fact>,
    /// What the caller gets.
    pub answer: T,
}

impl<T> Decision<T> {
    /// Nothing changes.
    pub const fn unchanged(answer: T) -> Self {
        Self { facts: Vec::new(), answer }
    }

    /// Whether it is written although there is hardly any room on the disk: what changes
    /// nothing, or must not wait, needs next to none.
    pub fn is_written_in_need(&self) -> bool {
        self.facts.is_empty() || Fact::are_vital(self.facts.iter())
    }
}
