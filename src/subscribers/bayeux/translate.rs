//! Our events in the words of the old protocol: the data that stand on its channels.

use std::time::{Duration, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::domain::ids::{GroupId, UserId};
use crate::index::rows::GroupRow;
use crate::wire::instance::Instance;

/// An `ev` frame, as every other reader gets it.
#[derive(Debug, Deserialize)]
pub(super) struct ReceivedEvent {
    /// Whose.
    pub(super) conv: String,
    /// What kind.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Unix milliseconds.
    pub(super) at: u64,
    /// The thing itself.
    pub(super) data: Value,
    /// What a notice would say.
    pub(super) alert: String,
}

/// What every push has.
pub(super) fn envelope(kind: &str, alert: &str, subject: Value, at: u64) -> Value {
    let mut told = Map::new();
    told.insert("type".to_owned(), json!(kind));
    told.insert("alert".to_owned(), json!(alert));
    told.insert("subject".to_owned(), subject);
    told.insert("received_at".to_owned(), json!(at));
    Value::Object(told)
}

/// `line.create`, `direct_message.create`: somebody said something.
pub(super) fn said(event: ReceivedEvent) -> Value {
    envelope(&event.kind, &event.alert, message(event.data), event.at)
}

/// A message with what existing clients read beside the specification's fields.
fn message(mut message: Value) -> Value {
    let attachments = message["attachments"].as_array().cloned().unwrap_or_default();
    let first = |kind: &str| attachments.iter().find(|it| it["type"] == kind);
    let picture = first("image").map_or(Value::Null, |image| image["url"].clone());
    let location = match first("location") {
        Some(it) => json!({"lat": it["lat"], "lng": it["lng"], "name": it["name"]}),
        None => json!({"lat": "", "lng": "", "name": null}),
    };
    let conversation = json!(message["conversation_id"].as_str());
    if !conversation.is_null() {
        message["chat_id"] = conversation.clone();
        message["system"] = json!(false);
        message["updated_at"] = message["created_at"].clone();
    }
    let parent = if conversation.is_null() { message["group_id"].clone() } else { conversation };
    let added = [
        ("parent_id", parent),
        ("picture_url", picture),
        ("location", location),
        ("deleted_at", Value::Null),
        ("deletion_actor", Value::Null),
        ("pinned_at", Value::Null),
        ("pinned_by", json!("")),
    ];
    for (name, value) in added {
        message[name] = value;
    }
    message
}

/// A like or its end, with the message as it is then.
#[derive(Debug)]
pub(super) struct LikeUpdate {
    /// The message in JSON, and under which name it stands.
    pub(super) message: (&'static str, Value),
    /// Who likes it now.
    pub(super) favorited_by: Vec<String>,
    /// Who did it.
    pub(super) by: String,
    /// Whether it is liked now.
    pub(super) liked: bool,
    /// When, in Unix milliseconds.
    pub(super) at: u64,
}

/// The only reaction that there is.
const HEART: &str = "❤️";

impl LikeUpdate {
    /// `favorite`, on the conversation's channel: for likes and for their end.
    pub(super) fn favorite(&self) -> Value {
        let (name, shown) = &self.message;
        let mut shown = message(shown.clone());
        let at = UNIX_EPOCH + Duration::from_millis(self.at);
        let at = self.liked.then(|| humantime::format_rfc3339_seconds(at).to_string());
        shown["favorited_at"] = json!(at);
        shown["favorited_by"] = json!(self.favorited_by);
        let reactions =
            if self.favorited_by.is_empty() { json!([]) } else { json!([self.heart()]) };
        shown["reactions"] = reactions.clone();
        let subject = json!({*name: shown, "reactions": reactions, "user_id": self.by});
        envelope("favorite", "", subject, self.at)
    }

    /// `like.create` or `like.delete`, for the author alone.
    pub(super) fn for_author(&self, liker: &str) -> Value {
        let (name, shown) = &self.message;
        let mut shown = message(shown.clone());
        shown["favorited_by"] = json!(self.favorited_by);
        let (kind, alert) = match self.liked {
            true => ("like.create", format!("{liker} liked your message")),
            false => ("like.delete", String::new()),
        };
        let subject = json!({*name: shown, "user_id": self.by, "user_reaction": self.heart()});
        envelope(kind, &alert, subject, self.at)
    }

    fn heart(&self) -> Value {
        json!({"type": "unicode", "code": HEART, "user_ids": self.favorited_by})
    }
}

/// `membership.create`: the reader is in a group now.
pub(super) fn added(
    id: GroupId,
    group: &GroupRow,
    adder: Option<&str>,
    at: u64,
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

/// `typing`: valid for five seconds.
pub(super) fn typing(user: &UserId, started: u64) -> Value {
    json!({"type": "typing", "user_id": user.to_string(), "started": started})
}

/// `ping`: the line is open.
pub(super) fn ping() -> Value {
    json!({"type": "ping"})
}

/// `reset`: a gap that could not be filled; the snapshot is to be loaded.
pub(super) fn reset(why: &str, cursor: &str) -> Value {
    json!({"type": "reset", "why": why, "c": cursor})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_existing_clients_read() {
        let data = json!({"id": "1", "group_id": "7", "text": "rope", "attachments": [
            {"type": "image", "url": "http://here/images/1x1.png.00"}]});
        let event = ReceivedEvent {
            conv: "g:7".to_owned(),
            kind: "line.create".to_owned(),
            at: 1000,
            data,
            alert: "Ana: rope".to_owned(),
        };
        let told = said(event);
        assert_eq!(told["type"], "line.create");
        assert_eq!((&told["alert"], &told["received_at"]), (&json!("Ana: rope"), &json!(1000)));
        let subject = &told["subject"];
        assert_eq!(subject["parent_id"], "7");
        assert_eq!(subject["picture_url"], "http://here/images/1x1.png.00");
        assert_eq!(subject["location"], json!({"lat": "", "lng": "", "name": null}));
        assert_eq!(subject.get("chat_id"), None);
    }

    #[test]
    fn a_like_is_told_to_all_and_to_the_author_in_another_way() {
        let message = ("direct_message", json!({"id": "1", "conversation_id": "3+7"}));
        let favorited_by = vec!["3".to_owned()];
        let liking = LikeUpdate { message, favorited_by, by: "3".to_owned(), liked: true, at: 0 };
        let told = liking.favorite();
        assert_eq!(told["alert"], "");
        assert_eq!(told["subject"]["direct_message"]["chat_id"], "3+7");
        assert_eq!(told["subject"]["direct_message"]["favorited_at"], "1970-01-01T00:00:00Z");
        assert_eq!(told["subject"]["reactions"][0]["user_ids"], json!(["3"]));
        let told = liking.for_author("Ben");
        assert_eq!(
            (&told["type"], &told["alert"]),
            (&json!("like.create"), &json!("Ben liked your message"))
        );
        assert_eq!(told["subject"]["user_id"], "3");
    }
}
