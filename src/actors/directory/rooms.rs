//! The kinds of rooms: the type of id that names each kind, where its running rooms are registered,
//! and how one starts.

use std::convert::Infallible;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use actix::{Actor, ActorContext, Addr, AsyncContext, Context};
use dashmap::DashMap;

use crate::ask::{Accepts, Answers, Ask, Posted, Question, Reply};
use crate::audit::AuditActor;
use crate::chat::ChatActor;
use crate::directory::{Directory, Inner};
use crate::group::GroupActor;
use crate::idle::Idle;
use crate::instance::InstanceActor;
use crate::ledger::Room;
use crate::name::NameActor;
use crate::room_context::RoomContext;
use crate::user::UserActor;
use domain::event::Origin;
use domain::ids::{GroupId, NameId, Pair, StreamId, UserId};
use index::{Index, IndexFault};
use journal::{Committed, Follower};

/// The running rooms, by kind.
#[derive(Default)]
pub struct Rooms {
    pub(super) groups: DashMap<GroupId, Addr<GroupActor>>,
    pub(super) users: DashMap<UserId, Addr<UserActor>>,
    pub(super) chats: DashMap<Pair, Addr<ChatActor>>,
    audit: DashMap<(), Addr<AuditActor>>,
    names: DashMap<NameId, Addr<NameActor>>,
    instance: DashMap<InstanceId, Addr<InstanceActor>>,
    /// Rooms that were told to stand down, and may still run.
    pub(super) standing_down: StandingDown,
}

/// The rooms that were told to stand down.
#[derive(Default)]
pub(super) struct StandingDown(Mutex<Vec<RunsStill>>);

/// Whether a room still runs.
type RunsStill = Box<dyn Fn() -> bool + Send>;

impl StandingDown {
    /// Adds a room.
    pub(super) fn add(&self, runs_still: RunsStill) {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Looks through all rooms only when the list is full, so about once per doubling: adding
        // stays cheap.
        if rooms.len() == rooms.capacity() {
            rooms.retain(|runs_still| runs_still());
        }
        rooms.push(runs_still);
    }

    /// Whether one of the rooms still runs.
    pub(super) fn is_any(&self) -> bool {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.retain(|runs_still| runs_still());
        !rooms.is_empty()
    }
}

impl Rooms {
    /// The streams of the running rooms.
    pub(super) fn streams(&self) -> Vec<StreamId> {
        let groups = self.groups.iter().map(|it| StreamId::Group(*it.key()));
        let users = self.users.iter().map(|it| StreamId::User(*it.key()));
        let chats = self.chats.iter().map(|it| StreamId::Chat(*it.key()));
        let names = self.names.iter().map(|it| StreamId::Name(*it.key()));
        let audit = self.audit.iter().map(|_| StreamId::Audit);
        let instance = self.instance.iter().map(|_| StreamId::Instance);
        groups.chain(users).chain(chats).chain(names).chain(audit).chain(instance).collect()
    }
}

/// The id of a room. The type of the id says of which kind the room is.
pub trait RoomId: Copy + Eq + Hash + Send + 'static {
    /// The room's actor.
    type Room: Actor<Context = Context<Self::Room>>;

    /// The stream whose events the room decides.
    fn stream(self) -> StreamId;

    /// The running rooms of this kind.
    fn running(rooms: &Rooms) -> &DashMap<Self, Addr<Self::Room>>;

    /// Makes the room of this id, about to start.
    fn room(self, context: RoomContext, idle: Idle) -> Self::Room;

    /// Whether anything lives under this id. Blocks on the disk.
    ///
    /// # Errors
    /// If the index cannot be read.
    fn exists(self, index: &Index) -> Result<bool, IndexFault>;
}

impl RoomId for GroupId {
    type Room = GroupActor;

    fn stream(self) -> StreamId {
        StreamId::Group(self)
    }

    fn running(rooms: &Rooms) -> &DashMap<Self, Addr<GroupActor>> {
        &rooms.groups
    }

    fn room(self, context: RoomContext, idle: Idle) -> GroupActor {
        GroupActor::new(self, context, idle)
    }

    fn exists(self, index: &Index) -> Result<bool, IndexFault> {
        Ok(index.group(self)?.is_some() || index.topic(self)?.is_some())
    }
}

impl RoomId for UserId {
    type Room = UserActor;

    fn stream(self) -> StreamId {
        StreamId::User(self)
    }

    fn running(rooms: &Rooms) -> &DashMap<Self, Addr<UserActor>> {
        &rooms.users
    }

    fn room(self, context: RoomContext, idle: Idle) -> UserActor {
        UserActor::new(self, context, idle)
    }

    fn exists(self, index: &Index) -> Result<bool, IndexFault> {
        Ok(index.account(self)?.is_some())
    }
}

impl RoomId for Pair {
    type Room = ChatActor;

    fn stream(self) -> StreamId {
        StreamId::Chat(self)
    }

    fn running(rooms: &Rooms) -> &DashMap<Self, Addr<ChatActor>> {
        &rooms.chats
    }

    fn room(self, context: RoomContext, idle: Idle) -> ChatActor {
        ChatActor::new(self, context, idle)
    }

    fn exists(self, index: &Index) -> Result<bool, IndexFault> {
        Ok(index.chat(self)?.is_some())
    }
}

impl RoomId for NameId {
    type Room = NameActor;

    fn stream(self) -> StreamId {
        StreamId::Name(self)
    }

    fn running(rooms: &Rooms) -> &DashMap<Self, Addr<NameActor>> {
        &rooms.names
    }

    fn room(self, context: RoomContext, idle: Idle) -> NameActor {
        NameActor::new(self, context, idle)
    }

    fn exists(self, index: &Index) -> Result<bool, IndexFault> {
        Ok(index.name(self)?.is_some())
    }
}

/// The one audit log, which always exists and never goes to rest.
impl RoomId for () {
    type Room = AuditActor;

    fn stream(self) -> StreamId {
        StreamId::Audit
    }

    fn running(rooms: &Rooms) -> &DashMap<Self, Addr<AuditActor>> {
        &rooms.audit
    }

    fn room(self, context: RoomContext, _: Idle) -> AuditActor {
        AuditActor::new(context)
    }

    fn exists(self, _: &Index) -> Result<bool, IndexFault> {
        Ok(true)
    }
}

/// The id of the one room of the installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstanceId;

/// The room of the installation, which always exists and never goes to rest.
impl RoomId for InstanceId {
    type Room = InstanceActor;

    fn stream(self) -> StreamId {
        StreamId::Instance
    }

    fn running(rooms: &Rooms) -> &DashMap<Self, Addr<InstanceActor>> {
        &rooms.instance
    }

    fn room(self, context: RoomContext, _: Idle) -> InstanceActor {
        InstanceActor::new(context)
    }

    fn exists(self, _: &Index) -> Result<bool, IndexFault> {
        Ok(true)
    }
}

impl Directory {
    /// The follower of the journal for the directory.
    pub fn follower(&self) -> Box<dyn Follower> {
        Box::new(DirectoryFollower(Arc::downgrade(&self.0)))
    }

    /// Whether a room that was told to stand down still runs.
    pub fn is_busy(&self) -> bool {
        self.0.rooms.standing_down.is_any()
    }

    fn written_elsewhere(&self, stream: StreamId) {
        match stream {
            StreamId::Group(group) => self.stand_down(group),
            StreamId::User(user) => self.stand_down(user),
            StreamId::Chat(pair) => self.stand_down(pair),
            StreamId::Name(name) => self.stand_down(name),
            StreamId::Audit => self.stand_down(()),
            StreamId::Instance => self.stand_down(InstanceId),
            // No room of the directory decides these events.
            StreamId::Callbacks => {}
        }
    }

    fn stand_down<I: RoomId>(&self, id: I)
    where
        I::Room: Accepts<StandDown>,
    {
        let Some((_, room)) = I::running(&self.0.rooms).remove(&id) else { return };
        let (reply, _) = Reply::pair();
        // Refused only by a room that has stopped: this address has sent nothing before, and actix
        // takes one message of each beyond a mailbox's limit.
        if room.try_send(Posted::new(Ask { question: StandDown, reply })).is_ok() {
            self.0.rooms.standing_down.add(Box::new(move || room.connected()));
        }
    }
}

/// The follower on the journal's thread. Holds the directory weakly, since the directory holds the
/// journal.
struct DirectoryFollower(Weak<Inner>);

impl Follower for DirectoryFollower {
    /// Runs before any client receives these commits: one that has received them must find a room
    /// that knows them.
    fn project(&mut self, commits: &[Arc<Committed>]) {
        let mut read = commits.iter().filter(|commit| commit.origin == Origin::Read).peekable();
        if read.peek().is_none() {
            return;
        }
        let Some(directory) = self.0.upgrade().map(Directory) else { return };
        for commit in read {
            let ids = &directory.0.context.id_generator;
            commit.entries.iter().for_each(|it| ids.heard_of(commit.stream, &it.event.fact));
            directory.written_elsewhere(commit.stream);
        }
    }

    /// By now every follower on this node has projected the batch.
    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {
        let Some(inner) = self.0.upgrade().filter(|it| it.link.get().is_some()) else { return };
        inner.shown.raise_to(inner.context.archive.journal.end().get());
    }

    /// Stops all rooms when this node no longer leads.
    fn leader_changed(&mut self, leads: bool) {
        let Some(directory) = self.0.upgrade().filter(|_| !leads).map(Directory) else { return };
        let streams = directory.0.rooms.streams();
        streams.into_iter().for_each(|stream| directory.written_elsewhere(stream));
    }
}

/// After how long a room with a commit under way checks again whether it may stop.
const AGAIN: Duration = Duration::from_millis(5);

/// Tells a room that another node has written its stream. Sent by the directory's follower.
#[derive(Debug, Clone, Copy)]
pub struct StandDown;

impl Question for StandDown {
    type Answer = ();
    type Refusal = Infallible;
    const IN_TOPICS: bool = true;
}

/// Stops the room, which has left the directory already, once it is idle. A commit under way either
/// meets the fence or was written before it; both end soon, and callers that wait get their
/// answers.
fn stand_down<R: Room>(room: &mut R, ctx: &mut R::Context) {
    if room.ledger().is_idle() && room.is_alone() {
        return ctx.stop();
    }
    ctx.run_later(AGAIN, stand_down);
}

impl Answers<StandDown> for GroupActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for ChatActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for UserActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for NameActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for AuditActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        stand_down(self, ctx);
    }
}

impl Answers<StandDown> for InstanceActor {
    fn answer(&mut self, ask: Ask<StandDown>, ctx: &mut Context<Self>) {
        // Nobody waits for the reply.
        drop(ask);
        stand_down(self, ctx);
    }
}
