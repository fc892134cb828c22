//! Derives rows from events: a pure function of the journal, so that a replay gives the same rows.
//!
//! This file has the batch and what all conversations have in common; the rows of groups, users,
//! callbacks, first answers and due work are in files beside it.

use std::collections::HashMap;

use crate::draft::BatchDraft;
use crate::read_marks::{self, Moved};
use crate::rows::{ChatRow, EventPosition, Tail};
use crate::runs::{self, LocatedMessage, OpenRuns};
use crate::{
    IndexFault, RowChange, Rows, files, gallery, images, keys, likes, mentions, revisions,
};
use domain::chat::ChatFact;
use domain::event::{Event, Fact};
use domain::group::GroupFact;
use domain::highest_ids::HighestIds;
use domain::ids::{MessageId, NameId, Pair, StreamId};
use domain::likes::LikeChange;
use domain::message::Message;
use domain::name::{Name, NameFact};
use domain::revision::Revision;
use domain::time::Timestamp;
use journal::{Committed, Cursor, StreamHead};

mod answers;
mod callbacks;
mod due;
mod group;
mod user;

/// Gathers the rows of many commits into one batch.
pub(super) struct Derivation<'rows> {
    pub(super) draft: BatchDraft<'rows>,
    highs: HighestIds,
    tails: HashMap<StreamId, Tail>,
    /// Runs of messages that may grow, from batches before.
    open: &'rows OpenRuns,
    /// The messages of this batch, each conversation's after its open run.
    runs: OpenRuns,
    messages: usize,
    pub(super) reads: Moved,
    applied: Cursor,
    last: Cursor,
}

/// A finished batch, and what the next one continues.
pub(super) struct Derived {
    /// The changed rows.
    pub(super) changes: Vec<RowChange>,
    /// The newest run of each conversation that got messages.
    pub(super) runs: OpenRuns,
    /// The read marks that moved.
    pub(super) reads: Moved,
    /// The highest ids up to the end of the batch.
    pub(super) highs: HighestIds,
    /// The newest record in the batch.
    pub(super) applied: Cursor,
}

impl<'rows> Derivation<'rows> {
    /// Starts a batch on top of these rows. Messages continue the runs in `open`. `highs` are the
    /// highest ids so far, `applied` the newest record applied.
    pub(super) fn on(
        rows: &'rows dyn Rows,
        open: &'rows OpenRuns,
        highs: HighestIds,
        applied: Cursor,
    ) -> Self {
        Self {
            draft: BatchDraft::on(rows),
            highs,
            tails: HashMap::new(),
            open,
            runs: OpenRuns::new(),
            messages: 0,
            reads: Moved::new(),
            applied,
            last: applied,
        }
    }

    /// The size of the batch: rows, read marks, and messages that will share rows.
    pub(super) fn len(&self) -> usize {
        self.draft.len() + self.messages + self.reads.len()
    }

    /// Whether no commit was added. Even a commit without rows moves the position.
    pub(super) fn is_empty(&self) -> bool {
        self.tails.is_empty()
    }

    /// Returns the end of the commit's stream so far if the commit does not continue from there.
    pub(super) fn chain_fault(&self, commit: &Committed) -> Result<Option<StreamHead>, IndexFault> {
        let end = self.tail(commit.stream)?.head();
        Ok((end != commit.before).then_some(end))
    }

    pub(super) fn tail(&self, stream: StreamId) -> Result<Tail, IndexFault> {
        match self.tails.get(&stream) {
            Some(tail) => Ok(*tail),
            None => Ok(self.draft.get("tail", &keys::tail(stream))?.unwrap_or_default()),
        }
    }

    /// Adds the rows of one commit.
    pub(super) fn add(&mut self, commit: &Committed) -> Result<(), IndexFault> {
        let mut tail = self.tail(commit.stream)?;
        for ((cursor, n, event), index) in commit.numbered().zip(0_u16..) {
            let at = n.map(|n| EventPosition { record: commit.cursor, index, n });
            if let (StreamId::Group(group), Fact::Group(fact)) = (commit.stream, &event.fact) {
                self.audit(group, cursor, event.at, fact)?;
                let place = EventPosition { record: commit.cursor, index, n: 0 };
                self.confide(group, place, fact)?;
            }
            if let Fact::Answered(first) = &event.fact {
                self.answered(commit.cursor, index, event.at, first)?;
            } else if let Fact::AlarmSettled(settled) = &event.fact {
                self.settle_alarm(settled)?;
            } else {
                self.event(commit.stream, at, event, &mut tail)?;
            }
            if let Fact::Audit(fact) = &event.fact {
                self.audited(cursor, event.at, fact)?;
            }
            if let Some(n) = n {
                let fact = (event.at, &event.fact);
                read_marks::derive(&mut self.reads, commit.stream, n, fact.0, fact.1, &tail);
            }
            tail.cursor = cursor.get();
            let fact = &event.fact;
            let is_of_message =
                fact.message().is_some() || fact.like().is_some() || fact.revision().is_some();
            if !is_of_message && !fact.is_answer() {
                tail.shaped = tail.cursor;
            }
        }
        tail.n = commit.after.n;
        tail.token = commit.after.token;
        self.tails.insert(commit.stream, tail);
        self.applied = commit.cursor;
        self.last = commit.last_cursor();
        Ok(())
    }

    /// The newest event in the batch.
    pub(super) const fn last(&self) -> Cursor {
        self.last
    }

    /// Ends the batch.
    pub(super) fn finish(mut self) -> Result<Derived, IndexFault> {
        for (stream, messages) in &mut self.runs {
            let mut newest = 0;
            for run in runs::split(messages) {
                let Some(first) = run.first() else { continue };
                self.draft.put_bytes(keys::message(*stream, first.id), runs::encode(run)?);
                newest = run.len();
            }
            messages.drain(..messages.len() - newest);
        }
        read_marks::write(&mut self.draft, &self.reads)?;
        for (stream, tail) in &self.tails {
            self.draft.put(keys::tail(*stream), tail)?;
        }
        self.draft.put(keys::HIGHS.to_vec(), &self.highs)?;
        self.draft.put(keys::APPLIED.to_vec(), &self.applied.get())?;
        let Self { highs, applied, runs, reads, .. } = self;
        Ok(Derived { changes: self.draft.finish(), runs, reads, highs, applied })
    }

    fn event(
        &mut self,
        stream: StreamId,
        at: Option<EventPosition>,
        event: &Event,
        tail: &mut Tail,
    ) -> Result<(), IndexFault> {
        self.highs.note(stream, &event.fact);
        if let Some(message) = event.fact.message() {
            let Some(at) = at else { return Ok(()) };
            return self.posted(stream, at, event.at, message, tail);
        }
        if let Some(at) = at {
            self.draft.put_bytes(keys::event(stream, at.n), at.encode());
            if matches!(event.fact, Fact::Group(GroupFact::Created { .. })) {
                tail.spoke = at.cursor().get();
            }
        }
        images::shown(&mut self.draft, &event.fact)?;
        let n = at.map_or(tail.n, |at| at.n);
        if let (Some(revision), Some(at)) = (event.fact.revision(), at) {
            self.readdress(stream, revision)?;
            images::revised(&mut self.draft, stream, event.at, revision)?;
            files::revised(&mut self.draft, stream, event.at, revision)?;
            gallery::revised(&mut self.draft, stream, revision);
            self.forget_poll(stream, revision)?;
            self.forget_planned(stream, revision)?;
            return revisions::derive(&mut self.draft, stream, at, event.at, revision);
        }
        if let Some(change) = event.fact.planned() {
            return self.planned((stream, n), event.at, change);
        }
        match (&event.fact, stream) {
            (Fact::Group(fact), StreamId::Group(group)) => {
                // Only facts without a frame have no place, and none of those starts a stay.
                let at = at.unwrap_or(EventPosition { record: Cursor::START, index: 0, n });
                self.group(group, at, event.at, fact)?;
                self.reconsider_group(group, fact)
            }
            (Fact::User(fact), StreamId::User(user)) => self.user(user, event.at, at, fact),
            (Fact::Chat(fact), StreamId::Chat(_)) => match fact {
                // The rows of messages and calendars are written above.
                ChatFact::Posted(_) | ChatFact::Revised(_) | ChatFact::Planned(_) => Ok(()),
                ChatFact::Liked(like) => self.like((stream, n), like, likes::LikeDelta::Given),
                ChatFact::Unliked(like) => {
                    self.like((stream, n), like, likes::LikeDelta::TakenBack)
                }
            },
            (Fact::Callback(fact), StreamId::Callbacks) => self.callback(fact),
            // Acts of operators have rows, by their cursors; the other audit facts need none. An act
            // is in the stream of what it changed.
            (Fact::Audit(_), _) => Ok(()),
            (Fact::Instance(fact), StreamId::Instance) => self.instance(event.at, fact),
            (Fact::Name(fact), StreamId::Name(name)) => derive_name(&mut self.draft, name, fact),
            (_, stream) => Err(IndexFault::Row {
                table: "event",
                reason: format!("a fact of another kind in the stream {stream}"),
            }),
        }
    }

    /// Adds the rows of a message.
    fn posted(
        &mut self,
        stream: StreamId,
        at: EventPosition,
        when: Timestamp,
        message: &Message,
        tail: &mut Tail,
    ) -> Result<(), IndexFault> {
        tail.last_message = Some(message.id);
        tail.spoke = at.cursor().get();
        tail.count = message.count;
        let open = || self.open.get(&stream).cloned().unwrap_or_default();
        let located = LocatedMessage { id: message.id, at, count: message.count };
        self.runs.entry(stream).or_insert_with(open).push(located);
        mentions::posted(&mut self.draft, stream, at.n, message)?;
        revisions::posted(&mut self.draft, stream, at.n, message, when)?;
        images::carries(&mut self.draft, stream, message.id, &message.attachments)?;
        files::carries(&mut self.draft, stream, message.id, &message.attachments)?;
        let said = (message.text.as_deref(), &*message.attachments);
        gallery::posted(&mut self.draft, stream, message.id, said.0, said.1);
        self.messages += 1;
        let StreamId::Chat(pair) = stream else { return Ok(()) };
        self.listed(pair, when, message.id)
    }

    /// Rewrites whom a message is for after a revision.
    fn readdress(&mut self, stream: StreamId, revision: &Revision) -> Result<(), IndexFault> {
        let here = self.runs.get(&stream).into_iter().flatten();
        let here = here.copied().find(|message| message.id == revision.message);
        let id = revision.message;
        let place = |draft: &BatchDraft<'_>| match here {
            Some(message) => Ok(Some(message.at.n)),
            None => Ok(draft.message(stream, id)?.map(|at| at.n)),
        };
        mentions::revised(&mut self.draft, stream, revision, place)
    }

    /// Makes a message the newest one of a chat, in the rows of both users.
    fn listed(&mut self, pair: Pair, at: Timestamp, last: MessageId) -> Result<(), IndexFault> {
        let here = keys::chat(pair.low(), pair.high());
        let there = keys::chat(pair.high(), pair.low());
        let known: Option<ChatRow> = self.draft.get("chat", &here)?;
        let row = ChatRow { created_at: known.map_or(at, |known| known.created_at), last };
        self.draft.put(here, &row)?;
        self.draft.put(there, &row)
    }

    fn like(
        &mut self,
        place: (StreamId, u64),
        like: &LikeChange,
        change: likes::LikeDelta,
    ) -> Result<(), IndexFault> {
        likes::derive(&mut self.draft, place.0, place.1, like, change)
    }
}

/// Applies a fact to the row of its email address or phone number.
fn derive_name(draft: &mut BatchDraft<'_>, id: NameId, fact: &NameFact) -> Result<(), IndexFault> {
    let mut name: Name = draft.get("name", &keys::name(id))?.unwrap_or_default();
    name.apply(fact);
    draft.put(keys::name(id), &name)
}
