//! The data of each message type of the old protocol, made from events.

use serde_json::{Map, Value, json};

use crate::frames::alert;
use domain::attachment::Attachment;
use domain::group::JoinRequest;
use domain::ids::{Conversation, GroupId, MessageId, Pair, UserId};
use domain::likes::Likers;
use domain::message::{Author, Message};
use domain::reaction::Reaction;
use domain::revision::{Deleter, MessageState, Revision, RevisionKind};
use domain::time::Timestamp;
use index::read_marks::ReadReceipt;
use index::rows::GroupRow;
use journal::Cursor;
use wire::instance::Instance;
use wire::reaction::{LikeIcon, ShownLikers};
use wire::system_event::iso;
use wire::{message, old_form};

/// The types of messages that existing clients know, as the original service sends them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OriginalType {
    /// A message of a group.
    Line,
    /// A message of a chat.
    DirectMessage,
    /// A reaction to a message of the user.
    Like,
    /// The user is in a new group.
    Membership,
    /// The reactions to a message changed.
    Favorite,
    /// A message was edited.
    Update,
    /// A message was deleted.
    Deletion,
    /// A user types.
    Typing,
    /// A user has read a chat up to a message.
    Receipt,
    /// The connection works.
    Ping,
}

impl OriginalType {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Line => "line.create",
            Self::DirectMessage => "direct_message.create",
            Self::Like => "like.create",
            Self::Membership => "membership.create",
            Self::Favorite => "favorite",
            Self::Update => "message.update",
            Self::Deletion => "message.deleted",
            Self::Typing => "typing",
            Self::Receipt => "read_receipt.create",
            Self::Ping => "ping",
        }
    }
}

/// The type of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PushType {
    /// A type that every client gets.
    Original(OriginalType),
    /// A type that only this server has, for clients that ask for all types. Unknown types end some
    /// clients.
    Own(&'static str),
}

impl PushType {
    /// Whether every client gets the type.
    pub(super) const fn is_original(self) -> bool {
        matches!(self, Self::Original(_))
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Original(kind) => kind.as_str(),
            Self::Own(kind) => kind,
        }
    }
}

/// The data of a message on a channel, and its type.
#[derive(Debug, Clone)]
pub(super) struct Push {
    /// The type.
    pub(super) kind: PushType,
    /// The data.
    pub(super) data: Value,
}

impl Push {
    /// A push with the fields that those of durable events have.
    fn of(kind: PushType, alert: &str, subject: Value, at: Timestamp) -> Self {
        let mut data = Map::new();
        data.insert("type".to_owned(), json!(kind.as_str()));
        data.insert("alert".to_owned(), json!(alert));
        data.insert("subject".to_owned(), subject);
        data.insert("received_at".to_owned(), json!(at.millis()));
        Self { kind, data: Value::Object(data) }
    }

    fn original(kind: OriginalType, alert: &str, subject: Value, at: Timestamp) -> Self {
        Self::of(PushType::Original(kind), alert, subject, at)
    }

    /// A push of a type that only this server has.
    pub(super) fn own(kind: &'static str, subject: Value, at: Timestamp) -> Self {
        Self::of(PushType::Own(kind), "", subject, at)
    }
}

/// `line.create`, `direct_message.create`: a new message.
pub(super) fn said(
    conversation: Conversation,
    message: &Message,
    at: Timestamp,
    instance: &Instance,
) -> Push {
    let subject = subject(conversation, message, ShownLikers::of(None), instance);
    let alert = match (&message.author, conversation) {
        // Existing clients know the sender of system messages in chats by this name.
        (Author::System, Conversation::Group(_)) => message.text.clone().unwrap_or_default(),
        (Author::System, Conversation::Chat(_)) => {
            format!("{}: {}", old_form::SYSTEM_NAME, message.text.as_deref().unwrap_or_default())
        }
        (Author::Member(_) | Author::Bot(_), _) => alert(message),
    };
    Push::original(creation(conversation), &alert, subject, at)
}

/// The type of a new message.
const fn creation(conversation: Conversation) -> OriginalType {
    match conversation {
        Conversation::Group(_) => OriginalType::Line,
        Conversation::Chat(_) => OriginalType::DirectMessage,
    }
}

/// Fields of a message over HTTP that a pushed message of a group has too.
const GROUP_FIELDS: [&str; 13] = [
    "attachments",
    "avatar_url",
    "created_at",
    "event",
    "group_id",
    "id",
    "name",
    "sender_id",
    "sender_type",
    "source_guid",
    "system",
    "text",
    "user_id",
];

/// Fields of a message over HTTP that a pushed message of a chat has too.
const CHAT_FIELDS: [&str; 13] = [
    "attachments",
    "avatar_url",
    "created_at",
    "event",
    "favorited_by",
    "id",
    "name",
    "recipient_id",
    "sender_id",
    "sender_type",
    "source_guid",
    "text",
    "user_id",
];

/// A message as the original service pushes it when it is new.
fn subject(
    conversation: Conversation,
    message: &Message,
    likers: ShownLikers<'_>,
    instance: &Instance,
) -> Value {
    let mut shown = message::value(conversation, message, likers, instance);
    old_form::make(&mut shown, message.state.deleted.map(|(_, actor)| actor));
    let mut subject = match conversation {
        Conversation::Group(_) => {
            let mut subject = picked(&mut shown, &GROUP_FIELDS);
            for field in [
                "updated_at",
                "deleted_at",
                "deletion_actor",
                "parent_id",
                "pinned_at",
                "pinned_by",
            ] {
                subject.insert(field.to_owned(), Value::Null);
            }
            subject
        }
        Conversation::Chat(pair) => {
            let mut subject = picked(&mut shown, &CHAT_FIELDS);
            subject.insert("chat_id".to_owned(), json!(pair.to_string()));
            subject
        }
    };
    subject.insert("picture_url".to_owned(), Value::Null);
    subject.insert("location".to_owned(), location(message));
    Value::Object(subject)
}

fn picked(shown: &mut Value, fields: &[&str]) -> Map<String, Value> {
    let present = fields.iter().filter_map(|field| {
        let value = shown.get_mut(*field)?.take();
        Some(((*field).to_owned(), value))
    });
    present.collect()
}

/// A message with its later changes: edited, deleted, pinned, liked.
fn revised_subject(
    conversation: Conversation,
    message: &Message,
    likers: ShownLikers<'_>,
    instance: &Instance,
) -> Value {
    let mut shown = subject(conversation, message, likers, instance);
    let state = &message.state;
    let (deleted_at, actor) = state.deleted.unzip();
    let named = likers.named().ids();
    for (field, value) in [
        ("favorited_by", json!(named.map(|user| user.to_string()).collect::<Vec<_>>())),
        ("updated_at", json!(state.edited_at.map(Timestamp::seconds))),
        ("deleted_at", json!(deleted_at.map(iso))),
        ("deletion_actor", json!(actor.map(Deleter::as_str))),
        ("pinned_at", json!(state.pinned.map(|pin| pin.at.seconds()))),
        ("pinned_by", json!(state.pinned.map(|pin| pin.by.to_string()))),
    ] {
        shown[field] = value;
    }
    if let Some(count) = likers.count() {
        shown["favorited_count"] = json!(count);
    }
    shown
}

/// A message's first location.
fn location(message: &Message) -> Value {
    let place = message.attachments.iter().find_map(|it| match it {
        Attachment::Location { name, lat, lng } => {
            Some(json!({"lat": lat, "lng": lng, "name": name}))
        }
        Attachment::Image { .. }
        | Attachment::Split { .. }
        | Attachment::Emoji { .. }
        | Attachment::Mentions { .. }
        | Attachment::Reply { .. }
        | Attachment::File(_)
        | Attachment::Audio { .. }
        | Attachment::LinkedImage { .. }
        | Attachment::Poll { .. }
        | Attachment::Event { .. }
        | Attachment::Video { .. } => None,
    });
    place.unwrap_or_else(|| json!({"lat": "", "lng": "", "name": null}))
}

/// A message that was edited, pinned, deleted or given a preview.
pub(super) struct RevisedMessage<'a> {
    /// The conversation of the message.
    pub(super) conversation: Conversation,
    /// The message after the change.
    pub(super) message: &'a Message,
    /// The change.
    pub(super) revision: &'a Revision,
    /// The users who like the message.
    pub(super) likers: ShownLikers<'a>,
    /// When the change happened.
    pub(super) at: Timestamp,
}

impl RevisedMessage<'_> {
    const fn kind(&self) -> PushType {
        match self.revision.kind {
            RevisionKind::Edited { .. } => PushType::Original(OriginalType::Update),
            RevisionKind::Deleted { .. } => PushType::Original(OriginalType::Deletion),
            // The original service pushes nothing when it has looked at a link.
            RevisionKind::Previewed { .. } | RevisionKind::Pinned | RevisionKind::Unpinned => {
                PushType::Own(self.revision.kind.push_type())
            }
        }
    }

    /// `message.update`, `message.deleted`, on the conversation's channel: the message after the
    /// change.
    pub(super) fn whole(&self, instance: &Instance) -> Push {
        let shown = revised_subject(self.conversation, self.message, self.likers, instance);
        Push::of(self.kind(), "", shown, self.at)
    }

    /// Whether the system message names the user who made the change.
    pub(super) const fn names_reviser(&self) -> bool {
        !self.message.is_deleted() && matches!(self.revision.kind, RevisionKind::Pinned)
    }

    /// The text and the event of a system message about the change by the user of this name. `None`
    /// if clients receive the change in another way: of a deletion by an admin and of a pin in a
    /// group by the system message in the log, and of the others not at all.
    fn words(&self, by: &str, instance: &Instance) -> Option<(String, Value)> {
        let mut said = message::value(self.conversation, self.message, Likers::NOBODY, instance);
        old_form::make(&mut said, self.message.state.deleted.map(|(_, actor)| actor));
        let id = &said["id"];
        if let Some((at, actor)) = self.message.state.deleted {
            let data = json!({
                "message_id": id,
                "deleted_at": at.seconds(),
                "deletion_actor": actor.as_str(),
            });
            let event = json!({"type": "message.deleted", "data": data});
            // A line tells of a deletion by an admin.
            let has_no_line = actor != Deleter::Admin;
            return has_no_line.then(|| ("A message was deleted.".to_owned(), event));
        }
        match (&self.revision.kind, self.conversation, self.message.state.pinned) {
            (RevisionKind::Edited { .. }, _, _) => {
                let edited_at = self.message.state.edited_at.unwrap_or(self.at);
                let data = json!({
                    "message_id": id,
                    "sender_id": said["sender_id"],
                    "updated_at": edited_at.seconds(),
                    "message": {"text": said["text"], "attachments": said["attachments"]},
                });
                let text = said["text"].as_str().unwrap_or_default();
                let words = format!("{} edited to: “{text}”", self.message.name);
                Some((words, json!({"type": "message.update", "data": data})))
            }
            (RevisionKind::Pinned, Conversation::Chat(_), Some(pin)) => {
                let data = json!({
                    "message_id": id,
                    "pinned": true,
                    "pinned_at": pin.at.seconds(),
                    "pinned_by": pin.by.to_string(),
                });
                let words = format!("{by} pinned a message.");
                Some((words, json!({"type": "message.pinned", "data": data})))
            }
            _ => None,
        }
    }

    /// The change by the user of this name as a system message on the user's channel, which all
    /// clients subscribe to.
    pub(super) fn line(&self, by: &str, cursor: Cursor, instance: &Instance) -> Option<Push> {
        let (words, event) = self.words(by, instance)?;
        let line = Message {
            id: line_id(self.at, cursor),
            author: Author::System,
            name: old_form::SYSTEM_NAME.to_owned(),
            avatar: None,
            source_guid: format!("{:032x}", cursor.get()),
            text: Some(words.clone()),
            attachments: Vec::new(),
            line: None,
            written_at: None,
            state: MessageState::default(),
            ..self.message.clone()
        };
        let mut shown = subject(self.conversation, &line, ShownLikers::of(None), instance);
        shown["event"] = event;
        let alert = match self.conversation {
            Conversation::Group(_) => words,
            Conversation::Chat(pair) => {
                let recipient = self.message.author.user().and_then(|author| pair.other(author));
                shown["recipient_id"] = json!(recipient.map(|user| user.to_string()));
                format!("{}: {words}", old_form::SYSTEM_NAME)
            }
        };
        Some(Push::original(creation(self.conversation), &alert, shown, self.at))
    }
}

/// A request to become a member, as a system message that is in no log: on the channel of each user
/// who may decide it.
pub(super) fn pending_member(
    group: GroupId,
    request: &JoinRequest,
    at: Timestamp,
    cursor: Cursor,
    instance: &Instance,
) -> Push {
    let nickname = request.nickname();
    let words = format!("{} has requested to join the group.", nickname.as_str());
    let line = Message {
        name: old_form::SYSTEM_NAME.to_owned(),
        source_guid: format!("{:032x}", cursor.get()),
        text: Some(words.clone()),
        ..Message::unlogged(line_id(at, cursor))
    };
    let mut shown = subject(group.into(), &line, ShownLikers::of(None), instance);
    let user = json!({"id": request.user.id.get(), "nickname": nickname.as_str()});
    shown["event"] = json!({
        "type": "membership.notifications.admin.new_pending_user",
        "data": {"user": user},
    });
    Push::original(OriginalType::Line, &words, shown, at)
}

/// The id of a system message that is not in the log: the second, and eight digits of the place of
/// its event, so that clients that sort ids as numbers put it where it happened.
fn line_id(at: Timestamp, cursor: Cursor) -> MessageId {
    let steps = MessageId::PER_SECOND;
    MessageId::new(at.seconds() * steps + cursor.get() % steps)
}

/// A reaction that was added or removed, with the message after that.
#[derive(Debug)]
pub(super) struct LikeUpdate<'a> {
    /// The conversation of the message.
    pub(super) conversation: Conversation,
    /// The message.
    pub(super) message: &'a Message,
    /// The users who like the message now.
    pub(super) likers: ShownLikers<'a>,
    /// The user who reacted.
    pub(super) by: UserId,
    /// The reaction.
    pub(super) reaction: &'a Reaction,
    /// Whether the reaction was added.
    pub(super) liked: bool,
    /// When it happened.
    pub(super) at: Timestamp,
}

impl LikeUpdate<'_> {
    /// `favorite`, on the conversation's channel: for reactions added and removed.
    pub(super) fn favorite(&self, instance: &Instance) -> Push {
        let subject = self.subject(instance);
        Push::original(OriginalType::Favorite, "", subject, self.at)
    }

    /// `like.create` for the author of the message only. A reaction that is taken back is a type of
    /// this server alone.
    pub(super) fn for_author(&self, liker: &str, instance: &Instance) -> Push {
        let mut subject = self.subject(instance);
        subject["user_reaction"] = json!(self.likers.with(self.reaction));
        if !self.liked {
            return Push::own("like.delete", subject, self.at);
        }
        let text = self.message.text.as_deref().unwrap_or("your message");
        let alert = format!("{liker} reacted {} to {text}", self.reaction);
        Push::original(OriginalType::Like, &alert, subject, self.at)
    }

    fn subject(&self, instance: &Instance) -> Value {
        let mut shown = revised_subject(self.conversation, self.message, self.likers, instance);
        shown["favorited_at"] = json!(self.liked.then(|| self.at.seconds()));
        let mut subject = json!({
            self.name(): shown,
            "reactions": self.likers.reactions(),
            "user_id": self.by.to_string(),
        });
        if self.likers.count().is_some() {
            subject["like_icon"] = json!(LikeIcon::from(self.reaction));
        }
        subject
    }

    /// The field that holds the message.
    const fn name(&self) -> &'static str {
        match self.conversation {
            Conversation::Group(_) => "line",
            Conversation::Chat(_) => "direct_message",
        }
    }
}

/// `membership.create`: the user is now in a group.
pub(super) fn added(
    id: GroupId,
    group: &GroupRow,
    adder: Option<&str>,
    at: Timestamp,
    instance: &Instance,
) -> Push {
    let settings = &group.settings;
    let share_url = settings.share_token.as_ref().map(|token| instance.share_url(id, token));
    let name = json!(settings.name);
    let words = name.as_str().unwrap_or_default();
    let alert = match adder {
        Some(adder) => format!("{adder} added you to {words}"),
        None => format!("You are in {words} now"),
    };
    let subject = json!({
        "id": id.to_string(),
        "name": name,
        "description": settings.description,
        "avatar_url": settings.image.as_ref().map(|image| instance.image_url(image)),
        "creator_id": group.creator.to_string(),
        "created_at": group.created_at.seconds(),
        "updated_at": group.updated_at.seconds(),
        "type": "private",
        "share_url": share_url,
        "shared": share_url.is_some(),
        "phone_number": null,
        "max_memberships": domain::limits::GROUP_MEMBERS,
        "theme_name": null,
        "disable_sharing": false,
        "preview_url": null,
        "thread_id": null,
    });
    Push::original(OriginalType::Membership, &alert, subject, at)
}

/// `typing`: the user types, valid for five seconds.
pub(super) fn typing(user: &UserId, started: u64) -> Push {
    let data = json!({"type": "typing", "user_id": user.to_string(), "started": started});
    Push { kind: PushType::Original(OriginalType::Typing), data }
}

/// `read_receipt.create`: a user has read a chat up to a message.
pub(super) fn receipt(pair: Pair, user: UserId, receipt: &ReadReceipt) -> Push {
    let message = receipt.message.to_string();
    let subject = json!({
        "id": message,
        "message_id": message,
        "chat_id": pair.to_string(),
        "user_id": user.to_string(),
        "read_at": receipt.at.seconds(),
    });
    Push::original(OriginalType::Receipt, "", subject, receipt.at)
}

/// `ping`: shows that the connection works.
pub(super) fn ping() -> Push {
    Push { kind: PushType::Original(OriginalType::Ping), data: json!({"type": "ping"}) }
}

/// `reset`: events are missing that cannot be supplied; the client must load the snapshot.
pub(super) fn reset(why: &str, cursor: &str) -> Push {
    let data = json!({"type": "reset", "why": why, "c": cursor});
    Push { kind: PushType::Own("reset"), data }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::likes::{Like, LikesByUser};
    use domain::message::Author;

    const ANA: UserId = UserId::new(3);
    const BEN: UserId = UserId::new(7);

    fn instance() -> Instance {
        Instance::new("http://here", "http://here", 1)
    }

    fn rope() -> Message {
        let name = "Ana".to_owned();
        let text = Some("rope".to_owned());
        Message { name, text, author: Author::Member(ANA), ..Message::unlogged(MessageId::new(1)) }
    }

    fn fields(shown: &Value) -> Vec<&str> {
        let mut fields: Vec<&str> = shown.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        fields
    }

    #[test]
    fn a_pushed_line_has_the_fields_of_the_original_and_no_other() {
        let group = Conversation::Group(GroupId::new(7));
        let told = said(group, &rope(), Timestamp::from_millis(1000), &instance()).data;
        assert_eq!(told["type"], "line.create");
        assert_eq!((&told["alert"], &told["received_at"]), (&json!("Ana: rope"), &json!(1000)));
        let subject = &told["subject"];
        let expected = "attachments avatar_url created_at deleted_at deletion_actor group_id id \
                        location name parent_id picture_url pinned_at pinned_by sender_id \
                        sender_type source_guid system text updated_at user_id";
        assert_eq!(fields(subject), expected.split_whitespace().collect::<Vec<_>>());
        for field in ["updated_at", "deleted_at", "deletion_actor", "parent_id", "picture_url"] {
            assert_eq!(subject[field], Value::Null, "{field}");
        }
        assert_eq!(subject["location"], json!({"lat": "", "lng": "", "name": null}));
    }

    #[test]
    fn pushed_direct_message_has_original_fields_only() {
        let chat = Conversation::Chat(Pair::of(ANA, BEN).unwrap());
        let told = said(chat, &rope(), Timestamp::from_millis(1000), &instance()).data;
        let expected = "attachments avatar_url chat_id created_at favorited_by id location name \
                        picture_url recipient_id sender_id sender_type source_guid text user_id";
        assert_eq!(fields(&told["subject"]), expected.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn system_lines_are_by_the_name_that_existing_clients_know() {
        let line = Message { author: Author::System, ..rope() };
        let group = Conversation::Group(GroupId::new(7));
        let told = said(group, &line, Timestamp::default(), &instance()).data;
        assert_eq!((&told["alert"], &told["subject"]["name"]), (&json!("rope"), &json!("GroupMe")));
        let chat = Conversation::Chat(Pair::of(ANA, BEN).unwrap());
        let told = said(chat, &line, Timestamp::default(), &instance()).data;
        assert_eq!(told["alert"], "GroupMe: rope");
    }

    #[test]
    fn edits_become_lines_with_numeric_ids_of_their_own() {
        let at = Timestamp::from_millis(1_800_000_000_000);
        let kind = RevisionKind::Edited {
            text: Some("two ropes".to_owned()),
            attachments: Vec::new(),
            previews: Vec::new(),
        };
        let revision = Revision { message: MessageId::new(1), by: Author::Member(ANA), kind };
        let message = rope().revised(&revision, at);
        let chat = Conversation::Chat(Pair::of(ANA, BEN).unwrap());
        let revised = RevisedMessage {
            conversation: chat,
            message: &message,
            revision: &revision,
            likers: ShownLikers::of(None),
            at,
        };
        let told = revised.line("", Cursor::new(77), &instance()).unwrap().data;
        let subject = &told["subject"];
        assert_eq!(subject["text"], "Ana edited to: “two ropes”");
        assert_eq!(subject["id"], "180000000000000077");
        assert_eq!(subject["recipient_id"], "7");
        assert_eq!(subject["event"]["type"], "message.update");
        assert_eq!(subject["event"]["data"]["updated_at"], 1_800_000_000);
        let whole = revised.whole(&instance());
        assert!(whole.kind.is_original());
        assert_eq!(whole.data["subject"]["updated_at"], 1_800_000_000);
    }

    #[test]
    fn types_of_this_server_alone_are_for_clients_that_ask() {
        let at = Timestamp::default();
        let chat = Conversation::Chat(Pair::of(ANA, BEN).unwrap());
        for kind in [
            RevisionKind::Pinned,
            RevisionKind::Unpinned,
            RevisionKind::Previewed { previews: Vec::new() },
        ] {
            let revision = Revision { message: MessageId::new(1), by: Author::Member(ANA), kind };
            let message = rope().revised(&revision, at);
            let revised = RevisedMessage {
                conversation: chat,
                message: &message,
                revision: &revision,
                likers: ShownLikers::of(None),
                at,
            };
            assert!(!revised.whole(&instance()).kind.is_original(), "{:?}", revision.kind);
        }
        assert!(!reset("unknown", "").kind.is_original());
        assert!(!Push::own("poll.create", json!({}), at).kind.is_original());
    }

    #[test]
    fn a_like_has_one_form_for_all_and_one_for_the_author() {
        let conversation = Conversation::Chat(Pair::of(ANA, BEN).unwrap());
        let message = rope();
        let at = Timestamp::from_millis(1_800_000_000_000);
        let like = Like { at, reaction: Reaction::default() };
        let likers = LikesByUser::from_iter([(ANA, like.clone())]).likers();
        let liking = LikeUpdate {
            conversation,
            message: &message,
            likers: (&likers).into(),
            reaction: &like.reaction,
            by: ANA,
            liked: true,
            at,
        };
        let told = liking.favorite(&instance()).data;
        assert_eq!(told["alert"], "");
        assert_eq!(told["subject"]["direct_message"]["chat_id"], "3+7");
        assert_eq!(told["subject"]["direct_message"]["favorited_at"], 1_800_000_000);
        assert_eq!(told["subject"]["reactions"][0]["user_ids"], json!(["3"]));
        assert_eq!(told["subject"].get("user_reaction"), None);
        let told = liking.for_author("Ben", &instance());
        assert!(told.kind.is_original());
        assert_eq!(
            (&told.data["type"], &told.data["alert"]),
            (&json!("like.create"), &json!("Ben reacted ❤️ to rope"))
        );
        assert_eq!(told.data["subject"]["user_id"], "3");
        assert_eq!(told.data["subject"]["reactions"][0]["user_ids"], json!(["3"]));
        assert_eq!(told.data["subject"]["user_reaction"]["code"], "❤️");
        let taken_back = LikeUpdate { liked: false, likers: ShownLikers::of(None), ..liking };
        assert!(!taken_back.for_author("Ben", &instance()).kind.is_original());
        assert!(taken_back.favorite(&instance()).kind.is_original());
    }
}
