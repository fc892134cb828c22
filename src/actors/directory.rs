//! The directory: finds the room that an id names, starts it on demand, and lets it go to rest when
//! nobody asks it any more. A million groups cost disk, not memory.

use std::future::poll_fn;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actix::dev::channel::channel;
use actix::prelude::SendError;
use actix::{Addr, Context, WeakAddr};
use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::actors::ask::{
    Answered, Answers, Ask, Awaited, Fault, MAILBOXES, Posted, Question, Reply,
};
use crate::actors::asked::QuestionsElsewhere;
use crate::actors::directory::asking::{ErasedAsk, PendingAsk, RecordOf, Returned};
use crate::actors::directory::kinds::{RoomId, Rooms};
use crate::actors::directory::routing::Router;
use crate::actors::group_cache::GroupCache;
use crate::actors::idle::{Awake, Idle};
use crate::actors::recent_pages::{RecentPages, Snapshot, Wanted};
use crate::actors::room_context::RoomContext;
use crate::auth::attempts::AttemptBook;
use crate::bounds::places::Fullness;
use crate::bounds::turns::Owner;
use crate::cluster::reached::ShownPosition;
use crate::domain::ids::{StreamId, UserId};
use crate::index::archive::Archive;
use crate::journal::replicated::shard::Shard;

pub mod answering;
pub mod asking;
mod attempts;
mod elsewhere;
pub mod kinds;
mod lists;
mod packed;
pub mod routing;

/// Questions that may wait in the mailbox of one room. A room takes tens of thousands a second, so
/// the last one waits for less than half a second, and an audience of thousands that reacts to one
/// message at once is not refused.
const MAILBOX: usize = 8192;
/// How long a caller waits for an answer.
const DEADLINE: Duration = Duration::from_secs(30);
/// How many rooms are asked in turn if each stops before it reads the question.
const ATTEMPTS: usize = 8;

/// An answer to come.
type AnswerToCome<Q> = Awaited<<Q as Question>::Answer, <Q as Question>::Refusal>;

/// Finds and starts rooms. Cheap to clone.
#[derive(Clone)]
pub struct Directory(Arc<Inner>);

struct Inner {
    context: RoomContext,
    /// The threads that rooms run on.
    arbiters: watch::Sender<Vec<actix::ArbiterHandle>>,
    hasher: std::hash::RandomState,
    rooms: Rooms,
    awake: Awake,
    group_cache: Arc<GroupCache>,
    recent_pages: Arc<RecentPages>,
    /// How many questions were refused because a mailbox was full.
    full_mailboxes: AtomicU64,
    /// Takes questions to the nodes that decide them; set only where there are several nodes.
    router: OnceLock<Arc<dyn Router>>,
    /// Counts password attempts, also for other nodes.
    attempts: OnceLock<AttemptBook>,
    /// The questions that other nodes are deciding for this one.
    elsewhere: Arc<QuestionsElsewhere>,
    /// How far every follower on this node has heard the journal; advanced only while there are
    /// other nodes.
    shown: ShownPosition,
}

impl Directory {
    /// A directory without rooms, and without a thread to run one on.
    pub fn new(context: RoomContext) -> Self {
        let group_cache = Arc::new(GroupCache::over(context.archive.clone()));
        let (archive, instance) = (context.archive.clone(), Arc::clone(&context.instance));
        let recent_pages = Arc::new(RecentPages::over(archive, instance, Arc::clone(&group_cache)));
        Self(Arc::new(Inner {
            group_cache,
            recent_pages,
            context,
            arbiters: watch::Sender::default(),
            hasher: std::hash::RandomState::new(),
            rooms: Rooms::default(),
            awake: Awake::default(),
            full_mailboxes: AtomicU64::new(0),
            router: OnceLock::new(),
            attempts: OnceLock::new(),
            elsewhere: QuestionsElsewhere::none(),
            shown: ShownPosition::up_to(0),
        }))
    }

    /// Lets rooms run on this thread from now on.
    pub fn add_arbiter(&self, arbiter: actix::ArbiterHandle) {
        self.0.arbiters.send_modify(|arbiters| arbiters.push(arbiter));
    }

    /// The cache of groups whose rooms are at rest.
    pub(super) fn group_cache(&self) -> &Arc<GroupCache> {
        &self.0.group_cache
    }

    /// Returns everything that a user sees at one moment after the call. Every event that was
    /// answered or delivered before the call is included.
    ///
    /// # Errors
    /// If the index or the journal cannot be read.
    pub async fn snapshot(&self, user: UserId, wanted: Wanted) -> Result<Snapshot, Fault> {
        self.0.recent_pages.snapshot(user, wanted).await
    }

    /// How many rooms run: of groups, of chats, of users.
    pub fn awake(&self) -> [usize; 3] {
        let Rooms { groups, chats, users, .. } = &self.0.rooms;
        [groups.len(), chats.len(), users.len()]
    }

    /// Whether this node decides what is asked of a stream. `taken_over` is the latest take-over of
    /// the shard that the asking node knew; if this node knows another one, the question is late.
    fn decides(&self, stream: StreamId, taken_over: Option<u64>) -> bool {
        let journal = &self.0.context.archive.journal;
        let own = journal.taken_over(Shard::of(stream)).map(|it| it.sequence);
        let is_late = own.zip(taken_over).is_some_and(|(own, theirs)| own != theirs);
        !is_late && journal.owns(stream)
    }

    /// The parts of the server that every room uses.
    pub fn context(&self) -> &RoomContext {
        &self.0.context
    }

    /// Asks the room of this id. The answer is durable.
    ///
    /// # Errors
    /// The room's refusal, or a fault of the server.
    pub async fn ask<I: RoomId, Q: Question>(&self, id: I, question: Q) -> Answered<Q>
    where
        I::Room: Answers<Q>,
    {
        self.ask_with_record(id, question, None).await
    }

    /// Asks the audit log. The answer is durable.
    ///
    /// # Errors
    /// A fault of the server.
    pub async fn audit<Q: Question>(&self, question: Q) -> Answered<Q>
    where
        <() as RoomId>::Room: Answers<Q>,
    {
        self.ask((), question).await
    }

    /// Asks the room of this id, and the next one if it stops before it reads the question.
    /// `record` says what is recorded of the answer, in the commit of the decision.
    ///
    /// # Errors
    /// The room's refusal, or a fault of the server.
    pub async fn ask_with_record<I: RoomId, Q: Question>(
        &self,
        id: I,
        question: Q,
        record: RecordOf<Q>,
    ) -> Answered<Q>
    where
        I::Room: Answers<Q>,
    {
        // An act under a key has no deadline on this node: a repeat may start it again only once it
        // is certain that the first did not happen. On another node, it has that of `routing.rs`.
        let deadline = if record.is_some() { Duration::MAX } else { DEADLINE };
        let mut asking = PendingAsk::new(id, question, record);
        self.ask_within(deadline, &mut asking).await?;
        asking.answer()
    }

    /// Has the question answered on the node that owns its stream.
    async fn ask_within(
        &self,
        deadline: Duration,
        asking: &mut dyn ErasedAsk,
    ) -> Result<(), Fault> {
        let asked = async {
            match self.0.router.get() {
                None => self.ask_here(asking).await,
                Some(router) => Box::pin(self.ask_routed(asking, router)).await,
            }
        };
        tokio::time::timeout(deadline, asked).await.unwrap_or(Err(Fault::Late))
    }

    /// Has the question answered by a room of this node.
    async fn ask_here(&self, asking: &mut dyn ErasedAsk) -> Result<(), Fault> {
        for _ in 0..ATTEMPTS {
            if !asking.post(self)? {
                if !asking.start(self).await? {
                    return asking.answer_absent();
                }
                if !asking.post(self)? {
                    continue;
                }
            }
            match poll_fn(|task| asking.poll(task)).await {
                Returned::Answer => return Ok(()),
                Returned::Question => {}
                Returned::Fault(fault) => return Err(fault),
            }
        }
        Err(Fault::Gone)
    }

    /// Puts a question into the mailbox of its room. Returns `false` if no room runs under the id;
    /// one that stops just now gives the question back through its reply.
    ///
    /// # Errors
    /// [`Fault::Busy`] if the room's mailbox is full, or what `ask` fails with.
    fn post<I: RoomId, Q: Question>(
        &self,
        id: I,
        ask: impl FnOnce() -> Result<Ask<Q>, Fault>,
    ) -> Result<bool, Fault>
    where
        I::Room: Answers<Q>,
    {
        // Sent through the one address that is kept here: actix lets every clone of an address put
        // one message into a full mailbox, so clones would never meet the limit.
        let room = I::running(&self.0.rooms).get(&id);
        let Some(room) = room.filter(|room| room.connected()) else { return Ok(false) };
        let sent = room.try_send(Posted::new(ask()?));
        drop(room);
        match sent {
            Ok(()) | Err(SendError::Closed(_)) => Ok(true),
            Err(SendError::Full(_)) => {
                self.0.full_mailboxes.fetch_add(1, Ordering::Relaxed);
                Err(Fault::Busy)
            }
        }
    }

    /// Starts the room of an id. Returns `false`, and starts none, if `must_exist` is set and
    /// nothing lives under the id.
    fn ensure_running<I: RoomId>(
        &self,
        id: I,
        must_exist: bool,
    ) -> BoxFuture<'_, Result<bool, Fault>> {
        Box::pin(async move {
            if must_exist && !self.exists(id).await? {
                return Ok(false);
            }
            // At startup, a question may come before the first thread.
            let mut arbiters = self.0.arbiters.subscribe();
            let is_there = arbiters.wait_for(|arbiters| !arbiters.is_empty());
            drop(tokio::time::timeout(DEADLINE, is_there).await);
            if self.start_unless_running(id) { Ok(true) } else { Err(Fault::Gone) }
        })
    }

    /// How full mailboxes are: the questions in all of them, and the limit of each one.
    pub fn mailboxes(&self) -> Fullness {
        let refused = self.0.full_mailboxes.load(Ordering::Relaxed);
        Fullness::of_items(MAILBOXES.sum(), MAILBOX, refused)
    }

    /// Asks a room if it runs; `None` if it does not. The caller sets the deadline.
    ///
    /// # Errors
    /// [`Fault::Busy`] if the room's mailbox is full.
    fn ask_running<I: RoomId, Q: Question>(
        &self,
        id: I,
        question: Q,
    ) -> Result<Option<AnswerToCome<Q>>, Fault>
    where
        I::Room: Answers<Q>,
    {
        let (reply, answer) = Reply::pair();
        Ok(self.post(id, || Ok(Ask { question, reply }))?.then_some(answer))
    }

    /// Whether anything lives under an id. What exists is mostly found at the first look; that
    /// nothing exists is certain only once the index has everything that was answered so far.
    async fn exists<I: RoomId>(&self, id: I) -> Result<bool, Fault> {
        let archive = &self.0.context.archive;
        let look = move |archive: &Archive| id.exists(&archive.index);
        let owner = Owner::Room(id.stream());
        Ok(archive.blocking(owner, look).await? || archive.read_current(owner, look).await?)
    }

    /// Starts a room unless it was started meanwhile. Returns whether it runs.
    fn start_unless_running<I: RoomId>(&self, id: I) -> bool {
        let place = I::running(&self.0.rooms).entry(id);
        if matches!(&place, dashmap::Entry::Occupied(room) if room.get().connected()) {
            return true;
        }
        self.spawn_room(id).map(|fresh| place.insert(fresh)).is_some()
    }

    /// Starts a room on the thread that the hash of its id selects. Unlike with `start_in_arbiter`,
    /// its mailbox has its size from the first message on.
    fn spawn_room<I: RoomId>(&self, id: I) -> Option<Addr<I::Room>> {
        let arbiters = self.0.arbiters.borrow();
        let slot = self.0.hasher.hash_one(id) as usize % arbiters.len().max(1);
        let (sender, receiver) = channel(MAILBOX);
        let room = Addr::new(sender);
        let (context, idle) = (self.0.context.clone(), self.idle(id, room.downgrade()));
        let started = arbiters.get(slot)?.spawn_fn(move || {
            actix::spawn(Context::with_receiver(receiver).into_future(id.room(context, idle)));
        });
        started.then_some(room)
    }

    /// The idle watch of a room, which removes the room from the directory when it goes to rest.
    fn idle<I: RoomId>(&self, id: I, room: WeakAddr<I::Room>) -> Idle {
        let directory = Arc::downgrade(&self.0);
        Idle::new(self.0.context.look_every, Awake::clone(&self.0.awake), move || {
            if let (Some(inner), Some(room)) = (directory.upgrade(), room.upgrade()) {
                // A room that was told to stand down may have a successor.
                I::running(&inner.rooms).remove_if(&id, |_, running| *running == room);
            }
        })
    }
}
