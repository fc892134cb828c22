//! Who joined or left a group lately, for the events of its topics.
//!
//! The room of a topic decides who receives an event, by the members that the room of the group had
//! shown it by then. Both commit by themselves, so an event of a topic may follow a join or a removal in
//! the journal although it was decided before. A client that reads the journal later finds what followed
//! its joining; one that listens has to receive it too, or its cursor would pass over it. And who is out
//! receives nothing more. So audiences are corrected here, until the topic knows the change.

use std::collections::HashMap;
use std::sync::Arc;

use domain::audience::Audience;
use domain::event::{Entry, Fact, Origin};
use domain::group::GroupFact;
use domain::ids::{GroupId, StreamId, UserId};
use domain::time::Monotonic;
use journal::Committed;

/// Milliseconds for which a topic may not know a change: a commit takes far less.
const FRESH_MILLIS: u64 = 60_000;

/// The changes of members that topics may not know yet, by topic.
#[derive(Debug, Default)]
pub(super) struct TopicAudiences(HashMap<GroupId, Changes>);

#[derive(Debug)]
struct Changes {
    joined: Vec<UserId>,
    left: Vec<UserId>,
    /// When the last change was made.
    since: Monotonic,
}

impl Changes {
    /// Those who joined and receive an event that everybody in the topic receives.
    fn joined_for(&self, entry: &Entry) -> &[UserId] {
        if entry.event.fact.is_confidential() { &[] } else { &self.joined }
    }

    /// Whether the audience of an event knows of all changes, or is empty.
    fn are_known_to(&self, entry: &Entry) -> bool {
        let has = |user: &UserId| entry.audience.has(*user);
        entry.audience.users().is_empty()
            || (self.joined_for(entry).iter().all(has) && !self.left.iter().any(has))
    }

    fn corrected(&self, entry: &Entry) -> Audience {
        let stays = |user: &UserId| !self.left.contains(user);
        let users = entry.audience.users().iter().chain(self.joined_for(entry));
        Audience::of(users.copied().filter(stays))
    }
}

impl TopicAudiences {
    /// Whether commits have to be looked at: almost none have.
    pub(super) fn concerns(&self, commits: &[Arc<Committed>]) -> bool {
        let is_change = |entry: &Entry| {
            let Fact::Group(fact) = &entry.event.fact else { return false };
            matches!(fact, GroupFact::MembersJoined { .. } | GroupFact::MemberLeft { .. })
        };
        !self.0.is_empty() || commits.iter().any(|commit| commit.entries.iter().any(is_change))
    }

    /// Notes who comes and goes in a commit that was decided here, and returns the commit with the
    /// audiences that its events have where they stand in the journal. To be called in that order.
    pub(super) fn corrected(&mut self, commit: &Arc<Committed>, now: Monotonic) -> Arc<Committed> {
        let StreamId::Group(group) = commit.stream else { return Arc::clone(commit) };
        if commit.origin != Origin::Here {
            return Arc::clone(commit);
        }
        for entry in &commit.entries {
            self.hear(entry, now);
        }
        let Some(changes) = self.0.get(&group) else { return Arc::clone(commit) };
        if commit.entries.iter().all(|entry| changes.are_known_to(entry)) {
            let is_told_to_all = |entry: &Entry| {
                !entry.audience.users().is_empty() && !entry.event.fact.is_confidential()
            };
            if commit.entries.iter().any(is_told_to_all) {
                self.0.remove(&group);
            }
            return Arc::clone(commit);
        }
        let corrected = |entry: &Entry| {
            let audience = match changes.are_known_to(entry) {
                true => entry.audience.clone(),
                false => changes.corrected(entry),
            };
            Entry { audience, ..entry.clone() }
        };
        let entries = commit.entries.iter().map(corrected).collect();
        with_entries(commit, entries, commit.origin)
    }

    fn hear(&mut self, entry: &Entry, now: Monotonic) {
        let Fact::Group(fact) = &entry.event.fact else { return };
        if let GroupFact::MembersJoined { members, .. } = fact {
            let group = entry.state.group_snapshot.as_ref();
            for topic in group.map(|group| group.topic_ids()).unwrap_or_default() {
                let changes = self.changes_of(topic, now);
                let users = || members.iter().map(|member| member.user_id);
                changes.left.retain(|left| users().all(|user| user != *left));
                changes.joined.extend(users());
            }
        }
        if let GroupFact::MemberLeft { member, .. } = fact {
            for topic in &entry.state.topics {
                let changes = self.changes_of(*topic, now);
                changes.joined.retain(|joined| *joined != member.user_id);
                changes.left.push(member.user_id);
            }
        }
        if let GroupFact::Topic(change) = fact
            && change.made_or_changed().is_none()
        {
            self.0.remove(&change.topic());
        }
    }

    fn changes_of(&mut self, topic: GroupId, now: Monotonic) -> &mut Changes {
        self.0.retain(|_, changes| now.millis_since(changes.since) < FRESH_MILLIS);
        let none = Changes { joined: Vec::new(), left: Vec::new(), since: now };
        let changes = self.0.entry(topic).or_insert(none);
        changes.since = now;
        changes
    }
}

/// The commit with other entries.
pub(super) fn with_entries(
    commit: &Committed,
    entries: Vec<Entry>,
    origin: Origin,
) -> Arc<Committed> {
    let Committed { cursor, stream, id, at, before, after, .. } = *commit;
    Arc::new(Committed { cursor, stream, id, at, before, after, entries, origin })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::event::{Event, RoomState};
    use domain::group::{Group, Member, Role, Settings, Topic, TopicChange, TopicKind};
    use domain::ids::MembershipId;
    use domain::message::Message;
    use domain::text::{GroupName, Nickname};
    use domain::time::{Moment, Timestamp};
    use journal::{CommitId, Cursor, StreamHead};

    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);
    const GROUP: GroupId = GroupId::new(7);
    const TOPIC: GroupId = GroupId::new(8);

    fn member(user: UserId) -> Member {
        Member {
            membership_id: MembershipId::new(user.get()),
            user_id: user,
            nickname: Nickname::parse("Somebody".to_owned()).unwrap(),
            name: "Somebody".to_owned(),
            image: None,
            role: Role::Owner,
            muted: false,
            mute_ends: None,
            is_guest: false,
        }
    }

    /// Ana's group with a topic.
    fn group() -> Group {
        let name = || GroupName::parse("Climbers".to_owned()).unwrap();
        let settings = Settings::plain(name());
        let at = Timestamp::default();
        let mut group = Group::created(GROUP, settings, member(ANA), at);
        let topic = Topic {
            id: TOPIC,
            name: name(),
            description: None,
            image: None,
            kind: TopicKind::Private,
            creator: ANA,
            created_at: at,
            updated_at: at,
        };
        let made = GroupFact::Topic(TopicChange::Made(topic.into()).into());
        group.apply(at, &made, Moment { wall: at, mono: Monotonic::from_millis(0) });
        group
    }

    fn commit(stream: GroupId, fact: GroupFact, audience: &[UserId]) -> Arc<Committed> {
        let group = group();
        let topics = group.topic_ids();
        let entry = Entry {
            event: Arc::new(Event { at: Timestamp::default(), fact: Fact::Group(fact) }),
            audience: Audience::of(audience.iter().copied()),
            state: RoomState { group_snapshot: Some(group.into()), topics, ..RoomState::default() },
        };
        Arc::new(Committed {
            cursor: Cursor::new(10),
            stream: StreamId::Group(stream),
            id: CommitId(1),
            at: Timestamp::default(),
            before: StreamHead::default(),
            after: StreamHead::default(),
            entries: vec![entry],
            origin: Origin::Here,
        })
    }

    fn joined() -> Arc<Committed> {
        let members = vec![member(BEN)];
        commit(GROUP, GroupFact::MembersJoined { members, by: ANA }, &[ANA, BEN])
    }

    fn said(audience: &[UserId]) -> Arc<Committed> {
        commit(TOPIC, GroupFact::Posted(Arc::new(Message::silent_by(ANA, 1, 1))), audience)
    }

    #[test]
    fn newcomers_receive_what_follows_their_joining_until_the_topic_knows_them() {
        let now = Monotonic::from_millis(5);
        let mut audiences = TopicAudiences::default();
        let audience = |audiences: &mut TopicAudiences, commit: &Arc<Committed>| {
            let amended = audiences.corrected(commit, now);
            amended.entries[0].audience.users().to_vec()
        };
        assert_eq!(audience(&mut audiences, &said(&[ANA])), [ANA], "nobody joined");
        assert_eq!(audience(&mut audiences, &joined()), [ANA, BEN]);
        // Decided before the topic knew Ben, and committed after Ben joined.
        assert_eq!(audience(&mut audiences, &said(&[ANA])), [ANA, BEN]);
        assert_eq!(audience(&mut audiences, &said(&[ANA])), [ANA, BEN]);
        assert_eq!(audience(&mut audiences, &said(&[ANA, BEN])), [ANA, BEN]);
        assert!(audiences.0.is_empty(), "the topic knows Ben");
    }

    #[test]
    fn former_member_receives_nothing_more_and_old_changes_are_forgotten() {
        let now = Monotonic::from_millis(5);
        let mut audiences = TopicAudiences::default();
        audiences.corrected(&joined(), now);
        let parting = domain::group::MembershipEnd::Left;
        let left = GroupFact::MemberLeft { member: member(BEN), parting, by: BEN };
        audiences.corrected(&commit(GROUP, left, &[ANA, BEN]), now);
        // Decided before the topic knew that Ben left.
        let after = audiences.corrected(&said(&[ANA, BEN]), now);
        assert_eq!(after.entries[0].audience.users(), [ANA]);
        audiences.corrected(&said(&[ANA]), now);
        assert!(audiences.0.is_empty(), "the topic knows it");
        audiences.corrected(&joined(), now);
        audiences.corrected(&joined(), Monotonic::from_millis(5 + FRESH_MILLIS));
        assert_eq!(audiences.0[&TOPIC].joined, [BEN], "the first joining is forgotten");
        let removed = TopicChange::Removed { topic: TOPIC, by: ANA };
        let removed = GroupFact::Topic(removed.into());
        audiences.corrected(&commit(GROUP, removed, &[ANA]), now);
        assert!(audiences.0.is_empty());
    }
}
