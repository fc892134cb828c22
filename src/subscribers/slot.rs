//! The slot between a feed and a reader: a bounded queue of what waits for the reader.
//!
//! The feed fills it and never waits; the reader empties it whenever its transport takes more. When
//! it is full, the reader is behind: nothing is put in any more, and the reader reads on from the
//! journal by itself.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytestring::ByteString;

use crate::close::Close;
use base::bounds::Bound;
use domain::calendar::CalendarEvent;
use domain::event::Event;
use domain::ids::StreamId;
use domain::likes::ToldLikers;
use domain::message::Message;
use domain::notices::Muters;
use domain::polls;
use domain::time::Monotonic;
use index::deletions::RecentDeletions;
use journal::Cursor;
use wire::live::EncodedEphemeral;

/// Frames, and bytes of frames, that may wait for one reader.
pub const WAITING: Bound = Bound { items: 256, bytes: 1 << 20 };
/// Ephemeral events that may wait for one reader; they are dropped first when it does not keep up.
pub const WAITING_EPHEMERAL_EVENTS: usize = 32;

/// A durable event on its way to a reader: its text, shared by all readers that get the same, and
/// the event itself for transports that encode it differently.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The `ev` frame of the push protocol.
    pub text: ByteString,
    /// The event.
    pub told: Arc<DurableEvent>,
    /// Whether the frame has no alert, because its reader wants no notice of it.
    pub is_silent: bool,
    /// The frame shows what was durable at this cursor.
    pub as_of: Cursor,
}

/// An event and its place.
#[derive(Debug)]
pub struct DurableEvent {
    /// The stream of the event.
    pub stream: StreamId,
    /// The event's cursor.
    pub cursor: Cursor,
    /// The event.
    pub event: Arc<Event>,
    /// The likers of the message right after the event, for facts about likes and revisions.
    pub likers: Option<Arc<ToldLikers>>,
    /// The message right after the event, for revisions.
    pub revised: Option<Arc<Message>>,
    /// The poll right after the event, for facts about a poll.
    pub poll: Option<Arc<polls::Poll>>,
    /// The calendar event right after the event, for facts about one.
    pub planned: Option<Arc<CalendarEvent>>,
    /// The users who muted the group, for messages.
    pub muters: Option<Muters>,
    /// The frame without an alert, made once for all readers that get none.
    pub silent: OnceLock<ByteString>,
}

impl Frame {
    /// Whether the frame may show words of a message that was deleted since it was encoded.
    pub fn is_outdated(&self, deletions: &RecentDeletions) -> bool {
        deletions.outdate(self.as_of, self.told.stream, &self.told.event.fact)
    }
}

/// Frames of events, in the order of commits.
pub type Frames = Vec<Frame>;

/// The outcome of offering an event to a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferOutcome {
    /// The event waits for the reader.
    Queued,
    /// The slot is full: the reader is behind from now on.
    Full,
    /// The reader was behind already, or is closed.
    Skipped,
}

/// The content of a slot for its reader.
#[derive(Debug)]
pub enum Taken {
    /// Events.
    Frames(Frames),
    /// Ephemeral events: typing, presence, receipts.
    EphemeralEvents(Vec<EncodedEphemeral>),
    /// The reader is behind: the rest is in the journal.
    Behind,
    /// The reader is closed.
    Over(Close),
}

/// State that a feed and a reader share. Both run on one thread, so the lock is hardly ever
/// contended.
#[derive(Debug, Default)]
pub struct Slot {
    newest: AtomicU64,
    waiting: Mutex<SlotState>,
}

#[derive(Debug, Default)]
struct SlotState {
    is_live: bool,
    frames: Frames,
    bytes: usize,
    ephemeral_events: VecDeque<EncodedEphemeral>,
    over: Option<Close>,
    /// When the oldest thing was put in that the reader has not come for.
    since: Option<Monotonic>,
    waker: Option<Waker>,
}

impl SlotState {
    fn drop_all(&mut self) {
        (self.frames, self.bytes) = (Vec::new(), 0);
        self.ephemeral_events = VecDeque::new();
    }
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The frames that wait, and their bytes.
    pub(super) fn held(&self) -> Bound {
        let waiting = self.lock();
        Bound { items: waiting.frames.len(), bytes: waiting.bytes }
    }

    /// The cursor of the newest event that concerned the reader, put in or not.
    pub fn newest(&self) -> Cursor {
        Cursor::new(self.newest.load(Ordering::Relaxed))
    }

    /// Puts an event in, unless the reader is behind or the slot is full.
    pub fn offer(&self, frame: &Frame, now: Monotonic) -> OfferOutcome {
        self.newest.fetch_max(frame.told.cursor.get(), Ordering::Relaxed);
        let mut waiting = self.lock();
        if !waiting.is_live {
            return OfferOutcome::Skipped;
        }
        waiting.since.get_or_insert(now);
        let held = Bound { items: waiting.frames.len(), bytes: waiting.bytes };
        if WAITING.fits(held, frame.text.len()) {
            waiting.bytes += frame.text.len();
            waiting.frames.push(frame.clone());
            OfferOutcome::Queued
        } else {
            waiting.is_live = false;
            OfferOutcome::Full
        }
    }

    /// Puts an ephemeral event in, unless the reader does not keep up.
    pub fn offer_ephemeral_event(&self, frame: &EncodedEphemeral) {
        let mut waiting = self.lock();
        let is_slow = waiting.frames.len() > WAITING.items / 2;
        if waiting.is_live && !is_slow && waiting.ephemeral_events.len() < WAITING_EPHEMERAL_EVENTS
        {
            waiting.ephemeral_events.push_back(frame.clone());
        }
    }

    /// Wakes the reader, so that it takes what was put in.
    pub fn wake(&self) {
        let waker = self.lock().waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Makes the reader read on from the journal, because it is unknown whether an event up to this
    /// cursor was for it.
    pub fn fall_behind(&self, newest: Cursor, now: Monotonic) {
        self.newest.fetch_max(newest.get(), Ordering::Relaxed);
        let mut waiting = self.lock();
        waiting.is_live = false;
        waiting.since.get_or_insert(now);
        drop(waiting);
        self.wake();
    }

    /// Drops everything that waits, and makes the reader read on from the journal: it may no longer
    /// be allowed to see what was put in before.
    pub fn discard_and_fall_behind(&self, newest: Cursor, now: Monotonic) {
        let mut waiting = self.lock();
        waiting.drop_all();
        drop(waiting);
        self.fall_behind(newest, now);
    }

    /// Drops the frames that wait; the reader reads their events from the journal.
    pub fn discard_frames(&self) {
        let mut waiting = self.lock();
        (waiting.frames, waiting.bytes, waiting.since) = (Vec::new(), 0, None);
    }

    /// Whether frames wait for the reader.
    pub fn has_waiting_frames(&self) -> bool {
        !self.lock().frames.is_empty()
    }

    /// Whether anything waits for the reader.
    pub fn has_waiting(&self) -> bool {
        let waiting = self.lock();
        !waiting.frames.is_empty() || !waiting.ephemeral_events.is_empty()
    }

    /// Closes the slot, and drops everything that waits.
    pub fn close(&self, close: Close) {
        let mut waiting = self.lock();
        waiting.over.get_or_insert(close);
        waiting.is_live = false;
        waiting.drop_all();
        drop(waiting);
        self.wake();
    }

    /// The reason why the slot is closed, if it is.
    pub fn over(&self) -> Option<Close> {
        self.lock().over
    }

    /// Lets frames in from now on. Everything that was offered before is durable by now, so a
    /// reader that looks up the journal's end after this call misses nothing in between.
    pub fn go_live(&self) {
        let mut waiting = self.lock();
        waiting.is_live = waiting.over.is_none();
    }

    /// Restarts the measurement of how long things wait, because the reader was busy reading the
    /// journal.
    pub fn restart_wait(&self) {
        self.lock().since = None;
    }

    /// Waits for something and takes it. If something has waited for `patience`, the transport was
    /// stuck, and the slot is closed as too slow.
    ///
    /// If the future is dropped before it is ready, nothing was taken.
    pub async fn take(&self, now: impl Fn() -> Monotonic, patience: Duration) -> Taken {
        poll_fn(|context| self.poll_take(context, &now, patience)).await
    }

    fn poll_take(
        &self,
        context: &mut Context<'_>,
        now: &impl Fn() -> Monotonic,
        patience: Duration,
    ) -> Poll<Taken> {
        let mut waiting = self.lock();
        if let Some(close) = waiting.over {
            return Poll::Ready(Taken::Over(close));
        }
        if let Some(since) = waiting.since.take()
            && u128::from(now().millis_since(since)) >= patience.as_millis()
        {
            drop(waiting);
            self.close(Close::TOO_SLOW);
            return Poll::Ready(Taken::Over(Close::TOO_SLOW));
        }
        if !waiting.frames.is_empty() {
            waiting.bytes = 0;
            return Poll::Ready(Taken::Frames(std::mem::take(&mut waiting.frames)));
        }
        if !waiting.is_live {
            return Poll::Ready(Taken::Behind);
        }
        if !waiting.ephemeral_events.is_empty() {
            return Poll::Ready(Taken::EphemeralEvents(
                std::mem::take(&mut waiting.ephemeral_events).into(),
            ));
        }
        if !waiting.waker.as_ref().is_some_and(|known| known.will_wake(context.waker())) {
            waiting.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use domain::event::Fact;
    use domain::ids::{Conversation, GroupId, UserId};
    use domain::time::Timestamp;
    use domain::user::UserFact;
    use wire::live::EphemeralKind;

    const fn at(millis: u64) -> Monotonic {
        Monotonic::from_millis(millis)
    }

    fn take(slot: &Slot, millis: u64) -> Option<Taken> {
        slot.take(|| at(millis), Duration::from_millis(1000)).now_or_never()
    }

    fn frame(number: u64, text: impl Into<ByteString>) -> Frame {
        let event = Event { at: Timestamp::default(), fact: Fact::User(UserFact::Disabled) };
        let stream = StreamId::User(UserId::new(1));
        let cursor = Cursor::new(number);
        let event = Arc::new(event);
        let likers = None;
        let revised = None;
        let poll = None;
        let planned = None;
        let muters = None;
        let silent = OnceLock::new();
        let told =
            DurableEvent { stream, cursor, event, likers, revised, poll, planned, muters, silent };
        Frame { text: text.into(), told: Arc::new(told), is_silent: false, as_of: cursor }
    }

    fn typing() -> EncodedEphemeral {
        {
            let what = EphemeralKind::Typing { until: 0 };
            EncodedEphemeral::new(Conversation::Group(GroupId::new(7)), UserId::new(1), what)
        }
    }

    fn live() -> Slot {
        let slot = Slot::default();
        slot.go_live();
        slot
    }

    #[test]
    fn overflowing_frames_are_left_to_the_journal() {
        let slot = live();
        let offered: Vec<OfferOutcome> =
            (0..300).map(|number| slot.offer(&frame(number, "x"), at(0))).collect();
        assert_eq!(offered[..256], [OfferOutcome::Queued; 256]);
        assert_eq!((offered[256], offered[257]), (OfferOutcome::Full, OfferOutcome::Skipped));
        let Some(Taken::Frames(frames)) = take(&slot, 1) else { panic!("frames wait") };
        assert_eq!(frames.len(), WAITING.items);
        assert!(matches!(take(&slot, 1), Some(Taken::Behind)));
        assert_eq!(slot.newest(), Cursor::new(299));
        slot.go_live();
        assert!(take(&slot, 1).is_none());
    }

    #[test]
    fn bytes_are_bounded_too() {
        let slot = live();
        for number in 0..5 {
            slot.offer(&frame(number, "x".repeat(WAITING.bytes / 3)), at(0));
        }
        let Some(Taken::Frames(frames)) = take(&slot, 1) else { panic!("frames wait") };
        assert_eq!(frames.len(), 3);
    }

    #[test]
    fn reader_that_stays_behind_is_closed() {
        let slot = live();
        slot.offer(&frame(1, "x"), at(0));
        let Some(Taken::Over(close)) = take(&slot, 1000) else { panic!("it was too late") };
        assert_eq!(close.code, 4002);
    }

    #[test]
    fn reader_that_catches_up_gets_full_time_again() {
        let slot = live();
        for second in 0..5 {
            slot.offer(&frame(second, "x"), at(second * 900));
            assert!(matches!(take(&slot, second * 900 + 899), Some(Taken::Frames(_))));
        }
    }

    #[test]
    fn ephemeral_events_go_first_when_frames_wait() {
        let slot = live();
        (0..200).for_each(|_| slot.offer_ephemeral_event(&typing()));
        assert!(
            matches!(take(&slot, 0), Some(Taken::EphemeralEvents(it)) if it.len() == WAITING_EPHEMERAL_EVENTS)
        );
        for number in 0..200 {
            slot.offer(&frame(number, "x"), at(0));
        }
        slot.offer_ephemeral_event(&typing());
        assert!(matches!(take(&slot, 0), Some(Taken::Frames(_))));
        assert!(take(&slot, 0).is_none(), "the ephemeral event was dropped");
    }

    #[test]
    fn queued_frames_are_dropped_after_possible_removal() {
        let slot = live();
        slot.offer(&frame(1, "a secret"), at(0));
        slot.offer_ephemeral_event(&typing());
        assert!(slot.has_waiting());
        slot.discard_and_fall_behind(Cursor::new(2), at(0));
        assert!(matches!(take(&slot, 0), Some(Taken::Behind)));
        slot.go_live();
        assert!(take(&slot, 0).is_none() && !slot.has_waiting());
        assert_eq!(slot.newest(), Cursor::new(2));
    }

    #[test]
    fn nothing_is_found_after_the_end() {
        let slot = live();
        slot.offer(&frame(1, "a secret"), at(0));
        slot.close(Close::TOKEN);
        slot.offer(&frame(2, "another"), at(0));
        assert!(matches!(take(&slot, 0), Some(Taken::Over(close)) if close.code == 4401));
        slot.go_live();
        slot.offer(&frame(3, "another"), at(0));
        assert!(matches!(take(&slot, 0), Some(Taken::Over(_))));
    }
}
