//! From frames to what stands on which channel, with what has to be looked up for it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use crate::domain::ids::{Conversation, GroupId, MessageId, StreamId, UserId};
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::Cursor;
use crate::subscribers::SubscriberContext;
use crate::subscribers::bayeux::channels::Topic;
use crate::subscribers::bayeux::translate::{self, LikeUpdate, ReceivedEvent};
use crate::wire::message;

/// What came of a frame.
#[derive(Debug, Default)]
pub(super) struct ChannelMessages {
    /// What is told, and where.
    pub(super) told: Vec<(Topic, Value)>,
    /// A conversation that the reader is out of now.
    pub(super) lost: Option<Conversation>,
}

impl ChannelMessages {
    fn on(topic: Topic, data: Value) -> Self {
        Self { told: vec![(topic, data)], lost: None }
    }
}

/// Who reads, and what of it is wanted.
pub(super) struct TranslationContext<'a> {
    /// What subscribers share.
    pub(super) shared: &'a Arc<SubscriberContext>,
    /// Whose feed it is.
    pub(super) reader: UserId,
    /// Whether a topic is subscribed to.
    pub(super) wants: &'a dyn Fn(Topic) -> bool,
}

#[derive(Debug, Deserialize)]
struct Favorite {
    message_id: String,
    user_id: String,
    liked: bool,
    favorited_by: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Memberships {
    memberships: Vec<Membership>,
    by: String,
}

#[derive(Debug, Deserialize)]
struct Membership {
    user_id: String,
}

#[derive(Debug, Deserialize)]
struct EphemeralFrame {
    conv: String,
    #[serde(rename = "type")]
    kind: String,
    data: Value,
}

/// Milliseconds for which somebody types by saying so once.
const TYPING_MILLIS: u64 = 5000;

impl TranslationContext<'_> {
    /// What an `ev` frame tells.
    pub(super) async fn event(
        &self,
        at: Cursor,
        frame: &str,
    ) -> Result<ChannelMessages, IndexFault> {
        let Ok(event) = serde_json::from_str::<ReceivedEvent>(frame) else {
            return Ok(ChannelMessages::default());
        };
        let conversation = event.conv.parse().ok().and_then(StreamId::conversation);
        let own = Topic::User(self.reader);
        match (event.kind.as_str(), conversation) {
            ("line.create" | "direct_message.create", Some(_)) if (self.wants)(own) => {
                Ok(ChannelMessages::on(own, translate::said(event)))
            }
            ("favorite", Some(conversation)) => self.favorite(at, conversation, event).await,
            ("membership.create", Some(Conversation::Group(group))) if (self.wants)(own) => {
                self.joined(at, group, event).await
            }
            ("membership.delete", Some(conversation)) => {
                let lost = self.is_about_reader(&event.data).then_some(conversation);
                Ok(ChannelMessages { told: Vec::new(), lost })
            }
            ("group.delete", lost) => Ok(ChannelMessages { told: Vec::new(), lost }),
            _ => Ok(ChannelMessages::default()),
        }
    }

    /// What an `eph` frame tells.
    pub(super) fn ephemeral_event(&self, frame: &str) -> Option<(Topic, Value)> {
        let ephemeral_event: EphemeralFrame =
            serde_json::from_str(frame).ok().filter(|it: &EphemeralFrame| it.kind == "typing")?;
        let conversation = ephemeral_event.conv.parse().ok().and_then(StreamId::conversation)?;
        let topic = Some(Topic::Conversation(conversation)).filter(|topic| (self.wants)(*topic))?;
        let user = ephemeral_event.data["user_id"].as_str()?.parse().ok()?;
        let until = ephemeral_event.data["until"].as_u64()?;
        Some((topic, translate::typing(&user, until.saturating_sub(TYPING_MILLIS))))
    }

    fn is_about_reader(&self, data: &Value) -> bool {
        let reader = self.reader.to_string();
        let parsed = Memberships::deserialize(data);
        parsed.is_ok_and(|it| it.memberships.iter().any(|member| member.user_id == reader))
    }

    async fn joined(
        &self,
        at: Cursor,
        id: GroupId,
        event: ReceivedEvent,
    ) -> Result<ChannelMessages, IndexFault> {
        let Ok(by) = Memberships::deserialize(&event.data).map(|it| it.by) else {
            return Ok(ChannelMessages::default());
        };
        if !self.is_about_reader(&event.data) {
            return Ok(ChannelMessages::default());
        }
        let by = by.parse().ok().filter(|by| *by != self.reader);
        let look = move |archive: &Archive| {
            let adder = by.map(|by| archive.index.member(id, by)).transpose()?.flatten();
            Ok(archive.index.group(id)?.map(|group| (group, adder)))
        };
        let Some((group, adder)) = self.look(at, look).await? else {
            return Ok(ChannelMessages::default());
        };
        let name = adder.as_ref().map(|member| member.nickname.as_str());
        let told = translate::added(id, &group, name, event.at, &self.shared.instance);
        Ok(ChannelMessages::on(Topic::User(self.reader), told))
    }

    async fn favorite(
        &self,
        at: Cursor,
        conversation: Conversation,
        event: ReceivedEvent,
    ) -> Result<ChannelMessages, IndexFault> {
        let (topic, own) = (Topic::Conversation(conversation), Topic::User(self.reader));
        let Ok(favorite) = Favorite::deserialize(&event.data) else {
            return Ok(ChannelMessages::default());
        };
        let ids = (favorite.message_id.parse::<MessageId>(), favorite.user_id.parse::<UserId>());
        let (Ok(message), Ok(by)) = ids else { return Ok(ChannelMessages::default()) };
        if !(self.wants)(topic) && !(self.wants)(own) {
            return Ok(ChannelMessages::default());
        }
        let look = move |archive: &Archive| {
            let found = archive.message(conversation.into(), message)?;
            Ok((found, name_of(archive, conversation, by)?))
        };
        let (Some(found), liker) = self.look(at, look).await? else {
            return Ok(ChannelMessages::default());
        };
        let likers: Vec<UserId> =
            favorite.favorited_by.iter().filter_map(|id| id.parse().ok()).collect();
        let instance = &self.shared.instance;
        let name = match conversation {
            Conversation::Group(_) => "line",
            Conversation::Chat(_) => "direct_message",
        };
        let shown = message::value(conversation, &found.message, &likers, instance);
        let Favorite { user_id, liked, favorited_by, .. } = favorite;
        let liking =
            LikeUpdate { message: (name, shown), favorited_by, by: user_id, liked, at: event.at };
        let mut news = ChannelMessages::on(topic, liking.favorite());
        if found.message.author.user() == Some(self.reader) && by != self.reader {
            news.told.push((own, liking.for_author(&liker)));
        }
        Ok(news)
    }

    /// Asks the index once it has everything up to an event.
    async fn look<T: Send + 'static>(
        &self,
        at: Cursor,
        question: impl FnOnce(&Archive) -> Result<T, IndexFault> + Send + 'static,
    ) -> Result<T, IndexFault> {
        self.shared.archive.index.reached(at).await?;
        self.shared.archive.blocking(question).await
    }
}

/// What somebody is called in a conversation.
fn name_of(
    archive: &Archive,
    conversation: Conversation,
    user: UserId,
) -> Result<String, IndexFault> {
    let in_group = match conversation {
        Conversation::Group(id) => archive.index.member(id, user)?,
        Conversation::Chat(_) => None,
    };
    if let Some(member) = in_group {
        return Ok(member.nickname.as_str().to_owned());
    }
    Ok(archive
        .index
        .user(user)?
        .map(|row| row.profile.name.as_str().to_owned())
        .unwrap_or_default())
}
