//! Mails that wait to be sent, in the order in which they are due, and mails that were never sent.
//!
//! The mails themselves are in the rows of their users. A row for a due mail stays until a fact
//! settles the mail, so that it is found again after a crash.

use serde::{Deserialize, Serialize};

use crate::derive::Derivation;
use crate::rows::{self, UserRow};
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::ids::{MailId, UserId};
use domain::mail::{MailChange, MailKind, MailOutcome, Mailbox};
use domain::time::Timestamp;

/// Milliseconds for which a dead mail is shown to operators: a week.
const DEAD_MILLIS: u64 = 7 * 24 * 3_600_000;

/// A mail and when it is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueMail {
    /// When it is due.
    pub at: Timestamp,
    /// The recipient's account.
    pub user: UserId,
    /// The mail.
    pub id: MailId,
}

/// A mail that is never sent, as operators see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadMail {
    /// The recipient's account.
    pub user: UserId,
    /// What the mail was about.
    pub kind: MailKind,
    /// Why it was not sent.
    pub reason: String,
    /// When the server gave it up.
    pub at: Timestamp,
}

impl DueMail {
    fn key(&self) -> Vec<u8> {
        keys::due_mail(self.at, self.user, self.id)
    }

    fn of_key(key: &[u8]) -> Option<Self> {
        let (at, rest) = key.get(1..)?.split_first_chunk()?;
        let (user, id) = rest.split_first_chunk()?;
        Some(Self {
            at: Timestamp::from_millis(u64::from_be_bytes(*at)),
            user: UserId::new(u64::from_be_bytes(*user)),
            id: MailId::new(u64::from_be_bytes(*id.first_chunk()?)),
        })
    }
}

impl Derivation<'_> {
    /// Writes the rows of a change of a user's mails.
    pub(super) fn mailed(
        &mut self,
        user: UserId,
        at: Timestamp,
        change: &MailChange,
    ) -> Result<(), IndexFault> {
        let key = keys::user(user);
        let row: Option<UserRow> = self.draft.get("user", &key)?;
        let Some(mut row) = row else { return Ok(()) };
        if let MailChange::Settled { id, outcome: MailOutcome::Dead { reason } } = change
            && let Some(queued) = row.mailbox.queued(*id)
        {
            let kind = queued.mail.kind;
            self.bury(*id, &DeadMail { user, kind, reason: reason.clone(), at })?;
        }
        self.unqueue(user, &row.mailbox);
        row.mailbox.apply(at, change);
        for queued in &row.mailbox.queue {
            let due = DueMail { at: queued.due, user, id: queued.mail.id };
            self.draft.put_bytes(due.key(), Vec::new());
        }
        self.draft.put(key, &row)
    }

    /// Removes the rows of a user's mails that wait.
    pub(super) fn unqueue(&mut self, user: UserId, mailbox: &Mailbox) {
        for queued in &mailbox.queue {
            self.draft.delete(DueMail { at: queued.due, user, id: queued.mail.id }.key());
        }
    }

    /// Writes the row of a dead mail, and removes those that are no longer shown.
    fn bury(&mut self, id: MailId, dead: &DeadMail) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::dead_mails())? {
            let since = key.get(1..).and_then(|rest| rest.first_chunk().copied());
            let since = Timestamp::from_millis(since.map_or(0, u64::from_be_bytes));
            if dead.at.millis_since(since) > DEAD_MILLIS {
                self.draft.delete(key);
            }
        }
        self.draft.put(keys::dead_mail(dead.at, dead.user, id), dead)
    }
}

impl Index {
    /// Returns up to `most` mails that wait, the earliest first, future ones included; only those
    /// after `after`, if it is given.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn due_mails(
        &self,
        after: Option<DueMail>,
        most: usize,
    ) -> Result<Vec<DueMail>, IndexFault> {
        let low = after.map_or_else(keys::due_mails, |it| [&it.key()[..], &[0]].concat());
        let mut found = Vec::new();
        self.rows.scan(&low, &keys::end_of(&low[..1]), Walk::Up, &mut |key, _| {
            if found.len() >= most {
                return Ok(Flow::Stop);
            }
            found.extend(DueMail::of_key(key));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns the mails that the server gave up in the last week, the latest first, at most `most`.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn dead_mails(&self, now: Timestamp, most: usize) -> Result<Vec<DeadMail>, IndexFault> {
        let low = keys::dead_mails();
        let mut found: Vec<DeadMail> = Vec::new();
        self.rows.scan(&low, &keys::end_of(&low), Walk::Down, &mut |_, value| {
            let dead: DeadMail = rows::decode("dead mail", value)?;
            if found.len() >= most || now.millis_since(dead.at) > DEAD_MILLIS {
                return Ok(Flow::Stop);
            }
            found.push(dead);
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }
}
