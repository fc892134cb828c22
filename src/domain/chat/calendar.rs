//! The calendar of a chat: as that of a group, but without system messages about changes.

use std::sync::Arc;

use crate::domain::alarm::{AlarmAnswer, Appointment, DatedAppointment};
use crate::domain::attachment::Attachment;
use crate::domain::calendar::details::EventDetails;
use crate::domain::calendar::{CalendarAction, CalendarChange, CalendarRefusal, MadeEvent};
use crate::domain::chat::{Chat, ChatFact, Sender};
use crate::domain::event::{Decision, Fact};
use crate::domain::id_generator::IdGenerator;
use crate::domain::ids::{CalendarEventId, UserId};
use crate::domain::message::{Author, Message, SystemMessage};
use crate::domain::named::{NamedEvent, NamedUser};
use crate::domain::revision::MessageState;
use crate::domain::time::{Moment, Timestamp};

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
            state: MessageState::default(),
        });
        let made = MadeEvent { id: event, creator: sender.id, at: now.wall, details };
        let posted = Fact::Chat(ChatFact::Posted(Arc::clone(&message)));
        let facts = vec![planned(CalendarChange::Made(made)), posted];
        Ok(Decision { facts, answer: (event, message) })
    }

    /// Changes, cancels or answers an event. Only its maker may change or cancel it.
    ///
    /// # Errors
    /// If the caller is none of the two or may not change the event, or if the event is over or
    /// cannot be planned as wanted.
    pub fn act_on_event(
        &self,
        by: UserId,
        event: CalendarEventId,
        action: CalendarAction,
        now: Timestamp,
    ) -> Result<Decision<()>, CalendarRefusal> {
        self.pair.other(by).ok_or(CalendarRefusal::NotAMember)?;
        let change = self.calendar.act(event, by, false, action, now)?;
        Ok(Decision { facts: change.into_iter().map(planned).collect(), answer: () })
    }

    /// Does what an alarm is for, if it is due. Chats have reminders only.
    pub fn ring(&self, alarm: DatedAppointment, now: Timestamp) -> Decision<AlarmAnswer> {
        let answer = match alarm.1 {
            Appointment::Reminder { event, .. } => {
                self.calendar.remind(event, now).map(|change| vec![planned(change)])
            }
            Appointment::MuteEnds { .. } | Appointment::PollEnds { .. } => AlarmAnswer::NothingToDo,
        };
        Decision::on_alarm(alarm, answer)
    }
}

fn planned(change: CalendarChange) -> Fact {
    Fact::Chat(ChatFact::Planned(Arc::new(change)))
}
