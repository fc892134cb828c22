//! Mail: sends what is due, and records what became of it.
//!
//! A mail stays in the index (see [`index::mails`]) until its user's room has settled it, so
//! it is found again after a crash. The secret of its link is made for each attempt and is in the
//! mail alone; the room stores its hash before the mail goes out. A crash after the mail server's
//! answer sends the mail again, under the same `Message-ID`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::stream::{self, StreamExt};

use crate::due_work::{self, NextPass, TimedWork};
use crate::missed::{self, MissedMails};
use actors::ask::{Failure, Fault};
use actors::directory::Directory;
use actors::group::protocol::ViewShared;
use actors::user::mail::{BeginMail, SettleMail};
use auth::access_token::AccessToken;
use auth::keyring::Keyring;
use auth::secrets::SecretsKey;
use auth::throttle::{Allowance, Buckets, Rate};
use base::bounds::places::Places;
use base::bounds::turns::Owner;
use base::metrics::exposition::{Exposition, MetricKind};
use domain::event::Fact;
use domain::ids::UserId;
use domain::mail::{Mail, MailAttempt, MailChange, MailKind, MailNote, MailOutcome, MailedInvite};
use domain::text::{Email, UserName};
use domain::time::Timestamp;
use domain::user::{MailToSend, UserFact};
use index::IndexFault;
use index::mails::{DeadMailRow, DueMail};
use journal::Committed;
use notify::mail::MailServer;
use notify::mail_text::{Letter, LetterFacts};

/// Mails that are listed at once.
const LISTED: usize = 256;
/// Conversations with the mail server at once.
const AT_ONCE: usize = 4;
/// Dead mails that are shown to operators.
const SHOWN: usize = 100;

/// Test mails of one operator: ten an hour.
const TEST_MAILS: Rate = Rate { per_second: 10.0 / 3600.0, burst: 10.0 };

/// Sends mails. Cheap to clone.
#[derive(Clone)]
pub struct Mails(Arc<Inner>);

struct Inner {
    directory: Directory,
    server: MailServer,
    secrets: SecretsKey,
    counts: MailCounts,
    /// Rate limit of test mails, per operator.
    tests: Buckets<UserId>,
}

/// How attempts ended since the start.
#[derive(Debug, Default)]
struct MailCounts {
    sent: AtomicU64,
    delayed: AtomicU64,
    dead: AtomicU64,
    unneeded: AtomicU64,
}

/// The mails that operators look at.
#[derive(Debug, Clone)]
pub struct MailQueue {
    /// The number of mails that wait.
    pub waiting: usize,
    /// When the one that waits longest was due.
    pub oldest: Option<Timestamp>,
    /// Mails that were given up in the last week, the latest first.
    pub dead: Vec<DeadMailRow>,
}

/// A mail with which an operator tests the mail server.
#[derive(Debug)]
pub struct TestMail {
    /// The recipient's address.
    pub to: Email,
    /// The operator's name.
    pub name: UserName,
    /// The id of the mail, and its language.
    pub note: MailNote,
}

/// The name of a link's page in the web client; `None` if the mail has no link with a secret.
const fn page_of(kind: MailKind) -> Option<&'static str> {
    Some(match kind {
        MailKind::Missed | MailKind::AlreadyRegistered | MailKind::Approved => return None,
        MailKind::Recovery => "recover",
        MailKind::Confirmation => "confirm",
        MailKind::PasswordChanged
        | MailKind::AddressChanging
        | MailKind::AddressChanged
        | MailKind::Recovered
        | MailKind::FactorAdded
        | MailKind::FactorRemoved
        | MailKind::PasskeyAdded
        | MailKind::PasskeyRemoved => "protest",
        MailKind::GroupInvite => "join_group",
    })
}

impl Mails {
    /// Starts to follow the journal and to send mails, those that were left unsent before included.
    /// Called once, on a thread with an actix system.
    pub fn start(
        directory: Directory,
        server: MailServer,
        keyring: Arc<Keyring>,
        secrets: SecretsKey,
        places: &Places,
    ) -> Self {
        MissedMails::start(directory.clone(), keyring);
        let counts = MailCounts::default();
        let tests = Buckets::new(TEST_MAILS, places, "throttled_test_mails");
        let inner = Arc::new(Inner { directory, server, secrets, counts, tests });
        due_work::start(Arc::clone(&inner));
        Self(inner)
    }

    /// The mail server.
    pub fn server(&self) -> &MailServer {
        &self.0.server
    }

    /// The mails that wait and those that were given up.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn queue(&self) -> Result<MailQueue, IndexFault> {
        let context = self.0.directory.context();
        let now = context.clock.now().wall;
        let read = context.archive.read_current(Owner::Server, move |archive| {
            let waiting = archive.index.due_mails(None, usize::MAX)?;
            let dead = archive.index.dead_mails(now, SHOWN)?;
            let oldest = waiting.first().map(|due| due.at);
            Ok(MailQueue { waiting: waiting.len(), oldest, dead })
        });
        read.await
    }

    /// Counts a test mail of this operator against the limit of an hour.
    pub fn take_test(&self, operator: UserId) -> Allowance {
        self.0.tests.take(&operator, self.0.directory.context().clock.now().mono)
    }

    /// Sends a mail at once with which an operator tests the mail server.
    pub async fn test(&self, to_send: TestMail) -> MailAttempt {
        let TestMail { to, name, note } = to_send;
        let instance = &self.0.directory.context().instance;
        let facts = LetterFacts {
            name: name.as_str().to_owned(),
            server: instance.host().to_owned(),
            address: to.as_str().to_owned(),
            group: String::new(),
            link: format!("{}/", instance.public_url()),
        };
        let letter = Letter::test(note.language, &facts);
        self.0.server.send(to.as_str(), &format!("test.{}", note.id), &letter).await
    }

    /// Whether an invite in a mail lets people in.
    ///
    /// # Errors
    /// If its group cannot be asked.
    pub async fn is_open(&self, invite: &MailedInvite) -> Result<bool, Fault> {
        self.0.is_open(invite).await
    }

    /// Writes the metrics.
    pub fn write(&self, page: &mut Exposition) {
        let archive = &self.0.directory.context().archive;
        let waiting = archive.index.due_mails(None, usize::MAX).map_or(0, |it| it.len());
        let help = "Mails that wait to be sent.";
        page.single("coterie_mails_waiting", MetricKind::Gauge, help, waiting as u64);
        let help = "Attempts to send a mail, by how they ended.";
        page.family("coterie_mails_total", MetricKind::Counter, help);
        let MailCounts { sent, delayed, dead, unneeded } = &self.0.counts;
        let outcomes =
            [("sent", sent), ("delayed", delayed), ("dead", dead), ("unneeded", unneeded)];
        for (outcome, count) in outcomes {
            page.sample(&[("outcome", outcome)], count.load(Ordering::Relaxed));
        }
    }
}

impl TimedWork for Inner {
    const NAME: &'static str = "mails";

    fn directory(&self) -> &Directory {
        &self.directory
    }

    fn hears(&self, commit: &Committed) -> bool {
        let queues = |fact: &Fact| {
            let Fact::User(UserFact::Mailed(change)) = fact else { return false };
            matches!(change, MailChange::Queued(_) | MailChange::Retried { .. })
        };
        commit.entries.iter().any(|entry| queues(&entry.event.fact))
    }

    async fn pass(&self) -> Result<NextPass, IndexFault> {
        let archive = &self.directory.context().archive;
        let mut after = None;
        let mut has_failed = false;
        let mut has_sent = false;
        loop {
            let listed =
                archive.blocking(Owner::Server, move |it| it.index.due_mails(after, LISTED));
            let listed = listed.await?;
            let Some(last) = listed.last() else {
                return Ok(NextPass::after(has_failed, has_sent, NextPass::Silence));
            };
            after = Some(*last);
            let now = self.directory.context().clock.now().wall;
            let (due, later): (Vec<_>, Vec<_>) = listed.into_iter().partition(|due| due.at <= now);
            // A mail that failed is due again, perhaps before those that were listed.
            has_sent |= !due.is_empty();
            let attempts = stream::iter(due).map(|due| self.attempt(due));
            let mut attempts = attempts.buffer_unordered(AT_ONCE);
            while let Some(attempted) = attempts.next().await {
                if let Err(failure) = attempted {
                    tracing::warn!(?failure, "recording a mail failed; retrying");
                    has_failed = true;
                }
            }
            if let Some(due) = later.first() {
                return Ok(NextPass::after(has_failed, has_sent, NextPass::At(due.at)));
            }
        }
    }
}

impl Inner {
    /// Attempts to send one mail, and settles it.
    async fn attempt(&self, due: DueMail) -> Result<(), Failure<String>> {
        let DueMail { user, id, .. } = due;
        // A server that stops waits until what the mail server answers is recorded: else the next
        // start would send the mail again. It begins none any more.
        let Some(_under_way) = self.directory.context().drain.guard() else {
            return std::future::pending().await;
        };
        let secret = AccessToken::fresh();
        let begun = self.directory.ask(user, BeginMail { id, hash: secret.link_hash() }).await;
        let mail = match begun {
            Ok(Some(mail)) => mail,
            // Settled meanwhile, or the account was deleted.
            Ok(None) | Err(Failure::Refused(_)) => return Ok(()),
            Err(Failure::Fault(fault)) => return Err(Failure::Fault(fault)),
        };
        let attempt = self.send(user, &mail, &secret).await;
        if let MailAttempt::Failed { reason, is_final } = &attempt {
            let kind = mail.mail.kind.name();
            tracing::warn!(user.id = %user, kind, reason, is_final, "sending a mail failed");
        }
        match self.directory.ask(user, SettleMail { id, attempt }).await {
            Ok(outcome) => {
                self.count(outcome.as_ref());
                Ok(())
            }
            Err(Failure::Refused(_)) => Ok(()),
            Err(Failure::Fault(fault)) => Err(Failure::Fault(fault)),
        }
    }

    fn count(&self, outcome: Option<&MailOutcome>) {
        let count = match outcome {
            Some(MailOutcome::Sent) => &self.counts.sent,
            Some(MailOutcome::Retry { .. }) => &self.counts.delayed,
            Some(MailOutcome::Dead { .. }) => &self.counts.dead,
            Some(MailOutcome::Unneeded) => &self.counts.unneeded,
            None => return,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether an invite in a mail lets people in.
    async fn is_open(&self, invite: &MailedInvite) -> Result<bool, Fault> {
        let look_up = ViewShared { token: invite.token.clone(), viewer: None };
        match self.directory.ask(invite.group, look_up).await {
            Ok(_) => Ok(true),
            Err(Failure::Refused(_)) => Ok(false),
            Err(Failure::Fault(fault)) => Err(fault),
        }
    }

    /// The failed attempt for an invite that lets nobody in any more, or could not be looked up.
    async fn ended_invite(&self, mail: &Mail) -> Option<MailAttempt> {
        match self.is_open(mail.invite.as_ref()?).await {
            Ok(true) => None,
            Ok(false) => {
                let reason = "the invite or its group has ended".to_owned();
                Some(MailAttempt::Failed { reason, is_final: true })
            }
            Err(fault) => {
                let reason = format!("the invite could not be looked up: {fault}");
                Some(MailAttempt::Failed { reason, is_final: false })
            }
        }
    }

    async fn send(&self, user: UserId, to_send: &MailToSend, secret: &AccessToken) -> MailAttempt {
        let MailToSend { mail, name, address } = to_send;
        let number = format!("{user}.{}", mail.id);
        if mail.kind == MailKind::Missed {
            return match missed::letter(&self.directory, &self.secrets, user, to_send).await {
                Ok(Some(letter)) => self.server.send(mail.to.as_str(), &number, &letter).await,
                Ok(None) => MailAttempt::Unneeded,
                Err(fault) => MailAttempt::Failed { reason: fault.to_string(), is_final: false },
            };
        };
        let instance = &self.directory.context().instance;
        if let Some(ended) = self.ended_invite(mail).await {
            return ended;
        }
        let link = match (&mail.invite, page_of(mail.kind)) {
            (Some(invite), _) => instance.share_url(invite.group, &invite.token),
            (None, Some(page)) => instance.link_url(page, user, secret.reveal()),
            (None, None) => format!("{}/", instance.public_url()),
        };
        let facts = LetterFacts {
            name: name.as_str().to_owned(),
            server: instance.host().to_owned(),
            address: address.as_str().to_owned(),
            group: mail
                .invite
                .as_ref()
                .map_or_else(String::new, |it| it.group_name.as_str().into()),
            link,
        };
        let letter = Letter::write(mail.kind, mail.language, &facts);
        self.server.send(mail.to.as_str(), &number, &letter).await
    }
}
