//! What a search finds, in JSON.

use schemars::JsonSchema;
use serde::Serialize;

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
        // A direct message says where it is.
        Conversation::Chat(_) => message.with(&highlights),
    }
}
