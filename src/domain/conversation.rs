//! What a group and a chat decide differently about what both have: messages, likes, pins, a
//! calendar and alarms. Pure rules; the room that asks them is written once (`actors/conversation`).

use std::sync::Arc;

use crate::alarm::{AlarmAnswer, DatedAppointment};
use crate::calendar::{CalendarAction, CalendarEvent, CalendarRefusal};
use crate::event::{Decision, Fact};
use crate::id_generator::IdGenerator;
use crate::ids::{CalendarEventId, UserId};
use crate::likes::{LikeChange, LikeRefusal};
use crate::message::Message;
use crate::pins::{PinAction, PinRefusal};
use crate::revision::{MessageChange, Reviser, ReviserId, Revision, RevisionRefusal};
use crate::time::{Moment, Timestamp};

/// The rules of one kind of conversation.
pub trait ConversationRules {
    /// Whether a conversation of this kind has to be created. A group that was not created has no
    /// members. A chat always has its two users, and only no messages until the first one.
    const IS_CREATED: bool;

    /// Whether this user takes part, and may read, like and pin messages as far as their role
    /// allows.
    fn includes(&self, user: UserId) -> bool;

    /// The role of a caller, to decide which messages they may revise.
    ///
    /// # Errors
    /// If the user does not take part, or the bot does not exist or is switched off.
    fn reviser(&self, by: &ReviserId) -> Result<Reviser, RevisionRefusal>;

    /// Edits a message.
    ///
    /// # Errors
    /// If the caller may not edit the message, or the edited message would be empty or mention
    /// somebody it cannot.
    fn edit(
        &self,
        by: &ReviserId,
        message: &Message,
        change: MessageChange,
        now: Moment,
    ) -> Result<Decision<()>, RevisionRefusal>;

    /// Deletes a message.
    ///
    /// # Errors
    /// If the caller may not delete the message.
    fn delete(
        &self,
        by: &ReviserId,
        message: &Message,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, RevisionRefusal>;

    /// The fact of a revision that the server makes; `None` if the conversation has ended.
    fn revision_fact(&self, revision: Revision) -> Option<Fact>;

    /// Pins or unpins a message.
    ///
    /// # Errors
    /// If the caller does not take part or may not pin, or the message cannot be pinned.
    fn pin(
        &self,
        by: UserId,
        message: &Message,
        action: PinAction,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, PinRefusal>;

    /// Whether a user may like now.
    ///
    /// # Errors
    /// If they may not.
    fn permit_like(&self, by: UserId, now: Timestamp) -> Result<(), LikeRefusal>;

    /// The fact of a like that was given or taken back.
    fn like_fact(change: LikeChange, is_given: bool) -> Fact;

    /// The calendar event with this id.
    fn event(&self, event: CalendarEventId) -> Option<&Arc<CalendarEvent>>;

    /// Changes, cancels or answers an event.
    ///
    /// # Errors
    /// If the caller does not take part or may not change the event, or if the event is over or
    /// cannot be planned as wanted.
    fn act_on_event(
        &self,
        by: UserId,
        event: CalendarEventId,
        action: CalendarAction,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, CalendarRefusal>;

    /// Does what an alarm is for, if it is due.
    fn ring(
        &self,
        alarm: DatedAppointment,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Decision<AlarmAnswer>;
}
