//! The directory: finds the room that an id names, starts it on demand, and lets it go to rest when
//! nobody asks it any more. A million groups cost disk, not memory.

use std::future::poll_fn;
use std::hash::BuildHasher;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::task::{self, Poll, ready};
use std::time::Duration;

use actix::dev::channel::channel;
use actix::prelude::SendError;
use actix::{Addr, Context, WeakAddr};
use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::ask::{
    Accepts, Answered, Answers, Ask, AskOutcome, AuditNote, Awaited, Beside, Failure, Fault,
    MAILBOXES, Posted, Question, Reply,
};
use crate::directory::rooms::{RoomId, Rooms};
use crate::group_cache::GroupCache;
use crate::idempotency::AnswerToSave;
use crate::idle::{Awake, Idle};
use crate::node_link::NodeLink;
use crate::recent_pages::{RecentPages, Snapshot, Wanted};
use crate::room_context::RoomContext;
use base::bounds::places::Fullness;
use base::bounds::turns::Owner;
use cluster::reached::ShownPosition;
use domain::ids::UserId;
use index::archive::Archive;
use journal::Cursor;

mod lists;
pub mod rooms;

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

/// A [`Directory`] that does not keep the server alive.
#[derive(Clone)]
pub struct WeakDirectory(Weak<Inner>);

impl WeakDirectory {
    /// The directory, unless the server has shut down.
    pub fn upgraded(&self) -> Option<Directory> {
        self.0.upgrade().map(Directory)
    }
}

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
    /// The link to the other nodes; set only where there are several.
    link: OnceLock<Arc<dyn NodeLink>>,
    /// How far every follower on this node has heard the journal; advanced only while there are
    /// other nodes.
    shown: ShownPosition,
}

impl Directory {
    /// A directory without rooms, and without a thread to run one on.
    pub fn new(context: RoomContext) -> Self {
        let group_cache = Arc::new(GroupCache::over(context.archive.clone()));
        let archive = context.archive.clone();
        let instance = Arc::clone(&context.instance);
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
            link: OnceLock::new(),
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

    /// The directory for what must not keep the server alive.
    pub fn downgraded(&self) -> WeakDirectory {
        WeakDirectory(Arc::downgrade(&self.0))
    }

    /// Links the directory to the other nodes.
    pub fn link_by(&self, link: Arc<dyn NodeLink>) {
        // A directory gets its link once, where it is made.
        drop(self.0.link.set(link));
        self.0.shown.raise_to(self.0.context.archive.journal.end().get());
    }

    /// The link to the other nodes, where there are several.
    pub fn link(&self) -> Option<&Arc<dyn NodeLink>> {
        self.0.link.get()
    }

    /// Waits until this node shows the record of the journal that begins at this position.
    pub async fn show(&self, newest: u64) {
        self.0.shown.wait_for(Cursor::new(newest)).await;
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
        I::Room: Accepts<Q>,
    {
        self.ask_with_record(id, question, None).await
    }

    /// Asks the audit log. The answer is durable.
    ///
    /// # Errors
    /// A fault of the server.
    pub async fn audit<Q: Question>(&self, question: Q) -> Answered<Q>
    where
        <() as RoomId>::Room: Accepts<Q>,
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
        I::Room: Accepts<Q>,
    {
        self.ask_recorded(id, question, (record, None)).await
    }

    /// Asks the room of this id for an act of an operator. `audit` makes the entry of the audit log,
    /// which is durable in the commit of the act.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn ask_audited<I: RoomId, Q: Question>(
        &self,
        id: I,
        question: Q,
        audit: AuditNote<Q::Answer>,
    ) -> Answered<Q>
    where
        I::Room: Accepts<Q>,
    {
        self.ask_recorded(id, question, (None, Some(audit))).await
    }

    /// Asks the room of this id. `records` says what is recorded of the answer, and makes the entry of
    /// the audit log; both are durable in the commit of the decision.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn ask_recorded<I: RoomId, Q: Question>(
        &self,
        id: I,
        question: Q,
        records: (RecordOf<Q>, Option<AuditNote<Q::Answer>>),
    ) -> Answered<Q>
    where
        I::Room: Accepts<Q>,
    {
        // An act under a key has no deadline on this node: a repeat may start it again only once it
        // is certain that the first did not happen.
        let deadline = if records.0.is_some() { Duration::MAX } else { DEADLINE };
        let mut asking = PendingAsk::new(id, question, records);
        self.ask_within(deadline, &mut asking).await?;
        asking.answer()
    }

    /// Has the question answered. Where several nodes serve, what was decided is then shown by all of
    /// them, as far as the operator wants that.
    async fn ask_within(
        &self,
        deadline: Duration,
        asking: &mut dyn ErasedAsk,
    ) -> Result<(), Fault> {
        let asked = async {
            self.ask_here(asking).await?;
            if let Some(link) = self.link().filter(|_| asking.is_decided()) {
                link.wait_until_shown_everywhere(self.0.context.archive.journal.newest()).await;
            }
            Ok(())
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
        I::Room: Accepts<Q>,
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
        I::Room: Accepts<Q>,
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
        let context = self.0.context.clone();
        let idle = self.idle(id, room.downgrade());
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

/// The record of an answer in the commit of its decision, if any.
pub type RecordOf<Q> = Option<Box<AnswerToSave<<Q as Question>::Answer>>>;

/// A question that is being asked, whatever its type.
trait ErasedAsk: Send {
    /// Puts the question into the mailbox of its room. Returns `false` if no room runs under the
    /// id; one that stopped just now gives the question back to [`ErasedAsk::poll`].
    fn post(&mut self, directory: &Directory) -> Result<bool, Fault>;

    /// Starts the question's room. Returns `false`, and starts none, if nothing lives under the id
    /// and the question has an answer for that case.
    fn start<'a>(&self, directory: &'a Directory) -> BoxFuture<'a, Result<bool, Fault>>;

    /// Takes the answer that the question has where nothing lives under the id.
    fn answer_absent(&mut self) -> Result<(), Fault>;

    /// Polls for what the room sends back.
    fn poll(&mut self, task: &mut task::Context<'_>) -> Poll<Returned>;

    /// Whether the question was answered, and something may have been written for it.
    fn is_decided(&self) -> bool;
}

/// The result that a room returned for a question.
enum Returned {
    /// The answer or refusal, which the asking holds now.
    Answer,
    /// The question: the room stopped before it read it.
    Question,
    /// A fault of the server, not a refusal.
    Fault(Fault),
}

/// A question of type `Q` to the room of this id.
struct PendingAsk<I, Q: Question> {
    id: I,
    state: AskState<Q>,
}

/// How far the question came.
enum AskState<Q: Question> {
    /// Not asked yet, or given back: the question, and what is recorded of its answer.
    Held(Q, Beside<Q::Answer>),
    /// A room has the question.
    Posted(AnswerToCome<Q>),
    /// Answered or refused.
    Answered(Result<Q::Answer, Q::Refusal>),
    /// Failed: there will be no answer.
    Gone,
}

impl<I: RoomId, Q: Question> PendingAsk<I, Q>
where
    I::Room: Accepts<Q>,
{
    /// A question that was not asked yet.
    const fn new(id: I, question: Q, beside: Beside<Q::Answer>) -> Self {
        Self { id, state: AskState::Held(question, beside) }
    }

    /// The answer or refusal; [`Fault::Gone`] if none came.
    fn answer(self) -> Answered<Q> {
        match self.state {
            AskState::Answered(answer) => answer.map_err(Failure::Refused),
            AskState::Held(..) | AskState::Posted(_) | AskState::Gone => Err(Fault::Gone.into()),
        }
    }
}

impl<I: RoomId, Q: Question> ErasedAsk for PendingAsk<I, Q>
where
    I::Room: Accepts<Q>,
{
    fn post(&mut self, directory: &Directory) -> Result<bool, Fault> {
        directory.post(self.id, || {
            let state = std::mem::replace(&mut self.state, AskState::Gone);
            let AskState::Held(question, beside) = state else { return Err(Fault::Gone) };
            let (reply, answer) = Reply::pair_with(beside.0, beside.1);
            self.state = AskState::Posted(answer);
            Ok(Ask { question, reply })
        })
    }

    fn start<'a>(&self, directory: &'a Directory) -> BoxFuture<'a, Result<bool, Fault>> {
        directory.ensure_running(self.id, <I::Room as Answers<Q>>::answer_if_absent().is_some())
    }

    fn answer_absent(&mut self) -> Result<(), Fault> {
        self.state =
            AskState::Answered(<I::Room as Answers<Q>>::answer_if_absent().ok_or(Fault::Gone)?);
        Ok(())
    }

    fn poll(&mut self, task: &mut task::Context<'_>) -> Poll<Returned> {
        let AskState::Posted(answer) = &mut self.state else {
            return Poll::Ready(Returned::Fault(Fault::Gone));
        };
        let came = ready!(Pin::new(answer).poll(task));
        self.state = AskState::Gone;
        Poll::Ready(match came {
            AskOutcome::Answer(Err(Failure::Fault(fault))) => Returned::Fault(fault),
            AskOutcome::Answer(Err(Failure::Refused(refusal))) => {
                self.state = AskState::Answered(Err(refusal));
                Returned::Answer
            }
            AskOutcome::Answer(Ok(answer)) => {
                self.state = AskState::Answered(Ok(answer));
                Returned::Answer
            }
            AskOutcome::Back(back) => match back.downcast::<(Q, Beside<Q::Answer>)>() {
                Ok(back) => {
                    self.state = AskState::Held(back.0, back.1);
                    Returned::Question
                }
                Err(_) => Returned::Fault(Fault::Gone),
            },
            AskOutcome::Lost => Returned::Fault(Fault::Gone),
        })
    }

    fn is_decided(&self) -> bool {
        Q::DECIDES && matches!(self.state, AskState::Answered(Ok(_)))
    }
}
