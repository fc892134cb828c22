//! What a search finds, in JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::domain::ids::Conversation;
use crate::domain::message::MessageJson;
use crate::wire::message::{DirectMessage, GroupMessage};

/// A message of a group that was found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FoundMessage")]
pub struct FoundInGroup<'a> {
    #[serde(flatten)]
    message: GroupMessage<'a>,
    /// The group.
    conversation_id: String,
    /// Where the words stand in the text: `[start, length]` in Unicode scalar values.
    highlights: Vec<[usize; 2]>,
}

/// A message between two users that was found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FoundDirectMessage")]
pub struct FoundInChat<'a> {
    #[serde(flatten)]
    message: DirectMessage<'a>,
    /// Where the words stand in the text: `[start, length]` in Unicode scalar values.
    highlights: Vec<[usize; 2]>,
}

/// A message with where it is and where in it the words stand.
///
/// # Errors
/// When the message is no JSON object.
pub fn found(
    message: &MessageJson,
    conversation: Conversation,
    places: &[(usize, usize)],
) -> serde_json::Result<Value> {
    let mut fields: Map<String, Value> = serde_json::from_str(message.get())?;
    fields.insert("conversation_id".to_owned(), json!(conversation.to_string()));
    fields.insert("highlights".to_owned(), json!(places));
    Ok(Value::Object(fields))
}
