//! Of what a user wants notices: from the question to the rule and the ledger.

use actix::Context;
use serde::{Deserialize, Serialize};

use crate::actors::ask::{Answers, Ask, OfNothing, Question, Travel};
use crate::actors::ledger::Recording;
use crate::actors::user::UserActor;
use crate::actors::user::protocol::UserRefusal;
use crate::domain::ids::{Conversation, Pair};
use crate::domain::notices::{Muting, NoticeLevel};
use crate::domain::time::Timestamp;

/// Sets of what in a conversation a user wants notices. Asked by `http::notices`, which has
/// looked whether the conversation is theirs; answers with it when it is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct SetLevel {
    /// Where.
    pub conv: Conversation,
    /// Of what.
    pub level: NoticeLevel,
}

impl Question for SetLevel {
    type Answer = NoticeLevel;
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("SetLevel"));
}

/// Lets a user have no notices of a chat, or have them again, and sets its level if there is one.
/// Asked by `http::notices`, which has looked whether the chat is theirs; answers until when there
/// are none, when that is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct MuteChat {
    /// Which chat.
    pub chat: Pair,
    /// For how long.
    pub muting: Muting,
    /// Of what in it, if that is said as well.
    pub level: Option<NoticeLevel>,
}

impl Question for MuteChat {
    type Answer = Option<Timestamp>;
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("MuteChat"));
}

/// Lets a user have no notices of any conversation, or have them again. Asked by
/// `http::notices`; answers until when there are none, when that is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct MuteAll {
    /// For how long.
    pub muting: Muting,
}

impl Question for MuteAll {
    type Answer = Option<Timestamp>;
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("MuteAll"));
}

impl Answers<SetLevel> for UserActor {
    fn of_nothing() -> OfNothing<SetLevel> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<SetLevel>, ctx: &mut Context<Self>) {
        let SetLevel { conv, level } = ask.question;
        let decided = self.user.as_ref().map(|user| user.set_level(conv, level));
        let now = self.context.clock.now();
        self.record(decided.ok_or(UserRefusal::Unknown), now, ask.reply, ctx);
    }
}

impl Answers<MuteChat> for UserActor {
    fn of_nothing() -> OfNothing<MuteChat> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<MuteChat>, ctx: &mut Context<Self>) {
        let MuteChat { chat, muting, level } = ask.question;
        let now = self.context.clock.now();
        let user = self.user.as_ref();
        let decided = user.map(|user| user.mute_chat(chat, (muting, level), now.wall));
        self.record(decided.ok_or(UserRefusal::Unknown), now, ask.reply, ctx);
    }
}

impl Answers<MuteAll> for UserActor {
    fn of_nothing() -> OfNothing<MuteAll> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<MuteAll>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let decided = self.user.as_ref().map(|user| user.mute_all(ask.question.muting, now.wall));
        self.record(decided.ok_or(UserRefusal::Unknown), now, ask.reply, ctx);
    }
}
