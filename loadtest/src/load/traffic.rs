//! Everything that users and their programs do all day, a little of each: posts, pages, lists,
//! likes, sockets that come and go, long-polls, bots that are called back.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::callbacks::{Arrivals, Manner, listen};
use crate::load::meter::Meter;
use crate::load::pace::Posting;
use crate::push::event::Event;
use crate::push::listener::{FrameHandler, Listener, Opening};
use crate::push::tally::Faults;
use crate::report::Report;
use crate::scenarios::RunError;
use crate::stats::{Latencies, Percentiles};
use crate::world::people::World;
use crate::world::rest::{Api, CallError, Reply};

/// How many workers do each thing, and how long each pauses after it.
const READERS: (usize, Duration) = (4, Duration::from_millis(60));
const LIKERS: (usize, Duration) = (2, Duration::from_millis(60));
const POLLERS: (usize, Duration) = (4, Duration::from_millis(20));
/// How many sockets there are, and how long each stays open.
const SOCKETS: (usize, Duration) = (16, Duration::from_millis(1300));
/// How long the workers may take to end once the traffic is stopped.
const ENDS_WITHIN: Duration = Duration::from_secs(30);

/// The pause of a worker that finds nothing to do yet.
const LATER: Duration = Duration::from_millis(25);

/// How much was done, by kind.
#[derive(Debug, Default)]
struct Done {
    posts: AtomicU64,
    reads: AtomicU64,
    likes: AtomicU64,
    polls: AtomicU64,
    sockets: AtomicU64,
    deliveries: AtomicU64,
}

/// The state that all workers of the traffic share.
#[derive(Debug)]
pub struct Traffic {
    addr: SocketAddr,
    world: World,
    text: String,
    posting: Posting,
    is_over: AtomicBool,
    done: Done,
    /// The latencies of posts since the last call of `take_latencies`.
    latencies: Mutex<Latencies>,
    /// The id of the newest message of each group.
    newest: Mutex<Vec<Option<String>>>,
    odd: Mutex<BTreeMap<String, u64>>,
    faults: Mutex<Faults>,
    arrivals: Arc<Arrivals>,
    called_back: Arc<Meter>,
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Traffic {
    /// Prepares the traffic; [`Cast::begins`] starts it.
    pub fn new(addr: SocketAddr, world: World, text_bytes: usize, posting: Posting) -> Self {
        let groups = world.groups.len();
        Self {
            addr,
            world,
            text: "x".repeat(text_bytes),
            posting,
            is_over: AtomicBool::new(false),
            done: Done::default(),
            latencies: Mutex::default(),
            newest: Mutex::new(vec![None; groups]),
            odd: Mutex::default(),
            faults: Mutex::default(),
            arrivals: Arc::default(),
            called_back: Arc::default(),
        }
    }

    /// Returns the latencies of posts since the last call.
    pub fn take_latencies(&self) -> Percentiles {
        std::mem::take(&mut *lock(&self.latencies)).percentiles()
    }

    /// Reports what was done, and checks that all of it went as it should.
    pub fn judge(&self, report: &mut Report) {
        let done = &self.done;
        let called_back = self.called_back.units();
        for (what, count) in [
            ("posts", done.posts.load(Ordering::Relaxed)),
            ("pages, lists and snapshots", done.reads.load(Ordering::Relaxed)),
            ("likes given and taken back", done.likes.load(Ordering::Relaxed)),
            ("long-polls", done.polls.load(Ordering::Relaxed)),
            ("sockets opened", done.sockets.load(Ordering::Relaxed)),
            ("events on sockets", done.deliveries.load(Ordering::Relaxed)),
            ("callbacks", called_back),
        ] {
            report.figure(what, Some(count as f64), "");
            // A kind of traffic that never came about proves nothing.
            report.check("every kind of traffic came about", count > 0, format!("{count} {what}"));
        }
        let odd = lock(&self.odd).clone();
        let count: u64 = odd.values().sum();
        report.add_odd_answers(&odd);
        report.check(
            "every request gets the expected response",
            count == 0,
            format!("{count} do not"),
        );
        let faults = *lock(&self.faults);
        let detail = format!(
            "{} gaps, {} steps back and {} repeats in n",
            faults.gaps, faults.out_of_order, faults.duplicates
        );
        let passed = faults == Faults::default();
        report.check("sockets that come back miss nothing", passed, detail);
    }

    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }

    fn odd(&self, what: String) {
        if self.goes_on() {
            *lock(&self.odd).entry(what).or_default() += 1;
        }
    }

    /// Returns the parsed answer if it has this status; otherwise counts the answer as odd.
    fn expect<T: serde::de::DeserializeOwned>(
        &self,
        reply: Result<Reply, CallError>,
        status: u16,
    ) -> Option<T> {
        let told = reply.and_then(|reply| {
            // Without query and ids, so that the same error for many messages counts as one kind.
            let call = reply.call.split('?').next().unwrap_or_default();
            let call = call.replace(|sign: char| sign.is_ascii_digit(), "");
            Reply { call, ..reply }.response(status)
        });
        told.map_err(|error| self.odd(error.to_string())).ok()
    }

    async fn posts(self: Arc<Self>, place: usize) {
        #[derive(Deserialize)]
        struct Stored {
            message: Id,
        }
        #[derive(Deserialize)]
        struct Id {
            id: String,
        }
        let (mut api, mut number) = (Api::new(self.addr), 0_u64);
        let (group, target) = (place % self.world.groups.len(), self.world.post_target(place));
        let path = format!("/v3/groups/{}/messages", target.group_id);
        let Posting { senders, rate } = self.posting;
        let beat = Duration::from_secs_f64(1.0 / rate);
        let mut due = Instant::now() + beat * place as u32;
        while self.goes_on() {
            tokio::time::sleep_until(due.into()).await;
            number += 1;
            let guid = format!("soak-{place}-{number}");
            let body = json!({"message": {"source_guid": guid, "text": self.text}});
            let reply = api.post(&path, &target.token, &body).await;
            // Measured from when the post was due, so that one delayed by a slow answer is late
            // too.
            lock(&self.latencies).record(due.elapsed());
            due += beat * senders as u32;
            if let Some(Stored { message }) = self.expect(reply, 201) {
                self.done.posts.fetch_add(1, Ordering::Relaxed);
                lock(&self.newest)[group] = Some(message.id);
            }
        }
    }

    async fn reads(self: Arc<Self>, place: usize) {
        let (mut api, target) = (Api::new(self.addr), self.world.post_target(place));
        let group = place % self.world.groups.len();
        let own = format!("/v3/groups/{}/messages", target.group_id);
        for turn in 0_usize.. {
            if !self.goes_on() {
                return;
            }
            let newest = lock(&self.newest)[group].clone();
            let path = match (turn % 4, newest) {
                (0, _) => "/v3/groups?per_page=10".to_owned(),
                (1, _) => "/v3/sync".to_owned(),
                (2, Some(newest)) => format!("{own}?limit=100&before_id={newest}"),
                (_, Some(_)) => format!("{own}?limit=20"),
                (_, None) => continue_later().await,
            };
            let reply = api.get(&path, &target.token).await;
            // 304: nothing is older than the first message.
            let is_empty = matches!(&reply, Ok(reply) if reply.status == 304);
            if is_empty || self.expect::<Value>(reply, 200).is_some() {
                self.done.reads.fetch_add(1, Ordering::Relaxed);
            }
            tokio::time::sleep(READERS.1).await;
        }
    }

    async fn likes(self: Arc<Self>, place: usize) {
        let (mut api, target) = (Api::new(self.addr), self.world.post_target(place));
        let group = place % self.world.groups.len();
        while self.goes_on() {
            let newest = lock(&self.newest)[group].clone();
            for act in ["like", "unlike"] {
                let Some(newest) = &newest else { continue };
                let path = format!("/v3/messages/{}/{newest}/{act}", target.group_id);
                let reply = api.post(&path, &target.token, &json!({})).await;
                if self.expect::<Value>(reply, 200).is_some() {
                    self.done.likes.fetch_add(1, Ordering::Relaxed);
                }
            }
            tokio::time::sleep(LIKERS.1).await;
        }
    }

    async fn polls(self: Arc<Self>, place: usize) {
        #[derive(Deserialize)]
        struct Page {
            c: String,
        }
        let (mut api, target) = (Api::new(self.addr), self.world.post_target(place));
        let mut after: Option<String> = None;
        while self.goes_on() {
            let cursor = after.iter().map(|cursor| format!("&after={cursor}")).collect::<String>();
            let reply = api.get(&format!("/v3/events?wait=1{cursor}"), &target.token).await;
            if let Some(Page { c }) = self.expect(reply, 200) {
                self.done.polls.fetch_add(1, Ordering::Relaxed);
                after = Some(c);
            }
            tokio::time::sleep(POLLERS.1).await;
        }
    }

    /// Opens a socket, listens for a while, disconnects, and reconnects with the cursor of its last
    /// opening.
    async fn listens(self: Arc<Self>, place: usize) {
        let person = &self.world.people[place % self.world.people.len()];
        let seen = Arc::<Mutex<Seen>>::default();
        let mut after = None;
        while self.goes_on() {
            let how = Opening { after: after.take(), ..Opening::of(&person.token) };
            lock(&seen).comes_back();
            let heard = Heard { traffic: Arc::clone(&self), seen: Arc::clone(&seen) };
            let listener = match Listener::open(self.addr, &how, heard).await {
                Ok(listener) => listener,
                Err(error) => {
                    self.odd(error.to_string());
                    tokio::time::sleep(SOCKETS.1).await;
                    continue;
                }
            };
            self.done.sockets.fetch_add(1, Ordering::Relaxed);
            // The cursor is that of the opening, so all later events come again on the next visit.
            let cursor = listener.cursor.clone();
            if let Ok(error) = tokio::time::timeout(SOCKETS.1, listener.listen()).await {
                self.odd(error.to_string());
            }
            after = Some(cursor);
        }
        *lock(&self.faults) += lock(&seen).faults;
    }
}

/// Pauses, then returns a path at which there is always something to read.
async fn continue_later() -> String {
    tokio::time::sleep(LATER).await;
    "/v3/groups?per_page=1".to_owned()
}

/// The frame handler of one socket.
struct Heard {
    traffic: Arc<Traffic>,
    seen: Arc<Mutex<Seen>>,
}

/// How far a socket has received each conversation, over all its visits.
#[derive(Debug, Default)]
struct Seen {
    visits: u64,
    convs: HashMap<Box<[u8]>, Place>,
    faults: Faults,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    highest: u64,
    /// The newest `n` of this visit.
    newest: u64,
    visit: u64,
}

impl Seen {
    fn comes_back(&mut self) {
        self.visits += 1;
    }

    /// Checks `n`: within a visit nothing may be left out or come twice, and a visit must begin no
    /// later than right after the end of the one before.
    fn follow(&mut self, event: &Event<'_>) {
        let (n, visit) = (event.n, self.visits);
        let Some(place) = self.convs.get_mut(event.conv) else {
            self.convs.insert(event.conv.into(), Place { highest: n, newest: n, visit });
            return;
        };
        let is_first = place.visit != visit;
        let expected = if is_first { place.highest + 1 } else { place.newest + 1 };
        self.faults.gaps += u64::from(n > expected);
        self.faults.out_of_order += u64::from(!is_first && n < expected);
        *place = Place { highest: place.highest.max(n), newest: n, visit };
    }
}

impl FrameHandler for Heard {
    fn hear(&mut self, event: &Event<'_>) {
        self.traffic.done.deliveries.fetch_add(1, Ordering::Relaxed);
        lock(&self.seen).follow(event);
    }
}

/// The workers that make the traffic.
#[derive(Debug)]
pub struct Cast {
    traffic: Arc<Traffic>,
    acting: JoinSet<()>,
}

impl Cast {
    /// Creates the bots and starts all workers.
    pub async fn begins(traffic: &Arc<Traffic>, api: &mut Api) -> Result<Self, RunError> {
        let meter = Arc::new(Mutex::new(Arc::clone(&traffic.called_back)));
        let hook = listen(Manner::Takes, Arc::clone(&traffic.arrivals), meter).await?;
        for (place, group) in traffic.world.groups.iter().enumerate().take(GROUPS_WITH_BOTS) {
            let url = format!("http://{hook}/{place}");
            let bot = json!({"name": "Bot", "group_id": group.id, "callback_url": url});
            let owner = &traffic.world.people[group.members[0]];
            let made = api.post("/v3/bots", &owner.token, &json!({"bot": bot})).await?;
            made.response::<Value>(201)?;
        }
        let mut acting = JoinSet::new();
        let own = || Arc::clone(traffic);
        (0..traffic.posting.senders).for_each(|place| drop(acting.spawn(own().posts(place))));
        (0..READERS.0).for_each(|place| drop(acting.spawn(own().reads(place))));
        (0..LIKERS.0).for_each(|place| drop(acting.spawn(own().likes(place))));
        (0..POLLERS.0).for_each(|place| drop(acting.spawn(own().polls(place))));
        (0..SOCKETS.0).for_each(|place| drop(acting.spawn(own().listens(place))));
        Ok(Self { traffic: Arc::clone(traffic), acting })
    }

    /// Stops the traffic and waits until the workers have finished what they are doing, at most 30
    /// s.
    pub async fn ends(mut self) {
        self.traffic.is_over.store(true, Ordering::Relaxed);
        let all = async { while self.acting.join_next().await.is_some() {} };
        // Workers that are still busy then are aborted when the set is dropped.
        drop(tokio::time::timeout(ENDS_WITHIN, all).await);
    }
}

/// How many groups have a bot that is called back.
const GROUPS_WITH_BOTS: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(visits: &[&[u64]]) -> Faults {
        let mut seen = Seen::default();
        for visit in visits {
            seen.comes_back();
            for n in *visit {
                seen.follow(&Event { conv: b"g:1", n: *n, guid: None });
            }
        }
        seen.faults
    }

    #[test]
    fn returning_reader_may_get_repeats_but_no_gaps() {
        assert_eq!(faults(&[&[3, 4, 5], &[4, 5, 6], &[7, 8]]), Faults::default());
        assert_eq!(faults(&[&[3, 4], &[6]]).gaps, 1);
        assert_eq!(faults(&[&[3, 5]]).gaps, 1);
        assert_eq!(faults(&[&[3, 4, 4]]).out_of_order, 1);
    }
}
