//! One node among the others: says that it lives, hears who else does, takes the shards that
//! are placed at it, and gives them up in order.
//!
//! A shard changes hands in three steps: whoever is to have it asks whoever has it; that one
//! decides nothing new there, and answers when its rooms are through; then it is taken over
//! in the log. Where nobody answers, the log's fence decides, and whoever was overtaken is
//! told that nothing was done.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::clock::{Clock, Deadline};
use crate::cluster::bundle::NodeProgress;
use crate::cluster::bus::{Bus, Hearing};
use crate::cluster::calls::Calls;
use crate::cluster::lag::Lag;
use crate::cluster::living::{LivingNodes, NameTaken, NodeName, SAID_EVERY, SignOfLife};
use crate::cluster::not_ready::NotReady;
use crate::cluster::reached::Reached;
use crate::cluster::sign::{self, Heard};
use crate::domain::time::Monotonic;
use crate::journal::Cursor;
use crate::journal::replicated::ReplicatedJournal;
use crate::journal::replicated::shard::Shard;

/// How long a node listens before it believes that it has heard everybody: two signs.
const LISTENED: u64 = 1000;
/// A node that said nothing itself for so long was asleep, and has heard nobody either.
const ASLEEP: u64 = 1500;
/// How often it looks whether it is.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How long a node that leaves waits until others have its shards.
const TAKEN_OVER: Duration = Duration::from_secs(5);
/// How long a node that ends waits until others have heard its last answers.
const HEARD_OUT: Duration = Duration::from_millis(500);
/// How long an answer waits for the other nodes; one that takes longer is not waited for.
const WAITED_FOR: Duration = Duration::from_millis(250);

/// A node. Cheap to clone.
#[derive(Clone)]
pub struct Membership(pub(super) Arc<ThisNode>);

impl fmt::Debug for Membership {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Membership").field("name", &self.0.name).finish_non_exhaustive()
    }
}

/// Whether anybody here has something under way in a shard.
pub(super) type IsBusy = Box<dyn Fn(Shard) -> bool + Send + Sync>;

pub(super) struct ThisNode {
    pub(super) name: NodeName,
    pub(super) run: u64,
    pub(super) bus: Arc<Bus>,
    pub(super) journal: Arc<ReplicatedJournal>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) view: Mutex<MemberView>,
    /// Up to where this node shows the journal.
    pub(super) shown: AtomicU64,
    /// Up to where everybody else who is ready does.
    shown_everywhere: Reached,
    /// How often that was waited for in vain.
    unwaited: AtomicU64,
    /// Who has or takes what is to be said before the next beat.
    pub(super) news: Notify,
    /// What it has for others, and hears of them.
    pub(super) calls: Calls,
    pub(super) is_busy: OnceLock<IsBusy>,
}

pub(super) struct MemberView {
    pub(super) stage: MemberStage,
    pub(super) living: LivingNodes,
    pub(super) claims: HashMap<Shard, AbortHandle>,
    pub(super) lag: Lag,
    /// Until when nobody's silence is believed.
    pub(super) listens_until: Monotonic,
    pub(super) last_beat: Monotonic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberStage {
    Joining,
    Serving,
    Leaving,
}

/// What is known of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeStanding {
    /// Its last word.
    pub sign: SignOfLife,
    /// How many shards it says it owns.
    pub shards: u32,
}

impl Membership {
    /// Listens who is there. Blocks for a second.
    ///
    /// # Errors
    /// When another node that lives has this name.
    pub fn join(
        bus: Arc<Bus>,
        journal: Arc<ReplicatedJournal>,
        (name, run): (NodeName, u64),
        clock: Arc<dyn Clock>,
    ) -> Result<Self, NameTaken> {
        let now = clock.now().mono;
        let view = MemberView {
            stage: MemberStage::Joining,
            living: LivingNodes::default(),
            claims: HashMap::new(),
            lag: Lag::default(),
            listens_until: now.plus_millis(LISTENED),
            last_beat: now,
        };
        let shared = Arc::new(ThisNode {
            name,
            run,
            bus,
            journal,
            clock,
            view: Mutex::new(view),
            shown: AtomicU64::new(0),
            shown_everywhere: Reached::up_to(u64::MAX),
            unwaited: AtomicU64::new(0),
            news: Notify::new(),
            calls: Calls::of(run),
            is_busy: OnceLock::new(),
        });
        let joining = Arc::clone(&shared);
        shared.bus.runtime().block_on(async move { joining.listen().await })?;
        Ok(Self(shared))
    }

    /// Begins to serve: from now on shards are placed here. `is_busy` tells whether rooms
    /// of a shard that was let go still have something under way.
    pub fn serve(&self, is_busy: impl Fn(Shard) -> bool + Send + Sync + 'static) {
        drop(self.0.is_busy.set(Box::new(is_busy)));
        self.0.view().stage = MemberStage::Serving;
        let (bus, living) = (&self.0.bus, Arc::clone(&self.0));
        bus.runtime().spawn(living.live());
        bus.runtime().spawn(Arc::clone(&self.0).hand_over());
    }

    /// This node shows the journal up to here.
    pub fn shows(&self, up_to: Cursor) {
        self.0.shown.store(up_to.get(), Ordering::SeqCst);
        self.0.calls.news.notify_one();
    }

    /// Shards came into this node's hands, or went out of them.
    pub fn owns_others(&self) {
        self.0.news.notify_one();
    }

    /// Waits until every other node that is ready shows what begins here; not for long.
    pub async fn is_shown_everywhere(&self, newest: Cursor) {
        let everywhere = self.0.shown_everywhere.shows(newest);
        if tokio::time::timeout(WAITED_FOR, everywhere).await.is_err() {
            self.0.unwaited.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many answers waited for another node as long as that is reasonable, and in vain.
    pub fn unwaited(&self) -> u64 {
        self.0.unwaited.load(Ordering::Relaxed)
    }

    /// Whether the node of this run lives.
    pub fn lives(&self, run: u64) -> bool {
        self.0.view().living.all(self.0.now()).any(|it| it.run == run)
    }

    /// The run that owns a shard, as far as that was heard.
    pub fn owner(&self, shard: Shard) -> Option<u64> {
        self.0.owner(shard)
    }

    /// Whether everything can be asked here.
    ///
    /// # Errors
    /// Why not.
    pub fn readiness(&self) -> Result<(), NotReady> {
        self.0.readiness()
    }

    /// Every node that lives, in the order of their names.
    pub fn nodes(&self) -> Vec<NodeStanding> {
        let (view, now) = (self.0.view(), self.0.now());
        let standing = |sign: &SignOfLife| NodeStanding {
            sign: sign.clone(),
            shards: sign.shards.count_ones(),
        };
        view.living.all(now).map(standing).collect()
    }

    /// Up to where the farthest of them shows the journal.
    pub fn farthest(&self) -> Option<Cursor> {
        self.0.view().living.farthest(self.0.now())
    }

    /// What this node is called.
    pub fn name(&self) -> &NodeName {
        &self.0.name
    }

    /// Which run of it this is.
    pub fn run(&self) -> u64 {
        self.0.run
    }

    /// How nodes talk.
    pub fn bus(&self) -> &Arc<Bus> {
        &self.0.bus
    }

    /// Takes no shards any more, and waits until others have those that it owns; not for
    /// ever.
    pub async fn leave(&self) {
        self.0.view().stage = MemberStage::Leaving;
        self.0.news.notify_one();
        let patience = Deadline::after(TAKEN_OVER);
        while self.0.is_needed() && !patience.left().is_zero() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Says good-bye, and ends. Blocks.
    pub fn end(&self) {
        let shared = Arc::clone(&self.0);
        let said = self.0.bus.runtime().spawn(async move {
            let patience = Deadline::after(HEARD_OUT);
            while !shared.calls.are_through() && !patience.left().is_zero() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            let good_bye = sign::encode(&shared.sign(), true);
            shared.bus.say(shared.subject(), good_bye.into()).await;
            shared.bus.flush().await;
        });
        let patience = Deadline::after(Duration::from_secs(1));
        while !said.is_finished() && !patience.left().is_zero() {
            std::thread::sleep(LOOK_EVERY);
        }
        self.0.bus.close();
    }
}

impl ThisNode {
    pub(super) fn view(&self) -> MutexGuard<'_, MemberView> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Monotonic {
        self.clock.now().mono
    }

    fn subject(&self) -> String {
        format!("{}.{}", sign::SUBJECT, self.name)
    }

    async fn listen(self: Arc<Self>) -> Result<(), NameTaken> {
        if let Some(hearing) = self.bus.hear(format!("{}.*", sign::SUBJECT)).await {
            tokio::spawn(Arc::clone(&self).hear_all(hearing));
        }
        tokio::time::sleep(Duration::from_millis(LISTENED)).await;
        self.view().living.claim(&self.name, self.run, self.now())
    }

    async fn hear_all(self: Arc<Self>, mut hearing: Hearing) {
        while let Some(message) = hearing.next().await {
            if let Some(heard) = sign::decode(&message.subject, &message.payload) {
                self.hear(heard);
            }
        }
    }

    fn hear(&self, heard: Heard) {
        let now = self.now();
        let mut view = self.view();
        let before: Vec<NodeName> = view.living.taking(now).cloned().collect();
        match heard {
            Heard::Lives(sign) if sign.run == self.run => return,
            Heard::Lives(sign) if sign.name == self.name && view.stage != MemberStage::Joining => {
                tracing::error!(name = %self.name, "another node that lives has this name");
                return;
            }
            Heard::Lives(sign) => view.living.hear(sign, now),
            Heard::Leaves(name, run) => {
                if view.living.all(now).any(|it| it.name == name && it.run == run) {
                    view.living.leaves(&name);
                }
            }
        }
        if !view.living.taking(now).eq(&before) {
            self.news.notify_one();
        }
        self.look(&mut view, now);
    }

    /// Looks how far the others are.
    fn look(&self, view: &mut MemberView, now: Monotonic) {
        let everywhere = view.living.all_show(self.run, now).map_or(u64::MAX, Cursor::get);
        self.shown_everywhere.is(everywhere);
        let (own, farthest) =
            (Cursor::new(self.shown.load(Ordering::SeqCst)), view.living.farthest(now));
        view.lag.look(own, farthest, now);
    }

    /// Another node is so far.
    pub(super) fn is_at(&self, run: u64, standing: NodeProgress) {
        let (mut view, now) = (self.view(), self.now());
        view.living.is_at(run, standing.shown, standing.is_ready);
        self.look(&mut view, now);
    }

    /// How far this one is, and every other run that lives.
    pub(super) fn standing(&self) -> (NodeProgress, Vec<u64>) {
        let (mut view, now) = (self.view(), self.now());
        self.look(&mut view, now);
        let is_ready = view.stage == MemberStage::Serving && !view.lag.is_behind(now);
        let shown = Cursor::new(self.shown.load(Ordering::SeqCst));
        let others = view.living.all(now).map(|it| it.run).filter(|run| *run != self.run);
        (NodeProgress { shown, is_ready }, others.collect())
    }

    fn sign(&self) -> SignOfLife {
        let (view, now) = (self.view(), self.now());
        let takes_shards = view.stage == MemberStage::Serving;
        let shards = Shard::all()
            .filter(|it| self.journal.has(*it))
            .fold(0, |bits, shard| bits | 1 << shard.get());
        SignOfLife {
            name: self.name.clone(),
            run: self.run,
            takes_shards,
            is_ready: takes_shards && !view.lag.is_behind(now),
            shown: Cursor::new(self.shown.load(Ordering::SeqCst)),
            shards,
            kept: self.journal.kept(),
        }
    }

    /// Lives until the bus is closed.
    async fn live(self: Arc<Self>) {
        let mut beat = tokio::time::interval(Duration::from_millis(SAID_EVERY));
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = beat.tick() => {}
                () = self.news.notified() => {}
            }
            let sign = self.beat();
            self.bus.say(self.subject(), sign::encode(&sign, false).into()).await;
            self.place();
        }
    }

    fn beat(&self) -> SignOfLife {
        let (sign, now) = (self.sign(), self.now());
        let mut view = self.view();
        // The others' silence is this node's own, if it slept or was cut off.
        if now.millis_since(view.last_beat) > ASLEEP || !self.bus.is_connected() {
            view.listens_until = now.plus_millis(LISTENED);
        }
        view.last_beat = now;
        view.living.hear(sign.clone(), now);
        self.look(&mut view, now);
        sign
    }
}
