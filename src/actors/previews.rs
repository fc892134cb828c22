//! Link previews: shows beside a message what was found on the pages that it links to. The same for
//! groups and chats.

use std::convert::Infallible;
use std::sync::Arc;

use crate::actors::ask::{Ask, Question};
use crate::actors::ledger::Recording;
use crate::actors::message_room::MessageRoom;
use crate::domain::event::{Decision, Fact};
use crate::domain::ids::MessageId;
use crate::domain::previews::LinkPreview;
use crate::domain::revision::Revision;

/// Shows previews beside a message. Sent by `subscribers::previews` on the node that owns the
/// conversation. Changes nothing if the message or its links are gone by then.
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
}

/// A room whose messages can have previews.
pub(super) trait PreviewingRoom: MessageRoom {
    /// The fact of a revision, for this kind of room; `None` if the conversation has ended.
    fn revision_fact(&self, revision: Revision) -> Option<Fact>;

    /// Shows previews, once the message was found.
    fn preview(&mut self, ask: Ask<ShowPreviews>, ctx: &mut Self::Context) {
        self.settle_ready(ctx);
        self.with_message(ask.question.message, ask, ctx, Self::preview_known);
    }

    /// Shows previews beside a message that was looked up.
    fn preview_known(&mut self, ask: Ask<ShowPreviews>, ctx: &mut Self::Context) {
        let asked = ask.question;
        let now = self.context().clock.now();
        let message = self.pending().get(asked.message).map(|(message, _)| Arc::clone(message));
        let revision = message.and_then(|message| message.preview(&asked.found));
        let fact = revision.and_then(|revision| self.revision_fact(revision));
        let decided = Decision { facts: fact.into_iter().collect(), answer: () };
        self.record(Ok(decided), now, ask.reply, ctx);
    }
}
