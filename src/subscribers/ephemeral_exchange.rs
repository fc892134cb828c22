//! Exchanges ephemeral state between nodes: who types, and who is online.
//!
//! Messages may be lost, so each node repeats who is online at it, from time to time and whenever
//! another node comes. What is not repeated expires after a while, and nobody counts as online at a
//! dead node.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;

use crate::ephemeral_queue::{EphemeralMessage, EphemeralQueue, EphemeralUpdate};
use crate::live_feed::Feeds;
use crate::presence::remote::{ExpiredPresence, WeakPresence};
use base::clock::Clock;
use base::msgpack;
use cluster::bus::BusSubscription;
use cluster::liveness::SAID_EVERY;
use cluster::membership::Membership;
use domain::ids::{StreamId, UserId};
use domain::time::Monotonic;
use wire::live::{EncodedEphemeral, EphemeralKind};

const SUBJECT: &str = "coterie.soft";
/// Beats (of 400 ms) until a node repeats who is online: 16 seconds.
const AGAIN: u32 = 40;
/// Milliseconds for which a user counts as online after one message, so that one repetition may be
/// lost. Expired users are looked for as often as messages are repeated.
const VALID: u64 = 40_000;
/// Milliseconds for which a node counts as alive after a message here: its first sign of life may
/// still be on its way.
const HEARD: u64 = 1000;
/// The most news in one message.
const MESSAGE: usize = 4096;

/// The task of one node that sends and receives this state.
struct EphemeralNode {
    membership: Membership,
    clock: Arc<dyn Clock>,
    presence: WeakPresence,
    feeds: Feeds,
    /// When each other run was last heard.
    heard: HashMap<u64, Monotonic>,
    /// The runs that were alive at the last look.
    living: BTreeSet<u64>,
}

/// Starts to send what enters `ephemeral_queue` to other nodes, and to apply what they send.
pub fn share(
    ephemeral_queue: &EphemeralQueue,
    membership: Membership,
    clock: Arc<dyn Clock>,
    presence: WeakPresence,
    feeds: Feeds,
) {
    let waiting = ephemeral_queue.open();
    let runtime = membership.bus().runtime().clone();
    let heard = HashMap::new();
    let living = BTreeSet::new();
    let node = EphemeralNode { membership, clock, presence, feeds, heard, living };
    runtime.spawn(node.run(waiting));
}

impl EphemeralNode {
    /// Runs until the bus or the queue is closed.
    async fn run(mut self, mut waiting: Receiver<EphemeralUpdate>) {
        let Some(mut hearing) = self.membership.bus().subscribe(SUBJECT.to_owned()).await else {
            return;
        };
        let mut beat = tokio::time::interval(Duration::from_millis(SAID_EVERY));
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut news = Vec::new();
        let mut beats = 0_u32;
        loop {
            tokio::select! {
                _ = beat.tick() => {
                    beats += 1;
                    let is_due = beats >= AGAIN;
                    if self.look(is_due) || is_due {
                        beats = 0;
                        self.say_who_is_here().await;
                    }
                }
                count = waiting.recv_many(&mut news, MESSAGE) => {
                    if count == 0 {
                        return;
                    }
                    self.say(&news).await;
                    news.clear();
                }
                said = next(&mut hearing) => match said {
                    Some(said) => self.hear(said),
                    None => return,
                },
            }
        }
    }

    async fn say(&self, news: &[EphemeralUpdate]) {
        let said = EphemeralMessage::of(self.membership.run(), news);
        let said = msgpack::to_vec_named(&said).expect("numbers and texts are always written");
        self.membership.bus().publish(SUBJECT.to_owned(), said.into()).await;
    }

    async fn say_who_is_here(&self) {
        let here = self.presence.here();
        for users in here.chunks(MESSAGE) {
            let news: Vec<_> = users.iter().map(|user| EphemeralUpdate::Here(*user)).collect();
            self.say(&news).await;
        }
    }

    fn hear(&mut self, said: EphemeralMessage) {
        let EphemeralMessage { run, here, gone, types } = said;
        if run == self.membership.run() {
            return;
        }
        let now = self.clock.now().mono;
        self.heard.insert(run, now);
        let users = |ids: BTreeSet<u64>| ids.into_iter().map(UserId::new);
        self.presence.set_online_at(run, users(here), now.plus_millis(VALID));
        self.presence.set_offline_at(run, users(gone));
        for (conversation, user, until) in types {
            let stream = conversation.parse::<StreamId>().ok();
            let Some(conversation) = stream.and_then(StreamId::conversation) else { continue };
            let user = UserId::new(user);
            let what = EphemeralKind::Typing { until };
            self.feeds.tell_ephemeral_event(&EncodedEphemeral::new(conversation, user, what));
        }
    }

    /// Ends the presence at dead nodes and, if that is due, what has expired; returns whether a
    /// node has come.
    fn look(&mut self, is_due: bool) -> bool {
        let now = self.clock.now().mono;
        let own = self.membership.run();
        let nodes = self.membership.nodes().into_iter().map(|it| it.run);
        let living: BTreeSet<u64> = nodes.filter(|run| *run != own).collect();
        let somebody_came = living.iter().any(|run| !self.living.contains(run));
        let is_dead =
            |run: u64, heard: Monotonic| !living.contains(&run) && now.millis_since(heard) >= HEARD;
        let dead: Vec<u64> =
            self.heard.iter().filter(|it| is_dead(*it.0, *it.1)).map(|it| *it.0).collect();
        self.heard.retain(|run, _| !dead.contains(run));
        self.living = living;
        if is_due || !dead.is_empty() {
            self.presence.expire(&ExpiredPresence { dead, now });
        }
        somebody_came
    }
}

async fn next(hearing: &mut BusSubscription) -> Option<EphemeralMessage> {
    loop {
        if let Ok(said) = msgpack::from_slice(&hearing.next().await?.payload) {
            return Some(said);
        }
    }
}
