//! A reader: returns every event that its user or bot may receive, after a cursor, once and in
//! order.
//!
//! Readers are the same for every transport. A transport (a WebSocket, a stream of server-sent
//! events, a long-poll, a Bayeux session) opens a reader and asks it for the next event whenever it
//! can take more; nothing is queued for a transport that cannot. While a reader reads from the
//! journal, live frames wait in its slot; when the slot is full, it drops them and reads them from
//! the journal too.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytestring::ByteString;

use crate::SubscriberContext;
use crate::close::Close;
use crate::ephemeral::WatchEphemeral;
use crate::interest::WatchingReader;
use crate::live_feed::{FeedSeat, ThreadFeed};
use crate::reader_counts::OpenReader;
use crate::resume::{self, Portion, Replay, ReplayStart, ResumeRequest};
use crate::slot::{DurableEvent, Frame, Frames, Slot, Taken};
use crate::subscriber::Subscriber;
use base::clock::Clock;
use domain::addressees::Addressed;
use domain::event::Fact;
use domain::ids::{Conversation, StreamId, UserId};
use domain::message_requests::RequestedChats;
use domain::notices::{ConversationMutes, NoticeLevel};
use domain::time::{Monotonic, Timestamp};
use domain::user::UserFact;
use index::{Index, IndexFault};
use journal::Cursor;
use wire::live::{EncodedEphemeral, REPLAY_EVENTS};

/// Bytes of the journal whose events a reader that fell far behind lists at once.
const STRETCH: u64 = 1 << 20;

static READERS: AtomicU64 = AtomicU64::new(1);

/// An event of a reader for its transport.
#[derive(Debug)]
pub enum ReaderEvent {
    /// Events, in the order of commits.
    Events(Frames),
    /// Everything up to the cursor was told; from here on events are live. Told once.
    Synced,
    /// The cursor cannot be resumed: the client has to load the snapshot, and the reader continues
    /// from its present cursor. With the reason, as the protocol names it.
    Reset(&'static str),
    /// Ephemeral events: dropped rather than queued, never told again.
    EphemeralEvents(Vec<EncodedEphemeral>),
    /// The reader is closed, and why.
    Over(Close),
}

/// Whether ephemeral events of conversations are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EphemeralMode {
    /// Start watching.
    Yes,
    /// Start watching, including the typing signals of the reader's own user.
    WithOwn,
    /// Stop watching.
    No,
}

/// One reader. Dropping it closes it.
pub struct Reader {
    shared: Arc<SubscriberContext>,
    local: ThreadFeed,
    subscriber: Subscriber,
    id: u64,
    slot: Arc<Slot>,
    have: Cursor,
    resumed: bool,
    /// The reason why the cursor was refused, until it is told.
    refused: Option<&'static str>,
    is_synced: bool,
    /// The notices that the user wants; `None` for a bot.
    alert_filter: Option<AlertFilter>,
    stage: Stage,
    _seat: FeedSeat,
    _place: OpenReader,
}

enum Stage {
    /// Frames come through the slot.
    Live,
    /// More events are in the journal.
    Behind,
    /// The journal is being read, since this time.
    Reading(Reading, Monotonic),
    /// Some of the listed events are still to be read.
    Replaying(Replay),
}

type Reading = Pin<Box<dyn Future<Output = Result<Read, IndexFault>>>>;

/// The result of reading.
enum Read {
    Begun(ReplayStart, Cursor),
    Some(Replay, Frames),
}

impl Reader {
    /// Opens a reader that continues after this cursor, or from now on.
    ///
    /// # Errors
    /// The reason to close, if the user has too many readers, this node is behind the cursor, or
    /// the server stops or has a fault.
    pub async fn open(
        shared: &Arc<SubscriberContext>,
        local: &ThreadFeed,
        subscriber: impl Into<Subscriber>,
        after: Option<&str>,
    ) -> Result<Self, Close> {
        let subscriber = subscriber.into();
        let place = shared.sockets.open(subscriber.number()).ok_or(Close::TOO_MANY)?;
        let id = READERS.fetch_add(1, Ordering::Relaxed);
        let slot = Arc::<Slot>::default();
        let seat = local.join(id, subscriber.clone(), Arc::clone(&slot)).await;
        let seat = seat.ok_or(Close::DRAINING)?;
        let known = match after {
            Some(text) => Some(shared.known_cursor(text).await?),
            None => None,
        };
        let here = shared.here();
        // Later changes of it come as events.
        let alert_filter = alert_filter_of(shared, &subscriber).await?;
        let is_refused = known == Some(None);
        Ok(Self {
            shared: Arc::clone(shared),
            local: local.clone(),
            subscriber,
            id,
            slot,
            have: known.flatten().unwrap_or(here),
            resumed: after.is_some() && !is_refused,
            refused: is_refused.then_some("unknown"),
            is_synced: false,
            alert_filter,
            stage: Stage::Behind,
            _seat: seat,
            _place: place,
        })
    }

    /// The reader's number, unique in this process.
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Starts or stops watching the ephemeral events of conversations.
    pub fn watch(
        &self,
        conversations: Vec<Conversation>,
        wanted: EphemeralMode,
    ) -> impl Future<Output = ()> + use<> {
        let slot = match wanted {
            EphemeralMode::Yes | EphemeralMode::WithOwn => Some(Arc::clone(&self.slot)),
            EphemeralMode::No => None,
        };
        let hears_own = wanted == EphemeralMode::WithOwn;
        let reader = WatchingReader { id: self.id, user: self.subscriber.number(), hears_own };
        let ask = WatchEphemeral { reader, slot, conversations };
        let asked = self.local.feed.send(ask);
        async move {
            if asked.await.is_err() {
                tracing::debug!("the feed of a reader stopped; the reader ends");
            }
        }
    }

    /// The subscriber of the reader.
    pub const fn subscriber(&self) -> &Subscriber {
        &self.subscriber
    }

    /// Whether the token or secret has not expired yet.
    pub fn is_alive(&self) -> bool {
        self.subscriber.expires_at().is_none_or(|end| self.shared.clock.now().wall < end)
    }

    /// Whether the reader continues from the cursor that was asked for.
    pub const fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// The cursor up to which everything was told.
    pub const fn position(&self) -> Cursor {
        self.have
    }

    /// [`Self::position`], as the text that clients see.
    pub fn cursor(&self) -> String {
        self.cursor_of(self.have)
    }

    /// A cursor as the text that clients send.
    pub fn cursor_of(&self, cursor: Cursor) -> String {
        self.shared.instance.cursor(cursor)
    }

    /// The cursor of the newest event that concerns the reader, told or not, as the text that
    /// clients see.
    pub fn newest(&self) -> String {
        self.shared.instance.cursor(self.have.max(self.slot.newest()))
    }

    /// Whether one of these frames may show words of a message that was deleted since the frame was
    /// encoded. A transport that holds frames back calls this before it sends them, and
    /// [`Self::rewind`]s if so.
    pub fn are_outdated<'a>(&self, frames: impl IntoIterator<Item = &'a Frame>) -> bool {
        let deletions = &self.shared.archive.deletions;
        frames.into_iter().any(|frame| frame.is_outdated(deletions))
    }

    /// Goes back to an earlier cursor: events after it are read again from the journal.
    pub fn rewind(&mut self, to: Cursor) {
        self.have = self.have.min(to);
        self.stage = Stage::Behind;
        self.slot.discard_frames();
    }

    /// Waits for what is to be told next. Call it when the transport can take more. If the future
    /// is dropped before it is ready, nothing was told.
    pub async fn next(&mut self) -> ReaderEvent {
        self.next_portion(Portion::All).await
    }

    /// [`Self::next`], with this many events at once.
    pub async fn next_portion(&mut self, portion: Portion) -> ReaderEvent {
        loop {
            if let Some(close) = self.slot.over() {
                return ReaderEvent::Over(close);
            }
            if let Some(why) = self.refused.take() {
                return ReaderEvent::Reset(why);
            }
            let told = match &mut self.stage {
                Stage::Live => self.live(portion).await,
                Stage::Behind => self.read_on(),
                Stage::Replaying(_) => self.step(portion),
                Stage::Reading(reading, since) => {
                    let read = reading.await;
                    let since = *since;
                    self.take_in(read, since, portion)
                }
            };
            if let Some(told) = told {
                // A transport that always has something to send may not look at the time.
                return if self.is_alive() {
                    told
                } else {
                    ReaderEvent::Over(self.subscriber.revoked())
                };
            }
        }
    }

    async fn live(&mut self, portion: Portion) -> Option<ReaderEvent> {
        if !self.is_synced {
            self.is_synced = true;
            return Some(ReaderEvent::Synced);
        }
        let has_waiting = self.slot.has_waiting_frames() && self.slot.newest() > self.have;
        if portion == Portion::One && has_waiting {
            // These frames were encoded when the events happened, not for this moment.
            self.slot.discard_frames();
            self.stage = Stage::Behind;
            return None;
        }
        let clock = &self.shared.clock;
        let slow = self.shared.timeouts.slow;
        match self.slot.take(|| clock.now().mono, slow).await {
            Taken::Frames(frames) => self.portion_of(frames, portion),
            Taken::EphemeralEvents(ephemeral_events) => {
                Some(ReaderEvent::EphemeralEvents(ephemeral_events))
            }
            Taken::Behind => {
                self.stage = Stage::Behind;
                None
            }
            Taken::Over(close) => Some(ReaderEvent::Over(close)),
        }
    }

    /// [`Self::fresh`] of a portion of the frames; the rest is read again from the journal, and so
    /// are all of them if a message that they may show was deleted since they were encoded.
    fn portion_of(&mut self, mut frames: Frames, portion: Portion) -> Option<ReaderEvent> {
        if self.are_outdated(&frames) {
            self.rewind(self.have);
            return None;
        }
        let is_first = |frame: &Frame| frame.told.cursor > self.have && self.hears(frame);
        if portion == Portion::One
            && let Some(first) = frames.iter().position(is_first)
            && first + 1 < frames.len()
        {
            frames.truncate(first + 1);
            self.stage = Stage::Behind;
        }
        self.fresh(frames)
    }

    /// The frames that were not told yet and that the subscriber hears.
    fn fresh(&mut self, mut frames: Frames) -> Option<ReaderEvent> {
        frames.retain(|frame| frame.told.cursor > self.have);
        self.have = frames.last()?.told.cursor;
        // Before frames are left out: the filter follows events that the token may not show.
        if let Some(alert_filter) = &mut self.alert_filter {
            let clock = &*self.shared.clock;
            frames.iter_mut().for_each(|frame| alert_filter.pass(frame, clock));
        }
        frames.retain(|frame| self.hears(frame));
        (!frames.is_empty()).then_some(ReaderEvent::Events(frames))
    }

    fn hears(&self, frame: &Frame) -> bool {
        self.subscriber.hears(frame.told.stream, &frame.told.event.fact)
    }

    /// Starts to read on from the journal.
    fn read_on(&mut self) -> Option<ReaderEvent> {
        let shared = Arc::clone(&self.shared);
        let subscriber = self.subscriber.clone();
        let have = self.have;
        let stretch = have.further(STRETCH);
        let (upto, most) = if self.is_synced && stretch < shared.here() {
            // A reader that was live and was held up for long gets everything, read stretch by
            // stretch, since a list of all that it missed could be large.
            (stretch, usize::MAX)
        } else {
            // Go live before reading where the journal ends, so that no event falls between the
            // two.
            self.slot.go_live();
            (shared.here().max(have), if self.is_synced { usize::MAX } else { REPLAY_EVENTS })
        };
        self.read(async move {
            let now = shared.clock.now().wall;
            let wanted = ResumeRequest { after: have, upto, most, now };
            let begun = resume::begin(&shared.archive, subscriber, wanted).await?;
            Ok(Read::Begun(begun, upto))
        })
    }

    /// Reads a few more events; the next step begins when the transport has taken them.
    fn step(&mut self, portion: Portion) -> Option<ReaderEvent> {
        let Stage::Replaying(mut replay) = std::mem::replace(&mut self.stage, Stage::Live) else {
            return None;
        };
        if replay.is_over() {
            self.have = self.have.max(replay.upto);
            self.slot.restart_wait();
            if !replay.is_whole {
                self.stage = Stage::Behind;
            }
            return None;
        }
        let shared = Arc::clone(&self.shared);
        self.read(async move {
            let frames = replay.next(&shared, portion).await?;
            Ok(Read::Some(replay, frames))
        })
    }

    fn read(
        &mut self,
        reading: impl Future<Output = Result<Read, IndexFault>> + 'static,
    ) -> Option<ReaderEvent> {
        self.stage = Stage::Reading(Box::pin(reading), self.shared.clock.now().mono);
        None
    }

    fn take_in(
        &mut self,
        read: Result<Read, IndexFault>,
        since: Monotonic,
        portion: Portion,
    ) -> Option<ReaderEvent> {
        let waited = self.shared.clock.now().mono.millis_since(since);
        if u128::from(waited) >= self.shared.timeouts.slow.as_millis() {
            // Reading takes milliseconds, so the transport was stuck and did not poll.
            self.slot.close(Close::TOO_SLOW);
            return None;
        }
        self.stage = Stage::Live;
        match read {
            Ok(Read::Begun(ReplayStart::Replay(replay), _)) => {
                self.stage = Stage::Replaying(replay);
                None
            }
            Ok(Read::Begun(ReplayStart::TooFar, upto)) => {
                self.have = upto;
                Some(ReaderEvent::Reset("too_far"))
            }
            Ok(Read::Begun(ReplayStart::Revoked, _)) => {
                Some(ReaderEvent::Over(self.subscriber.revoked()))
            }
            Ok(Read::Some(replay, frames)) => {
                self.stage = Stage::Replaying(replay);
                self.portion_of(frames, portion)
            }
            Err(fault) => {
                tracing::error!(%fault, "replaying events failed; closing the connection");
                Some(ReaderEvent::Over(Close::INTERNAL))
            }
        }
    }
}

/// The notices that a user wants; `None` for a bot.
async fn alert_filter_of(
    shared: &SubscriberContext,
    subscriber: &Subscriber,
) -> Result<Option<AlertFilter>, Close> {
    let Subscriber::User(caller) = subscriber else { return Ok(None) };
    let user = caller.user;
    let read =
        shared.archive.read_current(user, move |it| AlertFilter::read(&it.index, user)).await;
    read.map(Some).map_err(|fault| {
        tracing::error!(
            %fault,
            "reading the notice settings of a user failed; closing the connection"
        );
        Close::INTERNAL
    })
}

/// The text before the alert, the last field of a frame. Within a JSON string the quotes would be
/// escaped.
const BEFORE_ALERT: &str = ",\"alert\":\"";

/// Takes the alert from messages of which one user wants no notice.
#[derive(Debug)]
pub(super) struct AlertFilter {
    user: UserId,
    levels: HashMap<StreamId, NoticeLevel>,
    mutes: ConversationMutes,
    requested: RequestedChats,
    all_muted: Option<Timestamp>,
}

impl AlertFilter {
    /// Reads what the index knows of the user.
    pub(super) fn read(index: &Index, user: UserId) -> Result<Self, IndexFault> {
        let levels = index.levels(user)?.into_iter().collect();
        let mutes = index.conversation_mutes(user)?;
        let requested = index.requested_chats(user)?;
        let all_muted = index.all_muted(user)?;
        Ok(Self { user, levels, mutes, requested, all_muted })
    }

    /// Removes the alert from a message that is to alert nobody, and follows events that change
    /// this. The clock is read only if a mute has an end: every frame of every socket comes through
    /// here.
    pub(super) fn pass(&mut self, frame: &mut Frame, clock: &dyn Clock) {
        self.follow(&frame.told);
        if self.is_silent(&frame.told, clock) {
            let told = &frame.told;
            frame.text = told.silent.get_or_init(|| silent(&frame.text)).clone();
            frame.is_silent = true;
        }
    }

    fn follow(&mut self, told: &DurableEvent) {
        if told.stream != StreamId::User(self.user) {
            return;
        }
        if let Fact::User(UserFact::LevelSet { conv, level }) = &told.event.fact {
            self.levels.insert((*conv).into(), *level);
        } else if let Some((conv, until)) = told.event.fact.user().and_then(UserFact::muted) {
            self.mutes.mute(conv, until);
        } else if let Fact::User(UserFact::RequestChanged { chat, change }) = &told.event.fact {
            self.requested.apply(*chat, *change);
        } else if let Fact::User(UserFact::AllMuted { until }) = &told.event.fact {
            self.all_muted = *until;
        }
    }

    fn is_silent(&self, told: &DurableEvent, clock: &dyn Clock) -> bool {
        let is_muted = told.muters.as_ref().is_some_and(|muters| muters.contains(&self.user));
        let ends = [self.all_muted, self.mutes.until(told.stream)];
        let has_levels = !self.levels.is_empty() || !self.requested.is_empty();
        if !is_muted && ends == [None, None] && !has_levels {
            return false;
        }
        let Some(message) = told.event.fact.message() else { return false };
        if self.requested.state(told.stream).is_some() {
            return true;
        }
        let level = self.levels.get(&told.stream).copied().unwrap_or_default();
        let lasts = |until| clock.now().wall < until;
        let is_muted = is_muted || ends.into_iter().flatten().any(lasts);
        let level = if is_muted { level.muted() } else { level };
        let addressed = Addressed::of(&message.attachments, message.author.user());
        !level.lets_through(addressed.is_for(self.user))
    }
}

/// The frame without its alert.
fn silent(text: &ByteString) -> ByteString {
    match text.rfind(BEFORE_ALERT) {
        Some(place) => format!("{},\"alert\":null}}", &text[..place]).into(),
        None => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn muting_removes_only_the_alert() {
        let words = serde_json::to_string("no ,\"alert\":\"x\"} here").unwrap();
        let text = format!("{{\"data\":{{\"text\":{words}}},\"alert\":{words}}}");
        let expected = format!("{{\"data\":{{\"text\":{words}}},\"alert\":null}}");
        assert_eq!(silent(&text.into()), expected);
    }
}
