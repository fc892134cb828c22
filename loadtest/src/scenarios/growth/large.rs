//! Posts, likes and joins in groups of many members, ten of whom are online.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use tokio::task::JoinHandle;

use super::crew::Founded;
use super::{Ground, MOST_MEMBERS, ONLINE, RunError, say};
use crate::http::request;
use crate::load::audience::open_all;
use crate::load::series::Series;
use crate::process::target::Target;
use crate::push::event::Event;
use crate::push::listener::{FrameHandler, Opening, SocketError};
use crate::report::curve::{Curve, Point};

/// The size of group for which P21 has its first bound.
const LARGE: usize = 5000;

/// What the sockets of a measurement received.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    largest: Arc<AtomicUsize>,
    events: Arc<AtomicU64>,
    /// When the newest event came, in milliseconds since `began`.
    newest: Arc<AtomicU64>,
    began: Instant,
}

impl Watch {
    fn new() -> Self {
        Self {
            largest: Arc::default(),
            events: Arc::default(),
            newest: Arc::default(),
            began: Instant::now(),
        }
    }

    pub(super) fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    pub(super) fn newest(&self) -> Instant {
        self.began + std::time::Duration::from_millis(self.newest.load(Ordering::Relaxed))
    }

    /// Returns the length of the largest frame since the last call.
    fn take_largest(&self) -> usize {
        self.largest.swap(0, Ordering::Relaxed)
    }
}

impl FrameHandler for Watch {
    fn hear(&mut self, _event: &Event<'_>) {
        self.events.fetch_add(1, Ordering::Relaxed);
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.newest.fetch_max(now, Ordering::Relaxed);
    }

    fn weigh(&mut self, bytes: usize) {
        self.largest.fetch_max(bytes, Ordering::Relaxed);
    }
}

/// The open sockets of some people. They close on drop.
pub(super) struct Sockets {
    pub(super) watch: Watch,
    tasks: Vec<JoinHandle<SocketError>>,
}

impl Sockets {
    pub(super) async fn open<'a>(
        target: Target,
        tokens: impl Iterator<Item = &'a str>,
    ) -> Result<Self, SocketError> {
        let watch = Watch::new();
        let seats = tokens.map(|token| (Opening::of(token), watch.clone())).collect();
        let listeners = open_all(target.addr, seats).await?;
        let tasks = listeners.into_iter().map(|listener| tokio::spawn(listener.listen()));
        Ok(Self { watch, tasks: tasks.collect() })
    }

    /// How many sockets have ended by themselves.
    pub(super) fn ended(&self) -> usize {
        self.tasks.iter().filter(|task| task.is_finished()).count()
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Checks that every socket is still open; one that has ended would make the acts look cheap.
pub(super) fn check_open(ground: &mut Ground, sockets: &Sockets) {
    let (ended, count) = (sockets.ended(), sockets.tasks.len());
    if ended > 0 {
        ground.report.check("every socket stays open", false, format!("{ended} of {count} ended"));
    }
}

impl Ground {
    async fn online(&self) -> Result<Sockets, SocketError> {
        Sockets::open(self.target(), (0..ONLINE).map(|place| self.crew.token(place))).await
    }

    /// P21: posts over the members of the group.
    pub(super) async fn posts(&mut self) -> Result<(), RunError> {
        let (sizes, mut groups) = (self.sizes.members.clone(), Vec::new());
        for size in &sizes {
            say(format_args!("posts: creating a group of {size}"));
            groups.push(self.crew.found(self.target().addr, *size).await?);
        }
        let sockets = self.online().await?;
        self.settle().await?;
        for round in 1..=self.rounds {
            for (size, group) in sizes.iter().zip(&groups) {
                let posts = self.post_series(group, self.sizes.acts);
                self.measure(round, posted(*size), posts).await?;
            }
        }
        check_open(self, &sockets);
        let curve = Curve::new("post", "members", "µs", 1.3, self.points(&sizes, posted));
        let (large, largest) =
            (curve.growth(|size| size <= LARGE), curve.growth(|size| size > LARGE));
        self.curve(curve);
        self.bar("P21", "a post among up to 5,000 members per among ten", large, 1.2, "×");
        if largest.is_some() {
            self.bar("P21", "a post among more members per among ten", largest, 1.3, "×");
        }
        Ok(())
    }

    /// P22: likes over the likers of the message.
    pub(super) async fn likes(&mut self) -> Result<(), RunError> {
        let sizes = self.sizes.likers.clone();
        let members = sizes.iter().copied().max().unwrap_or_default().max(ONLINE);
        say(format_args!("likes: creating a group of {members}"));
        let group = self.crew.found(self.target().addr, members).await?;
        let messages = self.fill(&group, sizes.len()).await?;
        for (message, likers) in messages.iter().zip(&sizes) {
            say(format_args!("likes: {likers} people like a message"));
            // The last of them, so that those who are online do not, unless everybody does.
            let likers = members - likers..members;
            let likes = likers.map(|place| self.like(&group, message, place, "like"));
            self.send(likes.collect()).await?;
        }
        let sockets = self.online().await?;
        self.settle().await?;
        let mut frames = vec![0; sizes.len()];
        for round in 1..=self.rounds {
            for (place, (message, likers)) in messages.iter().zip(&sizes).enumerate() {
                sockets.watch.take_largest();
                let likes = self.like_series(&group, message, *likers + ONLINE > members);
                self.measure(round, liked(*likers), likes).await?;
                frames[place] = frames[place].max(sockets.watch.take_largest());
            }
        }
        check_open(self, &sockets);
        let curve = Curve::new("like", "likers", "µs", 2.0, self.points(&sizes, liked));
        let growth = curve.growth(|_| true);
        self.curve(curve);
        let points = sizes.iter().zip(&frames);
        let points = points.map(|(size, bytes)| Point { size: *size, figure: Some(*bytes as f64) });
        let curve = Curve::new("frame of a like", "likers", "B", 20.0, points.collect());
        let largest = curve.largest();
        self.curve(curve);
        self.bar("P22", "CPU of a like with most likers per with ten", growth, 2.0, "×");
        self.bar("P22", "largest frame of a like", largest, 4096.0, "B");
        Ok(())
    }

    /// Returns likes and their withdrawals in turn, by those who are online.
    fn like_series(&self, group: &Founded, message: &str, are_likers: bool) -> Vec<Series> {
        let verbs = if are_likers { ["unlike", "like"] } else { ["like", "unlike"] };
        let turns = (self.sizes.acts / ONLINE / 2).max(1);
        let series = (0..ONLINE).map(|place| {
            let acts = (0..turns).flat_map(|_| verbs);
            let acts = acts.map(|verb| self.like(group, message, place, verb));
            Series::new(self.target().addr, acts.collect())
        });
        series.collect()
    }

    fn like(&self, group: &Founded, message: &str, place: usize, verb: &str) -> Vec<u8> {
        let path = format!("/v3/messages/{}/{message}/{verb}", group.id);
        request::post(self.target().addr, &path, self.crew.token(place), "{}")
    }

    /// P23: joins over the members who are there already.
    pub(super) async fn joins(&mut self) -> Result<(), RunError> {
        let joiners = self.sizes.joiners;
        let sizes = self.sizes.members.clone();
        let before = |size: usize| size.min(MOST_MEMBERS - joiners);
        let sockets = self.online().await?;
        for round in 1..=self.rounds {
            for size in &sizes {
                say(format_args!("joins: creating a group of {}", before(*size)));
                let group = self.crew.found(self.target().addr, before(*size)).await?;
                self.settle().await?;
                let joins = (0..joiners).map(|place| {
                    let path = format!("/v3/groups/{}/join/{}", group.id, group.share_token);
                    let token = self.crew.token(before(*size) + place);
                    request::post(self.target().addr, &path, token, "{}")
                });
                let series = Series::deal(self.target().addr, joins.collect(), 2);
                self.measure(round, joined(*size), series).await?;
            }
        }
        check_open(self, &sockets);
        let curve = Curve::new("join", "members", "µs", 3.0, self.points(&sizes, joined));
        let growth = curve.growth(|size| size <= LARGE);
        self.curve(curve);
        self.bar("P23", "a join of up to 5,000 members per of ten", growth, 3.0, "×");
        Ok(())
    }
}

fn posted(members: usize) -> String {
    format!("post, {members} members")
}

fn liked(likers: usize) -> String {
    format!("like, {likers} likers")
}

fn joined(members: usize) -> String {
    format!("join, {members} members")
}
