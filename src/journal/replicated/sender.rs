//! The messages that a node sends: take-overs, its rooms' commits, and how the log begins.
//!
//! A message is sent under a fence until it, or another message in its place, is read from the log;
//! so no look-up is needed to know how it ended.

use std::sync::Arc;
use std::time::Duration;

use crate::queue::Pending;
use crate::replicated::foundation::Founding;
use crate::replicated::lane::UnderWay;
use crate::replicated::log::{Publication, Subject};
use crate::replicated::message::{Content, LogMessage, MessageName, has_code};
use crate::replicated::node::{MessageBytes, Node};
use crate::replicated::parts::PartlySent;
use crate::replicated::shard::Shard;
use crate::{JournalFault, Outcome};

/// The delay before a message is sent again, doubled each time up to `AGAIN_AT_MOST`.
const AGAIN: Duration = Duration::from_millis(5);
const AGAIN_AT_MOST: Duration = Duration::from_millis(500);
/// Every so many failures of a message without commits, the log is asked for the subject's newest
/// message.
const ASK_LAST_AFTER: u32 = 3;

impl UnderWay {
    fn publication(&self, subject: Subject, after: Duration) -> Publication {
        let Self { number, fence, code, .. } = *self;
        Publication { subject, fence, number, payload: self.payload.clone(), code, after }
    }
}

impl Node {
    /// Sends what can be sent, once the copy is as far as the log was.
    pub(super) fn go_on(&mut self) -> Result<(), JournalFault> {
        if !self.is_caught_up() {
            return Ok(());
        }
        if self.founding == Founding::Done {
            self.go_on_leading();
            return Ok(());
        }
        if self.lanes.of(Subject::Installation).under_way.is_none()
            && let Some(content) = self.founding.next(&self.copy, self.grew_from.is_some())?
        {
            self.send(Subject::Installation, &content, Vec::new());
        }
        Ok(())
    }

    /// Whether the copy has everything that the log had when reading began.
    pub(super) fn is_caught_up(&self) -> bool {
        self.reach.is_some_and(|reach| self.copy.state.known.sequence >= reach)
    }

    /// Sends the commits that wait if this node leads, and its take-overs if it is to lead.
    fn go_on_leading(&mut self) {
        if self.lanes.of(Subject::LEADER).under_way.is_none() {
            self.send_part(Subject::LEADER);
        }
        if self.leads {
            self.begin_leading();
            self.send_waiting();
        } else if self.is_claiming() {
            Shard::all().for_each(|shard| self.claim_shard(shard));
        } else {
            self.refuse_waiting();
        }
    }

    /// Sends the next batch of commits, unless one is under way. Meanwhile others gather: a batch
    /// costs the servers and every node the same, whatever its size.
    fn send_waiting(&mut self) {
        if self.waiting.is_empty() || !self.lanes.of(Subject::LEADER).is_idle() {
            return;
        }
        let MessageBytes { batch, part } = self.most_bytes;
        let mut gathered = self.waiting.gather(&self.fences, batch);
        // A commit that is too long for a message is gathered alone.
        let long = gathered.commits.pop_if(|it| it.draft.len() > part);
        self.lanes.of(Subject::LEADER).partly = long.map(|it| PartlySent::begin(it, part));
        let content = gathered.content();
        self.settle(gathered.conflicts, &Outcome::Conflict);
        if !gathered.commits.is_empty() {
            self.send(Subject::LEADER, &content, gathered.commits);
        } else {
            self.send_part(Subject::LEADER);
        }
    }

    /// Takes the first shard over, and closes another one, once the copy has its newest message.
    fn claim_shard(&mut self, shard: Shard) {
        let subject = Subject::Of(shard);
        let here = self.copy.state.known.sequence;
        let is_leader = self.leader == Some(self.writer);
        let lane = self.lanes.of(subject);
        let is_taken = if subject == Subject::LEADER { is_leader } else { lane.is_closed };
        if lane.under_way.is_some() || is_taken {
            return;
        }
        match lane.last {
            Some(last) if last <= here => self.send_take_over(subject),
            // Waits until the copy has that message.
            Some(_) => {}
            None if lane.is_asking => {}
            None => {
                lane.is_asking = true;
                self.log.ask_last(subject);
            }
        }
    }

    /// Sends the next part of a long commit, if there is one.
    fn send_part(&mut self, subject: Subject) {
        let Some(partly) = self.lanes.of(subject).partly.take() else { return };
        let part = partly.next(self.most_bytes.part);
        self.send(subject, &Content::Part(part), vec![partly.commit]);
    }

    pub(super) fn send_take_over(&mut self, subject: Subject) {
        self.send(subject, &Content::TakenOver { closes: true }, Vec::new());
    }

    pub(super) fn send(&mut self, subject: Subject, content: &Content, commits: Vec<Pending>) {
        let number = self.next_number();
        let writer = self.writer;
        let state = self.copy.state;
        let message = LogMessage {
            subject,
            installation: state.installation.or(self.grew_from).unwrap_or(writer),
            name: MessageName { writer, number },
            known: state.known,
            content: content.clone(),
        };
        let payload = message.encode();
        let code = self.code(subject, &payload);
        let lane = self.lanes.of(subject);
        let fence = lane.last.unwrap_or(0);
        let it = UnderWay { number, payload, code, fence, attempts: 0, commits };
        self.log.publish(it.publication(subject, Duration::ZERO));
        lane.under_way = Some(it);
    }

    /// Sends the message under way once more, after a message that is skipped came in its place.
    /// If the log has codes by now, the message gets one.
    pub(super) fn send_behind(&mut self, subject: Subject, skipped: u64) {
        let Some(mut it) = self.lanes.of(subject).under_way.take() else { return };
        it.fence = skipped;
        if self.writes_codes()
            && !has_code(it.number)
            && let Ok(mut message) = LogMessage::decode(&it.payload)
        {
            it.number = self.next_number();
            message.name.number = it.number;
            it.payload = message.encode();
            it.code = self.code(subject, &it.payload);
        }
        self.log.publish(it.publication(subject, Duration::ZERO));
        self.lanes.of(subject).under_way = Some(it);
    }

    /// Sends a message again, since the log may not have taken it. Its fence lets it in only once.
    pub(super) fn doubtful(&mut self, subject: Subject, number: u64) {
        let log = Arc::clone(&self.log);
        let lane = self.lanes.of(subject);
        let Some(it) = lane.under_way.as_mut().filter(|it| it.number == number) else { return };
        it.attempts += 1;
        let after = AGAIN_AT_MOST.min(AGAIN * 2_u32.saturating_pow(it.attempts.min(10)));
        if it.commits.is_empty() && it.attempts % ASK_LAST_AFTER == 0 && !lane.is_asking {
            lane.is_asking = true;
            log.ask_last(subject);
        }
        log.publish(it.publication(subject, after));
    }

    /// Handles the log's answer to which message of a subject is the newest. A claim that was sent
    /// with an older fence is dropped, so that it is sent again.
    pub(super) fn last_is(&mut self, subject: Subject, sequence: u64) {
        let is_own = subject == Subject::LEADER && self.leader == Some(self.writer);
        let lane = self.lanes.of(subject);
        lane.is_asking = false;
        // A leader's fence is the newest message that it has read, not one that it was only told
        // of.
        if !is_own && lane.last.is_none_or(|known| known < sequence) {
            lane.last = Some(sequence);
            drop(lane.under_way.take_if(|it| it.commits.is_empty()));
        }
    }
}
