//! Edits of messages as clients send them, and the earlier versions of a message.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::attachment::{self, AttachmentResource};
use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use domain::attachment::AddressForm;
use domain::message::Message;
use domain::revision::MessageChange;
use domain::text::MessageText;

/// Reads the body of an edit: `{text, attachments}`, with or without a `message` object around it.
/// An absent field changes nothing; an empty text removes the text.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_edit(
    body: &Map<String, Value>,
    instance: &Instance,
) -> Result<MessageChange, Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    let change = match top.value("message") {
        Some(Value::Object(_)) => {
            top.object("message").map(|mut it| read_change(&mut it, instance))
        }
        Some(_) | None => Some(read_change(&mut top, instance)),
    };
    problems.or(change)
}

fn read_change(fields: &mut Fields<'_>, instance: &Instance) -> MessageChange {
    let has_attachments = fields.value("attachments").is_some();
    let attachments = has_attachments.then(|| attachment::read_all(fields, instance));
    let is_emptied = fields.is_emptied("text");
    if !is_emptied && !has_attachments && fields.value("text").is_none() {
        fields.wrong("text", "or attachments is required");
    }
    let text = match is_emptied {
        true => Some(None),
        false => fields.parsed("text", MessageText::parse).map(Some),
    };
    MessageChange { text, attachments, form: AddressForm::default() }
}

/// The earlier versions of a message.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MessageHistory<'a> {
    /// The versions before the present one, newest first.
    #[schemars(with = "Vec<EarlierText<'a>>")]
    pub history: &'a RawValue,
}

/// A version of a message before an edit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EarlierText<'a> {
    /// Text of the version; null if it had none.
    text: Option<&'a str>,
    /// Attachments of the version.
    attachments: Vec<AttachmentResource<'a>>,
    /// When this version was sent, by the post or an edit. Unix time in seconds.
    updated_at: u64,
}

/// Builds the earlier versions of a message, newest first.
pub fn history<'a>(earlier: &'a [Message], instance: &Instance) -> Vec<EarlierText<'a>> {
    let shown = |message: &'a Message| EarlierText {
        text: message.text.as_deref(),
        attachments: message
            .attachments
            .iter()
            .map(|it| attachment::resource(it, instance))
            .collect(),
        updated_at: message.updated_at(),
    };
    earlier.iter().map(shown).collect()
}
