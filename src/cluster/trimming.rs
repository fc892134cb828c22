//! Trimming the log: what is older than operators want it kept, and lies in the journal of every
//! node, is removed from the servers.
//!
//! The engine's own limit of age knows no nodes, and would take a shard's newest message, which
//! is its fence, with the rest. So the first of the nodes by name has everything removed before
//! a place in the log that it has looked up: no newer than the age, nothing that a node lacks
//! that was heard of within that time, and no shard's newest message.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::stream::Stream;

use crate::cluster::bus::BusTrouble;
use crate::cluster::living::DEAD_AFTER;
use crate::cluster::membership::{Membership, ThisNode};
use crate::journal::replicated::nats_options::{STREAM, SUBJECTS};
use crate::journal::replicated::shard::Shard;

/// How often it is looked, whatever the age.
const OFTEN: Duration = Duration::from_secs(1);
const SELDOM: Duration = Duration::from_secs(3600);

impl Membership {
    /// From now on the log is kept for so long, and longer only for nodes that are behind.
    pub fn keep_log_for(&self, age: Duration) {
        self.0.bus.runtime().spawn(Arc::clone(&self.0).trim(age));
    }
}

impl ThisNode {
    /// Until the bus is closed.
    async fn trim(self: Arc<Self>, age: Duration) {
        loop {
            self.journal.keep_up();
            tokio::time::sleep((age / 4).clamp(OFTEN, SELDOM)).await;
            let Some(kept) = self.kept_by_all(age) else { continue };
            match self.remove_older(age, kept).await {
                Ok(None) => {}
                Ok(Some(first)) => tracing::info!(first, "what was older was removed of the log"),
                Err(error) => tracing::warn!(%error, "nothing could be removed of the log"),
            }
        }
    }

    /// Up to which message everybody has the log; nothing where another node looks.
    fn kept_by_all(&self, age: Duration) -> Option<u64> {
        let (view, now) = (self.view(), self.now());
        if view.living.taking(now).min() != Some(&self.name) {
            return None;
        }
        let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        let kept = view.living.kept(age.max(DEAD_AFTER), now)?;
        if kept == 0 {
            tracing::info!("nothing is removed of the log: a node does not say what it has");
        }
        Some(kept).filter(|it| *it > 0)
    }

    /// Removes what may go; tells where the log begins then, if something went.
    async fn remove_older(&self, age: Duration, kept: u64) -> Result<Option<u64>, BusTrouble> {
        let stream = self.bus.engine().0.get_stream(STREAM).await?;
        let first = stream.cached_info().state.first_sequence;
        let now = self.clock.now().wall.millis() / 1000;
        let old = i64::try_from(now.saturating_sub(age.as_secs()))?;
        let mut end = first_since(&stream, old, (first, kept + 1)).await?;
        for shard in Shard::all() {
            if end <= first {
                return Ok(None);
            }
            // Whoever answers may not know of newer ones, which is no harm.
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

/// The first message in this range that is not from before this second; the range's end, if
/// all are.
async fn first_since(
    stream: &Stream,
    second: i64,
    (first, end): (u64, u64),
) -> Result<u64, BusTrouble> {
    let (mut old, mut young) = (first, end);
    // The oldest one is asked first: mostly it is young, and nothing is to be done.
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
