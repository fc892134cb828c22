//! Routing: a question whose stream another node decides travels there, and its answer back.
//!
//! What comes back is durable, and shown here too before it is handed on: who is answered
//! here reads it here. A question that was not heard, or came to a node that does not decide
//! it, was not done, and is asked again. Where a node died over one, whoever owns its shard
//! next took it over in the log: what stands before that was done, and nothing of the dead
//! one's can come after it. So whoever asked finds the answer there, or asks again.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::actors::ask::{Fault, pack, unpack};
use crate::actors::asked::{Decided, QuestionUnderWay};
use crate::actors::directory::Directory;
use crate::actors::directory::answering::Answerer;
use crate::actors::directory::asking::{AnsweredElsewhere, AnyAsking};
use crate::actors::directory::packed::{PackedQuestion, Response, VERSION};
use crate::clock::Deadline;
use crate::domain::ids::StreamId;
use crate::journal::Cursor;
use crate::journal::replicated::shard::{Shard, TakeOver};

/// When a question is asked again that came to nobody who decides it.
const AGAIN: Duration = Duration::from_millis(20);
/// How long it is asked again; nothing was done by then.
const PATIENCE: Duration = Duration::from_secs(30);

/// Brings questions to the nodes that decide them.
pub trait Router: Send + Sync {
    /// Has what others ask answered here.
    fn serve(&self, answerer: Answerer);

    /// Asks the node that owns this shard: this run of it, if one was heard to take it over.
    fn ask(&self, shard: Shard, owner: Option<u64>, request: Vec<u8>) -> Routed;

    /// Whether the node of this run lives.
    fn lives(&self, run: u64) -> bool;

    /// Waits until every other node shows the journal up to here, as long as that is
    /// reasonable: whoever is answered then may ask any of them.
    fn shown_everywhere(&self, newest: Cursor) -> Shown;
}

/// A wait for other nodes.
pub type Shown = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What comes of a question on its way.
pub type Routed = Pin<Box<dyn Future<Output = RoutedAnswer> + Send>>;

/// What came back.
#[derive(Debug)]
pub enum RoutedAnswer {
    /// This.
    Came(Vec<u8>),
    /// Nobody heard it.
    Unheard,
    /// It may have been heard, and no answer came.
    Lost {
        /// Which run was asked.
        run: u64,
    },
}

/// A question whose answer did not come.
struct LostQuestion<'a> {
    under_way: &'a QuestionUnderWay,
    /// Who was asked.
    run: u64,
    shard: Shard,
    /// How the shard had come to them, as far as was heard.
    before: Option<TakeOver>,
}

/// What became of it.
enum FoundOut {
    /// This.
    Done(Decided),
    /// It was not done, and never will be.
    NotDone,
    /// Nobody can tell yet.
    Nothing,
}

/// How one question gets to the node that decides it.
struct Way<'a> {
    router: &'a Arc<dyn Router>,
    stream: StreamId,
    name: &'static str,
    body: Vec<u8>,
}

impl Directory {
    /// Has questions that other nodes decide brought there, and theirs answered here.
    pub fn route_by(&self, router: Arc<dyn Router>) {
        router.serve(Answerer::of(self));
        // A directory is routed once, where it is made.
        drop(self.0.router.set(router));
        let journal = &self.0.context.archive.journal;
        journal.follow(self.0.elsewhere.follower());
        self.0.shown.is_at_least(journal.end().get());
    }

    /// Has it answered by whoever decides it, which may be another node, and waits until
    /// whoever is asked next shows what was decided.
    pub(super) async fn ask_routed(
        &self,
        asking: &mut dyn AnyAsking,
        router: &Arc<dyn Router>,
    ) -> Result<(), Fault> {
        match asking.packed() {
            None => self.ask_here(asking).await?,
            Some((name, body)) => {
                let way = Way { router, stream: asking.stream(), name, body };
                self.ask_wherever(asking, &way).await?;
            }
        }
        if asking.is_decided() {
            router.shown_everywhere(self.0.context.archive.journal.newest()).await;
        }
        Ok(())
    }

    /// Has it answered here or there, until somebody decides it.
    ///
    /// What was refused here because another node decides by now was not done, and goes
    /// there; and the other way round.
    async fn ask_wherever(&self, asking: &mut dyn AnyAsking, way: &Way<'_>) -> Result<(), Fault> {
        let context = &self.0.context;
        let journal = &context.archive.journal;
        if !journal.is_reachable() {
            return Err(Fault::Busy);
        }
        let patience = Deadline::after(PATIENCE);
        loop {
            if !journal.owns(way.stream)
                && let Some(came) = self.ask_elsewhere(way, patience).await
            {
                return asking.read(&came, &context.instance);
            }
            asking.again(&way.body)?;
            match self.ask_here(asking).await {
                Err(Fault::Elsewhere) if !patience.left().is_zero() => {}
                answered => return answered,
            }
        }
    }

    /// Asks the node that decides it, and waits until whoever is asked next shows what was
    /// decided. Comes back with nothing when this node decides it by now; nothing was
    /// done then.
    async fn ask_elsewhere(&self, way: &Way<'_>, patience: Deadline) -> Option<AnsweredElsewhere> {
        let Way { router, stream, name, body } = way;
        let (journal, shard) = (&self.0.context.archive.journal, Shard::of(*stream));
        let under_way = self.0.elsewhere.begin();
        let (name, body, id) = ((*name).to_owned(), body.clone(), Some(under_way.id()));
        let (version, stream_name, taken_over) = (VERSION, stream.to_string(), None);
        let mut question =
            PackedQuestion { version, stream: stream_name, name, body, id, taken_over };
        while !journal.owns(*stream) {
            if patience.left().is_zero() {
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
                    match self.find_out(lost, router, patience).await {
                        FoundOut::Done(decided) => {
                            self.is_shown(router, decided.commit.cursor).await;
                            return Some(AnsweredElsewhere::Decided(decided));
                        }
                        FoundOut::NotDone => Response::NotMine,
                        FoundOut::Nothing => Response::Failed,
                    }
                }
            };
            return Some(match response {
                Response::NotMine => {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
                Response::Answer { body, newest } => {
                    self.is_shown(router, Cursor::new(newest)).await;
                    AnsweredElsewhere::Answer(body)
                }
                Response::Refusal { body } => AnsweredElsewhere::Refusal(body),
                Response::Busy => AnsweredElsewhere::Fault(Fault::Busy),
                Response::Full => AnsweredElsewhere::Fault(Fault::Full),
                Response::Failed => AnsweredElsewhere::Fault(Fault::Gone),
            });
        }
        None
    }

    /// Waits until whoever is asked next, here or at another node, shows the journal up to here.
    async fn is_shown(&self, router: &Arc<dyn Router>, newest: Cursor) {
        self.0.shown.shows(newest).await;
        router.shown_everywhere(newest).await;
    }

    /// Finds out what became of a question whose answer did not come.
    async fn find_out(
        &self,
        lost: LostQuestion<'_>,
        router: &Arc<dyn Router>,
        patience: Deadline,
    ) -> FoundOut {
        let LostQuestion { under_way, run, shard, before } = lost;
        let sequence = |it: Option<TakeOver>| it.map_or(0, |it| it.sequence);
        loop {
            // In this order: what was decided before the take-over was heard before it.
            let last = self.0.context.archive.journal.taken_over(shard);
            if let Some(decided) = under_way.decided() {
                return FoundOut::Done(decided);
            }
            if sequence(last) > sequence(before) && last.is_some_and(|it| it.run != run) {
                return FoundOut::NotDone;
            }
            // It may still come to it.
            if router.lives(run) || patience.left().is_zero() {
                return FoundOut::Nothing;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}
