//! Carries questions between nodes, and tells the other nodes how far this one shows the journal.
//!
//! Each node listens under the number of its run, and says so if it does not own what it is asked.
//! One subject per shard would be simpler, but the servers learn of a new subscriber late: two
//! nodes could receive one question. A question that no node received, or that was not sent yet,
//! was not done, and is asked again. Any other question without an answer may have been done: the
//! log tells once another node has taken over the shard.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::actors::directory::answering::Answerer;
use crate::actors::directory::routing::{RoutedAnswer, RoutedFuture, Router, ShownFuture};
use crate::cluster::bus::BusAnswer;
use crate::cluster::membership::Membership;
use crate::config::AnswerWhen;
use crate::core_services::CoreServices;
use crate::journal::replicated::shard::{Shard, ShardOwner};
use crate::journal::{Committed, Cursor, Follower, Journal};

/// How long an answer may take.
const WITHIN: Duration = Duration::from_secs(10);

/// Carries questions to other nodes.
pub(crate) struct NodeRouter {
    membership: Membership,
    answers_when: AnswerWhen,
}

impl NodeRouter {
    /// Starts to follow the journal, and makes the directory route questions through this node's
    /// membership. Does nothing if the server is alone.
    pub(crate) fn start(services: &CoreServices, answers_when: AnswerWhen) {
        let Some(membership) = services.membership.clone() else { return };
        let journal = &services.archive.journal;
        let (shown, showing) = (Arc::downgrade(journal), membership.clone());
        journal.follow(Box::new(ShowingFollower { journal: shown, membership: showing }));
        membership.note_shown(journal.end());
        services.directory.route_by(Arc::new(Self { membership, answers_when }));
    }
}

/// Starts to take shards, and to trim the log if its age is limited.
pub(crate) fn serve(services: &CoreServices, log_keep: Option<Duration>) {
    let Some(membership) = &services.membership else { return };
    let directory = services.directory.clone();
    membership.serve(move |shard| directory.is_busy(shard));
    log_keep.into_iter().for_each(|age| membership.keep_log_for(age));
}

impl Router for NodeRouter {
    fn serve(&self, answerer: Answerer) {
        self.membership.answer_by(Arc::new(move |question| {
            let answerer = answerer.clone();
            Box::pin(async move { answerer.answer(&question).await })
        }));
    }

    fn ask(&self, shard: Shard, owner: Option<u64>, request: Vec<u8>) -> RoutedFuture {
        let membership = self.membership.clone();
        Box::pin(async move {
            let owner = owner.or_else(|| membership.owner(shard));
            let owner = owner.filter(|owner| *owner != membership.run());
            // No node owns the shard yet, or this node is taking it over.
            let Some(run) = owner else { return RoutedAnswer::Unheard };
            match membership.ask(run, request.into(), WITHIN).await {
                BusAnswer::Came(answer) => RoutedAnswer::Came(answer.into()),
                BusAnswer::Unheard => RoutedAnswer::Unheard,
                BusAnswer::Silence => RoutedAnswer::Lost { run },
            }
        })
    }

    fn lives(&self, run: u64) -> bool {
        self.membership.lives(run)
    }

    fn wait_until_shown_everywhere(&self, newest: Cursor) -> ShownFuture {
        let membership = self.membership.clone();
        match self.answers_when {
            AnswerWhen::Node => Box::pin(std::future::ready(())),
            AnswerWhen::All => {
                Box::pin(async move { membership.is_shown_everywhere(newest).await })
            }
        }
    }
}

/// Follows the journal, on its own thread, and tells the other nodes how far this one is. What is
/// durable counts as shown: readers wait for what the index does not have yet, not writers, so that
/// the index takes many posts at once here too.
struct ShowingFollower {
    journal: Weak<dyn Journal>,
    membership: Membership,
}

impl Follower for ShowingFollower {
    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {
        let end = self.journal.upgrade().map(|it| it.end());
        end.into_iter().for_each(|end| self.membership.note_shown(end));
    }

    fn owner_changed(&mut self, _: Shard, _: ShardOwner) {
        self.membership.owned_shards_changed();
    }
}
