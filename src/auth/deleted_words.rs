//! First answers that contain words of a message which was deleted since: a repeat gets what remains
//! of the message, and nothing of what it said. Words are in messages, polls, calendar events and
//! groups, wherever an answer has one: no act has to say which of them its answer contains.
//!
//! The answer stays in the journal as it was given; it is edited each time it is given again.

use std::sync::Arc;

use serde_json::Value;

use crate::first_answers::FirstAnswers;
use base::bounds::turns::Owner;
use domain::first_answer::FirstAnswer;
use domain::ids::{CalendarEventId, Conversation, GroupId, MessageId, PollId, UserId};
use domain::message::Message;
use index::IndexFault;
use index::archive::{Archive, Archived};
use wire::instance::Instance;
use wire::old_form::{self, MessageForm};
use wire::{calendar, group, message, poll};

/// To whom an answer is given again, and how.
#[derive(Debug, Clone)]
pub struct Repeat {
    /// The user who repeats the request; `None` for a bot.
    pub reader: Option<UserId>,
    /// The form of messages in the answer.
    pub form: MessageForm,
    /// The instance whose URLs the answer has.
    pub instance: Arc<Instance>,
}

impl FirstAnswers {
    /// Returns an answer as it may be given now: without the words of deleted messages.
    ///
    /// # Errors
    /// If a message cannot be looked up.
    pub async fn without_deleted(
        &self,
        first: Arc<FirstAnswer>,
        repeat: Repeat,
    ) -> Result<Arc<FirstAnswer>, IndexFault> {
        let body = first.body.as_deref().and_then(|body| serde_json::from_str(body).ok());
        let Some(mut body): Option<Value> = body else { return Ok(first) };
        let owner = repeat.reader.map_or(Owner::Server, Owner::User);
        let forget = move |archive: &Archive| {
            let is_changed = Forgetting { archive, repeat: &repeat }.forget(&mut body)?;
            Ok(is_changed.then_some(body))
        };
        match self.archive().read_current(owner, forget).await? {
            Some(body) => {
                let body = Some(body.to_string());
                Ok(Arc::new(FirstAnswer { body, ..FirstAnswer::clone(&first) }))
            }
            None => Ok(first),
        }
    }
}

/// Something with words inside an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worded {
    Message(Conversation, MessageId),
    Poll(GroupId, PollId),
    Event(Conversation, CalendarEventId),
    /// A group that shows this message in short.
    Group(GroupId, MessageId),
}

impl Worded {
    /// Finds out what a JSON object is, by the fields that only such an object has.
    fn of(shown: &Value) -> Option<Self> {
        let text = |place: &str| shown.pointer(place).and_then(Value::as_str);
        let message = |place: &str| text(place)?.parse().ok().map(MessageId::new);
        if text("/source_guid").is_some() {
            let group = text("/group_id").and_then(conversation_of);
            let conversation = group.or_else(|| text("/conversation_id").and_then(conversation_of));
            return Some(Self::Message(conversation?, message("/id")?));
        }
        if let Some(id) = text("/event_id") {
            let conversation = conversation_of(text("/conversation_id")?)?;
            return Some(Self::Event(conversation, CalendarEventId::new(id.parse().ok()?)));
        }
        if text("/data/subject").is_some() {
            let group = text("/data/conversation_id")?.parse().ok()?;
            return Some(Self::Poll(
                GroupId::new(group),
                PollId::new(text("/data/id")?.parse().ok()?),
            ));
        }
        let newest = message("/messages/last_message_id")?;
        Some(Self::Group(GroupId::new(text("/id")?.parse().ok()?), newest))
    }
}

/// The conversation of an id in an answer: that of a group, or those of two users as `a+b`.
fn conversation_of(id: &str) -> Option<Conversation> {
    let group = id.parse::<GroupId>().ok().map(Conversation::from);
    group.or_else(|| id.parse().ok().map(Conversation::Chat))
}

/// Removes the words of deleted messages from an answer.
struct Forgetting<'a> {
    archive: &'a Archive,
    repeat: &'a Repeat,
}

impl Forgetting<'_> {
    /// Replaces what has words that are gone by what remains of it. Returns whether anything had.
    fn forget(&self, shown: &mut Value) -> Result<bool, IndexFault> {
        let remainder = match Worded::of(shown) {
            Some(worded) => self.remainder(worded, shown)?,
            None => None,
        };
        if let Some(remainder) = remainder {
            *shown = remainder;
            return Ok(true);
        }
        let mut is_changed = false;
        match shown {
            Value::Array(parts) => {
                for part in parts {
                    is_changed |= self.forget(part)?;
                }
            }
            Value::Object(parts) => {
                for part in parts.values_mut() {
                    is_changed |= self.forget(part)?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(is_changed)
    }

    /// The remaining part of a resource; `None` if it has kept its words.
    fn remainder(&self, worded: Worded, shown: &Value) -> Result<Option<Value>, IndexFault> {
        let index = &self.archive.index;
        let instance = &self.repeat.instance;
        Ok(match worded {
            Worded::Message(conversation, id) => {
                let found = self.changed(conversation, id, &shown["text"])?;
                found.map(|it| self.message(conversation, &it))
            }
            Worded::Group(id, newest) => {
                let preview = &shown["messages"]["preview"];
                let found = self.changed(id.into(), newest, &preview["text"])?;
                let found = found.filter(|_| preview.is_object());
                found.map(|it| {
                    let mut shown = shown.clone();
                    let preview = group::preview(&it.message, instance);
                    shown["messages"]["preview"] = self.formed(preview, &it.message);
                    shown
                })
            }
            Worded::Poll(group, id) => {
                let found = index.poll(Conversation::from(group).into(), id, None)?;
                // The votes are deleted too, so all readers see the same.
                let reader = self.repeat.reader.unwrap_or(UserId::new(0));
                let deleted = found.filter(|poll| poll.is_deleted);
                deleted.map(|it| value(&poll::resource(group, &it, reader)))
            }
            Worded::Event(conversation, id) => {
                let found = index.planned(conversation.into(), id, None)?;
                let deleted = found.filter(|event| event.is_forgotten);
                deleted.map(|it| value(&calendar::resource(conversation, &it)))
            }
        })
    }

    /// A message whose words are not those of the answer any more: it was deleted, or somebody else
    /// edited it. The reader's own words, and those of a conversation that the reader left, stay.
    fn changed(
        &self,
        conversation: Conversation,
        id: MessageId,
        text: &Value,
    ) -> Result<Option<Archived>, IndexFault> {
        let Some(found) = self.archive.message(conversation.into(), id)? else { return Ok(None) };
        if found.message.is_deleted() {
            return Ok(Some(found));
        }
        let Some(reader) = self.repeat.reader else { return Ok(None) };
        let is_own = found.message.author.user() == Some(reader);
        let is_same = found.message.text.as_deref() == text.as_str();
        let is_changed = !is_own && !is_same && self.archive.index.is_in(reader, conversation)?;
        Ok(is_changed.then_some(found))
    }

    fn message(&self, conversation: Conversation, found: &Archived) -> Value {
        let message = &found.message;
        let likers = found.likers();
        let json = message::json(conversation, message, &likers, &self.repeat.instance);
        match self.repeat.form {
            MessageForm::Specified => value(&json),
            MessageForm::Old => value(&old_form::of(&json)),
        }
    }

    fn formed(&self, mut shown: Value, message: &Message) -> Value {
        if self.repeat.form == MessageForm::Old {
            old_form::make(&mut shown, message.state.deleted.map(|(_, deleter)| deleter));
        }
        shown
    }
}

fn value(shown: &impl serde::Serialize) -> Value {
    serde_json::to_value(shown).expect("texts, numbers and lists are always JSON")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use domain::ids::Pair;

    #[test]
    fn responses_with_words_are_recognized_by_fields() {
        let group = GroupId::new(12);
        let id = MessageId::new(7);
        let posted = json!({"id": "7", "source_guid": "g", "group_id": "12", "text": "rope"});
        assert_eq!(Worded::of(&posted), Some(Worded::Message(group.into(), id)));
        let written = json!({"id": "7", "source_guid": "g", "conversation_id": "1+2"});
        let pair = Pair::of(UserId::new(1), UserId::new(2)).unwrap();
        assert_eq!(Worded::of(&written), Some(Worded::Message(pair.into(), id)));
        let shown = json!({"id": "12", "messages": {"last_message_id": "7", "preview": {}}});
        assert_eq!(Worded::of(&shown), Some(Worded::Group(group, id)));
        let asked = json!({"data": {"id": "7", "subject": "when?", "conversation_id": "12"}});
        assert_eq!(Worded::of(&asked), Some(Worded::Poll(group, PollId::new(7))));
        let planned = json!({"event_id": "7", "conversation_id": "1+2", "name": "climb"});
        let event = Worded::Event(pair.into(), CalendarEventId::new(7));
        assert_eq!(Worded::of(&planned), Some(event));
        for other in [json!({"id": "12", "name": "Ana"}), json!([posted]), Value::Null] {
            assert_eq!(Worded::of(&other), None);
        }
    }
}
