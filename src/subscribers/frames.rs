//! Encodes events as frames: decides which type an event has on the socket, and what it shows.

use std::sync::{Arc, OnceLock};

use bytestring::ByteString;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::encoded::{Encoded, TokenScope, UserFrame};
use crate::slot::{DurableEvent, Frame};
use domain::calendar::CalendarChange;
use domain::chat::ChatFact;
use domain::event::{Event, Fact, RoomState};
use domain::group::{Bot, Group, GroupFact, Member, TopicChange};
use domain::ids::{Conversation, GroupId, Pair, StreamId, UserId};
use domain::likes::{LikeChange, Likers, ToldLikers};
use domain::message::{Message, MessageJson};
use domain::revision::Revision;
use journal::Cursor;
use wire::bot;
use wire::calendar;
use wire::group::{self, DisbandedGroup, GroupResource};
use wire::instance::Instance;
use wire::live::{EventFrame, FavoriteData};
use wire::membership;
use wire::message;
use wire::poll;
use wire::reaction::ShownLikers;
use wire::topic::{RemovedTopic, TopicResource};

mod confidential;
mod users;

/// An event and its place.
#[derive(Debug, Clone, Copy)]
pub struct Numbered<'a> {
    /// The stream of the event.
    pub stream: StreamId,
    /// The event's cursor.
    pub cursor: Cursor,
    /// The event's number in its stream; `None` for a confidential one.
    pub n: Option<u64>,
    /// The event.
    pub event: &'a Arc<Event>,
    /// The state of its room right after the event.
    pub state: &'a RoomState,
    /// The number of the public profile that the event shows, if its fact changes what others see
    /// of a user.
    pub public_profile: Option<u64>,
}

impl<'a> Numbered<'a> {
    /// An event that has just become durable, with the state that its room committed beside it.
    pub fn live(
        stream: StreamId,
        cursor: Cursor,
        n: Option<u64>,
        event: &'a Arc<Event>,
        state: &'a RoomState,
    ) -> Self {
        let account = state.account.as_deref();
        let public_profile =
            state.chat_contacts.as_ref().and(account).map(|user| user.public_profiles);
        Self { stream, cursor, n, event, state, public_profile }
    }
}

/// Encodes the `ev` frame of an event; `None` for facts without a frame.
pub fn encode(numbered: Numbered<'_>, instance: &Instance) -> Option<Encoded> {
    let told = Arc::new(DurableEvent {
        stream: numbered.stream,
        cursor: numbered.cursor,
        event: Arc::clone(numbered.event),
        likers: numbered.state.likers.clone(),
        revised: numbered.state.revised.clone(),
        poll: numbered.state.poll.clone(),
        planned: numbered.state.planned.clone(),
        muters: numbered.state.muters.clone(),
        silent: OnceLock::new(),
    });
    let framed = |conv: (&str, Option<u64>), shown: FrameData| {
        let text = text(&numbered, conv, &shown, instance);
        Frame { text, told: Arc::clone(&told), is_silent: false, as_of: numbered.cursor }
    };
    if let StreamId::User(own) = numbered.stream {
        return encode_of_user(own, &numbered, framed, instance);
    }
    let conv = match (numbered.stream, numbered.event.fact.is_confidential()) {
        (StreamId::Group(group), true) => format!("m:{group}"),
        (stream, _) => stream.to_string(),
    };
    let conv = (conv.as_str(), numbered.n);
    let special = show_creator(&numbered, instance).map(|(bot, shown)| UserFrame {
        user: bot.creator,
        tokens: TokenScope::OwnAnd(bot.client),
        frame: framed(conv, shown),
    });
    Some(Encoded { common: Some(framed(conv, show(&numbered, instance)?)), special })
}

/// Encodes a fact of a user: the user alone is shown the fact; others receive only how the public
/// profile looks now.
fn encode_of_user(
    own: UserId,
    numbered: &Numbered<'_>,
    framed: impl Fn((&str, Option<u64>), FrameData) -> Frame,
    instance: &Instance,
) -> Option<Encoded> {
    let conv = numbered.stream.to_string();
    let shown = show(numbered, instance);
    let special = shown.map(|shown| UserFrame {
        user: own,
        tokens: TokenScope::All,
        frame: framed((&conv, numbered.n), shown),
    });
    let public_profile =
        numbered.public_profile.zip(users::show_public_profile(own, numbered, instance));
    let conv = format!("p:{own}");
    let common = public_profile.map(|(n, shown)| framed((&conv, Some(n)), shown));
    (special.is_some() || common.is_some()).then_some(Encoded { common, special })
}

fn text(
    numbered: &Numbered<'_>,
    conv: (&str, Option<u64>),
    shown: &FrameData,
    instance: &Instance,
) -> ByteString {
    let cursor = instance.cursor(numbered.cursor);
    let at = numbered.event.at.millis();
    EventFrame::new(&cursor, conv, shown.kind, at, shown.data.raw(), Some(&shown.alert)).encode()
}

/// The data of a frame.
pub(super) struct FrameData {
    /// The type of the event.
    pub(super) kind: &'static str,
    /// The data of the frame.
    pub(super) data: ShownData,
    alert: String,
}

/// The data of a frame: a message, whose JSON is shared, or other JSON.
pub(super) enum ShownData {
    Message(MessageJson),
    Other(Box<RawValue>),
}

impl ShownData {
    fn raw(&self) -> &RawValue {
        match self {
            Self::Message(json) => json.raw(),
            Self::Other(json) => json,
        }
    }
}

impl FrameData {
    fn new(kind: &'static str, data: &impl Serialize) -> Self {
        let data = to_raw_value(data).expect("texts, numbers and lists are always JSON");
        Self { kind, data: ShownData::Other(data), alert: String::new() }
    }
}

/// The frame data of an event; `None` for facts without a frame.
pub(super) fn show(numbered: &Numbered<'_>, instance: &Instance) -> Option<FrameData> {
    match (&numbered.event.fact, numbered.stream) {
        (Fact::Group(fact), StreamId::Group(group)) => show_group(group, fact, numbered, instance),
        (Fact::User(fact), StreamId::User(user)) => users::show(user, fact, numbered, instance),
        (Fact::Chat(fact), StreamId::Chat(pair)) => show_chat(pair, fact, numbered, instance),
        _ => None,
    }
}

/// The frame data of facts about a bot for its creator: its secret id too. As in lists, an
/// application that acts for the creator is shown it only if it made the bot.
fn show_creator<'a>(numbered: &Numbered<'a>, instance: &Instance) -> Option<(&'a Bot, FrameData)> {
    let fact = numbered.event.fact.group()?;
    let (kind, bot) = if let GroupFact::BotAdded(bot) = fact {
        ("bot.create", bot)
    } else if let GroupFact::BotRemoved(bot) = fact {
        ("bot.delete", bot)
    } else if let GroupFact::BotChanged(bot) = fact {
        ("bot.update", bot)
    } else {
        return None;
    };
    let StreamId::Group(group) = numbered.stream else { return None };
    Some((bot, FrameData::new(kind, &bot::resource(group, bot, instance))))
}

fn show_group(
    id: GroupId,
    fact: &GroupFact,
    numbered: &Numbered<'_>,
    instance: &Instance,
) -> Option<FrameData> {
    let whole = || numbered.state.group_snapshot.as_ref().map(|group| whole_group(group, instance));
    Some(match fact {
        GroupFact::Posted(message) => said("line.create", id, message, numbered, instance),
        GroupFact::Created { owner, .. } => {
            memberships("membership.create", std::slice::from_ref(owner), owner.user_id, instance)
        }
        GroupFact::MembersJoined { members, by } => {
            memberships("membership.create", members, *by, instance)
        }
        GroupFact::MemberLeft { member, by, .. } => {
            memberships("membership.delete", std::slice::from_ref(member), *by, instance)
        }
        GroupFact::MemberChanged { member, by } => {
            memberships("membership.update", std::slice::from_ref(member), *by, instance)
        }
        GroupFact::SettingsChanged { .. } | GroupFact::OwnerChanged { .. } => {
            FrameData::new("group.update", &whole()?)
        }
        GroupFact::Disbanded { .. } => FrameData::new("group.delete", &DisbandedGroup::from(id)),
        GroupFact::Liked(change) => favorite(change, true, numbered.state.likers.as_ref()?),
        GroupFact::Unliked(change) => favorite(change, false, numbered.state.likers.as_ref()?),
        GroupFact::Revised(revision) => revised(revision, id, numbered, instance)?,
        GroupFact::BotAdded(bot) => {
            FrameData::new("bot.create", &bot::shown_to_others(id, bot, instance))
        }
        GroupFact::BotRemoved(bot) => {
            FrameData::new("bot.delete", &bot::shown_to_others(id, bot, instance))
        }
        GroupFact::BotChanged(bot) => {
            FrameData::new("bot.update", &bot::shown_to_others(id, bot, instance))
        }
        GroupFact::Polled(change) => {
            FrameData::new(change.push_type(), &poll::told(id, numbered.state.poll.as_ref()?))
        }
        GroupFact::Planned(change) => planned(change, id, numbered)?,
        GroupFact::Topic(change) => of_topic(change, id, instance),
        GroupFact::AddRequested(_)
        | GroupFact::AddSettled { .. }
        | GroupFact::Invited { .. }
        | GroupFact::InvitesSettled { .. } => return None,
        GroupFact::JoinRequested(request) => confidential::requested(request),
        GroupFact::RequestSettled { user, .. } => confidential::request_settled(*user),
        GroupFact::Moderated(moderation) => confidential::moderated(moderation),
    })
}

fn show_chat(
    pair: Pair,
    fact: &ChatFact,
    numbered: &Numbered<'_>,
    instance: &Instance,
) -> Option<FrameData> {
    Some(match fact {
        ChatFact::Posted(message) => {
            said("direct_message.create", pair, message, numbered, instance)
        }
        ChatFact::Liked(change) => favorite(change, true, numbered.state.likers.as_ref()?),
        ChatFact::Unliked(change) => favorite(change, false, numbered.state.likers.as_ref()?),
        ChatFact::Revised(revision) => revised(revision, pair, numbered, instance)?,
        ChatFact::Planned(change) => planned(change, pair, numbered)?,
    })
}

/// A change of the topics of a group.
fn of_topic(change: &TopicChange, group: GroupId, instance: &Instance) -> FrameData {
    match change {
        TopicChange::Made(topic) => {
            FrameData::new("topic.create", &TopicResource::of(group, topic, instance))
        }
        TopicChange::Changed { topic, .. } => {
            FrameData::new("topic.update", &TopicResource::of(group, topic, instance))
        }
        TopicChange::Removed { topic, .. } => {
            FrameData::new("topic.delete", &RemovedTopic::of(group, *topic))
        }
    }
}

/// A change of a calendar event.
fn planned(
    change: &CalendarChange,
    conversation: impl Into<Conversation>,
    numbered: &Numbered<'_>,
) -> Option<FrameData> {
    let event = numbered.state.planned.as_ref()?;
    Some(FrameData::new(change.push_type(), &calendar::told(conversation, event)))
}

/// A message, in the JSON that its room made; made here if the message was read back.
fn said(
    kind: &'static str,
    conversation: impl Into<Conversation>,
    message: &Message,
    numbered: &Numbered<'_>,
    instance: &Instance,
) -> FrameData {
    let made = numbered.state.message.clone();
    let json =
        made.unwrap_or_else(|| message::json(conversation, message, Likers::NOBODY, instance));
    FrameData { kind, data: ShownData::Message(json), alert: alert(message) }
}

/// The text of a notice about a message.
pub(super) fn alert(message: &Message) -> String {
    let words = match (&message.text, message.state.deleted) {
        (Some(text), _) => text,
        (None, Some((_, actor))) => actor.words(),
        (None, None) => "sent an attachment",
    };
    format!("{}: {words}", message.name)
}

/// A message that was edited or deleted.
fn revised(
    revision: &Revision,
    conversation: impl Into<Conversation>,
    numbered: &Numbered<'_>,
    instance: &Instance,
) -> Option<FrameData> {
    let kind = revision.kind.push_type();
    let RoomState { message, revised, likers, .. } = numbered.state;
    let json = match message {
        Some(json) => json.clone(),
        None => message::json(conversation, revised.as_ref()?, likers.as_deref()?, instance),
    };
    Some(FrameData { kind, data: ShownData::Message(json), alert: String::new() })
}

fn memberships(
    kind: &'static str,
    members: &[Member],
    by: UserId,
    instance: &Instance,
) -> FrameData {
    FrameData::new(kind, &membership::told(members, by, instance))
}

fn favorite(change: &LikeChange, liked: bool, likers: &ToldLikers) -> FrameData {
    let likers = ShownLikers::from(likers);
    let data = FavoriteData {
        message_id: change.message.into(),
        user_id: change.by.into(),
        liked,
        favorited_by: likers.named().ids().map(Into::into).collect(),
        favorited_count: likers.count(),
        like_icon: likers.count().map(|_| (&change.reaction).into()),
        reactions: likers.reactions(),
    };
    FrameData::new("favorite", &data)
}

fn whole_group<'a>(group: &'a Group, instance: &Instance) -> GroupResource<'a> {
    group::resource(group, group.count, group.last.as_deref(), instance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::MessageId;
    use domain::likes::{Like, Likes, LikesByUser};
    use domain::message::Author;
    use domain::reaction::Reaction;
    use domain::time::Timestamp;

    /// The text of a posted message's frame; `made` is the JSON from its room.
    fn posted(made: Option<MessageJson>) -> ByteString {
        let fact = GroupFact::Posted(Arc::new(Message::unlogged(MessageId::new(1))));
        let event = Arc::new(Event { at: Timestamp::default(), fact: Fact::Group(fact) });
        let state = RoomState { message: made, ..RoomState::default() };
        let stream = StreamId::Group(GroupId::new(7));
        let numbered = Numbered::live(stream, Cursor::START, Some(1), &event, &state);
        let instance = Instance::new("http://here", "http://here", 1);
        encode(numbered, &instance).unwrap().for_everybody().unwrap().text.clone()
    }

    #[test]
    fn a_like_among_ten_thousand_has_a_small_frame() {
        let mut by = LikesByUser::default();
        for user in 0..10_000 {
            let at = Timestamp::from_millis(user);
            let by_user = UserId::new(u64::MAX - user);
            let pack_id = i64::MIN + i64::try_from(user).unwrap();
            let reaction = Reaction::Picture { pack_id, pack_index: i64::MIN };
            by.insert(by_user, Like { at, reaction });
        }
        let likes = Likes { message: MessageId::new(u64::MAX), author: Author::System, by };
        let change = likes.take_back(UserId::new(u64::MAX)).unwrap();
        let fact = GroupFact::Liked(change);
        let event = Arc::new(Event { at: Timestamp::default(), fact: Fact::Group(fact) });
        let state = RoomState { likers: Some(likes.told().into()), ..RoomState::default() };
        let stream = StreamId::Group(GroupId::new(u64::MAX));
        let numbered = Numbered::live(stream, Cursor::START, Some(u64::MAX), &event, &state);
        let instance = Instance::new("http://here", "http://here", 1);
        let encoded = encode(numbered, &instance).unwrap();
        let text = &encoded.for_everybody().unwrap().text;
        assert!(text.len() <= 4096, "{} bytes", text.len());
        assert!(text.contains(r#""favorited_count":10000"#), "{text}");
    }

    #[test]
    fn live_and_replayed_frames_have_the_same_json() {
        let mark = RawValue::from_string(r#"{"made":"once"}"#.to_owned()).unwrap();
        assert!(posted(Some(MessageJson::new(mark))).contains(r#""data":{"made":"once"},"#));
        let message = Message::unlogged(MessageId::new(1));
        let instance = Instance::new("http://here", "http://here", 1);
        let json = message::json(GroupId::new(7), &message, Likers::NOBODY, &instance);
        assert_eq!(posted(Some(json)), posted(None));
    }
}
