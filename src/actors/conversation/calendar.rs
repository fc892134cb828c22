//! The calendar: the questions about it, and what rooms do with them.

use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question, Reply};
use crate::chat::ChatActor;
use crate::conversation::{ConversationRoom, absent};
use crate::group::GroupActor;
use crate::ledger::{Recording, Room as _};
use domain::calendar::details::EventDetails;
use domain::calendar::{CalendarAction, CalendarEvent, CalendarRefusal};
use domain::chat::Sender;
use domain::conversation::ConversationRules;
use domain::event::Decision;
use domain::ids::{CalendarEventId, MessageId, UserId};
use domain::likes::Likers;
use domain::message::{Message, ShownMessage};
use domain::time::Moment;
use wire::message;

/// Plans an event in a group. Sent by `http::calendar`; answered once the event is on disk.
#[derive(Debug)]
pub struct PlanInGroup {
    /// The member who plans the event.
    pub by: UserId,
    /// The event as requested.
    pub details: EventDetails,
}

/// Plans an event in a chat. Sent by `http::calendar`, after the rooms of both users were asked
/// whether one may write to the other; answered once the event is on disk.
#[derive(Debug)]
pub struct PlanInChat {
    /// The user who plans the event.
    pub sender: Sender,
    /// The event as requested.
    pub details: EventDetails,
}

/// An event that was planned, with its message.
#[derive(Debug, Clone)]
pub struct PlannedEvent {
    /// The event.
    pub event: Arc<CalendarEvent>,
    /// The message that shows the event.
    pub message: ShownMessage,
}

impl Question for PlanInGroup {
    type Answer = PlannedEvent;
    type Refusal = CalendarRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

impl Question for PlanInChat {
    type Answer = PlannedEvent;
    type Refusal = CalendarRefusal;
    const DECIDES: bool = true;
}

/// Changes, cancels or replies to an event. Sent by `http::calendar`; answered with the event as it
/// is on disk by then, also if nothing had to change.
#[derive(Debug)]
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
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// A rule's decision on an event that is to be planned.
type Planned = Result<Decision<(CalendarEventId, Arc<Message>)>, CalendarRefusal>;

impl Answers<PlanInGroup> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<PlanInGroup> {
        Some(Err(CalendarRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<PlanInGroup>, ctx: &mut Context<Self>) {
        let PlanInGroup { by, details } = ask.question;
        let now = self.context().clock.now();
        let decided = self.decide(now, CalendarRefusal::NotAMember, |group, now, ids| {
            group.plan(by, details, now, ids)
        });
        record_plan(self, decided, now, ask.reply, ctx);
    }
}

impl Answers<PlanInChat> for ChatActor {
    fn answer(&mut self, ask: Ask<PlanInChat>, ctx: &mut Context<Self>) {
        let PlanInChat { sender, details } = ask.question;
        let now = self.context().clock.now();
        let ids = Arc::clone(&self.context().id_generator);
        let decided = self.chat().plan(sender, details, now, &*ids);
        record_plan(self, decided, now, ask.reply, ctx);
    }
}

/// Records a rule's decision on a new event, and answers with the event and its message.
fn record_plan<Room: ConversationRoom>(
    room: &mut Room,
    decided: Planned,
    now: Moment,
    reply: Reply<PlannedEvent, CalendarRefusal>,
    ctx: &mut Context<Room>,
) {
    room.record_screened(decided, now, reply, ctx, |room, (event, message)| {
        let conversation = room.conversation();
        let instance = &room.context().instance;
        let json = message::json(conversation, &message, Likers::NOBODY, instance);
        let event = known_event(room, event).expect("it was made a moment ago");
        PlannedEvent { event, message: ShownMessage { message, json } }
    });
}

/// The message that carries an event.
const fn carrier(event: CalendarEventId) -> MessageId {
    MessageId::new(event.get())
}

/// Asks the rules for their decision on an event that is there, and records it.
fn act_on_event<Room: ConversationRoom>(
    room: &mut Room,
    ask: Ask<ActOnEvent>,
    ctx: &mut Context<Room>,
) {
    let ActOnEvent { by, event, action } = ask.question;
    let now = room.context().clock.now();
    let ids = Arc::clone(&room.context().id_generator);
    let decided = match room.rules() {
        Some(rules) => rules.act_on_event(by, event, action, now, &*ids),
        None => Err(CalendarRefusal::NotAMember),
    };
    let decided = decided.map(|decided| room.screen(decided, Some(carrier(event)), now));
    room.record_or_refuse(decided, now, ask.reply, ctx, move |room, screened| {
        screened?;
        Ok(known_event(room, event).expect("the rule found it"))
    });
}

/// Returns an event as it is now.
fn known_event<Room: ConversationRoom>(
    room: &Room,
    event: CalendarEventId,
) -> Option<Arc<CalendarEvent>> {
    room.rules().and_then(|rules| rules.event(event)).cloned()
}

impl<Room: ConversationRoom> Answers<ActOnEvent> for Room {
    fn answer_if_absent() -> AbsentAnswer<ActOnEvent> {
        let no_event = CalendarRefusal::NoEvent;
        Some(Err(absent::<Room::Rules, _>(CalendarRefusal::NotAMember, no_event)))
    }

    fn answer(&mut self, ask: Ask<ActOnEvent>, ctx: &mut Context<Self>) {
        let is_change = matches!(ask.question.action, CalendarAction::Change(_));
        if !is_change || !self.is_participant(ask.question.by) {
            return act_on_event(self, ask, ctx);
        }
        // The rules look at the message that carries the event.
        self.settle_ready(ctx);
        self.with_message(carrier(ask.question.event), ask, ctx, act_on_event);
    }
}
