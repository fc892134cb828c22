//! Password attempts where there are several nodes: the node that owns the name of an account
//! counts them, whichever node is shown the password, so that asking more nodes gives nobody more
//! attempts.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::ask::{pack, unpack};
use crate::directory::Directory;
use crate::directory::packed_question::{PackedQuestion, Response, VERSION};
use crate::directory::router::{RoutedAnswer, Router};
use auth::attempts::{
    AttemptBook, Attempted, NoAttempt, PasswordAttempt, PasswordAttempts, PasswordVerdict,
    TurnAnswer,
};
use base::clock::Deadline;
use domain::ids::{NameId, StreamId};
use journal::Journal;
use journal::replicated::shard::Shard;

/// After how long the counting node is asked again.
const AGAIN: Duration = Duration::from_millis(20);
/// How long a login waits for its turn: longer than it takes until another node owns a dead node's
/// names.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a node tries to report the outcome of a turn.
const TOLD_WITHIN: Duration = Duration::from_secs(5);
/// The name of questions about attempts between nodes.
const NAME: &str = "attempt";

/// The questions of nodes to each other about an account.
#[derive(Debug, Serialize, Deserialize)]
enum AttemptQuestion {
    /// Asks for a turn.
    Begin,
    /// Reports the outcome of a turn.
    End { number: u64, outcome: PasswordVerdict },
}

/// Has attempts counted by this node, or by the owner of the name.
struct RoutedAttempts {
    directory: Directory,
    book: AttemptBook,
}

/// The way to the node that counts the attempts at one account.
struct AttemptRoute {
    journal: Arc<dyn Journal>,
    router: Arc<dyn Router>,
    book: AttemptBook,
    account: NameId,
}

/// An attempt whose turn another node lent.
struct LentAttempt {
    way: AttemptRoute,
    number: u64,
}

impl Directory {
    /// Has attempts at the names that this node owns counted in `book`, and attempts at other names
    /// by the nodes that own those.
    pub fn count_attempts(&self, book: AttemptBook) -> Arc<dyn PasswordAttempts> {
        // There is only one book, set where the directory is made.
        drop(self.0.attempts.set(book.clone()));
        Arc::new(RoutedAttempts { directory: self.clone(), book })
    }

    /// Answers a question about attempts; `None` for any other question.
    pub(super) async fn respond_to_attempt(
        &self,
        account: NameId,
        asked: &PackedQuestion,
    ) -> Option<Response> {
        let question: Option<AttemptQuestion> =
            (asked.name == NAME).then(|| unpack(&asked.body))?;
        let book = self.0.attempts.get();
        let (Some(book), Some(question), true) =
            (book, question, self.decides(StreamId::Name(account), asked.taken_over))
        else {
            return Some(Response::NotMine);
        };
        let answer = match question {
            AttemptQuestion::Begin => book.lend(account).await,
            AttemptQuestion::End { number, outcome } => {
                book.give_back(account, number, outcome);
                Some(TurnAnswer::Lent { number })
            }
        };
        let told = answer.map(|it| Response::Answer { body: pack(&it), newest: 0 });
        Some(told.unwrap_or(Response::Busy))
    }
}

impl PasswordAttempts for RoutedAttempts {
    fn begin(&self, account: NameId) -> BoxFuture<'static, Attempted> {
        let Some(router) = self.directory.0.router.get() else { return self.book.begin(account) };
        let router = Arc::clone(router);
        let book = self.book.clone();
        let journal = Arc::clone(&self.directory.context().archive.journal);
        let way = AttemptRoute { journal, router, book, account };
        Box::pin(async move { way.begin().await })
    }
}

impl AttemptRoute {
    const fn stream(&self) -> StreamId {
        StreamId::Name(self.account)
    }

    /// Gets a turn here or from the owner, which may change meanwhile.
    async fn begin(self) -> Attempted {
        let deadline = Deadline::after(PATIENCE);
        // While the journal cannot be reached, a login could not be given a token anyway.
        while self.journal.is_reachable() && !deadline.left().is_zero() {
            if self.journal.owns(self.stream()) {
                return self.book.begin(self.account).await;
            }
            match self.ask(&AttemptQuestion::Begin).await {
                Some(TurnAnswer::Lent { number }) => {
                    return Ok(Box::new(LentAttempt { way: self, number }));
                }
                Some(TurnAnswer::Locked { wait_millis }) => {
                    return Err(NoAttempt::Locked { wait_millis });
                }
                None => tokio::time::sleep(AGAIN).await,
            }
        }
        Err(NoAttempt::Uncounted)
    }

    /// Reports the outcome of a turn. If that fails, the attempt stays counted as a failure.
    async fn end(self, number: u64, outcome: PasswordVerdict) {
        let deadline = Deadline::after(TOLD_WITHIN);
        while !deadline.left().is_zero() {
            if self.journal.owns(self.stream()) {
                return self.book.give_back(self.account, number, outcome);
            }
            if self.ask(&AttemptQuestion::End { number, outcome }).await.is_some() {
                return;
            }
            tokio::time::sleep(AGAIN).await;
        }
        tracing::warn!(
            "reporting the result of a log-in attempt failed; it counts as a failed log-in"
        );
    }

    /// Asks the owner of the name, as far as this node has heard who that is; `None` if that node
    /// does not answer now.
    async fn ask(&self, question: &AttemptQuestion) -> Option<TurnAnswer> {
        let stream = self.stream().to_string();
        let shard = Shard::of(self.stream());
        let owner = self.journal.taken_over(shard);
        let version = VERSION;
        let name = NAME.to_owned();
        let id = None;
        let body = pack(question);
        let taken_over = owner.map(|it| it.sequence);
        let packed = pack(&PackedQuestion { version, stream, name, body, id, taken_over });
        match self.router.ask(shard, owner.map(|it| it.run), packed).await {
            RoutedAnswer::Came(bytes) => match unpack(&bytes)? {
                Response::Answer { body, .. } => unpack(&body),
                Response::Refusal { .. }
                | Response::Busy
                | Response::Full
                | Response::Failed
                | Response::Limited(_)
                | Response::NotMine => None,
            },
            RoutedAnswer::Unheard | RoutedAnswer::Lost { .. } => None,
        }
    }
}

impl PasswordAttempt for LentAttempt {
    fn end(self: Box<Self>, outcome: PasswordVerdict) -> BoxFuture<'static, ()> {
        let Self { way, number } = *self;
        Box::pin(way.end(number, outcome))
    }
}
