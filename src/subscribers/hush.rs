//! Decides which messages alert their reader: a message of which the reader wants no notice still
//! arrives, but without an alert.
//!
//! The reader's present wishes count, also for messages that are read back. A mute of a group comes
//! with the event, since its room knows it; levels and the mute of everything are the reader's own,
//! and are updated by the events that change them.

use std::collections::HashMap;

use bytestring::ByteString;

use crate::clock::Clock;
use crate::domain::addressing::Addressed;
use crate::domain::event::Fact;
use crate::domain::ids::{StreamId, UserId};
use crate::domain::notices::{MutedChats, NoticeLevel};
use crate::domain::time::Timestamp;
use crate::domain::user::UserFact;
use crate::index::{Index, IndexFault};
use crate::subscribers::slot::{DurableEvent, Frame};

/// The text before the alert, the last field of a frame. Within a JSON string the quotes would be
/// escaped.
const BEFORE_ALERT: &str = ",\"alert\":\"";

/// Takes the alert from messages of which one user wants no notice.
#[derive(Debug)]
pub(super) struct AlertFilter {
    user: UserId,
    levels: HashMap<StreamId, NoticeLevel>,
    chats_muted: MutedChats,
    all_muted: Option<Timestamp>,
}

impl AlertFilter {
    /// Reads what the index knows of the user.
    pub(super) fn read(index: &Index, user: UserId) -> Result<Self, IndexFault> {
        let levels = index.levels(user)?.into_iter().collect();
        let (chats_muted, all_muted) = (index.chats_muted(user)?, index.all_muted(user)?);
        Ok(Self { user, levels, chats_muted, all_muted })
    }

    /// Removes the alert from a message that is to alert nobody, and follows events that change
    /// this. The clock is read only if a mute has an end: every frame of every socket comes through
    /// here.
    pub(super) fn pass(&mut self, frame: &mut Frame, clock: &dyn Clock) {
        self.follow(&frame.told);
        if self.is_silent(&frame.told, clock) {
            let told = &frame.told;
            frame.text = told.silent.get_or_init(|| silent(&frame.text)).clone();
            frame.is_silent = true;
        }
    }

    fn follow(&mut self, told: &DurableEvent) {
        if told.stream != StreamId::User(self.user) {
            return;
        }
        if let Fact::User(UserFact::LevelSet { conv, level }) = &told.event.fact {
            self.levels.insert((*conv).into(), *level);
        } else if let Fact::User(UserFact::ChatMuted { chat, until }) = &told.event.fact {
            self.chats_muted.mute(*chat, *until);
        } else if let Fact::User(UserFact::AllMuted { until }) = &told.event.fact {
            self.all_muted = *until;
        }
    }

    fn is_silent(&self, told: &DurableEvent, clock: &dyn Clock) -> bool {
        let is_muted = told.muters.as_ref().is_some_and(|muters| muters.contains(&self.user));
        let ends = [self.all_muted, self.chats_muted.until(told.stream)];
        if !is_muted && ends == [None, None] && self.levels.is_empty() {
            return false;
        }
        let Some(message) = told.event.fact.message() else { return false };
        let level = self.levels.get(&told.stream).copied().unwrap_or_default();
        let lasts = |until| clock.now().wall < until;
        let is_muted = is_muted || ends.into_iter().flatten().any(lasts);
        let level = if is_muted { level.muted() } else { level };
        let addressed = Addressed::of(&message.attachments, message.author.user());
        !level.lets_through(addressed.is_for(self.user))
    }
}

/// The frame without its alert.
fn silent(text: &ByteString) -> ByteString {
    match text.rfind(BEFORE_ALERT) {
        Some(place) => format!("{},\"alert\":null}}", &text[..place]).into(),
        None => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn muting_removes_only_the_alert() {
        let words = serde_json::to_string("no ,\"alert\":\"x\"} here").unwrap();
        let text = format!("{{\"data\":{{\"text\":{words}}},\"alert\":{words}}}");
        let expected = format!("{{\"data\":{{\"text\":{words}}},\"alert\":null}}");
        assert_eq!(silent(&text.into()), expected);
    }
}
