//! Of what a user wants notices: a level for each conversation, a mute of a chat, and one over all
//! of them. Nobody else learns of it. The index keeps these; no rule asks for them.

use crate::domain::event::{Decision, Fact};
use crate::domain::ids::{Conversation, Pair};
use crate::domain::notices::{Muting, NoticeLevel};
use crate::domain::time::Timestamp;
use crate::domain::user::{User, UserFact};

impl User {
    /// Sets of what in a conversation they want notices.
    pub fn set_level(&self, conv: Conversation, level: NoticeLevel) -> Decision<NoticeLevel> {
        let fact = Fact::User(UserFact::LevelSet { conv, level });
        Decision { facts: vec![fact], answer: level }
    }

    /// Lets them have no notices of a chat, or have them again, and sets its level if there is
    /// one; answers until when there are none. (A group keeps the mutes of its members itself.)
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

    /// Lets them have no notices of any conversation, or have them again; answers until when
    /// there are none.
    pub fn mute_all(&self, muting: Muting, now: Timestamp) -> Decision<Option<Timestamp>> {
        let until = muting.until(now);
        Decision { facts: vec![Fact::User(UserFact::AllMuted { until })], answer: until }
    }
}
