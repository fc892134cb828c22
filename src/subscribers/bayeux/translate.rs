//! The data of each message type of the old protocol, made from events.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::domain::attachment::Attachment;
use crate::domain::ids::{Conversation, GroupId, UserId};
use crate::domain::likes::Likers;
use crate::domain::message::{Author, Message, SYSTEM_NAME};
use crate::domain::reaction::Reaction;
use crate::domain::revision::{Deleter, MessageState, Revision, RevisionKind};
use crate::domain::time::Timestamp;
use crate::index::rows::GroupRow;
use crate::subscribers::frames::alert;
use crate::wire::instance::Instance;
use crate::wire::message;
use crate::wire::old_form;
use crate::wire::reaction;
use crate::wire::system_event::iso;

/// The fields that every push has.
pub(super) fn envelope(kind: &str, alert: &str, subject: Value, at: Timestamp) -> Value {
    let mut told = Map::new();
    told.insert("type".to_owned(), json!(kind));
    told.insert("alert".to_owned(), json!(alert));
    told.insert("subject".to_owned(), subject);
    told.insert("received_at".to_owned(), json!(at.millis()));
    Value::Object(told)
}

/// `line.create`, `direct_message.create`: a new message.
pub(super) fn said(
    conversation: Conversation,
    message: &Message,
    at: Timestamp,
    instance: &Instance,
) -> Value {
    let kind = match conversation {
        Conversation::Group(_) => "line.create",
        Conversation::Chat(_) => "direct_message.create",
    };
    let subject = subject(conversation, message, Likers::NOBODY, instance);
    envelope(kind, &alert(message), subject, at)
}

/// A message with the fields that existing clients read in addition to the specification's.
fn subject(
    conversation: Conversation,
    message: &Message,
    likers: &Likers,
    instance: &Instance,
) -> Value {
    let mut shown = message::value(conversation, message, likers, instance);
    let parent = match conversation {
        Conversation::Group(group) => group.to_string(),
        Conversation::Chat(pair) => {
            shown["chat_id"] = json!(pair.to_string());
            shown["system"] = json!(false);
            pair.to_string()
        }
    };
    let (deleted_at, actor) = message.state.deleted.unzip();
    old_form::make(&mut shown, actor);
    let added = [
        ("parent_id", json!(parent)),
        ("picture_url", picture(message, instance)),
        ("location", location(message)),
        ("deleted_at", json!(deleted_at.map(iso))),
        ("deletion_actor", json!(actor.map(Deleter::as_str))),
        ("pinned_at", json!(message.state.pinned.map(|pin| iso(pin.at)))),
    ];
    for (name, value) in added {
        shown[name] = value;
    }
    shown
}

/// The URL of a message's first image.
fn picture(message: &Message, instance: &Instance) -> Value {
    let image = message.attachments.iter().find_map(|it| match it {
        Attachment::Image { url } => Some(instance.image_url(url)),
        Attachment::Location { .. }
        | Attachment::Split { .. }
        | Attachment::Emoji { .. }
        | Attachment::Mentions { .. }
        | Attachment::Reply { .. }
        | Attachment::File(_)
        | Attachment::Poll { .. }
        | Attachment::Event { .. }
        | Attachment::Video { .. } => None,
    });
    json!(image)
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
    pub(super) likers: &'a Likers,
    /// When the change happened.
    pub(super) at: Timestamp,
}

impl RevisedMessage<'_> {
    const fn kind(&self) -> &'static str {
        // Once a message is deleted, earlier changes are reported as the deletion too.
        if self.message.is_deleted() { "message.deleted" } else { self.revision.kind.push_type() }
    }

    /// `message.update`, `message.deleted`, on the conversation's channel: the message after the
    /// change.
    pub(super) fn whole(&self, instance: &Instance) -> Value {
        let shown = subject(self.conversation, self.message, self.likers, instance);
        envelope(self.kind(), "", shown, self.at)
    }

    /// The text, type and data of a system message about the change. `None` if there is a system
    /// message of its own: when an admin deletes a message, or when one is pinned in a group.
    fn words(&self, instance: &Instance) -> Option<(&'static str, &'static str, Value)> {
        let mut said = message::value(self.conversation, self.message, Likers::NOBODY, instance);
        old_form::make(&mut said, self.message.state.deleted.map(|(_, actor)| actor));
        let id = &said["id"];
        if let Some((at, actor)) = self.message.state.deleted {
            let data = json!({
                "message_id": id,
                "deleted_at": iso(at),
                "deletion_actor": actor.as_str(),
            });
            return (actor == Deleter::Sender).then_some((
                "A message was deleted",
                self.kind(),
                data,
            ));
        }
        let pinned = |words| {
            let pin = self.message.state.pinned;
            let data = json!({
                "message_id": id,
                "pinned": pin.is_some(),
                "pinned_at": pin.map(|pin| iso(pin.at)),
                "pinned_by": pin.map_or(String::new(), |pin| pin.by.to_string()),
            });
            let is_in_group = matches!(self.conversation, Conversation::Group(_));
            (!is_in_group).then_some((words, "message.pinned", data))
        };
        match self.revision.kind {
            RevisionKind::Pinned => pinned("A message was pinned"),
            RevisionKind::Unpinned => pinned("A message was unpinned"),
            // Existing clients know no type for previews, and learn of edits by the edited text and
            // attachments.
            RevisionKind::Previewed { .. } => None,
            RevisionKind::Edited { .. } | RevisionKind::Deleted { .. } => {
                let data = json!({
                    "message_id": id,
                    "sender_id": said["sender_id"],
                    "updated_at": iso(self.message.state.edited_at.unwrap_or(self.at)),
                    "message": {"text": said["text"], "attachments": said["attachments"]},
                });
                Some(("A message was edited", self.kind(), data))
            }
        }
    }

    /// The change as a system message on the user's channel, which all clients subscribe to.
    pub(super) fn line(&self, instance: &Instance) -> Option<Value> {
        let (words, event, data) = self.words(instance)?;
        let line = Message {
            id: self.message.id,
            author: Author::System,
            name: SYSTEM_NAME.to_owned(),
            source_guid: format!("{:032x}", self.at.millis()),
            text: Some(words.to_owned()),
            attachments: Vec::new(),
            ..self.message.clone()
        };
        let line = Message { avatar: None, state: MessageState::default(), ..line };
        let mut shown = subject(self.conversation, &line, Likers::NOBODY, instance);
        let seconds = self.at.seconds();
        for (name, value) in [
            ("id", json!(format!("{}-{}", self.message.id, self.at.millis()))),
            ("created_at", json!(seconds)),
            ("updated_at", json!(seconds)),
            ("system", json!(true)),
            ("event", json!({"type": event, "data": data})),
        ] {
            shown[name] = value;
        }
        let kind = match self.conversation {
            Conversation::Group(_) => "line.create",
            Conversation::Chat(_) => "direct_message.create",
        };
        Some(envelope(kind, "", shown, self.at))
    }
}

/// A reaction that was added or removed, with the message after that.
#[derive(Debug)]
pub(super) struct LikeUpdate<'a> {
    /// The conversation of the message.
    pub(super) conversation: Conversation,
    /// The message.
    pub(super) message: &'a Message,
    /// The users who like the message now.
    pub(super) likers: &'a Likers,
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
    pub(super) fn favorite(&self, instance: &Instance) -> Value {
        let mut shown = self.subject(instance);
        let at = UNIX_EPOCH + Duration::from_millis(self.at.millis());
        let at = self.liked.then(|| humantime::format_rfc3339_seconds(at).to_string());
        shown["favorited_at"] = json!(at);
        let reactions = json!(reaction::resource(self.likers));
        shown["reactions"] = reactions.clone();
        let by = self.by.to_string();
        let subject = json!({self.name(): shown, "reactions": reactions, "user_id": by});
        envelope("favorite", "", subject, self.at)
    }

    /// `like.create` or `like.delete`, for the author of the message only.
    pub(super) fn for_author(&self, liker: &str, instance: &Instance) -> Value {
        let shown = self.subject(instance);
        let (kind, alert) = match self.liked {
            true if self.reaction.is_heart() => {
                ("like.create", format!("{liker} liked your message"))
            }
            true => ("like.create", format!("{liker} reacted to your message: {}", self.reaction)),
            false => ("like.delete", String::new()),
        };
        let by = self.by.to_string();
        let likers = self.likers.with(self.reaction).collect();
        let sign = json!(reaction::one(self.reaction, likers));
        let subject = json!({self.name(): shown, "user_id": by, "user_reaction": sign});
        envelope(kind, &alert, subject, self.at)
    }

    fn subject(&self, instance: &Instance) -> Value {
        subject(self.conversation, self.message, self.likers, instance)
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
) -> Value {
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
        "max_memberships": crate::domain::limits::GROUP_MEMBERS,
        "theme_name": null,
        "disable_sharing": false,
        "preview_url": null,
        "thread_id": null,
    });
    envelope("membership.create", &alert, subject, at)
}

/// `typing`: the user types, valid for five seconds.
pub(super) fn typing(user: &UserId, started: u64) -> Value {
    json!({"type": "typing", "user_id": user.to_string(), "started": started})
}

/// `ping`: shows that the connection works.
pub(super) fn ping() -> Value {
    json!({"type": "ping"})
}

/// `reset`: events are missing that cannot be supplied; the client must load the snapshot.
pub(super) fn reset(why: &str, cursor: &str) -> Value {
    json!({"type": "reset", "why": why, "c": cursor})
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::domain::ids::{MessageId, Pair};
    use crate::domain::likes::Like;
    use crate::domain::message::Author;

    const ANA: UserId = UserId::new(3);
    const BEN: UserId = UserId::new(7);

    fn instance() -> Instance {
        Instance::new("http://here", "http://here", 1)
    }

    fn rope() -> Message {
        let (name, text) = ("Ana".to_owned(), Some("rope".to_owned()));
        Message { name, text, author: Author::Member(ANA), ..Message::unlogged(MessageId::new(1)) }
    }

    #[test]
    fn a_line_has_what_existing_clients_read() {
        let url = format!("http://here/images/1x1.png.{}", "0".repeat(32));
        let image = instance().parse_image(&url).unwrap();
        let message = Message { attachments: vec![Attachment::Image { url: image }], ..rope() };
        let group = Conversation::Group(GroupId::new(7));
        let told = said(group, &message, Timestamp::from_millis(1000), &instance());
        assert_eq!(told["type"], "line.create");
        assert_eq!((&told["alert"], &told["received_at"]), (&json!("Ana: rope"), &json!(1000)));
        let subject = &told["subject"];
        assert_eq!(subject["parent_id"], "7");
        assert_eq!(subject["picture_url"], json!(url));
        assert_eq!(subject["location"], json!({"lat": "", "lng": "", "name": null}));
        assert_eq!(subject.get("chat_id"), None);
    }

    #[test]
    fn a_like_is_told_to_all_and_to_the_author_in_another_way() {
        let conversation = Conversation::Chat(Pair::of(ANA, BEN).unwrap());
        let (message, at) = (rope(), Timestamp::default());
        let like = Like { at, reaction: Reaction::default() };
        let likers = Likers::of(&BTreeMap::from([(ANA, like.clone())]));
        let liking = LikeUpdate {
            conversation,
            message: &message,
            likers: &likers,
            reaction: &like.reaction,
            by: ANA,
            liked: true,
            at,
        };
        let told = liking.favorite(&instance());
        assert_eq!(told["alert"], "");
        assert_eq!(told["subject"]["direct_message"]["chat_id"], "3+7");
        assert_eq!(told["subject"]["direct_message"]["favorited_at"], "1970-01-01T00:00:00Z");
        assert_eq!(told["subject"]["reactions"][0]["user_ids"], json!(["3"]));
        let told = liking.for_author("Ben", &instance());
        assert_eq!(
            (&told["type"], &told["alert"]),
            (&json!("like.create"), &json!("Ben liked your message"))
        );
        assert_eq!(told["subject"]["user_id"], "3");
    }
}
