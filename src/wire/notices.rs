//! Notices in JSON: of what somebody wants them.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::ids::{Conversation, Pair};
use crate::domain::notices::{Muting, NoticeLevel, WantedNotices};
use crate::domain::time::Timestamp;
use crate::wire::fields::{Fields, Problems};

/// Of what in a conversation you want notices.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct NoticeSettings {
    /// A group, or two users as `a+b`.
    conversation_id: String,
    /// Of everything, of what mentions or answers you, or of nothing.
    #[schemars(extend("enum" = ["all", "mentions", "none"]))]
    level: &'static str,
    /// Until when you muted this group or chat. Unix time in seconds; 253402300800 is until you
    /// say otherwise.
    muted_until: Option<u64>,
    /// Until when you muted all conversations.
    all_muted_until: Option<u64>,
}

/// The level of a conversation, as your devices hear of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct LevelData {
    /// A group, or two users as `a+b`.
    conversation_id: String,
    /// Of everything, of what mentions or answers you, or of nothing.
    #[schemars(extend("enum" = ["all", "mentions", "none"]))]
    level: &'static str,
}

/// The mute of a chat, as your devices hear of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MutedChat {
    /// Two users as `a+b`.
    conversation_id: String,
    /// Until when. Unix time in seconds; 253402300800 is until you say otherwise, null is not
    /// muted.
    muted_until: Option<u64>,
}

impl MutedChat {
    /// This one.
    pub fn until(chat: Pair, until: Option<Timestamp>) -> Self {
        Self { conversation_id: chat.to_string(), muted_until: until.map(Timestamp::seconds) }
    }
}

/// The mute over all conversations.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct AllMuted {
    /// Until when. Unix time in seconds; 253402300800 is until you say otherwise, null is not
    /// muted.
    muted_until: Option<u64>,
}

impl AllMuted {
    /// This one.
    pub fn until(until: Option<Timestamp>) -> Self {
        Self { muted_until: until.map(Timestamp::seconds) }
    }
}

/// A level as events tell of it.
pub fn level(conv: Conversation, level: NoticeLevel) -> LevelData {
    LevelData { conversation_id: conv.to_string(), level: level.as_str() }
}

/// Everything about notices of one conversation.
pub fn settings(conv: Conversation, wanted: WantedNotices) -> NoticeSettings {
    let WantedNotices { level, muted, all_muted } = wanted;
    NoticeSettings {
        conversation_id: conv.to_string(),
        level: level.as_str(),
        muted_until: muted.map(Timestamp::seconds),
        all_muted_until: all_muted.map(Timestamp::seconds),
    }
}

/// What is asked of notices of one conversation: a level, a mute, or both.
#[derive(Debug, Clone, Copy)]
pub enum AskedNotices {
    /// A level only.
    Level(NoticeLevel),
    /// A mute of a chat, and perhaps a level.
    Mute {
        /// Which chat.
        chat: Pair,
        /// For how long.
        muting: Muting,
        /// Of what in it.
        level: Option<NoticeLevel>,
    },
}

/// Reads `{level}`, `{duration}` or both; a group has its mutes elsewhere.
///
/// # Errors
/// When it is none of those.
pub fn read_notices(body: &Map<String, Value>, of: Conversation) -> Result<AskedNotices, Problems> {
    let Some(duration) = body.get("duration") else {
        return read_level(body).map(AskedNotices::Level);
    };
    let Conversation::Chat(chat) = of else {
        let elsewhere = "duration is of a chat; a group is muted at /groups/:id/memberships/mute";
        return Err(Problems::one(elsewhere));
    };
    let has_level = body.get("level").is_some_and(|level| !level.is_null());
    let level = has_level.then(|| read_level(body)).transpose()?;
    let is_over = matches!(duration, Value::Number(number) if number.as_u64() == Some(0))
        || matches!(duration, Value::String(text) if text.trim() == "0");
    let muting = if is_over { Muting::Over } else { read_muting(body)? };
    Ok(AskedNotices::Mute { chat, muting, level })
}

fn read_level(body: &Map<String, Value>) -> Result<NoticeLevel, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let word = fields.required_text("level");
    let level = word.as_deref().and_then(|word| {
        NoticeLevel::ALL.iter().find(|(name, _)| *name == word).map(|(_, level)| *level)
    });
    if word.is_some() && level.is_none() {
        fields.wrong("level", "must be all, mentions or none");
    }
    problems.or(level)
}

/// Reads `{duration}`: minutes, or until one says otherwise.
///
/// # Errors
/// When it is no whole number above zero.
pub fn read_muting(body: &Map<String, Value>) -> Result<Muting, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let most = usize::try_from(u32::MAX).unwrap_or(usize::MAX);
    let minutes = fields.page_size("duration", 0, most);
    let minutes = u32::try_from(minutes).ok().and_then(NonZeroU32::new);
    problems.or(Some(minutes.map_or(Muting::ForEver, Muting::For)))
}
