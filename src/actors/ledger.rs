//! The ledger of a room: stage, commit, answer, in that order and nowhere else.
//!
//! A fact is applied before it is durable, so that the next message sees it; it is
//! answered (and heard, by those who follow the journal) after, so that nobody learns
//! of a thing that a crash could take back. One commit of a room is under way at a
//! time; what is decided meanwhile gathers for the next one. A refusal that rests on
//! something not yet durable waits for it too.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix::{Actor, ActorFuture, AsyncContext};

use crate::actors::ask::{Failure, Fault, Reply};
use crate::actors::ledger::ending::{CommitNames, Ending, Sent, Waiting};
use crate::actors::room_context::RoomContext;
use crate::bounds::Permit;
use crate::domain::event::{Decision, Entry, Event, Fact, RoomState};
use crate::domain::first_answer::FirstAnswer;
use crate::domain::ids::{MessageId, StreamId};
use crate::domain::message::ShownMessage;
use crate::domain::time::Moment;
use crate::journal::weight::weight;
use crate::journal::{Commit, Committed, JournalFault, MAX_EVENTS, Outcome};
use crate::journal::{StreamHead, Ticket, Unsent};

mod ending;

/// Events that the facts of one decision can be at most.
const DECISION_EVENTS: usize = 16;
/// Bytes of facts that gather for one commit at most. With one decision more (a thousand
/// members are 3 MiB) and its answer, it fits into a record.
const GATHERED_BYTES: usize = 3 << 20;
/// When a commit is handed over again for which the journal had no room.
const AGAIN: Duration = Duration::from_millis(5);
/// Bytes of journal that the index may be behind before rooms refuse to write.
const INDEX_LAG_BYTES: u64 = 64 << 20;

/// What a room is, as far as its ledger has to know.
pub trait Room: Actor<Context = actix::Context<Self>> {
    /// Whose events it decides.
    fn stream(&self) -> StreamId;
    /// What it stands on.
    fn context(&self) -> &RoomContext;
    /// Its ledger.
    fn ledger(&mut self) -> &mut Ledger<Self>;
    /// Whether nobody waits for an answer of it.
    fn is_alone(&self) -> bool {
        true
    }
    /// Who may hear of a fact, asked before it is staged.
    fn audience_of(&self, fact: &Fact) -> crate::domain::audience::Audience;
    /// Makes a decided fact true for what is decided next. Returns what the fact is told
    /// by showing.
    fn stage(&mut self, event: &Event, now: Moment) -> RoomState;
    /// Learns that its facts are durable: from here on, reads may show them.
    fn settled(&mut self, commit: &Arc<Committed>);
}

/// What a room has decided and not yet seen durable.
pub struct Ledger<R> {
    head: StreamHead,
    ticket: Option<Ticket>,
    /// The commit that the ticket is for, also while it is looked for.
    sent: Option<Sent>,
    under_way: Vec<Waiting<R>>,
    gathered: Vec<Entry>,
    gathering: Vec<Waiting<R>>,
    // The room that both take in memory.
    gathered_room: Option<Permit>,
    under_way_room: Option<Permit>,
    /// Whether the journal was too busy for what is gathered, and is asked again later.
    is_held_up: bool,
    failed: Option<Fault>,
    /// Wakes the watch of the commit under way.
    watch: Option<Waker>,
    names: CommitNames,
}

impl<R: Room> Ledger<R> {
    /// Goes on from where the stream ends.
    pub fn at(head: StreamHead) -> Self {
        Self {
            head,
            ticket: None,
            sent: None,
            under_way: Vec::new(),
            gathered: Vec::new(),
            gathering: Vec::new(),
            gathered_room: None,
            under_way_room: None,
            is_held_up: false,
            failed: None,
            watch: None,
            names: CommitNames::fresh(),
        }
    }

    /// Where the durable part of the stream ends.
    pub const fn head(&self) -> StreamHead {
        self.head
    }

    /// Whether everything decided is durable.
    pub const fn is_idle(&self) -> bool {
        self.sent.is_none() && self.gathered.is_empty()
    }

    /// A message that was staged for the next commit.
    pub fn staged(&self, message: MessageId) -> Option<ShownMessage> {
        let mut newest_first = self.gathered.iter().rev().filter_map(Entry::shown_message);
        newest_first.find(|it| it.message.id == message)
    }

    /// Takes no more work: what follows is answered with this fault.
    pub fn close(&mut self, fault: Fault) {
        self.failed = Some(fault);
    }

    /// Whether nothing more is gathered for the next commit. One more event than a
    /// decision has may be an answer that is kept with it.
    fn is_full(&self) -> bool {
        let bytes = self.gathered_room.as_ref().map_or(0, Permit::bytes);
        self.gathered.len() + DECISION_EVENTS + 1 > MAX_EVENTS || bytes >= GATHERED_BYTES
    }

    /// Whether what is gathered can be handed to the journal.
    const fn is_due(&self) -> bool {
        self.sent.is_none() && !self.gathered.is_empty() && !self.is_held_up
    }

    /// What was gathered is on its way.
    fn set_under_way(&mut self, ticket: Ticket, sent: Sent) {
        (self.ticket, self.sent) = (Some(ticket), Some(sent));
        self.under_way_room = self.gathered_room.take();
        self.under_way.append(&mut self.gathering);
    }

    fn wait(&mut self, waiting: Waiting<R>) {
        if self.gathered.is_empty() {
            self.under_way.push(waiting);
        } else {
            self.gathering.push(waiting);
        }
    }
}

/// Watches the commit under way. One per room, for as long as it lives. actix polls it when
/// the room has handled its messages. A decision that follows from other work of the room (a
/// look-up that came back) may be made after that, so whoever submits a commit wakes it.
struct Watch;

impl<R: Room> ActorFuture<R> for Watch {
    type Output = ();

    fn poll(
        self: Pin<&mut Self>,
        room: &mut R,
        ctx: &mut R::Context,
        task: &mut Context<'_>,
    ) -> Poll<()> {
        let is_known = |waker: &Waker| waker.will_wake(task.waker());
        if !room.ledger().watch.as_ref().is_some_and(is_known) {
            room.ledger().watch = Some(task.waker().clone());
        }
        while let Some(ticket) = &mut room.ledger().ticket {
            let Poll::Ready(outcome) = Pin::new(ticket).poll(task) else { return Poll::Pending };
            room.conclude(outcome, ctx);
        }
        Poll::Pending
    }
}

/// What every room can do with its ledger.
pub trait Recording: Room {
    /// Begins to watch commits; called once, when the room starts.
    fn watch(ctx: &mut Self::Context) {
        ctx.spawn(Watch);
    }

    /// Records a decision, and answers when it is durable.
    fn record<T: Send + 'static, E: Send + 'static>(
        &mut self,
        decided: Result<Decision<T>, E>,
        now: Moment,
        reply: Reply<T, E>,
        ctx: &mut Self::Context,
    ) {
        self.record_as(decided, now, reply, ctx, |_, answer| answer);
    }

    /// Records a decision. The answer is made from the room right after it, and sent
    /// when it is durable: made later, it could show what was decided meanwhile and is
    /// not durable yet.
    fn record_as<T: 'static, A: Send + 'static, E: Send + 'static>(
        &mut self,
        decided: Result<Decision<T>, E>,
        now: Moment,
        reply: Reply<A, E>,
        ctx: &mut Self::Context,
        answer: impl FnOnce(&mut Self, T) -> A,
    ) {
        match self.refuses_work() {
            // What changes nothing, or must not wait, needs hardly any room.
            Some(Fault::Full) if decided.as_ref().map_or(true, Decision::is_written_in_need) => {}
            Some(fault) => return reply.send(Err(fault.into())),
            None => {}
        }
        let outcome = match decided {
            Ok(decision) => {
                let is_change = !decision.facts.is_empty();
                self.stage_all(decision.facts, now);
                let answer = answer(self, decision.answer);
                // What changes nothing may be asked again.
                if is_change && let Some(asked) = reply.answered(&answer) {
                    self.make_room(asked.bytes());
                    if let Some(newest) = self.ledger().gathered.last_mut() {
                        newest.asked = Some(Arc::new(asked));
                    }
                }
                if let Some(first) = reply.kept(&answer) {
                    self.gather_answer(first, now);
                }
                Ok(answer)
            }
            Err(refusal) => Err(refusal),
        };
        self.once_durable(Waiting::Answered(Box::new(move |done| match done {
            Ok(()) => reply.send(outcome.map_err(Failure::Refused)),
            Err(fault) => reply.send(Err(fault.into())),
        })));
        self.submit_gathered(ctx);
        self.wake_watch();
    }

    /// Calls back once everything decided so far is durable; at once if it is.
    fn when_durable(&mut self, looking: impl FnOnce(Result<&mut Self, Fault>) + 'static) {
        self.once_durable(Waiting::Looking(Box::new(looking)));
    }

    /// Takes in a commit that became durable without the room having been told yet.
    /// Called before every read, so that whoever heard of an event finds it.
    fn settle_ready(&mut self, ctx: &mut Self::Context) {
        if let Some(outcome) = self.ledger().ticket.as_mut().and_then(Ticket::settled) {
            self.conclude(outcome, ctx);
        }
    }

    /// Why nothing can be written now, if so. Asked before anything is staged: what is
    /// staged stays, however busy the journal is.
    fn refuses_work(&mut self) -> Option<Fault> {
        let RoomContext { archive, undurable, .. } = self.context();
        let behind = archive.journal.newest().bytes_since(archive.index.applied());
        let is_full = undurable.is_full() || behind > INDEX_LAG_BYTES;
        if !archive.journal.owns(self.stream()) {
            return Some(Fault::Elsewhere);
        }
        if !archive.journal.is_reachable() {
            return Some(Fault::Busy);
        }
        let ledger = self.ledger();
        if let Some(fault) = &ledger.failed {
            return Some(fault.clone());
        }
        if !is_full && !ledger.is_full() {
            return (!self.context().archive.journal.has_room()).then_some(Fault::Full);
        }
        self.context().undurable.refuse();
        Some(Fault::Busy)
    }

    /// Whether so many more facts, and an answer, fit into the next commit.
    fn has_room(&mut self, facts: usize) -> bool {
        self.ledger().gathered.len() + facts < MAX_EVENTS
    }

    /// Applies facts and gathers them for the next commit.
    fn stage_all(&mut self, facts: Vec<Fact>, now: Moment) {
        debug_assert!(facts.len() <= DECISION_EVENTS, "a decision stays small");
        for fact in facts {
            self.make_room(weight(&fact));
            let audience = self.audience_of(&fact);
            let event = Arc::new(Event { at: now.wall, fact });
            let state = self.stage(&event, now);
            self.make_room(state.message.as_ref().map_or(0, |json| json.get().len()));
            self.ledger().gathered.push(Entry { audience, state, ..Entry::stored(event) });
        }
    }

    /// Lets an answer become durable together with what it tells of.
    fn gather_answer(&mut self, first: Arc<FirstAnswer>, now: Moment) {
        let event = Event { at: now.wall, fact: Fact::Answered(first) };
        self.make_room(weight(&event.fact));
        self.ledger().gathered.push(Entry::stored(Arc::new(event)));
    }

    /// Holds room for what is gathered next.
    fn make_room(&mut self, bytes: usize) {
        match &mut self.ledger().gathered_room {
            Some(room) => room.extend(bytes),
            None => {
                let room = self.context().undurable.hold(bytes);
                self.ledger().gathered_room = Some(room);
            }
        }
    }

    /// Hands what is gathered to the journal, unless a commit is under way.
    fn submit_gathered(&mut self, ctx: &mut Self::Context) {
        if !self.ledger().is_due() {
            return;
        }
        let (stream, at) = (self.stream(), self.context().clock.now().wall);
        let journal = Arc::clone(&self.context().archive.journal);
        let since = journal.end();
        let ledger = self.ledger();
        let sent = Sent { id: ledger.names.next(), since };
        let commit = Commit {
            stream,
            head: ledger.head,
            id: sent.id,
            at,
            entries: std::mem::take(&mut ledger.gathered),
        };
        match journal.submit(commit) {
            Ok(ticket) => ledger.set_under_way(ticket, sent),
            Err(Unsent { fault: JournalFault::Busy, commit }) => {
                // Nothing is lost by waiting: it was staged, and stays so.
                ledger.gathered = commit.entries;
                ledger.is_held_up = true;
                ctx.run_later(AGAIN, |room, ctx| {
                    room.ledger().is_held_up = false;
                    room.submit_gathered(ctx);
                    room.wake_watch();
                });
            }
            Err(Unsent { fault, .. }) => self.give_up(Fault::Storage(fault.to_string()), ctx),
        }
    }

    /// Has the watch look at a commit that was submitted just now.
    fn wake_watch(&mut self) {
        if let Some(watch) = &self.ledger().watch {
            watch.wake_by_ref();
        }
    }

    /// Ends the commit under way, one way or the other.
    fn conclude(&mut self, outcome: Outcome, ctx: &mut Self::Context) {
        (self.ledger().ticket, self.ledger().under_way_room) = (None, None);
        match outcome {
            Outcome::Committed(commit) => {
                self.ledger().sent = None;
                self.ledger().head = commit.after;
                self.settled(&commit);
                let waiting = std::mem::take(&mut self.ledger().under_way);
                waiting.into_iter().for_each(|waiting| waiting.go_on(self));
                self.submit_gathered(ctx);
            }
            // Another node took it over, and nothing of this is written now.
            Outcome::Conflict if !self.context().archive.journal.owns(self.stream()) => {
                self.find_out(Fault::Elsewhere, ctx);
            }
            Outcome::Conflict => {
                self.find_out(Fault::Storage("the stream moved on".to_owned()), ctx);
            }
            Outcome::Unknown(fault) => self.find_out(Fault::Storage(fault.to_string()), ctx),
        }
    }
}

impl<R: Room> Recording for R {}
