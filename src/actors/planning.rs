//! The calendar: from the question to the rule and the ledger. The same for groups and chats.

use std::convert::Infallible;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::actors::ask::{Ask, Question, Travel};
use crate::actors::ledger::Recording;
use crate::actors::paging::Logging;
use crate::domain::calendar::details::EventDetails;
use crate::domain::calendar::{CalendarAction, CalendarEvent, CalendarRefusal};
use crate::domain::chat::Sender;
use crate::domain::event::Decision;
use crate::domain::ids::{CalendarEventId, UserId};
use crate::domain::likes::Likers;
use crate::domain::message::{Message, ShownMessage};
use crate::domain::time::Moment;
use crate::wire::message;

/// Plans something in a group. Asked by `http::calendar`; answers when it is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct PlanInGroup {
    /// Who plans it.
    pub by: UserId,
    /// What they plan.
    pub details: EventDetails,
}

/// Plans something with somebody, after both users were asked whether one may write to the
/// other. Asked by `http::calendar`; answers when it is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct PlanInChat {
    /// Who plans it.
    pub sender: Sender,
    /// What they plan.
    pub details: EventDetails,
}

/// An event that was made, with its message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlannedEvent {
    /// The event.
    pub event: Arc<CalendarEvent>,
    /// The message that carries it.
    pub message: ShownMessage,
}

impl Question for PlanInGroup {
    type Answer = PlannedEvent;
    type Refusal = CalendarRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("PlanInGroup"));
}

impl Question for PlanInChat {
    type Answer = PlannedEvent;
    type Refusal = CalendarRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("PlanInChat"));
}

/// Changes, cancels or answers an event. Asked by `http::calendar`; answers with it as it is on
/// disk by then, also when nothing had to change.
#[derive(Debug, Serialize, Deserialize)]
pub struct ActOnEvent {
    /// Who.
    pub by: UserId,
    /// Which event.
    pub event: CalendarEventId,
    /// What they do.
    pub action: CalendarAction,
}

impl Question for ActOnEvent {
    type Answer = Arc<CalendarEvent>;
    type Refusal = CalendarRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ActOnEvent"));
}

/// Reminds people of an event if that is due. Asked by `subscribers::alarms`.
#[derive(Debug)]
pub struct RemindOfEvent {
    /// Which event.
    pub event: CalendarEventId,
}

impl Question for RemindOfEvent {
    type Answer = ();
    type Refusal = Infallible;
}

/// What a rule says of an event that is to be made.
pub(super) type Planned = Result<Decision<(CalendarEventId, Arc<Message>)>, CalendarRefusal>;

/// A room with a calendar.
pub(super) trait PlanningRoom: Logging {
    /// An event that a rule has found, as it is now.
    fn known_event(&self, event: CalendarEventId) -> Option<Arc<CalendarEvent>>;

    /// Makes an event of what a rule said.
    fn record_plan<Q>(
        &mut self,
        decided: Planned,
        now: Moment,
        ask: Ask<Q>,
        ctx: &mut Self::Context,
    ) where
        Q: Question<Answer = PlannedEvent, Refusal = CalendarRefusal>,
    {
        self.record_as(decided, now, ask.reply, ctx, |room, (event, message)| {
            let (conversation, instance) = (room.conversation(), &room.context().instance);
            let json = message::json(conversation, &message, Likers::NOBODY, instance);
            let event = room.known_event(event).expect("it was made a moment ago");
            PlannedEvent { event, message: ShownMessage { message, json } }
        });
    }

    /// Does with an event what a rule allowed.
    fn record_act(
        &mut self,
        decided: Result<Decision<()>, CalendarRefusal>,
        now: Moment,
        ask: Ask<ActOnEvent>,
        ctx: &mut Self::Context,
    ) {
        let event = ask.question.event;
        self.record_as(decided, now, ask.reply, ctx, move |room, ()| {
            room.known_event(event).expect("the rule found it")
        });
    }
}
