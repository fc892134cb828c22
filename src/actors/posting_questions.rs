//! How questions travel that are answered with a message. A message that was posted for the
//! question is in the log anyway, so no answer is recorded beside it.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::ask::{Portable, Question, Travel, pack, unpack};
use crate::asked::RecordedAnswer;
use domain::message::{Message, MessageJson, ShownMessage};

impl<Q: Question<Answer = ShownMessage> + Portable> Travel<Q>
where
    Q::Refusal: Portable,
{
    /// The packing of a question with which a user posts.
    pub const fn posting(name: &'static str) -> Self {
        Self { from_decided: Some(RecordedAnswer::shown_message), ..Self::of(name) }
    }
}

impl<Q: Question<Answer = Arc<Message>> + Portable> Travel<Q>
where
    Q::Refusal: Portable,
{
    /// The packing of a question with which a bot posts.
    pub const fn posting_as_bot(name: &'static str) -> Self {
        Self { from_decided: Some(RecordedAnswer::message), ..Self::of(name) }
    }
}

impl<Q: Question<Answer = MessageJson> + Portable> Travel<Q>
where
    Q::Refusal: Portable,
{
    /// The packing of a question that is answered with a message as readers get it.
    pub const fn shown(name: &'static str) -> Self {
        let unpack_answer = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).ok()?;
            RawValue::from_string(text).ok().map(MessageJson::new)
        };
        Self {
            name,
            pack: pack::<Q>,
            unpack: unpack::<Q>,
            pack_answer: |json| json.get().as_bytes().to_vec(),
            unpack_answer,
            pack_refusal: pack::<Q::Refusal>,
            unpack_refusal: unpack::<Q::Refusal>,
            from_decided: None,
        }
    }
}
