//! Previews of links, where the operator wants them: follows the journal, looks at the pages to
//! which new messages link, and has the conversation's room show what they say of themselves.
//!
//! This happens after the post was answered; nobody waits for it. A preview is a fact of the
//! conversation, so everybody sees the same at every node. Links that were being looked at when the
//! server stopped are looked at again after the start (see [`left`]). A preview is a courtesy:
//! messages for which there is no room get none.

mod head;
mod left;
mod looking;

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use tokio::sync::mpsc;

use crate::actors::ask::{Answered, Failure};
use crate::actors::directory::Directory;
use crate::actors::previewing::ShowPreviews;
use crate::bounds::places::Places;
use crate::bounds::{Bound, Budget, Permit};
use crate::domain::event::{Fact, Origin};
use crate::domain::ids::{Conversation, MessageId};
use crate::domain::message::Author;
use crate::domain::previews::{LinkPreview, previewable};
use crate::domain::revision::RevisionKind;
use crate::journal::replicated::shard::{Shard, ShardOwner};
use crate::journal::{Committed, Follower};
use crate::media::Images;
use crate::outgoing::Outgoing;
use crate::subscribers::previews::left::ShardBacklog;
use crate::subscribers::previews::looking::PageReader;

/// Messages whose links wait or are being looked at.
const WAITING: usize = 256;
/// Messages whose links are looked at concurrently.
const AT_ONCE: usize = 4;
/// Timeout for all links of one message together.
const LOOKED_WITHIN: Duration = Duration::from_secs(20);

/// Makes the budget for messages whose links wait; also made where previews are off, so that
/// metrics show it.
pub fn budget(places: &Places) -> Budget {
    Budget::new(places, "link_previews", Bound::of_items(WAITING))
}

/// Finds previews of links. Cheap to clone.
#[derive(Clone)]
pub struct Previews(Arc<Looking>);

struct Looking {
    directory: Directory,
    pages: PageReader,
    /// The queue of messages, until [`Previews::start_here`] takes it.
    waiting: Mutex<Option<mpsc::Receiver<QueuedMessage>>>,
    /// The shards whose earlier commits this node did not hear.
    left: ShardBacklog,
}

/// A message that waits, and its permit of the budget.
type QueuedMessage = (LinkedMessage, Permit);

/// A message with links.
struct LinkedMessage {
    conversation: Conversation,
    message: MessageId,
    links: Vec<String>,
}

impl Previews {
    /// Starts to follow the journal; messages wait until [`Self::start_here`].
    pub fn new(
        directory: Directory,
        outgoing: Outgoing,
        images: Arc<Images>,
        budget: Budget,
    ) -> Self {
        let (sender, waiting) = mpsc::channel(WAITING);
        let pages = PageReader::new(outgoing, images, Arc::clone(&directory.context().clock));
        let (waiting, left) = (Mutex::new(Some(waiting)), ShardBacklog::default());
        let looking = Arc::new(Looking { directory, pages, waiting, left });
        let follower = LinkFollower { sender, budget, looking: Arc::downgrade(&looking) };
        let journal = &looking.directory.context().archive.journal;
        let heard_from = journal.follow(Box::new(follower));
        looking.left.add(Shard::all(), heard_from);
        Self(looking)
    }

    /// Starts to look at links on this thread. Called once.
    pub fn start_here(&self) {
        let waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(waiting) = waiting else { return };
        let looking = Arc::clone(&self.0);
        actix::spawn(async move {
            let messages = stream::unfold(waiting, async |mut waiting| {
                waiting.recv().await.map(|message| (message, waiting))
            });
            let look = async |(message, _place): QueuedMessage| looking.look(message).await;
            messages.for_each_concurrent(AT_ONCE, look).await;
        });
        let looking = Arc::clone(&self.0);
        actix::spawn(async move { looking.catch_up().await });
    }
}

impl Looking {
    /// The links that lead to other servers.
    fn outside(&self, links: Vec<&str>) -> Vec<String> {
        let instance = &self.directory.context().instance;
        let outside = links.into_iter().filter(|link| instance.own_path(link).is_none());
        outside.map(str::to_owned).collect()
    }

    async fn look(&self, linked: LinkedMessage) {
        let mut found = Vec::new();
        let look = async {
            for link in &linked.links {
                found.extend(self.pages.look(link).await);
            }
        };
        if tokio::time::timeout(LOOKED_WITHIN, look).await.is_err() {
            tracing::debug!("the links of a message take too long");
        }
        if found.is_empty() {
            return;
        }
        if let Err(Failure::Fault(fault)) = self.show(&linked, found).await {
            tracing::info!(message.id = %linked.message, %fault, "a message stays without previews");
        }
    }

    async fn show(
        &self,
        linked: &LinkedMessage,
        found: Vec<LinkPreview>,
    ) -> Answered<ShowPreviews> {
        let question = ShowPreviews { message: linked.message, found };
        match linked.conversation {
            Conversation::Group(group) => self.directory.ask(group, question).await,
            Conversation::Chat(pair) => self.directory.ask(pair, question).await,
        }
    }
}

/// The follower on the journal's thread. It holds a weak reference, because [`Looking`] holds the
/// journal.
struct LinkFollower {
    sender: mpsc::Sender<QueuedMessage>,
    budget: Budget,
    looking: Weak<Looking>,
}

impl Follower for LinkFollower {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        // Of several nodes, only the one that decided the message looks at its links.
        for commit in batch.iter().filter(|commit| commit.origin == Origin::Here) {
            let Some(conversation) = commit.stream.conversation() else { continue };
            for entry in &commit.entries {
                self.hear(conversation, &entry.event.fact);
            }
        }
    }

    /// Queues a shard that this node takes over: its previous node may have left links undone.
    fn owner_changed(&mut self, shard: Shard, owner: ShardOwner) {
        let looking = self.looking.upgrade().filter(|_| owner == ShardOwner::ThisNode);
        if let Some(looking) = looking {
            let upto = looking.directory.context().archive.journal.end();
            looking.left.add([shard], upto);
        }
    }
}

impl LinkFollower {
    fn hear(&self, conversation: Conversation, fact: &Fact) {
        let Some((message, links)) = new_links(fact) else { return };
        let Some(looking) = self.looking.upgrade().filter(|_| !links.is_empty()) else { return };
        let links = looking.outside(links);
        if links.is_empty() {
            return;
        }
        let Ok(place) = self.budget.try_hold(0) else { return };
        let linked = LinkedMessage { conversation, message, links };
        // The channel has a place for every permit of the budget, so this fails only when the
        // server stops.
        drop(self.sender.try_send((linked, place)));
    }
}

/// The message to which a fact gives links, and the links without a preview.
fn new_links(fact: &Fact) -> Option<(MessageId, Vec<&str>)> {
    if let Some(message) = fact.message() {
        let is_of_somebody = message.author != Author::System;
        let links = is_of_somebody.then(|| previewable(message.text.as_deref()))?;
        return Some((message.id, links));
    }
    let revision = fact.revision()?;
    if let RevisionKind::Edited { text, previews, .. } = &revision.kind {
        let mut links = previewable(text.as_deref());
        links.retain(|link| previews.iter().all(|preview| preview.url != *link));
        return Some((revision.message, links));
    }
    None
}
