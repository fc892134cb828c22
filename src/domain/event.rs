//! Events: the facts that the journal keeps, and the only noun that travels.
//!
//! Every change of a conversation or of a user is an event. Adding a variant makes the compiler
//! name every place that must handle it: the rule that applies it, the index rows, the JSON.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::alarm::{AlarmAnswer, AlarmSettled, DatedAppointment};
use crate::audience::{Audience, ChatContacts};
use crate::audit::AuditFact;
use crate::calendar::{CalendarChange, CalendarEvent};
use crate::callback::CallbackFact;
use crate::chat::ChatFact;
use crate::first_answer::FirstAnswer;
use crate::group::{Group, GroupFact};
use crate::ids::{GroupId, MessageId};
use crate::instance::InstanceFact;
use crate::likes::{LikeChange, ToldLikers};
use crate::message::{Message, MessageJson, ShownMessage};
use crate::name::NameFact;
use crate::notices::Muters;
use crate::polls::Poll;
use crate::revision::Revision;
use crate::time::Timestamp;
use crate::user::{User, UserFact};

/// A fact, and the time at which it was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When it was decided.
    pub at: Timestamp,
    /// The fact.
    pub fact: Fact,
}

/// A fact, by the kind of its stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fact {
    /// Something that happened in a group.
    Group(GroupFact),
    /// Something that happened to a user.
    User(UserFact),
    /// Something that happened in a chat of two people.
    Chat(ChatFact),
    /// In any stream: the answer to an act of the stream, kept under an idempotency key.
    Answered(Arc<FirstAnswer>),
    /// In the stream of a conversation: an alarm rang for nothing.
    AlarmSettled(AlarmSettled),
    /// The state of a callback delivery changed.
    Callback(CallbackFact),
    /// Something that only operators can look up.
    Audit(AuditFact),
    /// An email address or a phone number was claimed, confirmed or released.
    Name(NameFact),
    /// The settings of the installation changed, or something was reported to its operators.
    Instance(InstanceFact),
}

impl Fact {
    /// The fact of a group, if it is one.
    pub const fn group(&self) -> Option<&GroupFact> {
        if let Self::Group(fact) = self { Some(fact) } else { None }
    }

    /// The fact of a user, if it is one.
    pub const fn user(&self) -> Option<&UserFact> {
        if let Self::User(fact) = self { Some(fact) } else { None }
    }

    /// The fact of a chat, if it is one.
    pub const fn chat(&self) -> Option<&ChatFact> {
        if let Self::Chat(fact) = self { Some(fact) } else { None }
    }

    /// Whether readers receive the fact, so that it takes a number `n` in its stream.
    ///
    /// Facts that no reader may see (a token, a request in progress) take none: a reader would take
    /// the missing number for a gap.
    pub fn is_audible(&self) -> bool {
        match self {
            Self::Group(fact) => fact.is_audible(),
            Self::User(fact) => fact.is_audible(),
            Self::Chat(fact) => fact.is_audible(),
            Self::Answered(_) => false,
            Self::AlarmSettled(_) => false,
            Self::Callback(_) => false,
            Self::Audit(_) | Self::Instance(_) => false,
            Self::Name(_) => false,
        }
    }

    /// Whether only some of those who may read the stream receive the fact, without a number.
    pub fn is_confidential(&self) -> bool {
        self.group().is_some_and(GroupFact::is_confidential)
    }

    /// The change of a calendar event, if the fact is one.
    pub fn planned(&self) -> Option<&Arc<CalendarChange>> {
        if let Self::Group(GroupFact::Planned(change)) | Self::Chat(ChatFact::Planned(change)) =
            self
        {
            return Some(change);
        }
        None
    }

    /// The message that carries the poll or the calendar event that the fact is about.
    pub fn carrier(&self) -> Option<MessageId> {
        if let Some(change) = self.planned() {
            return Some(MessageId::new(change.event().get()));
        }
        let Some(GroupFact::Polled(change)) = self.group() else { return None };
        Some(MessageId::new(change.poll().get()))
    }

    /// Whether an event of this fact may show words of a message: of its text, its poll or its
    /// calendar event. The deletion of the message shows none.
    pub fn may_show(&self, message: MessageId) -> bool {
        if let Some(posted) = self.message() {
            return posted.id == message || posted.quoted() == Some(message);
        }
        if let Some(revision) = self.revision() {
            return revision.message == message && !revision.is_deletion();
        }
        if let Some(carrier) = self.carrier() {
            return carrier == message;
        }
        // They show the group with its newest message in short.
        matches!(
            self,
            Self::Group(GroupFact::SettingsChanged { .. } | GroupFact::OwnerChanged { .. })
        )
    }

    /// Whether the fact is recorded even if the disk is nearly full: log-ins, log-outs and acts of
    /// operators. They are small, and without them nobody could look at what is stored.
    pub const fn is_vital(&self) -> bool {
        match self {
            Self::User(fact) => fact.is_vital(),
            Self::Audit(_) | Self::Instance(_) => true,
            Self::Group(_)
            | Self::Chat(_)
            | Self::Answered(_)
            | Self::AlarmSettled(_)
            | Self::Callback(_)
            | Self::Name(_) => false,
        }
    }

    /// Whether a commit of these facts is vital: at least one fact is, and all others only keep
    /// answers.
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

    /// Whether the fact only keeps an answer, so that it changes nothing shown in lists.
    pub const fn is_answer(&self) -> bool {
        matches!(self, Self::Answered(_))
    }

    /// Whether the fact saves or ends a draft without attachments.
    pub const fn is_text_draft(&self) -> bool {
        matches!(self, Self::User(fact) if fact.is_text_draft())
    }

    /// The like that the fact gave (`true`) or took back (`false`), if it did either.
    pub fn like(&self) -> Option<(&LikeChange, bool)> {
        if let Self::Group(GroupFact::Liked(change)) | Self::Chat(ChatFact::Liked(change)) = self {
            return Some((change, true));
        }
        if let Self::Group(GroupFact::Unliked(change)) | Self::Chat(ChatFact::Unliked(change)) =
            self
        {
            return Some((change, false));
        }
        None
    }

    /// The revision of a message, if the fact is one.
    pub fn revision(&self) -> Option<&Arc<Revision>> {
        if let Self::Group(GroupFact::Revised(it)) | Self::Chat(ChatFact::Revised(it)) = self {
            return Some(it);
        }
        None
    }

    /// The message that was posted, if the fact is a post.
    pub fn message(&self) -> Option<&Arc<Message>> {
        if let Self::Group(GroupFact::Posted(it)) | Self::Chat(ChatFact::Posted(it)) = self {
            return Some(it);
        }
        None
    }
}

/// The origin of the entries of a commit, which decides what they hold beyond the stored events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A room of this process decided them: entries hold the audience and what is shown.
    Here,
    /// They were read from the journal after a start, or another node decided them: entries hold
    /// only what is stored.
    Read,
    /// They were read, and their audience and what is shown were looked up since.
    LookedUp,
}

/// An event on its way: what is stored, and what only the running process needs.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The event as the journal stores it.
    pub event: Arc<Event>,
    /// The users who may receive the event; not stored, since replay asks the index.
    pub audience: Audience,
    /// The room's own state right after the event; not stored either.
    pub state: RoomState,
}

impl Entry {
    /// An entry with an event as it was read back, without audience and state.
    pub fn stored(event: Arc<Event>) -> Self {
        let audience = Audience::nobody();
        let state = RoomState::default();
        Self { event, audience, state }
    }

    /// The message that was posted, with its JSON; `None` if the fact is no post, or if the JSON
    /// was not made.
    pub fn shown_message(&self) -> Option<ShownMessage> {
        let message = Arc::clone(self.event.fact.message()?);
        Some(ShownMessage { message, json: self.state.message.clone()? })
    }
}

/// The visible state of a room right after a fact. Only the parts that the fact needs are present.
#[derive(Debug, Clone, Default)]
pub struct RoomState {
    /// The JSON of the message that was posted or revised.
    pub message: Option<MessageJson>,
    /// The message after a revision.
    pub revised: Option<Arc<Message>>,
    /// The group, for facts that are told by showing the group.
    pub group_snapshot: Option<Arc<Group>>,
    /// The topics of the group, where a member is out of it from now on.
    pub topics: Vec<GroupId>,
    /// The poll, for facts about one.
    pub poll: Option<Arc<Poll>>,
    /// The calendar event, for facts about one.
    pub planned: Option<Arc<CalendarEvent>>,
    /// The users who muted the group, for messages; `None` if nobody did.
    pub muters: Option<Muters>,
    /// The users who like the message, for likes and revisions.
    pub likers: Option<Arc<ToldLikers>>,
    /// The account, for facts that are told by showing the account.
    pub account: Option<Arc<User>>,
    /// The user's chat contacts, who also hear of changes of the public profile, for facts that
    /// change it.
    pub chat_contacts: Option<ChatContacts>,
}

/// The decision of a rule: facts to record, and the answer to give once they are durable.
#[derive(Debug)]
pub struct Decision<T> {
    /// The facts in the order in which they happened; empty if nothing changes.
    pub facts: Vec<Fact>,
    /// The answer to the caller.
    pub answer: T,
}

impl<T> Decision<T> {
    /// A decision that changes nothing.
    pub const fn unchanged(answer: T) -> Self {
        Self { facts: Vec::new(), answer }
    }

    /// Whether the decision is carried out although the disk is nearly full: if it has no facts or
    /// is vital, it needs hardly any space.
    pub fn is_written_when_disk_full(&self) -> bool {
        self.facts.is_empty() || Fact::are_vital(self.facts.iter())
    }
}

impl Decision<AlarmAnswer> {
    /// The decision on an alarm that was set for `at`. Facts of an act remove or move the row of
    /// the alarm; where there is no act, a fact about the alarm does.
    pub fn on_alarm((at, appointment): DatedAppointment, answer: AlarmAnswer<Vec<Fact>>) -> Self {
        let settled = |next| vec![Fact::AlarmSettled(AlarmSettled { appointment, at, next })];
        match answer {
            AlarmAnswer::Rung(facts) => Self { facts, answer: AlarmAnswer::Rung(()) },
            AlarmAnswer::NothingToDo => {
                Self { facts: settled(None), answer: AlarmAnswer::NothingToDo }
            }
            // The clock was set back since the alarm was found due.
            AlarmAnswer::NotBefore(next) if next == at => {
                Self::unchanged(AlarmAnswer::NotBefore(next))
            }
            AlarmAnswer::NotBefore(next) => {
                Self { facts: settled(Some(next)), answer: AlarmAnswer::NotBefore(next) }
            }
        }
    }
}
