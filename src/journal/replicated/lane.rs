//! A lane: one subject of the log as one node sees it, with the message under way and
//! the fence that the next message meets; and the commits that wait for the leader's lane.
//!
//! One message of a lane is under way at a time. It may be sent again and again, since its fence
//! lets it in once. The messages that the log delivers on the lane tell how it ended: it came, or
//! another message came in its place, and then it can never come any more.

use std::collections::{HashSet, VecDeque};

use crate::Outcome;
use crate::fences::Fences;
use crate::queue::Pending;
use crate::replicated::log::{Code, Subject};
use crate::replicated::message::{Content, MessageName};
use crate::replicated::parts::{PartlySent, PartsSoFar};
use crate::replicated::shard::SHARDS;
use bytes::Bytes;

/// All lanes: one for each shard, and one for the installation.
#[derive(Debug)]
pub(super) struct Lanes(Vec<Lane>);

impl Default for Lanes {
    fn default() -> Self {
        Self((0..=SHARDS).map(|_| Lane::default()).collect())
    }
}

impl Lanes {
    /// The lane of a subject.
    pub(super) fn of(&mut self, subject: Subject) -> &mut Lane {
        let index = match subject {
            Subject::Of(shard) => shard.get(),
            Subject::Installation => SHARDS,
        };
        &mut self.0[usize::from(index)]
    }

    /// All lanes.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.0.iter_mut()
    }

    /// Whether no node of an earlier version may write on any shard.
    pub(super) fn are_closed(&self) -> bool {
        self.0[..usize::from(SHARDS)].iter().all(|it| it.is_closed)
    }

    /// Whether no message is under way.
    pub(super) fn are_idle(&self) -> bool {
        self.0.iter().all(Lane::is_idle)
    }
}

/// One subject of the log.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// The newest message on the subject, as far as the log was read or asked; the fence of the
    /// next message. None if unknown.
    pub(super) last: Option<u64>,
    /// The newest message on the subject that is in the copy; 0 if there is none. Codes prove that
    /// a message follows it.
    pub(super) marked: u64,
    /// The codes of parts since then, which add nothing to the copy: a part counts once.
    pub(super) unmarked: Vec<Code>,
    /// Whether the last take-over closed the shard to commits, unless it is the first one; false
    /// if none was read since this node started.
    pub(super) is_closed: bool,
    /// The message that was sent and has not come back.
    pub(super) under_way: Option<UnderWay>,
    /// A long commit of which some parts came back and the next one is to be sent.
    pub(super) partly: Option<PartlySent>,
    /// The parts of a long commit that came so far, from any sender.
    pub(super) parts: Option<PartsSoFar>,
    /// Whether the log was asked for the subject's newest message and has not answered yet.
    pub(super) is_asking: bool,
}

/// A message that was sent and has not come back.
#[derive(Debug)]
pub(super) struct UnderWay {
    pub(super) number: u64,
    pub(super) payload: Bytes,
    pub(super) code: Option<Code>,
    pub(super) fence: u64,
    pub(super) attempts: u32,
    pub(super) commits: Vec<Pending>,
}

/// The outcome of the message under way when a message came on its lane.
#[derive(Debug)]
pub(super) enum Ended {
    /// No message was under way.
    Nothing,
    /// It was the message that came; these are its commits.
    Came(Vec<Pending>),
    /// Another message came in its place; these commits are conflicts.
    Beaten(Vec<Pending>),
}

impl Lane {
    /// Whether no message is under way, and no part is left to send.
    pub(super) fn is_idle(&self) -> bool {
        self.under_way.is_none() && self.partly.is_none()
    }

    /// Drops a long commit of which only parts came, since a message other than a part came and the
    /// rest can never come any more. Returns the commit if this node was sending it.
    pub(super) fn break_off(&mut self) -> Option<Pending> {
        self.parts = None;
        self.partly.take().map(|it| it.commit)
    }

    /// Notes a message that came on the lane, and tells the outcome of the one under way.
    pub(super) fn came(&mut self, sequence: u64, name: MessageName, own: u64) -> Ended {
        self.last = Some(sequence);
        match self.under_way.take() {
            None => Ended::Nothing,
            Some(it) if own == name.writer && it.number == name.number => Ended::Came(it.commits),
            Some(it) => Ended::Beaten(it.commits),
        }
    }

    /// Takes every commit that has not ended.
    pub(super) fn take_all(&mut self) -> Vec<Pending> {
        let under_way = self.under_way.take().map(|it| it.commits).unwrap_or_default();
        let partly = self.partly.take().map(|it| it.commit);
        under_way.into_iter().chain(partly).collect()
    }
}

/// The commits that wait to be sent.
#[derive(Debug, Default)]
pub(super) struct Waiting(VecDeque<Pending>);

impl Waiting {
    /// Adds a commit.
    pub(super) fn push(&mut self, commit: Pending) {
        self.0.push_back(commit);
    }

    /// Whether no commit waits.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes all commits.
    pub(super) fn take_all(&mut self) -> Vec<Pending> {
        std::mem::take(&mut self.0).into()
    }

    /// Takes the commits of one message from the queue: at most one of each stream, since the next
    /// one was decided on the head that the first one leaves. Commits that were decided on an
    /// outdated head are returned as conflicts.
    pub(super) fn gather(&mut self, fences: &Fences, most_bytes: usize) -> Gathered {
        let mut gathered = Gathered::default();
        let mut streams = HashSet::new();
        let mut later = VecDeque::new();
        let mut bytes = 0;
        while let Some(pending) = self.0.pop_front() {
            let stream = pending.draft.stream();
            let length = pending.draft.len();
            if streams.contains(&stream) {
                later.push_back(pending);
            } else if !fences.admits(stream, pending.draft.head()) {
                tracing::warn!(
                    %stream,
                    "rejected a commit that was decided on an outdated head of its stream"
                );
                gathered.conflicts.push(pending);
            } else if !gathered.commits.is_empty() && bytes + length > most_bytes {
                self.0.push_front(pending);
                break;
            } else {
                streams.insert(stream);
                bytes += length;
                gathered.commits.push(pending);
            }
        }
        later.append(&mut self.0);
        self.0 = later;
        gathered
    }
}

/// The commits of one message, and those that cannot be written.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) commits: Vec<Pending>,
    pub(super) conflicts: Vec<Pending>,
}

impl Gathered {
    /// The content of the commits' message.
    pub(super) fn content(&self) -> Content {
        let length = self.commits.iter().map(|it| it.draft.len()).sum();
        let mut records = Vec::with_capacity(length);
        self.commits.iter().for_each(|it| records.extend_from_slice(it.draft.bytes()));
        let count = u32::try_from(self.commits.len()).unwrap_or(u32::MAX);
        Content::Commits { count, records: records.into() }
    }
}

/// The number of commits, and their bytes.
pub(super) fn weigh(commits: &[Pending]) -> (usize, usize) {
    (commits.len(), commits.iter().map(|it| it.draft.len()).sum())
}

/// Resolves the tickets of commits with this outcome.
pub(super) fn end_all(commits: Vec<Pending>, outcome: &Outcome) {
    // The receiver may have given up waiting.
    commits.into_iter().for_each(|it| drop(it.resolve.send(outcome.clone())));
}
