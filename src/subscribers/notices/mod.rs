//! Notices: tells people of new messages outside of any open client, by SMS or by Web Push.
//!
//! Follows the same commits as the live feed. A user who can be reached by neither costs only a map
//! look-up. A notice is a hint: those that wait when the server stops are not sent; the messages
//! are safe.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::json;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::broadcast::Broadcast;
use crate::notices::outbox::Outbox;
use crate::notices::reach::{NoticeRoute, Reach};
use crate::notices::reachable::Reachable;
use actors::directory::Directory;
use base::bounds::Budget;
use base::bounds::places::Places;
use base::bounds::turns::Owner;
use base::clock::Clock;
use domain::addressees::Addressed;
use domain::attachment::Attachment;
use domain::calendar::words::starting;
use domain::calendar::{CalendarChange, CalendarEvent};
use domain::event::{Entry, Fact, Origin};
use domain::group::{GroupFact, JoinRequest};
use domain::ids::{GroupId, MessageId, StreamId, TokenId, UserId};
use domain::message::{Author, Message};
use domain::time::Timestamp;
use domain::user::UserFact;
use index::IndexFault;
use index::archive::Archive;
use journal::{Committed, Cursor, Follower};
use notify::sms::Gateway;
use notify::web_push::{NOTICE_BYTES, WebPush};

mod outbox;
mod reach;
mod reachable;

/// Batches that may wait for the task that sends notices.
const WAITING_BATCHES: usize = 1024;

type Batch = Arc<[Arc<Committed>]>;

/// A batch, and whether batches before it were lost.
type NoticeBatch = (Batch, Gap);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// None was lost.
    No,
    /// Some were lost, and may have changed who is reached how.
    Yes,
}

/// The services for sending notices.
pub struct Notices {
    /// Index and journal.
    pub archive: Archive,
    /// Finds the rooms of users whose devices are to be removed.
    pub directory: Directory,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Sends SMS.
    pub gateway: Gateway,
    /// Sends notices to browsers.
    pub web_push: WebPush,
    /// Bounds the notices that wait to be sent.
    pub budget: Budget,
}

/// Makes the budget for notices that wait to be sent.
pub fn budget(places: &Places) -> Budget {
    outbox::budget(places)
}

impl Notices {
    /// Starts to follow the journal. Called once, on a thread with an actix system.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn start(self, broadcast: &Broadcast) -> Result<(), IndexFault> {
        let mut reach = Reachable::default();
        for user in self.archive.index.reachable()? {
            reach.learn(user, Reach::read(&self.archive.index, user)?);
        }
        let (hear, heard) = mpsc::channel(WAITING_BATCHES);
        let follower = NoticeFollower { hear, anybody: !reach.is_empty(), missed: false };
        broadcast.add(Box::new(follower));
        actix::spawn(async move {
            let outbox = Outbox::new(self.gateway, self.web_push, self.directory, self.budget);
            let archive = self.archive;
            let clock = self.clock;
            NoticeSender { archive, clock, outbox, reach }.run(heard).await;
        });
        Ok(())
    }
}

/// The follower on the journal's thread.
#[derive(Debug)]
struct NoticeFollower {
    hear: Sender<NoticeBatch>,
    /// Whether anybody can be reached, or ever could since the start.
    anybody: bool,
    /// Whether the last batch was lost.
    missed: bool,
}

impl Follower for NoticeFollower {
    fn durable(&mut self, batch: &Batch) {
        self.anybody = self.anybody || batch.iter().any(|commit| changes_reach(commit));
        if !self.anybody {
            return;
        }
        let gap = if self.missed { Gap::Yes } else { Gap::No };
        match self.hear.try_send((Arc::clone(batch), gap)) {
            Ok(()) => self.missed = false,
            Err(TrySendError::Full(_)) if !self.missed => {
                self.missed = true;
                tracing::warn!("the queue of notices is full; some notices are not sent");
            }
            // A full queue is logged once, until it has room again; a closed one means that the
            // server is stopping.
            Err(TrySendError::Full(_) | TrySendError::Closed(_)) => {}
        }
    }
}

fn changes_reach(commit: &Committed) -> bool {
    matches!(commit.stream, StreamId::User(_)) && commit.entries.iter().any(is_about_reach)
}

/// Whether the event changes how a user is reached.
fn is_about_reach(entry: &Entry) -> bool {
    matches!(
        &entry.event.fact,
        Fact::User(
            UserFact::DeviceAdded(_)
                | UserFact::DeviceRemoved { .. }
                | UserFact::SmsModeOn(_)
                | UserFact::SmsModeOff
                | UserFact::ProfileChanged { .. }
                | UserFact::ApplicationsRemoved { .. }
                | UserFact::LevelSet { .. }
                | UserFact::ChatMuted { .. }
                | UserFact::TopicMuted { .. }
                | UserFact::AllMuted { .. }
                | UserFact::RequestChanged { .. }
                | UserFact::Deleted
        )
    )
}

/// Decides who receives which notices.
struct NoticeSender {
    archive: Archive,
    clock: Arc<dyn Clock>,
    outbox: Outbox,
    /// The users who can be reached, or once could, and how.
    reach: Reachable,
}

impl NoticeSender {
    async fn run(mut self, mut heard: Receiver<NoticeBatch>) {
        while let Some((batch, gap)) = heard.recv().await {
            if let (Gap::Yes, Some(first)) = (gap, batch.first()) {
                self.catch_up(first.cursor).await;
            }
            for commit in batch.iter() {
                self.take_in(commit).await;
            }
        }
    }

    async fn take_in(&mut self, commit: &Committed) {
        if let StreamId::User(user) = commit.stream {
            self.follow(user, commit).await;
            return;
        }
        for entry in &commit.entries {
            if let (StreamId::Group(group), Fact::Group(fact)) = (commit.stream, &entry.event.fact)
            {
                self.follow_mutes(group, fact);
            }
            if let Some(reminder) = Reminder::of(entry).filter(|_| commit.origin == Origin::Here) {
                self.remind(commit, entry, &reminder).await;
                continue;
            }
            if let Fact::Group(GroupFact::JoinRequested(request)) = &entry.event.fact
                && commit.origin == Origin::Here
            {
                self.announce(commit, entry, request).await;
                continue;
            }
            let Some(message) = entry.event.fact.message() else { continue };
            // Of several nodes, only the one that decided the message sends notices.
            if commit.origin != Origin::Here {
                continue;
            }
            let wanted = self.wanted(commit.stream, entry, message);
            if !wanted.is_empty() {
                self.tell(commit, message, wanted).await;
            }
        }
    }

    /// Follows who has muted a group; a member who joins again has not muted it.
    fn follow_mutes(&mut self, group: GroupId, fact: &GroupFact) {
        let members = if let GroupFact::MemberChanged { member, .. } = fact {
            std::slice::from_ref(member)
        } else if let GroupFact::MembersJoined { members, .. } = fact {
            members
        } else {
            return;
        };
        for member in members {
            if let Some(reach) = self.reach.get_mut(member.user_id) {
                reach.mute(group, member.muted);
            }
        }
    }

    /// Follows how a user is reached, event by event: a notice goes by what held when the message
    /// was posted, though the index may know later changes.
    async fn follow(&mut self, user: UserId, commit: &Committed) {
        if !commit.entries.iter().any(is_about_reach) {
            return;
        }
        if self.reach.get(user).is_none() {
            // If the index has stopped, nothing can be learned, and the log says so.
            drop(self.archive.index.reached(commit.cursor).await);
            self.learn(user).await;
        }
        for entry in &commit.entries {
            let Fact::User(fact) = &entry.event.fact else { continue };
            self.reach.apply(user, fact);
            if let UserFact::DeviceAdded(device) = fact {
                drop(self.archive.index.reached(commit.cursor).await);
                self.learn_application(user, device.token).await;
            }
        }
    }

    /// Reads again who is reached how, as of this cursor, since the lost batches may have changed
    /// it.
    async fn catch_up(&mut self, at: Cursor) {
        drop(self.archive.index.reached(at).await);
        match self.archive.blocking(Owner::Server, |archive| archive.index.reachable()).await {
            Ok(users) => self.reach.expect(users),
            Err(fault) => tracing::warn!(
                %fault,
                "reading which users have devices failed; some may receive no notices"
            ),
        }
        self.learn_all(at).await;
    }

    /// Learns again how everybody is reached.
    async fn learn_all(&mut self, at: Cursor) {
        drop(self.archive.index.reached(at).await);
        for user in self.reach.users() {
            self.learn(user).await;
        }
    }

    /// The users to tell of a message: those who can be reached, did not write it, and want notices
    /// of it. System messages are not worth a notice.
    fn wanted(&mut self, stream: StreamId, entry: &Entry, message: &Message) -> Vec<UserId> {
        if message.author == Author::System {
            return Vec::new();
        }
        let author = message.author.user();
        let addressed = Addressed::of(&message.attachments, author);
        let now = self.clock.now().wall;
        let mut users = self.reach.among(stream, &entry.audience);
        users.retain(|user| {
            let level = self.reach.get(*user).map(|reach| reach.level(stream, message.parent, now));
            let listens = level.is_some_and(|it| it.lets_through(addressed.is_for(*user)));
            Some(*user) != author && listens
        });
        users
    }

    /// Sends the reminder of a calendar event to everybody except those who said that they stay
    /// away. Those who come are told even if they want notices only of what is addressed to them.
    async fn remind(&mut self, commit: &Committed, entry: &Entry, reminder: &Reminder) {
        let now = self.clock.now().wall;
        let Some(message) = reminder.message(now) else { return };
        let mut wanted = self.reach.among(commit.stream, &entry.audience);
        let listens = |user: &UserId| {
            let level = self.reach.get(*user).map(|reach| reach.level(commit.stream, None, now));
            level.is_some_and(|level| level.lets_through(reminder.is_for(*user)))
        };
        wanted.retain(|it| reminder.reaches(*it) && listens(it));
        if !wanted.is_empty() {
            self.tell(commit, &message, wanted).await;
        }
    }

    /// Sends a request to become a member to those who may decide it. It counts as addressed to
    /// them.
    async fn announce(&self, commit: &Committed, entry: &Entry, request: &JoinRequest) {
        let now = self.clock.now().wall;
        let listens = |user: &UserId| {
            let level = self.reach.get(*user).map(|reach| reach.level(commit.stream, None, now));
            level.is_some_and(|level| level.lets_through(true))
        };
        let users = entry.audience.users().iter().copied();
        let wanted: Vec<UserId> = users.filter(listens).collect();
        if wanted.is_empty() {
            return;
        }
        let message = Message {
            author: Author::Member(request.user.id),
            name: request.user.name.as_str().to_owned(),
            text: Some("asks to join".to_owned()),
            ..Message::unlogged(MessageId::new(request.id.get()))
        };
        self.tell(commit, &message, wanted).await;
    }

    async fn tell(&self, commit: &Committed, message: &Message, wanted: Vec<UserId>) {
        let stream = commit.stream;
        let group = if let StreamId::Group(group) = stream {
            self.name_of(group, commit.cursor).await
        } else {
            Ok(None)
        };
        let group = match group {
            Ok(name) => name,
            Err(fault) => {
                tracing::warn!(
                    %stream, %fault,
                    "reading the group of a message failed; no notices are sent for it"
                );
                return;
            }
        };
        let words = Words { stream, group: group.as_deref(), message };
        let now = self.clock.now().wall;
        for user in wanted {
            let Some(reach) = self.reach.get(user) else { continue };
            for way in reach.routes(&message.author, stream, now) {
                match way {
                    NoticeRoute::Sms(phone) => self.outbox.sms(message.id, phone, words.sms()),
                    NoticeRoute::Device(device) => {
                        self.outbox.push(message.id, user, device, words.push());
                    }
                }
            }
        }
    }

    /// The name of a group, as of this commit or later.
    async fn name_of(&self, group: GroupId, at: Cursor) -> Result<Option<String>, IndexFault> {
        self.archive.index.reached(at).await?;
        let look = move |archive: &Archive| archive.index.name_of_conversation(group);
        self.archive.blocking(Owner::Server, look).await
    }

    /// Learns which application registered devices with this token.
    async fn learn_application(&mut self, user: UserId, token: TokenId) {
        let look = move |archive: &Archive| archive.index.tokens(user);
        match self.archive.blocking(Owner::Server, look).await {
            Ok(tokens) => {
                let record = tokens.into_iter().find(|it| it.id == token);
                self.reach.learn_application(user, token, record.as_ref());
            }
            Err(fault) => tracing::warn!(
                user.id = %user, %fault,
                "reading the tokens of a user failed; some devices may receive no notices"
            ),
        }
    }

    /// Learns how a user is reached.
    async fn learn(&mut self, user: UserId) {
        let look = move |archive: &Archive| Reach::read(&archive.index, user);
        match self.archive.blocking(Owner::Server, look).await {
            // `None` if the account was deleted since.
            Ok(known) => self.reach.learn(user, known),
            Err(fault) => tracing::warn!(
                user.id = %user, %fault,
                "reading the notice settings of a user failed; the user may receive no notices"
            ),
        }
    }
}

/// A reminder that came due.
struct Reminder {
    event: Arc<CalendarEvent>,
    /// Seconds before the event's start.
    before: u32,
}

impl Reminder {
    /// The reminder in an entry of the log, if it is one.
    fn of(entry: &Entry) -> Option<Self> {
        let change = entry.event.fact.planned()?;
        let CalendarChange::Reminded { before, .. } = **change else { return None };
        Some(Self { event: entry.state.planned.clone()?, before })
    }

    /// Whether the user is to be reminded.
    fn reaches(&self, user: UserId) -> bool {
        self.event.reminds(user)
    }

    /// Whether the reminder counts as addressed to the user: they said that they come.
    fn is_for(&self, user: UserId) -> bool {
        self.event.answers.get(&user) == Some(&true)
    }

    /// The notice as a message in the event's name; `None` if the event is over or not shown any
    /// more.
    fn message(&self, now: Timestamp) -> Option<Message> {
        let event = &self.event;
        let said = starting(self.before / 60);
        event.is_worth_a_reminder(now).then(|| Message {
            author: Author::Member(event.creator),
            name: event.details.name.clone(),
            text: Some(said),
            // With the id of the event's message, so that deleting that message takes this notice
            // back too.
            ..Message::unlogged(MessageId::new(event.id.get()))
        })
    }
}

/// Characters of a message in a notice of the browser; screens show no more.
const SHOWN_CHARS: usize = 300;

/// The message to tell, and where it was posted.
struct Words<'a> {
    /// The conversation.
    stream: StreamId,
    /// The name of the group, if the conversation is one.
    group: Option<&'a str>,
    /// The message.
    message: &'a Message,
}

impl Words<'_> {
    /// The text of an SMS.
    fn sms(&self) -> String {
        let name = &self.message.name;
        let said = self.said();
        match self.group {
            Some(group) => format!("{name} in {group}: {said}"),
            None => format!("{name}: {said}"),
        }
    }

    /// The JSON for the web client's service worker.
    fn push(&self) -> Bytes {
        let said: String = self.said().chars().take(SHOWN_CHARS).collect();
        let name = &self.message.name;
        let (title, body) = match self.group {
            Some(group) => (group, format!("{name}: {said}")),
            None => (&**name, said),
        };
        let notice = |body: &str| {
            let notice = json!({
                "title": title,
                "body": body,
                "conversation": self.stream.to_string(),
                "message_id": self.message.id.to_string(),
            });
            Bytes::from(notice.to_string())
        };
        let whole = notice(&body);
        // Only a text full of JSON escapes grows so large.
        if whole.len() <= NOTICE_BYTES { whole } else { notice(name) }
    }

    fn said(&self) -> String {
        match (&self.message.text, self.message.attachments.first()) {
            (Some(text), _) => text.clone(),
            (None, Some(Attachment::Image { .. })) => "sent a picture".to_owned(),
            (None, Some(Attachment::Location { name, .. })) => format!("is at {name}"),
            (None, _) => "sent an attachment".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::event::Event;
    use domain::time::Timestamp;
    use journal::{CommitId, StreamHead};

    fn batch() -> Batch {
        let fact = Fact::User(UserFact::SmsModeOff);
        let entry = Entry::stored(Arc::new(Event { at: Timestamp::default(), fact }));
        Arc::new([Arc::new(Committed {
            stream: StreamId::User(UserId::new(1)),
            cursor: Cursor::new(64),
            before: StreamHead::default(),
            after: StreamHead::default(),
            id: CommitId(1),
            at: Timestamp::default(),
            entries: vec![entry],
            origin: Origin::Here,
        })])
    }

    /// A lost batch may have changed who is reached how, so the next one says that it was lost.
    #[test]
    fn batch_after_a_lost_one_reports_the_gap() {
        let (hear, mut heard) = mpsc::channel(1);
        let mut follower = NoticeFollower { hear, anybody: false, missed: false };
        let mut gap = || heard.try_recv().map(|(_, gap)| gap).ok();
        follower.durable(&batch());
        follower.durable(&batch());
        assert_eq!((gap(), gap()), (Some(Gap::No), None), "the second is lost");
        follower.durable(&batch());
        assert_eq!(gap(), Some(Gap::Yes));
        follower.durable(&batch());
        assert_eq!(gap(), Some(Gap::No));
    }
}
