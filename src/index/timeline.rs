//! The timeline: every event after a cursor that one user may see, over all their
//! conversations, in the order in which it was committed.
//!
//! What a user may see follows from their stays: an event is theirs if it happened
//! from the one that brought them in up to the one that ended their stay.

use std::sync::Arc;

use crate::domain::event::Event;
use crate::domain::ids::{StreamId, UserId};
use crate::index::archive::{Archive, RecordReader};
use crate::index::rows::At;
use crate::index::{Go, Index, IndexFault, Walk, keys};
use crate::journal::Cursor;

/// A place in the timeline: small, so that thousands can wait to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Whose event.
    pub stream: StreamId,
    /// Where it lies.
    pub at: At,
}

/// What lies between two cursors for one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stretch {
    /// All of it, oldest first.
    Places(Vec<Place>),
    /// More than the limit.
    TooFar,
}

impl Archive {
    /// The events after `after` up to and with `upto` that this user may see, at most
    /// `limit` of them. The rows up to `upto` must be there ([`Index::reached`]).
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn timeline(
        &self,
        user: UserId,
        after: Cursor,
        upto: Cursor,
        limit: usize,
    ) -> Result<Stretch, IndexFault> {
        let mut search = Search { index: &self.index, after, upto, limit, found: Vec::new() };
        search.stream(StreamId::User(user), &|_| true)?;
        for (group, seat) in self.index.seats(user)? {
            if !seat.reaches_past(after) {
                continue;
            }
            search.stream(StreamId::Group(group), &|n| seat.saw(n))?;
            if search.found.len() > limit {
                return Ok(Stretch::TooFar);
            }
        }
        search.found.sort_unstable_by_key(|place| place.at.cursor());
        Ok(Stretch::Places(search.found))
    }

    /// The events at these places, in the same order.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn events_at(&self, places: &[Place]) -> Result<Vec<Arc<Event>>, IndexFault> {
        let mut reader = RecordReader::over(&*self.journal);
        places.iter().map(|place| reader.event(&place.at)).collect()
    }
}

impl Archive {
    /// Walks the events of a stream that are no messages, from this one back to its
    /// first, until `visit` says stop.
    ///
    /// # Errors
    /// When index or journal cannot be read.
    pub fn changes_before(
        &self,
        place: &Place,
        visit: &mut dyn FnMut(&Event) -> Go,
    ) -> Result<(), IndexFault> {
        let (low, high) = (keys::event(place.stream, 0), keys::event(place.stream, place.at.n));
        let mut reader = RecordReader::over(&*self.journal);
        self.index.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            Ok(visit(&*reader.event(&At::decode(value)?)?))
        })
    }
}

struct Search<'index> {
    index: &'index Index,
    after: Cursor,
    upto: Cursor,
    limit: usize,
    found: Vec<Place>,
}

impl Search<'_> {
    /// Adds what one stream has, walking back from its newest event.
    fn stream(&mut self, stream: StreamId, saw: &dyn Fn(u64) -> bool) -> Result<(), IndexFault> {
        let tail = self.index.tail(stream)?.unwrap_or_default();
        if Cursor::new(tail.cursor) <= self.after {
            return Ok(());
        }
        let index = self.index;
        index.messages(stream, (0, u64::MAX), Walk::Down, &mut |_, at| {
            Ok(self.offer(stream, at, saw))
        })?;
        let (low, high) = (keys::event(stream, 0), keys::event(stream, u64::MAX));
        index.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            Ok(self.offer(stream, At::decode(value)?, saw))
        })
    }

    fn offer(&mut self, stream: StreamId, at: At, saw: &dyn Fn(u64) -> bool) -> Go {
        let cursor = at.cursor();
        let is_enough = self.found.len() > self.limit;
        if cursor <= self.after || is_enough {
            return Go::Stop;
        }
        if cursor <= self.upto && saw(at.n) {
            self.found.push(Place { stream, at });
        }
        Go::On
    }
}
