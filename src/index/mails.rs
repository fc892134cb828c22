//! Mails that wait to be sent, in the order in which they are due, and mails that were given up.
//!
//! The mails themselves are in the rows of their users. A row for a due mail stays until a fact
//! settles the mail, so that it is found again after a crash.

use serde::{Deserialize, Serialize};

use crate::derive::Derivation;
use crate::rows::{self, UserRow};
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::ids::{MailId, UserId};
use domain::mail::{DEAD_MILLIS, MailChange, MailKind, MailOutcome, Mailbox};
use domain::text::Email;
use domain::time::Timestamp;

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

/// A mail that the server gave up, as operators see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadMailRow {
    /// The mail.
    pub id: MailId,
    /// The recipient's account.
    pub user: UserId,
    /// The recipient's address.
    pub to: Email,
    /// What the mail was about.
    pub kind: MailKind,
    /// Why it was not sent.
    pub reason: String,
    /// When the server gave it up.
    pub at: Timestamp,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// How many attempts failed.
    pub attempts: u32,
}

/// A mail that waits or was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnsentMail {
    /// It waits.
    Waiting {
        /// When it is due.
        due: DueMail,
        /// When it was queued.
        queued_at: Timestamp,
    },
    /// The server gave it up.
    Dead(DeadMailRow),
}

impl UnsentMail {
    /// When it was queued, and its id: the place in a list.
    pub const fn place(&self) -> (Timestamp, MailId) {
        match self {
            Self::Waiting { due, queued_at } => (*queued_at, due.id),
            Self::Dead(dead) => (dead.queued_at, dead.id),
        }
    }

    /// The recipient's account.
    pub const fn user(&self) -> UserId {
        match self {
            Self::Waiting { due, .. } => due.user,
            Self::Dead(dead) => dead.user,
        }
    }
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
        if let MailChange::Retried { id, .. } = change
            && let Some(dead) = row.mailbox.dead(*id, at)
        {
            self.draft.delete(keys::dead_mail(dead.at, user, *id));
        }
        self.unqueue(user, &row.mailbox);
        row.mailbox.apply(at, change);
        for queued in &row.mailbox.queue {
            let due = DueMail { at: queued.due, user, id: queued.mail.id };
            let queued_at = queued.queued_at.millis().to_be_bytes();
            self.draft.put_bytes(due.key(), queued_at.to_vec());
        }
        if let MailChange::Settled { id, outcome: MailOutcome::Dead { .. } } = change
            && let Some(dead) = row.mailbox.dead(*id, at)
        {
            let queued = &dead.queued;
            self.bury(&DeadMailRow {
                id: *id,
                user,
                to: queued.mail.to.clone(),
                kind: queued.mail.kind,
                reason: queued.error.clone().unwrap_or_default(),
                at,
                queued_at: queued.queued_at,
                attempts: queued.attempts,
            })?;
        }
        self.draft.put(key, &row)
    }

    /// Removes the rows of a user's mails that wait.
    pub(super) fn unqueue(&mut self, user: UserId, mailbox: &Mailbox) {
        for queued in &mailbox.queue {
            self.draft.delete(DueMail { at: queued.due, user, id: queued.mail.id }.key());
        }
    }

    /// Removes the rows of a user's dead mails.
    pub(super) fn forget_dead_mails(&mut self, user: UserId) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::dead_mails())? {
            if DueMail::of_key(&key).is_some_and(|dead| dead.user == user) {
                self.draft.delete(key);
            }
        }
        Ok(())
    }

    /// Writes the row of a dead mail, and removes those that are no longer shown.
    fn bury(&mut self, dead: &DeadMailRow) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::dead_mails())? {
            let since = key.get(1..).and_then(|rest| rest.first_chunk().copied());
            let since = Timestamp::from_millis(since.map_or(0, u64::from_be_bytes));
            if dead.at.millis_since(since) > DEAD_MILLIS {
                self.draft.delete(key);
            }
        }
        self.draft.put(keys::dead_mail(dead.at, dead.user, dead.id), dead)
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
    pub fn dead_mails(&self, now: Timestamp, most: usize) -> Result<Vec<DeadMailRow>, IndexFault> {
        let low = keys::dead_mails();
        let mut found: Vec<DeadMailRow> = Vec::new();
        self.rows.scan(&low, &keys::end_of(&low), Walk::Down, &mut |_, value| {
            let dead: DeadMailRow = rows::decode("dead mail", value)?;
            if found.len() >= most || now.millis_since(dead.at) > DEAD_MILLIS {
                return Ok(Flow::Stop);
            }
            found.push(dead);
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Returns the mails that wait and those that the server gave up in the last week, in any order.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn unsent_mails(&self, now: Timestamp) -> Result<Vec<UnsentMail>, IndexFault> {
        let dead = self.dead_mails(now, usize::MAX)?;
        let mut found: Vec<UnsentMail> = dead.into_iter().map(UnsentMail::Dead).collect();
        let low = keys::due_mails();
        self.rows.scan(&low, &keys::end_of(&low), Walk::Up, &mut |key, value| {
            let queued_at = value.first_chunk().map_or(0, |it| u64::from_be_bytes(*it));
            let queued_at = Timestamp::from_millis(queued_at);
            let waiting = |due| UnsentMail::Waiting { due, queued_at };
            found.extend(DueMail::of_key(key).map(waiting));
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }
}
