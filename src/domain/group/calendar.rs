//! The calendar of a group: making, changing, cancelling and answering events, and reminders.

use std::sync::Arc;

use crate::alarm::AlarmAnswer;
use crate::attachment::Attachment;
use crate::calendar::details::EventDetails;
use crate::calendar::{CalendarAction, CalendarChange, CalendarEvent, CalendarRefusal, MadeEvent};
use crate::event::{Decision, Fact};
use crate::group::{Group, GroupAct, GroupFact, Member};
use crate::id_generator::IdGenerator;
use crate::ids::{CalendarEventId, UserId};
use crate::message::{Author, Message, SystemMessage};
use crate::named::NamedEvent;
use crate::revision::MessageState;
use crate::time::{Moment, Timestamp};

impl Group {
    /// Makes an event, and a message from its maker that carries it.
    ///
    /// # Errors
    /// If the caller is no member, or the event cannot be planned.
    pub fn plan(
        &self,
        by: UserId,
        details: EventDetails,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<(CalendarEventId, Arc<Message>)>, CalendarRefusal> {
        let member = self.member(by).ok_or(CalendarRefusal::NotAMember)?;
        self.permit(member, GroupAct::MakeEvents, now.wall)?;
        self.keep_pace(member, now.wall)?;
        self.calendar.admit(&details, now.wall)?;
        let id = id_generator.message(now.wall);
        let event = CalendarEventId::new(id.get());
        let named = NamedEvent { id: event, name: details.name.clone() };
        let line = SystemMessage::EventCreated { user: member.named(), event: named };
        let message = Arc::new(Message {
            id,
            author: Author::Member(by),
            name: member.nickname.as_str().to_owned(),
            avatar: member.image.clone(),
            source_guid: format!("{:032x}", id.get()),
            text: Some(line.text()),
            attachments: vec![Attachment::Event { event }],
            count: self.count + 1,
            line: Some(line),
            written_at: Message::written_at(id, now.wall),
            parent: self.parent(),
            state: MessageState::default(),
        });
        let made = MadeEvent { id: event, creator: by, at: now.wall, details };
        let posted = Fact::Group(GroupFact::Posted(Arc::clone(&message)));
        let facts = vec![planned(CalendarChange::Made(made)), posted];
        Ok(Decision { facts, answer: (event, message) })
    }

    /// Changes, cancels or answers an event; a system message tells of it. Its maker, the owner and
    /// admins may change or cancel it.
    ///
    /// # Errors
    /// If the caller is no member or may not change the event, or if the event is over or cannot be
    /// planned as wanted.
    pub(super) fn change_event(
        &self,
        by: UserId,
        event: CalendarEventId,
        action: CalendarAction,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, CalendarRefusal> {
        let member = self.member(by).ok_or(CalendarRefusal::NotAMember)?;
        self.refuse_timed_out(by, now.wall)?;
        if matches!(action, CalendarAction::Answer(_)) {
            self.permit(member, GroupAct::AnswerEvents, now.wall)?;
        }
        let is_admin = self.grants(member, GroupAct::ChangeEvents);
        let change = self.calendar.act(event, by, is_admin, action, now.wall)?;
        let Some(change) = change else { return Ok(Decision::unchanged(())) };
        let line = self.calendar.get(event).and_then(|known| line(&change, known, Some(member)));
        let line = line.map(|line| self.system_message(line, now.wall, id_generator));
        let facts = [planned(change)].into_iter().chain(line).collect();
        Ok(Decision { facts, answer: () })
    }

    /// The facts of the reminder of an event that came due, with a system message.
    pub(super) fn remind_of_event(
        &self,
        event: CalendarEventId,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> AlarmAnswer<Vec<Fact>> {
        self.calendar.remind(event, now).map(|change| {
            // No system message announces the start of an event that is over.
            let known = self.calendar.get(event).filter(|known| known.is_worth_a_reminder(now));
            let line = known.and_then(|known| line(&change, known, None));
            let line = line.map(|line| self.system_message(line, now, id_generator));
            [planned(change)].into_iter().chain(line).collect()
        })
    }
}

/// The system message for a change of an event; `known` is the event before the change. `None` for
/// a new event: the message that carries it says so itself.
fn line(
    change: &CalendarChange,
    known: &CalendarEvent,
    by: Option<&Member>,
) -> Option<SystemMessage> {
    let event = NamedEvent { id: known.id, name: known.details.name.clone() };
    let user = by.map(Member::named);
    match change {
        CalendarChange::Made(_) => None,
        CalendarChange::Changed { details, .. } => {
            let event = NamedEvent { name: details.name.clone(), ..event };
            Some(SystemMessage::EventChanged { user: user?, event })
        }
        CalendarChange::Cancelled { .. } => {
            Some(SystemMessage::EventCancelled { user: user?, event })
        }
        CalendarChange::Answered { going, .. } => {
            Some(SystemMessage::EventAnswered { user: user?, event, going: *going })
        }
        CalendarChange::Reminded { before, .. } => {
            Some(SystemMessage::EventStarting { event, minutes: before / 60 })
        }
    }
}

fn planned(change: CalendarChange) -> Fact {
    Fact::Group(GroupFact::Planned(Arc::new(change)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::details::LocalMoment;
    use crate::group::fixtures::{ANA, BEN, Table};

    fn plans(table: &mut Table, by: UserId) -> CalendarEventId {
        let made = table.does(|group, now, id_generator| {
            let moment = |millis| LocalMoment { at: now.wall.plus_millis(millis), offset: 0 };
            let details = EventDetails {
                name: "Climb".to_owned(),
                description: None,
                starts: moment(3_600_000),
                ends: moment(7_200_000),
                is_all_day: false,
                timezone: "UTC".to_owned(),
                location: None,
                reminders: vec![900],
            };
            group.plan(by, details, now, id_generator)
        });
        made.unwrap().0
    }

    #[test]
    fn lines_name_attendees_and_canceller() {
        let mut table = Table::of_three();
        let bens = plans(&mut table, BEN);
        let anas = plans(&mut table, ANA);
        let mut acts = |by, event, action: CalendarAction| {
            table.does(|group, now, ids| group.change_event(by, event, action, now, ids))
        };
        acts(BEN, anas, CalendarAction::Answer(Some(true))).unwrap();
        let refused = acts(BEN, anas, CalendarAction::Cancel);
        assert_eq!(refused, Err(CalendarRefusal::NotTheMaker));
        acts(ANA, bens, CalendarAction::Cancel).unwrap();
        assert_eq!(table.lines(), ["Ana cancelled the event 'Climb'."]);
    }
}
