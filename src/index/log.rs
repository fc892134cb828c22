//! The log of one conversation as bots read it: where messages and other events lie after a place
//! in it, oldest first, a stretch at a time.

use std::sync::Arc;

use crate::archive::Archive;
use crate::revisions::ShownText;
use crate::rows::{EventPosition, Tail};
use crate::runs::LocatedMessage;
use crate::timeline::TimelinePlace;
use crate::{Flow, Index, IndexFault, Walk, keys};
use domain::callback::DeliveredEvent;
use domain::event::Event;
use domain::ids::{MessageId, StreamId};
use domain::message::Message;
use journal::Cursor;

/// The range of a log that is read.
#[derive(Debug, Clone, Copy)]
pub struct LogRange {
    /// Only messages with a higher id.
    pub id: MessageId,
    /// Only messages after this cursor.
    pub cursor: Cursor,
    /// Only messages up to this cursor, included.
    pub upto: Cursor,
    /// The most messages that are returned.
    pub most: usize,
}

impl Archive {
    /// Returns where the messages of a conversation lie, oldest first. The rows up to `upto` must
    /// be there ([`Index::reached`]).
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn log(&self, stream: StreamId, after: LogRange) -> Result<Vec<TimelinePlace>, IndexFault> {
        let first = self.index.first_after(stream, after.cursor)?;
        let low = first.max(after.id.get().saturating_add(1));
        let mut found = Vec::new();
        self.index.messages(stream, (low, u64::MAX), Walk::Up, &mut |message| {
            if message.at.cursor() > after.upto || found.len() >= after.most {
                return Ok(Flow::Stop);
            }
            found.push(TimelinePlace { stream, at: message.at });
            Ok(Flow::Continue)
        })?;
        Ok(found)
    }

    /// Like [`Self::log`], but reads the messages as they are now, each with its cursor.
    pub fn messages(
        &self,
        stream: StreamId,
        after: LogRange,
    ) -> Result<Vec<(Cursor, Arc<Message>)>, IndexFault> {
        let places = self.log(stream, after)?;
        let events = self.events_at(&places)?;
        let heard = places.iter().zip(&events);
        let message = |(place, event): (&TimelinePlace, &Arc<Event>)| {
            Some((place.at.cursor(), Arc::clone(event.fact.message()?)))
        };
        let (cursors, messages): (Vec<_>, Vec<_>) = heard.filter_map(message).unzip();
        Ok(cursors.into_iter().zip(self.current(stream, messages)?).collect())
    }

    /// Returns the cursor of a message, or of the newest one before it; [`Cursor::START`] if there
    /// is none.
    pub fn cursor_of(&self, stream: StreamId, id: MessageId) -> Result<Cursor, IndexFault> {
        let mut found = Cursor::START;
        self.index.messages(stream, (0, id.get()), Walk::Down, &mut |message| {
            found = message.at.cursor();
            Ok(Flow::Stop)
        })?;
        Ok(found)
    }
}

/// Events of one conversation after a number, as bots read them.
#[derive(Debug)]
pub struct LogStretch {
    /// The positions of the events, oldest first.
    pub places: Vec<TimelinePlace>,
    /// Whether nothing follows.
    pub is_all: bool,
}

impl Archive {
    /// Returns where the events of a conversation after event `n` lie, oldest first and at most
    /// `most`: its messages, and with `with_others` its other events.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every read here.
    pub fn stretch(
        &self,
        stream: StreamId,
        n: u64,
        most: usize,
        with_others: bool,
    ) -> Result<LogStretch, IndexFault> {
        let tail = self.index.tail(stream)?.unwrap_or_default();
        let first = self.index.first_message(stream, &tail, &|at| at.n > n)?;
        let mut places = Vec::new();
        self.index.messages(stream, (first, u64::MAX), Walk::Up, &mut |message| {
            places.push(TimelinePlace { stream, at: message.at });
            Ok(if places.len() < most { Flow::Continue } else { Flow::Stop })
        })?;
        if with_others {
            let low = keys::event(stream, n.saturating_add(1));
            let high = keys::event(stream, tail.n);
            let mut others = 0;
            self.index.rows.scan(&low, &high, Walk::Up, &mut |_, value| {
                places.push(TimelinePlace { stream, at: EventPosition::decode(value)? });
                others += 1;
                Ok(if others < most { Flow::Continue } else { Flow::Stop })
            })?;
        }
        places.sort_unstable_by_key(|place| place.at.n);
        // Each of the two lists may be cut off after `most`; nothing is missing among the first
        // `most` of both together.
        let is_all = places.len() < most;
        places.truncate(most);
        Ok(LogStretch { places, is_all })
    }

    /// Returns where event `n` lies, if it is no message.
    pub fn change_at(&self, stream: StreamId, n: u64) -> Result<Option<TimelinePlace>, IndexFault> {
        let Some(row) = self.index.rows.get(&keys::event(stream, n))? else { return Ok(None) };
        Ok(Some(TimelinePlace { stream, at: EventPosition::decode(&row)? }))
    }
}

impl Archive {
    /// Whether an event that was delivered has lost words since: its message was deleted or edited,
    /// or it repeats words of a message that was deleted.
    ///
    /// # Errors
    /// If index or journal cannot be read.
    pub fn has_lost_words(
        &self,
        stream: StreamId,
        delivered: DeliveredEvent,
    ) -> Result<bool, IndexFault> {
        let carrier = if let Some(id) = delivered.message {
            match self.index.shown_text(stream, id)? {
                ShownText::Deleted => return Ok(true),
                ShownText::Edited(_) if delivered.event.is_message() => return Ok(true),
                ShownText::Edited(_) | ShownText::Posted => {}
            }
            let Some(at) = self.index.message(stream, id)? else { return Ok(false) };
            self.message_at(&at)?.quoted()
        } else {
            let Some(place) = self.change_at(stream, delivered.n)? else { return Ok(false) };
            let events = self.events_at(std::slice::from_ref(&place))?;
            events.first().and_then(|event| event.fact.carrier())
        };
        match carrier {
            Some(carrier) => Ok(self.index.shown_text(stream, carrier)? == ShownText::Deleted),
            None => Ok(false),
        }
    }
}

impl Index {
    /// Returns the number of the event that posted a message, or of the newest one before it; 0 if
    /// there is none.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn number_of(&self, stream: StreamId, id: MessageId) -> Result<u64, IndexFault> {
        let mut found = 0;
        self.messages(stream, (0, id.get()), Walk::Down, &mut |LocatedMessage { at, .. }| {
            found = at.n;
            Ok(Flow::Stop)
        })?;
        Ok(found)
    }

    /// Returns an id: all messages below it are at this cursor or before it, and all from it on are
    /// after the cursor.
    fn first_after(&self, stream: StreamId, cursor: Cursor) -> Result<u64, IndexFault> {
        if cursor == Cursor::START {
            return Ok(0);
        }
        let Some(tail) = self.tail(stream)? else { return Ok(0) };
        self.first_message(stream, &tail, &|at| at.cursor() > cursor)
    }

    /// Returns an id: no message below it is past a place, and all from it on are. Ids grow with
    /// cursors and numbers, so this is a binary search; near the end of the stream, where most
    /// searches land, one or two steps suffice.
    pub(super) fn first_message(
        &self,
        stream: StreamId,
        tail: &Tail,
        is_past: &dyn Fn(&EventPosition) -> bool,
    ) -> Result<u64, IndexFault> {
        let mut low = 0;
        let mut high = tail.last_message.map_or(0, |last| last.get() + 1);
        while low < high {
            let Some(newest) = self.run_before(stream, high)? else { break };
            let before = newest.iter().rposition(|message| !is_past(&message.at));
            if let Some(before) = before {
                return Ok(newest.get(before + 1).map_or(high, |message| message.id.get()));
            }
            high = newest.first().map_or(low, |message| message.id.get()).min(high);
            let middle = low + high.saturating_sub(low) / 2;
            let mut first = None;
            self.messages(stream, (middle, high), Walk::Up, &mut |message| {
                first = Some(message);
                Ok(Flow::Stop)
            })?;
            match first.filter(|message| !is_past(&message.at)) {
                Some(message) => low = message.id.get().saturating_add(1),
                None => high = middle,
            }
        }
        Ok(high)
    }

    /// Returns a number: no event below it that is no message is past a place, and all such events
    /// from it on are.
    pub(super) fn first_change(
        &self,
        stream: StreamId,
        tail: &Tail,
        is_past: &dyn Fn(&EventPosition) -> bool,
    ) -> Result<u64, IndexFault> {
        let mut low = 0;
        let mut high = tail.n.saturating_add(1);
        while low < high {
            let middle = low + (high - low) / 2;
            let from = keys::event(stream, middle);
            let to = keys::event(stream, high);
            let mut first = None;
            self.rows.scan(&from, &to, Walk::Up, &mut |_, value| {
                first = Some(EventPosition::decode(value)?);
                Ok(Flow::Stop)
            })?;
            match first.filter(|at| !is_past(at)) {
                Some(at) => low = at.n.saturating_add(1),
                None => high = middle,
            }
        }
        Ok(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexer::{self, Indexer};
    use crate::memory::MemoryRows;
    use domain::attachment::Attachment;
    use domain::chat::ChatFact;
    use domain::event::{Entry, Fact};
    use domain::group::GroupFact;
    use domain::ids::{GroupId, Pair, UserId};
    use domain::time::Timestamp;
    use domain::user::UserFact;
    use journal::memory::MemoryJournal;
    use journal::{Commit, CommitId, Journal, Outcome};

    const ANA: UserId = UserId::new(1);

    fn open() -> (Archive, Indexer) {
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let opened = indexer::open(Arc::new(MemoryRows::default()), Arc::clone(&journal)).unwrap();
        (Archive::new(opened.index, journal), opened.indexer)
    }

    fn said(id: u64) -> Fact {
        Fact::Chat(ChatFact::Posted(Arc::new(Message::silent_by(ANA, id, id))))
    }

    fn blocked() -> Fact {
        Fact::User(UserFact::Blocked { other: UserId::new(9) })
    }

    async fn record(archive: &Archive, stream: StreamId, facts: Vec<Fact>) -> Cursor {
        let entry = |fact| Entry::stored(Arc::new(Event { at: Timestamp::default(), fact }));
        let entries = facts.into_iter().map(entry).collect();
        let head = archive.index.tail(stream).unwrap().unwrap_or_default().head();
        let commit = Commit { stream, head, id: CommitId(1), at: Timestamp::default(), entries };
        let outcome = archive.journal.submit(commit).unwrap().await;
        let Outcome::Committed(commit) = outcome else { panic!("{outcome:?}") };
        archive.index.reached(commit.cursor).await.unwrap();
        commit.last_cursor()
    }

    #[tokio::test]
    async fn a_message_for_somebody_is_no_request_to_add_people() {
        let (archive, _indexer) = open();
        let mention = Attachment::Mentions {
            user_ids: vec!["2".to_owned()],
            loci: vec![vec![0, 1]],
            here: Vec::new(),
        };
        let message = Message { attachments: vec![mention], ..Message::silent_by(ANA, 5, 5) };
        let group = StreamId::Group(GroupId::new(1));
        record(&archive, group, vec![Fact::Group(GroupFact::Posted(Arc::new(message)))]).await;
        assert_eq!(archive.index.open_adds(None, 9).unwrap(), []);
    }

    /// From every cursor, the log must return what a filter over all messages returns.
    #[tokio::test]
    async fn log_starts_after_any_cursor() {
        let (archive, _indexer) = open();
        let chat = StreamId::Chat(Pair::of(ANA, UserId::new(2)).unwrap());
        let mut cursors = vec![Cursor::START];
        for ids in [&[5_u64][..], &[7, 8], &[1000], &[1001, 1002, 1003], &[1 << 50]] {
            cursors.push(record(&archive, StreamId::User(ANA), vec![blocked()]).await);
            let facts = ids.iter().map(|id| said(*id)).collect();
            cursors.push(record(&archive, chat, facts).await);
        }
        let all = LogRange {
            id: MessageId::new(0),
            cursor: Cursor::START,
            upto: archive.journal.end(),
            most: usize::MAX,
        };
        let places = archive.log(chat, all).unwrap();
        assert_eq!(places.len(), 8);
        cursors.extend(places.iter().map(|place| place.at.cursor()));
        for cursor in cursors {
            let found = archive.log(chat, LogRange { cursor, ..all }).unwrap();
            let expected: Vec<_> =
                places.iter().filter(|place| place.at.cursor() > cursor).copied().collect();
            assert_eq!(found, expected, "{cursor:?}");
            let before = archive.log(chat, LogRange { upto: cursor, ..all }).unwrap();
            assert_eq!(before.len() + found.len(), places.len(), "{cursor:?}");
        }
    }

    #[tokio::test]
    async fn a_stretch_is_bounded_and_begins_after_a_message() {
        let (archive, _indexer) = open();
        let chat = StreamId::Chat(Pair::of(ANA, UserId::new(2)).unwrap());
        record(&archive, chat, (1..=9).map(said).collect()).await;
        let cursor = Cursor::START;
        let upto = archive.journal.end();
        let after = LogRange { id: MessageId::new(4), cursor, upto, most: 3 };
        let found = archive.log(chat, after).unwrap();
        assert_eq!(found.iter().map(|place| place.at.n).collect::<Vec<_>>(), [5, 6, 7]);
        let fourth = archive.cursor_of(chat, MessageId::new(4)).unwrap();
        let same = archive.log(chat, LogRange { id: MessageId::new(0), cursor: fourth, ..after });
        assert_eq!(same.unwrap(), found);
        let ninth = archive.cursor_of(chat, MessageId::new(99)).unwrap();
        assert!(archive.log(chat, LogRange { cursor: ninth, ..after }).unwrap().is_empty());
        assert_eq!(archive.cursor_of(chat, MessageId::new(0)).unwrap(), Cursor::START);
    }
}
