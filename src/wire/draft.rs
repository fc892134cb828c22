//! Drafts in JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::attachment::Attachment;
use crate::domain::ids::Conversation;
use crate::domain::text::MessageText;
use crate::domain::user::Draft;
use crate::wire::attachment::{self, AttachmentResource};
use crate::wire::fields::{Fields, Problems};
use crate::wire::instance::Instance;

/// What you have written in a conversation and not sent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Draft")]
pub struct DraftResource<'a> {
    /// A group, or two users as `a+b`.
    conversation_id: String,
    /// The words; empty with `attachments` when there is no draft any more.
    text: &'a str,
    /// What it is to carry.
    attachments: Vec<AttachmentResource<'a>>,
    /// When it was kept. Unix time in seconds.
    updated_at: u64,
}

/// A draft of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct KeptDraft<'a> {
    /// Null where there is none.
    pub draft: Option<DraftResource<'a>>,
}

/// The drafts of all conversations.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct KeptDrafts<'a> {
    /// In no order.
    pub drafts: Vec<DraftResource<'a>>,
}

/// A draft as its author sees it.
pub fn shown<'a>(conv: Conversation, draft: &'a Draft, instance: &Instance) -> DraftResource<'a> {
    DraftResource {
        conversation_id: conv.to_string(),
        text: &draft.text,
        attachments: draft.attachments.iter().map(|it| attachment::shown(it, instance)).collect(),
        updated_at: draft.at.seconds(),
    }
}

/// Reads `{text, attachments}`; neither is the end of a draft.
///
/// # Errors
/// With every problem at once.
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
