//! Trimming the log: messages that are older than the operator's limit, and that every node has in
//! its journal, are removed from the servers.
//!
//! The engine's own age limit knows nothing of nodes, and would remove a shard's newest message,
//! which is its fence, with the rest. So the first node by name removes everything before a
//! position in the log that it computes: all of it older than the limit, nothing that is missing at
//! a node heard from within that time, and no shard's newest message.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::stream::Stream;

use crate::bus::BusError;
use crate::liveness::DEAD_AFTER;
use crate::membership::{Membership, ThisNode};
use journal::replicated::nats_options::{STREAM, SUBJECTS};
use journal::replicated::shard::Shard;

/// The bounds of the pause between two runs: a quarter of the age, but never shorter or longer.
const MIN_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(3600);

impl Membership {
    /// Starts to trim the log: messages are kept for so long, and longer only for nodes that are
    /// behind.
    pub fn keep_log_for(&self, age: Duration) {
        self.0.bus.runtime().spawn(Arc::clone(&self.0).trim(age));
    }
}

impl ThisNode {
    /// Trims the log now and then, until the bus is closed.
    async fn trim(self: Arc<Self>, age: Duration) {
        loop {
            self.journal.keep_up();
            tokio::time::sleep((age / 4).clamp(MIN_PAUSE, MAX_PAUSE)).await;
            let Some(kept) = self.kept_by_all(age) else { continue };
            match self.remove_older(age, kept).await {
                Ok(None) => {}
                Ok(Some(first)) => tracing::info!(first, "removed old messages from the log"),
                Err(error) => tracing::warn!(
                    %error,
                    "removing old messages from the log failed; retrying later"
                ),
            }
        }
    }

    /// The message up to which every node has the log on stable storage; `None` if another node
    /// trims, or if a node does not report it yet.
    fn kept_by_all(&self, age: Duration) -> Option<u64> {
        let view = self.view();
        let now = self.now();
        if view.living.candidates(now).min() != Some(&self.name) {
            return None;
        }
        let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        let kept = view.living.kept(age.max(DEAD_AFTER), now)?;
        if kept == 0 {
            tracing::info!("keeping old messages in the log: a node does not report its position");
        }
        Some(kept).filter(|it| *it > 0)
    }

    /// Removes the messages that may go; returns where the log begins then, if any were removed.
    async fn remove_older(&self, age: Duration, kept: u64) -> Result<Option<u64>, BusError> {
        let stream = self.bus.engine().0.get_stream(STREAM).await?;
        let first = stream.cached_info().state.first_sequence;
        let now = self.clock.now().wall.millis() / 1000;
        let old = i64::try_from(now.saturating_sub(age.as_secs()))?;
        let mut end = first_since(&stream, old, (first, kept + 1)).await?;
        for shard in Shard::all() {
            if end <= first {
                return Ok(None);
            }
            // The server that answers may not know a shard's latest message yet. That does no harm:
            // less is removed.
            let subject = format!("{SUBJECTS}.{}", shard.get());
            end = end.min(stream.get_last_raw_message_by_subject(&subject).await?.sequence);
        }
        if end <= first {
            return Ok(None);
        }
        stream.purge().sequence(end).await?;
        Ok(Some(end))
    }
}

/// The first message in this range that is not from before this second; the range's end if all are.
async fn first_since(
    stream: &Stream,
    second: i64,
    (first, end): (u64, u64),
) -> Result<u64, BusError> {
    let mut old = first;
    let mut young = end;
    // The oldest message is looked at first: mostly it is not old enough, and nothing is to be
    // removed.
    let mut at = first;
    while old < young {
        if stream.get_raw_message(at).await?.time.unix_timestamp() < second {
            old = at + 1;
        } else {
            young = at;
        }
        at = old.midpoint(young);
    }
    Ok(old)
}
