//! Reading new messages to a group or to another user. Their form in responses is in
//! `wire::message`.

use serde_json::{Map, Value};

use crate::attachment;
use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use domain::attachment::AddressForm;
use domain::ids::UserId;
use domain::message::NewMessage;
use domain::text::{MessageText, SourceGuid};

/// Reads the body of a post: `{"message": {…}}`, or, as some clients send it, the message's fields
/// at the top level.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_new(body: &Map<String, Value>, instance: &Instance) -> Result<NewMessage, Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    let is_message = top.value("message").is_none() && top.value("source_guid").is_some();
    if is_message {
        let read = read_message(&mut top, instance);
        return problems.or(read);
    }
    if top.value("message").is_none() {
        top.wrong("message", "is required");
    }
    let read = top.object("message").and_then(|mut fields| read_message(&mut fields, instance));
    problems.or(read)
}

/// Reads the body of a direct message: `{"direct_message": {…}}`, or, as some clients send it,
/// `{"message": {…}}`. Returns the recipient and the message.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_direct(
    body: &Map<String, Value>,
    instance: &Instance,
) -> Result<(UserId, NewMessage), Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    let name = match (top.value("direct_message"), top.value("message")) {
        (None, Some(_)) => "message",
        (Some(_), _) | (None, None) => "direct_message",
    };
    if top.value(name).is_none() {
        top.wrong(name, "is required");
    }
    let read = top.object(name).and_then(|mut fields| {
        let recipient = fields.required_id("recipient_id");
        let message = read_message(&mut fields, instance)?;
        if message.attachments.iter().any(|it| !it.fits_a_chat()) {
            let what = "of type split cannot be sent in a direct message";
            fields.wrong("attachments", what);
        }
        recipient.zip(Some(message))
    });
    problems.or(read)
}

/// Completes a direct message below `message` as some clients send it: the recipient is the other
/// user of the body's `conversation_id`, and `guid` is the `source_guid` if there is none.
pub fn fill_in_direct(body: &mut Map<String, Value>, from: UserId, guid: String) {
    let pair = body.get("conversation_id").and_then(Value::as_str).and_then(|it| {
        let (one, two) = it.split_once('+')?;
        Some([UserId::new(one.parse().ok()?), UserId::new(two.parse().ok()?)])
    });
    let other = pair
        .filter(|pair| pair.contains(&from))
        .and_then(|pair| pair.into_iter().find(|user| *user != from));
    let Some(Value::Object(message)) = body.get_mut("message") else { return };
    let Some(other) = other.filter(|_| !message.contains_key("recipient_id")) else { return };
    message.insert("recipient_id".to_owned(), other.to_string().into());
    message.entry("source_guid").or_insert(guid.into());
}

pub(super) fn read_message(fields: &mut Fields<'_>, instance: &Instance) -> Option<NewMessage> {
    let source_guid = fields.required_name("source_guid");
    let source_guid =
        source_guid.and_then(|it| fields.checked("source_guid", SourceGuid::parse(it)));
    let attachments = attachment::read_all(fields, instance);
    let text = fields.parsed("text", MessageText::parse);
    // A wrong attachment alone gives an error about itself, not about the missing text.
    let has_none = |list: &Value| list.as_array().is_some_and(Vec::is_empty);
    if fields.value("text").is_none() && fields.value("attachments").is_none_or(has_none) {
        fields.wrong("text", "is required unless there is an attachment");
    }
    let form = AddressForm::default();
    let here = Vec::new();
    Some(NewMessage { source_guid: source_guid?, text, attachments, form, here })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use domain::attachment::Attachment;

    fn instance() -> Instance {
        Instance::new("http://here", "http://here", 1)
    }

    fn read(body: &Value) -> Result<(UserId, NewMessage), Vec<String>> {
        let Value::Object(body) = body else { panic!("a body is an object") };
        read_direct(body, &instance()).map_err(Problems::into_list)
    }

    fn with(attachments: &Value) -> Value {
        json!({"direct_message": {
            "source_guid": "a", "recipient_id": "2", "attachments": attachments,
        }})
    }

    #[test]
    fn every_problem_is_named_at_once() {
        let problems = read(&json!({"direct_message": {"recipient_id": "x", "text": ""}}));
        assert_eq!(
            problems.unwrap_err(),
            [
                "direct_message.recipient_id is not an id",
                "direct_message.source_guid is required",
                "direct_message.text is required unless there is an attachment",
            ]
        );
        assert_eq!(read(&json!({})).unwrap_err(), ["direct_message is required"]);
    }

    #[test]
    fn wrong_attachment_alone_gives_one_error() {
        let bus = json!([{"type": "bus"}]);
        let problems = read(&with(&bus)).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("direct_message.attachments[0].type"), "{problems:?}");
        let problem = "direct_message.attachments must be an array";
        assert_eq!(read(&with(&json!("none"))).unwrap_err(), [problem]);
        let problem = "direct_message.text is required unless there is an attachment";
        assert_eq!(read(&with(&json!([]))).unwrap_err(), [problem]);
    }

    #[test]
    fn a_location_alone_is_a_message_and_a_split_is_not() {
        let location = json!([{"type": "location", "name": "Hut", "lat": "1", "lng": "2"}]);
        let (to, message) = read(&with(&location)).unwrap();
        assert_eq!(to, UserId::new(2));
        assert!(matches!(message.attachments[..], [Attachment::Location { .. }]));
        let split = json!([{"type": "split", "token": "t"}]);
        assert_eq!(
            read(&with(&split)).unwrap_err(),
            ["direct_message.attachments of type split cannot be sent in a direct message"]
        );
    }
}
