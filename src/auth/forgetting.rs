//! First answers that contain a message which was deleted since: a repeat gets what remains of the
//! message, and nothing of what it said.
//!
//! The answer stays in the journal as it was given; it is edited each time it is given again.
//! Answers that contain a group show the group's newest message in short, so they are edited too.

use std::sync::Arc;

use serde_json::Value;

use crate::auth::first_answers::FirstAnswers;
use crate::domain::first_answer::FirstAnswer;
use crate::domain::ids::{Conversation, GroupId, MessageId, Pair};
use crate::index::IndexFault;
use crate::index::archive::Archived;
use crate::wire::group;
use crate::wire::instance::Instance;
use crate::wire::message;
use crate::wire::old_form::{self, MessageForm};

/// The conversation and the id of a message that an answer contains.
type ShownPlace = (Conversation, MessageId);

impl FirstAnswers {
    /// Returns an answer as it may be given now: without the text of a deleted message. `form` is
    /// the form of messages in it.
    ///
    /// # Errors
    /// If the message cannot be looked up.
    pub async fn without_deleted(
        &self,
        first: Arc<FirstAnswer>,
        form: MessageForm,
        instance: &Instance,
    ) -> Result<Arc<FirstAnswer>, IndexFault> {
        let body = first.body.as_deref().and_then(|body| serde_json::from_str(body).ok());
        let Some(mut body): Option<Value> = body else { return Ok(first) };
        let Some((conversation, id)) = shown(&body["response"]) else { return Ok(first) };
        let stream = conversation.into();
        let found = self.archive().read_current(move |archive| archive.message(stream, id)).await?;
        match found.filter(|it| it.message.is_deleted()) {
            Some(deleted) => {
                forget(&mut body["response"], (conversation, &deleted), form, instance);
                let body = Some(body.to_string());
                Ok(Arc::new(FirstAnswer { body, ..FirstAnswer::clone(&first) }))
            }
            None => Ok(first),
        }
    }
}

/// Finds the message that a payload contains, if it contains one.
fn shown(payload: &Value) -> Option<ShownPlace> {
    let id = |value: &Value| value.as_str()?.parse::<MessageId>().ok();
    let message = &payload["message"];
    if let Some(id) = id(&message["id"]) {
        let group = message["group_id"].as_str().and_then(|it| it.parse::<GroupId>().ok());
        let pair = message["conversation_id"].as_str().and_then(|it| it.parse::<Pair>().ok());
        let conversation = group.map(Conversation::from).or(pair.map(Conversation::from))?;
        return Some((conversation, id));
    }
    let group = group_in(payload);
    let in_group = group["id"].as_str()?.parse::<GroupId>().ok()?;
    Some((in_group.into(), id(&group["messages"]["last_message_id"])?))
}

/// Returns the group inside a payload, or the payload, which may be a group itself.
fn group_in(payload: &Value) -> &Value {
    if payload["group"].is_object() { &payload["group"] } else { payload }
}

/// Replaces a deleted message in a payload by what a reader of the message is shown now.
fn forget(
    payload: &mut Value,
    (conversation, deleted): (Conversation, &Archived),
    form: MessageForm,
    instance: &Instance,
) {
    let (message, likers) = (&deleted.message, deleted.likers());
    let formed = |mut shown: Value| {
        if form == MessageForm::Old {
            old_form::make(&mut shown, message.state.deleted.map(|(_, deleter)| deleter));
        }
        shown
    };
    let left = formed(message::value(conversation, message, &likers, instance));
    for name in ["message", "direct_message"] {
        if let Some(message) = payload.get_mut(name).filter(|it| it.is_object()) {
            *message = left.clone();
        }
    }
    let group = if payload["group"].is_object() { &mut payload["group"] } else { payload };
    if let Some(preview) = group.pointer_mut("/messages/preview").filter(|it| it.is_object()) {
        *preview = formed(group::preview(message, instance));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::domain::ids::StreamId;
    use crate::domain::likes::Likers;
    use crate::domain::message::Message;
    use crate::domain::revision::Deleter;
    use crate::domain::time::Timestamp;

    #[test]
    fn messages_are_found_in_answers_of_posts_and_of_groups() {
        let of = |payload: Value| {
            shown(&payload).map(|(it, id)| (StreamId::from(it).to_string(), id.get()))
        };
        let posted = json!({"message": {"id": "7", "group_id": "12", "text": "rope"}});
        assert_eq!(of(posted), Some(("g:12".to_owned(), 7)));
        let written = json!({"message": {"id": "7", "conversation_id": "1+2"}});
        assert_eq!(of(written), Some(("d:1+2".to_owned(), 7)));
        let group = json!({"id": "12", "messages": {"last_message_id": "7", "preview": {}}});
        assert_eq!(of(group.clone()), Some(("g:12".to_owned(), 7)));
        assert_eq!(of(json!({"group": group})), Some(("g:12".to_owned(), 7)));
        assert_eq!(of(json!({"id": "12", "name": "Ana"})), None);
        assert_eq!(of(Value::Null), None);
    }

    #[test]
    fn what_remains_is_told_as_it_is_to_whoever_asks_for_the_message() {
        let mut message = Message::unlogged(MessageId::new(7));
        message.forget((Timestamp::from_seconds(9), Deleter::Admin));
        let deleted = Archived { message: message.into(), likes: BTreeMap::new() };
        let (group, instance) = (GroupId::new(12).into(), Instance::new("http://h", "http://h", 1));
        let left = message::value(group, &deleted.message, Likers::NOBODY, &instance);
        assert_eq!((&left["text"], &left["updated_at"]), (&Value::Null, &json!(9)));
        let mut payload = json!({"message": {"id": "7", "text": "rope", "attachments": [1]}});
        forget(&mut payload, (group, &deleted), MessageForm::Specified, &instance);
        assert_eq!(payload, json!({"message": left}));
        let mut payload = json!({"id": "1", "messages": {"preview": {"text": "rope"}}});
        forget(&mut payload, (group, &deleted), MessageForm::Specified, &instance);
        let preview = &payload["messages"]["preview"];
        assert_eq!(preview["text"], Value::Null);
        assert_eq!(preview["nickname"], json!(deleted.message.name));
    }
}
