//! The timeline: every event after a cursor that one user may see, over all their conversations, in
//! the order in which the events were committed.
//!
//! What a user may see follows from their stays: they see the events of a group from the one that
//! brought them in up to the one that ended their stay, and those of its topics since they came in
//! last. A user who is out of a group now sees
//! nothing of it any more except the event with which they were out. Of another user, they see
//! changes of the public profile since their chat with that user began. Of confidential events, which
//! have no number, they see those that they received when they happened.
//!
//! The cost depends on how much is found: every walk begins and ends where the wanted range does,
//! which is found by binary search.

use std::sync::Arc;

use crate::archive::{Archive, RecordReader};
use crate::rows::{EventPosition, Seat, Tail};
use crate::runs::LocatedMessage;
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::event::Event;
use domain::group::Stay;
use domain::ids::{GroupId, Pair, StreamId, UserId};
use journal::Cursor;

/// A place in the timeline, small enough that thousands can be queued for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimelinePlace {
    /// The event's stream. In the stream of another user, the event is a change of their public
    /// profile.
    pub stream: StreamId,
    /// The position of the event. For another user's public profile, `n` is the number of the
    /// profile; for a confidential event, 0.
    pub at: EventPosition,
}

/// The events that a user may see between two cursors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelineRange {
    /// All the events, oldest first.
    Places(Vec<TimelinePlace>),
    /// There are more events than the limit.
    TooFar,
}

impl Archive {
    /// Returns the events after `after` up to `upto`, included, that this user may see, at most
    /// `limit` of them. The rows up to `upto` must be there ([`Index::reached`]).
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn timeline(
        &self,
        user: UserId,
        after: Cursor,
        upto: Cursor,
        limit: usize,
    ) -> Result<TimelineRange, IndexFault> {
        let mut search = Search { index: &self.index, after, upto, limit, found: Vec::new() };
        search.stream(StreamId::User(user), &[ALWAYS])?;
        for (group, seat) in self.index.seats(user)? {
            match seat.parting() {
                None => {
                    search.stream(StreamId::Group(group), &seat.stays)?;
                    search.topics(group, &seat)?;
                }
                Some(parting) => search.parting(group, parting)?,
            }
        }
        search.confided(user)?;
        let chats = self.index.chats(user)?;
        let others = || chats.iter().map(|(other, _)| *other);
        for pair in others().filter_map(|other| Pair::of(user, other)) {
            search.stream(StreamId::Chat(pair), &[ALWAYS])?;
        }
        // Mostly no public profile is newer than `after`, and then none has to be looked through.
        if self.index.newest_public_profile()? > after {
            others().try_for_each(|other| search.public_profiles(user, other))?;
        }
        if search.is_over() {
            return Ok(TimelineRange::TooFar);
        }
        search.found.sort_unstable_by_key(|place| place.at.cursor());
        Ok(TimelineRange::Places(search.found))
    }

    /// Reads the events at these places, in the same order.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn events_at(&self, places: &[TimelinePlace]) -> Result<Vec<Arc<Event>>, IndexFault> {
        let mut reader = RecordReader::over(&*self.journal);
        places.iter().map(|place| reader.event(&place.at)).collect()
    }
}

impl Index {
    /// Returns the cursor of the newest public profile of any user.
    fn newest_public_profile(&self) -> Result<Cursor, IndexFault> {
        Ok(Cursor::new(self.row("newest profile", keys::PUBLIC_PROFILES)?.unwrap_or_default()))
    }

    /// Returns the cursor of the first event of a chat; the highest possible one if there is none.
    pub(super) fn beginning(&self, chat: Pair) -> Result<Cursor, IndexFault> {
        let mut beginning = Cursor::new(u64::MAX);
        self.messages(
            StreamId::Chat(chat),
            (0, u64::MAX),
            Walk::Up,
            &mut |LocatedMessage { at, .. }| {
                beginning = at.cursor();
                Ok(Flow::Stop)
            },
        )?;
        Ok(beginning)
    }
}

/// A stay that covers a whole stream.
const ALWAYS: Stay = Stay { from_n: 0, to_n: None };

struct Search<'index> {
    index: &'index Index,
    after: Cursor,
    upto: Cursor,
    limit: usize,
    found: Vec<TimelinePlace>,
}

impl Search<'_> {
    /// Whether more than the limit was found, so that the search can end.
    fn is_over(&self) -> bool {
        self.found.len() > self.limit
    }

    /// Adds the events of one stream in these stays, from the newest stay back.
    fn stream(&mut self, stream: StreamId, stays: &[Stay]) -> Result<(), IndexFault> {
        let tail = self.index.tail(stream)?.unwrap_or_default();
        if self.is_over() || Cursor::new(tail.cursor) <= self.after {
            return Ok(());
        }
        for stay in stays.iter().rev() {
            if self.stay(stream, &tail, stay)? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }

    /// Adds the confidential events that the user received. Who may still see them is decided when
    /// they are read.
    fn confided(&mut self, user: UserId) -> Result<(), IndexFault> {
        self.index.confided(user, self.after, self.upto, &mut |place| {
            self.found.push(place);
            if self.found.len() > self.limit { Flow::Stop } else { Flow::Continue }
        })
    }

    /// Adds the events of the topics of a group since the user came into it.
    fn topics(&mut self, group: GroupId, seat: &Seat) -> Result<(), IndexFault> {
        let topics = self.index.topic_ids(group)?;
        let Some(stay) = seat.stays.last().filter(|_| !topics.is_empty()) else { return Ok(()) };
        let row = self.index.rows.get(&keys::event(StreamId::Group(group), stay.from_n))?;
        let joined = row.map(|row| EventPosition::decode(&row)).transpose()?;
        let since = joined.map_or(Cursor::START, |at| at.cursor());
        let after = self.after;
        self.after = after.max(since);
        for topic in topics {
            self.stream(StreamId::Group(topic), &[ALWAYS])?;
        }
        self.after = after;
        Ok(())
    }

    /// Adds the events of one stay. Returns whether earlier stays may have events in the range,
    /// too.
    fn stay(&mut self, stream: StreamId, tail: &Tail, stay: &Stay) -> Result<Flow, IndexFault> {
        let index = self.index;
        let upto = self.upto;
        let last = stay.to_n.unwrap_or(u64::MAX);
        let is_past = |at: &EventPosition| at.cursor() > upto || at.n > last;
        let is_newest = Cursor::new(tail.cursor) <= upto && tail.n <= last;
        let (ids, numbers) = match is_newest {
            true => (u64::MAX, u64::MAX),
            false => (
                index.first_message(stream, tail, &is_past)?.saturating_sub(1),
                index.first_change(stream, tail, &is_past)?.saturating_sub(1),
            ),
        };
        let mut goes_on = Flow::Continue;
        index.messages(stream, (0, ids), Walk::Down, &mut |LocatedMessage { at, .. }| {
            Ok(self.offer(stream, at, (stay.from_n, last), &mut goes_on))
        })?;
        let low = keys::event(stream, stay.from_n);
        let high = keys::event(stream, numbers);
        index.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            Ok(self.offer(stream, EventPosition::decode(value)?, (stay.from_n, last), &mut goes_on))
        })?;
        Ok(goes_on)
    }

    /// Adds the event with which the user was out of a group.
    fn parting(&mut self, group: GroupId, n: u64) -> Result<(), IndexFault> {
        let stream = StreamId::Group(group);
        let row = self.index.rows.get(&keys::event(stream, n))?;
        let at = row.map(|row| EventPosition::decode(&row)).transpose()?;
        let is_asked = |at: &EventPosition| at.cursor() > self.after && at.cursor() <= self.upto;
        self.found.extend(at.filter(is_asked).map(|at| TimelinePlace { stream, at }));
        Ok(())
    }

    /// Adds the changes of the public profile of the other user of a chat since the chat began.
    fn public_profiles(&mut self, reader: UserId, other: UserId) -> Result<(), IndexFault> {
        let Some(pair) = Pair::of(reader, other) else { return Ok(()) };
        let index = self.index;
        let mut beginning = None;
        let low = keys::public_profile(other, 0);
        let high = keys::public_profile(other, u64::MAX);
        index.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            let at = EventPosition::decode(value)?;
            if at.cursor() <= self.after {
                return Ok(Flow::Stop);
            }
            let since = match beginning {
                Some(since) => since,
                None => *beginning.insert(index.beginning(pair)?),
            };
            if at.cursor() <= since || self.is_over() {
                return Ok(Flow::Stop);
            }
            if at.cursor() <= self.upto {
                self.found.push(TimelinePlace { stream: StreamId::User(other), at });
            }
            Ok(Flow::Continue)
        })
    }

    /// Adds an event if it lies in a stay, given by its first and last number, and in the range.
    /// The walk, newest first, ends at an event before the stay, and at one that is not after the
    /// cursor: then earlier stays have nothing to add either, and `goes_on` becomes [`Flow::Stop`].
    fn offer(
        &mut self,
        stream: StreamId,
        at: EventPosition,
        stay: (u64, u64),
        goes_on: &mut Flow,
    ) -> Flow {
        if at.n < stay.0 {
            return Flow::Stop;
        }
        // Rows are added during the walk. An event past `upto` must not be told: the client would
        // take all events before it for told, and those between `upto` and it would be lost.
        if at.cursor() > self.upto || at.n > stay.1 {
            return Flow::Continue;
        }
        if at.cursor() <= self.after || self.is_over() {
            *goes_on = Flow::Stop;
            return Flow::Stop;
        }
        self.found.push(TimelinePlace { stream, at });
        Flow::Continue
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::sync::Mutex;

    use super::*;
    use crate::indexer::{self, Indexer};
    use crate::memory::MemoryRows;
    use crate::{RowChange, RowVisitor, Rows};
    use domain::chat::ChatFact;
    use domain::event::{Entry, Fact};
    use domain::message::Message;
    use domain::time::Timestamp;
    use domain::user::UserFact;
    use journal::memory::MemoryJournal;
    use journal::{Commit, CommitId, Journal, Outcome, StreamHead};

    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);
    const CEM: UserId = UserId::new(3);

    fn open() -> (Archive, Indexer) {
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let opened = indexer::open(Arc::new(MemoryRows::default()), Arc::clone(&journal)).unwrap();
        (Archive::new(opened.index, journal), opened.indexer)
    }

    async fn record(archive: &Archive, stream: StreamId, facts: Vec<Fact>) {
        let entry = |fact| Entry::stored(Arc::new(Event { at: Timestamp::default(), fact }));
        let commit = Commit {
            stream,
            head: StreamHead::default(),
            id: CommitId(1),
            at: Timestamp::default(),
            entries: facts.into_iter().map(entry).collect(),
        };
        let outcome = archive.journal.submit(commit).unwrap().await;
        assert!(matches!(outcome, Outcome::Committed(_)), "{outcome:?}");
    }

    fn blocked(other: u64) -> Fact {
        Fact::User(UserFact::Blocked { other: UserId::new(other) })
    }

    fn said(id: u64) -> Fact {
        Fact::Chat(ChatFact::Posted(Arc::new(Message::silent_by(ANA, id, id))))
    }

    async fn seen(archive: &Archive, user: UserId, limit: usize) -> Option<Vec<StreamId>> {
        archive.index.reached(archive.journal.newest()).await.unwrap();
        let upto = archive.journal.end();
        match archive.timeline(user, Cursor::START, upto, limit).unwrap() {
            TimelineRange::Places(places) => {
                Some(places.iter().map(|place| place.stream).collect())
            }
            TimelineRange::TooFar => None,
        }
    }

    #[tokio::test]
    async fn replay_limit_counts_all_streams() {
        let (archive, _indexer) = open();
        record(&archive, StreamId::User(BEN), (10..13).map(blocked).collect()).await;
        assert_eq!(seen(&archive, BEN, 3).await.map(|seen| seen.len()), Some(3));
        assert_eq!(seen(&archive, BEN, 2).await, None);
        let chat = StreamId::Chat(Pair::of(ANA, CEM).unwrap());
        record(&archive, chat, (1..=3).map(said).collect()).await;
        assert_eq!(seen(&archive, ANA, 3).await.map(|seen| seen.len()), Some(3));
        assert_eq!(seen(&archive, ANA, 2).await, None);
    }

    #[tokio::test]
    async fn chat_is_in_both_timelines_in_commit_order() {
        let (archive, _indexer) = open();
        let chat = StreamId::Chat(Pair::of(ANA, BEN).unwrap());
        record(&archive, StreamId::User(CEM), vec![blocked(9)]).await;
        record(&archive, chat, vec![said(1)]).await;
        record(&archive, StreamId::User(BEN), vec![blocked(10)]).await;
        assert_eq!(seen(&archive, BEN, 9).await.unwrap(), [chat, StreamId::User(BEN)]);
        assert_eq!(seen(&archive, ANA, 9).await.unwrap(), [chat]);
        assert_eq!(seen(&archive, CEM, 9).await.unwrap(), [StreamId::User(CEM)]);
    }

    /// Rows that change right before they are walked.
    #[derive(Default)]
    struct Moving {
        rows: MemoryRows,
        meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    }

    impl fmt::Debug for Moving {
        fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.rows.fmt(out)
        }
    }

    impl Rows for Moving {
        fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFault> {
            self.rows.get(key)
        }

        fn scan(
            &self,
            low: &[u8],
            high: &[u8],
            walk: Walk,
            visit: &mut RowVisitor<'_>,
        ) -> Result<(), IndexFault> {
            let is_of_events = low.starts_with(b"m") || low.starts_with(b"e");
            let meanwhile = if is_of_events { self.meanwhile.lock().unwrap().take() } else { None };
            meanwhile.into_iter().for_each(|meanwhile| meanwhile());
            self.rows.scan(low, high, walk, visit)
        }

        fn apply(&self, changes: Vec<RowChange>) -> Result<(), IndexFault> {
            self.rows.apply(changes)
        }

        fn flush(&self) -> Result<(), IndexFault> {
            self.rows.flush()
        }
    }

    /// A simulation found this bug: a reader that received a later event took the events before
    /// it for told.
    #[tokio::test]
    async fn timeline_excludes_events_during_its_read() {
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let rows = Arc::new(Moving::default());
        let opened = indexer::open(Arc::clone(&rows) as _, Arc::clone(&journal)).unwrap();
        let archive = Archive::new(opened.index, journal);
        let chat = StreamId::Chat(Pair::of(ANA, BEN).unwrap());
        record(&archive, chat, vec![said(1)]).await;
        archive.index.reached(archive.journal.newest()).await.unwrap();
        let upto = archive.here();
        let other = archive.clone();
        *rows.meanwhile.lock().unwrap() = Some(Box::new(move || {
            let head = other.journal.read(other.journal.newest()).unwrap().after;
            let entry = Entry::stored(Arc::new(Event { at: Timestamp::default(), fact: said(2) }));
            let id = CommitId(2);
            let at = Timestamp::default();
            let entries = vec![entry];
            let ticket = other.journal.submit(Commit { stream: chat, head, id, at, entries });
            assert!(matches!(ticket.unwrap().wait(), Outcome::Committed(_)));
            while other.index.applied() < other.journal.newest() {
                std::thread::yield_now();
            }
        }));
        let reading = move || archive.timeline(BEN, Cursor::START, upto, 9).unwrap();
        let TimelineRange::Places(places) = tokio::task::spawn_blocking(reading).await.unwrap()
        else {
            panic!("two are not too many");
        };
        assert!(rows.meanwhile.lock().unwrap().is_none(), "something happened meanwhile");
        assert_eq!(places.iter().map(|place| place.at.n).collect::<Vec<_>>(), [1]);
    }
}
