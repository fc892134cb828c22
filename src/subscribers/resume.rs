//! Reading on from a cursor: what a reader missed, in order, a little at a time.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::auth::bots;
use crate::auth::keyring::Caller;
use crate::domain::calendar::CalendarEvent;
use crate::domain::event::{Event, Fact, RoomState};
use crate::domain::group::Group;
use crate::domain::group::GroupFact;
use crate::domain::ids::{GroupId, StreamId};
use crate::domain::likes::Likers;
use crate::domain::message::Message;
use crate::domain::notices::Muters;
use crate::domain::polls::Poll;
use crate::domain::time::Timestamp;
use crate::domain::user::User;
use crate::index::archive::Archive;
use crate::index::timeline::{TimelinePlace, TimelineRange};
use crate::index::{Index, IndexFault, log};
use crate::journal::Cursor;
use crate::subscribers::SubscriberContext;
use crate::subscribers::frames::{self, Numbered};
use crate::subscribers::replayed_frames::ReplayedFrames;
use crate::subscribers::slot::{Frame, Frames};
use crate::subscribers::subscriber::{SubscribedBot, Subscriber};
use crate::wire::instance::Instance;
use crate::wire::live::REPLAY_EVENTS;

/// Events that are read and encoded at once.
const CHUNK: usize = 64;

/// What is still to be read.
#[derive(Debug)]
pub struct Replay {
    subscriber: Subscriber,
    places: VecDeque<TimelinePlace>,
    /// Up to where this replay leads.
    pub upto: Cursor,
    /// Whether that is as far as was asked for; if not, the next one begins there.
    pub is_whole: bool,
}

/// How a replay begins.
#[derive(Debug)]
pub enum ReplayStart {
    /// With this to read.
    Replay(Replay),
    /// Too much: the reader loads the snapshot instead.
    TooFar,
    /// Not at all: the token stands no more. A revocation that the feed missed, or that
    /// was durable before the reader joined it, is found here.
    Revoked,
}

/// What somebody wants to hear again.
#[derive(Debug, Clone, Copy)]
pub struct ResumeRequest {
    /// What is after this cursor,
    pub after: Cursor,
    /// up to and with this one,
    pub upto: Cursor,
    /// unless it is more than so many events of a user.
    pub most: usize,
    /// What time it is.
    pub now: Timestamp,
}

/// Finds what somebody may hear after one cursor up to another.
///
/// # Errors
/// When index or journal cannot be read.
pub async fn begin(
    archive: &Archive,
    subscriber: Subscriber,
    request: ResumeRequest,
) -> Result<ReplayStart, IndexFault> {
    let find = move |archive: &Archive| match subscriber {
        Subscriber::User(caller) => of_user(archive, caller, request),
        Subscriber::Bot(bot) => of_bot(archive, bot, request),
    };
    archive.currently(find).await
}

fn of_user(
    archive: &Archive,
    caller: Caller,
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

/// A bot has no snapshot that it could load instead, so it is never too far: it hears all
/// of its group's log, a stretch at a time.
fn of_bot(
    archive: &Archive,
    bot: Arc<SubscribedBot>,
    request: ResumeRequest,
) -> Result<ReplayStart, IndexFault> {
    let opened = bots::opened(&archive.index, &bot.id, &bot.secret, request.now)?;
    let Ok(admitted) = opened else { return Ok(ReplayStart::Revoked) };
    bot.learn(&admitted);
    let (id, cursor, upto) = (admitted.row.bot.after, request.after, request.upto);
    let stretch = log::LogRange { id, cursor, upto, most: REPLAY_EVENTS };
    let places = archive.log(StreamId::Group(bot.group), stretch)?;
    let cut = places.get(REPLAY_EVENTS - 1).map(|last| last.at.cursor());
    let (subscriber, is_whole) = (Subscriber::Bot(bot), cut.is_none());
    let upto = cut.unwrap_or(upto);
    Ok(ReplayStart::Replay(Replay { subscriber, places: places.into(), upto, is_whole }))
}

impl Replay {
    /// The next few frames; none when the replay is over.
    ///
    /// # Errors
    /// When index or journal cannot be read.
    pub async fn next(&mut self, shared: &Arc<SubscriberContext>) -> Result<Frames, IndexFault> {
        let few = self.places.len().min(CHUNK);
        let places: Vec<TimelinePlace> = self.places.drain(..few).collect();
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let (subscriber, context) = (self.subscriber.clone(), Arc::clone(shared));
        let read = move |archive: &Archive| {
            read(archive, &places, &subscriber, (&context.instance, &context.replayed_frames))
        };
        shared.archive.blocking(read).await
    }

    /// Whether everything was read.
    pub fn is_over(&self) -> bool {
        self.places.is_empty()
    }
}

/// What a subscriber may still be shown. Somebody may have been taken out of a group since it
/// was found what there is to read, so it is looked up after that was read.
struct Standing<'read> {
    index: &'read Index,
    subscriber: &'read Subscriber,
    /// With which event the reader was out of a group, if they are.
    partings: HashMap<GroupId, Option<u64>>,
    /// Whether the bot is still there, once that was looked up.
    is_there: Option<bool>,
    /// Whether the reader muted a group.
    mutes: HashMap<GroupId, Option<Muters>>,
}

impl<'read> Standing<'read> {
    fn of(archive: &'read Archive, subscriber: &'read Subscriber) -> Self {
        let (partings, mutes) = (HashMap::new(), HashMap::new());
        Self { index: &archive.index, subscriber, partings, is_there: None, mutes }
    }

    /// The reader, if they muted the group of a message.
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
        let parting = match self.partings.get(&id) {
            Some(known) => *known,
            None => {
                let parting = self.index.seat(user, id)?.and_then(|seat| seat.parting());
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
    (instance, kept): (&Instance, &ReplayedFrames),
) -> Result<Frames, IndexFault> {
    let known: Vec<Option<Frame>> = places.iter().map(|it| kept.find(it.at.cursor())).collect();
    let unknown = places.iter().zip(&known).filter(|(_, known)| known.is_none());
    let unknown: Vec<TimelinePlace> = unknown.map(|(place, _)| *place).collect();
    let mut unread = archive.events_at(&unknown)?.into_iter();
    let mut frames = Vec::with_capacity(places.len());
    let (reader, client) = (subscriber.number(), subscriber.client());
    let mut standing = Standing::of(archive, subscriber);
    for (place, known) in places.iter().zip(known) {
        let happened = match &known {
            Some(frame) => Arc::clone(&frame.told.event),
            None => unread.next().expect("there is an event for each place, or a fault"),
        };
        let event = archive.told_now(place.stream, Arc::clone(&happened))?;
        if !standing.allows(place, &event)? {
            continue;
        }
        let muters = standing.muters(place, &event)?;
        let is_as_posted =
            event.fact.message().is_some() && muters.is_none() && Arc::ptr_eq(&happened, &event);
        if let Some(frame) = known.filter(|_| is_as_posted) {
            frames.push(frame);
            continue;
        }
        let (cursor, n) = (place.at.cursor(), place.at.n);
        let own = place.stream == StreamId::User(reader);
        let account = if own { account_of(archive, place, &event.fact)? } else { None };
        let shown = state_then(archive, place, &event)?;
        let state = RoomState { account: account.map(Arc::new), muters, ..shown };
        // Of other people only this is heard.
        let public_profile =
            matches!(place.stream, StreamId::User(_)).then_some(n).filter(|_| !own);
        let numbered = Numbered {
            stream: place.stream,
            cursor,
            n,
            event: &event,
            state: &state,
            public_profile,
        };
        let encoded = frames::encode(numbered, instance);
        let frame = encoded.as_ref().and_then(|encoded| encoded.for_reader(reader, client));
        // What shows a message as it was posted is the same for everybody.
        frame.filter(|_| is_as_posted).into_iter().for_each(|frame| kept.keep(frame));
        frames.extend(frame.cloned());
    }
    Ok(frames)
}

/// What the room of a conversation showed of itself right after an event.
///
/// # Errors
/// When index or journal cannot be read.
pub fn state_then(
    archive: &Archive,
    place: &TimelinePlace,
    event: &Event,
) -> Result<RoomState, IndexFault> {
    let revised = revised(archive, place, &event.fact)?;
    let likers = likers_then(archive, place, (&event.fact, revised.as_deref()))?;
    Ok(RoomState {
        revised,
        group_snapshot: group_snapshot_of(archive, place, event)?,
        likers: likers.map(Into::into),
        poll: poll_then(archive, place, &event.fact)?,
        planned: planned_then(archive, place, &event.fact)?,
        ..RoomState::default()
    })
}

/// The poll right after a fact about it.
fn poll_then(
    archive: &Archive,
    place: &TimelinePlace,
    fact: &Fact,
) -> Result<Option<Arc<Poll>>, IndexFault> {
    let Fact::Group(GroupFact::Polled(change)) = fact else { return Ok(None) };
    let poll = archive.index.poll(place.stream, change.poll(), Some(place.at.n))?;
    Ok(poll.map(Arc::new))
}

/// The event of a calendar right after a fact about it.
fn planned_then(
    archive: &Archive,
    place: &TimelinePlace,
    fact: &Fact,
) -> Result<Option<Arc<CalendarEvent>>, IndexFault> {
    let Some(change) = fact.planned() else { return Ok(None) };
    let event = archive.index.planned(place.stream, change.event(), Some(place.at.n))?;
    Ok(event.map(Arc::new))
}

/// The group, for facts that are told by showing it: as those who were there were shown it.
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

/// The account, for facts that are told by showing it: as it was then, likewise.
pub(super) fn account_of(
    archive: &Archive,
    place: &TimelinePlace,
    fact: &Fact,
) -> Result<Option<User>, IndexFault> {
    let StreamId::User(user) = place.stream else { return Ok(None) };
    match fact {
        Fact::User(fact) if fact.shows_account() => archive.account_then(user, place.at.n),
        Fact::User(_)
        | Fact::Group(_)
        | Fact::Chat(_)
        | Fact::Answered(_)
        | Fact::Callback(_)
        | Fact::Audit(_)
        | Fact::Name(_) => Ok(None),
    }
}

/// The message right after a fact that revised it: what those who were there were told, or
/// what remains of it by now.
fn revised(
    archive: &Archive,
    place: &TimelinePlace,
    fact: &Fact,
) -> Result<Option<Arc<Message>>, IndexFault> {
    let Some(revision) = fact.revision() else { return Ok(None) };
    archive.revised_then(place.stream, revision.message, place.at.n)
}

/// Who liked a message right after a fact about a like or a revision: what those who were
/// there were told.
fn likers_then(
    archive: &Archive,
    place: &TimelinePlace,
    (fact, revised): (&Fact, Option<&Message>),
) -> Result<Option<Likers>, IndexFault> {
    let liked = fact.like().map(|(change, _)| (change.message, change.author.clone()));
    let revised = revised.map(|message| (message.id, message.author.clone()));
    let Some((message, author)) = liked.or(revised) else { return Ok(None) };
    let likes = archive.index.likes_then(place.stream, message, author, place.at.n)?;
    Ok(Some(likes.likers()))
}
