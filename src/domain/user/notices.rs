//! Notice settings of a user: a level for each conversation, a mute for each chat and each topic, and
//! one mute for all conversations. Nobody else learns of it. The index keeps these settings; no rule reads them.

use crate::event::{Decision, Fact};
use crate::ids::{Conversation, GroupId, Pair};
use crate::notices::{Muting, NoticeLevel};
use crate::time::Timestamp;
use crate::user::{User, UserFact};

impl User {
    /// Sets for what in a conversation the user wants notices.
    pub fn set_level(&self, conv: Conversation, level: NoticeLevel) -> Decision<NoticeLevel> {
        let fact = Fact::User(UserFact::LevelSet { conv, level });
        Decision { facts: vec![fact], answer: level }
    }

    /// Mutes or unmutes a chat, and sets its level if one is given; answers with the end of the
    /// mute, `None` if it is unmuted. (A group keeps the mutes of its members itself.)
    pub fn mute_chat(
        &self,
        chat: Pair,
        (muting, level): (Muting, Option<NoticeLevel>),
        now: Timestamp,
    ) -> Decision<Option<Timestamp>> {
        let until = muting.until(now);
        let level = level.map(|level| UserFact::LevelSet { conv: chat.into(), level });
        let facts = level.into_iter().chain([UserFact::ChatMuted { chat, until }]);
        Decision { facts: facts.map(Fact::User).collect(), answer: until }
    }

    /// Mutes or unmutes a topic; answers with the end of the mute, `None` if it is unmuted.
    pub fn mute_topic(
        &self,
        topic: GroupId,
        muting: Muting,
        now: Timestamp,
    ) -> Decision<Option<Timestamp>> {
        let until = muting.until(now);
        Decision { facts: vec![Fact::User(UserFact::TopicMuted { topic, until })], answer: until }
    }

    /// Mutes or unmutes all conversations; answers with the end of the mute, `None` if they are
    /// unmuted.
    pub fn mute_all(&self, muting: Muting, now: Timestamp) -> Decision<Option<Timestamp>> {
        let until = muting.until(now);
        Decision { facts: vec![Fact::User(UserFact::AllMuted { until })], answer: until }
    }
}
