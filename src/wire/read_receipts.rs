//! Read receipts of a group's message, in JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::schema::scalars::TextId;
use domain::ids::UserId;
use domain::time::Timestamp;

/// The members who have read a message.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReadBy {
    /// The members, the earliest `read_at` first.
    read_by: Vec<MessageReader>,
}

/// A member who has read a message.
#[derive(Debug, Serialize, JsonSchema)]
struct MessageReader {
    /// Id of the user.
    user_id: TextId,
    /// When the member's read position in the group last moved forward. Unix time in seconds.
    read_at: u64,
}

impl ReadBy {
    /// Builds the response from the readers and when they last read.
    pub fn of(readers: &[(UserId, Timestamp)]) -> Self {
        let reader = |(user, at): &(UserId, Timestamp)| MessageReader {
            user_id: TextId::from(*user),
            read_at: at.seconds(),
        };
        Self { read_by: readers.iter().map(reader).collect() }
    }
}
