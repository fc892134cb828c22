//! Writings: what people write into the log of a group or a chat, found in the facts of a decision.
//! The rules run on each of them.

use std::sync::Arc;

use crate::calendar::details::EventDetails;
use crate::calendar::{Calendar, CalendarChange};
use crate::chat::{Chat, ChatFact};
use crate::event::Fact;
use crate::group::{AddRequest, Bot, Group, GroupFact, Member, Settings, TopicChange};
use crate::ids::{CalendarEventId, MessageId, UserId};
use crate::message::{Author, Message};
use crate::polls::{NewPoll, PollChange};
use crate::revision::{Revision, RevisionKind};
use crate::text::Description;
use crate::time::Timestamp;

/// What somebody writes, as rules look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Writing {
    /// The member or bot who writes.
    pub author: Author,
    /// How it enters the log.
    pub form: WritingForm,
    /// The texts.
    pub texts: Vec<String>,
    /// New names of members or a bot.
    pub names: Vec<String>,
    /// The message that shows it, as it would read; `None` if no message of the author does.
    pub message: Option<Arc<Message>>,
}

/// How a writing enters the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WritingForm {
    /// As a message.
    Message,
    /// As a message that carries a poll or a calendar event.
    Card,
    /// As a change of something that is there.
    Change,
}

impl WritingForm {
    /// Whether it counts as a post.
    pub(super) const fn is_post(self) -> bool {
        matches!(self, Self::Message | Self::Card)
    }

    /// Whether the writing can wait for approval.
    pub(super) const fn may_wait(self) -> bool {
        matches!(self, Self::Message)
    }
}

impl Writing {
    /// A new message, or one that waited for approval.
    pub(super) fn post(message: &Arc<Message>) -> Self {
        Self::of_message(message, WritingForm::Message)
    }

    /// The name and description of a group that its owner creates.
    pub(super) fn new_group(settings: &Settings, owner: &Member) -> Self {
        Self {
            author: Author::Member(owner.user_id),
            form: WritingForm::Change,
            texts: texts_of_name_and_description(settings),
            names: Vec::new(),
            message: None,
        }
    }

    /// The message that an edit leaves; `None` for other revisions.
    fn of_revision(revision: &Revision, changed: Option<&Message>, now: Timestamp) -> Option<Self> {
        match revision.kind {
            RevisionKind::Edited { .. } => changed.map(|message| {
                let message = Arc::new(message.revised(revision, now));
                Self::of_message(&message, WritingForm::Change)
            }),
            RevisionKind::Deleted { .. }
            | RevisionKind::Pinned
            | RevisionKind::Unpinned
            | RevisionKind::Previewed { .. } => None,
        }
    }

    /// The texts of a calendar event that was made or changed.
    fn of_event(
        calendar: &Calendar,
        change: &CalendarChange,
        carrier: Option<&Message>,
    ) -> Option<Self> {
        match change {
            CalendarChange::Made(made) => {
                let texts = texts_of_event(&made.details);
                let made = Self::change(made.creator, texts)?;
                Some(Self { form: WritingForm::Card, ..made })
            }
            CalendarChange::Changed { event, by, details } => {
                let texts = new_texts_of_event(calendar, *event, details);
                let changed = Self::change(*by, texts)?;
                Some(Self { message: carrier.cloned().map(Arc::new), ..changed })
            }
            CalendarChange::Cancelled { .. }
            | CalendarChange::Answered { .. }
            | CalendarChange::Reminded { .. } => None,
        }
    }

    /// The same with the message that carries it, if it is a card; `posted` are the messages of the
    /// decision.
    fn carried<'a>(mut self, mut posted: impl Iterator<Item = &'a Arc<Message>>) -> Self {
        if self.form == WritingForm::Card {
            self.message = posted.next().cloned();
        }
        self
    }

    fn of_message(message: &Arc<Message>, form: WritingForm) -> Self {
        let texts = message.text.iter().cloned().collect();
        let author = message.author.clone();
        Self { author, form, texts, names: Vec::new(), message: Some(Arc::clone(message)) }
    }

    fn change(by: UserId, texts: Vec<String>) -> Option<Self> {
        let author = Author::Member(by);
        let form = WritingForm::Change;
        let change = Self { author, form, texts, names: Vec::new(), message: None };
        (!change.texts.is_empty()).then_some(change)
    }

    /// What is written, in the form of a message that is in no log, for a report.
    pub(super) fn as_message(&self, author: &Member, id: MessageId) -> Arc<Message> {
        let texts: Vec<&str> = self.names.iter().chain(&self.texts).map(String::as_str).collect();
        Arc::new(Message {
            author: self.author.clone(),
            name: author.nickname.as_str().to_owned(),
            avatar: author.image.clone(),
            text: Some(texts.join("\n")),
            ..Message::unlogged(id)
        })
    }

    fn name(by: UserId, name: &str) -> Self {
        Self::names(by, vec![name.to_owned()])
    }

    /// The nicknames that a member gives to people whom they add.
    fn nicknames(request: &AddRequest) -> Self {
        let names = request.items.iter().map(|item| item.nickname.as_str().to_owned());
        Self::names(request.by, names.collect())
    }

    const fn names(by: UserId, names: Vec<String>) -> Self {
        let author = Author::Member(by);
        Self { author, form: WritingForm::Change, texts: Vec::new(), names, message: None }
    }
}

fn texts_of_poll(poll: &NewPoll) -> Vec<String> {
    [&poll.subject].into_iter().chain(&poll.options).cloned().collect()
}

fn texts_of_event(details: &EventDetails) -> Vec<String> {
    let EventDetails { name, description, location, .. } = details;
    let place = location.iter().flat_map(|it| [Some(&it.name), it.address.as_ref()]);
    [Some(name), description.as_ref()].into_iter().chain(place).flatten().cloned().collect()
}

fn texts_of_name_and_description(settings: &Settings) -> Vec<String> {
    let description = settings.description.as_ref().map(Description::as_str);
    [Some(settings.name.as_str()), description].into_iter().flatten().map(str::to_owned).collect()
}

/// The texts of new settings that differ from the old ones.
fn texts_of_settings(old: &Settings, new: &Settings) -> Vec<String> {
    let name = (old.name != new.name).then(|| new.name.as_str().to_owned());
    let description = new.description.as_ref().filter(|it| old.description.as_ref() != Some(it));
    name.into_iter().chain(description.map(Description::as_str).map(str::to_owned)).collect()
}

impl Group {
    /// What the facts of a decision write; `None` if they write nothing, or the server does.
    /// `changed` is the message that they edit, or that carries the event that they change.
    pub(super) fn writing(
        &self,
        facts: &[Fact],
        changed: Option<&Message>,
        now: Timestamp,
    ) -> Option<Writing> {
        let facts = || facts.iter().filter_map(Fact::group);
        let writing = facts().find_map(|fact| self.writing_of(fact, changed, now))?;
        let posted = facts().filter_map(|fact| {
            if let GroupFact::Posted(message) = fact { Some(message) } else { None }
        });
        Some(writing.carried(posted))
    }

    fn writing_of(
        &self,
        fact: &GroupFact,
        changed: Option<&Message>,
        now: Timestamp,
    ) -> Option<Writing> {
        match fact {
            GroupFact::Posted(message) if message.author == Author::System => None,
            GroupFact::Posted(message) => Some(Writing::post(message)),
            GroupFact::Revised(revision) => Writing::of_revision(revision, changed, now),
            GroupFact::Polled(change) => writing_of_poll(change),
            GroupFact::Planned(change) => Writing::of_event(&self.calendar, change, changed),
            GroupFact::SettingsChanged { settings, by } => {
                Writing::change(*by, texts_of_settings(&self.settings, settings))
            }
            GroupFact::Topic(change) => self.writing_of_topic(change),
            GroupFact::MemberChanged { member, by } => self.writing_of_nickname(member, *by),
            GroupFact::BotAdded(bot) => Some(Writing::name(bot.creator, bot.name.as_str())),
            GroupFact::BotChanged(bot) => self.writing_of_bot(bot),
            GroupFact::AddRequested(request) => Some(Writing::nicknames(request)),
            GroupFact::Created { settings, owner } => Some(Writing::new_group(settings, owner)),
            // Nicknames of members who join are those of their accounts, which are looked at with
            // each post.
            GroupFact::MembersJoined { .. }
            | GroupFact::AddSettled { .. }
            | GroupFact::Invited { .. }
            | GroupFact::InvitesSettled { .. }
            | GroupFact::JoinRequested(_)
            | GroupFact::RequestSettled { .. }
            | GroupFact::MemberLeft { .. }
            | GroupFact::OwnerChanged { .. }
            | GroupFact::Disbanded { .. }
            | GroupFact::Liked(_)
            | GroupFact::Unliked(_)
            | GroupFact::BotRemoved(_)
            | GroupFact::Moderated(_) => None,
        }
    }

    /// The name and description that a topic gets.
    fn writing_of_topic(&self, change: &TopicChange) -> Option<Writing> {
        let topic = change.made_or_changed()?;
        let new = topic.settings(&self.settings);
        let known = self.topics.get(&topic.id).map(|known| known.settings(&self.settings));
        let texts = match known {
            Some(known) => texts_of_settings(&known, &new),
            None => texts_of_name_and_description(&new),
        };
        Writing::change(change.by(), texts)
    }

    fn writing_of_nickname(&self, member: &Member, by: UserId) -> Option<Writing> {
        let known = self.member(member.user_id)?;
        let is_new = known.nickname != member.nickname;
        is_new.then(|| Writing::name(by, member.nickname.as_str()))
    }

    fn writing_of_bot(&self, bot: &Bot) -> Option<Writing> {
        let known = self.bot(&bot.id)?;
        (known.name != bot.name).then(|| Writing::name(bot.creator, bot.name.as_str()))
    }
}

impl Chat {
    /// What the facts of a decision write; `None` if they write nothing. `changed` is the message
    /// that they edit, or that carries the event that they change.
    pub(super) fn writing(
        &self,
        facts: &[Fact],
        changed: Option<&Message>,
        now: Timestamp,
    ) -> Option<Writing> {
        let facts = || facts.iter().filter_map(Fact::chat);
        let writing = facts().find_map(|fact| match fact {
            ChatFact::Posted(message) => Some(Writing::post(message)),
            ChatFact::Revised(revision) => Writing::of_revision(revision, changed, now),
            ChatFact::Planned(change) => Writing::of_event(&self.calendar, change, changed),
            ChatFact::Liked(_) | ChatFact::Unliked(_) => None,
        })?;
        let posted = facts().filter_map(|fact| {
            if let ChatFact::Posted(message) = fact { Some(message) } else { None }
        });
        Some(writing.carried(posted))
    }
}

/// The texts of an event after a change; none if they stay as they are.
fn new_texts_of_event(
    calendar: &Calendar,
    event: CalendarEventId,
    details: &EventDetails,
) -> Vec<String> {
    let texts = texts_of_event(details);
    let known = calendar.get(event).map(|known| texts_of_event(&known.details));
    if known.as_ref() == Some(&texts) { Vec::new() } else { texts }
}

fn writing_of_poll(change: &PollChange) -> Option<Writing> {
    match change {
        PollChange::Made(made) => {
            let made = Writing::change(made.owner, texts_of_poll(&made.poll))?;
            Some(Writing { form: WritingForm::Card, ..made })
        }
        PollChange::Voted { .. } | PollChange::Ended { .. } => None,
    }
}
