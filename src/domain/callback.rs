//! Callbacks: the state of the delivery of one event to one bot. Deliveries are the facts of the
//! callback stream, which belongs to the installation and is never pushed to anybody.
//!
//! When an attempt is repeated is decided by `subscribers/callbacks/schedule.rs`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bot_event::BotEvent;
use crate::ids::{DeliveryId, GroupId, MessageId, UserId};
use crate::time::Timestamp;

/// A fact about callbacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallbackFact {
    /// The present state of a delivery. Boxed, since other facts are small.
    Noted(Box<Delivery>),
}

/// The delivery of one event to one bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The id of the delivery among those of its bot, counted from 1.
    pub id: DeliveryId,
    /// The bot's public number.
    pub bot: UserId,
    /// The group in which the event happened.
    pub group: GroupId,
    /// The message that the event is or concerns; 0 if it concerns none.
    pub message: MessageId,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// The number of attempts that ended.
    pub attempt: u32,
    /// Whether later events are delivered without waiting for this one.
    pub out_of_order: bool,
    /// When the first attempt began, or a replay was requested.
    pub began: Timestamp,
    /// When the delivery last changed.
    pub at: Timestamp,
    /// When the next attempt is due, if there is one.
    pub next_at: Option<Timestamp>,
    /// The HTTP status of the last attempt's response, if there was a response.
    pub status: Option<u16>,
    /// Milliseconds that the last attempt took.
    pub latency_millis: u64,
    /// When the last attempt was signed.
    pub signed_at: Timestamp,
    /// The beginning of the last response, or the reason why there was none.
    pub answer: Option<String>,
    /// The number `n` of the event in its group; 0 for deliveries from before events other than
    /// messages were delivered.
    #[serde(default)]
    pub n: u64,
    /// The kind of the event.
    #[serde(default, skip_serializing_if = "BotEvent::is_message")]
    pub event: BotEvent,
}

/// The event that is delivered, which happened in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveredEvent {
    /// The number `n` of the event in its group.
    pub n: u64,
    /// The kind of the event.
    pub event: BotEvent,
    /// The message that the event is or concerns; `None` if it concerns none, as with memberships.
    pub message: Option<MessageId>,
}

/// Stands in [`Delivery::message`] if the event concerns no message.
const NO_MESSAGE: MessageId = MessageId::new(0);

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeliveryState {
    /// The first attempt is due.
    Pending,
    /// The listener accepted the event.
    Delivered,
    /// The last attempt failed; it is retried, and later events wait.
    Failed,
    /// The last attempt failed; it is retried, and later events do not wait.
    Parked,
    /// It is not retried automatically.
    Dead,
}

impl DeliveryState {
    /// Every state.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::Delivered, Self::Failed, Self::Parked, Self::Dead];

    /// The name of the state.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Parked => "parked",
            Self::Dead => "dead",
        }
    }

    /// Whether more attempts follow.
    pub const fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::Failed | Self::Parked => true,
            Self::Delivered | Self::Dead => false,
        }
    }
}

impl fmt::Display for DeliveryState {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Delivery {
    /// A delivery whose first attempt is due.
    pub fn begun(
        id: DeliveryId,
        bot: UserId,
        group: GroupId,
        delivered: DeliveredEvent,
        now: Timestamp,
    ) -> Self {
        let DeliveredEvent { n, event, message } = delivered;
        let message = message.unwrap_or(NO_MESSAGE);
        Self {
            id,
            bot,
            group,
            message,
            state: DeliveryState::Pending,
            attempt: 0,
            out_of_order: false,
            began: now,
            at: now,
            next_at: Some(now),
            status: None,
            latency_millis: 0,
            signed_at: now,
            answer: None,
            n,
            event,
        }
    }

    /// The event that is delivered.
    pub fn delivered(&self) -> DeliveredEvent {
        let message = Some(self.message).filter(|message| *message != NO_MESSAGE);
        DeliveredEvent { n: self.n, event: self.event, message }
    }

    /// The same delivery started over, without later events waiting for it.
    #[must_use]
    pub fn replayed(&self, now: Timestamp) -> Self {
        let bot = self.bot;
        let group = self.group;
        Self { out_of_order: true, ..Self::begun(self.id, bot, group, self.delivered(), now) }
    }

    /// The webhook id, by which the listener recognises repeats: the same on every attempt,
    /// different for every bot.
    pub fn webhook_id(&self) -> String {
        if self.event.is_message() {
            return format!("msg_{}_{}", self.message, self.bot);
        }
        format!("evt_{}_{}_{}", self.group, self.n, self.bot)
    }
}
