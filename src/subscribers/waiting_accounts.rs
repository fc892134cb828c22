//! Ends new accounts that nobody confirmed in time, so that their names are free again.
//!
//! Which accounts wait, and until when, is in the index (see [`index::waiting_accounts`]), so it is
//! found again after a crash.

use std::sync::Arc;
use std::time::Duration;

use crate::due_work::{self, NextPass, TimedWork};
use actors::ask::Failure;
use actors::directory::Directory;
use actors::user::registration::EndWaiting;
use base::bounds::turns::Owner;
use domain::event::Fact;
use domain::ids::UserId;
use domain::user::UserFact;
use index::IndexFault;
use journal::Committed;

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
}

impl TimedWork for WaitingAccounts {
    const NAME: &'static str = "waiting accounts";

    fn directory(&self) -> &Directory {
        &self.directory
    }

    fn hears(&self, commit: &Committed) -> bool {
        let is_new = |fact: &Fact| matches!(fact, Fact::User(UserFact::Waits(_)));
        commit.entries.iter().any(|entry| is_new(&entry.event.fact))
    }

    async fn pass(&self) -> Result<NextPass, IndexFault> {
        let archive = &self.directory.context().archive;
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
}

impl WaitingAccounts {
    /// Starts to end accounts, those that were left undone before included. Called once, on a thread
    /// with an actix system.
    pub fn start(directory: Directory) {
        due_work::start(Arc::new(Self { directory }));
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
