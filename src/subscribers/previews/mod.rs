//! Previews of links, where the operator wants them: follows the journal, reads the pages to which
//! new messages link, and has the conversation's room show what they say of themselves.
//!
//! This happens after the post was answered, on a thread of its own: no callback waits for it, and
//! a server that stops does not either. Users are served in turn. A preview is a fact of the
//! conversation, so everybody sees the same at every node. Links that were being looked at when the
//! server stopped are looked at again after the start (see [`backlog`]). A preview is a courtesy:
//! messages for which there is no room get none.

mod backlog;
mod page_head;
mod page_reader;

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use actix::{Arbiter, ArbiterHandle};
use tokio::sync::{mpsc, oneshot, watch};

pub use crate::previews::page_reader::PageFault;
use crate::previews::page_reader::{DescribedPage, PageReader};
use actors::ask::{Answered, Failure};
use actors::conversation::previews::ShowPreviews;
use actors::directory::Directory;
use base::bounds::places::Places;
use base::bounds::turns::{Owner, TurnLimits, Turns, WaitingTurn};
use base::bounds::{Bound, Budget, Permit};
use base::threads::Threads;
use domain::event::{Fact, Origin};
use domain::ids::{Conversation, MessageId, UserId};
use domain::message::Author;
use domain::previews::{LinkPreview, previewable};
use domain::revision::RevisionKind;
use journal::{Committed, Cursor, Follower};
use media::Images;
use outgoing::Outgoing;

/// Messages whose links wait or are being looked at.
const WAITING: usize = 256;
/// Messages whose links are looked at at the same time, and the share of one author.
const AT_ONCE: TurnLimits = TurnLimits { places: 8, of_owner: 2, waiting_of_owner: 64 };
/// Timeout for all links of one message together.
const LOOKED_WITHIN: Duration = Duration::from_secs(20);

/// The bounds of previews; also made where previews are off, so that metrics show them.
pub struct PreviewBounds {
    waiting: Budget,
    turns: Turns,
}

impl PreviewBounds {
    /// Makes the bounds, and registers them.
    pub fn new(places: &Places) -> Self {
        Self {
            waiting: Budget::new(places, "link_previews", Bound::of_items(WAITING)),
            turns: Turns::new(places, "link_look_ups", AT_ONCE),
        }
    }
}

/// The description of a page. Its URLs are absolute.
#[derive(Debug, Clone)]
pub struct PageDescription {
    /// The title.
    pub title: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The name of the site.
    pub site: Option<String>,
    /// The URL under which the page wants to be known; its own if it says nothing.
    pub canonical: String,
    /// The URL of its picture.
    pub picture: Option<String>,
    /// The URL of the site's icon.
    pub icon: Option<String>,
}

/// Finds previews of links. Cheap to clone.
#[derive(Clone)]
pub struct Previews(Arc<Looking>);

struct Looking {
    directory: Directory,
    pages: PageReader,
    turns: Turns,
    /// The thread on which pages are read, once it has started.
    thread: OnceLock<ArbiterHandle>,
    /// The queue of messages, until [`Previews::start_here`] takes it.
    waiting: Mutex<Option<mpsc::Receiver<QueuedMessage>>>,
    /// The position before which links of other runs and nodes may have been left undone.
    unheard: watch::Sender<Cursor>,
}

/// A message that waits for its author's turn.
struct QueuedMessage {
    linked: LinkedMessage,
    turn: WaitingTurn,
    _place: Permit,
}

/// A message with links.
struct LinkedMessage {
    conversation: Conversation,
    message: MessageId,
    owner: Owner,
    links: Vec<String>,
}

impl Previews {
    /// Starts to follow the journal; messages wait until [`Self::start_here`].
    pub fn new(
        directory: Directory,
        outgoing: Outgoing,
        images: Arc<Images>,
        bounds: PreviewBounds,
    ) -> Self {
        let (sender, waiting) = mpsc::channel(WAITING);
        let pages = PageReader::new(outgoing, images, Arc::clone(&directory.context().clock));
        let waiting = Mutex::new(Some(waiting));
        let unheard = watch::Sender::default();
        let PreviewBounds { waiting: budget, turns } = bounds;
        let thread = OnceLock::new();
        let looking = Arc::new(Looking { directory, pages, turns, thread, waiting, unheard });
        let follower = LinkFollower { sender, budget, looking: Arc::downgrade(&looking) };
        let journal = &looking.directory.context().archive.journal;
        let heard_from = journal.follow(Box::new(follower));
        looking.unheard.send_replace(heard_from);
        Self(looking)
    }

    /// Starts the thread on which links are looked at. Called once.
    pub fn start(&self) -> PreviewThread {
        let arbiter = Arbiter::new();
        let looking = Arc::clone(&self.0);
        drop(self.0.thread.set(arbiter.handle()));
        arbiter.spawn_fn(move || {
            let waiting = looking.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
            let queue = Arc::clone(&looking);
            actix::spawn(async move {
                let Some(mut waiting) = waiting else { return };
                while let Some(QueuedMessage { linked, turn, _place }) = waiting.recv().await {
                    let looking = Arc::clone(&queue);
                    actix::spawn(async move {
                        let Ok(_turn) = turn.await else { return };
                        looking.look(linked).await;
                        drop(_place);
                    });
                }
            });
            actix::spawn(async move { looking.catch_up().await });
        });
        PreviewThread(arbiter)
    }

    /// Reads a page for a user, who waits for it.
    ///
    /// # Errors
    /// If the page cannot be read, or too many pages of this user wait.
    pub async fn describe(&self, user: UserId, url: String) -> Result<PageDescription, PageFault> {
        let looking = Arc::clone(&self.0);
        let (sender, described) = oneshot::channel();
        let thread = self.0.thread.get().ok_or(PageFault::Busy)?;
        let is_sent = thread.spawn_fn(move || {
            actix::spawn(async move {
                // The caller may have stopped waiting.
                drop(sender.send(looking.describe(user.into(), &url).await));
            });
        });
        if !is_sent {
            return Err(PageFault::Busy);
        }
        described.await.map_err(|_| PageFault::Busy)?
    }
}

/// The thread on which pages are read.
pub struct PreviewThread(Arbiter);

impl PreviewThread {
    /// Stops the thread, and waits this long for its end. A thread that does not end is abandoned:
    /// the process can end without it. Returns whether the thread has ended.
    pub async fn end(self, within: Duration) -> bool {
        // The end of this thread drops the sender, which ends the wait.
        let (sender, end) = oneshot::channel::<()>();
        self.0.stop();
        let joining = Threads::System.start("previews end", move || {
            if self.0.join().is_err() {
                tracing::error!("the link preview thread panicked");
            }
            drop(sender);
        });
        let has_ended = joining.is_ok() && tokio::time::timeout(within, end).await.is_ok();
        if !has_ended {
            tracing::warn!("stopping the link previews timed out; ending the server anyway");
        }
        has_ended
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
                found.extend(self.pages.look(linked.owner, link).await);
            }
        };
        if tokio::time::timeout(LOOKED_WITHIN, look).await.is_err() {
            tracing::debug!(
                "fetching the links of a message timed out; keeping those that arrived"
            );
        }
        if found.is_empty() {
            return;
        }
        if let Err(Failure::Fault(fault)) = self.show(&linked, found).await {
            tracing::info!(
                message.id = %linked.message, %fault,
                "adding the previews of a message failed; it gets none"
            );
        }
    }

    async fn describe(&self, owner: Owner, url: &str) -> Result<PageDescription, PageFault> {
        let _turn = self.turns.acquire(owner).await.map_err(|_| PageFault::Busy)?;
        let reading = self.pages.describe(owner, url);
        let DescribedPage { head, place } = reading.await?;
        let absolute = |url: Option<String>| url.and_then(|url| place.join(&url).ok());
        Ok(PageDescription {
            canonical: absolute(head.canonical).unwrap_or_else(|| place.url().to_owned()),
            picture: absolute(head.picture),
            icon: absolute(head.icon),
            title: head.title,
            description: head.description,
            site: head.site,
        })
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

    /// Looks again when this node begins to lead: the previous leader may have left links undone.
    fn leader_changed(&mut self, leads: bool) {
        let looking = self.looking.upgrade().filter(|_| leads);
        if let Some(looking) = looking {
            let upto = looking.directory.context().archive.journal.end();
            looking.unheard.send_replace(upto);
        }
    }
}

impl LinkFollower {
    fn hear(&self, conversation: Conversation, fact: &Fact) {
        let Some(NewLinks { message, author, links }) = new_links(fact) else { return };
        let Some(looking) = self.looking.upgrade().filter(|_| !links.is_empty()) else { return };
        let links = looking.outside(links);
        if links.is_empty() {
            return;
        }
        let Ok(place) = self.budget.try_hold(0) else { return };
        let owner = owner_of(author, conversation);
        let Ok(turn) = looking.turns.request(owner) else { return };
        let linked = LinkedMessage { conversation, message, owner, links };
        // The channel has a place for every permit of the budget, so this fails only when the
        // server stops.
        drop(self.sender.try_send(QueuedMessage { linked, turn, _place: place }));
    }
}

/// The owner of the links that somebody writes in a conversation.
fn owner_of(author: &Author, conversation: Conversation) -> Owner {
    match (author, conversation) {
        (Author::Member(user) | Author::Bot(user), Conversation::Chat(_)) => Owner::User(*user),
        (Author::Member(user), Conversation::Group(_)) => Owner::User(*user),
        (Author::Bot(_), Conversation::Group(group)) => Owner::BotsOf(group),
        (Author::System, _) => Owner::Server,
    }
}

/// The links without a preview that a fact gives to a message.
struct NewLinks<'a> {
    message: MessageId,
    author: &'a Author,
    links: Vec<&'a str>,
}

fn new_links(fact: &Fact) -> Option<NewLinks<'_>> {
    if let Some(message) = fact.message() {
        let is_of_somebody = message.author != Author::System;
        let links = is_of_somebody.then(|| previewable(message.text.as_deref()))?;
        return Some(NewLinks { message: message.id, author: &message.author, links });
    }
    let revision = fact.revision()?;
    if let RevisionKind::Edited { text, previews, .. } = &revision.kind {
        let mut links = previewable(text.as_deref());
        links.retain(|link| previews.iter().all(|preview| preview.url != *link));
        return Some(NewLinks { message: revision.message, author: &revision.by, links });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix::test]
    async fn stopping_abandons_a_stuck_preview_thread() {
        let arbiter = Arbiter::new();
        let (release, released) = std::sync::mpsc::channel::<()>();
        let (start, started) = oneshot::channel();
        arbiter.spawn_fn(move || {
            start.send(()).unwrap();
            assert!(released.recv().is_err());
        });
        started.await.unwrap();
        assert!(!PreviewThread(arbiter).end(Duration::from_millis(20)).await);
        drop(release);
        assert!(PreviewThread(Arbiter::new()).end(Duration::from_secs(3600)).await);
    }
}
