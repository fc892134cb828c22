//! Previews of links, where the operator wants them: follows the journal, looks at the pages to
//! which new messages link, and has their room show what they say of themselves.
//!
//! After the post was answered, and for nobody to wait for. What it finds is a fact of the
//! conversation, so everybody sees the same at every node. What was under way when the server
//! ended is begun again after the start (see [`left`]). A preview is a courtesy: of what did not
//! fit, nothing is shown.

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
use crate::journal::replicated::shard::{Hands, Shard};
use crate::journal::{Committed, Follower};
use crate::media::Images;
use crate::outgoing::Outgoing;
use crate::subscribers::previews::left::LeftOver;
use crate::subscribers::previews::looking::PageReader;

/// Messages whose links are looked at, or wait for that.
const WAITING: usize = 256;
/// Messages whose links are looked at once.
const AT_ONCE: usize = 4;
/// How long the links of one message may take together.
const LOOKED_WITHIN: Duration = Duration::from_secs(20);

/// Where messages wait whose links are looked at; there is one where nobody looks, too.
pub fn budget(places: &Places) -> Budget {
    Budget::new(places, "link_previews", Bound::of_items(WAITING))
}

/// Who looks at links. Cheap to clone.
#[derive(Clone)]
pub struct Previews(Arc<Looking>);

struct Looking {
    directory: Directory,
    pages: PageReader,
    /// What waits, until somebody begins.
    waiting: Mutex<Option<mpsc::Receiver<Waiting>>>,
    /// What nobody heard here when it happened.
    left: LeftOver,
}

/// A message that waits, and its place.
type Waiting = (LinkedMessage, Permit);

/// A message with links.
struct LinkedMessage {
    conversation: Conversation,
    message: MessageId,
    links: Vec<String>,
}

impl Previews {
    /// Begins to follow the journal; what is found waits for [`Self::start_here`].
    pub fn new(
        directory: Directory,
        outgoing: Outgoing,
        images: Arc<Images>,
        budget: Budget,
    ) -> Self {
        let (sender, waiting) = mpsc::channel(WAITING);
        let pages = PageReader::new(outgoing, images, Arc::clone(&directory.context().clock));
        let (waiting, left) = (Mutex::new(Some(waiting)), LeftOver::default());
        let looking = Arc::new(Looking { directory, pages, waiting, left });
        let follower = LinkFollower { sender, budget, looking: Arc::downgrade(&looking) };
        let journal = &looking.directory.context().archive.journal;
        let heard_from = journal.follow(Box::new(follower));
        looking.left.add(Shard::all(), heard_from);
        Self(looking)
    }

    /// Looks at links on this thread, from now on. Called once.
    pub fn start_here(&self) {
        let waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(waiting) = waiting else { return };
        let looking = Arc::clone(&self.0);
        actix::spawn(async move {
            let messages = stream::unfold(waiting, async |mut waiting| {
                waiting.recv().await.map(|message| (message, waiting))
            });
            let look = async |(message, _place): Waiting| looking.look(message).await;
            messages.for_each_concurrent(AT_ONCE, look).await;
        });
        let looking = Arc::clone(&self.0);
        actix::spawn(async move { looking.catch_up().await });
    }
}

impl Looking {
    /// Those of these links that lead elsewhere.
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

/// The follower on the journal's thread. It does not hold what it is about, which holds the
/// journal.
struct LinkFollower {
    sender: mpsc::Sender<Waiting>,
    budget: Budget,
    looking: Weak<Looking>,
}

impl Follower for LinkFollower {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        // Of several nodes, the one looks that decided it.
        for commit in batch.iter().filter(|commit| commit.origin == Origin::Here) {
            let Some(conversation) = commit.stream.conversation() else { continue };
            for entry in &commit.entries {
                self.hear(conversation, &entry.event.fact);
            }
        }
    }

    /// What was under way at the node before is left to this one.
    fn moved(&mut self, shard: Shard, hands: Hands) {
        let looking = self.looking.upgrade().filter(|_| hands == Hands::Ours);
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
        // There is a place for each that the budget lets in, unless the server ends.
        drop(self.sender.try_send((linked, place)));
    }
}

/// The links that somebody wrote by this fact, and in which message.
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
