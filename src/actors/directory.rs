//! The directory: finds the room of a group, a chat or a user, starts it on demand, and lets
//! it go when nobody asks any more. A million groups cost disk, not memory.

use std::hash::Hash;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, PoisonError, RwLock};

use actix::dev::ToEnvelope;
use actix::{Actor, Addr, Context, Handler};
use dashmap::DashMap;

use crate::actors::ask::{Answered, Ask, Awaited, Fault, Question};
use crate::actors::audit::AuditActor;
use crate::actors::chat::ChatActor;
use crate::actors::group::GroupActor;
use crate::actors::group_cache::GroupCache;
use crate::actors::idempotency::Keep;
use crate::actors::idle::Idle;
use crate::actors::name::NameActor;
use crate::actors::nothing::AskedOf;
use crate::actors::recent_pages::{RecentPages, Snapshot, Wanted};
use crate::actors::room_context::RoomContext;
use crate::actors::user::UserActor;
use crate::domain::ids::{GroupId, NameId, Pair, UserId};

mod asking;

use asking::ask_if_running;

/// The answer of a room that runs already.
type Running<Q> = Awaited<<Q as Question>::Answer, <Q as Question>::Refusal>;

/// How an answer is kept with its act, if it is.
pub type Keeping<Q> = Option<Box<Keep<<Q as Question>::Answer>>>;

/// Finds and starts rooms. Cheap to clone.
#[derive(Clone)]
pub struct Directory(Arc<Inner>);

struct Inner {
    context: RoomContext,
    arbiters: RwLock<Vec<actix::ArbiterHandle>>,
    hasher: std::hash::RandomState,
    groups: DashMap<GroupId, Addr<GroupActor>>,
    users: DashMap<UserId, Addr<UserActor>>,
    chats: DashMap<Pair, Addr<ChatActor>>,
    group_cache: Arc<GroupCache>,
    recent_pages: Arc<RecentPages>,
    audit: DashMap<(), Addr<AuditActor>>,
    names: DashMap<NameId, Addr<NameActor>>,
    /// How often a room had too much to do.
    full_mailboxes: AtomicU64,
}

impl Directory {
    /// No room yet, and no thread to run one on.
    pub fn new(context: RoomContext) -> Self {
        let group_cache = Arc::new(GroupCache::over(context.archive.clone()));
        let (archive, instance) = (context.archive.clone(), Arc::clone(&context.instance));
        let recent_pages = Arc::new(RecentPages::over(archive, instance, Arc::clone(&group_cache)));
        Self(Arc::new(Inner {
            group_cache,
            recent_pages,
            context,
            arbiters: RwLock::default(),
            hasher: std::hash::RandomState::new(),
            groups: DashMap::new(),
            users: DashMap::new(),
            chats: DashMap::new(),
            audit: DashMap::new(),
            names: DashMap::new(),
            full_mailboxes: AtomicU64::new(0),
        }))
    }

    /// Lets rooms run on this thread from now on.
    pub fn add_arbiter(&self, arbiter: actix::ArbiterHandle) {
        self.0.arbiters.write().unwrap_or_else(PoisonError::into_inner).push(arbiter);
    }

    /// Groups whose rooms are at rest.
    pub(super) fn group_cache(&self) -> &Arc<GroupCache> {
        &self.0.group_cache
    }

    /// All that a user sees at a moment after this question: every event that was
    /// answered or heard of before it is in it.
    ///
    /// # Errors
    /// On our own trouble.
    pub async fn snapshot(&self, user: UserId, wanted: Wanted) -> Result<Snapshot, Fault> {
        self.0.recent_pages.snapshot(user, wanted).await
    }

    /// Asks a group if its room runs; without a deadline of its own.
    ///
    /// # Errors
    /// When the room has too much to do.
    pub(super) fn ask_running<Q: Question>(
        &self,
        id: GroupId,
        question: Q,
    ) -> Result<Option<Running<Q>>, Fault>
    where
        GroupActor: Handler<Ask<Q>>,
        Context<GroupActor>: ToEnvelope<GroupActor, Ask<Q>>,
    {
        ask_if_running(&self.0.groups, id, question)
    }

    /// The same for a chat.
    ///
    /// # Errors
    /// When the room has too much to do.
    pub(super) fn ask_running_chat<Q: Question>(
        &self,
        pair: Pair,
        question: Q,
    ) -> Result<Option<Running<Q>>, Fault>
    where
        ChatActor: Handler<Ask<Q>>,
        Context<ChatActor>: ToEnvelope<ChatActor, Ask<Q>>,
    {
        ask_if_running(&self.0.chats, pair, question)
    }

    /// How many rooms are awake: of groups, of chats, of users.
    pub fn awake(&self) -> [usize; 3] {
        [self.0.groups.len(), self.0.chats.len(), self.0.users.len()]
    }

    /// What rooms stand on.
    pub fn context(&self) -> &RoomContext {
        &self.0.context
    }

    /// Asks a group. The answer is durable.
    ///
    /// # Errors
    /// When the group refuses, or on our own trouble.
    pub async fn group<Q: AskedOf<GroupActor>>(&self, id: GroupId, question: Q) -> Answered<Q>
    where
        GroupActor: Handler<Ask<Q>>,
        Context<GroupActor>: ToEnvelope<GroupActor, Ask<Q>>,
    {
        self.group_keeping(id, question, None).await
    }

    /// The same; the answer is kept with the act, if asked for.
    ///
    /// # Errors
    /// When the group refuses, or on our own trouble.
    pub async fn group_keeping<Q: AskedOf<GroupActor>>(
        &self,
        id: GroupId,
        question: Q,
        keep: Keeping<Q>,
    ) -> Answered<Q>
    where
        GroupActor: Handler<Ask<Q>>,
        Context<GroupActor>: ToEnvelope<GroupActor, Ask<Q>>,
    {
        let make = |directory: &Self| {
            let (context, idle) =
                (directory.0.context.clone(), directory.idle(id, |it| &it.groups));
            directory.start(&id, move || GroupActor::new(id, context, idle))
        };
        self.ask(&self.0.groups, id, make, (question, keep)).await
    }

    /// Asks a user's room. The answer is durable.
    ///
    /// # Errors
    /// When the room refuses, or on our own trouble.
    pub async fn user<Q: AskedOf<UserActor>>(&self, id: UserId, question: Q) -> Answered<Q>
    where
        UserActor: Handler<Ask<Q>>,
        Context<UserActor>: ToEnvelope<UserActor, Ask<Q>>,
    {
        self.user_keeping(id, question, None).await
    }

    /// The same; the answer is kept with the act, if asked for.
    ///
    /// # Errors
    /// When the room refuses, or on our own trouble.
    pub async fn user_keeping<Q: AskedOf<UserActor>>(
        &self,
        id: UserId,
        question: Q,
        keep: Keeping<Q>,
    ) -> Answered<Q>
    where
        UserActor: Handler<Ask<Q>>,
        Context<UserActor>: ToEnvelope<UserActor, Ask<Q>>,
    {
        let make = |directory: &Self| {
            let (context, idle) = (directory.0.context.clone(), directory.idle(id, |it| &it.users));
            directory.start(&id, move || UserActor::new(id, context, idle))
        };
        self.ask(&self.0.users, id, make, (question, keep)).await
    }

    /// Asks a chat. The answer is durable.
    ///
    /// # Errors
    /// When the chat refuses, or on our own trouble.
    pub async fn chat<Q: AskedOf<ChatActor>>(&self, pair: Pair, question: Q) -> Answered<Q>
    where
        ChatActor: Handler<Ask<Q>>,
        Context<ChatActor>: ToEnvelope<ChatActor, Ask<Q>>,
    {
        self.chat_keeping(pair, question, None).await
    }

    /// The same; the answer is kept with the act, if asked for.
    ///
    /// # Errors
    /// When the chat refuses, or on our own trouble.
    pub async fn chat_keeping<Q: AskedOf<ChatActor>>(
        &self,
        pair: Pair,
        question: Q,
        keep: Keeping<Q>,
    ) -> Answered<Q>
    where
        ChatActor: Handler<Ask<Q>>,
        Context<ChatActor>: ToEnvelope<ChatActor, Ask<Q>>,
    {
        let make = |directory: &Self| {
            let (context, idle) =
                (directory.0.context.clone(), directory.idle(pair, |it| &it.chats));
            directory.start(&pair, move || ChatActor::new(pair, context, idle))
        };
        self.ask(&self.0.chats, pair, make, (question, keep)).await
    }

    /// Asks the room of a name. The answer is durable.
    ///
    /// # Errors
    /// When the room refuses, or on our own trouble.
    pub async fn name<Q: AskedOf<NameActor>>(&self, id: NameId, question: Q) -> Answered<Q>
    where
        NameActor: Handler<Ask<Q>>,
        Context<NameActor>: ToEnvelope<NameActor, Ask<Q>>,
    {
        let make = |directory: &Self| {
            let (context, idle) = (directory.0.context.clone(), directory.idle(id, |it| &it.names));
            directory.start(&id, move || NameActor::new(id, context, idle))
        };
        self.ask(&self.0.names, id, make, (question, None)).await
    }

    /// Asks the audit log. The answer is durable.
    ///
    /// # Errors
    /// On our own trouble.
    pub async fn audit<Q: AskedOf<AuditActor>>(&self, question: Q) -> Answered<Q>
    where
        AuditActor: Handler<Ask<Q>>,
        Context<AuditActor>: ToEnvelope<AuditActor, Ask<Q>>,
    {
        let make = |directory: &Self| {
            let context = directory.0.context.clone();
            directory.start(&(), move || AuditActor::new(context))
        };
        self.ask(&self.0.audit, (), make, (question, None)).await
    }

    /// How the room with this id leaves the rooms of its kind.
    fn idle<K, A>(&self, id: K, rooms: fn(&Inner) -> &DashMap<K, Addr<A>>) -> Idle
    where
        K: Copy + Eq + Hash + Send + 'static,
        A: Actor<Context = Context<A>>,
    {
        let directory = Arc::downgrade(&self.0);
        Idle::new(self.0.context.look_every, move || {
            if let Some(inner) = directory.upgrade() {
                rooms(&inner).remove(&id);
            }
        })
    }
}
