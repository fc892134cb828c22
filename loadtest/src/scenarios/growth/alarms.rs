//! P24: mutes, polls and reminders that are due at the same time; how late the last one comes.

use std::time::{Duration, Instant};

use super::crew::Founded;
use super::large::{Sockets, check_open};
use super::plans::{event, now, poll};
use super::{Ground, RunError, say};
use crate::http::request;
use crate::process::proc_fs::cpu_time;
use crate::report::curve::{Curve, Point};

/// People who mute groups and listen for the end of each mute.
pub(super) const MUTERS: usize = 34;
/// The most polls that a group has open, and the events of each group.
const OF_GROUP: usize = 50;
/// Seconds from the first request until everything is due. A poll runs for at least 60 s.
const AHEAD: u64 = 70;
/// Mutes are in whole minutes, so they are asked for a minute before they are due.
const MUTE_SECONDS: u64 = 60;
/// The time without an event after which no more is expected.
const QUIET: Duration = Duration::from_secs(5);
/// The time after which the last event counts as lost.
const LATEST: Duration = Duration::from_secs(90);

impl Ground {
    pub(super) async fn alarms(&mut self) -> Result<(), RunError> {
        let (mut late, mut micros) = (Vec::new(), Vec::new());
        for size in self.sizes.due.clone() {
            let (lateness, cost) = self.due_together(size).await?;
            late.push(Point { size, figure: Some(lateness) });
            micros.push(Point { size, figure: cost });
        }
        self.curve(Curve::new("alarm", "due at the same time", "µs", 1.2, micros));
        let curve =
            Curve::new("lateness of the last alarm", "due at the same time", "s", 10.0, late);
        let largest = curve.largest();
        self.curve(curve);
        self.bar("P24", "lateness of the last alarm", largest, 3.0, "s");
        Ok(())
    }

    /// Returns how many seconds after their time the last alarm came, and the CPU of each in µs.
    async fn due_together(&mut self, count: usize) -> Result<(f64, Option<f64>), RunError> {
        let third = count / 3;
        say(format_args!("{count} alarms, {third} each of mutes, polls and reminders"));
        let (mut muted, mut asked) = (Vec::new(), Vec::new());
        for _ in 0..third.div_ceil(MUTERS) {
            muted.push(self.crew.found(self.target().addr, MUTERS).await?);
        }
        for _ in 0..third.div_ceil(OF_GROUP) {
            asked.push(self.crew.found(self.target().addr, 2).await?);
        }
        let (began, due) = (Instant::now(), now() + AHEAD);
        let mutes = (0..third).map(|place| self.mute(&muted[place / MUTERS], place % MUTERS));
        self.send(mutes.collect()).await?;
        let is_early = began.elapsed() < Duration::from_secs(AHEAD - MUTE_SECONDS);
        let polls = (0..third).map(|place| self.poll(&asked[place / OF_GROUP], due));
        self.send(polls.collect()).await?;
        let events = (0..third).map(|place| self.event(&asked[place / OF_GROUP], due));
        self.send(events.collect()).await?;
        let is_early = is_early && now() + 2 < due;
        let detail = format!("{} s for the requests", began.elapsed().as_secs());
        self.report.check("all alarms are asked for in time", is_early, detail);
        let tokens = (0..MUTERS).map(|place| self.crew.token(place));
        let sockets = Sockets::open(self.target(), tokens).await?;
        self.settle().await?;
        let cpu = |ground: &Self| ground.target().pid.map(cpu_time).transpose();
        let (before, since) = (cpu(self)?, Instant::now());
        let time = std::time::UNIX_EPOCH + Duration::from_secs(due);
        let ahead = time.duration_since(std::time::SystemTime::now()).unwrap_or_default();
        let at = Instant::now() + ahead;
        tokio::time::sleep(ahead).await;
        let mut quiet = at.max(sockets.watch.newest());
        while quiet.elapsed() < QUIET && at.elapsed() < LATEST {
            tokio::time::sleep(Duration::from_millis(100)).await;
            quiet = at.max(sockets.watch.newest());
        }
        let used = before.zip(cpu(self)?).map(|(before, after)| after.saturating_sub(before));
        let anyway = since.elapsed().as_secs_f64() * self.idle_cores;
        let each = used.map(|used| (used.as_secs_f64() - anyway) * 1e6 / (3 * third) as f64);
        check_open(self, &sockets);
        let came = sockets.watch.events();
        // Every member receives the end of a mute, and two listeners are in the groups of the others.
        let owed = (third * (MUTERS + 2 + 2)) as u64;
        let detail = format!("{came} events of {} alarms, at least {owed} owed", 3 * third);
        self.report.check("every alarm comes", came >= owed, detail);
        Ok((sockets.watch.newest().saturating_duration_since(at).as_secs_f64(), each))
    }

    fn mute(&self, group: &Founded, place: usize) -> Vec<u8> {
        let path = format!("/v3/groups/{}/memberships/mute", group.id);
        request::post(self.target().addr, &path, self.crew.token(place), r#"{"duration":1}"#)
    }

    fn poll(&self, group: &Founded, due: u64) -> Vec<u8> {
        let path = format!("/v3/poll/{}", group.id);
        request::post(self.target().addr, &path, self.crew.token(0), &poll(due))
    }

    fn event(&self, group: &Founded, due: u64) -> Vec<u8> {
        let path = format!("/v3/conversations/{}/events/create", group.id);
        request::post(self.target().addr, &path, self.crew.token(0), &event(due))
    }
}
