//! Reads pages of messages: from the room's memory where they are held there, otherwise from the
//! archive. The same for groups and chats.

use std::sync::Arc;

use actix::{ActorFutureExt, AsyncContext, WrapFuture};

use crate::actors::ask::{Fault, Reply};
use crate::actors::ledger::{Recording, Room};
use crate::actors::recent::{LoadedMessage, Recent, merged};
use crate::domain::ids::Conversation;
use crate::domain::message::{Message, ShownMessage};
use crate::index::archive::Page;
use crate::journal::Cursor;
use crate::wire::message;

/// A page of messages.
#[derive(Debug)]
pub struct MessagePage {
    /// How many messages paging can reach.
    pub count: u64,
    /// The messages, in the order that the page has.
    pub messages: Vec<Arc<LoadedMessage>>,
}

/// A room with a log of messages.
pub(super) trait ConversationRoom: Room {
    /// The conversation whose log the room owns.
    fn conversation(&self) -> Conversation;

    /// The newest messages, as the room holds them.
    fn recent(&mut self) -> &mut Recent;

    /// The record of the newest durable like, revision or answer.
    fn newest_change(&self) -> Cursor;

    /// A message that was decided on just now, with the JSON from when it was staged. For a repeat
    /// of a stored message, the JSON is made again.
    fn with_json(&mut self, message: Arc<Message>) -> ShownMessage {
        let staged = self.ledger().staged(message.id);
        let conversation = self.conversation();
        let instance = &self.context().instance;
        staged.unwrap_or_else(|| message::fresh(conversation, message, instance))
    }

    /// Answers with a page: every message that is durable by now, and none that is not. To be
    /// called after [`settle_ready`](crate::actors::ledger::Recording::settle_ready), which takes
    /// in what became durable. `admits` is checked again after a read of the archive.
    fn answer_page<R: Send + 'static>(
        &mut self,
        page: Page,
        limit: usize,
        admits: impl FnOnce(&Self) -> Result<(), R> + 'static,
        reply: Reply<MessagePage, R>,
        ctx: &mut Self::Context,
    ) {
        let archive = self.context().archive.clone();
        let stream = self.stream();
        let newest_change = self.newest_change();
        let recent = self.recent();
        if page == Page::Newest {
            recent.asked_for(limit);
        }
        let count = recent.count();
        if let Some(messages) = recent.page(page, limit) {
            return reply.send(Ok(MessagePage { count, messages }));
        }
        // For the newest page, as many messages are fetched as are kept, so that the next reader
        // finds them in memory.
        let backfills = page == Page::Newest && recent.wants_more();
        let fetch = if backfills { recent.kept().max(limit) } else { limit };
        let held = recent.matching(page, limit);
        let read = async move {
            // After this, the index has every change that was answered.
            archive.index.reached(newest_change).await?;
            archive.blocking(stream, move |archive| archive.page(stream, page, fetch)).await
        };
        ctx.spawn(read.into_actor(self).map(move |read, room: &mut Self, _| {
            let archived = match read {
                Ok(archived) => archived,
                Err(fault) => return reply.send(Err(Fault::from(fault).into())),
            };
            // A change that became durable meanwhile may be missing in what was read.
            if backfills && room.newest_change() == newest_change {
                room.recent().backfill(&archived);
            }
            if let Err(refusal) = admits(&*room) {
                return room.refuse_once_durable(refusal, reply);
            }
            let messages = merged(page, archived, held, limit);
            reply.send(Ok(MessagePage { count, messages }));
        }));
    }
}
