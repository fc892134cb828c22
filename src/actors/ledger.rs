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

use actix::{Actor, ActorContext, ActorFuture, AsyncContext};

use crate::actors::ask::{Failure, Fault, Reply};
use crate::actors::ground::Ground;
use crate::actors::mint::random;
use crate::domain::audience::Onlookers;
use crate::domain::event::{Decision, Entry, Event, Fact};
use crate::domain::first_answer::FirstAnswer;
use crate::domain::group::Group;
use crate::domain::ids::{StreamId, UserId};
use crate::domain::time::Moment;
use crate::domain::user::User;
use crate::journal::{Commit, CommitId, Committed, Head, MAX_EVENTS, Outcome, Ticket};

/// Events that the facts of one decision can be at most.
const DECISION_EVENTS: usize = 16;
/// Bytes of answers that gather for one commit at most, so that it fits into a record.
const ANSWERS_BYTES: usize = 2 << 20;
/// Bytes of journal that the index may be behind before rooms refuse to write.
const INDEX_LAG_BYTES: u64 = 64 << 20;

/// What a room is, as far as its ledger has to know.
pub trait Room: Actor<Context = actix::Context<Self>> {
    /// Whose events it decides.
    fn stream(&self) -> StreamId;
    /// What it stands on.
    fn ground(&self) -> &Ground;
    /// Its ledger.
    fn ledger(&mut self) -> &mut Ledger<Self>;
    /// Who may hear of a fact, asked before it is staged.
    fn audience_of(&self, fact: &Fact) -> crate::domain::audience::Audience;
    /// Makes a decided fact true for what is decided next. Returns what the fact is told
    /// by showing.
    fn stage(&mut self, event: &Event, now: Moment) -> Shown;
    /// Learns that its facts are durable: from here on, reads may show them.
    fn settled(&mut self, commit: &Arc<Committed>);
}

/// What is shown of a room after a fact, for those facts that are told so.
#[derive(Debug, Default)]
pub struct Shown {
    /// The group.
    pub scene: Option<Arc<Group>>,
    /// Who likes the message.
    pub favorited_by: Option<Arc<[UserId]>>,
    /// The account.
    pub account: Option<Arc<User>>,
    /// Who else may hear how the user looks now.
    pub onlookers: Option<Onlookers>,
}

type Waiting<R> = Box<dyn FnOnce(Result<&mut R, Fault>)>;

/// What a room has decided and not yet seen durable.
pub struct Ledger<R> {
    head: Head,
    ticket: Option<Ticket>,
    under_way: Vec<Waiting<R>>,
    gathered: Vec<Entry>,
    gathering: Vec<Waiting<R>>,
    /// Bytes of the answers in what is gathered.
    answers_bytes: usize,
    failed: Option<Fault>,
    /// Wakes the watch of the commit under way.
    watch: Option<Waker>,
    names: CommitNames,
}

/// Names commits: random for each start of a room, then counted, since asking the
/// system for random bits at every post would cost more than the post's own rules.
struct CommitNames {
    start: u64,
    count: u64,
}

impl CommitNames {
    fn fresh() -> Self {
        Self { start: u64::from_be_bytes(random()), count: 0 }
    }

    fn next(&mut self) -> CommitId {
        self.count += 1;
        CommitId(u128::from(self.start) << 64 | u128::from(self.count))
    }
}

impl<R: Room> Ledger<R> {
    /// Goes on from where the stream ends.
    pub fn at(head: Head) -> Self {
        Self {
            head,
            ticket: None,
            under_way: Vec::new(),
            gathered: Vec::new(),
            gathering: Vec::new(),
            answers_bytes: 0,
            failed: None,
            watch: None,
            names: CommitNames::fresh(),
        }
    }

    /// Where the durable part of the stream ends.
    pub const fn head(&self) -> Head {
        self.head
    }

    /// Whether everything decided is durable.
    pub const fn is_idle(&self) -> bool {
        self.ticket.is_none() && self.gathered.is_empty()
    }

    /// Takes no more work: what follows is answered with this fault.
    pub fn close(&mut self, fault: Fault) {
        self.failed = Some(fault);
    }

    fn wait(&mut self, waiting: Waiting<R>) {
        if self.gathered.is_empty() {
            self.under_way.push(waiting);
        } else {
            self.gathering.push(waiting);
        }
    }
}

/// Watches the commit under way. One per room, for as long as it lives.
///
/// actix polls it when the room has handled its messages. A decision that follows from
/// other work of the room (a look-up that came back) may be made after that, so whoever
/// submits a commit wakes it.
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
    fn record<T: 'static, E: 'static>(
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
    fn record_as<T: 'static, A: 'static, E: 'static>(
        &mut self,
        decided: Result<Decision<T>, E>,
        now: Moment,
        mut reply: Reply<A, E>,
        ctx: &mut Self::Context,
        answer: impl FnOnce(&mut Self, T) -> A,
    ) {
        if let Some(fault) = self.refuses_work() {
            return reply.send(Err(fault.into()));
        }
        let outcome = match decided {
            Ok(decision) => {
                self.stage_all(decision.facts, now);
                let answer = answer(self, decision.answer);
                if let Some(first) = reply.kept(&answer) {
                    self.gather_answer(first, now);
                }
                Ok(answer)
            }
            Err(refusal) => Err(refusal),
        };
        self.when_durable(move |room| match room {
            Ok(_) => reply.send(outcome.map_err(Failure::Refused)),
            Err(fault) => reply.send(Err(fault.into())),
        });
        self.submit_gathered(ctx);
        if let Some(watch) = &self.ledger().watch {
            watch.wake_by_ref();
        }
    }

    /// Calls back once everything decided so far is durable; at once if it is.
    fn when_durable(&mut self, waiting: impl FnOnce(Result<&mut Self, Fault>) + 'static) {
        if self.ledger().is_idle() {
            waiting(Ok(self));
        } else {
            self.ledger().wait(Box::new(waiting));
        }
    }

    /// Takes in a commit that became durable without the room having been told yet.
    /// Called before every read, so that whoever heard of an event finds it.
    fn settle_ready(&mut self, ctx: &mut Self::Context) {
        if let Some(outcome) = self.ledger().ticket.as_mut().and_then(Ticket::settled) {
            self.conclude(outcome, ctx);
        }
    }

    /// Why nothing can be written now, if so.
    fn refuses_work(&mut self) -> Option<Fault> {
        let archive = &self.ground().archive;
        let behind = archive.journal.newest().get().saturating_sub(archive.index.applied().get());
        let ledger = self.ledger();
        // One more for the answer that may be kept with a decision.
        let is_full = ledger.gathered.len() + DECISION_EVENTS + 1 > MAX_EVENTS
            || ledger.answers_bytes > ANSWERS_BYTES;
        match &ledger.failed {
            Some(fault) => Some(fault.clone()),
            None if is_full || behind > INDEX_LAG_BYTES => Some(Fault::Busy),
            None => None,
        }
    }

    /// Whether so many more facts, and an answer, fit into the next commit.
    fn has_room(&mut self, facts: usize) -> bool {
        self.ledger().gathered.len() + facts < MAX_EVENTS
    }

    /// Applies facts and gathers them for the next commit.
    fn stage_all(&mut self, facts: Vec<Fact>, now: Moment) {
        debug_assert!(facts.len() <= DECISION_EVENTS, "a decision stays small");
        for fact in facts {
            let audience = self.audience_of(&fact);
            let event = Arc::new(Event { at: now.wall, fact });
            let Shown { scene, favorited_by, account, onlookers } = self.stage(&event, now);
            let entry = Entry { event, audience, scene, favorited_by, account, onlookers };
            self.ledger().gathered.push(entry);
        }
    }

    /// Lets an answer become durable together with what it tells of.
    fn gather_answer(&mut self, first: Arc<FirstAnswer>, now: Moment) {
        let ledger = self.ledger();
        ledger.answers_bytes += first.body.as_ref().map_or(0, String::len);
        let event = Event { at: now.wall, fact: Fact::Answered(first) };
        ledger.gathered.push(Entry::stored(Arc::new(event)));
    }

    /// Hands what is gathered to the journal, unless a commit is under way.
    fn submit_gathered(&mut self, ctx: &mut Self::Context) {
        let is_due = self.ledger().ticket.is_none() && !self.ledger().gathered.is_empty();
        if !is_due {
            return;
        }
        let (stream, at) = (self.stream(), self.ground().clock.now().wall);
        let journal = Arc::clone(&self.ground().archive.journal);
        let ledger = self.ledger();
        let commit = Commit {
            stream,
            head: ledger.head,
            id: ledger.names.next(),
            at,
            entries: std::mem::take(&mut ledger.gathered),
        };
        ledger.answers_bytes = 0;
        ledger.under_way.append(&mut ledger.gathering);
        match journal.submit(commit) {
            Ok(ticket) => ledger.ticket = Some(ticket),
            Err(fault) => self.give_up(Fault::Storage(fault.to_string()), ctx),
        }
    }

    /// Ends the commit under way, one way or the other.
    fn conclude(&mut self, outcome: Outcome, ctx: &mut Self::Context) {
        self.ledger().ticket = None;
        match outcome {
            Outcome::Committed(commit) => {
                self.ledger().head = commit.after;
                self.settled(&commit);
                for waiting in std::mem::take(&mut self.ledger().under_way) {
                    waiting(Ok(self));
                }
                self.submit_gathered(ctx);
            }
            Outcome::Conflict => {
                self.give_up(Fault::Storage("the stream moved on".to_owned()), ctx);
            }
            Outcome::Unknown(fault) => self.give_up(Fault::Storage(fault.to_string()), ctx),
        }
    }

    /// Drops a state that may be ahead of what is durable: everything waiting is
    /// answered with the fault, and the directory loads the room again.
    fn give_up(&mut self, fault: Fault, ctx: &mut Self::Context) {
        tracing::error!(stream = %self.stream(), %fault, "a commit failed; the room loads again");
        let ledger = self.ledger();
        ledger.failed = Some(fault.clone());
        ledger.gathered.clear();
        let mut waiting = std::mem::take(&mut ledger.under_way);
        waiting.append(&mut ledger.gathering);
        waiting.into_iter().for_each(|waiting| waiting(Err(fault.clone())));
        ctx.stop();
    }
}

impl<R: Room> Recording for R {}
