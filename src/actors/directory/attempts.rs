//! Attempts at accounts where there are several nodes: the one that owns the name of an
//! account counts them, whoever is shown the password, so that nobody has more of them by
//! asking more nodes.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::actors::ask::{pack, unpack};
use crate::actors::directory::Directory;
use crate::actors::directory::packed::{PackedQuestion, Response, VERSION};
use crate::actors::directory::routing::{RoutedAnswer, Router};
use crate::auth::attempts::{
    AttemptBook, Attempted, NoAttempt, PasswordAttempt, PasswordAttempts, PasswordVerdict,
    TurnAnswer,
};
use crate::clock::Deadline;
use crate::domain::ids::{NameId, StreamId};
use crate::journal::Journal;
use crate::journal::replicated::shard::Shard;

/// When whoever counts is asked again.
const AGAIN: Duration = Duration::from_millis(20);
/// How long somebody waits for their turn: longer than a dead node's names take to be another's.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long whoever counts is told what came of a turn.
const TOLD_WITHIN: Duration = Duration::from_secs(5);
/// What questions about attempts are called.
const NAME: &str = "attempt";

/// What nodes ask each other of an account.
#[derive(Debug, Serialize, Deserialize)]
enum AttemptQuestion {
    /// For a turn.
    Begin,
    /// Nothing: this came of it.
    End { number: u64, outcome: PasswordVerdict },
}

/// Counts here or there.
struct RoutedAttempts {
    directory: Directory,
    book: AttemptBook,
}

/// The way to whoever counts the attempts at one account.
struct Way {
    journal: Arc<dyn Journal>,
    router: Arc<dyn Router>,
    book: AttemptBook,
    account: NameId,
}

/// An attempt that another node counts.
struct LentAttempt {
    way: Way,
    number: u64,
}

impl Directory {
    /// Has attempts counted in this book for the names that this node owns, and at the other
    /// nodes for theirs.
    pub fn count_attempts(&self, book: AttemptBook) -> Arc<dyn PasswordAttempts> {
        // There is one book, from where the directory is made.
        drop(self.0.attempts.set(book.clone()));
        Arc::new(RoutedAttempts { directory: self.clone(), book })
    }

    /// Answers another node, if it asks about attempts.
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
        let (router, book) = (Arc::clone(router), self.book.clone());
        let journal = Arc::clone(&self.directory.context().archive.journal);
        let way = Way { journal, router, book, account };
        Box::pin(async move { way.begin().await })
    }
}

impl Way {
    const fn stream(&self) -> StreamId {
        StreamId::Name(self.account)
    }

    /// Asks here or there, until somebody counts it.
    async fn begin(self) -> Attempted {
        let patience = Deadline::after(PATIENCE);
        // Who got in here could not be given a token either.
        while self.journal.is_reachable() && !patience.left().is_zero() {
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

    /// Tells what came of a turn. Where nobody hears it, a failure too many is counted.
    async fn end(self, number: u64, outcome: PasswordVerdict) {
        let patience = Deadline::after(TOLD_WITHIN);
        while !patience.left().is_zero() {
            if self.journal.owns(self.stream()) {
                return self.book.give_back(self.account, number, outcome);
            }
            if self.ask(&AttemptQuestion::End { number, outcome }).await.is_some() {
                return;
            }
            tokio::time::sleep(AGAIN).await;
        }
        tracing::warn!("an attempt at an account was counted that may not have failed");
    }

    /// Asks whoever owns the name, as far as that was heard; nothing where that one does not
    /// answer it now.
    async fn ask(&self, question: &AttemptQuestion) -> Option<TurnAnswer> {
        let (stream, shard) = (self.stream().to_string(), Shard::of(self.stream()));
        let owner = self.journal.taken_over(shard);
        let (version, name, id) = (VERSION, NAME.to_owned(), None);
        let (body, taken_over) = (pack(question), owner.map(|it| it.sequence));
        let packed = pack(&PackedQuestion { version, stream, name, body, id, taken_over });
        match self.router.ask(shard, owner.map(|it| it.run), packed).await {
            RoutedAnswer::Came(bytes) => match unpack(&bytes)? {
                Response::Answer { body, .. } => unpack(&body),
                Response::Refusal { .. }
                | Response::Busy
                | Response::Full
                | Response::Failed
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
