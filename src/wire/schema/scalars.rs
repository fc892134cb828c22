//! Scalar types that occur in many schemas: ids as text, and validated texts with their limits.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::domain::bot_event::BotEvent;
use crate::domain::callback::DeliveryState;
use crate::domain::ids::{
    AddId, CalendarEventId, DeliveryId, GroupId, MembershipId, MessageId, PollId, ReportId, RuleId,
    TokenId, UserId,
};
use crate::domain::limits;
use crate::domain::text::{
    CallbackUrl, Description, Email, GroupName, MessageText, Nickname, Phone, SourceGuid, UserName,
};
use crate::domain::user::{ApplicationName, RedirectUrl};

/// An id in responses: a decimal number as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextId(u64);

impl Serialize for TextId {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(itoa::Buffer::new().format(self.0))
    }
}

macro_rules! sent_as_text {
    ($($id:ty),*) => { $(
        impl From<$id> for TextId {
            fn from(id: $id) -> Self {
                Self(id.get())
            }
        }
    )* };
}

sent_as_text!(
    AddId,
    CalendarEventId,
    DeliveryId,
    GroupId,
    MembershipId,
    MessageId,
    PollId,
    ReportId,
    RuleId,
    TokenId,
    UserId
);

/// A cursor as clients see it: a position in the order of the whole installation.
#[derive(Debug)]
pub enum CursorText {}

/// The name of a conversation in the push protocol.
#[derive(Debug)]
pub enum ConversationName {}

/// The name of a chat: the ids of its users as `a+b`.
#[derive(Debug)]
pub enum ChatName {}

/// Implements `JsonSchema` for types by a given schema, which is inlined wherever the type is used.
macro_rules! described {
    ($($type:ty, $name:literal, $schema:expr;)*) => { $(
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed($name)
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    )* };
}

/// Text of 1 to `most` characters.
fn words(most: usize) -> Schema {
    json_schema!({"type": "string", "minLength": 1, "maxLength": most})
}

described! {
    TextId, "TextId", json_schema!({"type": "string", "pattern": "^[0-9]+$"});
    MessageText, "MessageText", words(limits::MESSAGE_CHARS);
    GroupName, "GroupName", words(limits::GROUP_NAME_CHARS);
    Description, "Description", words(limits::DESCRIPTION_CHARS);
    Nickname, "Nickname", words(limits::NICKNAME_CHARS);
    UserName, "UserName", words(limits::USER_NAME_CHARS);
    SourceGuid, "SourceGuid", words(limits::GUID_CHARS);
    CursorText, "Cursor", json_schema!({
        "type": "string", "description": "An opaque cursor; its text order is that of commits.",
    });
    ConversationName, "Conversation", json_schema!({
        "type": "string",
        "pattern": "^(g:[0-9]+|d:[0-9]+\\+[0-9]+|u:[0-9]+|p:[0-9]+)$",
        "description": "`g:<group>` is a group, `d:<user>+<user>` a chat, `u:<own id>` your own \
            account, and `p:<user>` the public profile of a user with whom you have a chat.",
    });
    ChatName, "ChatName", json_schema!({"type": "string", "pattern": "^[0-9]+\\+[0-9]+$"});
    Email, "Email", words(limits::EMAIL_CHARS);
    Phone, "Phone", json_schema!({"type": "string"});
    CallbackUrl, "CallbackUrl", words(limits::CALLBACK_URL_CHARS);
    ApplicationName, "ApplicationName", words(limits::APPLICATION_NAME_CHARS);
    RedirectUrl, "RedirectUrl", words(limits::CALLBACK_URL_CHARS);
    BotEvent, "BotEvent", json_schema!({"enum": BotEvent::ALL.map(BotEvent::as_str)});
    DeliveryState, "DeliveryState", json_schema!({"enum": DeliveryState::ALL.map(DeliveryState::name)});
}
