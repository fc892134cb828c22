//! Notice settings of a user: the questions about them, and their handling in the room.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::UserRefusal;
use domain::ids::{Conversation, GroupId, Pair};
use domain::notices::{Muting, NoticeLevel};
use domain::time::Timestamp;

/// Sets what in a conversation a user wants notices of. Sent by `http::notices`, which has checked
/// that the user is in the conversation; answered with the level once it is on disk.
#[derive(Debug)]
pub struct SetLevel {
    /// The conversation.
    pub conv: Conversation,
    /// The level of notices.
    pub level: NoticeLevel,
}

impl Question for SetLevel {
    type Answer = NoticeLevel;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Mutes or unmutes a chat for a user, and sets its level if one is given. Sent by `http::notices`,
/// which has checked that the chat is the user's; answered, once it is on disk, with the time until
/// which the chat is muted.
#[derive(Debug)]
pub struct MuteChat {
    /// The chat.
    pub chat: Pair,
    /// For how long, or that the mute ends.
    pub muting: Muting,
    /// The level of notices; `None` leaves it as it is.
    pub level: Option<NoticeLevel>,
}

impl Question for MuteChat {
    type Answer = Option<Timestamp>;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Mutes or unmutes a topic for a user. Sent by `http::topics`, which has checked that the user is in
/// its group; answered, once it is on disk, with the time until which the topic is muted.
#[derive(Debug)]
pub struct MuteTopic {
    /// The topic.
    pub topic: GroupId,
    /// For how long, or that the mute ends.
    pub muting: Muting,
}

impl Question for MuteTopic {
    type Answer = Option<Timestamp>;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Mutes or unmutes all conversations for a user. Sent by `http::notices`; answered, once it is on
/// disk, with the time until which they are muted.
#[derive(Debug)]
pub struct MuteAll {
    /// For how long, or that the mute ends.
    pub muting: Muting,
}

impl Question for MuteAll {
    type Answer = Option<Timestamp>;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

impl Answers<SetLevel> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<SetLevel> {
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
    fn answer_if_absent() -> AbsentAnswer<MuteChat> {
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

impl Answers<MuteTopic> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<MuteTopic> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<MuteTopic>, ctx: &mut Context<Self>) {
        let MuteTopic { topic, muting } = ask.question;
        let now = self.context.clock.now();
        let decided = self.user.as_ref().map(|user| user.mute_topic(topic, muting, now.wall));
        self.record(decided.ok_or(UserRefusal::Unknown), now, ask.reply, ctx);
    }
}

impl Answers<MuteAll> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<MuteAll> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<MuteAll>, ctx: &mut Context<Self>) {
        let now = self.context.clock.now();
        let decided = self.user.as_ref().map(|user| user.mute_all(ask.question.muting, now.wall));
        self.record(decided.ok_or(UserRefusal::Unknown), now, ask.reply, ctx);
    }
}
