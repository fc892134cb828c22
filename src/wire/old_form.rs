//! Messages in JSON for clients from before the specification. They do not know deleted messages,
//! so the text says that the message was deleted; they count positions in UTF-16 units, and have
//! other names for everybody and for the system. Times in events are seconds for them. Made from
//! the JSON that everybody else gets.

use std::time::UNIX_EPOCH;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use domain::addressees::{EVERYBODY, OLD_EVERYBODY, to_utf16_loci};
use domain::message::MessageJson;
use domain::message_state::Deleter;

/// The form in which messages are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MessageForm {
    /// As in the specification.
    #[default]
    Specified,
    /// For clients from before the specification.
    Old,
}

/// Fields that the original service never sends, so strict clients refuse them.
const ADDITIONS: [&str; 5] =
    ["reply_count", "last_reply_at", "link_previews", "edited_at", "caused_by"];
/// The name of the system, by which existing clients recognize its messages.
pub const SYSTEM_NAME: &str = "GroupMe";
/// Fields of a poll about the reader's own votes.
const OWN_VOTES: [&str; 2] = ["user_vote", "user_votes"];
/// Times in events that are ISO 8601 in the specification.
const EVENT_TIMES: [&str; 3] = ["deleted_at", "pinned_at", "updated_at"];

/// Returns the JSON of a message in the old form.
pub fn of(message: &MessageJson) -> MessageJson {
    MessageJson::new(changed(message.raw()))
}

/// Returns a JSON array of messages in the old form.
pub fn of_list(messages: &RawValue) -> Box<RawValue> {
    let list: Vec<&RawValue> = serde_json::from_str(messages.get()).expect("it is a JSON array");
    to_raw_value(&list.into_iter().map(changed).collect::<Vec<_>>()).expect("a list is JSON")
}

fn changed(message: &RawValue) -> Box<RawValue> {
    let mut shown: Value = serde_json::from_str(message.get()).expect("a message is JSON");
    let actor = shown.get("deletion_actor").and_then(Value::as_str);
    let deleter = actor.and_then(Deleter::named);
    make(&mut shown, deleter);
    if let Some(fields) = shown.as_object_mut() {
        make_fields(fields);
    }
    to_raw_value(&shown).expect("JSON stays JSON")
}

/// Gives the fields of a listed message the shapes that the original service sends.
fn make_fields(fields: &mut Map<String, Value>) {
    // Clients mark a message as edited if it has the field.
    let is_changed = ["edited_at", "deleted_at"].iter().any(|name| fields.contains_key(*name));
    if !is_changed && fields.get("updated_at") == fields.get("created_at") {
        fields.remove("updated_at");
    }
    fields.retain(|name, _| !ADDITIONS.contains(&name.as_str()));
    let reactions = fields.get_mut("reactions").and_then(Value::as_array_mut);
    for reaction in reactions.into_iter().flatten() {
        for name in ["pack_id", "pack_index"] {
            if let Some(number) = reaction.get(name).and_then(Value::as_i64) {
                reaction[name] = json!(number.to_string());
            }
        }
    }
}

/// Changes something with the text and the attachments of a message into the old form. `deleter` is
/// who deleted the message; `None` if it was not deleted.
pub fn make(shown: &mut Value, deleter: Option<Deleter>) {
    if let Some(deleter) = deleter {
        shown["text"] = json!(deleter.words());
    }
    if shown["sender_type"] == "system" {
        shown["name"] = json!(SYSTEM_NAME);
    }
    if let Some(data) = shown.get_mut("event").and_then(|event| event.get_mut("data")) {
        for field in EVENT_TIMES {
            if let Some(seconds) = data.get(field).and_then(Value::as_str).and_then(seconds_of) {
                data[field] = json!(seconds);
            }
        }
    }
    let text = shown["text"].as_str().unwrap_or_default().to_owned();
    for attachment in shown["attachments"].as_array_mut().into_iter().flatten() {
        // Clients look up everything else at the file service.
        if attachment["type"] == "file" {
            *attachment = json!({"type": "file", "file_id": attachment["file_id"]});
            continue;
        }
        if attachment["type"] != "mentions" {
            continue;
        }
        let mentions = attachment;
        for id in mentions["user_ids"].as_array_mut().into_iter().flatten() {
            if id == EVERYBODY {
                *id = json!(OLD_EVERYBODY);
            }
        }
        if let Ok(loci) = serde_json::from_value::<Vec<Vec<i64>>>(mentions["loci"].take()) {
            mentions["loci"] = json!(to_utf16_loci(&text, &loci));
        }
    }
}

/// Returns the JSON of polls without the votes of a user who has not voted.
pub fn of_polls(shown: &impl Serialize) -> Value {
    let mut shown = serde_json::to_value(shown).expect("a poll is JSON");
    let strip = |poll: &mut Value| {
        if let Some(fields) = poll.as_object_mut() {
            fields.retain(|name, value| !(OWN_VOTES.contains(&name.as_str()) && value.is_null()));
        }
    };
    shown.get_mut("poll").into_iter().for_each(strip);
    let list = shown.get_mut("polls").and_then(Value::as_array_mut);
    list.into_iter().flatten().for_each(strip);
    shown
}

/// The Unix time in seconds of a time in ISO 8601.
fn seconds_of(time: &str) -> Option<u64> {
    let since = humantime::parse_rfc3339(time).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(json: &Value) -> MessageJson {
        MessageJson::new(to_raw_value(json).unwrap())
    }

    fn old(json: &Value) -> Value {
        serde_json::from_str(of(&message(json)).get()).unwrap()
    }

    #[test]
    fn old_form_counts_utf_16_and_renames_everyone() {
        let mentions = |ids: Value, loci: Value| {
            let mentions = json!({"type": "mentions", "user_ids": ids, "loci": loci});
            json!({"text": "😀 @all", "attachments": [{"type": "image"}, mentions]})
        };
        let shown = mentions(json!([EVERYBODY, "7"]), json!([[2, 4], [0, 1]]));
        let expected = mentions(json!([OLD_EVERYBODY, "7"]), json!([[3, 4], [0, 2]]));
        assert_eq!(old(&shown), expected);
    }

    #[test]
    fn system_lines_have_another_name_and_times_in_seconds() {
        for field in EVENT_TIMES {
            let mut data = json!({"message_id": "7", "other": "1970-01-01T00:00:07Z"});
            data[field] = json!("1970-01-01T00:00:07Z");
            let shown = json!({"sender_type": "system", "name": "Coterie", "text": "a line",
                "event": {"type": "message.pinned", "data": data}, "attachments": []});
            let mut expected = shown.clone();
            expected["name"] = json!(SYSTEM_NAME);
            expected["event"]["data"][field] = json!(7);
            assert_eq!(old(&shown), expected);
        }
        let of_user = json!({"sender_type": "user", "name": "Coterie", "text": "a line",
            "attachments": []});
        assert_eq!(old(&of_user), of_user);
    }

    #[test]
    fn old_form_marks_only_deleted_messages() {
        let list = json!([
            {"text": null, "attachments": [], "deletion_actor": "sender"},
            {"text": null, "attachments": [], "deletion_actor": "admin"},
            {"text": "the \"mentions\" stay", "attachments": []},
        ]);
        let shown: Value =
            serde_json::from_str(of_list(&to_raw_value(&list).unwrap()).get()).unwrap();
        assert_eq!(shown[0]["text"], "This message was deleted");
        assert_eq!(shown[1]["text"], "An admin deleted this message");
        assert_eq!(shown[2], list[2]);
    }

    #[test]
    fn fields_have_the_original_shapes() {
        let reaction = json!({"type": "emoji", "pack_id": 18, "pack_index": 23, "user_ids": ["7"]});
        let heart = json!({"type": "unicode", "code": "❤️", "user_ids": ["7"]});
        let shown = old(&json!({
            "text": "hi", "attachments": [], "created_at": 5, "updated_at": 5, "reply_count": 2,
            "last_reply_at": 9, "link_previews": [{}], "reactions": [reaction, heart],
        }));
        let reaction =
            json!({"type": "emoji", "pack_id": "18", "pack_index": "23", "user_ids": ["7"]});
        let expected = json!({"text": "hi", "attachments": [], "created_at": 5, "reactions": [reaction, heart]});
        assert_eq!(shown, expected);
        for changed in ["edited_at", "deleted_at"] {
            let mut message =
                json!({"text": "ho", "attachments": [], "created_at": 5, "updated_at": 5});
            message[changed] = json!(5);
            assert_eq!(old(&message)["updated_at"], 5, "{changed}");
        }
        let caused = json!({"text": "ho", "attachments": [], "caused_by": "7", "edited_at": 5});
        assert_eq!(old(&caused), json!({"text": "ho", "attachments": []}));
    }
}
