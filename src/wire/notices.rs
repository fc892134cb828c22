//! Notice settings in JSON: which messages notify a user, and what is muted.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use domain::ids::{Conversation, Pair};
use domain::notices::{Muting, NoticeLevel, WantedNotices};
use domain::time::Timestamp;

/// Your notice settings in a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NoticeSettings {
    /// The conversation: the id of a group, or those of two users as `a+b`.
    conversation_id: String,
    /// Which messages notify you: all, only those that mention you or reply to you, or none.
    #[schemars(extend("enum" = ["all", "mentions", "none"]))]
    level: &'static str,
    /// Until when you muted this group or chat; null if it is not muted. Unix time in seconds;
    /// 253402300800 means until you unmute it.
    muted_until: Option<u64>,
    /// Until when you muted all conversations; null if you did not. Unix time in seconds;
    /// 253402300800 means until you unmute them.
    all_muted_until: Option<u64>,
}

/// The notice level of a conversation, as sent to your devices.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LevelData {
    /// The conversation: the id of a group, or those of two users as `a+b`.
    conversation_id: String,
    /// Which messages notify you: all, only those that mention you or reply to you, or none.
    #[schemars(extend("enum" = ["all", "mentions", "none"]))]
    level: &'static str,
}

/// The mute of a chat or a topic, as sent to your devices.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mute {
    /// The ids of the chat's two users as `a+b`, or the id of the topic.
    conversation_id: String,
    /// Until when it is muted; null if it is not muted. Unix time in seconds; 253402300800
    /// means until you unmute it.
    muted_until: Option<u64>,
}

impl Mute {
    /// Builds the mute of a chat or a topic.
    pub fn until(conv: Conversation, until: Option<Timestamp>) -> Self {
        Self { conversation_id: conv.to_string(), muted_until: until.map(Timestamp::seconds) }
    }
}

/// The mute of all conversations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AllMuted {
    /// Until when all conversations are muted; null if they are not. Unix time in seconds;
    /// 253402300800 means until you unmute them.
    muted_until: Option<u64>,
}

impl AllMuted {
    /// Builds the mute of all conversations.
    pub fn until(until: Option<Timestamp>) -> Self {
        Self { muted_until: until.map(Timestamp::seconds) }
    }
}

/// Builds the notice level of a conversation for events.
pub fn level(conv: Conversation, level: NoticeLevel) -> LevelData {
    LevelData { conversation_id: conv.to_string(), level: level.as_str() }
}

/// Builds the notice settings of a conversation.
pub fn settings(conv: Conversation, wanted: WantedNotices) -> NoticeSettings {
    let WantedNotices { level, muted, all_muted } = wanted;
    NoticeSettings {
        conversation_id: conv.to_string(),
        level: level.as_str(),
        muted_until: muted.map(Timestamp::seconds),
        all_muted_until: all_muted.map(Timestamp::seconds),
    }
}

/// A requested change of the notice settings of a conversation: a level, a mute, or both.
#[derive(Debug, Clone, Copy)]
pub enum AskedNotices {
    /// Only a level.
    Level(NoticeLevel),
    /// A mute of a chat, and a level if one is given.
    Mute {
        /// The chat.
        chat: Pair,
        /// How long the chat is muted.
        muting: Muting,
        /// The level; None if it stays as it is.
        level: Option<NoticeLevel>,
    },
}

/// Reads `{level}`, `{duration}` or both. A duration is only for chats; groups are muted by another
/// endpoint.
///
/// # Errors
/// If a field is missing or invalid, or a duration is given for a group.
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

/// Reads `{duration}` in minutes; without one, the mute lasts until it is ended.
///
/// # Errors
/// If the duration is not a whole number above zero.
pub fn read_muting(body: &Map<String, Value>) -> Result<Muting, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let most = usize::try_from(u32::MAX).unwrap_or(usize::MAX);
    let minutes = fields.page_size("duration", 0, most);
    let minutes = u32::try_from(minutes).ok().and_then(NonZeroU32::new);
    problems.or(Some(minutes.map_or(Muting::ForEver, Muting::For)))
}
