//! Alarms: carry out what is due at a set time. A mute ends, a poll closes, an event begins soon.
//!
//! An alarm stays in the index (see [`index::alarms`]) until its room has answered it, so it
//! is found again after a crash. Each answer removes or moves the alarm by a fact, or the alarm is
//! not due, so no alarm wakes a room again and again.
//!
//! Rooms ring their alarms at the same time: each waits for its own commit only. The alarms of one
//! room ring in their order.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt};

use crate::due_work::{self, NextPass, TimedWork};
use actors::ask::Fault;
use actors::conversation::alarms::RingAlarm;
use actors::directory::Directory;
use base::bounds::turns::Owner;
use domain::alarm::{AlarmAnswer, DatedAppointment};
use domain::calendar::CalendarChange;
use domain::event::Fact;
use domain::group::{GroupFact, Moderation};
use domain::ids::StreamId;
use domain::polls::PollChange;
use index::IndexFault;
use journal::Committed;

/// Alarms that are listed, and that ring, at once.
const LISTED: usize = 256;
/// Rooms that ring at once: each may have to be loaded first.
const ROOMS: usize = 64;
/// Timeout of one alarm; past that it is left for the next pass.
const STEP: Duration = Duration::from_secs(5);

/// Rings alarms when they are due.
pub struct Alarms {
    directory: Directory,
}

impl TimedWork for Alarms {
    const NAME: &'static str = "alarms";

    fn directory(&self) -> &Directory {
        &self.directory
    }

    fn hears(&self, commit: &Committed) -> bool {
        may_set(commit)
    }

    async fn pass(&self) -> Result<NextPass, IndexFault> {
        let archive = &self.directory.context().archive;
        let mut after: Option<DatedAppointment> = None;
        let mut has_failed = false;
        let mut has_moved = false;
        loop {
            let listed = archive.blocking(Owner::Server, move |it| it.index.alarms(after, LISTED));
            let listed = listed.await?;
            let Some(last) = listed.last() else {
                return Ok(NextPass::after(has_failed, has_moved, NextPass::Silence));
            };
            after = Some(*last);
            let now = self.directory.context().clock.now().wall;
            let (due, later): (Vec<_>, Vec<_>) = listed.into_iter().partition(|(at, _)| *at <= now);
            for answer in ring_by_room(due, |alarm| self.ring(alarm)).await {
                match answer {
                    Ok(AlarmAnswer::Rung(()) | AlarmAnswer::NotBefore(_)) => has_moved = true,
                    Ok(AlarmAnswer::NothingToDo) => {}
                    Err(_) => has_failed = true,
                }
            }
            if let Some((at, _)) = later.first() {
                return Ok(NextPass::after(has_failed, has_moved, NextPass::At(*at)));
            }
        }
    }
}

impl Alarms {
    /// Starts to ring alarms, those that were left undone before included. Called once, on a thread
    /// with an actix system.
    pub fn start(directory: Directory) {
        due_work::start(Arc::new(Self { directory }));
    }

    /// Asks the room to do what an alarm is for.
    async fn ring(&self, alarm: DatedAppointment) -> Result<AlarmAnswer, Fault> {
        let asked = async {
            let stream = alarm.1.stream();
            let answered = if let StreamId::Group(group) = stream {
                self.directory.ask(group, RingAlarm(alarm)).await
            } else if let StreamId::Chat(pair) = stream {
                self.directory.ask(pair, RingAlarm(alarm)).await
            } else {
                return Ok(AlarmAnswer::NothingToDo);
            };
            answered.map_err(Fault::from)
        };
        let answer = tokio::time::timeout(STEP, asked).await.unwrap_or(Err(Fault::Late));
        answer.inspect_err(|fault| {
            tracing::warn!(stream = %alarm.1.stream(), %fault, "alarm failed; retrying");
        })
    }
}

/// Rings alarms, and returns the answers: those of up to [`ROOMS`] rooms at the same time, and those
/// of one room in their order.
async fn ring_by_room<Ringing: Future>(
    alarms: Vec<DatedAppointment>,
    ring: impl Fn(DatedAppointment) -> Ringing,
) -> Vec<Ringing::Output> {
    let mut rooms: BTreeMap<StreamId, Vec<DatedAppointment>> = BTreeMap::new();
    for alarm in alarms {
        rooms.entry(alarm.1.stream()).or_default().push(alarm);
    }
    let ring = &ring;
    let rooms = rooms.into_values().map(|alarms| async move {
        let mut alarms = alarms.into_iter();
        // The first alarm starts the room; the others then come into its mailbox in their order.
        let mut answers = Vec::with_capacity(alarms.len());
        if let Some(first) = alarms.next() {
            answers.push(ring(first).await);
        }
        answers.extend(join_all(alarms.map(ring)).await);
        answers
    });
    stream::iter(rooms).buffer_unordered(ROOMS).concat().await
}

/// Whether the commit may have set an alarm.
fn may_set(commit: &Committed) -> bool {
    let sets = |fact: &Fact| {
        if let Some(change) = fact.planned() {
            return match &**change {
                CalendarChange::Made(_)
                | CalendarChange::Changed { .. }
                | CalendarChange::Reminded { .. } => true,
                CalendarChange::Cancelled { .. } | CalendarChange::Answered { .. } => false,
            };
        }
        match (fact, fact.group()) {
            (Fact::AlarmSettled(settled), _) => settled.next.is_some(),
            (_, Some(GroupFact::Polled(change))) => matches!(**change, PollChange::Made(_)),
            (_, Some(GroupFact::MemberChanged { member, .. })) => member.mute_ends.is_some(),
            (_, Some(GroupFact::Moderated(moderation))) => {
                matches!(**moderation, Moderation::Held(_))
            }
            _ => false,
        }
    };
    commit.entries.iter().any(|entry| sets(&entry.event.fact))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use tokio::sync::Barrier;

    use super::*;
    use domain::alarm::Appointment;
    use domain::ids::{GroupId, UserId};
    use domain::time::Timestamp;

    fn alarm(group: u64, number: u64) -> DatedAppointment {
        let group = GroupId::new(group);
        let user = UserId::new(number);
        (Timestamp::from_millis(number), Appointment::MuteEnds { group, user })
    }

    #[tokio::test]
    async fn rooms_ring_at_the_same_time_and_each_in_its_order() {
        let rooms = u64::try_from(ROOMS).unwrap();
        let alarms: Vec<_> = (0..40 * rooms).map(|number| alarm(number % rooms, number)).collect();
        // No alarm is answered before each room has one that rings.
        let all = Barrier::new(ROOMS);
        let rung = RefCell::new(Vec::new());
        let ring = async |alarm| {
            rung.borrow_mut().push(alarm);
            all.wait().await;
            alarm
        };
        let mut answers = ring_by_room(alarms.clone(), ring).await;
        answers.sort_unstable_by_key(|(at, _)| *at);
        assert_eq!(answers, alarms);
        for room in 0..rooms {
            let of_room = |list: &[DatedAppointment]| {
                let stream = StreamId::Group(GroupId::new(room));
                let own = list.iter().filter(|(_, it)| it.stream() == stream);
                own.copied().collect::<Vec<_>>()
            };
            assert_eq!(of_room(&rung.borrow()), of_room(&alarms));
        }
    }
}
