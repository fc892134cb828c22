//! Editing messages, as clients write it, and what messages said before.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::attachment::AddressForm;
use crate::domain::message::Message;
use crate::domain::revision::MessageChange;
use crate::domain::text::MessageText;
use crate::wire::attachment::{self, AttachmentResource};
use crate::wire::fields::{Fields, Problems};
use crate::wire::instance::Instance;

/// Reads the body of an edit: `{text, attachments}`, also below `message`. What is absent
/// stays; an empty text takes the text away.
///
/// # Errors
/// With every problem at once.
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

/// What a message said before.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MessageHistory<'a> {
    /// Newest first, without what it says now.
    history: Vec<EarlierText<'a>>,
}

/// What a message said until an edit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct EarlierText<'a> {
    /// The words.
    text: Option<&'a str>,
    /// What it carried.
    attachments: Vec<AttachmentResource<'a>>,
    /// Since when it said so. Unix time in seconds.
    updated_at: u64,
}

/// What a message said before, newest first.
pub fn history<'a>(earlier: &'a [Message], instance: &Instance) -> MessageHistory<'a> {
    let shown = |message: &'a Message| EarlierText {
        text: message.text.as_deref(),
        attachments: message.attachments.iter().map(|it| attachment::shown(it, instance)).collect(),
        updated_at: message.updated_at(),
    };
    MessageHistory { history: earlier.iter().map(shown).collect() }
}
