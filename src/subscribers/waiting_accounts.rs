//! Ends new accounts that nobody confirmed in time, so that their names are free again.
//!
//! Which accounts wait, and until when, is in the index (see [`index::waiting_accounts`]), so it is
//! found again after a crash.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;

use crate::due_work::{self, NextPass};
use actors::ask::Failure;
use actors::directory::Directory;
use actors::user::registration::EndWaiting;
use base::bounds::turns::Owner;
use domain::event::Fact;
use domain::ids::UserId;
use domain::user::UserFact;
use index::IndexFault;
use journal::{Committed, Cursor, Follower};

/// Timeout of the end of one account; past that it is left for the next pass.
const STEP: Duration = Duration::from_secs(5);

/// How the end of one account went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The account is gone, or waits no more.
    Over,
    /// It is to be tried again.
    Failed,
}

/// Ends new accounts that have waited too long.
pub struct WaitingAccounts {
    directory: Directory,
    /// The newest commit with which an account began to wait.
    heard: watch::Sender<Cursor>,
}

impl WaitingAccounts {
    /// Starts to follow the journal and to end accounts, those that were left undone before
    /// included. Called once, on a thread with an actix system.
    pub fn start(directory: Directory) {
        let accounts = Arc::new(Self { directory, heard: watch::Sender::new(Cursor::START) });
        let follower = WaitingFollower(Arc::downgrade(&accounts));
        accounts.directory.context().archive.journal.follow(Box::new(follower));
        actix::spawn(async move { accounts.run().await });
    }

    async fn run(&self) {
        let clock = &self.directory.context().clock;
        due_work::run(&self.heard, &**clock, async |upto| {
            self.pass(upto).await.unwrap_or_else(|fault| {
                tracing::warn!(%fault, "looking up waiting accounts failed; retrying");
                NextPass::Again
            })
        })
        .await;
    }

    /// Ends every account that has waited too long as of this commit.
    async fn pass(&self, upto: Cursor) -> Result<NextPass, IndexFault> {
        let archive = &self.directory.context().archive;
        archive.index.reached(upto).await?;
        archive.index.current().await?;
        if !archive.journal.leads() {
            return Ok(NextPass::Silence);
        }
        let waiting = archive.blocking(Owner::Server, |it| it.index.waiting_accounts()).await?;
        let now = self.directory.context().clock.now().wall;
        let mut has_failed = false;
        let mut next = None;
        for (user, waiting) in waiting {
            let Some(until) = waiting.until else { continue };
            if now < until {
                next = Some(next.map_or(until, |earlier| until.min(earlier)));
                continue;
            }
            has_failed |= self.end(user).await == Step::Failed;
        }
        Ok(NextPass::after(has_failed, false, next.map_or(NextPass::Silence, NextPass::At)))
    }

    /// Ends one account.
    async fn end(&self, user: UserId) -> Step {
        match tokio::time::timeout(STEP, self.directory.ask(user, EndWaiting)).await {
            Ok(Ok(())) => {
                tracing::info!(user.id = %user, "an account ended that nobody confirmed");
                Step::Over
            }
            // Deleted meanwhile.
            Ok(Err(Failure::Refused(_))) => Step::Over,
            Ok(Err(failure)) => {
                tracing::warn!(user.id = %user, ?failure, "ending an account failed; retrying");
                Step::Failed
            }
            Err(_) => {
                tracing::warn!(user.id = %user, "ending an account takes too long; retrying");
                Step::Failed
            }
        }
    }
}

/// The follower on the journal's thread. It holds a weak reference, because [`WaitingAccounts`] holds
/// the journal.
struct WaitingFollower(Weak<WaitingAccounts>);

impl Follower for WaitingFollower {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        let begins = |commit: &&Arc<Committed>| {
            let is_new = |fact: &Fact| matches!(fact, Fact::User(UserFact::Waits(_)));
            commit.entries.iter().any(|entry| is_new(&entry.event.fact))
        };
        let newest = batch.iter().rev().find(begins);
        if let (Some(commit), Some(accounts)) = (newest, self.0.upgrade()) {
            accounts.heard.send_replace(commit.cursor);
        }
    }

    /// Starts a pass when this node begins to lead.
    fn leader_changed(&mut self, leads: bool) {
        let accounts = self.0.upgrade().filter(|_| leads);
        accounts.into_iter().for_each(|accounts| accounts.heard.send_modify(|_| {}));
    }
}
