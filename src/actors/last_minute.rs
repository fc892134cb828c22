//! What a room that starts has to know of the last minute: the guids in it may not come
//! again.

use std::sync::Arc;

use crate::domain::ids::StreamId;
use crate::domain::limits::DEDUP_MILLIS;
use crate::domain::message::Message;
use crate::domain::time::{Moment, Monotonic, Timestamp};
use crate::index::IndexFault;
use crate::index::archive::Archive;

/// The messages of the last minute, oldest first, with the time on the monotonic clock
/// at which each was written. `last` is the newest message of the conversation.
pub(super) fn last_minute(
    archive: &Archive,
    stream: StreamId,
    last: Option<&Message>,
    now: Moment,
) -> Result<Vec<(Arc<Message>, Monotonic)>, IndexFault> {
    let from = Timestamp::from_millis(now.wall.millis().saturating_sub(DEDUP_MILLIS));
    if last.is_none_or(|message| message.created_at() < from.seconds()) {
        return Ok(Vec::new());
    }
    let recent = archive.decided_since(stream, from)?;
    let noted = |(at, message): (Timestamp, Arc<Message>)| {
        (message, now.mono.minus_millis(now.wall.millis_since(at)))
    };
    Ok(recent.into_iter().map(noted).collect())
}
