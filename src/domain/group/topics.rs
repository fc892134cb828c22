//! Topics: conversations that all members of a group have beside its main one.
//!
//! The room of the group decides which topics there are. Each topic has a room and a log of its own;
//! who its members are, their roles and the rules come from the group ([`TopicParent`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::attachment::ImageRef;
use crate::audience::Audience;
use crate::event::{Decision, Fact};
use crate::group::{
    BrokenRule, Denied, Group, GroupAct, GroupFact, GroupParts, Rules, Settings, TopicKind,
};
use crate::id_generator::IdGenerator;
use crate::ids::{GroupId, MessageId, UserId};
use crate::limits::GROUP_TOPICS;
use crate::message::{Message, SystemMessage, TopicLine};
use crate::named::NamedTopic;
use crate::nested_option;
use crate::text::{Description, GroupName};
use crate::time::{Moment, Timestamp};
use crate::user::Unread;

/// A topic of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topic {
    /// Its id, of the same kind as those of groups, since it is a conversation as they are.
    pub id: GroupId,
    /// Its name.
    pub name: GroupName,
    /// What it is about.
    pub description: Option<Description>,
    /// Its picture.
    pub image: Option<ImageRef>,
    /// What plain members may do.
    pub kind: TopicKind,
    /// The member who made it.
    pub creator: UserId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The topics of a group by id. Shared, so that a view can hold them without a copy.
pub type Topics = Arc<BTreeMap<GroupId, Arc<Topic>>>;

/// A change of the topics of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TopicChange {
    /// A topic was made.
    Made(Arc<Topic>),
    /// A topic was changed.
    Changed {
        /// All of it after the change.
        topic: Arc<Topic>,
        /// The member who changed it.
        by: UserId,
    },
    /// A topic was removed, with its messages.
    Removed {
        /// The topic.
        topic: GroupId,
        /// The member who removed it.
        by: UserId,
    },
}

impl TopicChange {
    /// The topic.
    pub fn topic(&self) -> GroupId {
        match self {
            Self::Made(topic) | Self::Changed { topic, .. } => topic.id,
            Self::Removed { topic, .. } => *topic,
        }
    }

    /// The member who made the change.
    pub fn by(&self) -> UserId {
        match self {
            Self::Made(topic) => topic.creator,
            Self::Changed { by, .. } | Self::Removed { by, .. } => *by,
        }
    }

    /// The topic after the change; `None` if it was removed.
    pub const fn made_or_changed(&self) -> Option<&Arc<Topic>> {
        match self {
            Self::Made(topic) | Self::Changed { topic, .. } => Some(topic),
            Self::Removed { .. } => None,
        }
    }
}

/// A topic to be made. The values are valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTopic {
    /// Its name.
    pub name: GroupName,
    /// What it is about.
    pub description: Option<Description>,
    /// Its picture.
    pub image: Option<ImageRef>,
    /// What plain members may do.
    pub kind: TopicKind,
}

/// What a member wants changed of a topic: valid, but not yet permitted. `None` leaves a value as it
/// is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicUpdate {
    /// The new name.
    pub name: Option<GroupName>,
    /// The new description; `Some(None)` removes it.
    #[serde(with = "nested_option")]
    pub description: Option<Option<Description>>,
    /// The new picture; `Some(None)` removes it.
    #[serde(with = "nested_option")]
    pub image: Option<Option<ImageRef>>,
    /// What plain members may do.
    pub kind: Option<TopicKind>,
}

/// The state of a topic's log, for one member.
#[derive(Debug, Clone, Default)]
pub struct TopicLog {
    /// How many messages it has.
    pub count: u64,
    /// The newest message.
    pub last: Option<Arc<Message>>,
    /// How much of it the member has not read.
    pub unread: Unread,
    /// The newest message that the member has read.
    pub read: Option<MessageId>,
    /// When the member read it.
    pub read_at: Option<Timestamp>,
    /// Until when the member muted it.
    pub muted: Option<Timestamp>,
}

/// Why topics were not listed, made, changed or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum TopicRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The group has no such topic.
    #[error("there is no such topic in this group")]
    NoSuchTopic,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A rule does not allow the name or the description.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
    /// The group has as many topics as it may have.
    #[error("a group has at most {GROUP_TOPICS} topics")]
    TooMany,
}

/// What a topic has from its group: members, roles, timeouts, settings and rules.
#[derive(Debug, Clone)]
pub struct TopicParent {
    /// The group.
    pub group: Arc<Group>,
    /// The rules of the group.
    pub rules: Rules,
}

impl Topic {
    /// The topic after a change.
    fn updated(&self, update: TopicUpdate, at: Timestamp) -> Self {
        let mut topic = self.clone();
        topic.name = update.name.unwrap_or(topic.name);
        topic.description = update.description.unwrap_or(topic.description);
        topic.image = update.image.unwrap_or(topic.image);
        topic.kind = update.kind.unwrap_or(topic.kind);
        if topic != *self {
            topic.updated_at = at;
        }
        topic
    }

    fn named(&self) -> NamedTopic {
        NamedTopic { id: self.id, name: self.name.as_str().to_owned() }
    }

    /// The settings of the topic's conversation: its own, and those of the group.
    pub fn settings(&self, group: &Settings) -> Settings {
        Settings {
            name: self.name.clone(),
            description: self.description.clone(),
            image: self.image.clone(),
            kind: self.kind.into(),
            share_token: None,
            is_searchable: false,
            ..group.clone()
        }
    }

    /// What differs in a later state of the topic, for system messages.
    fn lines_to(&self, new: &Self) -> Vec<TopicLine> {
        let mut lines = Vec::new();
        if new.name != self.name {
            lines.push(TopicLine::Renamed { name: new.name.as_str().to_owned() });
        }
        if new.description != self.description {
            let words = new.description.as_ref().map_or("", Description::as_str);
            lines.push(TopicLine::Described { description: words.to_owned() });
        }
        if new.image != self.image {
            lines.push(TopicLine::AvatarChanged { image: new.image.clone() });
        }
        if new.kind != self.kind {
            lines.push(TopicLine::KindChanged { kind: new.kind });
        }
        lines
    }
}

impl Group {
    /// The topics as a member sees them.
    ///
    /// # Errors
    /// If the reader is no member.
    pub fn topics_for(&self, reader: UserId) -> Result<&Topics, TopicRefusal> {
        self.member(reader).map(|_| &self.topics).ok_or(TopicRefusal::NotAMember)
    }

    /// The ids of the topics, oldest first.
    pub fn topic_ids(&self) -> Vec<GroupId> {
        self.topics.keys().copied().collect()
    }

    /// Whether the group has this topic.
    pub(super) fn has_topic(&self, topic: GroupId) -> bool {
        self.topics.contains_key(&topic)
    }

    /// Whether the group has a topic.
    pub fn has_topics(&self) -> bool {
        !self.topics.is_empty()
    }

    /// Makes a topic.
    ///
    /// # Errors
    /// If the caller may not, or the group has as many as it may have.
    pub fn make_topic(
        &self,
        by: UserId,
        new: NewTopic,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Arc<Topic>>, TopicRefusal> {
        let member = self.member(by).ok_or(TopicRefusal::NotAMember)?;
        self.permit(member, GroupAct::ManageTopics, now.wall)?;
        if self.topics.len() >= GROUP_TOPICS {
            return Err(TopicRefusal::TooMany);
        }
        let topic = Arc::new(Topic {
            id: id_generator.group(),
            name: new.name,
            description: new.description,
            image: new.image,
            kind: new.kind,
            creator: by,
            created_at: now.wall,
            updated_at: now.wall,
        });
        let line = SystemMessage::Topic {
            user: member.named(),
            topic: topic.named(),
            change: TopicLine::Made,
        };
        let made = TopicChange::Made(Arc::clone(&topic));
        let facts = vec![topic_fact(made), self.system_message(line, now.wall, id_generator)];
        Ok(Decision { facts, answer: topic })
    }

    /// Changes a topic. Decides nothing if it is as wanted.
    ///
    /// # Errors
    /// If the caller may not, or there is no such topic.
    pub fn update_topic(
        &self,
        by: UserId,
        id: GroupId,
        update: TopicUpdate,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<Arc<Topic>>, TopicRefusal> {
        let member = self.member(by).ok_or(TopicRefusal::NotAMember)?;
        let known = self.topics.get(&id).ok_or(TopicRefusal::NoSuchTopic)?;
        self.permit(member, GroupAct::ManageTopics, now.wall)?;
        let topic = Arc::new(known.updated(update, now.wall));
        if topic == *known {
            return Ok(Decision::unchanged(topic));
        }
        let line =
            |change| SystemMessage::Topic { user: member.named(), topic: known.named(), change };
        let lines = known.lines_to(&topic).into_iter().map(line).collect();
        let mut facts = vec![topic_fact(TopicChange::Changed { topic: Arc::clone(&topic), by })];
        facts.extend(self.system_messages(lines, now.wall, id_generator));
        Ok(Decision { facts, answer: topic })
    }

    /// Removes a topic, with its messages.
    ///
    /// # Errors
    /// If the caller may not, or there is no such topic.
    pub fn remove_topic(
        &self,
        by: UserId,
        id: GroupId,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, TopicRefusal> {
        let member = self.member(by).ok_or(TopicRefusal::NotAMember)?;
        let known = self.topics.get(&id).ok_or(TopicRefusal::NoSuchTopic)?;
        self.permit(member, GroupAct::ManageTopics, now.wall)?;
        let line = SystemMessage::Topic {
            user: member.named(),
            topic: known.named(),
            change: TopicLine::Removed,
        };
        let removed = topic_fact(TopicChange::Removed { topic: id, by });
        let facts = vec![removed, self.system_message(line, now.wall, id_generator)];
        Ok(Decision { facts, answer: () })
    }

    /// Applies a change of the topics.
    pub(super) fn apply_topic_change(&mut self, change: &TopicChange) {
        let topics = Arc::make_mut(&mut self.topics);
        match change.made_or_changed() {
            Some(topic) => drop(topics.insert(topic.id, Arc::clone(topic))),
            None => drop(topics.remove(&change.topic())),
        }
    }

    /// What the group's topics have from it.
    pub fn as_parent(&self) -> TopicParent {
        TopicParent { group: self.shared_copy(), rules: Arc::clone(self.rules()) }
    }

    /// A topic as its room knows it. `parts` are those that the topic has of its own.
    pub fn of_topic(topic: &Topic, parent: &Arc<TopicParent>, parts: GroupParts) -> Self {
        let mut group = Self::assembled(topic.id, parts);
        group.follow(parent);
        group
    }

    /// The group that this is a topic of; `None` if it is a group.
    pub fn parent(&self) -> Option<GroupId> {
        self.parent.as_ref().map(|parent| parent.group.id)
    }

    /// Takes over what a topic has from its group: called before each decision in the topic, so that
    /// it knows what was decided in the group. Costs nothing while the group is as it was.
    pub fn follow(&mut self, parent: &Arc<TopicParent>) {
        if self.parent.as_ref().is_some_and(|known| Arc::ptr_eq(known, parent)) {
            return;
        }
        let group = &parent.group;
        self.parent = Some(Arc::clone(parent));
        match group.topics.get(&self.id).filter(|_| !group.disbanded) {
            Some(topic) => {
                self.settings = topic.settings(&group.settings);
                self.updated_at = topic.updated_at;
            }
            None => self.disbanded = true,
        }
        self.creator = group.creator;
        self.members = if self.disbanded { Arc::default() } else { Arc::clone(&group.members) };
        self.muters = Arc::clone(&group.muters);
        self.audience = if self.disbanded { Audience::nobody() } else { group.audience.clone() };
        if !Arc::ptr_eq(&self.rules, &parent.rules) {
            self.rules = Arc::clone(&parent.rules);
            self.activity.watch(&self.rules);
        }
    }
}

fn topic_fact(change: TopicChange) -> Fact {
    Fact::Group(GroupFact::Topic(Arc::new(change)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table};

    fn knots() -> NewTopic {
        NewTopic {
            name: GroupName::parse("Knots".to_owned()).unwrap(),
            description: None,
            image: None,
            kind: TopicKind::Private,
        }
    }

    fn made(table: &mut Table) -> Arc<Topic> {
        table.does(|group, now, ids| group.make_topic(ANA, knots(), now, ids)).unwrap()
    }

    #[test]
    fn owner_and_admins_make_change_and_remove_topics() {
        let mut table = Table::of_two();
        let denied = Err(TopicRefusal::Denied(Denied::Role(GroupAct::ManageTopics)));
        let by_member = table.does(|group, now, ids| group.make_topic(BEN, knots(), now, ids));
        assert_eq!(by_member, denied);
        let topic = made(&mut table);
        assert_eq!(table.lines(), ["Ana created the topic Knots."]);
        let update = TopicUpdate {
            name: Some(GroupName::parse("Ropes".to_owned()).unwrap()),
            kind: Some(TopicKind::Announcement),
            ..TopicUpdate::default()
        };
        let updates = |table: &mut Table, by| {
            let update = update.clone();
            table.does(|group, now, ids| group.update_topic(by, topic.id, update, now, ids))
        };
        assert_eq!(updates(&mut table, BEN), denied);
        updates(&mut table, ANA).unwrap();
        let told = [
            "Ana renamed the topic Knots to Ropes.",
            "Ana changed the type of the topic Knots to announcement.",
        ];
        assert_eq!(table.lines(), told);
        updates(&mut table, ANA).unwrap();
        assert!(table.facts.is_empty());
        table.does(|group, now, ids| group.remove_topic(ANA, topic.id, now, ids)).unwrap();
        assert_eq!(table.lines(), ["Ana removed the topic Ropes."]);
        let gone = table.does(|group, now, ids| group.remove_topic(ANA, topic.id, now, ids));
        assert_eq!(gone, Err(TopicRefusal::NoSuchTopic));
    }

    #[test]
    fn a_group_has_a_limit_of_topics() {
        let mut table = Table::of_two();
        for _ in 0..GROUP_TOPICS {
            made(&mut table);
        }
        let another = table.does(|group, now, ids| group.make_topic(ANA, knots(), now, ids));
        assert_eq!(another, Err(TopicRefusal::TooMany));
    }

    #[test]
    fn a_topic_follows_the_members_and_the_end_of_its_group() {
        let mut table = Table::of_two();
        let topic = made(&mut table);
        let settings = table.group.settings.clone();
        let parts = GroupParts::new(settings, topic.creator, topic.created_at);
        let mut conversation = Group::of_topic(&topic, &Arc::new(table.group.as_parent()), parts);
        assert_eq!(conversation.parent(), Some(table.group.id));
        assert!(conversation.member(BEN).is_some() && conversation.member(CARA).is_none());
        assert_eq!(conversation.audience(), table.group.audience());
        table.removes(ANA, BEN);
        conversation.follow(&Arc::new(table.group.as_parent()));
        assert!(conversation.member(BEN).is_none());
        assert_eq!(conversation.audience().users(), [ANA]);
        table.does(|group, now, ids| group.remove_topic(ANA, topic.id, now, ids)).unwrap();
        conversation.follow(&Arc::new(table.group.as_parent()));
        assert!(conversation.member(ANA).is_none() && conversation.audience().users().is_empty());
    }
}
