//! Who has read what, in JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::ids::UserId;
use crate::domain::time::Timestamp;
use crate::wire::schema::scalars::TextId;

/// Who has read up to a message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ReadBy {
    /// The earliest first.
    read_by: Vec<MessageReader>,
}

/// Somebody who has read up to a message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct MessageReader {
    /// Who it is.
    user_id: TextId,
    /// When they last read on. Unix time in seconds.
    read_at: u64,
}

impl ReadBy {
    /// These.
    pub fn of(readers: &[(UserId, Timestamp)]) -> Self {
        let reader = |(user, at): &(UserId, Timestamp)| MessageReader {
            user_id: TextId::from(*user),
            read_at: at.seconds(),
        };
        Self { read_by: readers.iter().map(reader).collect() }
    }
}
