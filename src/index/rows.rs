//! What rows hold. They can be made anew from the journal, so another layout needs no
//! migration: raise [`LAYOUT`], and the index is rebuilt at the next start.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::domain::calendar::Calendar;
use crate::domain::dedup::GuidMemory;
use crate::domain::group::{Bot, Group, GroupParts, Settings, Stay};
use crate::domain::ids::{Conversation, GroupId, MessageId, UserId};
use crate::domain::pins::Pins;
use crate::domain::polls::Polls;
use crate::domain::time::Timestamp;
use crate::domain::user::{Application, Profile, SmsMode, TokenRecord};
use crate::index::IndexFault;
use crate::journal::{Cursor, StreamHead};
use crate::msgpack;

/// Raised whenever a key or a value changes its form.
pub const LAYOUT: u64 = 34;

/// Where an event lies in the journal, and which number it has in its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// Where its record begins.
    pub record: Cursor,
    /// Which event of the record it is.
    pub index: u16,
    /// Its number in the stream.
    pub n: u64,
}

impl At {
    /// The event's own cursor.
    pub fn cursor(&self) -> Cursor {
        self.record.event(self.index)
    }

    /// Fixed 18 bytes.
    pub(super) fn encode(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(18);
        bytes.extend_from_slice(&self.record.get().to_be_bytes());
        bytes.extend_from_slice(&self.index.to_be_bytes());
        bytes.extend_from_slice(&self.n.to_be_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, IndexFault> {
        let broken =
            || IndexFault::Row { table: "at", reason: format!("{} bytes, not 18", bytes.len()) };
        let (record, rest) = bytes.split_first_chunk().ok_or_else(broken)?;
        let (index, rest) = rest.split_first_chunk().ok_or_else(broken)?;
        let n = <[u8; 8]>::try_from(rest).map_err(|_| broken())?;
        Ok(Self {
            record: Cursor::new(u64::from_be_bytes(*record)),
            index: u16::from_be_bytes(*index),
            n: u64::from_be_bytes(n),
        })
    }
}

/// Where a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tail {
    /// The number of its newest audible event.
    pub n: u64,
    /// The check value of its newest record.
    pub token: u64,
    /// The cursor of its newest event.
    pub cursor: u64,
    /// Its newest message.
    pub last_message: Option<MessageId>,
    /// The cursor of its newest message, or of its beginning.
    #[serde(default)]
    pub spoke: u64,
    /// How many messages there are.
    #[serde(default)]
    pub count: u64,
    /// The cursor of its newest event that is no message, like or kept answer: until
    /// the next one, a group looks the same but for its messages.
    #[serde(default)]
    pub shaped: u64,
}

impl Tail {
    /// As the journal wants it.
    pub const fn head(&self) -> StreamHead {
        StreamHead { n: self.n, token: self.token }
    }
}

/// A group without its members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupRow {
    /// Name, description, picture and so on.
    pub settings: Settings,
    /// Whose it is.
    pub creator: UserId,
    /// Since when.
    pub created_at: Timestamp,
    /// When settings or members last changed.
    pub updated_at: Timestamp,
    /// Whether it is gone.
    pub disbanded: bool,
}

impl GroupRow {
    /// The group as somebody may see it who is out: nobody in it, nothing said.
    pub fn outline(self, id: GroupId) -> Group {
        let settings = Settings { share_token: None, ..self.settings.clone() };
        Group::assembled(id, GroupParts { settings, ..self.parts() })
    }

    /// What the row has of a group; what lies in rows of its own is empty.
    pub fn parts(self) -> GroupParts {
        GroupParts {
            settings: self.settings,
            creator: self.creator,
            created_at: self.created_at,
            updated_at: self.updated_at,
            disbanded: self.disbanded,
            members: Vec::new(),
            former: Vec::new(),
            adds: Vec::new(),
            bots: Vec::new(),
            invites: Vec::new(),
            pins: Pins::default(),
            polls: Polls::default(),
            calendar: Calendar::default(),
            last: None,
            guids: GuidMemory::default(),
        }
    }
}

/// What a user has to do with a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// Oldest first; the newest is open while the user is a member.
    pub stays: Vec<Stay>,
    /// Whether the user left by themselves, so that they may rejoin.
    pub left: bool,
    /// Whether the group is gone.
    pub disbanded: bool,
    /// The cursor of the event that ended the newest stay; after it, nothing is theirs.
    pub ended: u64,
}

impl Seat {
    /// Whether the user is a member now.
    pub fn is_active(&self) -> bool {
        !self.disbanded && self.stays.last().is_some_and(|stay| stay.to_n.is_none())
    }

    /// The number of the event with which the user was out, if they are.
    pub fn parting(&self) -> Option<u64> {
        if self.is_active() {
            return None;
        }
        // A group may end for those who had left it before: they heard of that alone.
        Some(self.stays.last().and_then(|stay| stay.to_n).unwrap_or_default())
    }
}

/// A user without their tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserRow {
    /// Name, addresses, picture.
    pub profile: Profile,
    /// Argon2id in PHC form.
    pub password: String,
    /// Since when.
    pub created_at: Timestamp,
    /// When the profile last changed.
    pub updated_at: Timestamp,
    /// SMS mode, if it was switched on.
    pub sms: Option<SmsMode>,
    /// Whether the account is gone. Only the name is left then, for those who wrote with
    /// them.
    #[serde(default)]
    pub is_deleted: bool,
    /// Since when an operator keeps the account shut, if one does.
    #[serde(default)]
    pub disabled_at: Option<Timestamp>,
    /// How many public profiles they have had after the first one.
    #[serde(default)]
    pub public_profiles: u64,
    /// Conversations that they pinned, in their order.
    #[serde(default)]
    pub pinned: Vec<Conversation>,
}

/// An application and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplicationRow {
    /// Who registered it.
    pub owner: UserId,
    /// The application.
    pub application: Application,
}

/// A chat, beside its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatRow {
    /// Since when: its first message.
    pub created_at: Timestamp,
    /// Its newest message: lists of chats are ordered by it.
    pub last: MessageId,
}

/// Whose a token is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    /// The user.
    pub user: UserId,
    /// The token.
    pub token: TokenRecord,
}

/// A bot and the group it is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotRow {
    /// Where it is.
    pub group: GroupId,
    /// The bot.
    pub bot: Bot,
}

/// Where the first answer under a key lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerRow {
    /// Since when it is given.
    pub at: Timestamp,
    /// Where its record begins.
    pub record: u64,
    /// Which event of the record it is.
    pub index: u16,
}

/// How far a bot was called back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledBack {
    /// Up to this message everything is delivered, parked or given up.
    pub until: u64,
    /// The newest delivery.
    pub newest: u64,
    /// The same by the numbers of events; unknown where only messages were delivered before
    /// that was kept.
    #[serde(default)]
    pub until_n: u64,
}

/// The highest ids that are in the journal; fresh ones are higher.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Highs {
    /// Of users.
    pub user: u64,
    /// Of groups.
    pub group: u64,
    /// Of memberships.
    pub membership: u64,
    /// Of messages.
    pub message: u64,
    /// Of tokens.
    pub token: u64,
}

pub(super) fn encode<T: Serialize>(row: &T) -> Result<Vec<u8>, IndexFault> {
    msgpack::to_vec(row)
        .map_err(|error| IndexFault::Row { table: "encoding", reason: error.to_string() })
}

pub(super) fn decode<T: DeserializeOwned>(
    table: &'static str,
    value: &[u8],
) -> Result<T, IndexFault> {
    msgpack::from_slice(value).map_err(|error| IndexFault::Row { table, reason: error.to_string() })
}
