//! The content of rows. Rows can be rebuilt from the journal, so a new layout needs no migration:
//! raise [`LAYOUT`], and the index is rebuilt at the next start.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::IndexFault;
use base::msgpack;
use domain::factors::Factors;
use domain::group::{Bot, Group, GroupParts, Settings, Stay};
use domain::identities::Identities;
use domain::ids::{Conversation, GroupId, MessageId, UserId};
use domain::mail::Mailbox;
use domain::operators::OperatorRole;
use domain::registration::AccountWait;
use domain::scim::Provisioning;
use domain::time::Timestamp;
use domain::user::{Application, ContactChanges, Profile, SmsMode, TokenRecord};
use journal::{Cursor, StreamHead};

/// The version of all keys and values; raised whenever the form of one changes.
pub const LAYOUT: u64 = 56;

/// The position of an event in the journal, and its number in its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventPosition {
    /// The beginning of its record.
    pub record: Cursor,
    /// The index of the event in its record.
    pub index: u16,
    /// Its number in the stream.
    pub n: u64,
}

impl EventPosition {
    /// The event's own cursor.
    pub fn cursor(&self) -> Cursor {
        self.record.event(self.index)
    }

    /// Encodes the place as 18 bytes, big-endian.
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

/// The end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tail {
    /// The number of its newest audible event.
    pub n: u64,
    /// The check value of its newest record.
    pub token: u64,
    /// The cursor of its newest event.
    pub cursor: u64,
    /// The id of its newest message.
    pub last_message: Option<MessageId>,
    /// The cursor of its newest message, or that of the group's creation while there is none.
    #[serde(default)]
    pub spoke: u64,
    /// How many messages were posted so far.
    #[serde(default)]
    pub count: u64,
    /// The cursor of its newest event that is no message, like, revision or kept answer: until the
    /// next such event, a group looks the same but for its messages.
    #[serde(default)]
    pub shaped: u64,
}

impl Tail {
    /// The end of the stream as the journal needs it for the next commit.
    pub const fn head(&self) -> StreamHead {
        StreamHead { n: self.n, token: self.token }
    }
}

/// A group without its members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupRow {
    /// Name, description, picture and so on.
    pub settings: Settings,
    /// The group's owner.
    pub creator: UserId,
    /// When the group was created.
    pub created_at: Timestamp,
    /// When settings or members last changed.
    pub updated_at: Timestamp,
    /// Whether the group was disbanded.
    pub disbanded: bool,
}

/// The row of a request to join a group that a user sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentRow {
    /// The group.
    pub group: GroupId,
    /// When it was filed, or denied.
    pub at: Timestamp,
    /// Whether it was denied.
    pub is_denied: bool,
}

impl GroupRow {
    /// The group as shown to somebody who is out of it: without members, messages and share token.
    pub fn outline(self, id: GroupId) -> Group {
        let settings = Settings { share_token: None, ..self.settings.clone() };
        Group::assembled(id, GroupParts { settings, ..self.parts() })
    }

    /// The parts of a group that the row has; parts with rows of their own are empty.
    pub fn parts(self) -> GroupParts {
        GroupParts {
            updated_at: self.updated_at,
            disbanded: self.disbanded,
            ..GroupParts::new(self.settings, self.creator, self.created_at)
        }
    }
}

/// A user's present and past memberships of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// The user's stays, oldest first; the newest is open while the user is a member.
    pub stays: Vec<Stay>,
    /// Whether the user left on their own, so that they may rejoin.
    pub left: bool,
    /// Whether the group was disbanded.
    pub disbanded: bool,
    /// The cursor of the event that ended the newest stay; the user sees nothing after it.
    pub ended: u64,
}

impl Seat {
    /// Whether the user is a member now.
    pub fn is_active(&self) -> bool {
        !self.disbanded && self.stays.last().is_some_and(|stay| stay.to_n.is_none())
    }

    /// The number of the event with which the user was out; `None` while the user is a member.
    pub fn parting(&self) -> Option<u64> {
        if self.is_active() {
            return None;
        }
        // Somebody who left before the group was disbanded received only the event of their own
        // leaving.
        Some(self.stays.last().and_then(|stay| stay.to_n).unwrap_or_default())
    }
}

/// A user without their tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserRow {
    /// Name, email address, phone number, picture.
    pub profile: Profile,
    /// The password's Argon2id hash in PHC form.
    pub password: String,
    /// When the account was registered.
    pub created_at: Timestamp,
    /// When the profile last changed.
    pub updated_at: Timestamp,
    /// The settings of SMS mode while it is on.
    pub sms: Option<SmsMode>,
    /// Whether the account was deleted. Only the name is kept then, for those who wrote with the
    /// user.
    #[serde(default)]
    pub is_deleted: bool,
    /// When an operator disabled the account, if it is disabled.
    #[serde(default)]
    pub disabled_at: Option<Timestamp>,
    /// How many public profiles the user has had after the first one.
    #[serde(default)]
    pub public_profiles: u64,
    /// Conversations that the user pinned, in the user's order.
    #[serde(default)]
    pub pinned: Vec<Conversation>,
    /// The newest changes of the email address and the phone number.
    #[serde(default)]
    pub contact_changes: ContactChanges,
    /// Mails to the user, links in them, and confirmed addresses.
    #[serde(default)]
    pub mailbox: Mailbox,
    /// The second factor, and what depends on it.
    #[serde(default)]
    pub factors: Factors,
    /// The identities at providers, and log-ins through them.
    #[serde(default)]
    pub identities: Identities,
    /// The role of an operator, if the user is one.
    #[serde(default)]
    pub operator: Option<OperatorRole>,
    /// What a directory did to the account.
    #[serde(default)]
    pub provisioning: Provisioning,
    /// What the account waits for before anybody can log in; `None` for most.
    #[serde(default)]
    pub waiting: Option<AccountWait>,
    /// Since when the user has the role of an operator.
    #[serde(default)]
    pub operator_since: Option<Timestamp>,
}

impl UserRow {
    /// Whether nobody can log in to the account: an operator or a directory disabled it, or it is new
    /// and waits.
    pub const fn is_disabled(&self) -> bool {
        let was_disabled = self.disabled_at.is_some() || self.provisioning.deactivated_at.is_some();
        was_disabled || self.waiting.is_some()
    }
}

/// An application and its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplicationRow {
    /// The user who registered it.
    pub owner: UserId,
    /// The application.
    pub application: Application,
}

/// A chat, apart from its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatRow {
    /// When its first message was posted.
    pub created_at: Timestamp,
    /// The id of its newest message, by which lists of chats are ordered.
    pub last: MessageId,
}

/// A token and its user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRow {
    /// The user.
    pub user: UserId,
    /// The token.
    pub token: TokenRecord,
}

/// A bot and the group it is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotRow {
    /// The bot's group.
    pub group: GroupId,
    /// The bot.
    pub bot: Bot,
}

/// The position of the first answer under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerRow {
    /// When the answer was given.
    pub at: Timestamp,
    /// The cursor at which its record begins.
    pub record: u64,
    /// The index of the event in its record.
    pub index: u16,
}

/// How far a bot was called back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallbackProgress {
    /// The id of the message up to which everything is delivered, parked or given up.
    pub until: u64,
    /// The id of the newest delivery.
    pub newest: u64,
    /// Like `until`, as the number of an event; 0 if the last delivery is from before this field
    /// existed.
    #[serde(default)]
    pub until_n: u64,
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
