//! Questions between nodes, and how far each of them shows the journal.
//!
//! Who owns a shard listens on its subject. Where nobody does, nothing was done, and whoever
//! asked asks again. Where nobody answers, it is lost: it may have been done.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Notify, mpsc, oneshot};

use crate::actors::directory::routing::{Answerer, Routed, RoutedAnswer, Router, Shown};
use crate::cluster::bus::{Bus, BusAnswer, BusMessage};
use crate::cluster::membership::Membership;
use crate::core_services::CoreServices;
use crate::index::archive::Archive;
use crate::journal::replicated::shard::{Hands, Shard};
use crate::journal::{Committed, Cursor, Follower};

/// How long an answer may take.
const WITHIN: Duration = Duration::from_secs(10);
/// How often whoever waits looks whether the one that was asked still lives and owns the shard.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long an answer of one that does not may still be on its way.
const GRACE: Duration = Duration::from_millis(500);

/// Brings questions to other nodes.
pub(crate) struct NodeRouter {
    membership: Membership,
    answerer: std::sync::Mutex<Option<oneshot::Sender<Answerer>>>,
}

impl NodeRouter {
    /// Begins to hear the journal, and has the directory ask others through this, if there
    /// are any.
    pub(crate) fn start(services: &CoreServices) {
        let Some(membership) = services.membership.clone() else { return };
        let (moves, moved) = mpsc::unbounded_channel();
        let (answerer, ready) = oneshot::channel();
        let bus = Arc::clone(membership.bus());
        bus.runtime().spawn(answer_all(Arc::clone(&bus), ready, moved));
        let grown = Arc::new(Notify::new());
        let archive = services.archive.clone();
        bus.runtime().spawn(show_all(membership.clone(), archive, Arc::clone(&grown)));
        let follower = ShardFollower { membership: membership.clone(), moves, grown };
        services.archive.journal.follow(Box::new(follower));
        let answerer = std::sync::Mutex::new(Some(answerer));
        services.directory.route_by(Arc::new(Self { membership, answerer }));
    }
}

/// From now on this node has shards.
pub(crate) fn serve(services: &CoreServices) {
    let Some(membership) = &services.membership else { return };
    let directory = services.directory.clone();
    membership.serve(move |shard| directory.is_busy(shard));
}

impl Router for NodeRouter {
    fn serve(&self, answerer: Answerer) {
        let waits = self.answerer.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        // A directory is routed once, and the bus outlives it.
        waits.into_iter().for_each(|it| drop(it.send(answerer.clone())));
    }

    fn ask(&self, shard: Shard, request: Vec<u8>) -> Routed {
        let membership = self.membership.clone();
        Box::pin(async move {
            let owner = membership.owner(shard);
            let asking = membership.bus().ask(subject(shard), framed(&request), WITHIN);
            let asked = tokio::select! {
                asked = asking => asked,
                () = gone(&membership, shard, owner) => BusAnswer::Silence,
            };
            match asked {
                BusAnswer::Came(answer) => RoutedAnswer::Came(answer.into()),
                BusAnswer::Unheard => RoutedAnswer::Unheard,
                BusAnswer::Silence => RoutedAnswer::Lost,
            }
        })
    }

    fn shown_everywhere(&self, newest: Cursor) -> Shown {
        let membership = self.membership.clone();
        Box::pin(async move { membership.is_shown_everywhere(newest).await })
    }
}

fn subject(shard: Shard) -> String {
    format!("coterie.ask.{}", shard.get())
}

/// A question, behind the milliseconds that its answer may take.
fn framed(request: &[u8]) -> Bytes {
    let millis = u32::try_from(WITHIN.as_millis()).unwrap_or(u32::MAX);
    [&millis.to_le_bytes(), request].concat().into()
}

/// Resolves when the owner that was asked does not answer any more: it died, or another one
/// has the shard.
async fn gone(membership: &Membership, shard: Shard, owner: Option<u64>) {
    let Some(owner) = owner else { return std::future::pending().await };
    while membership.lives(owner) && membership.owner(shard) == Some(owner) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    tokio::time::sleep(GRACE).await;
}

/// Listens for the shards that this node owns.
async fn answer_all(
    bus: Arc<Bus>,
    answerer: oneshot::Receiver<Answerer>,
    mut moved: mpsc::UnboundedReceiver<(Shard, Hands)>,
) {
    let Ok(answerer) = answerer.await else { return };
    let mut listening: HashMap<Shard, oneshot::Sender<()>> = HashMap::new();
    while let Some((shard, hands)) = moved.recv().await {
        // Dropped, it tells whoever listens to end.
        listening.remove(&shard);
        if hands == Hands::Ours {
            let (stop, stopped) = oneshot::channel();
            listening.insert(shard, stop);
            tokio::spawn(listen(Arc::clone(&bus), answerer.clone(), shard, stopped));
        }
    }
}

async fn listen(
    bus: Arc<Bus>,
    answerer: Answerer,
    shard: Shard,
    mut stopped: oneshot::Receiver<()>,
) {
    let Some(mut hearing) = bus.hear(subject(shard)).await else { return };
    let mut is_ending = false;
    loop {
        tokio::select! {
            message = hearing.next() => match message {
                Some(message) => {
                    tokio::spawn(answer(Arc::clone(&bus), answerer.clone(), message));
                }
                None => return,
            },
            _ = &mut stopped, if !is_ending => {
                is_ending = true;
                hearing.end().await;
            }
        }
    }
}

async fn answer(bus: Arc<Bus>, answerer: Answerer, message: BusMessage) {
    let BusMessage { payload, reply: Some(reply), .. } = message else { return };
    let Some((millis, question)) = payload.split_first_chunk::<4>() else { return };
    let within = Duration::from_millis(u32::from_le_bytes(*millis).into());
    // Later nobody waits for it.
    if let Ok(Some(answer)) = tokio::time::timeout(within, answerer.answer(question)).await {
        bus.say(reply, answer.into()).await;
    }
}

/// Follows the journal, on its own thread.
struct ShardFollower {
    membership: Membership,
    moves: mpsc::UnboundedSender<(Shard, Hands)>,
    grown: Arc<Notify>,
}

impl Follower for ShardFollower {
    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {
        self.grown.notify_one();
    }

    fn moved(&mut self, shard: Shard, hands: Hands) {
        if self.moves.send((shard, hands)).is_err() {
            tracing::debug!(shard = shard.get(), "the server is ending");
        }
        self.membership.owns_others();
    }
}

/// Keeps the index at the journal's end, and tells the others.
async fn show_all(membership: Membership, archive: Archive, grown: Arc<Notify>) {
    loop {
        let end = archive.journal.end();
        if archive.index.reached(archive.journal.newest()).await.is_err() {
            return;
        }
        membership.shows(end);
        grown.notified().await;
    }
}
