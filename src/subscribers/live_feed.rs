//! The live feed: carries each durable event to the sockets of those who may hear.
//!
//! One feed per HTTP thread, beside the sessions of that thread. A frame is encoded
//! once and its bytes are shared. A session that cannot keep up is marked as behind and
//! gets nothing more pushed: it reads on by itself from its cursor, so its memory is
//! bounded and nobody waits for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use actix::{Actor, Addr, Context, Handler, Message};
use bytestring::ByteString;
use smallvec::SmallVec;

use crate::auth::keyring::Caller;
use crate::domain::event::Fact;
use crate::domain::ids::{TokenId, UserId};
use crate::domain::user::UserFact;
use crate::journal::{Committed, Cursor, Follower};
use crate::subscribers::closing::Close;
use crate::subscribers::frames::{self, Encoded, Numbered};
use crate::subscribers::session::{Deliver, Session};
use crate::wire::site::Site;

/// Frames that may wait for one session.
pub const WAITING_FRAMES: usize = 256;
/// Bytes that may wait for one session.
pub const WAITING_BYTES: usize = 1 << 20;
/// Batches that may wait for one feed; past that its sessions read on by themselves.
const MAILBOX: usize = 1024;

/// The feeds of all threads.
#[derive(Debug, Clone, Default)]
pub struct Feeds(Arc<RwLock<Vec<Local>>>);

/// The feed of one thread.
#[derive(Debug, Clone)]
pub struct Local {
    /// Where sessions join.
    pub feed: Addr<LiveFeed>,
    /// How many sessions it serves; nothing is sent to a feed that serves none.
    sessions: Arc<AtomicUsize>,
    /// Whether a batch was lost to it.
    missed: Arc<AtomicBool>,
}

impl Feeds {
    /// Starts the feed of this thread.
    pub fn start_here(&self, site: Arc<Site>) -> Local {
        let (sessions, missed) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let feed = LiveFeed {
            users: HashMap::new(),
            site,
            sessions: Arc::clone(&sessions),
            missed: Arc::clone(&missed),
        };
        let local = Local { feed: feed.start(), sessions, missed };
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(local.clone());
        local
    }

    /// Tells every session that the server is about to stop.
    pub fn say_goodbye(&self) {
        for local in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            // A feed too busy to hear it closes its sockets without a word.
            drop(local.feed.try_send(Goodbye));
        }
    }
}

/// The ear on the journal's thread.
#[derive(Debug)]
pub struct Ear(pub Feeds);

impl Follower for Ear {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        let mut heard: Option<Heard> = None;
        for local in self.0.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            // A session counts itself before it reads where the journal ends, so what
            // is not sent to it here is before that end.
            if local.sessions.load(Ordering::SeqCst) == 0 {
                continue;
            }
            let heard = heard.get_or_insert_with(|| Heard::of(batch)).clone();
            if local.feed.try_send(heard).is_err() {
                local.missed.store(true, Ordering::SeqCst);
            }
        }
    }
}

/// A durable batch, with room for the frame of each event, shared by all feeds.
#[derive(Debug, Clone, Message)]
#[rtype(result = "()")]
pub struct Heard {
    batch: Arc<[Arc<Committed>]>,
    frames: Arc<[OnceLock<Option<Encoded>>]>,
}

impl Heard {
    fn of(batch: &Arc<[Arc<Committed>]>) -> Self {
        let events = batch.iter().map(|commit| commit.entries.len()).sum();
        let frames = std::iter::repeat_with(OnceLock::new).take(events).collect();
        Self { batch: Arc::clone(batch), frames }
    }
}

/// What a feed and a session share about the session. Both run on one thread; it is
/// atomic only because actix messages must be.
#[derive(Debug, Default)]
pub struct Slot {
    live: AtomicBool,
    newest: AtomicU64,
    frames: AtomicUsize,
    bytes: AtomicUsize,
}

impl Slot {
    /// Whether frames are pushed to the session.
    pub fn is_live(&self) -> bool {
        self.live.load(Ordering::Relaxed)
    }

    /// The newest event that concerned the session, pushed or not.
    pub fn newest(&self) -> Cursor {
        Cursor::new(self.newest.load(Ordering::Relaxed))
    }

    /// Asks for frames from now on. What was heard before is durable by now, so whoever
    /// reads where the journal ends after this call misses nothing in between.
    pub fn go_live(&self) {
        self.live.store(true, Ordering::Relaxed);
    }

    /// Stops frames: the session reads on by itself.
    fn fall_behind(&self) {
        self.live.store(false, Ordering::Relaxed);
    }

    /// The session has taken frames out of its mailbox.
    pub fn taken(&self, frames: usize, bytes: usize) {
        self.frames.fetch_sub(frames, Ordering::Relaxed);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.frames.load(Ordering::Relaxed) < WAITING_FRAMES
            && self.bytes.load(Ordering::Relaxed) + bytes <= WAITING_BYTES
    }

    fn add(&self, bytes: usize) {
        self.frames.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// The actor.
#[derive(Debug)]
pub struct LiveFeed {
    users: HashMap<UserId, SmallVec<[Listener; 1]>>,
    site: Arc<Site>,
    sessions: Arc<AtomicUsize>,
    missed: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Listener {
    id: u64,
    token: TokenId,
    session: Addr<Session>,
    slot: Arc<Slot>,
    /// Frames of the batch at hand: they leave in one message, and in one write.
    gathered: Vec<(Cursor, ByteString)>,
}

/// A session wants to hear what its user may hear. It is behind at first.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Join {
    /// Names the session on this thread.
    pub id: u64,
    /// Whose it is.
    pub caller: Caller,
    /// Where frames go.
    pub session: Addr<Session>,
    /// What feed and session share.
    pub slot: Arc<Slot>,
}

/// A session is over.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Leave {
    /// Which.
    pub id: u64,
    /// Whose it was.
    pub user: UserId,
}

/// The server is about to stop.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Goodbye;

impl Local {
    /// Counts a session in before it joins, so that no batch passes it unseen.
    pub fn expect_one(&self) {
        self.sessions.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts a session out that did not come to join.
    pub fn expect_one_less(&self) {
        self.sessions.fetch_sub(1, Ordering::SeqCst);
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
        let Join { id, caller, session, slot } = join;
        let listener = Listener { id, token: caller.token, session, slot, gathered: Vec::new() };
        self.users.entry(caller.user).or_default().push(listener);
    }
}

impl Handler<Leave> for LiveFeed {
    type Result = ();

    fn handle(&mut self, leave: Leave, _: &mut Self::Context) {
        let Some(listeners) = self.users.get_mut(&leave.user) else { return };
        let before = listeners.len();
        listeners.retain(|listener| listener.id != leave.id);
        if listeners.len() < before {
            self.sessions.fetch_sub(1, Ordering::SeqCst);
        }
        if listeners.is_empty() {
            self.users.remove(&leave.user);
        }
    }
}

impl Handler<Heard> for LiveFeed {
    type Result = ();

    fn handle(&mut self, heard: Heard, _: &mut Self::Context) {
        let missed = self.missed.swap(false, Ordering::SeqCst);
        let mut slots = heard.frames.iter();
        let mut told: Vec<UserId> = Vec::new();
        for commit in heard.batch.iter() {
            for ((cursor, n, event), entry) in commit.numbered().zip(&commit.entries) {
                let Some(frame) = slots.next() else { return };
                let users = entry.audience.users();
                self.end_revoked(commit, &event.fact);
                let Some(n) = n else { continue };
                for user in users {
                    let Some(listeners) = self.users.get_mut(user) else { continue };
                    let frame = frame.get_or_init(|| {
                        let (stream, scene) = (commit.stream, entry.scene.as_ref());
                        let favorited_by = entry.favorited_by.as_deref();
                        let event = Numbered { stream, cursor, n, event, scene, favorited_by };
                        frames::encode(event, &self.site)
                    });
                    let Some(frame) = frame else { break };
                    let frame = frame.for_reader(*user);
                    listeners.iter_mut().for_each(|listener| listener.offer(cursor, frame));
                    told.push(*user);
                }
            }
        }
        for user in told {
            if let Some(listeners) = self.users.get_mut(&user) {
                listeners.iter_mut().for_each(Listener::send);
            }
        }
        if missed {
            let newest = heard.batch.last().map(|commit| commit.last_cursor());
            self.everybody_reads_on(newest.unwrap_or_default());
        }
    }
}

impl LiveFeed {
    /// A revoked token closes its sockets.
    fn end_revoked(&self, commit: &Committed, fact: &Fact) {
        let Fact::User(UserFact::TokenRevoked { id, .. }) = fact else { return };
        let crate::domain::ids::StreamId::User(user) = commit.stream else { return };
        for listener in self.users.get(&user).into_iter().flatten() {
            if listener.token == *id {
                listener.close(Close::TOKEN);
            }
        }
    }

    /// A batch was lost: nobody here knows for whom it was, so all read on.
    fn everybody_reads_on(&mut self, newest: Cursor) {
        for listener in self.users.values_mut().flatten() {
            listener.slot.newest.fetch_max(newest.get(), Ordering::Relaxed);
            listener.slot.fall_behind();
            listener.nudge();
        }
    }
}

impl Listener {
    fn offer(&mut self, cursor: Cursor, frame: &ByteString) {
        self.slot.newest.fetch_max(cursor.get(), Ordering::Relaxed);
        if !self.slot.is_live() {
            return;
        }
        if self.slot.has_room(frame.len()) {
            self.slot.add(frame.len());
            self.gathered.push((cursor, frame.clone()));
        } else {
            self.slot.fall_behind();
        }
    }

    fn send(&mut self) {
        if self.gathered.is_empty() {
            return;
        }
        let frames = std::mem::take(&mut self.gathered);
        let (count, bytes) = (frames.len(), frames.iter().map(|(_, it)| it.len()).sum());
        if self.session.try_send(Deliver(frames)).is_err() {
            // The mailbox is full: the session reads these from the journal later.
            self.slot.taken(count, bytes);
            self.slot.fall_behind();
        }
    }

    /// Wakes a session that may be waiting for nothing.
    fn nudge(&self) {
        drop(self.session.try_send(Deliver(Vec::new())));
    }

    fn close(&self, close: Close) {
        // With a full mailbox the socket is jammed; the keyring stops it at its next
        // frame, and the kernel cuts it if there is none.
        drop(self.session.try_send(close));
    }
}

impl Handler<Goodbye> for LiveFeed {
    type Result = ();

    fn handle(&mut self, _: Goodbye, _: &mut Self::Context) {
        for listener in self.users.values().flatten() {
            listener.close(Close::DRAINING);
        }
    }
}
