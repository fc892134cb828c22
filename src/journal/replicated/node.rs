//! The thread of a node's journal: reads the log, appends to the copy, resolves tickets and tells
//! followers.
//!
//! Its state comes from the log's order alone. `sending` has the messages that it sends.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::fences::Fences;
use crate::queue::Pending;
use crate::replicated::copy::{Agreement, LocalCopy, Records, marked, stopped};
use crate::replicated::foundation::Founding;
use crate::replicated::inbox::{Arrived, Claim, Inbox, ShutInboxOnDrop};
use crate::replicated::key_state::KeyState;
use crate::replicated::lane::{Ended, Lanes, Waiting, end_all, weigh};
use crate::replicated::log::{Delivered, LogEvent, SharedLog, Subject};
use crate::replicated::mark::Mark;
use crate::replicated::message::{Content, CopyPoint, LogMessage};
use crate::replicated::shard::{Shard, TakeOver};
use crate::replicated::{Core, NodeIdentity};
use crate::status::StopOnPanic;
use crate::{Committed, Cursor, JournalFault, Outcome};
use base::clock::Deadline;

/// How long messages under way may take to come back when a node stops.
const GRACE: Duration = Duration::from_secs(5);
/// The least time between two log lines about skipped messages.
const TELL_SKIPS: Duration = Duration::from_secs(60);

/// The state of the node's thread.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) core: Arc<Core>,
    pub(super) log: Arc<dyn SharedLog>,
    pub(super) copy: LocalCopy,
    /// The id of this run of the node.
    pub(super) writer: u64,
    /// How many messages this run has sent.
    pub(super) numbers: u64,
    pub(super) codes: KeyState,
    pub(super) lanes: Lanes,
    /// The commits that wait for the message under way.
    pub(super) waiting: Waiting,
    /// The callers that wait for this node to lead.
    claims: Vec<oneshot::Sender<Result<(), JournalFault>>>,
    /// The run that took the first shard over last, as read from the log since this node started.
    pub(super) leader: Option<u64>,
    /// Whether that is this run, and no node of an earlier version may write on another shard.
    pub(super) leads: bool,
    pub(super) fences: Fences,
    pub(super) founding: Founding,
    /// The installation of the single-machine journal in the directory, if any.
    pub(super) grew_from: Option<u64>,
    /// The log's newest message when reading began; None until the log reports it.
    pub(super) reach: Option<u64>,
    /// Whether the log was asked to deliver again; until it does, messages that come too early are
    /// ignored.
    pub(super) is_rereading: bool,
    pub(super) most_bytes: MessageBytes,
    /// The newest message in the copy when upkeep last ran.
    pub(super) kept_up_at: u64,
    /// The message of which one server returned invalid bytes last.
    suspect: Option<u64>,
    /// Until when no further skipped message is logged.
    skips_told: Option<Deadline>,
}

/// Most bytes of records in one message.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageBytes {
    /// The limit of several records together.
    pub(super) batch: usize,
    /// The limit of one record; a longer one is sent in parts.
    pub(super) part: usize,
}

impl Node {
    pub(super) fn new(
        core: Arc<Core>,
        log: Arc<dyn SharedLog>,
        copy: LocalCopy,
        who: NodeIdentity,
        most_bytes: MessageBytes,
    ) -> Self {
        let lanes = Lanes::default();
        let is_marked = copy.state.installation.is_some();
        let founding = if is_marked { Founding::Done } else { Founding::Awaited };
        let fences = Fences::default();
        let numbers = 0;
        let reach = None;
        let is_rereading = false;
        let NodeIdentity { run: writer, grew_from, key } = who;
        let codes = KeyState::of(key, copy.state.number);
        Self {
            core,
            log,
            copy,
            writer,
            numbers,
            codes,
            lanes,
            waiting: Waiting::default(),
            claims: Vec::new(),
            leader: None,
            leads: false,
            fences,
            founding,
            grew_from,
            reach,
            is_rereading,
            most_bytes,
            kept_up_at: 0,
            suspect: None,
            skips_told: None,
        }
    }

    /// Sets the newest message of each shard in the copy.
    pub(super) fn with_newest(mut self, of_shards: Vec<u64>) -> Self {
        self.lanes.all().zip(of_shards).for_each(|(lane, newest)| lane.marked = newest);
        self
    }

    /// Works until the inbox is shut and no commit is left, or until the log ends.
    pub(super) fn run(mut self) {
        let core = Arc::clone(&self.core);
        let _shut_inbox_on_drop = ShutInboxOnDrop(&core.inbox);
        let _stop_on_panic = StopOnPanic(&core.standing);
        let listener: Arc<Inbox> = Arc::clone(&core.inbox);
        self.log.begin(listener, self.copy.state.known.sequence + 1);
        let mut arrived = Arrived::default();
        let mut closing = None;
        let fault = loop {
            let shut = core.inbox.take(&mut arrived, closing.is_some());
            if let Err(fault) = self.work_off(&mut arrived) {
                core.standing.stop(fault.clone());
                break fault;
            }
            if shut.is_some() && closing.is_none() {
                self.log.end(GRACE);
                closing = shut;
            }
            if let Some(fault) = closing.take_if(|_| self.is_idle()) {
                break fault;
            }
        };
        self.log.end(Duration::ZERO);
        self.end(&fault);
    }

    fn end(&mut self, fault: &JournalFault) {
        self.core.inbox.shut(fault.clone());
        self.core.catch_up.stop(fault.clone());
        let outcome = Outcome::Unknown(fault.clone());
        self.lanes.all().for_each(|lane| end_all(lane.take_all(), &outcome));
        end_all(self.waiting.take_all(), &outcome);
        self.answer_claims(&Err(fault.clone()));
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.lanes.are_idle()
    }

    fn work_off(&mut self, arrived: &mut Arrived) -> Result<(), JournalFault> {
        for event in arrived.events.drain(..) {
            self.hear(event)?;
        }
        if std::mem::take(&mut arrived.upkeep) {
            self.keep_up()?;
        }
        if std::mem::take(&mut arrived.codes) {
            self.begin_codes();
        }
        self.claims.extend(arrived.claims.drain(..).map(|Claim(reply)| reply));
        arrived.commits.drain(..).for_each(|commit| self.accept(commit));
        self.go_on()
    }

    /// Whether somebody waits for this node to lead. Callers may have given their claims up.
    pub(super) fn is_claiming(&mut self) -> bool {
        self.claims.retain(|it| !it.is_closed());
        !self.claims.is_empty()
    }

    fn answer_claims(&mut self, answer: &Result<(), JournalFault>) {
        // A caller may have stopped waiting.
        self.claims.drain(..).for_each(|reply| drop(reply.send(answer.clone())));
    }

    /// Begins to lead, or goes on after it was given up without another node taking over; unless
    /// messages are being read again, since another node's take-over may be among them.
    pub(super) fn begin_leading(&mut self) {
        if !self.is_rereading && self.is_claiming() {
            self.core.set_leads(true);
            self.answer_claims(&Ok(()));
        }
    }

    /// Queues a commit if this node leads or is taking over. Otherwise the commit is a conflict: a
    /// room that should no longer run here decided it.
    fn accept(&mut self, pending: Pending) {
        if self.leads || !self.claims.is_empty() {
            self.waiting.push(pending);
        } else {
            self.settle(vec![pending], &Outcome::Conflict);
        }
    }

    /// Ends the commits that wait, since they can be sent no more.
    pub(super) fn refuse_waiting(&mut self) {
        let waiting = self.waiting.take_all();
        if !waiting.is_empty() {
            self.settle(waiting, &Outcome::Conflict);
        }
    }

    pub(super) fn settle(&self, commits: Vec<Pending>, outcome: &Outcome) {
        let (items, bytes) = weigh(&commits);
        self.core.inbox.settled(items, bytes);
        end_all(commits, outcome);
    }

    fn hear(&mut self, event: LogEvent) -> Result<(), JournalFault> {
        match event {
            LogEvent::Reaches { first, last } => self.reaches(first, last),
            LogEvent::Delivered(delivered) => self.delivered(&delivered),
            LogEvent::Doubtful { subject, number } => {
                self.doubtful(subject, number);
                Ok(())
            }
            LogEvent::Last { subject, sequence } => {
                self.last_is(subject, sequence);
                Ok(())
            }
            LogEvent::Trimmed { first } => Err(self.lacks(first)),
            LogEvent::Over => Err(JournalFault::Closed),
        }
    }

    pub(super) fn check_current(&mut self) {
        let has_all = self.reach.is_some_and(|reach| self.copy.state.known.sequence >= reach);
        if has_all && self.founding == Founding::Done {
            self.codes.drop_new_key();
            self.core.installation.get_or_init(|| self.copy.state.installation.unwrap_or(0));
            self.core.catch_up.is_current();
        }
    }

    fn delivered(&mut self, delivered: &Delivered) -> Result<(), JournalFault> {
        let here = self.copy.state.known.sequence;
        let sequence = delivered.sequence;
        let decoded = LogMessage::read(delivered.subject, &delivered.payload);
        if sequence <= here + 1
            && let Ok(message) = &decoded
        {
            self.refuse_without_key(message)?;
        }
        let decoded = decoded.and_then(|message| self.authenticated(message, delivered));
        if sequence <= here {
            decoded.iter().for_each(|message| self.came_again(delivered, message));
            return Ok(());
        }
        if sequence > here + 1 {
            // While the log is read again, later messages were on their way before that.
            if !self.is_rereading {
                self.core.log_counts.difference();
                self.read_again(sequence, "messages before it are missing");
            }
            return Ok(());
        }
        match decoded {
            Ok(message) if self.recollects(&message) => return Ok(()),
            Ok(message) => {
                if self.suspect == Some(sequence) {
                    self.core.log_counts.difference();
                }
                self.is_rereading = false;
                self.note_code(&message, delivered.code);
                self.take_in(sequence, message)?;
            }
            Err(reason) if delivered.is_agreed => {
                self.is_rereading = false;
                self.refuse_other_key(delivered)?;
                self.skip(sequence, delivered.subject, reason);
            }
            Err(reason) => {
                self.suspect = Some(sequence);
                self.read_again(sequence, reason);
                return Ok(());
            }
        }
        self.check_current();
        Ok(())
    }

    fn read_again(&mut self, sequence: u64, reason: &str) {
        tracing::error!(
            sequence,
            reason,
            "a message of the log is wrong; comparing it on all servers"
        );
        self.is_rereading = true;
        self.log.read_again(self.copy.state.known.sequence + 1);
    }

    /// Passes a message that no node of this installation wrote, as every other node does. The
    /// message moved the fence of its subject, so the message under way there is sent again.
    fn skip(&mut self, sequence: u64, subject: Option<Subject>, reason: &str) {
        self.copy.pass(sequence);
        let skipped = self.core.log_counts.skipped();
        if self.skips_told.is_none_or(|it| it.left().is_zero()) {
            self.skips_told = Some(Deadline::after(TELL_SKIPS));
            tracing::warn!(
                sequence,
                reason,
                skipped,
                "skipped a message of the log that no node of this installation sent"
            );
        }
        let Some(subject) = subject else { return };
        self.lanes.of(subject).last = Some(sequence);
        self.send_behind(subject, sequence);
    }

    fn take_in(&mut self, sequence: u64, message: LogMessage) -> Result<(), JournalFault> {
        let LogMessage { subject, installation, name, known, content } = message;
        let own = self.copy.state.installation;
        // While its servers elect a leader, the log may let in two founding messages. The first
        // counts.
        let is_of_founding =
            matches!(content, Content::Founded { .. } | Content::Seed(_) | Content::Seeded);
        let is_late = is_of_founding && (own.is_some() || self.founding == Founding::Done);
        if !is_late && own.or(self.grew_from).is_some_and(|own| own != installation) {
            return Err(stopped("join", "the log is another installation's"));
        }
        if name.writer != self.writer {
            self.compare(known)?;
        }
        let writer = self.writer;
        let ended = self.lanes.of(subject).came(sequence, name, writer);
        let (came, beaten) = match ended {
            Ended::Nothing => (Vec::new(), Vec::new()),
            Ended::Came(commits) => (commits, Vec::new()),
            Ended::Beaten(commits) => (Vec::new(), commits),
        };
        self.settle(beaten, &Outcome::Conflict);
        if !matches!(content, Content::Part(_)) {
            let broken_off = self.lanes.of(subject).break_off();
            self.settle(broken_off.into_iter().collect(), &Outcome::Conflict);
        }
        if is_late {
            self.core.log_counts.skipped();
            tracing::warn!(sequence, "skipped a second founding message of the log");
            self.copy.pass(sequence);
            return Ok(());
        }
        let mark = marked(sequence, subject, installation, name, &content);
        match content {
            Content::Founded { is_seeded } => self.founded(mark, is_seeded),
            Content::Seed(seed) => {
                self.copy.take_seed(&seed)?;
                self.copy.pass(sequence);
                let until = seed.base + seed.offset + seed.bytes.len() as u64;
                self.founding = Founding::Seeded { until };
                Ok(())
            }
            Content::Seeded => {
                self.copy.close_seed()?;
                self.founding = Founding::Done;
                self.append(mark, Records::Theirs(Bytes::new()), Vec::new())
            }
            Content::TakenOver { closes } => self.taken_over(mark, subject, closes),
            Content::Commits { records, .. } => self.commits(mark, records, came),
            Content::Part(part) => self.part(mark, subject, &part, came),
        }
    }

    /// Compares another node's check value with this copy's, and stops the journal if this copy is
    /// the one that is wrong.
    fn compare(&self, known: CopyPoint) -> Result<(), JournalFault> {
        match self.copy.agrees(known)? {
            Agreement::Same | Agreement::Forgotten => Ok(()),
            Agreement::TheyDiffer => {
                self.core.log_counts.difference();
                let sequence = known.sequence;
                tracing::error!(
                    sequence,
                    "another node's journal is damaged: its check value differs from this node's"
                );
                Ok(())
            }
            Agreement::WeDiffer { since } => {
                let what = format!("it differs from the others' at {} of the log", known.sequence);
                let fault = self.core.suspicion.distrust(since, &what);
                self.core.stop(fault.clone());
                Err(fault)
            }
        }
    }

    fn founded(&mut self, mark: Mark, is_seeded: bool) -> Result<(), JournalFault> {
        if is_seeded {
            self.founding = Founding::Seeded { until: 0 };
            self.copy.pass(mark.sequence);
            return Ok(());
        }
        if !self.copy.is_empty() {
            return Err(stopped("join", "the log began without the journal that is here"));
        }
        self.founding = Founding::Done;
        self.append(mark, Records::Theirs(Bytes::new()), Vec::new())
    }

    fn taken_over(
        &mut self,
        mark: Mark,
        subject: Subject,
        closes: bool,
    ) -> Result<(), JournalFault> {
        self.append(mark, Records::Theirs(Bytes::new()), Vec::new())?;
        self.lanes.of(subject).is_closed = closes;
        if subject == Subject::LEADER {
            self.core.leading.taken_over(TakeOver { run: mark.writer, sequence: mark.sequence });
            if self.leader.replace(mark.writer) != Some(mark.writer) {
                self.core.log_counts.takeover();
            }
        }
        let leads = self.leader == Some(self.writer) && self.lanes.are_closed();
        // A repeated take-over changes nothing, since this node may be handing over.
        if leads == self.leads {
            return Ok(());
        }
        self.leads = leads;
        self.core.set_leads(leads);
        if leads {
            return Ok(());
        }
        if self.claims.is_empty() {
            self.refuse_waiting();
        }
        Ok(())
    }

    pub(super) fn commits(
        &mut self,
        mark: Mark,
        records: Bytes,
        came: Vec<Pending>,
    ) -> Result<(), JournalFault> {
        let (items, bytes) = weigh(&came);
        let (drafts, resolves) = came.into_iter().map(|it| (it.draft, it.resolve)).unzip();
        let drafts: Vec<_> = drafts;
        let records =
            if drafts.is_empty() { Records::Theirs(records) } else { Records::Own(drafts) };
        self.core.inbox.settled(items, bytes);
        self.append(mark, records, resolves)
    }

    /// Appends a message to the copy, resolves its tickets, and notifies the followers.
    fn append(
        &mut self,
        mark: Mark,
        records: Records,
        resolves: Vec<oneshot::Sender<Outcome>>,
    ) -> Result<(), JournalFault> {
        let before = self.copy.end();
        let commits = match self.copy.append(mark, records) {
            Ok(commits) => commits,
            Err(fault) => {
                let outcome = Outcome::Unknown(fault.clone());
                resolves.into_iter().for_each(|it| drop(it.send(outcome.clone())));
                return Err(fault);
            }
        };
        commits.iter().for_each(|commit| self.fences.moved(commit.stream, commit.after));
        if let Some(shard) = Shard::new(mark.shard) {
            let lane = self.lanes.of(Subject::Of(shard));
            lane.marked = mark.sequence;
            lane.unmarked.clear();
        }
        let end = self.copy.end();
        let bytes = usize::try_from(end - before).unwrap_or(0);
        self.core.counts.durable(commits.len(), bytes);
        if !commits.is_empty() {
            self.core.log_counts.batch(commits.len());
        }
        self.core.followers.tell(commits, Cursor::new(end), |commits: &[Arc<Committed>]| {
            for (resolve, commit) in resolves.into_iter().zip(commits) {
                drop(resolve.send(Outcome::Committed(Arc::clone(commit))));
            }
        });
        Ok(())
    }
}
