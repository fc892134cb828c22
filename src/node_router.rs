//! Questions between nodes, and how far each of them shows the journal.
//!
//! Each node listens under the number of its run, and says so where it does not own what it
//! is asked. A subject for each shard would be simpler to ask, but servers tell each other
//! late who listens: a question could be lost, or heard by two. Where nobody listens, nothing
//! was done, and whoever asked asks again. Where nobody answers, it may have been done.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::actors::directory::routing::{Answerer, Routed, RoutedAnswer, Router, Shown};
use crate::cluster::bus::{Bus, BusAnswer, BusMessage};
use crate::cluster::membership::Membership;
use crate::core_services::CoreServices;
use crate::journal::replicated::shard::{Hands, Shard};
use crate::journal::{Committed, Cursor, Follower, Journal};
use bytes::Bytes;

/// How long an answer may take.
const WITHIN: Duration = Duration::from_secs(10);
/// How often whoever waits looks whether the one that was asked still lives and owns the shard.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long an answer of one that does not may still be on its way.
const GRACE: Duration = Duration::from_secs(1);

/// Brings questions to other nodes.
pub(crate) struct NodeRouter {
    membership: Membership,
}

impl NodeRouter {
    /// Begins to hear the journal, and has the directory ask others through this, if there
    /// are any.
    pub(crate) fn start(services: &CoreServices) {
        let Some(membership) = services.membership.clone() else { return };
        let journal = &services.archive.journal;
        let (shown, showing) = (Arc::downgrade(journal), membership.clone());
        journal.follow(Box::new(ShowingFollower { journal: shown, membership: showing }));
        membership.shows(journal.end());
        services.directory.route_by(Arc::new(Self { membership }));
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
        let bus = Arc::clone(self.membership.bus());
        let subject = subject(self.membership.run());
        bus.runtime().spawn(listen(Arc::clone(&bus), answerer, subject));
    }

    fn ask(&self, shard: Shard, request: Vec<u8>) -> Routed {
        let membership = self.membership.clone();
        Box::pin(async move {
            let owner = membership.owner(shard).filter(|owner| *owner != membership.run());
            // Nobody has it yet, or it is being taken over here.
            let Some(owner) = owner else { return RoutedAnswer::Unheard };
            let asking = membership.bus().ask(subject(owner), framed(&request), WITHIN);
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

fn subject(run: u64) -> String {
    format!("coterie.ask.{run:016x}")
}

/// A question, behind the milliseconds that its answer may take.
fn framed(request: &[u8]) -> Bytes {
    let millis = u32::try_from(WITHIN.as_millis()).unwrap_or(u32::MAX);
    [&millis.to_le_bytes(), request].concat().into()
}

/// Resolves when the owner that was asked does not answer any more: it died, or another one
/// has the shard.
async fn gone(membership: &Membership, shard: Shard, owner: u64) {
    while membership.lives(owner) && membership.owner(shard) == Some(owner) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    tokio::time::sleep(GRACE).await;
}

/// Answers what others ask, until the bus is closed.
async fn listen(bus: Arc<Bus>, answerer: Answerer, subject: String) {
    let Some(mut hearing) = bus.hear(subject).await else { return };
    while let Some(message) = hearing.next().await {
        tokio::spawn(answer(Arc::clone(&bus), answerer.clone(), message));
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

/// Follows the journal, on its own thread, and tells the others how far this node is. What
/// projections know is shown: whoever reads waits for what the index does not have yet, and
/// not whoever writes, so that the index takes many posts at once here too.
struct ShowingFollower {
    journal: Weak<dyn Journal>,
    membership: Membership,
}

impl Follower for ShowingFollower {
    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {
        let end = self.journal.upgrade().map(|it| it.end());
        end.into_iter().for_each(|end| self.membership.shows(end));
    }

    fn moved(&mut self, _: Shard, _: Hands) {
        self.membership.owns_others();
    }
}
