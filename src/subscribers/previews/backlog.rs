//! Finds messages whose links were never looked at, because the server or the node that was to do
//! it ended.
//!
//! They are found in the journal, which has the messages with links and the previews that were
//! found, so nothing else is stored. Only the last minutes before this node began to receive the
//! conversations are read; older messages are history and stay as they are. A page without a
//! preview leaves no trace, so it is looked at once more.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::previews::{LinkedMessage, Looking, NewLinks, WAITING, new_links, owner_of};
use base::bounds::turns::Owner;
use domain::ids::{Conversation, MessageId, StreamId};
use domain::previews::previewable;
use domain::time::Timestamp;
use futures_util::{StreamExt, stream};
use index::IndexFault;
use index::archive::Archive;
use journal::{Committed, Cursor, Scan};

/// How many milliseconds after it was posted a message is still worth previews.
const WORTH_MILLIS: u64 = 600_000;
/// Bytes of the journal that are read at once.
const STRETCH: usize = 1 << 20;
/// Delay before a failed pass is repeated.
const AGAIN: Duration = Duration::from_secs(1);

/// A message that got links while nobody looked.
#[derive(Clone, Copy)]
struct LeftMessage {
    conversation: Conversation,
    owner: Owner,
}

impl Looking {
    /// Looks through what was committed before this node began to hear links, now and whenever it
    /// begins to lead.
    pub(super) async fn catch_up(&self) {
        let mut unheard = self.unheard.subscribe();
        loop {
            let upto = *unheard.borrow_and_update();
            while let Err(fault) = self.pass(upto).await {
                tracing::warn!(%fault, "reading the links without previews failed; retrying");
                tokio::time::sleep(AGAIN).await;
            }
            // `self` holds the sender, so this never fails.
            if unheard.changed().await.is_err() {
                return;
            }
        }
    }

    async fn pass(&self, upto: Cursor) -> Result<(), IndexFault> {
        let archive = &self.directory.context().archive;
        let left = self.linked_before(archive, upto).await?;
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

    /// The newest messages before this cursor that got links.
    async fn linked_before(
        &self,
        archive: &Archive,
        upto: Cursor,
    ) -> Result<BTreeMap<MessageId, LeftMessage>, IndexFault> {
        let now = self.directory.context().clock.now().wall;
        let since = Timestamp::from_millis(now.millis().saturating_sub(WORTH_MILLIS));
        let mut from = archive
            .blocking(Owner::Server, move |archive| Ok(archive.journal.since(since)?))
            .await?;
        let mut left = BTreeMap::new();
        while from < upto {
            let read = move |archive: &Archive| Ok(archive.journal.scan(from, STRETCH)?);
            let Scan { commits, next } = archive.blocking(Owner::Server, read).await?;
            let is_wanted = |commit: &Committed| commit.at >= since && commit.cursor < upto;
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
    /// another node leads by now.
    async fn unanswered(
        &self,
        archive: &Archive,
        left: LeftMessage,
        message: MessageId,
    ) -> Result<Option<LinkedMessage>, IndexFault> {
        let LeftMessage { conversation, owner } = left;
        let stream = StreamId::from(conversation);
        if !archive.journal.leads() {
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
