//! Read marks beside posts: what a mark costs, and what marks and drafts make posts cost.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use super::crew::Founded;
use super::{Ground, LANES, ONLINE, PATIENCE, RunError, say};
use crate::http::connection::Connection;
use crate::http::request;
use crate::load::closed_loop::LoadError;
use crate::load::series::{Series, send_all};
use crate::process::proc_fs::threads_time;
use crate::report::curve::{Curve, Point};
use crate::stats::median;

/// The beginning of the names of the threads that write the index. The only name that the tester
/// knows of the server, since no answer of the API says what indexing costs.
const INDEXER: &str = "index";

/// The row of marks of newest messages.
const NEWEST: &str = "read mark, newest message";

impl Ground {
    /// P20: marks over the messages of their group, and posts into the same groups.
    pub(super) async fn marks(&mut self) -> Result<(), RunError> {
        let sizes = self.sizes.history.clone();
        for size in &sizes {
            say(format_args!("read marks: {size} messages"));
            let group = self.crew.found(self.target().addr, ONLINE).await?;
            let mut messages = self.fill(&group, *size).await?;
            messages.sort_unstable_by_key(|id| (id.len(), id.clone()));
            self.settle().await?;
            let rounds = self.rounds;
            for round in 0..rounds {
                let share = messages.len() / rounds;
                let marks = self.mark_series(&group, &messages[round * share..(round + 1) * share]);
                self.measure(round + 1, marked(*size), marks).await?;
                let acts = self.sizes.acts;
                let posts = self.post_series(&group, acts);
                self.measure(round + 1, posted(*size), posts).await?;
            }
        }
        let points = self.points(&sizes, marked);
        self.curve(Curve::new("read mark", "messages in the group", "µs", 1.2, points));
        let points = self.points(&sizes, posted);
        self.curve(Curve::new("post", "messages in the group", "µs", 1.2, points));
        self.newest_marks().await?;
        let post = self.cost(&posted(sizes[0]));
        let newest = self.cost(NEWEST).zip(post).map(|(mark, post)| mark / post);
        let older = sizes
            .iter()
            .filter_map(|size| Some(self.cost(&marked(*size))? / self.cost(&posted(*size))?));
        let older = older.reduce(f64::max);
        self.bar("P20", "CPU of a mark of the newest message per post", newest, 0.5, "×");
        self.bar("P20", "CPU of a mark of an older message per post", older, 0.5, "×");
        Ok(())
    }

    /// Measures marks of the newest messages of many groups, as clients send them when a message
    /// scrolls by; every mark is of another group.
    async fn newest_marks(&mut self) -> Result<(), RunError> {
        say("read marks of newest messages");
        let count = (self.sizes.acts / (ONLINE - 1)).max(1);
        let mut groups = Vec::with_capacity(count);
        for _ in 0..count {
            groups.push(self.crew.found(self.target().addr, ONLINE).await?);
        }
        for round in 1..=self.rounds {
            let posts: Vec<_> = groups.iter().map(|group| self.post(group, 0)).collect();
            let posted = send_all(vec![Series::new(self.target().addr, posts)], PATIENCE).await?;
            self.settle().await?;
            let readers = (1..ONLINE).map(|reader| {
                let marks = groups.iter().zip(posted.iter().flatten()).map(|(group, message)| {
                    mark(self.target().addr, group, self.crew.token(reader), message)
                });
                Series::new(self.target().addr, marks.collect())
            });
            let readers = readers.collect();
            self.measure(round, NEWEST.to_owned(), readers).await?;
        }
        Ok(())
    }

    /// P26: indexing a post, alone and beside marks and drafts.
    pub(super) async fn beside(&mut self) -> Result<(), RunError> {
        let group = self.crew.found(self.target().addr, 2 * ONLINE).await?;
        let mut marked = self.fill(&group, self.sizes.acts).await?;
        marked.sort_unstable_by_key(|id| (id.len(), id.clone()));
        let sizes = self.sizes.beside.clone();
        let (mut indexing, mut whole) = (vec![Vec::new(); sizes.len()], Vec::new());
        for round in 1..=self.rounds {
            for (rate, indexing) in sizes.iter().zip(&mut indexing) {
                say(format_args!("posts beside {rate} read marks and drafts a second"));
                let posts = self.post_series(&group, 5 * self.sizes.acts);
                let count = 5 * self.sizes.acts;
                let aside = Aside::start(self, &group, &marked, *rate);
                let time = |ground: &Self| match ground.target().pid {
                    Some(pid) => threads_time(pid, INDEXER),
                    None => Ok(None),
                };
                let before = time(self)?;
                self.measure(round, beside(*rate), posts).await?;
                let after = time(self)?;
                aside.end();
                let used = before.zip(after).map(|(before, after)| after.saturating_sub(before));
                indexing.extend(used.map(|used| used.as_secs_f64() * 1e6 / count as f64));
            }
        }
        whole.extend(self.points(&sizes, beside));
        let points = sizes.iter().zip(&indexing);
        let points = points.map(|(size, each)| Point { size: *size, figure: median(each) });
        let points: Vec<Point> = points.collect();
        self.curve(Curve::new("post, all of it", "marks and drafts a second", "µs", 1.2, whole));
        let curve = Curve::new("indexing a post", "marks and drafts a second", "µs", 1.2, points);
        let growth = curve.growth(|rate| rate <= 100);
        self.curve(curve);
        // Another server, or a stub, has no threads of this name.
        if growth.is_some() {
            self.bar("P26", "indexing beside marks and drafts per alone", growth, 1.2, "×");
        }
        Ok(())
    }

    /// Posts messages into a group and returns their ids.
    pub(super) async fn fill(
        &mut self,
        group: &Founded,
        count: usize,
    ) -> Result<Vec<String>, RunError> {
        let mut ids = Vec::with_capacity(count);
        // In parts, because a request takes memory until it is sent.
        while ids.len() < count {
            let part = (count - ids.len()).min(50_000);
            let requests = (0..part).map(|place| self.post(group, place % ONLINE)).collect();
            let series = Series::deal(self.target().addr, requests, 4 * LANES);
            ids.extend(send_all(series, PATIENCE).await?.into_iter().flatten());
        }
        Ok(ids)
    }

    fn post(&mut self, group: &Founded, place: usize) -> Vec<u8> {
        let guid = self.guid();
        group.post(self.target().addr, self.crew.token(place), &guid)
    }

    /// Returns posts of the members who are online, one connection for each.
    pub(super) fn post_series(&mut self, group: &Founded, count: usize) -> Vec<Series> {
        let requests = (0..count).map(|place| self.post(group, place % ONLINE)).collect();
        Series::deal(self.target().addr, requests, ONLINE)
    }

    /// Returns marks of the members who are online, each of whom reads on through these messages.
    fn mark_series(&self, group: &Founded, messages: &[String]) -> Vec<Series> {
        let addr = self.target().addr;
        let each = (self.sizes.acts / ONLINE).clamp(1, messages.len().max(1));
        let readers = (0..ONLINE).map(|reader| {
            let marks = (0..each).map(|number| {
                let message = &messages[number * messages.len() / each];
                mark(addr, group, self.crew.token(reader), message)
            });
            Series::new(addr, marks.collect())
        });
        readers.collect()
    }
}

fn marked(size: usize) -> String {
    format!("read mark, {size} messages")
}

fn posted(size: usize) -> String {
    format!("post, {size} messages")
}

fn beside(rate: usize) -> String {
    format!("post beside {rate}/s")
}

fn mark(addr: SocketAddr, group: &Founded, token: &str, message: &str) -> Vec<u8> {
    let path = format!("/v3/conversations/{}/read", group.id);
    request::post(addr, &path, token, &format!(r#"{{"message_id":"{message}"}}"#))
}

/// Read marks and drafts in turn, at a steady rate, while posts are measured.
struct Aside(Option<JoinHandle<Result<(), LoadError>>>);

impl Aside {
    fn start(ground: &Ground, group: &Founded, messages: &[String], rate: usize) -> Self {
        if rate == 0 {
            return Self(None);
        }
        let addr = ground.target().addr;
        let acts: Vec<Vec<u8>> = (0..messages.len())
            .map(|number| {
                let token = ground.crew.token(ONLINE + number / 2 % ONLINE);
                let path = format!("/v3/drafts/{}", group.id);
                match number % 2 {
                    0 => mark(addr, group, token, &messages[number]),
                    _ => request::put(addr, &path, token, &format!(r#"{{"text":"{number}"}}"#)),
                }
            })
            .collect();
        Self(Some(tokio::spawn(steadily(addr, acts, rate))))
    }

    fn end(self) {
        self.0.inspect(JoinHandle::abort);
    }
}

async fn steadily(addr: SocketAddr, acts: Vec<Vec<u8>>, rate: usize) -> Result<(), LoadError> {
    let (mut connection, began) = (Connection::open(addr).await?, Instant::now());
    for (number, act) in acts.iter().cycle().enumerate() {
        let due = Duration::from_secs_f64(number as f64 / rate as f64);
        tokio::time::sleep(due.saturating_sub(began.elapsed())).await;
        connection.freshen(addr).await?;
        connection.exchange(act).await?;
    }
    Ok(())
}
