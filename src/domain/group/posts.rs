//! Posting: who may add a message to a group, when a repeat is refused, and the words of system
//! messages.
//!
//! Pure rules. The caller passes the time and gets back a fact to record or a refusal. Text and
//! attachments are valid already.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::addressees::{AddressContext, AddressRefusal, Participants, check_attachments};
use crate::calendar::words::starting;
use crate::event::{Decision, Fact};
use crate::group::slow_mode::slow_mode_line;
use crate::group::{BrokenRule, Denied, Group, GroupAct, GroupFact, Member};
use crate::id_generator::IdGenerator;
use crate::ids::{MessageId, UserId};
use crate::limits::{LINE_CHARS, NICKNAME_CHARS};
use crate::message::{Author, Message, NewMessage, SYSTEM_NAME, SystemMessage, TopicLine};
use crate::named::{NamedEvent, NamedTopic, NamedUser, PollOutcome};
use crate::revision::MessageState;
use crate::time::{Moment, Timestamp};

/// Why a post was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum PostRefusal {
    /// The author is no member, or the group is gone: strangers learn nothing of it.
    #[error("there is no such group")]
    NotAMember,
    /// The author's role does not allow posting.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A rule of the group does not allow it.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
    /// The sender used the same guid less than a minute ago.
    #[error("source_guid was already used less than a minute ago")]
    DuplicateGuid {
        /// The message that is stored under the guid.
        existing: MessageId,
    },
    /// The message mentions somebody or answers a message that it cannot.
    #[error(transparent)]
    Address(#[from] AddressRefusal),
}

impl Group {
    /// Posts a member's message; `answered` is the message of this group that it answers, if there
    /// is one.
    ///
    /// # Errors
    /// If the author is no member or repeats a guid within a minute, or if the message mentions
    /// somebody or answers a message that it cannot.
    pub fn post(
        &self,
        author: UserId,
        (new, answered): (NewMessage, Option<&Message>),
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Arc<Message>>, PostRefusal> {
        let member = self.member(author).ok_or(PostRefusal::NotAMember)?;
        self.permit(member, GroupAct::Post, now.wall)?;
        let author = Author::Member(author);
        if let Some(known) = self.guids.recall(&author, new.source_guid.as_str(), now.mono) {
            return Err(PostRefusal::DuplicateGuid { existing: *known });
        }
        self.keep_pace(member, now.wall)?;
        let NewMessage { text, attachments, form, here, .. } = new;
        let text = text.map(|text| text.as_str().to_owned());
        let context = self.context(member.user_id, answered, &here);
        let attachments = check_attachments(attachments, text.as_deref(), form, &context)?;
        let id = id_generator.message(now.wall);
        let message = Arc::new(Message {
            id,
            author,
            name: member.nickname.as_str().to_owned(),
            avatar: member.image.clone(),
            source_guid: new.source_guid.as_str().to_owned(),
            text,
            attachments,
            count: self.count + 1,
            line: None,
            written_at: Message::written_at(id, now.wall),
            parent: self.parent(),
            state: MessageState::default(),
        });
        let fact = Fact::Group(GroupFact::Posted(Arc::clone(&message)));
        Ok(Decision { facts: vec![fact], answer: message })
    }

    /// The context in which a message is written by a member, or by a bot that this member made.
    pub(super) fn context<'a>(
        &'a self,
        author: UserId,
        answered: Option<&'a Message>,
        here: &'a [UserId],
    ) -> AddressContext<'a> {
        let author = self.member(author);
        let may_mention_all = author.is_some_and(|it| self.grants(it, GroupAct::MentionAll));
        AddressContext { people: self, may_mention_all, answered, here }
    }

    /// A system message about a change, for the same commit as the change.
    pub(crate) fn system_message(
        &self,
        line: SystemMessage,
        at: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Fact {
        self.system_message_after(0, line, at, id_generator)
    }

    /// Several system messages of one decision, in this order.
    pub(crate) fn system_messages(
        &self,
        lines: Vec<SystemMessage>,
        at: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Vec<Fact> {
        let numbered = (0..).zip(lines);
        numbered
            .map(|(before, line)| self.system_message_after(before, line, at, id_generator))
            .collect()
    }

    fn system_message_after(
        &self,
        before: u64,
        line: SystemMessage,
        at: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Fact {
        let id = id_generator.message(at);
        Fact::Group(GroupFact::Posted(Arc::new(Message {
            id,
            author: Author::System,
            name: SYSTEM_NAME.to_owned(),
            avatar: None,
            // Strict parsers of callbacks expect a guid on every message.
            source_guid: format!("{:032x}", id.get()),
            text: Some(line.text()),
            attachments: Vec::new(),
            count: self.count + before + 1,
            line: Some(line),
            written_at: Message::written_at(id, at),
            parent: self.parent(),
            state: MessageState::default(),
        })))
    }
}

impl Participants for Group {
    fn includes(&self, user: UserId) -> bool {
        self.member(user).is_some()
    }
}

impl Member {
    /// The member's id and nickname.
    pub fn named(&self) -> NamedUser {
        NamedUser { id: self.user_id, name: self.nickname.as_str().to_owned() }
    }
}

/// The names that fit into a system message, and how many people are left out.
fn names_of(people: &[NamedUser]) -> (String, usize) {
    // The rest is for the adder's name and the words around the names.
    const ROOM: usize = LINE_CHARS - NICKNAME_CHARS - 60;
    let mut said = String::new();
    let mut chars = 0;
    for (index, person) in people.iter().enumerate() {
        chars += person.name.chars().count() + 2;
        if chars > ROOM {
            return (said, people.len() - index);
        }
        if index > 0 {
            said.push_str(", ");
        }
        said.push_str(&person.name);
    }
    (said, 0)
}

/// The words for an answer to an event.
const fn answered(going: Option<bool>) -> &'static str {
    match going {
        Some(true) => "is going to",
        Some(false) => "is not going to",
        None => "is undecided about",
    }
}

/// The words for what a user did with an event. A deleted event has no name.
fn acted(user: &NamedUser, act: &str, noun: &str, event: &NamedEvent) -> String {
    match &*event.name {
        "" => format!("{} {act} an event.", user.name),
        name => format!("{} {act} {noun}'{name}'.", user.name),
    }
}

/// The words for the start of an event.
fn begins(event: &NamedEvent, minutes: u32) -> String {
    match &*event.name {
        "" => format!("An event {}.", starting(minutes)),
        name => format!("'{name}' {}.", starting(minutes)),
    }
}

/// The words for the end of a poll, with as many options as fit. A deleted poll has none.
fn finished(subject: &str, options: &[PollOutcome]) -> String {
    if options.is_empty() {
        return "A poll has ended.".to_owned();
    }
    let mut said = format!("The poll '{subject}' has ended: ");
    let mut room = LINE_CHARS.saturating_sub(said.chars().count() + 2);
    for (index, PollOutcome { title, votes }) in options.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let outcome = format!("{comma}{title} {votes}");
        let chars = outcome.chars().count();
        if chars > room {
            said.push('…');
            return said;
        }
        room -= chars;
        said.push_str(&outcome);
    }
    said.push('.');
    said
}

/// The words for a change of a member's role.
fn role_line(user: &NamedUser, member: &NamedUser, is_admin: bool) -> String {
    match is_admin {
        true => format!("{} made {} an admin.", user.name, member.name),
        false if user.id == member.id => format!("{} stepped down as an admin.", user.name),
        false => format!("{} removed {} as an admin.", user.name, member.name),
    }
}

/// The text of the line about a switch.
fn switched(user: &NamedUser, what: &str, is_on: bool) -> String {
    let state = if is_on { "on" } else { "off" };
    format!("{} switched {what} {state}.", user.name)
}

fn archive_line(user: &NamedUser, is_archived: bool) -> String {
    match is_archived {
        true => format!("{} archived the group.", user.name),
        false => format!("{} took the group out of the archive.", user.name),
    }
}

fn topic_line(user: &NamedUser, topic: &NamedTopic, change: &TopicLine) -> String {
    let user = &user.name;
    let topic = &topic.name;
    match change {
        TopicLine::Made => format!("{user} created the topic {topic}."),
        TopicLine::Removed => format!("{user} removed the topic {topic}."),
        TopicLine::Renamed { name } => format!("{user} renamed the topic {topic} to {name}."),
        TopicLine::Described { description } if description.is_empty() => {
            format!("{user} removed the description of the topic {topic}.")
        }
        TopicLine::Described { description } => {
            format!("{user} changed what the topic {topic} is about: {description}")
        }
        TopicLine::AvatarChanged { .. } => {
            format!("{user} changed the picture of the topic {topic}.")
        }
        TopicLine::KindChanged { kind } => {
            format!("{user} changed the type of the topic {topic} to {}.", kind.as_str())
        }
    }
}

fn freeze_line(reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("The operators of this server have frozen the group: {reason}"),
        None => "The operators of this server ended the freeze of the group.".to_owned(),
    }
}

impl SystemMessage {
    /// The text of the system message, at most as long as a message may be.
    pub fn text(&self) -> String {
        match self {
            Self::Added { added, adder, .. } => {
                let (said, rest) = names_of(added);
                match rest {
                    0 => format!("{} added {said} to the group.", adder.name),
                    _ => format!("{} added {said} and {rest} others to the group.", adder.name),
                }
            }
            Self::Joined { user, .. } => format!("{} has joined the group.", user.name),
            Self::Rejoined { user } => format!("{} has rejoined the group.", user.name),
            Self::Left { user } => format!("{} has left the group.", user.name),
            Self::Removed { removed, remover } => {
                format!("{} removed {} from the group.", remover.name, removed.name)
            }
            Self::NicknameChanged { user, name } => {
                format!("{} changed name to {name}.", user.name)
            }
            Self::NameChanged { user, name } => {
                format!("{} changed the group's name to {name}.", user.name)
            }
            Self::TopicChanged { user, topic } => {
                format!("{} changed the topic to: {topic}", user.name)
            }
            Self::AvatarChanged { user, .. } => {
                format!("{} changed the group's picture.", user.name)
            }
            Self::OfficeModeChanged { user, on } => switched(user, "office mode", *on),
            Self::TypeChanged { user, kind, .. } => {
                format!("{} changed the group's type to {}.", user.name, kind.as_str())
            }
            Self::SlowModeChanged { user, seconds } => slow_mode_line(&user.name, *seconds),
            Self::ApprovalChanged { user, on } => switched(user, "approval of new members", *on),
            Self::VisibilityChanged { user, is_searchable: true } => {
                format!("{} listed the group in the directory.", user.name)
            }
            Self::VisibilityChanged { user, is_searchable: false } => {
                format!("{} took the group out of the directory.", user.name)
            }
            Self::ArchiveChanged { user, is_archived } => archive_line(user, *is_archived),
            Self::FreezeChanged { reason } => freeze_line(reason.as_deref()),
            Self::RoleChanged { user, member, is_admin } => role_line(user, member, *is_admin),
            Self::SharingChanged { user, token } => {
                switched(user, "the share link", token.is_some())
            }
            Self::OwnerChanged { old, new } => {
                format!("{} made {} the owner of the group.", old.name, new.name)
            }
            Self::Topic { user, topic, change } => topic_line(user, topic, change),
            Self::BotAdded { user, bot } => format!("{} added the {bot} bot.", user.name),
            Self::BotRemoved { user, bot } => format!("{} removed the {bot} bot.", user.name),
            Self::MessageDeleted { user, .. } => format!("{} deleted a message.", user.name),
            Self::PollFinished { subject, options, .. } => finished(subject, options),
            Self::PollCreated { subject, .. } => format!("Created new poll '{subject}'"),
            Self::EventCreated { event, .. } => format!("Created event '{}'", event.name),
            Self::EventChanged { user, event } => acted(user, "changed", "the event ", event),
            Self::EventCancelled { user, event } => acted(user, "cancelled", "the event ", event),
            Self::EventAnswered { user, event, going } => acted(user, answered(*going), "", event),
            Self::EventStarting { event, minutes } => begins(event, *minutes),
            Self::MessagePinned { user, is_pinned: true, .. } => {
                format!("{} pinned a message.", user.name)
            }
            Self::MessagePinned { user, is_pinned: false, .. } => {
                format!("{} unpinned a message.", user.name)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_about_many_people_is_no_longer_than_a_message() {
        let named = |name: String| NamedUser { id: UserId::new(1), name };
        let adder = named("A".repeat(NICKNAME_CHARS));
        let added = (0..1000).map(|number| named(format!("Person {number}"))).collect();
        let is_by_invite = false;
        let text = SystemMessage::Added { added, adder: adder.clone(), is_by_invite }.text();
        assert!(text.chars().count() <= LINE_CHARS, "{}", text.chars().count());
        assert!(text.ends_with(" others to the group."), "{text}");
        let added = vec![adder.clone(), adder.clone()];
        let few = SystemMessage::Added { added, adder, is_by_invite };
        assert_eq!(few.text().matches('A').count(), 3 * NICKNAME_CHARS);
    }
}
