//! A lane: one subject of the log, as one node sees it: what waits to be written, what is
//! under way, who owns it, and the fence that the next message meets.
//!
//! One message of a lane is under way at a time, and it may be sent again and again: its
//! fence lets it in once. What the log shows on the lane tells how it ended: it came, or
//! something else came in its place, and then it can never come any more.

use std::collections::{HashSet, VecDeque};

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::journal::fences::Fences;
use crate::journal::queue::Pending;
use crate::journal::replicated::log::Subject;
use crate::journal::replicated::message::{Content, MessageName};
use crate::journal::replicated::parts::{PartlySent, PartsSoFar};
use crate::journal::replicated::shard::SHARDS;
use crate::journal::{JournalFault, Outcome};

/// Every lane: one for each shard, and one for the installation.
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

    /// All of them.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.0.iter_mut()
    }

    /// How many have a batch under way that nobody doubts.
    pub(super) fn under_way(&self) -> usize {
        let under_way = self.0.iter().filter_map(|it| it.under_way.as_ref());
        under_way.filter(|it| it.attempts == 0 && !it.commits.is_empty()).count()
    }

    /// Whether everything that was handed in has ended.
    pub(super) fn are_idle(&self) -> bool {
        self.0.iter().all(Lane::is_idle)
    }
}

/// One subject of the log.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// The newest message on it, as far as the log was heard or asked.
    pub(super) last: Option<u64>,
    /// Who owns it, as far as the log was heard since this node runs.
    pub(super) owner: Option<u64>,
    /// Commits that wait for the one under way.
    pub(super) waiting: VecDeque<Pending>,
    /// Who waits for this node to own it.
    pub(super) claims: Vec<oneshot::Sender<Result<(), JournalFault>>>,
    /// What was sent and has not come back.
    pub(super) under_way: Option<UnderWay>,
    /// A long commit of which some parts came back and the next is to be sent.
    pub(super) partly: Option<PartlySent>,
    /// Parts of a long commit, whoever sent them.
    pub(super) parts: Option<PartsSoFar>,
    /// Whether the log was asked for its newest message and has not answered.
    pub(super) is_asking: bool,
}

/// A message that was sent.
#[derive(Debug)]
pub(super) struct UnderWay {
    pub(super) number: u64,
    pub(super) payload: Bytes,
    pub(super) fence: u64,
    pub(super) attempts: u32,
    pub(super) commits: Vec<Pending>,
}

/// How the message under way ended, when something came.
#[derive(Debug)]
pub(super) enum Ended {
    /// Nothing was under way.
    Nothing,
    /// It came.
    Came(Vec<Pending>),
    /// Something else came in its place.
    Beaten(Vec<Pending>),
}

impl Lane {
    /// Whether commits wait that could begin a message, if there were room for one.
    pub(super) fn is_waiting(&self) -> bool {
        self.under_way.is_none() && self.partly.is_none() && !self.waiting.is_empty()
    }

    /// Whether nothing waits and nothing is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.under_way.is_none() && self.partly.is_none()
    }

    /// Something else than a part came: what came of a long commit is void, and the rest
    /// of it can never come any more. Tells which one that was, if it was ours.
    pub(super) fn break_off(&mut self) -> Option<Pending> {
        self.parts = None;
        self.partly.take().map(|it| it.commit)
    }

    /// A message came on it.
    pub(super) fn came(&mut self, sequence: u64, name: MessageName, own: u64) -> Ended {
        self.last = Some(sequence);
        match self.under_way.take() {
            None => Ended::Nothing,
            Some(it) if own == name.writer && it.number == name.number => Ended::Came(it.commits),
            Some(it) => Ended::Beaten(it.commits),
        }
    }

    /// Takes commits for one message from what waits: at most one of a stream, since the
    /// next one stands on where that one ends. Those that stand on an end that is gone
    /// are told of it.
    pub(super) fn gather(&mut self, fences: &Fences, most_bytes: usize) -> Gathered {
        let mut gathered = Gathered::default();
        let (mut streams, mut later, mut bytes) = (HashSet::new(), VecDeque::new(), 0);
        while let Some(pending) = self.waiting.pop_front() {
            let (stream, length) = (pending.draft.stream(), pending.draft.len());
            if streams.contains(&stream) {
                later.push_back(pending);
            } else if !fences.admits(stream, pending.draft.head()) {
                tracing::warn!(%stream, "a commit met a fence");
                gathered.conflicts.push(pending);
            } else if !gathered.commits.is_empty() && bytes + length > most_bytes {
                self.waiting.push_front(pending);
                break;
            } else {
                streams.insert(stream);
                bytes += length;
                gathered.commits.push(pending);
            }
        }
        later.append(&mut self.waiting);
        self.waiting = later;
        gathered
    }

    /// Takes every commit that has not ended.
    pub(super) fn take_all(&mut self) -> Vec<Pending> {
        let under_way = self.under_way.take().map(|it| it.commits).unwrap_or_default();
        let partly = self.partly.take().map(|it| it.commit);
        under_way.into_iter().chain(partly).chain(std::mem::take(&mut self.waiting)).collect()
    }

    /// Tells those who claimed it.
    pub(super) fn answer_claims(&mut self, answer: &Result<(), JournalFault>) {
        // Who claimed it may have gone.
        self.claims.drain(..).for_each(|reply| drop(reply.send(answer.clone())));
    }
}

/// Commits for one message.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) commits: Vec<Pending>,
    pub(super) conflicts: Vec<Pending>,
}

impl Gathered {
    /// What the message says.
    pub(super) fn content(&self) -> Content {
        let length = self.commits.iter().map(|it| it.draft.len()).sum();
        let mut records = Vec::with_capacity(length);
        self.commits.iter().for_each(|it| records.extend_from_slice(it.draft.bytes()));
        let count = u32::try_from(self.commits.len()).unwrap_or(u32::MAX);
        Content::Commits { count, records: records.into() }
    }
}

/// How many commits these are, and of how many bytes.
pub(super) fn weigh(commits: &[Pending]) -> (usize, usize) {
    (commits.len(), commits.iter().map(|it| it.draft.len()).sum())
}

/// Tells commits how they ended.
pub(super) fn end_all(commits: Vec<Pending>, outcome: &Outcome) {
    // Whoever gave up waiting does not want to know.
    commits.into_iter().for_each(|it| drop(it.resolve.send(outcome.clone())));
}
