//! Rows of polls: how each was made, its votes under the numbers of the events that cast them, and
//! its end, so that a poll can be shown as it is and as it was.

use serde::{Deserialize, Serialize};

use crate::derive::Derivation;
use crate::{Flow, Index, IndexFault, Walk, keys, rows};
use domain::alarm::Appointment;
use domain::ids::{GroupId, PollId, StreamId, UserId};
use domain::polls::{MadePoll, Poll, PollChange};
use domain::revision::{Revision, RevisionKind};
use domain::time::Timestamp;

/// A poll without its votes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PollRow {
    made: MadePoll,
    /// The number of the event that ended it, and when.
    ended: Option<(u64, Timestamp)>,
    /// Whether its message was deleted: then none of its texts is kept.
    is_deleted: bool,
}

/// A user's vote: the options chosen, and when.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct VoteRow {
    by: UserId,
    options: Vec<u8>,
    at: Timestamp,
}

impl PollRow {
    const fn ends(&self) -> Option<Timestamp> {
        if self.ended.is_some() || self.is_deleted { None } else { Some(self.made.poll.ends) }
    }
}

impl Derivation<'_> {
    /// Writes the rows for a change of a poll.
    pub(super) fn polled(
        &mut self,
        group: GroupId,
        n: u64,
        at: Timestamp,
        change: &PollChange,
    ) -> Result<(), IndexFault> {
        let stream = StreamId::Group(group);
        match change {
            PollChange::Made(made) => {
                let row = PollRow { made: made.clone(), ended: None, is_deleted: false };
                self.put_poll(group, made.id, None, &row)
            }
            PollChange::Voted { poll, by, options } => {
                let row = VoteRow { by: *by, options: options.clone(), at };
                self.draft.put(keys::vote(stream, *poll, n), &row)
            }
            PollChange::Ended { poll, .. } => {
                let Some(known) = self.poll_row(group, *poll)? else { return Ok(()) };
                let row = PollRow { ended: Some((n, at)), ..known.clone() };
                self.put_poll(group, *poll, Some(&known), &row)
            }
        }
    }

    /// Forgets the texts and the votes of a poll whose message was deleted.
    pub(super) fn forget_poll(
        &mut self,
        stream: StreamId,
        revision: &Revision,
    ) -> Result<(), IndexFault> {
        let (StreamId::Group(group), RevisionKind::Deleted { .. }) = (stream, &revision.kind)
        else {
            return Ok(());
        };
        let poll = PollId::new(revision.message.get());
        let Some(known) = self.poll_row(group, poll)? else { return Ok(()) };
        for key in self.draft.keys_below(&keys::votes(stream, poll))? {
            self.draft.delete(key);
        }
        let mut row = PollRow { is_deleted: true, ..known.clone() };
        row.made.poll.subject.clear();
        row.made.poll.options.clear();
        self.put_poll(group, poll, Some(&known), &row)
    }

    /// Removes the alarms of the polls of a group that was disbanded: they end without an event.
    pub(super) fn silence_polls(&mut self, group: GroupId) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::polls(StreamId::Group(group)))? {
            let Some(row) = self.draft.get::<PollRow>("poll", &key)? else { continue };
            self.reset_alarm(Appointment::PollEnds { group, poll: row.made.id }, row.ends(), None)?;
        }
        Ok(())
    }

    fn poll_row(&self, group: GroupId, poll: PollId) -> Result<Option<PollRow>, IndexFault> {
        self.draft.get("poll", &keys::poll(StreamId::Group(group), poll))
    }

    fn put_poll(
        &mut self,
        group: GroupId,
        poll: PollId,
        before: Option<&PollRow>,
        after: &PollRow,
    ) -> Result<(), IndexFault> {
        let stream = StreamId::Group(group);
        let before = before.and_then(PollRow::ends);
        self.reset_alarm(Appointment::PollEnds { group, poll }, before, after.ends())?;
        let open = keys::open_poll(stream, poll);
        match after.ends() {
            Some(_) => self.draft.put_bytes(open, Vec::new()),
            None => self.draft.delete(open),
        }
        self.draft.put(keys::poll(stream, poll), after)
    }
}

impl Index {
    /// Returns a poll as it is now, or as it was right after event `upto`.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn poll(
        &self,
        stream: StreamId,
        id: PollId,
        upto: Option<u64>,
    ) -> Result<Option<Poll>, IndexFault> {
        let row = self.row("poll", &keys::poll(stream, id))?;
        row.map(|row| self.with_votes(stream, row, upto.unwrap_or(u64::MAX))).transpose()
    }

    /// Returns up to `most` polls of a conversation, newest first, without those whose message was
    /// deleted.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn polls(&self, stream: StreamId, most: usize) -> Result<Vec<Poll>, IndexFault> {
        let prefix = keys::polls(stream);
        let mut found = Vec::new();
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Down, &mut |_, value| {
            let row: PollRow = rows::decode("poll", value)?;
            if !row.is_deleted {
                found.push(row);
            }
            Ok(if found.len() < most { Flow::Continue } else { Flow::Stop })
        })?;
        found.into_iter().map(|row| self.with_votes(stream, row, u64::MAX)).collect()
    }

    /// Returns the polls of a conversation that have not ended. Costs what these cost, however many
    /// have ended.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn open_polls(&self, stream: StreamId) -> Result<Vec<Poll>, IndexFault> {
        let prefix = keys::open_polls(stream);
        let mut open = Vec::new();
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |key, _| {
            open.push(PollId::new(keys::last_number(key)));
            Ok(Flow::Continue)
        })?;
        let polls = open.into_iter().map(|poll| self.poll(stream, poll, None));
        polls.filter_map(Result::transpose).collect()
    }

    fn with_votes(&self, stream: StreamId, row: PollRow, upto: u64) -> Result<Poll, IndexFault> {
        let id = row.made.id;
        let mut poll = Poll { is_deleted: row.is_deleted, ..Poll::new(row.made) };
        let low = keys::vote(stream, id, 0);
        let high = keys::vote(stream, id, upto);
        self.rows.scan(&low, &high, Walk::Up, &mut |_, value| {
            let VoteRow { by, options, at } = rows::decode("vote", value)?;
            poll.apply(at, &PollChange::Voted { poll: id, by, options });
            Ok(Flow::Continue)
        })?;
        if let Some((_, at)) = row.ended.filter(|(n, _)| *n <= upto) {
            poll.apply(at, &PollChange::Ended { poll: id, by: None });
        }
        Ok(poll)
    }
}
