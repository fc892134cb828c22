//! Loads the guids of the last minute when a room starts: they may not be used again.

use std::sync::Arc;

use domain::dedup::GuidMemory;
use domain::ids::StreamId;
use domain::limits::DEDUP_MILLIS;
use domain::message::Message;
use domain::time::{Moment, Timestamp};
use index::IndexFault;
use index::archive::Archive;

/// Returns the guids of the last minute. `last` is the newest message of the conversation. `noted`
/// turns a message as it was posted into what is kept of it. The messages are not collected first:
/// a busy group has hundreds of thousands in a minute.
pub(super) fn last_minute<V: for<'a> From<&'a Arc<Message>>>(
    archive: &Archive,
    stream: StreamId,
    last: Option<&Message>,
    now: Moment,
    noted: impl Fn(Arc<Message>) -> Result<Arc<Message>, IndexFault>,
) -> Result<GuidMemory<V>, IndexFault> {
    let mut guids = GuidMemory::default();
    let from = Timestamp::from_millis(now.wall.millis().saturating_sub(DEDUP_MILLIS));
    if last.is_none_or(|message| message.created_at() < from.seconds()) {
        return Ok(guids);
    }
    archive.decided_since(stream, from, &mut |at, message| {
        let at = now.mono.minus_millis(now.wall.millis_since(at));
        guids.remember_earlier(&noted(message)?, at);
        Ok(())
    })?;
    Ok(guids)
}
