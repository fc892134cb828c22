//! Messages in JSON for clients from before the specification. They do not know deleted messages,
//! so the text says that the message was deleted; they count positions in UTF-16 units, and have
//! another name for everybody. Made from the JSON that everybody else gets.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::domain::addressing::{EVERYBODY, OLD_EVERYBODY, to_utf16_loci};
use crate::domain::message::MessageJson;
use crate::domain::message_state::Deleter;

/// The form in which messages are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageForm {
    /// As in the specification.
    Specified,
    /// For clients from before the specification.
    Old,
}

/// Texts of which one is in the JSON of every message that looks different in the old form.
const MARKERS: [&str; 2] = ["\"mentions\"", "\"deletion_actor\""];

/// Returns the JSON of a message in the old form.
pub fn of(message: &MessageJson) -> MessageJson {
    match changed(message.raw()) {
        Some(changed) => MessageJson::new(changed),
        None => message.clone(),
    }
}

/// Returns a JSON array of messages in the old form.
pub fn of_list(messages: &RawValue) -> Box<RawValue> {
    if !looks_different(messages) {
        return messages.to_owned();
    }
    let list: Vec<&RawValue> = serde_json::from_str(messages.get()).expect("it is a JSON array");
    let list = list.into_iter().map(|it| changed(it).unwrap_or_else(|| it.to_owned()));
    to_raw_value(&list.collect::<Vec<_>>()).expect("a list of JSON is JSON")
}

/// The JSON of a message in the old form; `None` if that is the form which it has.
fn changed(message: &RawValue) -> Option<Box<RawValue>> {
    if !looks_different(message) {
        return None;
    }
    let mut shown: Value = serde_json::from_str(message.get()).expect("a message is JSON");
    let actor = shown.get("deletion_actor").and_then(Value::as_str);
    let deleter = Deleter::ALL.into_iter().find(|it| Some(it.as_str()) == actor);
    make(&mut shown, deleter);
    Some(to_raw_value(&shown).expect("JSON stays JSON"))
}

fn looks_different(json: &RawValue) -> bool {
    MARKERS.iter().any(|marker| json.get().contains(marker))
}

/// Changes something with the text and the attachments of a message into the old form. `deleter` is
/// who deleted the message; `None` if it was not deleted.
pub fn make(shown: &mut Value, deleter: Option<Deleter>) {
    if let Some(deleter) = deleter {
        shown["text"] = json!(deleter.words());
    }
    let text = shown["text"].as_str().unwrap_or_default().to_owned();
    let attachments = shown["attachments"].as_array_mut().into_iter().flatten();
    for mentions in attachments.filter(|it| it["type"] == "mentions") {
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
    fn mentions_are_counted_in_utf_16_and_everybody_has_another_name() {
        let mentions = |ids: Value, loci: Value| {
            let mentions = json!({"type": "mentions", "user_ids": ids, "loci": loci});
            json!({"text": "😀 @all", "attachments": [{"type": "image"}, mentions]})
        };
        let shown = mentions(json!([EVERYBODY, "7"]), json!([[2, 4], [0, 1]]));
        let expected = mentions(json!([OLD_EVERYBODY, "7"]), json!([[3, 4], [0, 2]]));
        assert_eq!(old(&shown), expected);
    }

    #[test]
    fn a_deleted_message_says_so_and_others_stay() {
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
}
