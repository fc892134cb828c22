//! What the rooms of groups and chats have in common: a log of messages, whose messages can be found
//! at any age, read by pages, liked, pinned, edited and deleted, and a calendar.
//!
//! A capability is one file: its questions, and the handlers that both kinds of rooms get. What the
//! kinds decide differently is in [`ConversationRules`].

use std::sync::Arc;

use actix::{Actor, ActorFutureExt, AsyncContext, WrapFuture};

use self::pending_messages::PendingMessages;
use crate::ask::{Ask, Failure, Fault, Question, Reply};
use crate::ledger::{Recording, Room};
use crate::recent::{LoadedMessage, Recent, merged};
use domain::addressees::{answer_of, thread_of};
use domain::conversation::ConversationRules;
use domain::event::{Decision, Entry, Event, Fact, RoomState};
use domain::group::BrokenRule;
use domain::id_generator::IdGenerator;
use domain::ids::{Conversation, MessageId, StreamId, UserId};
use domain::likes::{Likers, Likes};
use domain::message::{Message, MessageJson, ShownMessage};
use domain::time::Moment;
use index::IndexFault;
use index::archive::{Archive, Archived, Page};
use journal::{Committed, Cursor};
use wire::message;

pub mod alarms;
pub mod calendar;
pub mod likes;
mod pending_messages;
pub mod pins;
pub mod previews;
pub mod revisions;
pub mod threads;

/// The work of a room on a question, once the message that the question's post replies to was
/// found.
type ActOnRepliedTo<Room, Q> =
    fn(&mut Room, Ask<Q>, Option<Arc<Message>>, &mut <Room as Actor>::Context);

/// A page of messages.
#[derive(Debug)]
pub struct MessagePage {
    /// How many messages paging can reach.
    pub count: u64,
    /// The messages, in the order that the page has.
    pub messages: Vec<Arc<LoadedMessage>>,
}

/// The messages that a room holds in memory.
#[derive(Debug, Default)]
pub(super) struct MessageLog {
    /// The newest messages, all of them durable.
    pub(super) recent: Recent,
    /// The messages that the room is working on.
    pending: PendingMessages,
    /// The record of the newest durable like, revision or reply.
    newest_change: Cursor,
}

impl MessageLog {
    /// The log of a conversation with this many messages, of which this is the newest.
    pub(super) fn starting(count: u64, last: Option<Archived>) -> Self {
        Self { recent: Recent::starting(count, last), ..Self::default() }
    }

    /// A message that the room is working on.
    pub(super) fn pending_message(&mut self, message: MessageId) -> Option<Arc<Message>> {
        self.pending.get(message).map(|(message, _)| Arc::clone(message))
    }
}

/// The answer where nothing lives under the id of a conversation: a refusal that says so of the
/// caller, or, for one that needs no creation, of the thing that was asked about.
pub(super) fn absent<Rules: ConversationRules, T>(no_member: T, no_thing: T) -> T {
    if Rules::IS_CREATED { no_member } else { no_thing }
}

/// A room with a log of messages.
pub(super) trait ConversationRoom: Room {
    /// The rules of this kind of conversation, and the state that they decide on.
    type Rules: ConversationRules;

    /// The conversation whose log the room owns.
    fn conversation(&self) -> Conversation;

    /// The rules; `None` if the conversation was not created.
    fn rules(&self) -> Option<&Self::Rules>;

    /// The messages in memory.
    fn log(&mut self) -> &mut MessageLog;

    /// Runs the rules on what a decision writes: those of the operators, and those of a group. `changed`
    /// is the message that it edits, or that carries the event that it changes, and was looked up.
    fn screen<T>(
        &mut self,
        decided: Decision<T>,
        changed: Option<MessageId>,
        now: Moment,
    ) -> Decision<Result<T, BrokenRule>>;

    /// Records a decision as the rules leave it, and answers when it is durable. `answer`
    /// makes the answer from the room at once.
    fn record_screened<T: 'static, A: Send + 'static, E: From<BrokenRule> + Send + 'static>(
        &mut self,
        decided: Result<Decision<T>, E>,
        now: Moment,
        reply: Reply<A, E>,
        ctx: &mut Self::Context,
        answer: impl FnOnce(&mut Self, T) -> A,
    ) {
        let decided = decided.map(|decided| self.screen(decided, None, now));
        self.record_or_refuse(decided, now, reply, ctx, |room, it| Ok(answer(room, it?)));
    }

    /// A message that the room is working on.
    fn pending_message(&mut self, message: MessageId) -> Option<Arc<Message>> {
        self.log().pending_message(message)
    }

    /// Whether this user takes part in the conversation.
    fn is_participant(&self, user: UserId) -> bool {
        self.rules().is_some_and(|rules| rules.includes(user))
    }

    /// Asks a rule for its decision on a message that was looked up. `unknown` is the refusal if the
    /// conversation has no such message.
    fn decide_on<T, Refusal>(
        &mut self,
        message: MessageId,
        unknown: Refusal,
        rule: impl FnOnce(&Self::Rules, &Message, &dyn IdGenerator) -> Result<Decision<T>, Refusal>,
    ) -> Result<Decision<T>, Refusal> {
        let known = self.pending_message(message);
        let ids = Arc::clone(&self.context().id_generator);
        match (self.rules(), known) {
            (Some(rules), Some(message)) => rule(rules, &message, &*ids),
            (None, _) | (_, None) => Err(unknown),
        }
    }

    /// The JSON of a message that was decided on just now.
    fn json_of(&mut self, message: MessageId) -> MessageJson {
        let conversation = self.conversation();
        let (message, likes) = self.log().pending.get(message).expect("it was looked up");
        let message = Arc::clone(message);
        let likers = likes.likers();
        message::json(conversation, &message, &likers, &self.context().instance)
    }

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

    /// Reads something of the conversation in the archive, as it is once everything that was answered
    /// is there, and sends it to a reader, unless the reader left during the read.
    fn answer_from_archive<T: Send + 'static, R: Send + 'static>(
        &mut self,
        reader: UserId,
        read: impl FnOnce(&Archive) -> Result<T, IndexFault> + Send + 'static,
        refusal: R,
        reply: Reply<T, R>,
        ctx: &mut Self::Context,
    ) {
        let archive = self.context().archive.clone();
        let read = async move { archive.read_current(reader, read).await };
        ctx.spawn(read.into_actor(self).map(move |found, room: &mut Self, _| {
            let found = found.map_err(|fault| Fault::from(fault).into());
            room.send_read(reader, found, refusal, reply);
        }));
    }

    /// Passes a question on once its message is among the pending ones, for which it is looked up
    /// if it is not one of the newest. `act` finds out whether the message exists.
    fn with_message<Q: Question>(
        &mut self,
        message: MessageId,
        ask: Ask<Q>,
        ctx: &mut Self::Context,
        act: impl FnOnce(&mut Self, Ask<Q>, &mut Self::Context) + 'static,
    ) {
        if self.log().pending.get(message).is_none()
            && let Some((known, likes)) = self.log().recent.known(message)
        {
            let evictions = self.log().pending.evictions();
            self.log().pending.insert_looked_up(known, likes, evictions);
        }
        let applied = self.context().archive.index.applied();
        self.log().pending.evict(message, applied);
        if self.log().pending.get(message).is_some() {
            return act(self, ask, ctx);
        }
        let evictions = self.log().pending.evictions();
        let archive = self.context().archive.clone();
        let stream = self.stream();
        let find = find(archive, stream, message, self.log().newest_change);
        ctx.spawn(find.into_actor(self).map(move |found, room: &mut Self, ctx| match found {
            Ok(Some((known, likes))) => {
                // If it was not laid, the look-up was stale, and the next attempt repeats it.
                room.log().pending.insert_looked_up(known, likes, evictions);
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
            let known = room.log().pending.get(replied_to).map(|(message, _)| Arc::clone(message));
            let Some(message) = known else { return act(room, ask, None, ctx) };
            room.with_message(thread_of(&message), ask, ctx, move |room, ask, ctx| {
                let known =
                    room.log().pending.get(replied_to).map(|(message, _)| Arc::clone(message));
                act(room, ask, Some(known.unwrap_or(message)), ctx);
            });
        });
    }

    /// A message that was decided on just now, with the JSON from when it was staged. For a repeat
    /// of a stored message, the JSON is made again.
    fn with_json(&mut self, message: Arc<Message>) -> ShownMessage {
        let staged = self.ledger().staged(message.id);
        let conversation = self.conversation();
        let instance = &self.context().instance;
        staged.unwrap_or_else(|| message::fresh(conversation, message, instance))
    }

    /// Answers with a page: every message that is durable by now, and none that is not. To be
    /// called after [`settle_ready`](crate::ledger::Recording::settle_ready), which takes
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
        let newest_change = self.log().newest_change;
        let recent = &mut self.log().recent;
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
            if backfills && room.log().newest_change == newest_change {
                room.log().recent.backfill(&archived);
            }
            if let Err(refusal) = admits(&*room) {
                return room.refuse_once_durable(refusal, reply);
            }
            let messages = merged(page, archived, held, limit);
            reply.send(Ok(MessagePage { count, messages }));
        }));
    }

    /// Applies to the log and the calendar what was decided just now. Returns what is shown of it;
    /// `None` for facts about other things.
    fn stage_in_log(&mut self, event: &Event) -> Option<RoomState> {
        let fact = &event.fact;
        if let Some(message) = fact.message() {
            if let Some(base) = answer_of(message) {
                self.log().pending.answer(base, event.at);
            }
            let conversation = self.conversation();
            let instance = &self.context().instance;
            let json = message::json(conversation, message, Likers::NOBODY, instance);
            return Some(RoomState { message: Some(json), ..RoomState::default() });
        }
        if fact.revision().is_some() {
            return Some(self.stage_revision(event).unwrap_or_default());
        }
        if let Some(change) = fact.planned() {
            let planned = self.rules().and_then(|rules| rules.event(change.event())).cloned();
            return Some(RoomState { planned, ..RoomState::default() });
        }
        let (change, is_given) = fact.like()?;
        let likers = Some(self.log().pending.stage(change, is_given).into());
        Some(RoomState { likers, ..RoomState::default() })
    }

    /// Notes in the log what became durable.
    fn settle_in_log(&mut self, commit: &Committed) {
        let applied = self.context().archive.index.applied();
        for entry in &commit.entries {
            match entry.shown_message() {
                Some(shown) => {
                    self.log().recent.push(shown, commit.cursor, applied);
                    self.settle_reply(entry, commit.cursor);
                }
                None => {
                    self.settle_like(&entry.event.fact, commit.cursor);
                    self.settle_revision(entry, commit.cursor);
                }
            }
        }
    }

    /// Notes that a like is durable, if the fact is one.
    fn settle_like(&mut self, fact: &Fact, record: Cursor) {
        let Some((change, is_given)) = fact.like() else { return };
        let applied = self.context().archive.index.applied();
        let log = self.log();
        log.pending.settle(change.message, record, applied);
        log.recent.change_like(change, is_given);
        log.newest_change = record;
    }

    /// Notes that a message is durable, which may be a reply in a thread.
    fn settle_reply(&mut self, entry: &Entry, record: Cursor) {
        let Some(base) = entry.event.fact.message().and_then(|message| answer_of(message)) else {
            return;
        };
        let applied = self.context().archive.index.applied();
        self.log().pending.settle(base, record, applied);
        self.log().recent.answer(base, entry.event.at, record);
        self.log().newest_change = record;
    }

    /// Applies a revision that was decided just now. Returns what is shown of the message then;
    /// `None` for other events.
    fn stage_revision(&mut self, event: &Event) -> Option<RoomState> {
        let (message, likers) = self.log().pending.revise(event.fact.revision()?, event.at)?;
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
        self.log().pending.settle(revision.message, record, applied);
        self.log().recent.revise(message, record);
        if revision.is_deletion() {
            self.log().recent.forget_quotes(revision.message, record);
        }
        self.log().newest_change = record;
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
