//! The calendar: the questions about it, and what rooms do with them. The same for groups and
//! chats.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::actors::ask::{Ask, Question, Travel};
use crate::actors::ledger::Recording;
use crate::actors::message_page::ConversationRoom;
use crate::domain::calendar::details::EventDetails;
use crate::domain::calendar::{CalendarAction, CalendarEvent, CalendarRefusal};
use crate::domain::chat::Sender;
use crate::domain::event::Decision;
use crate::domain::ids::{CalendarEventId, UserId};
use crate::domain::likes::Likers;
use crate::domain::message::{Message, ShownMessage};
use crate::domain::time::Moment;
use crate::wire::message;

/// Plans an event in a group. Sent by `http::calendar`; answered once the event is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct PlanInGroup {
    /// The member who plans the event.
    pub by: UserId,
    /// The event as requested.
    pub details: EventDetails,
}

/// Plans an event in a chat. Sent by `http::calendar`, after the rooms of both users were asked
/// whether one may write to the other; answered once the event is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct PlanInChat {
    /// The user who plans the event.
    pub sender: Sender,
    /// The event as requested.
    pub details: EventDetails,
}

/// An event that was planned, with its message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlannedEvent {
    /// The event.
    pub event: Arc<CalendarEvent>,
    /// The message that shows the event.
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

/// Changes, cancels or replies to an event. Sent by `http::calendar`; answered with the event as it
/// is on disk by then, also if nothing had to change.
#[derive(Debug, Serialize, Deserialize)]
pub struct ActOnEvent {
    /// The user who acts.
    pub by: UserId,
    /// The event.
    pub event: CalendarEventId,
    /// The user's action.
    pub action: CalendarAction,
}

impl Question for ActOnEvent {
    type Answer = Arc<CalendarEvent>;
    type Refusal = CalendarRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ActOnEvent"));
}

/// A rule's decision on an event that is to be planned.
pub(super) type Planned = Result<Decision<(CalendarEventId, Arc<Message>)>, CalendarRefusal>;

/// A room with a calendar.
pub(super) trait PlanningRoom: ConversationRoom {
    /// Returns an event that a rule has found, as it is now.
    fn known_event(&self, event: CalendarEventId) -> Option<Arc<CalendarEvent>>;

    /// Records a rule's decision on a new event, and answers with the event and its message.
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
            let conversation = room.conversation();
            let instance = &room.context().instance;
            let json = message::json(conversation, &message, Likers::NOBODY, instance);
            let event = room.known_event(event).expect("it was made a moment ago");
            PlannedEvent { event, message: ShownMessage { message, json } }
        });
    }

    /// Records a rule's decision on an existing event, and answers with the event.
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
