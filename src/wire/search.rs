//! Search results in JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::message::{DirectMessage, GroupMessage};
use domain::ids::Conversation;
use domain::message::MessageJson;

/// A message of a group that a search found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FoundMessage")]
pub struct FoundInGroup<'a> {
    #[serde(flatten)]
    message: GroupMessage<'a>,
    /// Id of the group.
    conversation_id: String,
    /// Where the search words are in the text: `[start, length]` pairs in Unicode scalar values.
    highlights: Vec<[usize; 2]>,
}

/// A direct message that a search found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FoundDirectMessage")]
pub struct FoundInChat<'a> {
    #[serde(flatten)]
    message: DirectMessage<'a>,
    /// Where the search words are in the text: `[start, length]` pairs in Unicode scalar values.
    highlights: Vec<[usize; 2]>,
}

/// A message of a group among those of other conversations.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageInGroup")]
pub struct InGroup<'a> {
    #[serde(flatten)]
    message: GroupMessage<'a>,
    /// Id of the group.
    conversation_id: String,
}

/// Returns the JSON of a message among those of other conversations, with its own conversation.
pub fn in_conversation(message: &MessageJson, conversation: Conversation) -> Vec<u8> {
    match conversation {
        Conversation::Group(group) => message.with(&format!("\"conversation_id\":\"{group}\"")),
        // A direct message already has its `conversation_id`.
        Conversation::Chat(_) => message.as_ref().to_vec(),
    }
}

/// Returns the JSON of a found message, with its conversation and the positions of the search
/// words.
pub fn found(
    message: &MessageJson,
    conversation: Conversation,
    places: &[(usize, usize)],
) -> Vec<u8> {
    let places: Vec<String> =
        places.iter().map(|(start, length)| format!("[{start},{length}]")).collect();
    let highlights = format!("\"highlights\":[{}]", places.join(","));
    match conversation {
        Conversation::Group(group) => {
            message.with(&format!("\"conversation_id\":\"{group}\",{highlights}"))
        }
        // A direct message already has its `conversation_id`.
        Conversation::Chat(_) => message.with(&highlights),
    }
}
