//! The text of a notice.

use bytes::Bytes;
use serde_json::json;

use crate::domain::attachment::Attachment;
use crate::domain::ids::StreamId;
use crate::domain::message::Message;
use crate::notify::web_push::NOTICE_BYTES;

/// Characters of a message in a notice of the browser; screens show no more.
const SHOWN_CHARS: usize = 300;

/// The message to tell, and where it was posted.
pub(super) struct Words<'a> {
    /// The conversation.
    pub(super) stream: StreamId,
    /// The name of the group, if the conversation is one.
    pub(super) group: Option<&'a str>,
    /// The message.
    pub(super) message: &'a Message,
}

impl Words<'_> {
    /// The text of an SMS.
    pub(super) fn sms(&self) -> String {
        let (name, said) = (&self.message.name, self.said());
        match self.group {
            Some(group) => format!("{name} in {group}: {said}"),
            None => format!("{name}: {said}"),
        }
    }

    /// The JSON for the web client's service worker.
    pub(super) fn push(&self) -> Bytes {
        let said: String = self.said().chars().take(SHOWN_CHARS).collect();
        let name = &self.message.name;
        let (title, body) = match self.group {
            Some(group) => (group, format!("{name}: {said}")),
            None => (&**name, said),
        };
        let notice = |body: &str| {
            let notice = json!({
                "title": title,
                "body": body,
                "conversation": self.stream.to_string(),
                "message_id": self.message.id.to_string(),
            });
            Bytes::from(notice.to_string())
        };
        let whole = notice(&body);
        // Only a text full of JSON escapes grows so large.
        if whole.len() <= NOTICE_BYTES { whole } else { notice(name) }
    }

    fn said(&self) -> String {
        match (&self.message.text, self.message.attachments.first()) {
            (Some(text), _) => text.clone(),
            (None, Some(Attachment::Image { .. })) => "sent a picture".to_owned(),
            (None, Some(Attachment::Location { name, .. })) => format!("is at {name}"),
            (None, _) => "sent an attachment".to_owned(),
        }
    }
}
