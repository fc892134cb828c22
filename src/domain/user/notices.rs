//! Of what a user wants notices: a level for each conversation, and a mute over all of them.
//! Nobody else learns of it. The index keeps both; no rule asks for them.

use crate::domain::event::{Decision, Fact};
use crate::domain::ids::Conversation;
use crate::domain::notices::{Muting, NoticeLevel};
use crate::domain::time::Timestamp;
use crate::domain::user::{User, UserFact};

impl User {
    /// Sets of what in a conversation they want notices.
    pub fn set_level(&self, conv: Conversation, level: NoticeLevel) -> Decision<NoticeLevel> {
        let fact = Fact::User(UserFact::LevelSet { conv, level });
        Decision { facts: vec![fact], answer: level }
    }

    /// Lets them have no notices of any conversation, or have them again; answers until when
    /// there are none.
    pub fn mute_all(&self, muting: Muting, now: Timestamp) -> Decision<Option<Timestamp>> {
        let until = muting.until(now);
        Decision { facts: vec![Fact::User(UserFact::AllMuted { until })], answer: until }
    }
}
