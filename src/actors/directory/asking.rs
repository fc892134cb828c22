//! Asking: from an id to the room that answers, whichever one it is by then.

use std::hash::{BuildHasher, Hash};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix::dev::channel::channel;
use actix::prelude::SendError;
use actix::{Actor, Addr, Context, Handler};
use dashmap::DashMap;

use crate::actors::ask::{Answered, Ask, Came, Failure, Fault, MAILBOXES, Posted, Question, Reply};
use crate::actors::directory::{Directory, Keeping, Running};
use crate::actors::nothing::{AskedOf, RoomId};
use crate::bounds::places::Fullness;
use crate::index::archive::Archive;

/// Questions that may wait in the mailbox of a room.
const MAILBOX: usize = 2048;
/// How long an ask waits for its answer.
const DEADLINE: Duration = Duration::from_secs(30);
/// Rooms that are asked in turn, where each stops before it reads the question.
const ATTEMPTS: usize = 8;

impl Directory {
    /// Asks a room, and the next one where it stopped before it read the question.
    pub(super) async fn ask<K, A, Q>(
        &self,
        rooms: &DashMap<K, Addr<A>>,
        id: K,
        make: impl Fn(&Self) -> Option<Addr<A>>,
        (question, keep): (Q, Keeping<Q>),
    ) -> Answered<Q>
    where
        K: RoomId,
        A: Actor<Context = Context<A>> + Handler<Posted<Q>>,
        Q: AskedOf<A>,
    {
        // An act under a key is waited for to its end: a repeat may begin it again only
        // when it is known not to have happened.
        let deadline = if keep.is_some() { Duration::MAX } else { DEADLINE };
        let asking = async {
            let mut asked = (question, keep);
            for _ in 0..ATTEMPTS {
                match self.ask_once(rooms, id, &make, asked).await? {
                    Came::Answer(answer) => return answer,
                    Came::Lost => return Err(Failure::Fault(Fault::Gone)),
                    Came::Back(back) => match back.downcast() {
                        Ok(back) => asked = *back,
                        Err(_) => return Err(Failure::Fault(Fault::Gone)),
                    },
                }
            }
            Err(Failure::Fault(Fault::Gone))
        };
        tokio::time::timeout(deadline, asking).await.unwrap_or(Err(Failure::Fault(Fault::Late)))
    }

    async fn ask_once<K, A, Q>(
        &self,
        rooms: &DashMap<K, Addr<A>>,
        id: K,
        make: &impl Fn(&Self) -> Option<Addr<A>>,
        (question, keep): (Q, Keeping<Q>),
    ) -> Result<Came<Q::Answer, Q::Refusal>, Failure<Q::Refusal>>
    where
        K: RoomId,
        A: Actor<Context = Context<A>> + Handler<Posted<Q>>,
        Q: AskedOf<A>,
    {
        let known = rooms.get(&id).map(|room| room.value().clone());
        let room = match known.filter(Addr::connected) {
            Some(room) => room,
            None => {
                if let Some(nothing) = question.of_nothing()
                    && !self.is_taken(id).await?
                {
                    return Ok(Came::Answer(nothing.map_err(Failure::Refused)));
                }
                self.start_once(rooms, id, make).ok_or(Failure::Fault(Fault::Gone))?
            }
        };
        let (reply, answer) = Reply::keeping(keep);
        match room.try_send(Posted::new(Ask { question, reply })) {
            // What was closed just now has given the question back.
            Ok(()) | Err(SendError::Closed(_)) => Ok(answer.await),
            Err(SendError::Full(_)) => {
                self.0.full_mailboxes.fetch_add(1, Ordering::Relaxed);
                Err(Failure::Fault(Fault::Busy))
            }
        }
    }

    /// Questions that wait in mailboxes, all together; the limit is that of each.
    pub fn mailboxes(&self) -> Fullness {
        let refused = self.0.full_mailboxes.load(Ordering::Relaxed);
        Fullness::of_items(MAILBOXES.sum(), MAILBOX, refused)
    }

    /// Whether anything lives under an id. What is there is mostly seen at once; that
    /// nothing is there holds only once the index has everything that was answered so far.
    async fn is_taken<K: RoomId>(&self, id: K) -> Result<bool, Fault> {
        let archive = &self.0.context.archive;
        let look = move |archive: &Archive| id.is_taken(&archive.index);
        Ok(archive.blocking(look).await? || archive.currently(look).await?)
    }

    /// Starts a room unless somebody else just did.
    fn start_once<K: RoomId, A: Actor<Context = Context<A>>>(
        &self,
        rooms: &DashMap<K, Addr<A>>,
        id: K,
        make: &impl Fn(&Self) -> Option<Addr<A>>,
    ) -> Option<Addr<A>> {
        match rooms.entry(id) {
            dashmap::Entry::Occupied(room) if room.get().connected() => Some(room.get().clone()),
            dashmap::Entry::Occupied(mut room) => {
                let fresh = make(self)?;
                room.insert(fresh.clone());
                Some(fresh)
            }
            dashmap::Entry::Vacant(place) => {
                let fresh = make(self)?;
                place.insert(fresh.clone());
                Some(fresh)
            }
        }
    }

    /// Starts an actor on the thread that its id falls on. Its mailbox has its size from
    /// the first message on, unlike with `start_in_arbiter`.
    pub(super) fn start<K: Hash, A: Actor<Context = Context<A>>>(
        &self,
        id: &K,
        make: impl FnOnce() -> A + Send + 'static,
    ) -> Option<Addr<A>> {
        let arbiters = self.0.arbiters.read().unwrap_or_else(PoisonError::into_inner);
        let slot = self.0.hasher.hash_one(id) as usize % arbiters.len().max(1);
        let (sender, receiver) = channel(MAILBOX);
        let started = arbiters.get(slot)?.spawn_fn(move || {
            actix::spawn(Context::with_receiver(receiver).into_future(make()));
        });
        started.then(|| Addr::new(sender))
    }
}

/// Asks a room if it runs.
pub(super) fn ask_if_running<K, A, Q>(
    rooms: &DashMap<K, Addr<A>>,
    id: K,
    question: Q,
) -> Result<Option<Running<Q>>, Fault>
where
    K: Eq + Hash,
    A: Actor<Context = Context<A>> + Handler<Posted<Q>>,
    Q: Question,
{
    let room = rooms.get(&id).map(|room| room.value().clone());
    let Some(room) = room else { return Ok(None) };
    let (reply, answer) = Reply::pair();
    match room.try_send(Posted::new(Ask { question, reply })) {
        Ok(()) => Ok(Some(answer)),
        Err(SendError::Full(_)) => Err(Fault::Busy),
        Err(SendError::Closed(_)) => Ok(None),
    }
}
