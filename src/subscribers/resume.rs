//! Reads on from a cursor: the events that a reader missed, in order, a few at a time.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::SubscriberContext;
use crate::frames::{self, Numbered};
use crate::replayed_frames::ReplayedFrames;
use crate::slot::{Frame, Frames};
use crate::subscriber::{SubscribedBot, Subscriber};
use auth::bots;
use auth::keyring::TokenOwner;
use domain::calendar::CalendarEvent;
use domain::event::{Event, Fact, RoomState};
use domain::group::Group;
use domain::group::GroupFact;
use domain::ids::{GroupId, StreamId};
use domain::likes::ToldLikers;
use domain::message::Message;
use domain::notices::Muters;
use domain::polls::Poll;
use domain::time::Timestamp;
use domain::user::User;
use index::archive::Archive;
use index::timeline::{TimelinePlace, TimelineRange};
use index::{Index, IndexFault, log};
use journal::Cursor;
use wire::instance::Instance;
use wire::live::REPLAY_EVENTS;

/// Events that are read and encoded at once.
const CHUNK: usize = 64;

/// How many events a reader returns at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Portion {
    /// All events that are there.
    All,
    /// One event, read when the transport asks for it. The reader holds no events for the transport
    /// in between, so deletions and removals up to that moment take effect.
    One,
}

/// A replay: the events that are still to be read.
#[derive(Debug)]
pub struct Replay {
    subscriber: Subscriber,
    places: VecDeque<TimelinePlace>,
    /// The cursor at which this replay ends.
    pub upto: Cursor,
    /// Whether the replay covers all that was asked for; if not, the next one begins at `upto`.
    pub is_whole: bool,
}

/// The outcome of looking for missed events.
#[derive(Debug)]
pub enum ReplayStart {
    /// The events to read.
    Replay(Replay),
    /// Too many events: the client has to load the snapshot instead.
    TooFar,
    /// The token or the bot's secret is no longer valid. This finds revocations that the feed
    /// missed or that were durable before the reader joined it.
    Revoked,
}

/// The range of events to read again.
#[derive(Debug, Clone, Copy)]
pub struct ResumeRequest {
    /// The cursor after which the range begins.
    pub after: Cursor,
    /// The cursor at which the range ends, inclusive.
    pub upto: Cursor,
    /// The most events of a user; past that the replay is [`ReplayStart::TooFar`].
    pub most: usize,
    /// The time now, to check the bot's secret.
    pub now: Timestamp,
}

/// Lists the events between two cursors that a subscriber may receive.
///
/// # Errors
/// If the index or the journal cannot be read.
pub async fn begin(
    archive: &Archive,
    subscriber: Subscriber,
    request: ResumeRequest,
) -> Result<ReplayStart, IndexFault> {
    let owner = subscriber.owner();
    let find = move |archive: &Archive| match subscriber {
        Subscriber::User(caller) => of_user(archive, caller, request),
        Subscriber::Bot(bot) => of_bot(archive, bot, request),
    };
    archive.read_current(owner, find).await
}

fn of_user(
    archive: &Archive,
    caller: TokenOwner,
    request: ResumeRequest,
) -> Result<ReplayStart, IndexFault> {
    let ResumeRequest { after, upto, most, .. } = request;
    if !archive.index.has_token(caller.user, caller.token)? {
        return Ok(ReplayStart::Revoked);
    }
    Ok(match archive.timeline(caller.user, after, upto, most)? {
        TimelineRange::TooFar => ReplayStart::TooFar,
        TimelineRange::Places(places) => {
            let subscriber = Subscriber::User(caller);
            ReplayStart::Replay(Replay { subscriber, places: places.into(), upto, is_whole: true })
        }
    })
}

/// Lists a bot's events. A bot has no snapshot that it could load instead, so no cursor is too old:
/// it receives all of its group's log, a stretch at a time.
fn of_bot(
    archive: &Archive,
    bot: Arc<SubscribedBot>,
    request: ResumeRequest,
) -> Result<ReplayStart, IndexFault> {
    let opened = bots::find_authenticated_bot(&archive.index, &bot.id, &bot.secret, request.now)?;
    let Ok(admitted) = opened else { return Ok(ReplayStart::Revoked) };
    bot.learn(&admitted);
    let id = admitted.row.bot.after;
    let cursor = request.after;
    let upto = request.upto;
    let stretch = log::LogRange { id, cursor, upto, most: REPLAY_EVENTS };
    let places = archive.log(StreamId::Group(bot.group), stretch)?;
    let cut = places.get(REPLAY_EVENTS - 1).map(|last| last.at.cursor());
    let subscriber = Subscriber::Bot(bot);
    let is_whole = cut.is_none();
    let upto = cut.unwrap_or(upto);
    Ok(ReplayStart::Replay(Replay { subscriber, places: places.into(), upto, is_whole }))
}

impl Replay {
    /// Reads the next few frames; none when the replay is over.
    ///
    /// # Errors
    /// If the index or the journal cannot be read.
    pub async fn next(
        &mut self,
        shared: &Arc<SubscriberContext>,
        portion: Portion,
    ) -> Result<Frames, IndexFault> {
        let most = match portion {
            Portion::All => CHUNK,
            Portion::One => 1,
        };
        let few = self.places.len().min(most);
        let places: Vec<TimelinePlace> = self.places.drain(..few).collect();
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let subscriber = self.subscriber.clone();
        let context = Arc::clone(shared);
        let read = move |archive: &Archive| {
            read(archive, &places, &subscriber, &context.instance, &context.replayed_frames)
        };
        shared.archive.blocking(self.subscriber.owner(), read).await
    }

    /// Whether every event was read.
    pub fn is_over(&self) -> bool {
        self.places.is_empty()
    }
}

/// The rights of a subscriber to see events. The user may have been taken out of a group since the
/// events were listed, so this is looked up after they were read.
struct Standing<'read> {
    index: &'read Index,
    subscriber: &'read Subscriber,
    /// By group, the number of the event with which the user left; `None` if they are in it.
    partings: HashMap<GroupId, Option<u64>>,
    /// Whether the bot still exists, once looked up.
    is_there: Option<bool>,
    /// By group, the user as the only muter, if they muted it.
    mutes: HashMap<GroupId, Option<Muters>>,
}

impl<'read> Standing<'read> {
    fn of(archive: &'read Archive, subscriber: &'read Subscriber) -> Self {
        let partings = HashMap::new();
        let mutes = HashMap::new();
        Self { index: &archive.index, subscriber, partings, is_there: None, mutes }
    }

    /// The user as the only muter, if the event is a message in a group that they muted.
    fn muters(
        &mut self,
        place: &TimelinePlace,
        event: &Event,
    ) -> Result<Option<Muters>, IndexFault> {
        let (Subscriber::User(caller), StreamId::Group(group)) = (self.subscriber, place.stream)
        else {
            return Ok(None);
        };
        if event.fact.message().is_none() {
            return Ok(None);
        }
        if let Some(known) = self.mutes.get(&group) {
            return Ok(known.clone());
        }
        let member = self.index.member(group, caller.user)?.filter(|member| member.muted);
        let muters = member.map(|member| Muters::new([member.user_id].into()));
        self.mutes.insert(group, muters.clone());
        Ok(muters)
    }

    fn allows(&mut self, place: &TimelinePlace, event: &Event) -> Result<bool, IndexFault> {
        let user = match self.subscriber {
            Subscriber::Bot(bot) => {
                let is_there = match self.is_there {
                    Some(known) => known,
                    None => *self.is_there.insert(self.index.bot(&bot.id)?.is_some()),
                };
                return Ok(is_there && bot.hears(&event.fact));
            }
            Subscriber::User(caller) => caller.user,
        };
        let StreamId::Group(id) = place.stream else { return Ok(true) };
        if let Some(fact) = event.fact.group().filter(|fact| fact.is_confidential()) {
            return self.index.confides(id, user, fact);
        }
        let parting = match self.partings.get(&id) {
            Some(known) => *known,
            None => {
                // Without a stay, the events are of a topic that was removed, or of whose group the user
                // is out: no event has the number 0.
                let parting = self.index.seat(user, id)?.map_or(Some(0), |seat| seat.parting());
                *self.partings.entry(id).or_insert(parting)
            }
        };
        Ok(parting.is_none_or(|n| place.at.n == n))
    }
}

/// The frames of these events, as far as the subscriber may still be shown them.
fn read(
    archive: &Archive,
    places: &[TimelinePlace],
    subscriber: &Subscriber,
    instance: &Instance,
    kept: &ReplayedFrames,
) -> Result<Frames, IndexFault> {
    let as_of = archive.index.applied();
    let known: Vec<Option<Frame>> = places.iter().map(|it| kept.find(it.at.cursor())).collect();
    let unknown = places.iter().zip(&known).filter(|(_, known)| known.is_none());
    let unknown: Vec<TimelinePlace> = unknown.map(|(place, _)| *place).collect();
    let mut unread = archive.events_at(&unknown)?.into_iter();
    let mut frames = Vec::with_capacity(places.len());
    let reader = subscriber.number();
    let client = subscriber.client();
    let mut standing = Standing::of(archive, subscriber);
    for (place, known) in places.iter().zip(known) {
        let happened = match &known {
            Some(frame) => Arc::clone(&frame.told.event),
            None => unread.next().expect("there is an event for each place, or a fault"),
        };
        let event = archive.without_deleted(place.stream, Arc::clone(&happened))?;
        if !standing.allows(place, &event)? {
            continue;
        }
        let muters = standing.muters(place, &event)?;
        let is_as_posted =
            event.fact.message().is_some() && muters.is_none() && Arc::ptr_eq(&happened, &event);
        if let Some(frame) = known.filter(|_| is_as_posted) {
            frames.push(Frame { as_of, ..frame });
            continue;
        }
        let cursor = place.at.cursor();
        let n = place.at.n;
        let own = place.stream == StreamId::User(reader);
        let account = if own { account_of(archive, place, &event.fact)? } else { None };
        let shown = state_then(archive, place, &event)?;
        let state = RoomState { account: account.map(Arc::new), muters, ..shown };
        // Of other users, only changes of the public profile are heard.
        let public_profile =
            matches!(place.stream, StreamId::User(_)).then_some(n).filter(|_| !own);
        let numbered = Numbered {
            stream: place.stream,
            cursor,
            n: Some(n).filter(|_| !event.fact.is_confidential()),
            event: &event,
            state: &state,
            public_profile,
        };
        let encoded = frames::encode(numbered, instance);
        let frame = encoded.as_ref().and_then(|encoded| encoded.for_reader(reader, client));
        // A message as it was posted looks the same to everybody, so its frame is cached.
        frame.filter(|_| is_as_posted).into_iter().for_each(|frame| kept.keep(frame));
        frames.extend(frame.map(|frame| Frame { as_of, ..frame.clone() }));
    }
    Ok(frames)
}

/// The state of a conversation right after an event.
///
/// # Errors
/// If the index or the journal cannot be read.
pub fn state_then(
    archive: &Archive,
    place: &TimelinePlace,
    event: &Event,
) -> Result<RoomState, IndexFault> {
    let revised = revised(archive, place, &event.fact)?;
    let likers = likers_then(archive, place, &event.fact, revised.as_deref())?;
    Ok(RoomState {
        revised,
        group_snapshot: group_snapshot_of(archive, place, event)?,
        likers: likers.map(Into::into),
        poll: poll_then(archive, place, &event.fact)?,
        planned: planned_then(archive, place, &event.fact)?,
        ..RoomState::default()
    })
}

/// The poll as it was right after a fact about it.
fn poll_then(
    archive: &Archive,
    place: &TimelinePlace,
    fact: &Fact,
) -> Result<Option<Arc<Poll>>, IndexFault> {
    let Fact::Group(GroupFact::Polled(change)) = fact else { return Ok(None) };
    let poll = archive.index.poll(place.stream, change.poll(), Some(place.at.n))?;
    Ok(poll.map(Arc::new))
}

/// The calendar event as it was right after a fact about it.
fn planned_then(
    archive: &Archive,
    place: &TimelinePlace,
    fact: &Fact,
) -> Result<Option<Arc<CalendarEvent>>, IndexFault> {
    let Some(change) = fact.planned() else { return Ok(None) };
    let event = archive.index.planned(place.stream, change.event(), Some(place.at.n))?;
    Ok(event.map(Arc::new))
}

/// The group as it was right after the event, for facts whose frames show the group.
fn group_snapshot_of(
    archive: &Archive,
    place: &TimelinePlace,
    event: &Event,
) -> Result<Option<Arc<Group>>, IndexFault> {
    let (
        StreamId::Group(id),
        Fact::Group(GroupFact::SettingsChanged { .. } | GroupFact::OwnerChanged { .. }),
    ) = (place.stream, &event.fact)
    else {
        return Ok(None);
    };
    archive.group_then(id, place.at.n)
}

/// The account as it was right after the event, for facts whose frames show the account.
pub(super) fn account_of(
    archive: &Archive,
    place: &TimelinePlace,
    fact: &Fact,
) -> Result<Option<User>, IndexFault> {
    let StreamId::User(user) = place.stream else { return Ok(None) };
    match fact.user() {
        Some(fact) if fact.shows_account() => archive.account_then(user, place.at.n),
        Some(_) | None => Ok(None),
    }
}

/// The message as it was right after a fact that revised it, or what remains of it by now.
fn revised(
    archive: &Archive,
    place: &TimelinePlace,
    fact: &Fact,
) -> Result<Option<Arc<Message>>, IndexFault> {
    let Some(revision) = fact.revision() else { return Ok(None) };
    archive.revised_then(place.stream, revision.message, place.at.n)
}

/// The likers of a message right after a fact about a like or a revision.
fn likers_then(
    archive: &Archive,
    place: &TimelinePlace,
    fact: &Fact,
    revised: Option<&Message>,
) -> Result<Option<ToldLikers>, IndexFault> {
    let liked = fact.like().map(|(change, _)| (change.message, change.author.clone()));
    let revised = revised.map(|message| (message.id, message.author.clone()));
    let Some((message, author)) = liked.or(revised) else { return Ok(None) };
    let likes = archive.index.likes_then(place.stream, message, author, place.at.n)?;
    Ok(Some(likes.told()))
}
