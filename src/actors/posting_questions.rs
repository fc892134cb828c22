//! How questions travel that are answered with what was posted for them: the log has that
//! anyway, so that no answer is written down beside it.

use std::sync::Arc;

use crate::actors::ask::{Portable, Question, Travel};
use crate::actors::asked::RecordedAnswer;
use crate::domain::message::{Message, ShownMessage};

impl<Q: Question<Answer = ShownMessage> + Portable> Travel<Q>
where
    Q::Refusal: Portable,
{
    /// For one of somebody who posts.
    pub const fn posting(name: &'static str) -> Self {
        Self { from_decided: Some(RecordedAnswer::shown_message), ..Self::of(name) }
    }
}

impl<Q: Question<Answer = Arc<Message>> + Portable> Travel<Q>
where
    Q::Refusal: Portable,
{
    /// For one of a bot that does.
    pub const fn posting_as_bot(name: &'static str) -> Self {
        Self { from_decided: Some(RecordedAnswer::message), ..Self::of(name) }
    }
}
