//! Callbacks: how the delivery of one message to one bot stands. The facts of the stream
//! of callbacks, which belongs to the installation and which nobody hears.
//!
//! When something is tried again is decided by `subscribers/callbacks/schedule.rs`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::bot_event::BotEvent;
use crate::domain::ids::{DeliveryId, GroupId, MessageId, UserId};
use crate::domain::time::Timestamp;

/// A fact about callbacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallbackFact {
    /// A delivery stands like this now. Boxed, since other facts are small.
    Noted(Box<Delivery>),
}

/// One message on its way to one bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// Names it among those of its bot, counted from 1.
    pub id: DeliveryId,
    /// The bot's public number.
    pub bot: UserId,
    /// Where the message is.
    pub group: GroupId,
    /// Which message.
    pub message: MessageId,
    /// How it stands.
    pub state: DeliveryState,
    /// Attempts that ended.
    pub attempt: u32,
    /// Whether later messages were let past.
    pub out_of_order: bool,
    /// When its first attempt began, or somebody asked for a replay.
    pub began: Timestamp,
    /// When this became so.
    pub at: Timestamp,
    /// When it is tried again, if it is.
    pub next_at: Option<Timestamp>,
    /// What the listener answered last, if it did.
    pub status: Option<u16>,
    /// How long the last attempt took.
    pub latency_millis: u64,
    /// When the last attempt was signed.
    pub signed_at: Timestamp,
    /// The beginning of the last answer, or why there was none.
    pub answer: Option<String>,
    /// The number of the event in its group; unknown of deliveries from before there were
    /// others than messages.
    #[serde(default)]
    pub n: u64,
    /// What kind of event it is.
    #[serde(default, skip_serializing_if = "BotEvent::is_message")]
    pub event: BotEvent,
}

/// What is delivered: an event of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveredEvent {
    /// Its number in the group.
    pub n: u64,
    /// What kind of event it is.
    pub event: BotEvent,
    /// The message that it is or is about; none of a membership.
    pub message: Option<MessageId>,
}

/// In place of a message where an event is about none.
const NO_MESSAGE: MessageId = MessageId::new(0);

/// How a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeliveryState {
    /// Its first attempt is due.
    Pending,
    /// The listener took it.
    Delivered,
    /// It will be tried again, and later messages wait.
    Failed,
    /// It will be tried again, and later messages went past it.
    Parked,
    /// It is not tried again by itself.
    Dead,
}

impl DeliveryState {
    /// Every state.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::Delivered, Self::Failed, Self::Parked, Self::Dead];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Parked => "parked",
            Self::Dead => "dead",
        }
    }

    /// Whether there is something left to do.
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
    /// A message that is about to be tried for the first time.
    pub fn begun(
        id: DeliveryId,
        (bot, group): (UserId, GroupId),
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

    /// What it delivers.
    pub fn delivered(&self) -> DeliveredEvent {
        let message = Some(self.message).filter(|message| *message != NO_MESSAGE);
        DeliveredEvent { n: self.n, event: self.event, message }
    }

    /// The same message once more from the beginning, past others.
    #[must_use]
    pub fn replayed(&self, now: Timestamp) -> Self {
        let (bot, group) = (self.bot, self.group);
        Self { out_of_order: true, ..Self::begun(self.id, (bot, group), self.delivered(), now) }
    }

    /// Names the event for the listener: the same on every attempt, different for every bot.
    pub fn webhook_id(&self) -> String {
        if self.event.is_message() {
            return format!("msg_{}_{}", self.message, self.bot);
        }
        format!("evt_{}_{}_{}", self.group, self.n, self.bot)
    }
}
