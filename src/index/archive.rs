//! The archive: messages of any age, found by the index and read from the journal.
//!
//! Every read may block on the disk, so it runs on a thread that may wait.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::try_join_all;
use tokio::task::JoinHandle;

use crate::deletions::RecentDeletions;
use crate::moment::IndexHold;
use crate::rows::EventPosition;
use crate::runs::LocatedMessage;
use crate::{Flow, Index, IndexFault, Walk};
use base::bounds::places::Places;
use base::bounds::turns::{Owner, TurnLimits, Turns};
use base::threads::WorkDone;
use domain::event::{Event, Fact};
use domain::first_answer::{AskKey, FirstAnswer};
use domain::ids::{MessageId, StreamId};
use domain::likes::{Likers, LikesByUser};
use domain::message::Message;
use domain::time::Timestamp;
use journal::{Committed, Cursor, Journal, JournalFault, Scan};

/// The messages of a conversation on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The newest, newest first.
    Newest,
    /// Those before this message, newest first.
    Before(MessageId),
    /// Those right after this message, oldest first.
    After(MessageId),
    /// The newest of those after this message, newest first.
    Since(MessageId),
}

/// A message and its likes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    /// The message.
    pub message: Arc<Message>,
    /// The likers of the message, with time and reaction.
    pub likes: LikesByUser,
}

impl Archived {
    /// The users who like the message, earliest like first.
    pub fn likers(&self) -> Likers {
        self.likes.likers()
    }
}

/// Concurrent reads for each core. More would not be faster: reads that have their data would only
/// compete for the cores, and the slowest one finishes last.
const READERS_PER_CORE: usize = 2;

/// Half of the places at most are one owner's.
const fn reader_limits(cores: usize) -> TurnLimits {
    let places = cores * READERS_PER_CORE;
    TurnLimits { places, of_owner: places.div_ceil(2), waiting_of_owner: usize::MAX }
}

/// Items read on one thread before a second thread is worth its cost.
const ON_ONE_THREAD: usize = 32;
/// Threads that read for one request at most.
const THREADS: usize = 4;

/// A task that ends with its owner, so that a read for which nobody waits any longer does not
/// begin.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Index and journal together.
#[derive(Debug, Clone)]
pub struct Archive {
    /// Says where things lie.
    pub index: Arc<Index>,
    /// Holds the things themselves.
    pub journal: Arc<dyn Journal>,
    /// The messages that were deleted lately.
    pub deletions: RecentDeletions,
    /// Places for concurrent reads, which owners use in turn.
    readers: Turns,
}

impl Archive {
    /// Makes an archive of an index and the journal that it was derived from.
    pub fn new(index: Arc<Index>, journal: Arc<dyn Journal>) -> Self {
        let readers = Turns::unregistered(reader_limits(index.threads().cores()));
        let deletions = RecentDeletions::default();
        journal.follow(Box::new(deletions.clone()));
        Self { index, journal, deletions, readers }
    }

    /// Registers the places of readers among the bounded places of the server.
    pub fn register(&self, places: &Places) {
        self.readers.register(places, "archive_reads");
    }

    /// The cursor right after everything durable: every event that becomes durable later comes
    /// after it.
    pub fn here(&self) -> Cursor {
        self.journal.end().just_before()
    }

    /// The held moment as a cursor to continue from; the same as [`Self::here`] while nothing is
    /// written.
    pub fn moment(&self, held: &IndexHold<'_>) -> Cursor {
        // The end is read first, so that the newest record read afterwards is never behind it.
        let here = self.here();
        let has_all = self.journal.newest() <= self.index.applied();
        if has_all { held.cursor().max(here) } else { held.cursor() }
    }

    /// Like [`Journal::scan`], but continues behind damage, for what can do without the damaged
    /// part. A node's damage is still a fault: it reads that part again from the shared log.
    ///
    /// # Errors
    /// If the journal cannot be read for another reason.
    pub fn scan_past_damage(&self, from: Cursor, max_bytes: usize) -> Result<Scan, IndexFault> {
        match self.journal.scan(from, max_bytes) {
            Err(JournalFault::Damaged { at, reason }) if !self.journal.is_shared() => {
                let next = self.journal.next_whole(Cursor::new(at));
                tracing::warn!(
                    at,
                    next = next.get(),
                    reason,
                    "a part of the journal is damaged; reading on behind it"
                );
                self.scan_past_damage(next, max_bytes)
            }
            scan => Ok(scan?),
        }
    }

    /// Runs a read on a thread that may wait for the disk. Owners of reads are served in turn, and
    /// those of one owner in the order in which they were asked for.
    ///
    /// # Errors
    /// Those of the read, or [`IndexFault::Stopped`] if the server stops.
    pub fn blocking<T: Send + 'static>(
        &self,
        owner: impl Into<Owner>,
        read: impl FnOnce(&Self) -> Result<T, IndexFault> + Send + 'static,
    ) -> impl Future<Output = Result<T, IndexFault>> + Send {
        self.read_once(owner.into(), false, read)
    }

    /// Like [`Self::blocking`], once the index has everything that is durable now.
    ///
    /// # Errors
    /// Like [`Self::blocking`].
    pub fn read_current<T: Send + 'static>(
        &self,
        owner: impl Into<Owner>,
        read: impl FnOnce(&Self) -> Result<T, IndexFault> + Send + 'static,
    ) -> impl Future<Output = Result<T, IndexFault>> + Send {
        self.read_once(owner.into(), true, read)
    }

    async fn read_once<T: Send + 'static>(
        &self,
        owner: Owner,
        is_current: bool,
        read: impl FnOnce(&Self) -> Result<T, IndexFault> + Send + 'static,
    ) -> Result<T, IndexFault> {
        let read = Box::new(move |archive: &Self| WorkDone::new(read(archive)));
        self.read_boxed(owner, is_current, read).await?.value()
    }

    /// [`Self::read_once`] with the result's type erased, so that this code is compiled only once.
    async fn read_boxed(
        &self,
        owner: Owner,
        is_current: bool,
        read: Box<dyn FnOnce(&Self) -> WorkDone + Send>,
    ) -> Result<WorkDone, IndexFault> {
        if is_current {
            self.index.reached(self.journal.newest()).await?;
        }
        let archive = self.clone();
        let threads = self.index.threads().clone();
        // A task of its own takes the place. An actor that waits for one future polls none of its
        // others, and a place that was given to such a future would be lost to everybody.
        let task = tokio::spawn(async move {
            // No read is refused: as many wait as there are callers.
            let place = archive.readers.acquire(owner).await.ok()?;
            let work = Box::new(move || {
                let found = read(&archive);
                drop(place);
                found
            });
            threads.blocking_boxed(work).await
        });
        let mut task = AbortOnDrop(task);
        (&mut task.0).await.ok().flatten().ok_or(IndexFault::Stopped)
    }

    /// Runs a read for each item, many on one thread, once the index has everything that is durable
    /// now. The results are in the order of the items.
    ///
    /// # Errors
    /// Like [`Self::blocking`].
    pub async fn read_current_each<K, T>(
        &self,
        owner: impl Into<Owner>,
        all: Vec<K>,
        read: impl Fn(&Self, K) -> Result<T, IndexFault> + Clone + Send + 'static,
    ) -> Result<Vec<T>, IndexFault>
    where
        K: Copy + Send + 'static,
        T: Send + 'static,
    {
        if all.is_empty() {
            return Ok(Vec::new());
        }
        self.index.reached(self.journal.newest()).await?;
        let owner = owner.into();
        let share = all.len().div_ceil(THREADS).max(ON_ONE_THREAD);
        let shares = all.chunks(share).map(|share| {
            let share = share.to_vec();
            let read = read.clone();
            self.blocking(owner, move |archive| {
                share.into_iter().map(|one| read(archive, one)).collect::<Result<Vec<_>, _>>()
            })
        });
        let found = try_join_all(shares).await?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Returns a page of a conversation, as far as it is indexed.
    ///
    /// # Errors
    /// If index or journal cannot be read; the same for every read here.
    pub fn page(
        &self,
        stream: StreamId,
        page: Page,
        limit: usize,
    ) -> Result<Vec<Archived>, IndexFault> {
        let (low, high, walk) = match page {
            Page::Newest => (0, u64::MAX, Walk::Down),
            Page::Before(id) => match id.get().checked_sub(1) {
                Some(high) => (0, high, Walk::Down),
                None => return Ok(Vec::new()),
            },
            Page::After(id) => (id.get().saturating_add(1), u64::MAX, Walk::Up),
            Page::Since(id) => (id.get().saturating_add(1), u64::MAX, Walk::Down),
        };
        let mut found = Vec::with_capacity(limit);
        self.index.messages(stream, (low, high), walk, &mut |LocatedMessage { at, .. }| {
            found.push(at);
            Ok(if found.len() < limit { Flow::Continue } else { Flow::Stop })
        })?;
        let messages = self.current(stream, self.messages_at(&found)?)?;
        let mut likes = self.likes_among(stream, &messages)?;
        let with_likes = |message: Arc<Message>| {
            let likes = likes.remove(&message.id).unwrap_or_default();
            Archived { message, likes }
        };
        Ok(messages.into_iter().map(with_likes).collect())
    }

    /// Visits the messages decided at `from` or later, newest first and as they were posted, each
    /// with the time of its event. The time is not taken from the message ids, which are less exact
    /// than events.
    ///
    /// # Errors
    /// If index or journal cannot be read, or `visit` fails.
    pub fn decided_since(
        &self,
        stream: StreamId,
        from: Timestamp,
        visit: &mut dyn FnMut(Timestamp, Arc<Message>) -> Result<(), IndexFault>,
    ) -> Result<(), IndexFault> {
        let mut reader = RecordReader::over(&*self.journal);
        self.index.messages(stream, (0, u64::MAX), Walk::Down, &mut |message| {
            let event = reader.event(&message.at)?;
            if event.at < from {
                return Ok(Flow::Stop);
            }
            visit(event.at, message_of(&event, &message.at)?)?;
            Ok(Flow::Continue)
        })
    }

    /// Visits the messages of a conversation as they were posted, the newest first, each with the
    /// time at which it was posted.
    ///
    /// # Errors
    /// If index or journal cannot be read.
    pub fn newest_first(
        &self,
        stream: StreamId,
        visit: &mut dyn FnMut(Timestamp, Arc<Message>) -> Flow,
    ) -> Result<(), IndexFault> {
        let mut reader = RecordReader::over(&*self.journal);
        self.index.messages(stream, (0, u64::MAX), Walk::Down, &mut |message| {
            let event = reader.event(&message.at)?;
            Ok(visit(event.at, message_of(&event, &message.at)?))
        })
    }

    /// Returns the newest message of a conversation, without its likes.
    pub fn newest(&self, stream: StreamId) -> Result<Option<Arc<Message>>, IndexFault> {
        let mut found = None;
        self.index.messages(stream, (0, u64::MAX), Walk::Down, &mut |message| {
            found = Some(message.at);
            Ok(Flow::Stop)
        })?;
        let message = found.map(|at| self.message_at(&at)).transpose()?;
        message.map(|message| self.current_one(stream, message)).transpose()
    }

    /// Returns a message by its id.
    pub fn message(&self, stream: StreamId, id: MessageId) -> Result<Option<Archived>, IndexFault> {
        let Some(at) = self.index.message(stream, id)? else { return Ok(None) };
        let message = self.current_one(stream, self.message_at(&at)?)?;
        self.with_likes(stream, message).map(Some)
    }

    /// Returns the newest answer under a key, and when it was given.
    pub fn first_answer(
        &self,
        key: AskKey,
    ) -> Result<Option<(Timestamp, Arc<FirstAnswer>)>, IndexFault> {
        let Some(row) = self.index.answer(key)? else { return Ok(None) };
        let at = EventPosition { record: Cursor::new(row.record), index: row.index, n: 0 };
        let event = RecordReader::over(&*self.journal).event(&at)?;
        if let Fact::Answered(first) = &event.fact
            && first.key == key
        {
            return Ok(Some((row.at, Arc::clone(first))));
        }
        Err(unexpected(&at, "the index expects this key's answer there"))
    }

    /// Reads the message at a place in the journal, as it was posted.
    pub(super) fn message_at(&self, at: &EventPosition) -> Result<Arc<Message>, IndexFault> {
        let event = RecordReader::over(&*self.journal).event(at)?;
        message_of(&event, at)
    }

    fn with_likes(&self, stream: StreamId, message: Arc<Message>) -> Result<Archived, IndexFault> {
        let likes = self.index.likes(stream, message.id, message.author.clone())?.by;
        Ok(Archived { message, likes })
    }

    /// Returns the likes of neighbouring messages, read in one scan.
    fn likes_among(
        &self,
        stream: StreamId,
        messages: &[Arc<Message>],
    ) -> Result<BTreeMap<MessageId, LikesByUser>, IndexFault> {
        let ids = || messages.iter().map(|message| message.id);
        match (ids().min(), ids().max()) {
            (Some(first), Some(last)) => self.index.likes_between(stream, first, last),
            (None, _) | (_, None) => Ok(BTreeMap::new()),
        }
    }

    fn messages_at(&self, places: &[EventPosition]) -> Result<Vec<Arc<Message>>, IndexFault> {
        let mut reader = RecordReader::over(&*self.journal);
        places
            .iter()
            .map(|at| {
                let event = reader.event(at)?;
                message_of(&event, at)
            })
            .collect()
    }
}

pub(super) fn message_of(event: &Event, at: &EventPosition) -> Result<Arc<Message>, IndexFault> {
    let message = event.fact.message().cloned();
    message.ok_or_else(|| unexpected(at, "the index expects a message there"))
}

fn unexpected(at: &EventPosition, reason: &str) -> IndexFault {
    let at = at.cursor().get();
    let reason = reason.to_owned();
    IndexFault::Journal(JournalFault::Damaged { at, reason })
}

/// Reads events from the journal, keeping the last record, which neighbouring events often share.
pub(super) struct RecordReader<'journal> {
    journal: &'journal dyn Journal,
    held: Option<Arc<Committed>>,
}

impl<'journal> RecordReader<'journal> {
    pub(super) fn over(journal: &'journal dyn Journal) -> Self {
        Self { journal, held: None }
    }

    /// Reads the event at a place.
    pub(super) fn event(&mut self, at: &EventPosition) -> Result<Arc<Event>, IndexFault> {
        let commit = match self.held.take().filter(|commit| commit.cursor == at.record) {
            Some(commit) => commit,
            None => self.journal.read(at.record)?,
        };
        let event = commit.entries.get(usize::from(at.index)).map(|entry| Arc::clone(&entry.event));
        self.held = Some(commit);
        event.ok_or_else(|| missing(at.cursor()))
    }
}

fn missing(at: Cursor) -> IndexFault {
    IndexFault::Journal(JournalFault::Damaged {
        at: at.get(),
        reason: "the record has fewer events than the index expects".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use actix::{Actor, ActorFutureExt, AsyncContext, Context, Handler, WrapFuture};

    use super::*;
    use crate::indexer;
    use crate::memory::MemoryRows;
    use domain::ids::UserId;
    use journal::memory::MemoryJournal;

    /// An actor that waits for one read while it has begun many others.
    struct Reader(Archive);

    impl Actor for Reader {
        type Context = Context<Self>;
    }

    #[derive(actix::Message)]
    #[rtype(result = "()")]
    struct Read;

    impl Handler<Read> for Reader {
        type Result = ();

        fn handle(&mut self, _: Read, ctx: &mut Context<Self>) {
            for _ in 0..64 {
                let archive = self.0.clone();
                let read = async move { archive.blocking(Owner::Server, |_| Ok(())).await };
                ctx.spawn(read.into_actor(self).map(|_, _, _| ()));
            }
            // Polled once, the reads above wait in the queue for places.
            let pause = tokio::time::sleep(Duration::from_millis(1));
            ctx.spawn(pause.into_actor(self).map(|(), reader: &mut Self, ctx| {
                let archive = reader.0.clone();
                let read = async move { archive.blocking(Owner::Server, |_| Ok(())).await };
                ctx.wait(read.into_actor(reader).map(|_, _, _| ()));
            }));
        }
    }

    #[actix::test]
    async fn actors_that_wait_hold_no_place_of_other_reads() {
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let opened = indexer::open(Arc::new(MemoryRows::default()), Arc::clone(&journal)).unwrap();
        let archive = Archive::new(opened.index, journal);
        let readers: Vec<_> = (0..16).map(|_| Reader(archive.clone()).start()).collect();
        for round in 0..50 {
            for reader in &readers {
                reader.try_send(Read).unwrap();
            }
            let read = tokio::time::timeout(
                Duration::from_secs(60),
                archive.blocking(Owner::Server, |_| Ok(7)),
            );
            assert_eq!(read.await.expect("a read is answered").unwrap(), 7, "round {round}");
            for reader in &readers {
                // Answered once nothing is waited for.
                let idle = tokio::time::timeout(Duration::from_secs(60), reader.send(Read));
                idle.await.expect("the actor goes on").unwrap();
            }
        }
    }

    #[actix::test]
    async fn queued_reads_of_one_user_delay_no_other_user() {
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let opened = indexer::open(Arc::new(MemoryRows::default()), Arc::clone(&journal)).unwrap();
        let archive = Archive::new(opened.index, journal);
        let limits = reader_limits(archive.index.threads().cores());
        // Each read of the first user lasts until the second user's read has ended.
        let gate = Arc::new(tokio::sync::RwLock::new(()));
        let closed = gate.write().await;
        let (began, mut begin) = tokio::sync::mpsc::unbounded_channel();
        let reads = (0..10 * limits.places).map(|_| {
            let gate = Arc::clone(&gate);
            let began = began.clone();
            let archive = archive.clone();
            let read = move |_: &Archive| {
                began.send(()).unwrap();
                drop(gate.blocking_read());
                Ok(())
            };
            tokio::spawn(async move { archive.blocking(UserId::new(1), read).await })
        });
        let reads: Vec<_> = reads.collect();
        for _ in 0..limits.of_owner {
            begin.recv().await.unwrap();
        }
        let other = archive.blocking(UserId::new(2), |_| Ok(7));
        let other = tokio::time::timeout(Duration::from_secs(120), other).await;
        assert_eq!(other.expect("the read is answered").unwrap(), 7);
        drop(closed);
        for read in reads {
            read.await.unwrap().unwrap();
        }
    }
}
