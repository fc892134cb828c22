//! The kinds of rooms: the type of id that names each kind, where its running rooms are registered,
//! and how one starts.

use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use actix::{Actor, Addr, Context};
use dashmap::DashMap;

use crate::actors::audit::AuditActor;
use crate::actors::chat::ChatActor;
use crate::actors::group::GroupActor;
use crate::actors::idle::Idle;
use crate::actors::name::NameActor;
use crate::actors::room_context::RoomContext;
use crate::actors::user::UserActor;
use crate::domain::ids::{GroupId, NameId, Pair, StreamId, UserId};
use crate::index::{Index, IndexFault};
use crate::journal::replicated::shard::Shard;

/// The running rooms, by kind.
#[derive(Default)]
pub struct Rooms {
    pub(super) groups: DashMap<GroupId, Addr<GroupActor>>,
    pub(super) users: DashMap<UserId, Addr<UserActor>>,
    pub(super) chats: DashMap<Pair, Addr<ChatActor>>,
    audit: DashMap<(), Addr<AuditActor>>,
    names: DashMap<NameId, Addr<NameActor>>,
    /// Rooms that were told to stand down, and may still run.
    pub(super) standing_down: StandingDown,
}

/// The rooms that were told to stand down.
#[derive(Default)]
pub(super) struct StandingDown(Mutex<Vec<(StreamId, RunsStill)>>);

/// Whether a room still runs.
type RunsStill = Box<dyn Fn() -> bool + Send>;

impl StandingDown {
    /// Adds a room.
    pub(super) fn add(&self, stream: StreamId, runs_still: RunsStill) {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Looks through all rooms only when the list is full, so about once per doubling: adding
        // stays cheap.
        if rooms.len() == rooms.capacity() {
            rooms.retain(|(_, runs_still)| runs_still());
        }
        rooms.push((stream, runs_still));
    }

    /// Whether a room of this shard still runs.
    pub(super) fn is_any_of(&self, shard: Shard) -> bool {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.retain(|(_, runs_still)| runs_still());
        rooms.iter().any(|(stream, _)| Shard::of(*stream) == shard)
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
        groups.chain(users).chain(chats).chain(names).chain(audit).collect()
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
        Ok(index.group(self)?.is_some())
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
