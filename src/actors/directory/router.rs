//! Routing: a question about a stream that another node owns travels to that node, and the answer
//! back.
//!
//! What comes back is durable, and this node shows it before passing it on, so that a client can
//! read here what it was answered here. A question that no node heard, or that reached a node which
//! does not own the stream, was not done and is asked again. If a node dies over a question, the
//! shard's next owner takes it over in the log: what stands before the take-over was done, and
//! nothing of the dead node's can come after it. So the asking node finds the answer in the log, or
//! asks again.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::ask::{Fault, pack, unpack};
use crate::asked::{Decided, QuestionUnderWay};
use crate::directory::answerer::Answerer;
use crate::directory::packed_question::{PackedQuestion, Response, VERSION};
use crate::directory::{AnsweredElsewhere, Directory, ErasedAsk};
use base::clock::Deadline;
use domain::ids::StreamId;
use journal::Cursor;
use journal::replicated::shard::{Shard, TakeOver};

/// After how long a question is asked again that reached no owner of its stream.
const AGAIN: Duration = Duration::from_millis(20);
/// For how long a question is asked again; when this is over, nothing was done.
const PATIENCE: Duration = Duration::from_secs(30);

/// Brings questions to the nodes that own their streams.
pub trait Router: Send + Sync {
    /// Has the answerer answer what other nodes ask.
    fn serve(&self, answerer: Answerer);

    /// Asks the node that owns this shard: the run `owner` of it, if one was heard to take the
    /// shard over.
    fn ask(&self, shard: Shard, owner: Option<u64>, request: Vec<u8>) -> RoutedFuture;

    /// Whether the node with this run is alive.
    fn lives(&self, run: u64) -> bool;

    /// Waits, as long as is reasonable, until every other node shows the journal up to here: a
    /// client that is answered then may ask any of them.
    fn wait_until_shown_everywhere(&self, newest: Cursor) -> ShownFuture;
}

/// A wait until other nodes show something.
pub type ShownFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The outcome of a question to another node, not there yet.
pub type RoutedFuture = Pin<Box<dyn Future<Output = RoutedAnswer> + Send>>;

/// The outcome of a question to another node.
#[derive(Debug)]
pub enum RoutedAnswer {
    /// The packed response.
    Came(Vec<u8>),
    /// No node heard the question.
    Unheard,
    /// The question may have been heard, but no response came.
    Lost {
        /// The run that was asked.
        run: u64,
    },
}

/// A question that may have been heard, but was not answered.
struct LostQuestion<'a> {
    under_way: &'a QuestionUnderWay,
    /// The run that was asked.
    run: u64,
    shard: Shard,
    /// The last take-over of the shard that this node knew when it asked.
    before: Option<TakeOver>,
}

/// The outcome of a lost question.
enum LostOutcome {
    /// The log has the decision.
    Done(Decided),
    /// It was not decided, and never will be.
    NotDone,
    /// Not known yet.
    Unknown,
}

/// How one question gets to the node that owns its stream.
struct RoutedQuestion<'a> {
    router: &'a Arc<dyn Router>,
    stream: StreamId,
    name: &'static str,
    body: Vec<u8>,
}

impl Directory {
    /// Has questions about other nodes' streams taken there, and other nodes' questions answered
    /// here.
    pub fn route_by(&self, router: Arc<dyn Router>) {
        router.serve(Answerer::of(self));
        // A directory gets its router once, where it is made.
        drop(self.0.router.set(router));
        let journal = &self.0.context.archive.journal;
        journal.follow(self.0.elsewhere.follower());
        self.0.shown.raise_to(journal.end().get());
    }

    /// Has the question answered by the owner of its stream, which may be another node. Then waits
    /// until every node shows what was decided.
    pub(super) async fn ask_routed(
        &self,
        asking: &mut dyn ErasedAsk,
        router: &Arc<dyn Router>,
    ) -> Result<(), Fault> {
        match asking.packed() {
            None => self.ask_here(asking).await?,
            Some((name, body)) => {
                let way = RoutedQuestion { router, stream: asking.stream(), name, body };
                self.ask_wherever(asking, &way).await?;
            }
        }
        if asking.is_decided() {
            router.wait_until_shown_everywhere(self.0.context.archive.journal.newest()).await;
        }
        Ok(())
    }

    /// Has the question answered here or on another node, until one of them decides it.
    ///
    /// A question that was refused because the other side owns the stream by now was not done, and
    /// goes to the other side.
    async fn ask_wherever(
        &self,
        asking: &mut dyn ErasedAsk,
        way: &RoutedQuestion<'_>,
    ) -> Result<(), Fault> {
        let context = &self.0.context;
        let journal = &context.archive.journal;
        if !journal.is_reachable() {
            return Err(Fault::Busy);
        }
        let deadline = Deadline::after(PATIENCE);
        loop {
            if !journal.owns(way.stream)
                && let Some(came) = self.ask_elsewhere(way, deadline).await
            {
                return asking.take_response(&came, &context.instance);
            }
            asking.restore(&way.body)?;
            match self.ask_here(asking).await {
                Err(Fault::Elsewhere) if !deadline.left().is_zero() => {}
                answered => return answered,
            }
        }
    }

    /// Asks the owner of the stream, and waits until every node shows what was decided. Returns
    /// `None` when this node owns the stream by now; nothing was done then.
    async fn ask_elsewhere(
        &self,
        way: &RoutedQuestion<'_>,
        deadline: Deadline,
    ) -> Option<AnsweredElsewhere> {
        let RoutedQuestion { router, stream, name, body } = way;
        let journal = &self.0.context.archive.journal;
        let shard = Shard::of(*stream);
        let under_way = self.0.elsewhere.begin();
        let name = (*name).to_owned();
        let body = body.clone();
        let id = Some(under_way.id());
        let version = VERSION;
        let stream_name = stream.to_string();
        let taken_over = None;
        let mut question =
            PackedQuestion { version, stream: stream_name, name, body, id, taken_over };
        while !journal.owns(*stream) {
            if deadline.left().is_zero() {
                return Some(AnsweredElsewhere::Fault(Fault::Elsewhere));
            }
            let before = journal.taken_over(shard);
            question.taken_over = before.map(|it| it.sequence);
            let owner = before.map(|it| it.run);
            let response = match router.ask(shard, owner, pack(&question)).await {
                RoutedAnswer::Came(bytes) => unpack(&bytes).unwrap_or(Response::Failed),
                RoutedAnswer::Unheard => Response::NotMine,
                RoutedAnswer::Lost { run } => {
                    let lost = LostQuestion { under_way: &under_way, run, shard, before };
                    match self.look_up_lost(lost, router, deadline).await {
                        LostOutcome::Done(decided) => {
                            self.wait_until_shown(router, decided.commit.cursor).await;
                            return Some(AnsweredElsewhere::Decided(decided));
                        }
                        LostOutcome::NotDone => Response::NotMine,
                        LostOutcome::Unknown => Response::Failed,
                    }
                }
            };
            return Some(match response {
                Response::NotMine => {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
                Response::Answer { body, newest } => {
                    self.wait_until_shown(router, Cursor::new(newest)).await;
                    AnsweredElsewhere::Answer(body)
                }
                Response::Refusal { body } => AnsweredElsewhere::Refusal(body),
                Response::Busy => AnsweredElsewhere::Fault(Fault::Busy),
                Response::Full => AnsweredElsewhere::Fault(Fault::Full),
                Response::Limited(exceeded) => AnsweredElsewhere::Fault(exceeded.into()),
                Response::Failed => AnsweredElsewhere::Fault(Fault::Gone),
            });
        }
        None
    }

    /// Waits until this node shows the record of the journal that begins at this position.
    pub async fn show(&self, newest: u64) {
        self.0.shown.wait_for(Cursor::new(newest)).await;
    }

    /// Waits until this node and all others show the journal up to here.
    async fn wait_until_shown(&self, router: &Arc<dyn Router>, newest: Cursor) {
        self.0.shown.wait_for(newest).await;
        router.wait_until_shown_everywhere(newest).await;
    }

    /// Finds out the outcome of a question whose response did not come.
    async fn look_up_lost(
        &self,
        lost: LostQuestion<'_>,
        router: &Arc<dyn Router>,
        deadline: Deadline,
    ) -> LostOutcome {
        let LostQuestion { under_way, run, shard, before } = lost;
        let sequence = |it: Option<TakeOver>| it.map_or(0, |it| it.sequence);
        loop {
            // The order matters: whatever was decided before a take-over is heard before it.
            let last = self.0.context.archive.journal.taken_over(shard);
            if let Some(decided) = under_way.decided() {
                return LostOutcome::Done(decided);
            }
            if sequence(last) > sequence(before) && last.is_some_and(|it| it.run != run) {
                return LostOutcome::NotDone;
            }
            // The node may still decide the question.
            if router.lives(run) || deadline.left().is_zero() {
                return LostOutcome::Unknown;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}
