//! One node among the others: it sends signs of life, hears which nodes are alive, leads if it is to,
//! and gives that up in order.
//!
//! The lead changes hands in three steps: the next leader asks the present one to hand over; that one
//! takes nothing new, and answers when what it had begun and its rooms have finished; then the next
//! leader takes over in the log. If nobody answers, the log's fences decide, and the callers of the
//! overtaken node are told that nothing was done.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::bundle::NodeProgress;
use crate::bus::{Bus, BusSubscription};
use crate::calls::{Calls, OtherNodes};
use crate::clocks::ClockStanding;
use crate::liveness::{LivingNodes, NameTaken, NodeName, SAID_EVERY, SignOfLife};
use crate::not_ready::NotReady;
use crate::reached::ShownPosition;
use crate::sign::{self, Heard};
use base::clock::{Clock, Deadline};
use domain::time::{Monotonic, Timestamp};
use journal::replicated::ReplicatedJournal;
use journal::{Cursor, Journal, JournalState};

/// How many milliseconds a node listens until it must have heard all others: two signs.
const LISTENED: u64 = 1000;
/// After so many milliseconds without a sign of its own, a node was suspended and has heard no
/// other node either.
const ASLEEP: u64 = 1500;
/// For how many milliseconds all nodes must have the same key before the log gets codes: a node of
/// an earlier version may be about to start again.
const SAME_KEY: u64 = 60_000;
/// How many milliseconds after a node joined no node claims to lead: until then not every node knows
/// the same nodes, and two of them could claim it.
const SETTLED: u64 = 400;
/// How often a wait checks its condition.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How long a node that leaves waits until another one leads.
const TAKEN_OVER: Duration = Duration::from_secs(5);
/// How long a node that ends waits until others have received its last answers.
const HEARD_OUT: Duration = Duration::from_millis(500);
/// How long an answer waits until the other nodes show what it reports.
const WAITED_FOR: Duration = Duration::from_millis(250);

/// This node's membership among the nodes. Cheap to clone.
#[derive(Clone)]
pub struct Membership(pub(super) Arc<ThisNode>);

impl fmt::Debug for Membership {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Membership").field("name", &self.0.name).finish_non_exhaustive()
    }
}

/// Held while the leader carries something out. A leader that leaves finishes what it has begun
/// before it hands over.
pub type ActUnderWay = Arc<()>;

/// Whether a room of this node that was told to stand down has something under way.
pub(super) type IsBusy = Box<dyn Fn() -> bool + Send + Sync>;

pub(super) struct ThisNode {
    pub(super) name: NodeName,
    pub(super) run: u64,
    /// When this run began.
    since: Timestamp,
    pub(super) bus: Arc<Bus>,
    pub(super) journal: Arc<ReplicatedJournal>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) view: Mutex<MemberView>,
    /// The position up to which this node shows the journal.
    pub(super) shown: AtomicU64,
    /// The position up to which every other ready node shows it.
    shown_everywhere: ShownPosition,
    /// How often an answer stopped waiting for other nodes.
    wait_timeouts: AtomicU64,
    /// Notified when the leader or the nodes that may lead have changed, to send a sign before the
    /// next beat.
    pub(super) news: Notify,
    /// The questions and answers between this node and the others.
    pub(super) calls: Calls,
    pub(super) is_busy: OnceLock<IsBusy>,
    /// Held by everything that this node carries out as the leader.
    pub(super) acts: ActUnderWay,
    /// Whether this node is handing over, and carries out nothing new.
    pub(super) yields: AtomicBool,
}

pub(super) struct MemberView {
    pub(super) stage: MemberStage,
    pub(super) living: LivingNodes,
    /// The claim to lead, while it is under way.
    pub(super) claim: Option<AbortHandle>,
    pub(super) lag: Lag,
    pub(super) clock: ClockStanding,
    /// Until then no other node is believed dead: this node has not listened for long enough.
    pub(super) listens_until: Monotonic,
    /// Until then not every node may know the same nodes.
    pub(super) settles_at: Monotonic,
    pub(super) last_beat: Monotonic,
    /// Since when every live node has this node's key, if they do.
    same_key_since: Option<Monotonic>,
}

impl MemberView {
    /// Whether other nodes wait for this one.
    fn is_ready(&self, now: Monotonic) -> bool {
        let serves = self.stage == MemberStage::Serving;
        serves && !self.lag.is_behind(now) && self.clock.ahead().is_none()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberStage {
    Joining,
    Serving,
    Leaving,
}

impl Membership {
    /// Joins the other nodes, and listens for a second to learn which are alive. Blocks.
    ///
    /// # Errors
    /// If another live node has this name.
    pub fn join(
        bus: Arc<Bus>,
        journal: Arc<ReplicatedJournal>,
        name: NodeName,
        run: u64,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, NameTaken> {
        let now = clock.now().mono;
        let view = MemberView {
            stage: MemberStage::Joining,
            living: LivingNodes::default(),
            claim: None,
            lag: Lag::default(),
            clock: ClockStanding::default(),
            listens_until: now.plus_millis(LISTENED),
            settles_at: now,
            last_beat: now,
            same_key_since: None,
        };
        let shared = Arc::new(ThisNode {
            name,
            run,
            since: clock.now().wall,
            bus,
            journal,
            clock,
            view: Mutex::new(view),
            shown: AtomicU64::new(0),
            shown_everywhere: ShownPosition::up_to(u64::MAX),
            wait_timeouts: AtomicU64::new(0),
            news: Notify::new(),
            calls: Calls::of(run),
            is_busy: OnceLock::new(),
            acts: ActUnderWay::default(),
            yields: AtomicBool::new(false),
        });
        let joining = Arc::clone(&shared);
        shared.bus.runtime().block_on(async move { joining.listen().await })?;
        Ok(Self(shared))
    }

    /// Starts to serve: from now on this node may lead. `is_busy` tells whether rooms that were told
    /// to stand down still have something under way.
    pub fn serve(&self, is_busy: impl Fn() -> bool + Send + Sync + 'static) {
        drop(self.0.is_busy.set(Box::new(is_busy)));
        let mut view = self.0.view();
        view.stage = MemberStage::Serving;
        view.settles_at = self.0.now().plus_millis(SETTLED);
        drop(view);
        let bus = &self.0.bus;
        let living = Arc::clone(&self.0);
        bus.runtime().spawn(living.live());
        bus.runtime().spawn(Arc::clone(&self.0).hand_over());
    }

    /// Notes that this node shows the journal up to here.
    pub fn note_shown(&self, up_to: Cursor) {
        self.0.shown.store(up_to.get(), Ordering::SeqCst);
        self.0.calls.news.notify_one();
    }

    /// Notes that this node begins to lead, or no longer leads.
    pub fn leader_changed(&self) {
        // The node that wrote was alive then, although its signs may be lost.
        let now = self.0.now();
        let mut view = self.0.view();
        if let Some(run) = self.0.leading(&view.living) {
            view.living.note_written(run, now);
        }
        drop(view);
        self.0.news.notify_one();
    }

    /// Whether the servers of the log can be reached, as far as known.
    pub fn is_reachable(&self) -> bool {
        self.0.is_reachable()
    }

    /// Waits until every other ready node shows the record that begins here, for a quarter of a
    /// second at most.
    pub async fn is_shown_everywhere(&self, newest: Cursor) {
        let everywhere = self.0.shown_everywhere.wait_for(newest);
        if tokio::time::timeout(WAITED_FOR, everywhere).await.is_err() {
            self.0.wait_timeouts.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many answers waited for another node until the timeout, in vain.
    pub fn wait_timeouts(&self) -> u64 {
        self.0.wait_timeouts.load(Ordering::Relaxed)
    }

    /// Whether the node with this run is alive.
    pub fn lives(&self, run: u64) -> bool {
        self.0.view().living.all(self.0.now()).any(|it| it.run == run)
    }

    /// Whether the node can answer every question.
    ///
    /// # Errors
    /// If it cannot: the reason.
    pub fn readiness(&self) -> Result<(), NotReady> {
        self.0.readiness()
    }

    /// The last sign of every node that is alive, in the order of their names.
    pub fn nodes(&self) -> Vec<SignOfLife> {
        self.0.view().living.all(self.0.now()).cloned().collect()
    }

    /// The position of the node that is farthest ahead.
    pub fn farthest(&self) -> Option<Cursor> {
        self.0.view().living.farthest(self.0.now())
    }

    /// This node's name.
    pub fn name(&self) -> &NodeName {
        &self.0.name
    }

    /// The number of this run of the node.
    pub fn run(&self) -> u64 {
        self.0.run
    }

    /// The bus between the nodes.
    pub fn bus(&self) -> &Arc<Bus> {
        &self.0.bus
    }

    /// Leads no longer, and waits until another node does, for five seconds at most.
    pub async fn leave(&self) {
        self.0.view().stage = MemberStage::Leaving;
        self.0.news.notify_one();
        let patience = Deadline::after(TAKEN_OVER);
        while self.0.is_needed() && !patience.left().is_zero() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Waits a moment for the last answers to be received, says good-bye to the other nodes, and
    /// closes the bus. Blocks.
    pub fn end(&self) {
        let shared = Arc::clone(&self.0);
        let said = self.0.bus.runtime().spawn(async move {
            let patience = Deadline::after(HEARD_OUT);
            while !shared.calls.is_all_acknowledged() && !patience.left().is_zero() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            let good_bye = sign::encode(&shared.sign(), true);
            shared.bus.publish(shared.subject(), good_bye.into()).await;
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
        if let Some(hearing) = self.bus.subscribe(format!("{}.*", sign::SUBJECT)).await {
            tokio::spawn(Arc::clone(&self).hear_all(hearing));
        }
        tokio::time::sleep(Duration::from_millis(LISTENED)).await;
        self.view().living.claim(&self.name, self.run, self.now())
    }

    async fn hear_all(self: Arc<Self>, mut hearing: BusSubscription) {
        while let Some(message) = hearing.next().await {
            if let Some(heard) = sign::decode(&message.subject, &message.payload) {
                self.hear(heard);
            }
        }
    }

    fn hear(&self, heard: Heard) {
        let now = self.now();
        let mut view = self.view();
        let before: Vec<NodeName> = view.living.candidates(now).cloned().collect();
        match heard {
            Heard::Lives(sign) if sign.run == self.run => return,
            Heard::Lives(sign) if sign.name == self.name && view.stage != MemberStage::Joining => {
                let own = view.living.all(now).find(|it| it.run == self.run);
                if own.is_some_and(|own| own.gives_way_to(&sign)) {
                    drop(view);
                    self.journal.stop(&NameTaken(sign.name).to_string());
                }
                return;
            }
            Heard::Lives(sign) => view.living.hear(sign, now),
            Heard::Leaves(name, run) => {
                if view.living.all(now).any(|it| it.name == name && it.run == run) {
                    view.living.remove(&name);
                }
            }
        }
        if view.living.candidates(now).any(|it| !before.contains(it)) {
            view.settles_at = now.plus_millis(SETTLED);
        }
        if !view.living.candidates(now).eq(&before) {
            self.news.notify_one();
        }
        self.look(&mut view, now);
    }

    /// Updates what depends on how far the other nodes are.
    fn look(&self, view: &mut MemberView, now: Monotonic) {
        let everywhere = view.living.all_show(self.run, now).map_or(u64::MAX, Cursor::get);
        self.shown_everywhere.set(everywhere);
        let own = Cursor::new(self.shown.load(Ordering::SeqCst));
        let farthest = view.living.farthest(now);
        view.lag.look(own, farthest, now);
        if view.stage == MemberStage::Serving {
            view.clock.look(self.run, &view.living, self.clock.now());
        }
    }

    /// Records how far another node is.
    pub(super) fn note_progress(&self, run: u64, standing: NodeProgress) {
        let mut view = self.view();
        let now = self.now();
        view.living.note_progress(run, standing.shown, standing.is_ready);
        self.look(&mut view, now);
    }

    /// Returns how far this node is, and the other nodes.
    pub(super) fn standing(&self) -> (NodeProgress, OtherNodes) {
        let mut view = self.view();
        let now = self.now();
        self.look(&mut view, now);
        let is_ready = view.is_ready(now);
        let shown = Cursor::new(self.shown.load(Ordering::SeqCst));
        let living = view.living.all(now).map(|it| it.run).filter(|run| *run != self.run).collect();
        let known = view.living.runs().collect();
        (NodeProgress { shown, is_ready }, OtherNodes { living, known })
    }

    fn sign(&self) -> SignOfLife {
        let mut view = self.view();
        let now = self.now();
        self.look(&mut view, now);
        let may_decide = view.stage == MemberStage::Serving && view.clock.ahead().is_none();
        let has_space = self.journal.state() == JournalState::Open;
        let may_lead = may_decide && view.living.is_candidate(&self.name, has_space, now);
        SignOfLife {
            name: self.name.clone(),
            run: self.run,
            may_lead,
            is_ready: view.is_ready(now),
            shown: Cursor::new(self.shown.load(Ordering::SeqCst)),
            leads: self.journal.leads(),
            kept: self.journal.kept(),
            time: Some(self.clock.now().wall),
            key: self.bus.key_print(),
            since: self.since,
            elects: true,
        }
    }

    /// Sends signs of life until the bus is closed.
    async fn live(self: Arc<Self>) {
        let mut beat = tokio::time::interval(Duration::from_millis(SAID_EVERY));
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = beat.tick() => {}
                () = self.news.notified() => {}
            }
            let sign = self.beat();
            self.bus.publish(self.subject(), sign::encode(&sign, false).into()).await;
            self.place();
        }
    }

    fn beat(&self) -> SignOfLife {
        let sign = self.sign();
        let now = self.now();
        let mut view = self.view();
        // If this node was suspended or cut off, the silence of the others is its own fault.
        if now.millis_since(view.last_beat) > ASLEEP || !self.bus.is_connected() {
            view.listens_until = now.plus_millis(LISTENED);
        }
        view.last_beat = now;
        view.living.hear(sign.clone(), now);
        self.look(&mut view, now);
        self.look_for_keys(&mut view, now);
        sign
    }

    /// Begins to write codes into a log without them, once every live node has had this node's key
    /// for a while.
    fn look_for_keys(&self, view: &mut MemberView, now: Monotonic) {
        let Some(print) = self.bus.key_print().filter(|_| !self.bus.is_guarded()) else { return };
        if !view.living.all_have(print, now) {
            view.same_key_since = None;
            return;
        }
        let since = *view.same_key_since.get_or_insert(now);
        if now.millis_since(since) >= SAME_KEY {
            self.journal.begin_codes();
        }
    }
}

/// For how many milliseconds a node may show less than another one before others stop waiting for
/// it.
const LAG: u64 = 250;

/// The position that this node has to reach to catch up, and since when; `None` while it is not
/// behind.
#[derive(Debug, Default)]
pub(super) struct Lag(Option<(Cursor, Monotonic)>);

impl Lag {
    /// Updates the state with this node's position and the farthest position of all nodes.
    pub(super) fn look(&mut self, own: Cursor, farthest: Option<Cursor>, now: Monotonic) {
        self.0.take_if(|(target, _)| own >= *target);
        if self.0.is_none() {
            self.0 = farthest.filter(|it| *it > own).map(|it| (it, now));
        }
    }

    /// Whether the node has been behind for too long.
    pub(super) fn is_behind(&self, now: Monotonic) -> bool {
        self.0.is_some_and(|(_, since)| now.millis_since(since) > LAG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Monotonic = Monotonic::from_millis(1_000_000);

    #[test]
    fn lag_under_250_ms_counts_as_current() {
        let mut lag = Lag::default();
        let at = |number| Some(Cursor::new(number));
        for round in 1..20 {
            // The node is always a little behind, never for long.
            let now = NOW.plus_millis(round * 200);
            lag.look(Cursor::new(round * 100), at(round * 100 + 100), now);
            assert!(!lag.is_behind(now.plus_millis(100)));
        }
        let now = NOW.plus_millis(10_000);
        lag.look(Cursor::new(5000), at(5001), now);
        lag.look(Cursor::new(5000), at(9000), now.plus_millis(LAG));
        assert!(!lag.is_behind(now.plus_millis(LAG)));
        assert!(lag.is_behind(now.plus_millis(LAG + 1)));
        lag.look(Cursor::new(5001), at(9000), now.plus_millis(LAG + 2));
        assert!(!lag.is_behind(now.plus_millis(LAG + 2)));
        lag.look(Cursor::new(9000), at(9000), now.plus_millis(LAG + 3));
        assert!(!lag.is_behind(now.plus_millis(60_000)));
    }
}
