//! Finds messages whose links were never looked at, because the server or the node that was to do
//! it ended.
//!
//! They are found in the journal, which has the messages with links and the previews that were
//! found, so nothing else is stored. Only the last minutes before this node began to receive the
//! conversations are read; older messages are history and stay as they are. A page without a
//! preview leaves no trace, so it is looked at once more.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::sync::Notify;

use crate::previews::{LinkedMessage, Looking, NewLinks, WAITING, new_links, owner_of};
use base::bounds::turns::Owner;
use domain::ids::{Conversation, MessageId, StreamId};
use domain::previews::previewable;
use domain::time::Timestamp;
use index::IndexFault;
use index::archive::Archive;
use journal::replicated::shard::Shard;
use journal::{Committed, Cursor, Scan};

/// How many milliseconds after it was posted a message is still worth previews.
const WORTH_MILLIS: u64 = 600_000;
/// Bytes of the journal that are read at once.
const STRETCH: usize = 1 << 20;
/// Delay before a failed pass is repeated.
const AGAIN: Duration = Duration::from_secs(1);

/// Shards in which this node did not receive earlier commits, each with the cursor from which it
/// does.
type UnheardShards = BTreeMap<Shard, Cursor>;

/// A message that got links while nobody looked.
#[derive(Clone, Copy)]
struct LeftMessage {
    conversation: Conversation,
    owner: Owner,
}

/// The shards that are still to be looked through.
#[derive(Default)]
pub(super) struct ShardBacklog {
    shards: Mutex<UnheardShards>,
    came: Notify,
}

impl ShardBacklog {
    /// Queues shards, to be looked through up to this cursor.
    pub(super) fn add(&self, shards: impl IntoIterator<Item = Shard>, upto: Cursor) {
        self.shards().extend(shards.into_iter().map(|shard| (shard, upto)));
        self.came.notify_one();
    }

    fn shards(&self) -> MutexGuard<'_, UnheardShards> {
        self.shards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn next(&self) -> UnheardShards {
        loop {
            let shards = std::mem::take(&mut *self.shards());
            if !shards.is_empty() {
                return shards;
            }
            self.came.notified().await;
        }
    }
}

impl Looking {
    /// Looks through the queued shards, now and whenever more are queued.
    pub(super) async fn catch_up(&self) {
        loop {
            let shards = self.left.next().await;
            while let Err(fault) = self.pass(&shards).await {
                tracing::warn!(%fault, "reading the links without previews failed; retrying");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }

    async fn pass(&self, shards: &UnheardShards) -> Result<(), IndexFault> {
        let archive = &self.directory.context().archive;
        let left = self.linked_in(archive, shards).await?;
        let look = async |(message, left): (MessageId, LeftMessage)| {
            let Ok(_turn) = self.turns.acquire(left.owner).await else { return };
            match self.unanswered(archive, left, message).await {
                Ok(Some(linked)) => self.look(linked).await,
                Ok(None) => {}
                Err(fault) => {
                    tracing::info!(
                        message.id = %message, %fault,
                        "reading a message failed; it gets no previews"
                    );
                }
            }
        };
        stream::iter(left).for_each_concurrent(WAITING, look).await;
        Ok(())
    }

    /// The newest messages of these shards that got links, up to the cursor of each shard.
    async fn linked_in(
        &self,
        archive: &Archive,
        shards: &UnheardShards,
    ) -> Result<BTreeMap<MessageId, LeftMessage>, IndexFault> {
        let now = self.directory.context().clock.now().wall;
        let since = Timestamp::from_millis(now.millis().saturating_sub(WORTH_MILLIS));
        let upto = shards.values().copied().max().unwrap_or_default();
        let mut from = archive
            .blocking(Owner::Server, move |archive| Ok(archive.journal.since(since)?))
            .await?;
        let mut left = BTreeMap::new();
        while from < upto {
            let read = move |archive: &Archive| Ok(archive.journal.scan(from, STRETCH)?);
            let Scan { commits, next } = archive.blocking(Owner::Server, read).await?;
            let is_wanted = |commit: &Committed| {
                let heard_from = shards.get(&Shard::of(commit.stream));
                commit.at >= since && heard_from.is_some_and(|upto| commit.cursor < *upto)
            };
            for commit in commits.iter().filter(|commit| is_wanted(commit)) {
                left.extend(linked(commit));
            }
            while left.len() > WAITING {
                left.pop_first();
            }
            if next <= from {
                break;
            }
            from = next;
        }
        Ok(left)
    }

    /// A message with those of its links that have no preview; `None` if there are none, or if
    /// another node owns the conversation by now.
    async fn unanswered(
        &self,
        archive: &Archive,
        left: LeftMessage,
        message: MessageId,
    ) -> Result<Option<LinkedMessage>, IndexFault> {
        let LeftMessage { conversation, owner } = left;
        let stream = StreamId::from(conversation);
        if !archive.journal.owns(stream) {
            return Ok(None);
        }
        let found =
            archive.read_current(Owner::Server, move |it| it.message(stream, message)).await?;
        let Some(found) = found.map(|found| found.message) else { return Ok(None) };
        let mut links = previewable(found.text.as_deref());
        links.retain(|link| found.state.previews.iter().all(|preview| preview.url != *link));
        let links = self.outside(links);
        Ok((!links.is_empty()).then_some(LinkedMessage { conversation, message, owner, links }))
    }
}

/// The messages that got links by this commit.
fn linked(commit: &Committed) -> impl Iterator<Item = (MessageId, LeftMessage)> {
    let conversation = commit.stream.conversation();
    commit.entries.iter().filter_map(move |entry| {
        let NewLinks { message, author, links } = new_links(&entry.event.fact)?;
        let conversation = conversation.filter(|_| !links.is_empty())?;
        let owner = owner_of(author, conversation);
        Some((message, LeftMessage { conversation, owner }))
    })
}
