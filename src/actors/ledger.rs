//! The ledger of a room: stage, commit, answer, in that order and nowhere else.
//!
//! A fact is applied before it is durable, so that the next decision sees it. It is answered, and
//! delivered by the followers of the journal, only afterwards, so that nobody learns of something
//! that a crash could take back. Each room has one commit under way at a time; what it decides
//! meanwhile is gathered for the next one. A refusal that rests on something not yet durable waits
//! as well.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix::{Actor, ActorContext, ActorFuture, ActorFutureExt, AsyncContext, WrapFuture};

use crate::ask::{Answers, Ask, Failure, Fault, Question, Reply};
use crate::idempotency::SavedAnswer;
use crate::room_context::RoomContext;
use crate::write_limits::{LimitExceeded, WriteCost};
use base::bounds::Permit;
use base::random::random;
use domain::event::{Decision, Entry, Event, Fact, RoomState};
use domain::first_answer::FirstAnswer;
use domain::ids::{MessageId, StreamId, UserId};
use domain::message::{Author, ShownMessage};
use domain::time::Moment;
use index::IndexFault;
use index::archive::Archive;
use journal::weight::weight;
use journal::{
    Commit, CommitId, Committed, Cursor, JournalFault, MAX_EVENTS, Outcome, StreamHead, Ticket,
    Unsent,
};

/// Most events that one decision may have: one request invites 50 addresses.
const DECISION_EVENTS: usize = 64;
/// Bytes of facts after which nothing more is gathered for a commit. Together with one more
/// decision (a thousand members are 3 MiB) and its answer, they fit into one record.
const GATHERED_BYTES: usize = 3 << 20;
/// After how long a commit is submitted again that the journal was too busy for.
const AGAIN: Duration = Duration::from_millis(5);
/// How many bytes of journal the index may be behind before rooms refuse to write.
const INDEX_LAG_BYTES: u64 = 64 << 20;

/// Against whose limits a decision counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payer {
    /// Those of its writer.
    Writer,
    /// Nobody's.
    Nobody,
}

/// A room, as far as its ledger has to know it.
pub trait Room: Actor<Context = actix::Context<Self>> {
    /// The stream whose events the room decides.
    fn stream(&self) -> StreamId;
    /// The parts of the server that the room uses.
    fn context(&self) -> &RoomContext;
    /// The room's ledger.
    fn ledger(&mut self) -> &mut Ledger<Self>;
    /// Whether no caller waits for an answer of the room.
    fn is_alone(&self) -> bool {
        true
    }
    /// The audience of a fact; asked before the fact is staged.
    fn audience_of(&self, fact: &Fact) -> domain::audience::Audience;
    /// Applies a decided fact, so that the next decision sees it. Returns what is shown of the room
    /// right after the fact.
    fn stage(&mut self, event: &Event, now: Moment) -> RoomState;
    /// The user who made a bot of the room, by the bot's public number.
    fn maker_of_bot(&self, _number: UserId) -> Option<UserId> {
        None
    }
    /// Tells the room that its facts are durable: from here on, reads may show them.
    fn settled(&mut self, commit: &Arc<Committed>);
}

/// The decisions of a room that are not durable yet.
pub struct Ledger<R> {
    head: StreamHead,
    ticket: Option<Ticket>,
    /// The commit under way, also while the journal is searched for it.
    sent: Option<SubmittedCommit>,
    /// Those who wait for the commit under way.
    under_way: Vec<CommitWaiter<R>>,
    /// The entries of the next commit.
    gathered: Vec<Entry>,
    /// Those who wait for the next commit.
    gathering: Vec<CommitWaiter<R>>,
    // The memory that the facts of either commit take, held from the budget of all rooms.
    gathered_permit: Option<Permit>,
    under_way_permit: Option<Permit>,
    /// Whether the journal was too busy for the gathered commit, which is submitted again later.
    is_held_up: bool,
    failed: Option<Fault>,
    /// Wakes [`CommitWatch`], which polls the commit under way.
    watch: Option<Waker>,
    names: CommitIds,
}

impl<R: Room> Ledger<R> {
    /// A ledger without open decisions; `head` is where the stream ends.
    pub fn at(head: StreamHead) -> Self {
        Self {
            head,
            ticket: None,
            sent: None,
            under_way: Vec::new(),
            gathered: Vec::new(),
            gathering: Vec::new(),
            gathered_permit: None,
            under_way_permit: None,
            is_held_up: false,
            failed: None,
            watch: None,
            names: CommitIds::fresh(),
        }
    }

    /// The end of the durable part of the stream.
    pub const fn head(&self) -> StreamHead {
        self.head
    }

    /// Whether everything decided is durable.
    pub const fn is_idle(&self) -> bool {
        self.sent.is_none() && self.gathered.is_empty()
    }

    /// The newest message with this id that is gathered for the next commit.
    pub fn staged(&self, message: MessageId) -> Option<ShownMessage> {
        let mut newest_first = self.gathered.iter().rev().filter_map(Entry::shown_message);
        newest_first.find(|it| it.message.id == message)
    }

    /// Takes no more decisions: all that follow are answered with this fault.
    pub fn close(&mut self, fault: Fault) {
        self.failed = Some(fault);
    }

    /// Whether the next commit takes no further decision. The one event more than a decision may
    /// have is the answer that is kept with it.
    fn is_full(&self) -> bool {
        let bytes = self.gathered_permit.as_ref().map_or(0, Permit::bytes);
        self.gathered.len() + DECISION_EVENTS + 1 > MAX_EVENTS || bytes >= GATHERED_BYTES
    }

    /// Whether the gathered commit can be submitted.
    const fn is_due(&self) -> bool {
        self.sent.is_none() && !self.gathered.is_empty() && !self.is_held_up
    }

    /// Notes that the gathered commit was submitted.
    fn set_under_way(&mut self, ticket: Ticket, sent: SubmittedCommit) {
        (self.ticket, self.sent) = (Some(ticket), Some(sent));
        self.under_way_permit = self.gathered_permit.take();
        self.under_way.append(&mut self.gathering);
    }

    fn wait(&mut self, waiting: CommitWaiter<R>) {
        if self.gathered.is_empty() {
            self.under_way.push(waiting);
        } else {
            self.gathering.push(waiting);
        }
    }
}

/// Polls the commit under way. One per room, for as long as the room lives. actix polls it after
/// the room has handled its messages. Other work of the room (a look-up that came back) may lead to
/// a decision after that poll, so submitting a commit wakes the watch.
struct CommitWatch;

impl<R: Room> ActorFuture<R> for CommitWatch {
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

/// Operations of every room on its ledger.
pub trait Recording: Room {
    /// Begins to poll commits. Called once, when the room starts.
    fn watch(ctx: &mut Self::Context) {
        ctx.spawn(CommitWatch);
    }

    /// Records a decision, and answers when the decision is durable.
    fn record<T: Send + 'static, E: Send + 'static>(
        &mut self,
        decided: Result<Decision<T>, E>,
        now: Moment,
        reply: Reply<T, E>,
        ctx: &mut Self::Context,
    ) {
        self.record_as(decided, now, reply, ctx, |_, answer| answer);
    }

    /// Records a decision. `answer` makes the answer from the room at once; it is sent when the
    /// decision is durable. Made later, the answer could show what was decided meanwhile and is not
    /// durable yet.
    fn record_as<T: 'static, A: Send + 'static, E: Send + 'static>(
        &mut self,
        decided: Result<Decision<T>, E>,
        now: Moment,
        reply: Reply<A, E>,
        ctx: &mut Self::Context,
        answer: impl FnOnce(&mut Self, T) -> A,
    ) {
        self.record_with(Payer::Writer, decided, now, reply, ctx, |room, it| Ok(answer(room, it)));
    }

    /// Records a decision that may refuse what was asked and still has facts, such as the act of a
    /// rule. `answer` makes the answer or the refusal from the room at once.
    fn record_or_refuse<T: 'static, A: Send + 'static, E: Send + 'static>(
        &mut self,
        decided: Result<Decision<T>, E>,
        now: Moment,
        reply: Reply<A, E>,
        ctx: &mut Self::Context,
        answer: impl FnOnce(&mut Self, T) -> Result<A, E>,
    ) {
        self.record_with(Payer::Writer, decided, now, reply, ctx, answer);
    }

    /// Records what the server itself decided, though a user caused it: it counts against nobody's
    /// limits.
    fn record_for_server<T: Send + 'static, E: Send + 'static>(
        &mut self,
        decided: Result<Decision<T>, E>,
        now: Moment,
        reply: Reply<T, E>,
        ctx: &mut Self::Context,
    ) {
        self.record_with(Payer::Nobody, decided, now, reply, ctx, |_, answer| Ok(answer));
    }

    /// Records a decision, and has it paid.
    fn record_with<T: 'static, A: Send + 'static, E: Send + 'static>(
        &mut self,
        payer: Payer,
        decided: Result<Decision<T>, E>,
        now: Moment,
        reply: Reply<A, E>,
        ctx: &mut Self::Context,
        answer: impl FnOnce(&mut Self, T) -> Result<A, E>,
    ) {
        match self.refuses_work() {
            // A refusal, a decision without facts, or one that must not wait needs hardly any disk
            // space.
            Some(Fault::Full)
                if decided.as_ref().map_or(true, Decision::is_written_when_disk_full) => {}
            Some(fault) => return reply.send(Err(fault.into())),
            None => {}
        }
        let payer = match (&decided, payer) {
            (Ok(decision), Payer::Writer) => {
                match self.admit(&decision.facts, reply.asker(), now) {
                    Ok(user) => user,
                    Err(exceeded) => return reply.send(Err(Fault::Limited(exceeded).into())),
                }
            }
            (Ok(_) | Err(_), Payer::Nobody) | (Err(_), Payer::Writer) => None,
        };
        let outcome = match decided {
            Ok(decision) => {
                self.stage_all(decision.facts, now);
                match answer(self, decision.answer) {
                    Ok(answer) => {
                        self.stage_all(reply.audit_facts(&answer), now);
                        let recorded = self.gather_response(&reply, &answer, payer, now);
                        Ok((answer, recorded))
                    }
                    Err(refusal) => Err(refusal),
                }
            }
            Err(refusal) => Err(refusal),
        };
        self.once_durable(CommitWaiter::Reply(Box::new(move |done| match done {
            Ok(()) => {
                let outcome = outcome.map(|(answer, recorded)| {
                    recorded.into_iter().for_each(|it| reply.publish(it));
                    answer
                });
                reply.send(outcome.map_err(Failure::Refused));
            }
            Err(fault) => reply.send(Err(fault.into())),
        })));
        self.submit_gathered(ctx);
        self.wake_watch();
    }

    /// Puts the answer to a question into the commit, if it came with a key.
    fn gather_response<A: Send + 'static, E: Send + 'static>(
        &mut self,
        reply: &Reply<A, E>,
        answer: &A,
        payer: Option<UserId>,
        now: Moment,
    ) -> Option<SavedAnswer> {
        let recorded = reply.answer_to_record(answer);
        if let Some(recorded) = &recorded {
            self.gather_answer(Arc::clone(&recorded.first), payer, now);
        }
        recorded
    }

    /// Calls back once everything decided so far is durable, which may be at once.
    fn when_durable(&mut self, looking: impl FnOnce(Result<&mut Self, Fault>) + 'static) {
        self.once_durable(CommitWaiter::Read(Box::new(looking)));
    }

    /// Refuses once everything decided so far is durable: a crash could undo the decision that the
    /// refusal rests on.
    fn refuse_once_durable<T: Send + 'static, E: Send + 'static>(
        &mut self,
        refusal: E,
        reply: Reply<T, E>,
    ) {
        self.when_durable(move |room| {
            reply.send(Err(match room {
                Ok(_) => Failure::Refused(refusal),
                Err(fault) => Failure::Fault(fault),
            }));
        });
    }

    /// Applies a commit that became durable before the room was told. Called before every read, so
    /// that a client that received an event finds it here.
    fn settle_ready(&mut self, ctx: &mut Self::Context) {
        if let Some(outcome) = self.ledger().ticket.as_mut().and_then(Ticket::settled) {
            self.conclude(outcome, ctx);
        }
    }

    /// Why nothing can be decided now, if so. Checked before anything is staged, since staged facts
    /// stay, however busy the journal is.
    fn refuses_work(&mut self) -> Option<Fault> {
        let RoomContext { archive, undurable, .. } = self.context();
        let behind = archive.journal.newest().bytes_since(archive.index.applied());
        let is_full = undurable.is_full() || behind > INDEX_LAG_BYTES;
        if !archive.journal.leads() {
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
            return (!self.context().archive.journal.has_space()).then_some(Fault::Full);
        }
        self.context().undurable.refuse();
        Some(Fault::Busy)
    }

    /// Counts a decision against the limits of its writer; one without facts, whose answer is kept
    /// under a key, against those of the asker. Returns who pays.
    fn admit(
        &self,
        facts: &[Fact],
        asker: Option<UserId>,
        now: Moment,
    ) -> Result<Option<UserId>, LimitExceeded> {
        let limits = &self.context().write_limits;
        if limits.are_off() {
            return Ok(None);
        }
        let stream = self.stream();
        let user = match facts.iter().find_map(|fact| fact.writer(stream)) {
            Some(Author::Member(user)) => Some(user),
            Some(Author::Bot(number)) => self.maker_of_bot(number),
            Some(Author::System) => None,
            None if facts.is_empty() => asker,
            None => None,
        };
        let is_bot_post = facts.iter().any(|it| it.message().is_some_and(|it| it.author.is_bot()));
        let bytes = facts.iter().map(weight).sum();
        limits.admit(stream, WriteCost { user, is_bot_post, bytes }, now.mono)?;
        Ok(user)
    }

    /// Whether this many more facts, and an answer, fit into the next commit.
    fn fits(&mut self, facts: usize) -> bool {
        self.ledger().gathered.len() + facts < MAX_EVENTS
    }

    /// Applies facts and gathers them for the next commit.
    fn stage_all(&mut self, facts: Vec<Fact>, now: Moment) {
        debug_assert!(facts.len() <= DECISION_EVENTS, "a decision stays small");
        for fact in facts {
            self.reserve_memory(weight(&fact));
            let audience = self.audience_of(&fact);
            let event = Arc::new(Event { at: now.wall, fact });
            let state = self.stage(&event, now);
            self.reserve_memory(state.message.as_ref().map_or(0, |json| json.get().len()));
            self.ledger().gathered.push(Entry { audience, state, ..Entry::stored(event) });
        }
    }

    /// Gathers an answer, so that it becomes durable together with what it answers.
    fn gather_answer(&mut self, first: Arc<FirstAnswer>, payer: Option<UserId>, now: Moment) {
        let event = Event { at: now.wall, fact: Fact::Answered(first) };
        let bytes = weight(&event.fact);
        self.reserve_memory(bytes);
        if let Some(user) = payer {
            self.context().write_limits.count(user, bytes, now.mono);
        }
        self.ledger().gathered.push(Entry::stored(Arc::new(event)));
    }

    /// Holds memory, from the budget of all rooms, for what is gathered next.
    fn reserve_memory(&mut self, bytes: usize) {
        match &mut self.ledger().gathered_permit {
            Some(permit) => permit.extend(bytes),
            None => {
                let permit = self.context().undurable.hold(bytes);
                self.ledger().gathered_permit = Some(permit);
            }
        }
    }

    /// Submits the gathered commit to the journal, unless one is under way.
    fn submit_gathered(&mut self, ctx: &mut Self::Context) {
        if !self.ledger().is_due() {
            return;
        }
        let stream = self.stream();
        let at = self.context().clock.now().wall;
        let journal = Arc::clone(&self.context().archive.journal);
        let since = journal.end();
        let ledger = self.ledger();
        let sent = SubmittedCommit { id: ledger.names.next(), since };
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
                // Waiting loses nothing: the facts are staged and stay gathered.
                ledger.gathered = commit.entries;
                ledger.is_held_up = true;
                ctx.run_later(AGAIN, |room, ctx| {
                    room.ledger().is_held_up = false;
                    room.submit_gathered(ctx);
                    room.wake_watch();
                });
            }
            Err(Unsent { fault, .. }) => {
                self.stop_with_fault(Fault::Storage(fault.to_string()), ctx)
            }
        }
    }

    /// Has the watch poll a commit that was submitted just now.
    fn wake_watch(&mut self) {
        if let Some(watch) = &self.ledger().watch {
            watch.wake_by_ref();
        }
    }

    /// Ends the commit under way, written or not.
    fn conclude(&mut self, outcome: Outcome, ctx: &mut Self::Context) {
        (self.ledger().ticket, self.ledger().under_way_permit) = (None, None);
        match outcome {
            Outcome::Committed(commit) => {
                self.ledger().sent = None;
                self.ledger().head = commit.after;
                self.settled(&commit);
                let waiting = std::mem::take(&mut self.ledger().under_way);
                waiting.into_iter().for_each(|waiting| waiting.complete(self));
                self.submit_gathered(ctx);
            }
            // Another node took over before this commit was written, and may have handed the lead
            // back since.
            Outcome::Conflict if self.context().archive.journal.is_shared() => {
                self.resolve_unknown_commit(Fault::Elsewhere, ctx);
            }
            Outcome::Conflict => {
                self.resolve_unknown_commit(Fault::Storage("the stream moved on".to_owned()), ctx);
            }
            Outcome::Unknown(fault) => {
                self.resolve_unknown_commit(Fault::Storage(fault.to_string()), ctx)
            }
        }
    }
}

impl<R: Room> Recording for R {}

/// Keeps an answer that was not recorded with its act: a refusal, or the end of an act of several
/// steps. Sent by `http::once`; answered once the answer is on disk.
#[derive(Debug)]
pub struct KeepAnswer {
    /// The first answer to keep.
    pub first: Arc<FirstAnswer>,
}

impl Question for KeepAnswer {
    type Answer = ();
    type Refusal = Infallible;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

impl<R: Room> Answers<KeepAnswer> for R {
    /// Records the answer in the room's stream. It counts for the user whose stream it is, and is
    /// never refused: the act may have been done.
    fn answer(&mut self, ask: Ask<KeepAnswer>, ctx: &mut R::Context) {
        let now = self.context().clock.now();
        let fact = Fact::Answered(ask.question.first);
        if let StreamId::User(user) = self.stream() {
            self.context().write_limits.count(user, weight(&fact), now.mono);
        }
        let facts = vec![fact];
        self.record_for_server(Ok(Decision { facts, answer: () }), now, ask.reply, ctx);
    }
}

type ReadCallback<R> = Box<dyn FnOnce(Result<&mut R, Fault>)>;

/// A waiter for a decision to become durable.
enum CommitWaiter<R> {
    /// An answer that was made together with the decision.
    Reply(Box<dyn FnOnce(Result<(), Fault>)>),
    /// A read, which looks at the room once the decision is durable.
    Read(ReadCallback<R>),
}

impl<R> CommitWaiter<R> {
    /// Whether the answer was made with the decision.
    const fn is_reply(&self) -> bool {
        matches!(self, Self::Reply(_))
    }

    /// Answers with a fault, because the decision will not become durable.
    fn fail(self, fault: Fault) {
        match self {
            Self::Reply(answer) => answer(Err(fault)),
            Self::Read(look) => look(Err(fault)),
        }
    }

    /// Continues: the decision is durable, and the room shows it.
    fn complete(self, room: &mut R) {
        match self {
            Self::Reply(answer) => answer(Ok(())),
            Self::Read(look) => look(Ok(room)),
        }
    }
}

/// The commit under way, as far as is needed to search the journal for it.
#[derive(Debug, Clone, Copy)]
struct SubmittedCommit {
    /// The commit's id.
    id: CommitId,
    /// The end of the journal before the commit was submitted.
    since: Cursor,
}

impl SubmittedCommit {
    /// Returns the commit, if it was written.
    ///
    /// # Errors
    /// If the journal cannot be read.
    async fn look_up(
        self,
        archive: Archive,
        stream: StreamId,
    ) -> Result<Option<Arc<Committed>>, IndexFault> {
        let Self { id, since } = self;
        let found = move |archive: &Archive| archive.journal.look_up(id, since);
        archive.blocking(stream, move |archive| found(archive).map_err(IndexFault::Journal)).await
    }
}

/// Makes ids of commits: a random start for each start of a room, then a count. Asking the system
/// for random bits at every post would cost more than the rules of the post itself.
struct CommitIds {
    start: u64,
    count: u64,
}

impl CommitIds {
    /// The ids of a room that is starting.
    fn fresh() -> Self {
        Self { start: u64::from_be_bytes(random()), count: 0 }
    }

    /// Returns an id that no other commit has.
    fn next(&mut self) -> CommitId {
        self.count += 1;
        CommitId(u128::from(self.start) << 64 | u128::from(self.count))
    }
}

/// Completion of commits, the same in every room.
trait Ending: Room {
    /// Continues once everything decided so far is durable, which may be at once.
    fn once_durable(&mut self, waiting: CommitWaiter<Self>) {
        if self.ledger().is_idle() {
            waiting.complete(self);
        } else {
            self.ledger().wait(waiting);
        }
    }

    /// Searches the journal for the commit under way, which may have been written after all. The
    /// room then loads itself again in any case, since another node may have written its stream.
    fn resolve_unknown_commit(&mut self, fault: Fault, ctx: &mut Self::Context) {
        let Some(sent) = self.ledger().sent else { return self.stop_with_fault(fault, ctx) };
        self.ledger().failed = Some(fault.clone());
        let looking = sent.look_up(self.context().archive.clone(), self.stream());
        ctx.spawn(looking.into_actor(self).map(move |found, room, ctx| {
            let fault = match found {
                Ok(Some(commit)) => {
                    room.reply_to_written(commit.after);
                    fault
                }
                Ok(None) => fault,
                Err(trouble) => Fault::Storage(trouble.to_string()),
            };
            room.stop_with_fault(fault, ctx);
        }));
    }

    /// Sends the answers that waited for a commit that was written. Reads keep waiting, since the
    /// room does not show the commit yet.
    fn reply_to_written(&mut self, head: StreamHead) {
        self.ledger().head = head;
        let all = std::mem::take(&mut self.ledger().under_way).into_iter();
        let (answered, looking) = all.partition::<Vec<_>, _>(CommitWaiter::is_reply);
        self.ledger().under_way = looking;
        answered.into_iter().for_each(|it| it.complete(self));
    }

    /// Drops the room's state, which may be ahead of what is durable: everything that waits is
    /// answered with the fault, and the room stops, to be loaded again by the directory.
    fn stop_with_fault(&mut self, fault: Fault, ctx: &mut Self::Context) {
        if matches!(fault, Fault::Elsewhere) {
            tracing::info!(
                stream = %self.stream(),
                "another node took this stream over; dropping its state here"
            );
        } else {
            let stream = self.stream();
            tracing::error!(
                %stream, %fault,
                "a commit failed; dropping the state of its stream and loading it again"
            );
        }
        let ledger = self.ledger();
        ledger.failed = Some(fault.clone());
        ledger.gathered.clear();
        ledger.gathered_permit = None;
        let mut waiting = std::mem::take(&mut ledger.under_way);
        waiting.append(&mut ledger.gathering);
        waiting.into_iter().for_each(|waiting| waiting.fail(fault.clone()));
        ctx.stop();
    }
}

impl<R: Room> Ending for R {}
