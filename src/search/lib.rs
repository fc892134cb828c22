//! Search: messages by their words, over all conversations of one user.
//!
//! The index of words has a folder of its own, is made from the journal ([`indexing`]), and finds
//! candidates ([`engine`]). The index of rows decides at the time of the search which of them are
//! shown: the caller must be in the conversation now, and the message must still have the text that
//! was indexed. So nobody finds what was deleted or edited away, however far behind the words are.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use crate::candidates::{EngineError, EngineFault, EngineQuery, Hit};
use crate::engine::Engine;
use crate::pace::WritingPace;
use crate::typed::{Place, TypedSearch};
use base::bounds::Full;
use base::bounds::places::Places;
use base::bounds::turns::{Owner, TurnLimits, Turns};
use base::bounds::work::{WorkBudget, WorkLimits};
use base::metrics::exposition::{Exposition, MetricKind};
use domain::gallery::GalleryKind;
use domain::ids::{Conversation, GroupId, MessageId, Pair, UserId};
use domain::scopes::ScopeSet;
use index::archive::{Archive, Archived};
use index::revisions::ShownText;
use index::{Index, IndexFault};

mod candidates;
mod engine;
pub mod indexer;
mod merge_policy;
mod pace;
pub mod typed;
pub mod words;

/// Messages that are counted at most; beyond that the result only says that there are more.
pub const COUNTED: usize = 1000;
/// The most work of a search. A step takes some 5 ns and a term some 500 in a release build, so the
/// limits in steps and terms are reached after about a tenth of a second; a beginning of two
/// letters stands for some 1,000 terms of each segment of a large installation.
const WORK: WorkLimits = WorkLimits {
    steps: 20_000_000,
    terms: 200_000,
    bytes: 16 << 20,
    time: Duration::from_secs(10),
};
/// Searches of one user that wait for their turn; further ones are refused.
const WAITING: usize = 32;
/// How long a search right after a start waits for the folder to be opened; without the wait, it
/// could only be told to try again.
const OPENED_WITHIN: Duration = Duration::from_secs(10);

/// The number that stands for a kind in the folder.
const fn kind_number(kind: GalleryKind) -> u64 {
    match kind {
        GalleryKind::Image => 1,
        GalleryKind::Video => 2,
        GalleryKind::File => 3,
        GalleryKind::Link => 4,
    }
}

/// A search by a user; found messages meet all conditions.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// The user who searches.
    pub caller: UserId,
    /// The scopes of the token: conversations that they do not show are not searched.
    pub scopes: ScopeSet,
    /// The phrases to find; empty if any text will do.
    pub typed: TypedSearch,
    /// The conversation to search; all of the caller's if `None`.
    pub conversation: Option<Conversation>,
    /// Only messages of this sender.
    pub sender: Option<UserId>,
    /// Only messages that carry this kind.
    pub carried: Option<GalleryKind>,
    /// Only messages posted at this time or later, in Unix seconds.
    pub from: Option<u64>,
    /// Only messages posted at this time or earlier, in Unix seconds.
    pub to: Option<u64>,
    /// Only messages before this one: the next page.
    pub before: Option<MessageId>,
    /// The most messages to return.
    pub limit: usize,
}

/// A message that was found.
#[derive(Debug)]
pub struct FoundMessage {
    /// The message's conversation.
    pub conversation: Conversation,
    /// The message as it is now.
    pub archived: Archived,
    /// The positions of the phrases in its text.
    pub places: Vec<Place>,
}

impl FoundMessage {
    fn of(conversation: Conversation, archived: Archived, typed: &TypedSearch) -> Self {
        let text = archived.message.text.as_deref().unwrap_or_default();
        let places = typed.places_in(text);
        Self { conversation, archived, places }
    }
}

/// A page of results.
#[derive(Debug)]
pub struct SearchPage {
    /// How many messages were found on all pages, at most [`COUNTED`].
    pub count: usize,
    /// Whether more than [`COUNTED`] were found.
    pub is_more: bool,
    /// The messages of this page, newest first.
    pub messages: Vec<FoundMessage>,
}

/// Why a search fails.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SearchFault {
    /// The rows cannot be read.
    #[error(transparent)]
    Index(#[from] IndexFault),
    /// The index of words cannot be read.
    #[error("{0}")]
    Words(String),
    /// Too many searches of the caller wait.
    #[error("too many searches at once")]
    Busy,
}

impl From<Full> for SearchFault {
    fn from(_: Full) -> Self {
        Self::Busy
    }
}

impl From<EngineFault> for SearchFault {
    fn from(fault: EngineFault) -> Self {
        Self::Words(fault.to_string())
    }
}

/// Why a search is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SearchRefusal {
    /// The caller is not in the conversation.
    #[error("there is no such conversation, or none that you are in")]
    ConversationNotFound,
    /// The search would cause more work than [`WORK`].
    #[error("q matches too many words: type more letters before *, or add a conversation_id")]
    TooBroad,
}

/// Why a search ends without a page.
enum Stop {
    Fault(SearchFault),
    Refusal(SearchRefusal),
}

impl<F: Into<SearchFault>> From<F> for Stop {
    fn from(fault: F) -> Self {
        Self::Fault(fault.into())
    }
}

/// Searches messages. Cheap to clone.
#[derive(Clone)]
pub struct Search(Arc<SearchShared>);

/// State shared by searching and indexing.
struct SearchShared {
    archive: Archive,
    /// Searches that run now: one of each user, and on half of the threads that read, so that other
    /// reads find a thread.
    turns: Turns,
    /// `None` until the folder is open, and while it is being rebuilt.
    engine: watch::Sender<Option<Arc<Engine>>>,
    /// How far the journal is indexed, and how soon the rest will be.
    pace: WritingPace,
    /// How often the folder was rebuilt because it was damaged.
    made_anew: AtomicU64,
    /// Whether a search found damage.
    is_damaged: AtomicBool,
}

impl Search {
    /// Makes a search over what will be indexed from this archive.
    pub fn over(archive: Archive, places: &Places) -> Self {
        let limits = TurnLimits {
            places: archive.index.threads().cores(),
            of_owner: 1,
            waiting_of_owner: WAITING,
        };
        Self(Arc::new(SearchShared {
            archive,
            turns: Turns::new(places, "searches", limits),
            engine: watch::Sender::default(),
            pace: WritingPace::default(),
            made_anew: AtomicU64::new(0),
            is_damaged: AtomicBool::new(false),
        }))
    }

    /// Returns the messages that a search finds, as far as the caller may see them now.
    ///
    /// # Errors
    /// If rows or words cannot be read, or the folder is not open yet. The inner error is a
    /// refusal.
    pub async fn find(
        &self,
        request: SearchRequest,
    ) -> Result<Result<SearchPage, SearchRefusal>, SearchFault> {
        let archive = &self.0.archive;
        let end = archive.journal.end();
        // Words are indexed only once their rows are there.
        archive.index.reached(archive.journal.newest()).await?;
        self.opened().await;
        self.0.pace.hurry(end).await;
        let found = Arc::clone(&self.0);
        let owner = Owner::User(request.caller);
        // Given back by the thread that searches, even if nobody waits for it any more.
        let turn = self.0.turns.acquire(owner).await?;
        let search = move |_: &Archive| {
            let page = found.find(&request);
            drop(turn);
            Ok(page)
        };
        match archive.read_current(owner, search).await? {
            Ok(page) => Ok(Ok(page)),
            Err(Stop::Refusal(refusal)) => Ok(Err(refusal)),
            Err(Stop::Fault(fault)) => Err(fault),
        }
    }

    /// Waits until the folder is open, or for [`OPENED_WITHIN`].
    async fn opened(&self) {
        let mut engine = self.0.engine.subscribe();
        tokio::time::timeout(OPENED_WITHIN, engine.wait_for(Option::is_some)).await.ok();
    }

    /// Writes the metrics of search.
    pub fn write(&self, page: &mut Exposition) {
        let help = "Messages in the search index.";
        let messages = self.0.engine().map_or(0, |engine| engine.messages());
        page.single("coterie_search_messages", MetricKind::Gauge, help, messages);
        let help = "Bytes of the journal that are not in the search index yet.";
        let end = self.0.archive.journal.end().get();
        let lag = end.saturating_sub(self.0.pace.reached().get());
        page.single("coterie_search_lag_bytes", MetricKind::Gauge, help, lag);
        let help = "How often the search index was rebuilt because it was damaged.";
        let made_anew = self.0.made_anew.load(Ordering::Relaxed);
        page.single("coterie_search_made_anew_total", MetricKind::Counter, help, made_anew);
    }
}

impl SearchShared {
    fn engine(&self) -> Option<Arc<Engine>> {
        self.engine.borrow().clone()
    }

    fn find(&self, request: &SearchRequest) -> Result<SearchPage, Stop> {
        let conversations = match request.conversation {
            Some(only) if !is_in(&self.archive.index, request.caller, only)? => {
                return Err(Stop::Refusal(SearchRefusal::ConversationNotFound));
            }
            Some(only) => vec![only],
            None => {
                let mut all = self.archive.index.conversations_of(request.caller)?;
                all.retain(|conversation| request.scopes.reads(*conversation));
                all
            }
        };
        if conversations.is_empty() {
            return Ok(SearchPage { count: 0, is_more: false, messages: Vec::new() });
        }
        let unopened = || SearchFault::Words("the search index is being opened".to_owned());
        let engine = self.engine().ok_or_else(unopened)?;
        let wanted = EngineQuery {
            typed: request.typed.clone(),
            conversations: conversations.into_iter().map(name_of).collect(),
            sender: request.sender.map(UserId::get),
            has: request.carried.map(kind_number),
            from: request.from,
            to: request.to,
        };
        let mut budget = WorkBudget::new(WORK);
        let mut all = self.valid(&engine, &wanted, u64::MAX, COUNTED + 1, &mut budget)?;
        let count = all.len().min(COUNTED);
        let is_more = all.len() > COUNTED;
        if let Some(before) = request.before {
            all = self.valid(&engine, &wanted, before.get(), request.limit, &mut budget)?;
        }
        let page = all.into_iter().take(request.limit);
        let messages = page.filter_map(|(conversation, id)| {
            let archived = self.archive.message(conversation.into(), id).transpose()?;
            Some(archived.map(|archived| FoundMessage::of(conversation, archived, &request.typed)))
        });
        let messages = messages.collect::<Result<_, IndexFault>>()?;
        Ok(SearchPage { count, is_more, messages })
    }

    /// Returns the newest messages below an id whose text is still the one that was found.
    fn valid(
        &self,
        engine: &Engine,
        wanted: &EngineQuery,
        mut before: u64,
        most: usize,
        budget: &mut WorkBudget,
    ) -> Result<Vec<(Conversation, MessageId)>, Stop> {
        let mut valid = Vec::new();
        loop {
            let missing = most - valid.len();
            let hits = self.guarded(|| engine.newest(wanted, before, missing, budget))?;
            let is_all = hits.len() < missing;
            for hit in &hits {
                before = hit.id;
                valid.extend(self.still_says(hit)?);
            }
            if is_all || valid.len() >= most {
                return Ok(valid);
            }
        }
    }

    fn still_says(&self, hit: &Hit) -> Result<Option<(Conversation, MessageId)>, SearchFault> {
        let Some(conversation) = conversation_named(&hit.conversation) else { return Ok(None) };
        let id = MessageId::new(hit.id);
        let says = match self.archive.index.shown_text(conversation.into(), id)? {
            ShownText::Posted => hit.version == 0,
            ShownText::Edited(at) => hit.version == at.get(),
            ShownText::Deleted => false,
        };
        Ok(says.then_some((conversation, id)))
    }

    /// Runs a read of the folder and notes damage. Damaged files may cause panics that cannot be
    /// foreseen.
    fn guarded<T>(&self, look: impl FnOnce() -> Result<T, EngineError>) -> Result<T, Stop> {
        let looked = catch_unwind(AssertUnwindSafe(look))
            .unwrap_or_else(|_| Err(std::io::Error::other("it panicked").into()));
        match looked {
            Ok(found) => Ok(found),
            Err(EngineError::Spent(_)) => Err(Stop::Refusal(SearchRefusal::TooBroad)),
            Err(EngineError::Fault(fault)) => {
                self.is_damaged.store(true, Ordering::Relaxed);
                Err(fault.into())
            }
        }
    }
}

/// Whether a user may read a conversation now, by the same rule as pages of messages.
fn is_in(index: &Index, caller: UserId, conversation: Conversation) -> Result<bool, IndexFault> {
    match conversation {
        Conversation::Group(group) => {
            Ok(index.seat(caller, group)?.is_some_and(|seat| seat.is_active()))
        }
        Conversation::Chat(pair) => Ok(pair.other(caller).is_some()),
    }
}

/// Encodes the name of a conversation in the folder.
fn name_of(conversation: Conversation) -> Vec<u8> {
    match conversation {
        Conversation::Group(id) => id.get().to_be_bytes().to_vec(),
        Conversation::Chat(pair) => {
            [pair.low().get().to_be_bytes(), pair.high().get().to_be_bytes()].concat()
        }
    }
}

fn conversation_named(name: &[u8]) -> Option<Conversation> {
    let (first, rest) = name.split_first_chunk()?;
    let first = u64::from_be_bytes(*first);
    if rest.is_empty() {
        return Some(GroupId::new(first).into());
    }
    let second = u64::from_be_bytes(rest.try_into().ok()?);
    Pair::of(UserId::new(first), UserId::new(second)).map(Conversation::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_are_read_as_they_are_named() {
        let chat = Pair::of(UserId::new(9), UserId::new(2)).unwrap();
        for conversation in [GroupId::new(7).into(), chat.into()] {
            assert_eq!(conversation_named(&name_of(conversation)), Some(conversation));
        }
        assert_eq!(conversation_named(b"short"), None);
    }
}
