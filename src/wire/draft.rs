//! Drafts in JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::attachment::{self, AttachmentResource};
use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use domain::attachment::Attachment;
use domain::ids::Conversation;
use domain::text::MessageText;
use domain::user::Draft;

/// The draft of a message that you have written in a conversation and not sent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Draft")]
pub struct DraftResource<'a> {
    /// The conversation: the id of a group, or those of two users as `a+b`.
    conversation_id: String,
    /// Text of the draft; empty, together with `attachments`, when the draft was removed.
    text: &'a str,
    /// Attachments of the draft.
    attachments: Vec<AttachmentResource<'a>>,
    /// When the draft was saved. Unix time in seconds.
    updated_at: u64,
}

/// The draft in a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KeptDraft<'a> {
    /// The draft; null if there is none.
    pub draft: Option<DraftResource<'a>>,
}

/// Your drafts in all conversations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KeptDrafts<'a> {
    /// The drafts, by their conversations.
    pub drafts: Vec<DraftResource<'a>>,
    /// Whether there are more; continue with `after`.
    pub more: bool,
}

/// Builds the JSON of a draft for its author.
pub fn resource<'a>(
    conv: Conversation,
    draft: &'a Draft,
    instance: &Instance,
) -> DraftResource<'a> {
    DraftResource {
        conversation_id: conv.to_string(),
        text: &draft.text,
        attachments: draft
            .attachments
            .iter()
            .map(|it| attachment::resource(it, instance))
            .collect(),
        updated_at: draft.at.seconds(),
    }
}

/// Reads `{text, attachments}`; if both are empty, the draft is removed.
///
/// # Errors
/// If fields are invalid; all problems are reported together.
pub fn read(
    body: &Map<String, Value>,
    instance: &Instance,
) -> Result<(String, Vec<Attachment>), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let attachments = attachment::read_all(&mut fields, instance);
    let text = fields.parsed("text", MessageText::parse);
    let text = text.map_or(String::new(), |text| text.as_str().to_owned());
    problems.or(Some((text, attachments)))
}
