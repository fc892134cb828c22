//! P25: the first post in a group after a start of the server, over its old polls and events.

use std::time::Duration;

use super::crew::Founded;
use super::plans::{event, now, poll};
use super::{Ground, ONLINE, PATIENCE, RunError, say};
use crate::http::request;
use crate::load::closed_loop;
use crate::load::meter::Rest;
use crate::load::series::send_all;
use crate::report::curve::Curve;

/// Polls and events that are open at the same time: as many polls as a group can have.
const OPEN: usize = 50;
/// The age of messages that a room need not know: guids are unique for a minute.
const OLD: Duration = Duration::from_secs(65);
/// When they would end or begin by themselves, in seconds from now.
const AHEAD_SECONDS: u64 = 86_400;

impl Ground {
    /// Measures the first post in each group after a start. A post in a small group comes first, so
    /// that what the server starts once for all groups does not count.
    pub(super) async fn cold(&mut self) -> Result<(), RunError> {
        let sizes = self.sizes.old.clone();
        let largest = sizes.iter().copied().max().unwrap_or(1);
        let mut groups = Vec::new();
        for size in &sizes {
            let messages = (self.sizes.messages * size / largest).max(1);
            say(format_args!("a group with {size} old polls and events and {messages} messages"));
            let group = self.crew.found(self.target().addr, ONLINE).await?;
            self.fill(&group, messages).await?;
            self.old(&group, *size).await?;
            groups.push(group);
        }
        let other = self.crew.found(self.target().addr, ONLINE).await?;
        self.settle().await?;
        if !self.is_smoke {
            say("waiting until the messages are old");
            tokio::time::sleep(OLD).await;
        }
        for round in 1..=self.rounds {
            self.environment.restart()?;
            self.become_idle().await?;
            for _ in 0..3 {
                let first = self.post_series(&other, ONLINE);
                send_all(first, PATIENCE).await?;
            }
            self.settle().await?;
            for (size, group) in sizes.iter().zip(&groups) {
                let first = self.post_series(group, 1);
                // Until the answer: other work of the server costs more in the time of a rest.
                let rest = Rest { waits: false, ..self.rest() };
                let (_, phase) = closed_loop::measure(first, rest, PATIENCE).await?;
                self.report.row(round, asked(*size), phase);
            }
        }
        let curve = Curve::new(
            "first post in a cold group",
            "old polls and events",
            "µs",
            2.0,
            self.points(&sizes, asked),
        );
        let most = curve.largest().map(|micros| micros / 1e3);
        self.curve(curve);
        self.bar("P25", "CPU of the first post in a cold group", most, 2.0, "ms");
        Ok(())
    }

    /// Creates events and polls, half of `count` each, and cancels or ends all of them. An event has
    /// the number of its message, and so has a poll.
    async fn old(&self, group: &Founded, count: usize) -> Result<(), RunError> {
        let (addr, token) = (self.target().addr, self.crew.token(0));
        let events = format!("/v3/conversations/{}/events", group.id);
        let (create, event) = (format!("{events}/create"), event(now() + AHEAD_SECONDS));
        let polls = format!("/v3/poll/{}", group.id);
        let poll = poll(now() + AHEAD_SECONDS);
        let mut left = count;
        while left > 0 {
            let some = left.min(OPEN);
            let planned = (0..some / 2).map(|_| request::post(addr, &create, token, &event));
            let cancelled = self.send(planned.collect()).await?.into_iter().map(|event| {
                let path = format!("{events}/delete?event_id={event}");
                request::delete(addr, &path, token)
            });
            self.send(cancelled.collect()).await?;
            let asked = (0..some - some / 2).map(|_| request::post(addr, &polls, token, &poll));
            let ended = self.send(asked.collect()).await?.into_iter();
            let ended = ended.map(|poll| format!("{polls}/{poll}/end"));
            let ended = ended.map(|path| request::post(addr, &path, token, "{}"));
            self.send(ended.collect()).await?;
            left -= some;
        }
        Ok(())
    }
}

fn asked(size: usize) -> String {
    format!("first post, {size} polls and events")
}
