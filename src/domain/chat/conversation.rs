//! What a chat decides about its messages, pins, likes, events and alarms: only the author of a
//! message may edit or delete it, without a time limit, and only the maker of an event may change it.

use std::sync::Arc;

use crate::addressees::online_when_sent;
use crate::alarm::{AlarmAnswer, Appointment, DatedAppointment};
use crate::attachment::Attachment;
use crate::calendar::details::EventDetails;
use crate::calendar::{CalendarAction, CalendarChange, CalendarEvent, CalendarRefusal, MadeEvent};
use crate::chat::{Chat, ChatFact, Sender};
use crate::conversation::ConversationRules;
use crate::event::{Decision, Fact};
use crate::id_generator::IdGenerator;
use crate::ids::{CalendarEventId, UserId};
use crate::likes::{LikeChange, LikeRefusal};
use crate::message::{Author, Message, SystemMessage};
use crate::named::{NamedEvent, NamedUser};
use crate::pins::{PinAction, PinRefusal};
use crate::revision::{
    MessageChange, MessageState, Reviser, ReviserId, Revision, RevisionPolicy, RevisionRefusal,
};
use crate::time::{Moment, Timestamp};

/// The policy of every chat, as clients are shown it.
pub const CHAT_POLICY: RevisionPolicy = RevisionPolicy { by_admin: false, ..RevisionPolicy::OPEN };

impl Chat {
    /// Makes an event, and a message from its maker that carries it.
    ///
    /// # Errors
    /// If the sender is none of the two, or the event cannot be planned.
    pub fn plan(
        &self,
        sender: Sender,
        details: EventDetails,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<(CalendarEventId, Arc<Message>)>, CalendarRefusal> {
        self.pair.other(sender.id).ok_or(CalendarRefusal::NotAMember)?;
        self.calendar.admit(&details, now.wall)?;
        let id = id_generator.message(now.wall);
        let event = CalendarEventId::new(id.get());
        let user = NamedUser { id: sender.id, name: sender.name.as_str().to_owned() };
        let named = NamedEvent { id: event, name: details.name.clone() };
        let line = SystemMessage::EventCreated { user, event: named };
        let message = Arc::new(Message {
            id,
            author: Author::Member(sender.id),
            name: sender.name.as_str().to_owned(),
            avatar: sender.image,
            source_guid: format!("{:032x}", id.get()),
            text: Some(line.text()),
            attachments: vec![Attachment::Event { event }],
            count: self.count + 1,
            line: Some(line),
            written_at: Message::written_at(id, now.wall),
            parent: None,
            state: MessageState::default(),
        });
        let made = MadeEvent { id: event, creator: sender.id, at: now.wall, details };
        let posted = Fact::Chat(ChatFact::Posted(Arc::clone(&message)));
        let facts = vec![planned(CalendarChange::Made(made)), posted];
        Ok(Decision { facts, answer: (event, message) })
    }
}

impl ConversationRules for Chat {
    const IS_CREATED: bool = false;

    fn includes(&self, user: UserId) -> bool {
        self.pair.other(user).is_some()
    }

    fn reviser(&self, by: &ReviserId) -> Result<Reviser, RevisionRefusal> {
        match by {
            ReviserId::User(user) if self.pair.other(*user).is_some() => {
                Ok(Reviser { author: Author::Member(*user), is_admin: false })
            }
            ReviserId::User(_) | ReviserId::Bot(_) => Err(RevisionRefusal::NotAMember),
        }
    }

    fn edit(
        &self,
        by: &ReviserId,
        message: &Message,
        change: MessageChange,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal> {
        let context = self.context(None, online_when_sent(&message.attachments));
        let rules = (&CHAT_POLICY, &context);
        Ok(decision(message.edit(&self.reviser(by)?, change, rules, now.wall)?))
    }

    fn delete(
        &self,
        by: &ReviserId,
        message: &Message,
        now: Moment,
        _: &dyn IdGenerator,
    ) -> Result<Decision<()>, RevisionRefusal> {
        Ok(decision(message.delete(&self.reviser(by)?, &CHAT_POLICY, now.wall)?))
    }

    fn pin(
        &self,
        by: UserId,
        message: &Message,
        action: PinAction,
        _: Moment,
        _: &dyn IdGenerator,
    ) -> Result<Decision<()>, PinRefusal> {
        self.pair.other(by).ok_or(PinRefusal::NotAMember)?;
        Ok(decision(self.pins.decide(message, by, action)?))
    }

    fn revision_fact(&self, revision: Revision) -> Option<Fact> {
        Some(Fact::Chat(ChatFact::Revised(Arc::new(revision))))
    }

    fn permit_like(&self, by: UserId, _: Timestamp) -> Result<(), LikeRefusal> {
        self.pair.other(by).map(drop).ok_or(LikeRefusal::NotAMember)
    }

    fn like_fact(change: LikeChange, is_given: bool) -> Fact {
        Fact::Chat(match is_given {
            true => ChatFact::Liked(change),
            false => ChatFact::Unliked(change),
        })
    }

    fn event(&self, event: CalendarEventId) -> Option<&Arc<CalendarEvent>> {
        self.calendar.get(event)
    }

    fn act_on_event(
        &self,
        by: UserId,
        event: CalendarEventId,
        action: CalendarAction,
        now: Moment,
        _: &dyn IdGenerator,
    ) -> Result<Decision<()>, CalendarRefusal> {
        self.pair.other(by).ok_or(CalendarRefusal::NotAMember)?;
        let change = self.calendar.act(event, by, false, action, now.wall)?;
        Ok(Decision { facts: change.into_iter().map(planned).collect(), answer: () })
    }

    /// Chats have reminders only.
    fn ring(
        &self,
        alarm: DatedAppointment,
        now: Timestamp,
        _: &dyn IdGenerator,
    ) -> Decision<AlarmAnswer> {
        let answer = match alarm.1 {
            Appointment::Reminder { event, .. } => {
                self.calendar.remind(event, now).map(|change| vec![planned(change)])
            }
            Appointment::MuteEnds { .. }
            | Appointment::PollEnds { .. }
            | Appointment::HeldEnds { .. } => AlarmAnswer::NothingToDo,
        };
        Decision::on_alarm(alarm, answer)
    }
}

fn decision(revision: Option<Revision>) -> Decision<()> {
    let fact = revision.map(|it| Fact::Chat(ChatFact::Revised(Arc::new(it))));
    Decision { facts: fact.into_iter().collect(), answer: () }
}

fn planned(change: CalendarChange) -> Fact {
    Fact::Chat(ChatFact::Planned(Arc::new(change)))
}
