//! The scheduler: the bots that are called back, what is due for which host, and how many requests
//! may be under way. Pure but for its memory: time comes in, attempts go out.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::callbacks::endpoint::{Attempt, Endpoint};
use crate::callbacks::event::CallbackEvent;
use base::bounds::places::Places;
use base::bounds::{Bound, Budget, Permit, UNBOUNDED};
use domain::bot_event::BotEvent;
use domain::callback::Delivery;
use domain::group::Bot;
use domain::ids::{GroupId, UserId};
use domain::message::ShownMessage;
use domain::time::Timestamp;
use index::rows::{BotRow, CallbackProgress};

/// Requests that may be under way at the same time.
const UNDER_WAY: usize = 256;
/// Requests to one host that may be under way at the same time.
const UNDER_WAY_PER_HOST: usize = 4;
/// Requests to bots of one creator that may be under way at the same time: one user with many slow
/// listeners, each under a host name of its own, leaves three quarters to everybody else.
const UNDER_WAY_PER_CREATOR: usize = UNDER_WAY / 4;

/// No bound for bots that wait: there may be as many as there are bots, and each takes little
/// memory.
const NO_BOUND: Bound = Bound::of_items(UNBOUNDED);

/// How many requests are under way, and how many bots wait for one.
#[derive(Debug, Clone)]
pub(super) struct CallbackBudgets {
    under_way: Budget,
    waiting: Budget,
}

impl CallbackBudgets {
    /// Budgets of which nothing is taken yet.
    pub(super) fn new(places: &Places) -> Self {
        Self {
            under_way: Budget::new(places, "callbacks_under_way", Bound::of_items(UNDER_WAY)),
            waiting: Budget::new(places, "callbacks_waiting", NO_BOUND),
        }
    }
}

/// All bots that are called back, and their hosts.
#[derive(Debug)]
pub(super) struct DeliveryScheduler {
    endpoints: HashMap<UserId, Endpoint>,
    by_group: HashMap<GroupId, HashSet<UserId>>,
    hosts: HashMap<Arc<str>, Host>,
    under_way: Vec<Permit>,
    /// How many requests of each creator's bots are under way, without zeros.
    of_creators: HashMap<UserId, usize>,
    /// The number of registrations so far.
    generations: u64,
    budgets: CallbackBudgets,
}

#[derive(Debug, Default)]
struct Host {
    /// Bots that wait, by their creator; no creator without one.
    waiting: HashMap<UserId, WaitingBots>,
    under_way: usize,
    breaker: Breaker,
}

/// Bots that wait, by the time when they are due.
type WaitingBots = BTreeMap<(Timestamp, UserId), Permit>;

impl Host {
    fn add(&mut self, creator: UserId, bot: (Timestamp, UserId), permit: Permit) {
        self.waiting.entry(creator).or_default().insert(bot, permit);
    }

    fn remove(&mut self, creator: UserId, bot: (Timestamp, UserId)) {
        let Some(bots) = self.waiting.get_mut(&creator) else { return };
        bots.remove(&bot);
        if bots.is_empty() {
            self.waiting.remove(&creator);
        }
    }

    /// The earliest time at which a bot is due.
    fn due(&self) -> Option<Timestamp> {
        self.waiting.values().filter_map(first).map(|(at, _)| at).min()
    }

    /// The next bot that is due, with its creator: of the creator with the fewest requests under
    /// way (`of_creators`), the one that has been due longest.
    fn next(
        &self,
        now: Timestamp,
        of_creators: &HashMap<UserId, usize>,
    ) -> Option<(UserId, (Timestamp, UserId))> {
        let firsts = self.waiting.iter().filter_map(|(creator, bots)| {
            let bot = first(bots).filter(|(at, _)| *at <= now)?;
            let under_way = of_creators.get(creator).copied().unwrap_or(0);
            (under_way < UNDER_WAY_PER_CREATOR).then_some((under_way, bot, *creator))
        });
        firsts.min().map(|(_, bot, creator)| (creator, bot))
    }
}

fn first(bots: &WaitingBots) -> Option<(Timestamp, UserId)> {
    bots.keys().next().copied()
}

impl DeliveryScheduler {
    /// A scheduler without bots.
    pub(super) fn new(budgets: CallbackBudgets) -> Self {
        Self {
            endpoints: HashMap::new(),
            by_group: HashMap::new(),
            hosts: HashMap::new(),
            under_way: Vec::new(),
            of_creators: HashMap::new(),
            generations: 0,
            budgets,
        }
    }

    /// Registers a bot as it is on disk, in place of what was known of it.
    pub(super) fn register(
        &mut self,
        row: BotRow,
        host: Arc<str>,
        so_far: CallbackProgress,
        open: Vec<Delivery>,
    ) {
        let number = row.bot.number;
        self.forget(number);
        self.by_group.entry(row.group).or_default().insert(number);
        self.generations += 1;
        let mut endpoint = Endpoint::new(row, host, so_far, open);
        endpoint.generation = self.generations;
        self.endpoints.insert(number, endpoint);
    }

    /// Applies a changed bot whose callback URL is the same.
    pub(super) fn update_bot(&mut self, bot: &Bot) {
        if let Some(endpoint) = self.endpoints.get_mut(&bot.number) {
            endpoint.update_bot(bot);
        }
        self.enqueue(bot.number);
    }

    /// Removes a bot that is no longer called back.
    pub(super) fn forget(&mut self, number: UserId) {
        let Some(endpoint) = self.endpoints.remove(&number) else { return };
        if let (Some(at), Some(host)) = (endpoint.waits_at, self.hosts.get_mut(&endpoint.host)) {
            host.remove(endpoint.bot.creator, (at, number));
        }
        if let Some(bots) = self.by_group.get_mut(&endpoint.group) {
            bots.remove(&number);
            if bots.is_empty() {
                self.by_group.remove(&endpoint.group);
            }
        }
    }

    /// The endpoint of a bot.
    pub(super) fn endpoint(&mut self, number: UserId) -> Option<&mut Endpoint> {
        self.endpoints.get_mut(&number)
    }

    /// The bots of a group.
    pub(super) fn bots_of(&self, group: GroupId) -> Vec<UserId> {
        self.by_group.get(&group).into_iter().flatten().copied().collect()
    }

    /// The bots that a user made.
    pub(super) fn bots_by(&self, creator: UserId) -> Vec<UserId> {
        let own = self.endpoints.iter().filter(|(_, it)| it.bot.creator == creator);
        own.map(|(number, _)| *number).collect()
    }

    /// The groups with bots that are called back.
    pub(super) fn groups(&self) -> HashSet<GroupId> {
        self.by_group.keys().copied().collect()
    }

    /// Whether a bot of a group is called back for events of this kind.
    pub(super) fn wants(&self, group: GroupId, event: BotEvent) -> bool {
        let bots = self.by_group.get(&group).into_iter().flatten();
        bots.filter_map(|bot| self.endpoints.get(bot)).any(|it| it.bot.asks_for(event))
    }

    /// Passes a new event to the bots of its group.
    pub(super) fn hear(&mut self, group: GroupId, told: &CallbackEvent, now: Timestamp) {
        for number in self.bots_of(group) {
            if let Some(endpoint) = self.endpoints.get_mut(&number) {
                endpoint.hear(told, now);
            }
            self.enqueue(number);
        }
    }

    /// Passes a revised message to the bots of its group, so that callbacks not sent yet show it.
    pub(super) fn revise(&mut self, group: GroupId, shown: &ShownMessage) {
        for number in self.bots_of(group) {
            if let Some(endpoint) = self.endpoints.get_mut(&number) {
                endpoint.revise(shown);
            }
            self.enqueue(number);
        }
    }

    /// Queues a bot at its host for the time when its next attempt is due.
    pub(super) fn enqueue(&mut self, number: UserId) {
        let Some(endpoint) = self.endpoints.get_mut(&number) else { return };
        let due = endpoint.due();
        if endpoint.waits_at == due {
            return;
        }
        let host = self.hosts.entry(Arc::clone(&endpoint.host)).or_default();
        if let Some(at) = endpoint.waits_at {
            host.remove(endpoint.bot.creator, (at, number));
        }
        if let Some(at) = due {
            host.add(endpoint.bot.creator, (at, number), self.budgets.waiting.hold(0));
        }
        endpoint.waits_at = due;
    }

    /// The hosts for which bots are due, the longest waiting first; none while too many requests
    /// are under way. Forgets hosts about which there is nothing to remember.
    pub(super) fn due_hosts(&mut self, now: Timestamp) -> Vec<Arc<str>> {
        self.hosts.retain(|_, host| {
            host.under_way > 0 || !host.waiting.is_empty() || !host.breaker.is_fresh(now)
        });
        if self.under_way.len() >= UNDER_WAY {
            return Vec::new();
        }
        let due = |(name, host): (&Arc<str>, &Host)| Some((host.due()?, Arc::clone(name)));
        let mut hosts: Vec<_> =
            self.hosts.iter().filter_map(due).filter(|(at, _)| *at <= now).collect();
        hosts.sort_unstable();
        hosts.into_iter().map(|(_, name)| name).collect()
    }

    /// Begins the next attempt to a host, if one is due and limits and breaker let it go out.
    pub(super) fn take(&mut self, host: &Arc<str>, now: Timestamp) -> Option<Attempt> {
        let known = self.hosts.get_mut(host)?;
        let is_full = self.under_way.len() >= UNDER_WAY || known.under_way >= UNDER_WAY_PER_HOST;
        if is_full || !known.breaker.admits(now, known.under_way) {
            return None;
        }
        let (creator, bot) = known.next(now, &self.of_creators)?;
        known.remove(creator, bot);
        let endpoint = self.endpoints.get_mut(&bot.1)?;
        endpoint.waits_at = None;
        let attempt = endpoint.take(now)?;
        known.under_way += 1;
        *self.of_creators.entry(creator).or_default() += 1;
        self.under_way.push(self.budgets.under_way.hold(0));
        Some(attempt)
    }

    /// Notes that an attempt to a bot of this creator ended; `works` is whether the host works, if
    /// the attempt tells.
    pub(super) fn came_back(
        &mut self,
        host: &Arc<str>,
        creator: UserId,
        works: Option<bool>,
        now: Timestamp,
    ) {
        drop(self.under_way.pop());
        if let Some(own) = self.of_creators.get_mut(&creator) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                self.of_creators.remove(&creator);
            }
        }
        let Some(host) = self.hosts.get_mut(host) else { return };
        host.under_way = host.under_way.saturating_sub(1);
        match works {
            Some(true) => host.breaker.note_success(),
            Some(false) => host.breaker.note_failure(now),
            None => {}
        }
    }

    /// How many hosts are remembered.
    #[cfg(test)]
    pub(super) fn remembered_hosts(&self) -> usize {
        self.hosts.len()
    }

    /// Applies the state of a delivery, which is now durable.
    pub(super) fn settle(&mut self, delivery: &Delivery, now: Timestamp) {
        if let Some(endpoint) = self.endpoints.get_mut(&delivery.bot) {
            endpoint.settle(delivery, now);
        }
        self.enqueue(delivery.bot);
    }
}

/// Failures in a row after which the breaker opens.
const FAILURES: u32 = 10;
/// Milliseconds until the first probe.
const FIRST_WAIT: u64 = 30_000;
/// The longest wait between two probes, in milliseconds; each wait is twice the one before.
const LONGEST_WAIT: u64 = 300_000;
/// Milliseconds after which a failure is forgotten if nobody calls the host any more.
const FORGOTTEN: u64 = 3_600_000;

/// The state of one host.
#[derive(Debug, Clone)]
pub(super) struct Breaker {
    failures: u32,
    failed_at: Option<Timestamp>,
    wait: u64,
    open_until: Option<Timestamp>,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { failures: 0, failed_at: None, wait: FIRST_WAIT, open_until: None }
    }
}

impl Breaker {
    /// Whether a request may be sent, when `under_way` requests to the host are not answered yet.
    pub(super) fn admits(&self, now: Timestamp, under_way: usize) -> bool {
        match self.open_until {
            None => true,
            // One probe at a time, so that a host that recovers slowly is not overloaded.
            Some(until) => now >= until && under_way == 0,
        }
    }

    /// Whether the host has not failed within the last hour, so that nothing need be remembered.
    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        self.failed_at.is_none_or(|at| now.millis_since(at) >= FORGOTTEN)
    }

    /// Notes an answer that shows that the host works.
    pub(super) fn note_success(&mut self) {
        *self = Self::default();
    }

    /// Notes a failure of the host.
    pub(super) fn note_failure(&mut self, now: Timestamp) {
        self.failures = self.failures.saturating_add(1);
        self.failed_at = Some(now);
        if self.failures < FAILURES {
            return;
        }
        // Requests that were sent before the breaker opened are no probes, so their failures do not
        // prolong the wait.
        if self.open_until.is_some_and(|until| now < until) {
            return;
        }
        self.open_until = Some(Timestamp::from_millis(now.millis().saturating_add(self.wait)));
        self.wait = self.wait.saturating_mul(2).min(LONGEST_WAIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    #[test]
    fn it_opens_after_ten_failures_in_a_row() {
        let mut breaker = Breaker::default();
        (0..9).for_each(|_| breaker.note_failure(at(0)));
        breaker.note_success();
        (0..9).for_each(|_| breaker.note_failure(at(0)));
        assert!(breaker.admits(at(0), 3));
        breaker.note_failure(at(0));
        assert!(!breaker.admits(at(29), 0));
        assert!(breaker.admits(at(30), 0));
        assert!(!breaker.admits(at(30), 1));
    }

    #[test]
    fn probes_come_less_and_less_often_but_every_five_minutes() {
        let mut breaker = Breaker::default();
        (0..10).for_each(|_| breaker.note_failure(at(0)));
        let mut now = 0;
        let mut waits = Vec::new();
        for _ in 0..6 {
            let next = (now..).find(|second| breaker.admits(at(*second), 0)).unwrap();
            waits.push(next - now);
            now = next;
            breaker.note_failure(at(now));
        }
        assert_eq!(waits, [30, 60, 120, 240, 300, 300]);
        breaker.note_success();
        assert!(breaker.is_fresh(at(now)));
    }

    #[test]
    fn attempts_before_opening_do_not_lengthen_the_wait() {
        let mut breaker = Breaker::default();
        (0..13).for_each(|_| breaker.note_failure(at(0)));
        assert!(breaker.admits(at(30), 0));
    }
}
