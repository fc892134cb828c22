//! Copies: a new group that begins with the settings, topics and people of another one.

use serde::{Deserialize, Serialize};

use crate::event::Fact;
use crate::group::{
    AddItem, AddRequest, Denied, Group, GroupAct, GroupFact, Member, Newcomer, Settings, Topic,
    TopicChange, Who,
};
use crate::id_generator::IdGenerator;
use crate::ids::UserId;
use crate::limits::ADD_ITEMS;
use crate::text::GroupName;
use crate::time::Timestamp;

/// What somebody wants to copy. Name, description and picture are always copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyOptions {
    /// The name of the copy; `None` for that of the group.
    pub name: Option<GroupName>,
    /// Whether the settings are copied, except links and the place in the directory.
    pub settings: bool,
    /// Whether the topics are copied, without messages.
    pub topics: bool,
    /// Whether the members are added, except guests.
    pub members: bool,
}

/// What a copy begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupCopy {
    /// The settings.
    pub settings: Settings,
    /// The topics, with the ids that they have in the group.
    pub topics: Vec<Topic>,
    /// The people to add.
    pub people: Vec<AddItem>,
}

/// Why a group was not copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CopyRefusal {
    /// The caller is no member, or the group is gone.
    #[error("there is no such group")]
    NotAMember,
    /// The caller's role does not allow it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The group has more members than can be added at once.
    #[error("members: a group of more than {ADD_ITEMS} members can only be copied without them")]
    TooManyMembers,
}

impl Group {
    /// Returns what a copy of the group begins with.
    ///
    /// # Errors
    /// If the caller may not copy it, or there are too many members to add.
    pub fn copied(
        &self,
        by: UserId,
        wanted: CopyOptions,
        now: Timestamp,
    ) -> Result<GroupCopy, CopyRefusal> {
        let copier = self.member(by).ok_or(CopyRefusal::NotAMember)?;
        self.permit(copier, GroupAct::Copy, now)?;
        let others = self.all_members().filter(|it| it.user_id != by && !it.is_guest);
        let people: Vec<AddItem> = match wanted.members {
            true => others.map(AddItem::of_member).collect(),
            false => Vec::new(),
        };
        if people.len() > ADD_ITEMS {
            return Err(CopyRefusal::TooManyMembers);
        }
        let name = wanted.name.unwrap_or_else(|| self.settings.name.clone());
        let settings = match wanted.settings {
            true => self.settings.clone(),
            false => Settings::plain(name.clone()),
        };
        let topics = self.topics.values().filter(|_| wanted.topics);
        Ok(GroupCopy {
            settings: Settings {
                name,
                description: self.settings.description.clone(),
                image: self.settings.image.clone(),
                share_token: None,
                is_searchable: false,
                archived_at: None,
                frozen: None,
                ..settings
            },
            topics: topics.map(|topic| Topic::clone(topic)).collect(),
            people,
        })
    }
}

impl AddItem {
    /// Adds a member of another group, under the nickname that they have there.
    fn of_member(member: &Member) -> Self {
        Self {
            who: Who::User(member.user_id),
            nickname: member.nickname.clone(),
            guid: member.membership_id.to_string(),
        }
    }
}

impl GroupCopy {
    /// The first facts of the copy.
    pub fn created_by(
        self,
        owner: Newcomer,
        at: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Vec<Fact> {
        let by = owner.id;
        let owner = Member::owner(owner, id_generator);
        let topics = self.topics.into_iter().map(|topic| {
            let id = id_generator.group();
            let topic = Topic { id, creator: by, created_at: at, updated_at: at, ..topic };
            GroupFact::Topic(TopicChange::Made(topic.into()).into())
        });
        let items = self.people;
        let id = id_generator.add();
        let people = AddRequest { id, by, at, items, results: None };
        let people = (!people.items.is_empty()).then_some(GroupFact::AddRequested(people));
        let created = GroupFact::Created { settings: self.settings, owner };
        [created].into_iter().chain(topics).chain(people).map(Fact::Group).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CARA, Table, newcomer};
    use crate::group::{GroupKind, TopicKind};
    use crate::group::{NewTopic, SettingsChange};
    use crate::ids::GroupId;
    use crate::time::Timestamp;

    const ALL: CopyOptions =
        CopyOptions { name: None, settings: true, topics: true, members: true };

    fn name(name: &str) -> GroupName {
        GroupName::parse(name.to_owned()).unwrap()
    }

    #[test]
    fn a_copy_has_settings_topics_and_people_and_no_link() {
        let mut table = Table::of_three();
        table.shares();
        let change = SettingsChange {
            group_type: Some(GroupKind::Announcement),
            slow_mode: Some(30),
            is_searchable: Some(true),
            ..SettingsChange::default()
        };
        table.does(|group, now, ids| group.change(ANA, change, now, ids)).unwrap();
        let new = NewTopic {
            name: name("Knots"),
            description: None,
            image: None,
            kind: TopicKind::Private,
        };
        let topic = table.does(|group, now, ids| group.make_topic(ANA, new, now, ids)).unwrap();
        let now = Timestamp::from_seconds(1_900_000_000);
        let denied = CopyRefusal::Denied(Denied::Role(GroupAct::Copy));
        assert_eq!(table.group.copied(BEN, ALL, now), Err(denied));
        let copy = table.group.copied(ANA, ALL, now).unwrap();
        assert_eq!(copy.settings.kind, GroupKind::Announcement);
        assert_eq!((copy.settings.slow_mode, copy.settings.is_searchable), (30, false));
        assert_eq!(copy.settings.share_token, None);
        let who: Vec<Who> = copy.people.iter().map(|item| item.who.clone()).collect();
        assert_eq!(who, [Who::User(BEN), Who::User(CARA)]);
        let ids = crate::group::fixtures::CountingIds::default();
        let facts = copy.created_by(newcomer(ANA), now, &ids);
        let Some(GroupFact::Created { settings, owner }) = facts[0].group() else {
            panic!("a group begins by being created")
        };
        let mut made = Group::created(GroupId::new(9), settings.clone(), owner.clone(), now);
        for fact in &facts[1..] {
            let moment =
                crate::time::Moment { wall: now, mono: crate::time::Monotonic::from_millis(1) };
            made.apply(now, fact.group().unwrap(), moment);
        }
        let topics = made.topics_for(ANA).unwrap();
        let copied = topics.values().next().unwrap();
        assert_eq!((topics.len(), copied.name.as_str()), (1, "Knots"));
        assert_ne!(copied.id, topic.id);
        assert_eq!(made.open_adds.len(), 1);
    }

    #[test]
    fn a_copy_without_anything_has_the_name_and_plain_settings() {
        let mut table = Table::of_two();
        let change = SettingsChange { slow_mode: Some(30), ..SettingsChange::default() };
        table.does(|group, now, ids| group.change(ANA, change, now, ids)).unwrap();
        let wanted = CopyOptions {
            name: Some(name("Climbers 2")),
            settings: false,
            topics: false,
            members: false,
        };
        let copy = table.group.copied(ANA, wanted, Timestamp::from_seconds(1)).unwrap();
        assert_eq!(copy.settings.name.as_str(), "Climbers 2");
        assert_eq!((copy.settings.slow_mode, copy.people.len()), (0, 0));
        table.fills_up();
        let full = table.group.copied(ANA, ALL, Timestamp::from_seconds(1));
        assert_eq!(full, Err(CopyRefusal::TooManyMembers));
    }
}
