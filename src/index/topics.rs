//! The rows of topics: what each one is, which group it belongs to, and which topics a user is in.
//!
//! A topic has no rows of members: who may read it follows from the rows of its group.

use crate::archive::Archive;
use crate::derive::Derivation;
use crate::read_marks::ReadRow;
use crate::rows::Seat;
use crate::{Flow, Index, IndexFault, Walk, keys, read_marks};
use domain::group::{Member, Stay, Topic, TopicChange, TopicLog};
use domain::ids::{Conversation, GroupId, StreamId, UserId};
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A topic and its group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicRow {
    /// The group.
    pub group: GroupId,
    /// The topic.
    pub topic: Topic,
}

impl Derivation<'_> {
    /// Applies a change of the topics of a group.
    pub(super) fn change_topic(
        &mut self,
        group: GroupId,
        change: &TopicChange,
    ) -> Result<(), IndexFault> {
        let id = change.topic();
        match change.made_or_changed() {
            Some(topic) => {
                let row = TopicRow { group, topic: Topic::clone(topic) };
                self.draft.put_bytes(keys::topic_of(group, id), Vec::new());
                self.draft.put(keys::topic(id), &row)
            }
            None => self.remove_topic(group, id),
        }
    }

    /// Marks what was said in the topics before somebody joined as read by them.
    pub(super) fn mark_topics_read(
        &mut self,
        group: GroupId,
        members: &[Member],
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::topics_of(group))? {
            let stream = StreamId::Group(keys::group_of(&key));
            let tail = self.tail(stream)?;
            for member in members {
                let here = ReadRow { n: tail.n, count: tail.count, at };
                read_marks::raise(&mut self.reads, member.user_id, stream, here);
            }
        }
        Ok(())
    }

    /// Removes all topics of a group that ends.
    pub(super) fn remove_topics(&mut self, group: GroupId) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::topics_of(group))? {
            self.remove_topic(group, keys::group_of(&key))?;
        }
        Ok(())
    }

    /// Removes a topic, and what would still happen in it by itself. Its messages stay in the journal,
    /// where nobody is shown them any more.
    fn remove_topic(&mut self, group: GroupId, topic: GroupId) -> Result<(), IndexFault> {
        self.draft.delete(keys::topic_of(group, topic));
        self.draft.delete(keys::topic(topic));
        self.silence_polls(topic)?;
        self.silence_calendar(topic)?;
        self.release_all_held(topic)
    }
}

impl Archive {
    /// Returns the state of a topic's log for a member.
    ///
    /// # Errors
    /// If the index or the journal cannot be read.
    pub fn topic_log(
        &self,
        user: UserId,
        topic: GroupId,
        now: Timestamp,
    ) -> Result<TopicLog, IndexFault> {
        let index = &self.index;
        let conv = Conversation::Group(topic);
        let receipt = index.read_receipt(user, conv)?;
        Ok(TopicLog {
            count: index.tail(conv.into())?.unwrap_or_default().count,
            last: self.newest(conv.into())?,
            unread: index.unread(user, conv)?,
            read: receipt.as_ref().map(|receipt| receipt.message),
            read_at: receipt.map(|receipt| receipt.at),
            muted: index.wanted_notices(user, conv)?.at(now).muted,
        })
    }
}

impl Index {
    /// Returns a topic and its group; `None` if there is no such topic, or it was removed.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn topic(&self, id: GroupId) -> Result<Option<TopicRow>, IndexFault> {
        self.row("topic", &keys::topic(id))
    }

    /// Returns the topics of a group, oldest first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn topics(&self, group: GroupId) -> Result<Vec<Topic>, IndexFault> {
        let mut topics = Vec::new();
        for id in self.topic_ids(group)? {
            topics.extend(self.topic(id)?.map(|row| row.topic));
        }
        Ok(topics)
    }

    /// Returns the ids of the topics of a group, oldest first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn topic_ids(&self, group: GroupId) -> Result<Vec<GroupId>, IndexFault> {
        let prefix = keys::topics_of(group);
        let mut ids = Vec::new();
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, _| {
            ids.push(keys::group_of(key));
            Ok(Flow::Continue)
        })?;
        Ok(ids)
    }

    /// Returns the topics of all groups that a user is in now.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn topics_for(&self, user: UserId) -> Result<Vec<GroupId>, IndexFault> {
        let mut topics = Vec::new();
        for (group, seat) in self.seats(user)? {
            if seat.is_active() {
                topics.extend(self.topic_ids(group)?);
            }
        }
        Ok(topics)
    }

    /// Returns the group whose members may read this conversation: the group itself, or the one that it
    /// is a topic of.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn group_behind(&self, id: GroupId) -> Result<GroupId, IndexFault> {
        Ok(self.topic(id)?.map_or(id, |row| row.group))
    }

    /// Returns a user's stay in a topic: members of the group read all of it, everybody else nothing.
    pub(super) fn seat_in_topic(
        &self,
        user: UserId,
        topic: GroupId,
    ) -> Result<Option<Seat>, IndexFault> {
        let Some(row) = self.topic(topic)? else { return Ok(None) };
        let seat: Option<Seat> = self.row("seat", &keys::seat(user, row.group))?;
        Ok(seat
            .filter(Seat::is_active)
            .map(|_| Seat { stays: vec![Stay { from_n: 0, to_n: None }], ..Seat::default() }))
    }

    /// Returns the name of a group; of a topic, the names of its group and the topic.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn name_of_conversation(&self, id: GroupId) -> Result<Option<String>, IndexFault> {
        let name = |group| {
            let row = self.group(group)?;
            Ok::<_, IndexFault>(row.map(|row| row.settings.name.as_str().to_owned()))
        };
        let Some(TopicRow { group, topic }) = self.topic(id)? else { return name(id) };
        Ok(name(group)?.map(|group| format!("{group} › {}", topic.name.as_str())))
    }
}
