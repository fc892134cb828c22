//! Missed messages: finds out when a mail about them is due, and has it queued.
//!
//! The follower notes users for whom a message came, in memory, and half an hour later the task
//! gathers what they have not read (see [`index::missed`]). So a post costs a look-up in a map.
//! Nothing of the schedule is stored: messages, read marks and the last mail of each user are in the
//! index, and a node that starts or begins to lead goes through all accounts once.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::due_work::{self, NextPass, TimedWork};
use actors::ask::Failure;
use actors::directory::Directory;
use actors::user::mail::QueueMissed;
use auth::keyring::Keyring;
use auth::secrets::SecretsKey;
use auth::unsubscribe::Unsubscription;
use base::bounds::turns::Owner;
use base::random::random;
use domain::addressees::Addressed;
use domain::attachment::Attachment;
use domain::email_notices::{EmailNotices, MISSED_MILLIS, MissedMail};
use domain::event::Fact;
use domain::ids::{Conversation, GroupId, MailId, StreamId, UserId};
use domain::mail::MailChange;
use domain::message::{Author, Message};
use domain::time::Timestamp;
use domain::user::{MailToSend, UserFact};
use index::IndexFault;
use index::archive::Archive;
use index::missed::MissedMessages;
use index::rows::UserRow;
use journal::Committed;
use notify::mail_text::{Letter, LetterFacts, MissedConversation, MissedLine, MissedParts};

/// Accounts that are read at once.
const LISTED: usize = 256;
/// Conversations in one mail.
const CONVERSATIONS: usize = 20;
/// Messages of one conversation in one mail, the newest ones.
const LINES: usize = 5;

/// Has mails about missed messages queued.
pub(super) struct MissedMails {
    directory: Directory,
    keyring: Arc<Keyring>,
    schedule: Mutex<Schedule>,
}

/// When to look after whom. Holds each account and each group once at most.
#[derive(Debug, Default)]
struct Schedule {
    /// Whether all accounts were gone through since this node leads.
    is_complete: bool,
    due: BTreeSet<(Timestamp, Target)>,
    times: HashMap<Target, Timestamp>,
}

/// Somebody to look after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Target {
    User(UserId),
    /// Everybody in a group.
    Group(GroupId),
}

impl Schedule {
    /// Notes a target for this time, unless it is noted for an earlier one. Returns whether it is
    /// the first of all now.
    fn note(&mut self, target: Target, at: Timestamp) -> bool {
        match self.times.get(&target) {
            Some(earlier) if *earlier <= at => return false,
            Some(later) => {
                self.due.remove(&(*later, target));
            }
            None => {}
        }
        self.times.insert(target, at);
        self.due.insert((at, target));
        self.due.first() == Some(&(at, target))
    }

    /// Takes the first target that is due, or returns the time of the first one.
    fn take(&mut self, now: Timestamp) -> Result<Target, Option<Timestamp>> {
        match self.due.first().copied() {
            Some((at, target)) if at <= now => {
                self.due.remove(&(at, target));
                self.times.remove(&target);
                Ok(target)
            }
            first => Err(first.map(|(at, _)| at)),
        }
    }
}

impl TimedWork for MissedMails {
    const NAME: &'static str = "missed messages";

    fn directory(&self) -> &Directory {
        &self.directory
    }

    fn hears(&self, commit: &Committed) -> bool {
        let mut schedule = self.schedule();
        // Before that, the first pass is to come, and finds everybody in the index.
        if !schedule.is_complete {
            return false;
        }
        let mut is_first = false;
        for entry in &commit.entries {
            note(commit.stream, &entry.event.fact, |target, delay| {
                is_first |= schedule.note(target, commit.at.plus_millis(delay));
            });
        }
        is_first
    }

    fn rests(&self) {
        *self.schedule() = Schedule::default();
    }

    async fn pass(&self) -> Result<NextPass, IndexFault> {
        if !self.schedule().is_complete {
            // The follower notes what comes while the accounts are read.
            self.schedule().is_complete = true;
            if let Err(fault) = self.note_all_accounts().await {
                self.schedule().is_complete = false;
                return Err(fault);
            }
        }
        loop {
            let now = self.directory.context().clock.now().wall;
            let taken = self.schedule().take(now);
            let target = match taken {
                Ok(target) => target,
                Err(first) => return Ok(first.map_or(NextPass::Silence, NextPass::At)),
            };
            if let Err(fault) = self.look_after(target, now).await {
                self.schedule().note(target, now);
                return Err(fault);
            }
        }
    }
}

impl MissedMails {
    /// Starts to look after users. Called once, on a thread with an actix system.
    pub(super) fn start(directory: Directory, keyring: Arc<Keyring>) {
        due_work::start(Arc::new(Self { directory, keyring, schedule: Mutex::default() }));
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes every account that gets mails about missed messages.
    async fn note_all_accounts(&self) -> Result<(), IndexFault> {
        let archive = &self.directory.context().archive;
        let now = self.directory.context().clock.now().wall;
        let mut after = UserId::new(0);
        loop {
            let read = move |archive: &Archive| archive.index.users_after(after, LISTED);
            let accounts = archive.blocking(Owner::Server, read).await?;
            let Some((last, _)) = accounts.last() else { return Ok(()) };
            after = *last;
            for (user, row) in accounts {
                if takes_mails(&row, now) {
                    self.schedule().note(Target::User(user), now);
                }
            }
        }
    }

    async fn look_after(&self, target: Target, now: Timestamp) -> Result<(), IndexFault> {
        let archive = &self.directory.context().archive;
        let user = match target {
            Target::User(user) => user,
            Target::Group(group) => {
                let read = move |archive: &Archive| archive.index.members(group);
                let members = archive.blocking(Owner::Server, read).await?;
                let mut schedule = self.schedule();
                for member in members {
                    schedule.note(Target::User(member.user_id), now);
                }
                return Ok(());
            }
        };
        let keyring = Arc::clone(&self.keyring);
        let read = move |archive: &Archive| next_mail(archive, &keyring, user, now);
        let Some((due, mail)) = archive.read_current(Owner::Server, read).await? else {
            return Ok(());
        };
        if now < due {
            self.schedule().note(Target::User(user), due);
            return Ok(());
        }
        let queue =
            QueueMissed { id: MailId::new(u64::from_be_bytes(random())), in_row: mail.in_row };
        match self.directory.ask(user, queue).await {
            // Refused if the account was deleted meanwhile.
            Ok(()) | Err(Failure::Refused(_)) => {}
            Err(Failure::Fault(fault)) => {
                tracing::warn!(user.id = %user, %fault, "queueing a mail failed; retrying");
                self.schedule().note(Target::User(user), now.plus_millis(60_000));
            }
        }
        Ok(())
    }
}

/// Whether the account may get mails about missed messages.
fn takes_mails(row: &UserRow, now: Timestamp) -> bool {
    let confirmed = row.mailbox.confirmed.as_ref();
    let is_confirmed = confirmed.is_some_and(|it| it.key() == row.profile.email.key());
    let has_ended = row.profile.guest.is_some_and(|guest| guest.has_ended(now));
    let is_off = row.mailbox.notices.choice == Some(EmailNotices::Off);
    is_confirmed && !row.is_deleted && !row.is_disabled() && !has_ended && !is_off
}

/// When the next mail to a user is due, if any.
fn next_mail(
    archive: &Archive,
    keyring: &Keyring,
    user: UserId,
    now: Timestamp,
) -> Result<Option<(Timestamp, MissedMail)>, IndexFault> {
    let index = &archive.index;
    let Some(row) = index.user(user)?.filter(|row| takes_mails(row, now)) else { return Ok(None) };
    let notices = row.mailbox.notices;
    let choice = match notices.choice {
        Some(choice) => choice,
        None => EmailNotices::default_with(!index.devices(user)?.is_empty()),
    };
    if choice == EmailNotices::Off {
        return Ok(None);
    }
    let missed = archive.missed(user, now)?;
    if missed.is_empty() {
        return Ok(None);
    }
    let mut seen_at = index.last_mark(user)?;
    // Programs with a token of their own use it while the user is away.
    for token in index.tokens(user)?.iter().filter(|token| token.client.is_none()) {
        let used = keyring.last_used(&token.hash).max(token.last_used_at);
        seen_at = seen_at.max(used.unwrap_or(token.created_at));
    }
    let came = missed.iter().flat_map(|conv| conv.messages.iter().map(|(at, _)| *at));
    Ok(choice.due(came, notices.last, seen_at, now))
}

/// Writes a mail about the messages that a user has not read by now; `None` if there are none left.
pub(super) async fn letter(
    directory: &Directory,
    secrets: &SecretsKey,
    user: UserId,
    mail: &MailToSend,
) -> Result<Option<Letter>, IndexFault> {
    let context = directory.context();
    let now = context.clock.now().wall;
    let read = move |archive: &Archive| {
        let shows_text = archive.index.place_settings()?.mail_shows_text.unwrap_or(true);
        let missed = archive.missed(user, now)?;
        missed.iter().map(|conv| listed(archive, user, conv, shows_text)).collect()
    };
    let mut conversations: Vec<_> = context.archive.read_current(Owner::Server, read).await?;
    if conversations.is_empty() {
        return Ok(None);
    }
    conversations.truncate(CONVERSATIONS);
    let instance = &context.instance;
    let MailToSend { mail, name, address } = mail;
    let sealed = Unsubscription::of(user, address).seal(secrets);
    let unsubscribe = Some(format!("{}/auth/unsubscribe/{sealed}", instance.public_url()));
    let facts = LetterFacts {
        name: name.as_str().to_owned(),
        server: instance.host().to_owned(),
        address: address.as_str().to_owned(),
        group: String::new(),
        link: format!("{}/", instance.public_url()),
    };
    let parts = MissedParts { conversations, unsubscribe };
    Ok(Some(Letter::missed(mail.language, &facts, &parts)))
}

/// The missed messages of a conversation as a mail lists them.
fn listed(
    archive: &Archive,
    user: UserId,
    missed: &MissedMessages,
    shows_text: bool,
) -> Result<MissedConversation, IndexFault> {
    let MissedMessages { conv, messages } = missed;
    let name = match conv {
        Conversation::Group(group) => archive.index.name_of_conversation(*group)?,
        Conversation::Chat(pair) => match pair.other(user) {
            Some(other) => {
                archive.index.profile(other)?.map(|profile| profile.name.as_str().to_owned())
            }
            None => None,
        },
    };
    let shown = if shows_text { messages.len().min(LINES) } else { 0 };
    let newest = messages.iter().skip(messages.len() - shown);
    let line = |message: &Message| MissedLine {
        author: message.name.clone(),
        text: message.text.clone(),
        is_picture: matches!(message.attachments.first(), Some(Attachment::Image { .. })),
    };
    Ok(MissedConversation {
        name: name.unwrap_or_default(),
        lines: newest.map(|(_, message)| line(message)).collect(),
        more: messages.len() - shown,
    })
}

/// Calls `note` for those for whom a mail may be due because of a fact, and after how many
/// milliseconds.
fn note(stream: StreamId, fact: &Fact, mut note: impl FnMut(Target, u64)) {
    if let (StreamId::User(user), Fact::User(UserFact::Mailed(change))) = (stream, fact)
        && matches!(change, MailChange::NoticesChosen { .. } | MailChange::Confirmed { .. })
    {
        note(Target::User(user), 0);
    }
    let Some(message) = fact.message().filter(|it| it.author != Author::System) else { return };
    let author = message.author.user();
    if let StreamId::Chat(pair) = stream {
        let other = author.and_then(|author| pair.other(author));
        other.into_iter().for_each(|other| note(Target::User(other), MISSED_MILLIS));
    } else if let StreamId::Group(group) = stream
        && !message.attachments.is_empty()
    {
        let addressed = Addressed::of(&message.attachments, author);
        if addressed.everybody {
            note(Target::Group(group), MISSED_MILLIS);
        }
        for user in addressed.users {
            note(Target::User(user), MISSED_MILLIS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedule_keeps_the_earlier_time_of_each_target() {
        let at = Timestamp::from_seconds;
        let ana = Target::User(UserId::new(1));
        let ben = Target::User(UserId::new(2));
        let mut schedule = Schedule::default();
        assert!(schedule.note(ana, at(20)));
        assert!(!schedule.note(ana, at(30)), "a later message moves nothing");
        assert!(!schedule.note(ben, at(25)));
        assert!(schedule.note(ana, at(10)));
        assert_eq!(schedule.take(at(9)), Err(Some(at(10))));
        assert_eq!(schedule.take(at(25)), Ok(ana));
        assert_eq!(schedule.take(at(25)), Ok(ben));
        assert_eq!(schedule.take(at(25)), Err(None));
        assert!(schedule.times.is_empty());
    }
}
