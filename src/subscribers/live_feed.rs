//! The live feed: carries each durable event to the readers of those who may receive it.
//!
//! There is one feed per HTTP thread, for the readers of that thread. A frame is encoded once and
//! its bytes are shared. A reader that cannot keep up gets nothing more pushed: it reads on by
//! itself from its cursor, so its memory is bounded and nobody waits for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use actix::{Actor, Addr, Context, Handler, Message};
use smallvec::SmallVec;

use crate::attendance::Attendance;
use crate::chat_contacts::{ProfileUpdates, RecentChats};
use crate::close::Close;
use crate::encoded::Encoded;
use crate::frames::{self, Numbered};
use crate::interest::Interest;
use crate::slot::{OfferOutcome, Slot, WAITING};
use crate::subscriber::{ReaderKey, SubscribedBot, Subscriber};
use auth::keyring::TokenOwner;
use base::bounds::Bound;
use base::bounds::places::Fullness;
use base::clock::Clock;
use base::metrics::exposition::{Exposition, MetricKind};
use domain::event::Fact;
use domain::group::GroupFact;
use domain::ids::{ClientId, GroupId, StreamId, TokenId, UserId};
use domain::time::Monotonic;
use domain::user::UserFact;
use journal::{Committed, Cursor, Follower};
use wire::instance::Instance;

/// Batches that may wait for one feed; past that its readers read on from the journal.
const MAILBOX: usize = 1024;

/// The feeds of all threads.
#[derive(Debug, Clone, Default)]
pub struct Feeds(Arc<RwLock<Vec<ThreadFeed>>>);

/// The feed of one thread.
#[derive(Debug, Clone)]
pub struct ThreadFeed {
    /// The feed's actor.
    pub feed: Addr<LiveFeed>,
    /// How many readers the feed serves; nothing is sent to a feed without readers.
    readers: Arc<AtomicUsize>,
    /// Whether a batch was lost because the mailbox was full.
    missed: Arc<AtomicBool>,
    counts: Arc<FeedCounts>,
    /// The slots of the feed's readers, for the metrics.
    slots: ReaderSlots,
}

impl Feeds {
    /// Starts the feed of the current thread.
    pub fn start_here(&self, instance: Arc<Instance>, clock: Arc<dyn Clock>) -> ThreadFeed {
        let readers = Arc::<AtomicUsize>::default();
        let missed = Arc::<AtomicBool>::default();
        let counts = Arc::<FeedCounts>::default();
        let slots = ReaderSlots::default();
        let feed = LiveFeed {
            listeners: HashMap::new(),
            attendance: Attendance::default(),
            bots: BotListeners::default(),
            instance,
            clock,
            missed: Arc::clone(&missed),
            interest: Interest::default(),
            counts: Arc::clone(&counts),
        };
        let local = ThreadFeed { feed: feed.start(), readers, missed, counts, slots };
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(local.clone());
        local
    }

    /// The feeds of all threads.
    pub(super) fn all(&self) -> &RwLock<Vec<ThreadFeed>> {
        &self.0
    }

    /// The sums of what all feeds have counted.
    pub fn read(&self) -> FeedReading {
        let mut reading = FeedReading::default();
        for local in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            reading.readers += local.readers.load(Ordering::Relaxed) as u64;
            local.counts.add_to(&mut reading);
            local.slots.add_to(&mut reading);
        }
        reading
    }

    /// Notifies every reader that the server is about to stop.
    pub fn say_goodbye(&self) {
        for local in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            // A feed whose mailbox is full closes its sockets without a goodbye.
            drop(local.feed.try_send(Goodbye));
        }
    }
}

/// The follower on the journal's thread.
pub struct LiveFeedFollower {
    feeds: Feeds,
    clock: Arc<dyn Clock>,
    beginnings: RecentChats,
}

impl LiveFeedFollower {
    /// A follower that passes commits on to these feeds.
    pub fn of(feeds: Feeds, clock: Arc<dyn Clock>) -> Self {
        Self { feeds, clock, beginnings: RecentChats::default() }
    }
}

impl Follower for LiveFeedFollower {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        let public_profiles = self.beginnings.public_profiles(batch, || self.clock.now().mono);
        let mut heard: Option<FeedBatch> = None;
        for local in self.feeds.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            // A reader counts itself before it reads the journal's end, so what is not sent to it
            // here lies before that end.
            if local.readers.load(Ordering::SeqCst) == 0 {
                continue;
            }
            let heard = heard.get_or_insert_with(|| FeedBatch::of(batch, &public_profiles)).clone();
            if local.feed.try_send(heard).is_err() {
                local.missed.store(true, Ordering::SeqCst);
            }
        }
    }
}

/// A durable batch, with room for the frame of each event, shared by all feeds.
#[derive(Debug, Clone, Message)]
#[rtype(result = "()")]
pub struct FeedBatch {
    batch: Arc<[Arc<Committed>]>,
    frames: Arc<[OnceLock<Option<Encoded>>]>,
    public_profiles: ProfileUpdates,
}

impl FeedBatch {
    fn of(batch: &Arc<[Arc<Committed>]>, public_profiles: &ProfileUpdates) -> Self {
        let events = batch.iter().map(|commit| commit.entries.len()).sum();
        let frames = std::iter::repeat_with(OnceLock::new).take(events).collect();
        Self { batch: Arc::clone(batch), frames, public_profiles: public_profiles.clone() }
    }
}

/// The actor that feeds the readers of one thread.
pub struct LiveFeed {
    listeners: HashMap<UserId, SmallVec<[Listener; 1]>>,
    /// The users with listeners, by group.
    attendance: Attendance,
    instance: Arc<Instance>,
    clock: Arc<dyn Clock>,
    missed: Arc<AtomicBool>,
    /// The readers of bots.
    pub(super) bots: BotListeners,
    /// The readers that watch ephemeral events.
    pub(super) interest: Interest,
    counts: Arc<FeedCounts>,
}

#[derive(Debug)]
struct Listener {
    id: u64,
    token: TokenId,
    /// The application to which the token was given, if any.
    client: Option<ClientId>,
    slot: Arc<Slot>,
}

/// A reader joins. At first it is behind and reads from the journal.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Join {
    /// The reader's number, unique in this process.
    pub id: u64,
    /// The subscriber of the reader.
    pub subscriber: Subscriber,
    /// The slot that feed and reader share.
    pub slot: Arc<Slot>,
}

/// A reader is closed.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Leave {
    /// The reader's number, unique in this process.
    pub id: u64,
    /// The key of the reader in the feed.
    pub place: ReaderKey,
}

/// The server is about to stop.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Goodbye;

/// A reader's place in a feed; dropping it makes the reader leave.
#[derive(Debug)]
pub struct FeedSeat {
    local: ThreadFeed,
    id: u64,
    place: ReaderKey,
    slot: Arc<Slot>,
}

impl ThreadFeed {
    /// Whether anybody reads on this thread.
    pub(super) fn has_readers(&self) -> bool {
        self.readers.load(Ordering::SeqCst) > 0
    }

    /// Takes a place in the feed; `None` if the feed has stopped. The reader is counted before it
    /// joins, so that no batch passes it unseen.
    pub async fn join(&self, id: u64, subscriber: Subscriber, slot: Arc<Slot>) -> Option<FeedSeat> {
        self.readers.fetch_add(1, Ordering::SeqCst);
        let place = subscriber.reader_key();
        let seat = FeedSeat { local: self.clone(), id, place, slot: Arc::clone(&slot) };
        self.slots.add(id, &slot);
        let joined = self.feed.send(Join { id, subscriber, slot }).await;
        joined.is_ok().then_some(seat)
    }
}

impl Drop for FeedSeat {
    fn drop(&mut self) {
        self.local.readers.fetch_sub(1, Ordering::SeqCst);
        self.slot.close(Close::GONE);
        self.local.slots.remove(self.id);
        // A seat's address has sent nothing before, and actix takes one message of each beyond a
        // mailbox's limit: this one is never refused.
        drop(self.local.feed.try_send(Leave { id: self.id, place: self.place }));
    }
}

impl Actor for LiveFeed {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
    }
}

impl Handler<Join> for LiveFeed {
    type Result = ();

    fn handle(&mut self, join: Join, _: &mut Self::Context) {
        let Join { id, subscriber, slot } = join;
        let caller = match subscriber {
            Subscriber::User(caller) => caller,
            Subscriber::Bot(bot) => return self.bots.add(id, bot, slot),
        };
        if !self.listeners.contains_key(&caller.user) {
            self.attendance.arrives(caller.user);
        }
        let listeners = self.listeners.entry(caller.user).or_default();
        listeners.retain(|listener| listener.slot.over().is_none());
        let TokenOwner { token, client, .. } = caller;
        listeners.push(Listener { id, token, client, slot });
    }
}

impl Handler<Leave> for LiveFeed {
    type Result = ();

    fn handle(&mut self, leave: Leave, _: &mut Self::Context) {
        self.interest.forget(leave.id);
        let user = match leave.place {
            ReaderKey::OfUser(user) => user,
            ReaderKey::InGroup(group) => return self.bots.remove(leave.id, group),
        };
        let Some(listeners) = self.listeners.get_mut(&user) else { return };
        listeners.retain(|listener| listener.id != leave.id);
        if listeners.is_empty() {
            self.listeners.remove(&user);
            self.attendance.leaves(user);
        }
    }
}

impl Handler<FeedBatch> for LiveFeed {
    type Result = ();

    fn handle(&mut self, heard: FeedBatch, _: &mut Self::Context) {
        let missed = self.missed.swap(false, Ordering::SeqCst);
        let now = self.clock.now().mono;
        let mut slots = heard.frames.iter();
        let mut told: Vec<UserId> = Vec::new();
        let mut bots_told: Vec<Arc<Slot>> = Vec::new();
        for commit in heard.batch.iter() {
            for ((cursor, n, event), entry) in commit.numbered().zip(&commit.entries) {
                let Some(frame) = slots.next() else { return };
                self.end_revoked(commit, &event.fact);
                self.consider(entry, commit.stream, (cursor, now));
                self.bots.reconsider(commit.stream, &event.fact, (cursor, now));
                if n.is_none() && !event.fact.is_confidential() {
                    continue;
                }
                let encode = || {
                    let event = Numbered::live(commit.stream, cursor, n, event, &entry.state);
                    frames::encode(event, &self.instance)
                };
                for slot in self.bots.hearing(commit.stream, &event.fact) {
                    let Some(frame) = frame.get_or_init(encode) else { break };
                    let Some(frame) = frame.for_everybody() else { break };
                    self.counts.offered(slot.offer(frame, now));
                    bots_told.push(Arc::clone(slot));
                }
                let Some(chat_contacts) = heard.public_profiles.chat_contacts(commit, cursor)
                else {
                    // Before any later event is offered, so that each reader finds this one in the
                    // journal.
                    self.everybody_reads_on(cursor);
                    continue;
                };
                let users = self.attendance.of(commit.stream, &entry.audience, &self.listeners);
                for user in users.iter().chain(chat_contacts) {
                    let Some(listeners) = self.listeners.get(user) else { continue };
                    let Some(frame) = frame.get_or_init(encode) else { break };
                    for listener in listeners {
                        if let Some(frame) = frame.for_reader(*user, listener.client) {
                            self.counts.offered(listener.slot.offer(frame, now));
                        }
                    }
                    told.push(*user);
                }
            }
        }
        // Frames of one batch leave in one write, so readers are woken after the last.
        for listener in told.iter().filter_map(|user| self.listeners.get(user)).flatten() {
            listener.slot.wake();
        }
        bots_told.iter().for_each(|slot| slot.wake());
        if missed {
            self.everybody_reads_on(
                heard.batch.last().map_or(Cursor::START, |it| it.last_cursor()),
            );
        }
    }
}

impl LiveFeed {
    /// The slots of a user's readers.
    pub(super) fn slots_of(&self, user: UserId) -> impl Iterator<Item = &Arc<Slot>> {
        self.listeners.get(&user).into_iter().flatten().map(|listener| &listener.slot)
    }

    /// The slots of all readers.
    fn slots(&self) -> impl Iterator<Item = &Arc<Slot>> {
        self.listeners.values().flatten().map(|listener| &listener.slot).chain(self.bots.slots())
    }

    /// Makes all readers read on from the journal, because it is unknown who may receive an event,
    /// or a batch was lost. Each then also looks up whether its token was revoked.
    fn everybody_reads_on(&self, newest: Cursor) {
        let now = self.clock.now().mono;
        for slot in self.slots() {
            self.counts.offered(OfferOutcome::Full);
            slot.fall_behind(newest, now);
        }
    }
}

impl Handler<Goodbye> for LiveFeed {
    type Result = ();

    fn handle(&mut self, _: Goodbye, _: &mut Self::Context) {
        self.slots().for_each(|slot| slot.close(Close::DRAINING));
    }
}

impl LiveFeed {
    /// Closes the readers whose token a fact ends. Applications end rarely, so their readers are
    /// searched for, not listed.
    fn end_revoked(&self, commit: &Committed, fact: &Fact) {
        let (Fact::User(fact), StreamId::User(user)) = (fact, commit.stream) else { return };
        match fact {
            UserFact::TokenRevoked { id, .. } => self.end(user, |token| token == *id),
            UserFact::TokensRevoked { tokens } => {
                self.end(user, |token| tokens.iter().any(|dead| dead.id == token));
            }
            UserFact::ApplicationsRemoved { clients } => {
                let was_given = |it: &&Listener| it.client.is_some_and(|it| clients.contains(&it));
                let listeners = self.listeners.values().flatten().filter(was_given);
                listeners.for_each(|listener| listener.slot.close(Close::TOKEN));
            }
            UserFact::Registered { .. }
            | UserFact::ProfileChanged { .. }
            | UserFact::TokenIssued(_)
            | UserFact::SmsModeOn(_)
            | UserFact::SmsModeOff
            | UserFact::Blocked { .. }
            | UserFact::Unblocked { .. }
            | UserFact::TokenUsed { .. }
            | UserFact::PasswordChanged { .. }
            | UserFact::ApplicationRegistered(_)
            | UserFact::DeviceAdded(_)
            | UserFact::DeviceRemoved { .. }
            | UserFact::ReadUpTo(_)
            | UserFact::Drafted { .. }
            | UserFact::LevelSet { .. }
            | UserFact::ChatMuted { .. }
            | UserFact::TopicMuted { .. }
            | UserFact::AllMuted { .. }
            | UserFact::Deleted
            | UserFact::Disabled
            | UserFact::Enabled
            | UserFact::PictureNamed { .. }
            | UserFact::OperatorRoleSet { .. }
            | UserFact::Mailed(_)
            | UserFact::Factored(_)
            | UserFact::Identified(_)
            | UserFact::Provisioned(_)
            | UserFact::Waits(_)
            | UserFact::Admitted
            | UserFact::DmFromChosen { .. }
            | UserFact::RequestChanged { .. }
            | UserFact::ReportResolved { .. }
            | UserFact::ListArranged { .. }
            | UserFact::MessageSaved(_)
            | UserFact::MessageUnsaved { .. }
            | UserFact::ConversationsPinned { .. } => {}
        }
    }

    /// Closes the readers of a user whose token has ended.
    fn end(&self, user: UserId, has_ended: impl Fn(TokenId) -> bool) {
        for listener in self.listeners.get(&user).into_iter().flatten() {
            if has_ended(listener.token) {
                listener.slot.close(Close::TOKEN);
            }
        }
    }
}

/// The counters of one feed, written on its own thread.
#[derive(Debug, Default)]
pub struct FeedCounts {
    delivered: AtomicU64,
    behind: AtomicU64,
}

/// The sums over all feeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedReading {
    /// Readers that are connected now.
    pub readers: u64,
    /// Events handed to readers.
    pub delivered: u64,
    /// How often a reader fell behind.
    pub behind: u64,
    /// The most frames, and the most bytes, that wait for any one reader.
    pub waiting: Bound,
}

/// The slots of one feed's readers, for the metrics.
#[derive(Debug, Clone, Default)]
pub(super) struct ReaderSlots(Arc<Mutex<HashMap<u64, Arc<Slot>>>>);

impl ReaderSlots {
    /// Adds a reader's slot.
    pub(super) fn add(&self, reader: u64, slot: &Arc<Slot>) {
        self.lock().insert(reader, Arc::clone(slot));
    }

    /// Removes a reader's slot.
    pub(super) fn remove(&self, reader: u64) {
        self.lock().remove(&reader);
    }

    /// Raises `reading.waiting` to what waits in the fullest slots here.
    pub(super) fn add_to(&self, reading: &mut FeedReading) {
        for slot in self.lock().values() {
            let waiting = slot.held();
            let most = &mut reading.waiting;
            most.items = most.items.max(waiting.items);
            most.bytes = most.bytes.max(waiting.bytes);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Slot>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FeedCounts {
    /// Counts the outcome of offering an event to a reader.
    pub(super) fn offered(&self, offered: OfferOutcome) {
        match offered {
            OfferOutcome::Queued => {
                self.delivered.fetch_add(1, Ordering::Relaxed);
            }
            OfferOutcome::Full => {
                self.behind.fetch_add(1, Ordering::Relaxed);
            }
            OfferOutcome::Skipped => {}
        }
    }

    /// Adds the counters of this feed.
    pub(super) fn add_to(&self, reading: &mut FeedReading) {
        reading.delivered += self.delivered.load(Ordering::Relaxed);
        reading.behind += self.behind.load(Ordering::Relaxed);
    }
}

impl FeedReading {
    /// How full the fullest slot is. A reader whose slot is full reads on from the journal.
    pub const fn fullness(&self) -> Fullness {
        Fullness { held: self.waiting, limit: WAITING, refused: self.behind }
    }

    /// Writes the metrics.
    pub fn write(&self, page: &mut Exposition) {
        let help = "Sockets, streams and polls that receive events.";
        page.single("coterie_readers", MetricKind::Gauge, help, self.readers);
        let help = "Events pushed to readers as they happened.";
        page.single("coterie_deliveries_total", MetricKind::Counter, help, self.delivered);
        let help = "Readers that fell behind and continued from the journal.";
        page.single("coterie_lagging_readers_total", MetricKind::Counter, help, self.behind);
    }
}

/// One reader of a bot.
#[derive(Debug)]
struct BotListener {
    id: u64,
    bot: Arc<SubscribedBot>,
    slot: Arc<Slot>,
}

/// All readers of bots on one thread.
#[derive(Debug, Default)]
pub(super) struct BotListeners(HashMap<GroupId, SmallVec<[BotListener; 1]>>);

impl BotListeners {
    /// Adds a reader, and drops those of its group that are closed.
    pub(super) fn add(&mut self, id: u64, bot: Arc<SubscribedBot>, slot: Arc<Slot>) {
        let listeners = self.0.entry(bot.group).or_default();
        listeners.retain(|listener| listener.slot.over().is_none());
        listeners.push(BotListener { id, bot, slot });
    }

    /// Removes a reader.
    pub(super) fn remove(&mut self, id: u64, group: GroupId) {
        let Some(listeners) = self.0.get_mut(&group) else { return };
        listeners.retain(|listener| listener.id != id);
        if listeners.is_empty() {
            self.0.remove(&group);
        }
    }

    /// The slots of readers that may receive a fact. Each reader decides itself whether it does: it
    /// may be looking up its bot's standing at this moment.
    pub(super) fn hearing(
        &self,
        stream: StreamId,
        fact: &Fact,
    ) -> impl Iterator<Item = &Arc<Slot>> {
        let listeners = if let StreamId::Group(group) = stream
            && fact.message().is_some()
        {
            self.0.get(&group)
        } else {
            None
        };
        listeners.into_iter().flatten().map(|listener| &listener.slot)
    }

    /// Makes readers read on from the journal if a fact may have changed what their bots may
    /// receive: they then look it up, and are closed if they may receive no more. Costs nothing for
    /// other facts.
    pub(super) fn reconsider(&self, stream: StreamId, fact: &Fact, at: (Cursor, Monotonic)) {
        match (stream, fact) {
            (StreamId::Group(group), Fact::Group(fact)) if changes_bots(fact) => {
                read_on(self.0.get(&group).into_iter().flatten(), at);
            }
            (StreamId::User(user), Fact::User(fact)) if changes_makers(fact) => {
                let all = self.0.values().flatten();
                read_on(all.filter(|listener| listener.bot.creator == user), at);
            }
            _ => {}
        }
    }

    /// The slots of all readers.
    pub(super) fn slots(&self) -> impl Iterator<Item = &Arc<Slot>> {
        self.0.values().flatten().map(|listener| &listener.slot)
    }
}

fn read_on<'a>(listeners: impl Iterator<Item = &'a BotListener>, at: (Cursor, Monotonic)) {
    listeners.for_each(|listener| listener.slot.discard_and_fall_behind(at.0, at.1));
}

const fn changes_bots(fact: &GroupFact) -> bool {
    matches!(
        fact,
        GroupFact::BotChanged(_)
            | GroupFact::BotRemoved(_)
            | GroupFact::MemberLeft { .. }
            | GroupFact::Disbanded { .. }
    )
}

const fn changes_makers(fact: &UserFact) -> bool {
    fact.changes_standing() || matches!(fact, UserFact::Deleted)
}
