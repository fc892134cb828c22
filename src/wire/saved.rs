//! Saved messages in JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::message::{DirectMessage, GroupMessage};
use crate::schema::scalars::{ConversationName, TextId};
use crate::schema::{list, named, number, object, of, text};
use domain::ids::{Conversation, MessageId, StreamId};
use domain::message::MessageJson;
use domain::user::SavedMessage;

/// Whether you saved a message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedState")]
pub struct SavedState {
    /// The conversation: a group's id, or those of two users as `a+b`.
    conversation_id: String,
    /// Id of the message.
    message_id: TextId,
    /// When you saved it; null if you did not. Unix time in seconds.
    saved_at: Option<u64>,
}

impl SavedState {
    /// A message that is saved.
    pub fn saved(saved: &SavedMessage) -> Self {
        let saved_at = Some(saved.at.seconds());
        Self { saved_at, ..Self::unsaved(saved.conv, saved.message) }
    }

    /// A message that is not saved.
    pub fn unsaved(conv: Conversation, message: MessageId) -> Self {
        Self { conversation_id: conv.to_string(), message_id: message.into(), saved_at: None }
    }
}

/// You saved a message, or took it out of the saved ones.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct SavedData {
    /// The conversation.
    #[schemars(with = "ConversationName")]
    conv: String,
    /// Id of the message.
    message_id: TextId,
    /// When you saved it; null if you took it out. Unix time in seconds.
    saved_at: Option<u64>,
}

impl SavedData {
    /// A message that was saved.
    pub fn saved(saved: &SavedMessage) -> Self {
        let saved_at = Some(saved.at.seconds());
        Self { saved_at, ..Self::unsaved(saved.conv, saved.message) }
    }

    /// A message that was taken out.
    pub fn unsaved(conv: Conversation, message: MessageId) -> Self {
        let conv = StreamId::from(conv).to_string();
        Self { conv, message_id: message.into(), saved_at: None }
    }
}

/// A saved message in the snapshot.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SnapshotSaved")]
pub struct SavedPlace {
    /// The conversation.
    #[schemars(with = "ConversationName")]
    conv: String,
    /// Id of the message.
    message_id: TextId,
}

impl SavedPlace {
    /// The place of a saved message.
    pub fn of(saved: &SavedMessage) -> Self {
        Self { conv: StreamId::from(saved.conv).to_string(), message_id: saved.message.into() }
    }
}

/// A row of the list of saved messages.
#[derive(Debug, Serialize)]
pub struct SavedRow {
    id: String,
    saved_at: u64,
    conversation_id: String,
    message_id: TextId,
    message: Option<MessageJson>,
}

impl SavedRow {
    /// A saved message with the message itself, if the user may read it.
    pub fn of(saved: &SavedMessage, message: Option<MessageJson>) -> Self {
        Self {
            id: saved.id.to_string(),
            saved_at: saved.at.seconds(),
            conversation_id: saved.conv.to_string(),
            message_id: saved.message.into(),
            message,
        }
    }
}

/// The schema of the list.
pub fn list_schema() -> Value {
    let message = json!({
        "anyOf": [of::<GroupMessage>(), of::<DirectMessage>(), {"type": "null"}],
        "description":
            "The message; null if it was deleted or you are no longer in the conversation.",
    });
    let row = object([
        ("id", text("Id of the row, for `before`.")),
        ("saved_at", number("When you saved it. Unix time in seconds.")),
        (
            "conversation_id",
            text("The conversation: a group's id, or those of two users as `a+b`."),
        ),
        ("message_id", of::<TextId>()),
        ("message", message),
    ]);
    object([("saved", list(named("SavedMessage", row)))])
}
