//! Scalar types that occur in many schemas: ids and names of conversations, as text.

use schemars::json_schema;
use serde::{Serialize, Serializer};

use domain::described;
use domain::ids::{
    AddId, CalendarEventId, DeliveryId, DirectoryGroupId, GroupId, HeldId, InvitationId,
    InviteLinkId, MailId, MembershipId, MessageId, PollId, ReportId, RuleId, TokenId, UserId,
};

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
    DirectoryGroupId,
    GroupId,
    HeldId,
    MembershipId,
    MessageId,
    PollId,
    ReportId,
    InvitationId,
    InviteLinkId,
    MailId,
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

described! {
    TextId, "TextId", json_schema!({"type": "string", "pattern": "^[0-9]+$"});
    CursorText, "Cursor", json_schema!({
        "type": "string", "description": "An opaque cursor; its text order is that of commits.",
    });
    ConversationName, "Conversation", json_schema!({
        "type": "string",
        "pattern": "^(g:[0-9]+|d:[0-9]+\\+[0-9]+|u:[0-9]+|p:[0-9]+|m:[0-9]+)$",
        "description": "`g:<group>` is a group, `d:<user>+<user>` a chat, `u:<own id>` your own \
            account, `p:<user>` the public profile of a user with whom you have a chat, and \
            `m:<group>` what its moderators and those concerned hear of a group.",
    });
    ChatName, "ChatName", json_schema!({"type": "string", "pattern": "^[0-9]+\\+[0-9]+$"});
}
