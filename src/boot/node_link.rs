//! Links a server to the other nodes over the bus: what it asks them, what it answers, and how far it
//! tells them that it is.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use crate::boot::services::CoreServices;
use crate::config::AnswerWhen;
use actors::node_link::NodeLink;
use cluster::bus::BusAnswer;
use cluster::bus_calls::CallAnswerer;
use cluster::leadership::Leadership;
use cluster::membership::{ActUnderWay, Membership};
use journal::{Committed, Cursor, Follower, Journal};

/// How long the leader may take for an answer.
const WITHIN: Duration = Duration::from_secs(40);

/// The link over the bus.
struct BusLink {
    membership: Membership,
    answers_when: AnswerWhen,
}

/// Links the server to the other nodes, and has their requests answered: over `link` if it is given,
/// otherwise over the bus. Does nothing if the server is alone.
pub(crate) fn start(
    services: &CoreServices,
    answers_when: AnswerWhen,
    link: Option<Arc<dyn NodeLink>>,
) {
    let link = match (link, services.membership.clone()) {
        (Some(link), _) => link,
        (None, Some(membership)) => {
            let journal = &services.archive.journal;
            let shown = Arc::downgrade(journal);
            let showing = membership.clone();
            journal.follow(Box::new(ShowingFollower { journal: shown, membership: showing }));
            membership.note_shown(journal.end());
            Arc::new(BusLink { membership, answers_when })
        }
        (None, None) => return,
    };
    services.directory.link_by(Arc::clone(&link));
    link.serve(answering(services));
}

/// Lets this node lead, and starts to trim the log if its age is limited.
pub(crate) fn serve(services: &CoreServices, log_keep: Option<Duration>) {
    let Some(membership) = &services.membership else { return };
    let directory = services.directory.clone();
    membership.serve(move || directory.is_busy());
    log_keep.into_iter().for_each(|age| membership.keep_log_for(age));
}

/// Answers what other nodes send to the leader. Holds the directory weakly, so that it does not keep
/// a server alive that is shutting down.
fn answering(services: &CoreServices) -> CallAnswerer {
    let directory = services.directory.downgraded();
    let forwarded = services.forwarded.clone();
    let commands = services.commands.clone();
    Arc::new(move |packed: Bytes| {
        let directory = directory.clone();
        let forwarded = forwarded.clone();
        let commands = commands.clone();
        Box::pin(async move {
            let directory = directory.upgraded()?;
            if let Some(reply) = directory.answer_errand(&packed).await {
                return Some(reply);
            }
            if let Some(reply) = commands.answer(&packed).await {
                return Some(reply);
            }
            forwarded.answer(&packed, &directory).await
        })
    })
}

impl NodeLink for BusLink {
    fn serve(&self, answering: CallAnswerer) {
        self.membership.answer_by(answering);
    }

    fn leadership(&self) -> Leadership {
        self.membership.leadership()
    }

    fn begin_act(&self) -> Option<ActUnderWay> {
        self.membership.begin_act()
    }

    fn is_reachable(&self) -> bool {
        self.membership.is_reachable()
    }

    fn ask(&self, run: u64, packed: Bytes) -> BoxFuture<'static, BusAnswer> {
        let membership = self.membership.clone();
        Box::pin(async move { membership.ask(run, packed, WITHIN).await })
    }

    fn wait_until_shown_everywhere(&self, newest: Cursor) -> BoxFuture<'static, ()> {
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

    fn leader_changed(&mut self, _: bool) {
        self.membership.leader_changed();
    }
}
