//! Reading what somebody wants to post.

use serde_json::{Map, Value};

use crate::domain::attachment::AddressForm;
use crate::domain::message::NewMessage;
use crate::domain::text::{MessageText, SourceGuid};
use crate::wire::attachment;
use crate::wire::fields::{Fields, Problems};
use crate::wire::instance::Instance;

/// Reads the body of a post: `{"message": {…}}`.
///
/// # Errors
/// With every problem at once.
pub fn read_new(body: &Map<String, Value>, instance: &Instance) -> Result<NewMessage, Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    if top.value("message").is_none() {
        top.wrong("message", "is required");
    }
    let read = top.object("message").and_then(|mut fields| read_message(&mut fields, instance));
    problems.or(read)
}

pub(super) fn read_message(fields: &mut Fields<'_>, instance: &Instance) -> Option<NewMessage> {
    let source_guid = fields.required_name("source_guid");
    let source_guid =
        source_guid.and_then(|it| fields.checked("source_guid", SourceGuid::parse(it)));
    let attachments = attachment::read_all(fields, instance);
    let text = fields.parsed("text", MessageText::parse);
    if fields.value("text").is_none() && attachments.is_empty() {
        fields.wrong("text", "is required unless there is an attachment");
    }
    let (form, here) = (AddressForm::default(), Vec::new());
    Some(NewMessage { source_guid: source_guid?, text, attachments, form, here })
}
