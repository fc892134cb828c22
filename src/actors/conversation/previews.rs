//! Link previews: shows beside a message what was found on the pages that it links to.

use std::convert::Infallible;
use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::conversation::ConversationRoom;
use crate::ledger::Recording;
use domain::conversation::ConversationRules;
use domain::event::Decision;
use domain::ids::MessageId;
use domain::previews::LinkPreview;

/// Shows previews beside a message. Sent by `subscribers::previews` on the node that
/// leads. Changes nothing if the message or its links are gone by then.
#[derive(Debug)]
pub struct ShowPreviews {
    /// The message.
    pub message: MessageId,
    /// The previews that were found.
    pub found: Vec<LinkPreview>,
}

impl Question for ShowPreviews {
    type Answer = ();
    type Refusal = Infallible;
    const IN_TOPICS: bool = true;
}

impl<Room: ConversationRoom> Answers<ShowPreviews> for Room {
    fn answer_if_absent() -> AbsentAnswer<ShowPreviews> {
        Some(Ok(()))
    }

    fn answer(&mut self, ask: Ask<ShowPreviews>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        self.with_message(ask.question.message, ask, ctx, |room, ask, ctx| {
            let ShowPreviews { message, found } = ask.question;
            let now = room.context().clock.now();
            let known = room.log().pending.get(message).map(|(message, _)| Arc::clone(message));
            let revision = known.and_then(|message| message.preview(&found));
            let fact = revision.zip(room.rules());
            let fact = fact.and_then(|(revision, rules)| rules.revision_fact(revision));
            let decided = Decision { facts: fact.into_iter().collect(), answer: () };
            room.record(Ok(decided), now, ask.reply, ctx);
        });
    }
}
