//! Broadcast: passes every durable commit to the subscribers, in the journal's order, wherever it was
//! decided.
//!
//! A room says with its commit who hears of it and what it shows. A commit that was read from
//! another node says neither; both are looked up in the index, as they were right after the commit,
//! before subscribers hear of it. Later commits wait for that. On a server with only one node,
//! nothing is looked up and nothing waits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::resume;
use crate::rosters::{Rosters, changes_members};
use crate::topic_audiences::{TopicAudiences, with_entries};
use base::bounds::turns::Owner;
use base::clock::Clock;
use domain::audience::{Audience, ChatContacts};
use domain::event::{Entry, Event, Fact, Origin, RoomState};
use domain::group::GroupFact;
use domain::ids::{GroupId, StreamId, UserId};
use domain::likes::Likers;
use domain::user::User;
use index::IndexFault;
use index::archive::Archive;
use index::rows::EventPosition;
use index::timeline::TimelinePlace;
use journal::{Committed, Cursor, Follower};
use wire::instance::Instance;
use wire::message;
use wire::reaction::ShownLikers;

/// Batches that may wait; past that batches are passed on without a look-up, and readers find in
/// the journal what is for them.
const HURRIED: usize = 1024;

type Batch = Arc<[Arc<Committed>]>;

/// Passes durable commits to the subscribers. Cheap to clone.
#[derive(Clone)]
pub struct Broadcast(Arc<Shared>);

struct Shared {
    archive: Archive,
    instance: Arc<Instance>,
    clock: Arc<dyn Clock>,
    queue: UnboundedSender<Batch>,
    heard: Mutex<Heard>,
    rosters: Rosters,
    topic_audiences: Mutex<TopicAudiences>,
}

#[derive(Default)]
struct Heard {
    listeners: Vec<Box<dyn Follower>>,
    /// Batches that were not passed on yet.
    waiting: usize,
}

impl Broadcast {
    /// Starts to follow the journal. Called once, on a thread with an actix system.
    pub fn start(archive: Archive, instance: Arc<Instance>, clock: Arc<dyn Clock>) -> Self {
        let (queue, waiting) = mpsc::unbounded_channel();
        let journal = Arc::clone(&archive.journal);
        let heard = Mutex::default();
        let rosters = Rosters::default();
        let topic_audiences = Mutex::default();
        let shared =
            Arc::new(Shared { archive, instance, clock, queue, heard, rosters, topic_audiences });
        journal.follow(Box::new(TellingFollower(Arc::downgrade(&shared))));
        actix::spawn(tell_all(Arc::clone(&shared), waiting));
        Self(shared)
    }

    /// Adds a subscriber, which receives every batch from now on.
    pub fn add(&self, listener: Box<dyn Follower>) {
        self.0.heard().listeners.push(listener);
    }
}

/// The follower on the journal's thread. It holds a weak reference, because [`Shared`] holds the
/// journal.
struct TellingFollower(Weak<Shared>);

impl Follower for TellingFollower {
    fn durable(&mut self, batch: &Batch) {
        let Some(shared) = self.0.upgrade() else { return };
        batch.iter().for_each(|commit| shared.rosters.hear(commit));
        let batch = &shared.with_topic_audiences(batch);
        let mut heard = shared.heard();
        let is_told_of = batch.iter().all(|commit| commit.origin != Origin::Read);
        if is_told_of && heard.waiting == 0 {
            return heard.tell(batch);
        }
        // If the receiver is gone, the server is stopping.
        if shared.queue.send(Arc::clone(batch)).is_ok() {
            heard.waiting += 1;
        }
    }

    fn leader_changed(&mut self, leads: bool) {
        let Some(shared) = self.0.upgrade() else { return };
        shared.heard().listeners.iter_mut().for_each(|listener| listener.leader_changed(leads));
    }
}

/// Passes the queued batches on, one after the other, until the server stops.
async fn tell_all(shared: Arc<Shared>, mut waiting: UnboundedReceiver<Batch>) {
    while let Some(batch) = waiting.recv().await {
        let batch = match shared.known(&batch) {
            Some(known) => known,
            None => shared.looked_up(batch).await,
        };
        let mut heard = shared.heard();
        heard.tell(&batch);
        heard.waiting -= 1;
    }
}

impl Heard {
    fn tell(&mut self, batch: &Batch) {
        self.listeners.iter_mut().for_each(|listener| listener.durable(batch));
    }
}

impl Shared {
    /// The batch with the audiences of topics as they are where their events stand in the journal.
    fn with_topic_audiences(&self, batch: &Batch) -> Batch {
        let now = self.clock.now().mono;
        let mut audiences = self.topic_audiences.lock().unwrap_or_else(PoisonError::into_inner);
        if !audiences.concerns(batch) {
            return Arc::clone(batch);
        }
        batch.iter().map(|commit| audiences.corrected(commit, now)).collect()
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The batch with audience and state, if they are known without the index, as they are for most
    /// posts.
    fn known(&self, batch: &Batch) -> Option<Batch> {
        batch.iter().map(|commit| self.known_commit(commit)).collect()
    }

    fn known_commit(&self, commit: &Arc<Committed>) -> Option<Arc<Committed>> {
        if commit.origin != Origin::Read {
            return Some(Arc::clone(commit));
        }
        let mut entries = Vec::with_capacity(commit.entries.len());
        for (cursor, n, event) in commit.numbered() {
            let entry = match (n, commit.stream, &event.fact) {
                (None, _, fact) if fact.is_confidential() => return None,
                (None, ..) => Entry::stored(Arc::clone(event)),
                (Some(_), StreamId::Group(group), Fact::Group(GroupFact::Posted(message))) => {
                    let audience = self.rosters.at(message.parent.unwrap_or(group), cursor)?;
                    let conversation = commit.stream.conversation()?;
                    let shown =
                        message::json(conversation, message, Likers::NOBODY, &self.instance);
                    let state = RoomState { message: Some(shown), ..RoomState::default() };
                    Entry { audience, state, ..Entry::stored(Arc::clone(event)) }
                }
                (Some(_), ..) => return None,
            };
            entries.push(entry);
        }
        Some(with_entries(commit, entries, Origin::LookedUp))
    }

    /// The batch with audience and state from the index; unchanged if they cannot be looked up or
    /// too many batches wait.
    async fn looked_up(self: &Arc<Self>, batch: Batch) -> Batch {
        let Some(last) = batch.last().map(|commit| commit.last_cursor()) else { return batch };
        if self.heard().waiting > HURRIED {
            return batch;
        }
        let shared = Arc::clone(self);
        let bare = Arc::clone(&batch);
        let look = async {
            self.archive.index.reached(last).await?;
            let look_up = move |archive: &Archive| {
                Ok(bare.iter().map(|commit| shared.look_up_or_bare(archive, commit)).collect())
            };
            self.archive.blocking(Owner::Server, look_up).await
        };
        look.await.unwrap_or_else(|fault| {
            tracing::warn!(
                %fault,
                "looking up commits of other nodes failed; each reader looks them up"
            );
            batch
        })
    }

    /// Looks one commit up. A fault leaves that commit unchanged, not those beside it.
    fn look_up_or_bare(&self, archive: &Archive, commit: &Arc<Committed>) -> Arc<Committed> {
        self.look_up(archive, commit).unwrap_or_else(|fault| {
            let stream = commit.stream;
            tracing::warn!(
                %fault, %stream,
                "looking up a commit of another node failed; each reader looks it up"
            );
            Arc::clone(commit)
        })
    }

    fn look_up(
        &self,
        archive: &Archive,
        commit: &Arc<Committed>,
    ) -> Result<Arc<Committed>, IndexFault> {
        if commit.origin != Origin::Read {
            return Ok(Arc::clone(commit));
        }
        let stream = commit.stream;
        let record = commit.cursor;
        let mut entries = Vec::with_capacity(commit.entries.len());
        for (index, (_, n, event)) in (0_u16..).zip(commit.numbered()) {
            let event = Arc::clone(event);
            entries.push(match n {
                None => {
                    let audience = self.confidants(archive, stream, record.event(index), &event)?;
                    Entry { audience, ..Entry::stored(event) }
                }
                Some(n) => {
                    let place = TimelinePlace { stream, at: EventPosition { record, index, n } };
                    let audience = self.audience(archive, &place, &event)?;
                    let state = self.state(archive, &place, &event)?;
                    Entry { audience, state, ..Entry::stored(event) }
                }
            });
        }
        Ok(with_entries(commit, entries, Origin::LookedUp))
    }

    /// The users who receive an event without a number: nobody, if it is not confidential.
    fn confidants(
        &self,
        archive: &Archive,
        stream: StreamId,
        cursor: Cursor,
        event: &Event,
    ) -> Result<Audience, IndexFault> {
        match (stream, &event.fact) {
            (StreamId::Group(group), Fact::Group(fact)) if fact.is_confidential() => {
                Ok(Audience::of(archive.index.confidants(group, cursor, fact)?))
            }
            _ => Ok(Audience::nobody()),
        }
    }

    /// The users who receive an event: in a group, everybody who is in it before the event or after
    /// it.
    fn audience(
        &self,
        archive: &Archive,
        place: &TimelinePlace,
        event: &Event,
    ) -> Result<Audience, IndexFault> {
        match place.stream {
            StreamId::User(user) => Ok(Audience::of([user])),
            StreamId::Chat(pair) => Ok(Audience::of([pair.low(), pair.high()])),
            StreamId::Group(group) if changes_members(&event.fact) => {
                let n = place.at.n;
                let before = archive.roster_at(group, n.saturating_sub(1))?;
                Ok(Audience::of(before).and(archive.roster_at(group, n)?))
            }
            StreamId::Group(group) => self.roster(archive, group, &place.at),
            StreamId::Callbacks | StreamId::Audit | StreamId::Instance | StreamId::Name(_) => {
                Ok(Audience::nobody())
            }
        }
    }

    /// The members of a group, or of the group of a topic, at one of its events, which must not change
    /// them.
    fn roster(
        &self,
        archive: &Archive,
        group: GroupId,
        at: &EventPosition,
    ) -> Result<Audience, IndexFault> {
        let behind = archive.index.group_behind(group)?;
        if let Some(users) = self.rosters.at(behind, at.cursor()) {
            return Ok(users);
        }
        // The events of a topic are not numbered with those of its group: who is in the group by now
        // counts, which differs only for people who joined or left at that moment.
        let users = match behind == group {
            true => archive.roster_at(group, at.n)?,
            false => archive.index.members(behind)?.into_iter().map(|it| it.user_id).collect(),
        };
        let users = Audience::of(users);
        self.rosters.keep(behind, at.cursor(), users.clone());
        Ok(users)
    }

    /// The room's own state right after the event.
    fn state(
        &self,
        archive: &Archive,
        place: &TimelinePlace,
        event: &Event,
    ) -> Result<RoomState, IndexFault> {
        let mut state = resume::state_then(archive, place, event)?;
        if let Some(conversation) = place.stream.conversation() {
            let likers = ShownLikers::of(state.likers.as_deref());
            let shown = event.fact.message().or(state.revised.as_ref());
            state.message = shown.map(|it| message::json(conversation, it, likers, &self.instance));
        }
        if let (StreamId::Group(group), Fact::Group(GroupFact::MemberLeft { .. })) =
            (place.stream, &event.fact)
        {
            state.topics = archive.index.topic_ids(group)?;
        }
        if let StreamId::User(user) = place.stream {
            let account = resume::account_of(archive, place, &event.fact)?;
            (state.account, state.chat_contacts) = self.seen(archive, user, place, account)?;
        }
        Ok(state)
    }

    /// The account, and the chat contacts who are told that its public profile changed, if it did.
    fn seen(
        &self,
        archive: &Archive,
        user: UserId,
        place: &TimelinePlace,
        account: Option<User>,
    ) -> Result<(Option<Arc<User>>, Option<ChatContacts>), IndexFault> {
        let Some(mut account) = account else { return Ok((None, None)) };
        let as_of = self.clock.now().mono;
        let seen = archive.onlookers_at(user, place.at.cursor())?;
        let contacts = seen.map(|(number, users)| {
            account.public_profiles = number;
            ChatContacts { users: users.into(), as_of }
        });
        Ok((Some(Arc::new(account)), contacts))
    }
}
