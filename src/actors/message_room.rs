//! Common part of rooms with messages: finds a message of any age, and keeps those that are being
//! changed. The same for groups and chats.

use std::sync::Arc;

use actix::{Actor, ActorFutureExt, AsyncContext, WrapFuture};

use crate::actors::ask::{Ask, Failure, Fault, Question, Reply};
use crate::actors::ledger::Recording;
use crate::actors::message_page::ConversationRoom;
use crate::actors::pending_messages::PendingMessages;
use crate::domain::addressing::{answer_of, thread_of};
use crate::domain::event::{Entry, Event, Fact, RoomState};
use crate::domain::ids::{MessageId, StreamId, UserId};
use crate::domain::likes::Likes;
use crate::domain::message::Message;
use crate::domain::time::Timestamp;
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::journal::Cursor;
use crate::wire::message;

/// The work of a room on a question, once the message that the question's post replies to was
/// found.
type ActOnRepliedTo<Room, Q> =
    fn(&mut Room, Ask<Q>, Option<Arc<Message>>, &mut <Room as Actor>::Context);

/// A room with messages.
pub(super) trait MessageRoom: ConversationRoom {
    /// The messages that the room is working on.
    fn pending(&mut self) -> &mut PendingMessages;

    /// Whether this user may read and like the messages of this room, and pin them.
    fn is_participant(&self, user: UserId) -> bool;

    /// Sends what was read of the room to a reader, unless the reader left during the read.
    fn send_read<T: Send + 'static, R: Send + 'static>(
        &mut self,
        reader: UserId,
        found: Result<T, Failure<R>>,
        refusal: R,
        reply: Reply<T, R>,
    ) {
        match self.is_participant(reader) {
            true => reply.send(found),
            false => self.refuse_once_durable(refusal, reply),
        }
    }

    /// Notes the record of the newest durable like, revision or reply.
    fn set_newest_change(&mut self, record: Cursor);

    /// Passes a question on once its message is among the pending ones, for which it is looked up
    /// if it is not one of the newest. `act` finds out whether the message exists.
    fn with_message<Q: Question>(
        &mut self,
        message: MessageId,
        ask: Ask<Q>,
        ctx: &mut Self::Context,
        act: impl FnOnce(&mut Self, Ask<Q>, &mut Self::Context) + 'static,
    ) {
        if self.pending().get(message).is_none()
            && let Some((known, likes)) = self.recent().known(message)
        {
            let evictions = self.pending().evictions();
            self.pending().insert_looked_up(known, likes, evictions);
        }
        let applied = self.context().archive.index.applied();
        self.pending().evict(message, applied);
        if self.pending().get(message).is_some() {
            return act(self, ask, ctx);
        }
        let evictions = self.pending().evictions();
        let archive = self.context().archive.clone();
        let stream = self.stream();
        let find = find(archive, stream, message, self.newest_change());
        ctx.spawn(find.into_actor(self).map(move |found, room: &mut Self, ctx| match found {
            Ok(Some((known, likes))) => {
                // If it was not laid, the look-up was stale, and the next attempt repeats it.
                room.pending().insert_looked_up(known, likes, evictions);
                room.with_message(message, ask, ctx, act);
            }
            Ok(None) => act(room, ask, ctx),
            Err(fault) => ask.reply.send(Err(Fault::from(fault).into())),
        }));
    }

    /// Passes a question on with the message that its post replies to, if any, once that message and
    /// the first one of its thread are among the pending ones.
    fn with_replied_to<Q: Question>(
        &mut self,
        replied_to: Option<MessageId>,
        ask: Ask<Q>,
        ctx: &mut Self::Context,
        act: ActOnRepliedTo<Self, Q>,
    ) {
        let Some(replied_to) = replied_to else { return act(self, ask, None, ctx) };
        self.settle_ready(ctx);
        self.with_message(replied_to, ask, ctx, move |room, ask, ctx| {
            let known = room.pending().get(replied_to).map(|(message, _)| Arc::clone(message));
            let Some(message) = known else { return act(room, ask, None, ctx) };
            room.with_message(thread_of(&message), ask, ctx, move |room, ask, ctx| {
                let known = room.pending().get(replied_to).map(|(message, _)| Arc::clone(message));
                act(room, ask, Some(known.unwrap_or(message)), ctx);
            });
        });
    }

    /// Counts a message that was decided just now in the thread that it belongs to, if any.
    fn stage_reply(&mut self, fact: &Fact, at: Timestamp) {
        if let Some(base) = fact.message().and_then(|message| answer_of(message)) {
            self.pending().answer(base, at);
        }
    }

    /// Notes that a message is durable, which may be a reply in a thread.
    fn settle_reply(&mut self, entry: &Entry, record: Cursor) {
        let Some(base) = entry.event.fact.message().and_then(|message| answer_of(message)) else {
            return;
        };
        let applied = self.context().archive.index.applied();
        self.pending().settle(base, record, applied);
        self.recent().answer(base, entry.event.at, record);
        self.set_newest_change(record);
    }

    /// Applies a revision that was decided just now. Returns what is shown of the message then;
    /// `None` for other events.
    fn stage_revision(&mut self, event: &Event) -> Option<RoomState> {
        let (message, likers) = self.pending().revise(event.fact.revision()?, event.at)?;
        let conversation = self.conversation();
        let json = message::json(conversation, &message, &likers, &self.context().instance);
        Some(RoomState {
            message: Some(json),
            revised: Some(message),
            likers: Some(likers.into()),
            ..RoomState::default()
        })
    }

    /// Notes that a revision is durable: from here on, reads show the revised message.
    fn settle_revision(&mut self, entry: &Entry, record: Cursor) {
        let (Some(revision), Some(message)) = (entry.event.fact.revision(), &entry.state.revised)
        else {
            return;
        };
        let applied = self.context().archive.index.applied();
        self.pending().settle(revision.message, record, applied);
        self.recent().revise(message, record);
        if revision.is_deletion() {
            self.recent().forget_quotes(revision.message, record);
        }
        self.set_newest_change(record);
    }
}

async fn find(
    archive: Archive,
    stream: StreamId,
    message: MessageId,
    changed: Cursor,
) -> Result<Option<(Arc<Message>, Likes)>, IndexFault> {
    archive.index.reached(changed).await?;
    let find = move |archive: &Archive| {
        let Some(found) = archive.message(stream, message)? else { return Ok(None) };
        let author = found.message.author.clone();
        let by = found.likes;
        Ok(Some((found.message, Likes { message, author, by })))
    };
    archive.blocking(stream, find).await
}
