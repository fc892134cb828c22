//! One bot that is called back: its position in its group's log, and the deliveries that are due.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::callbacks::event::CallbackEvent;
use domain::bot_event::BotEvent;
use domain::callback::{Delivery, DeliveryState};
use domain::group::Bot;
use domain::ids::{DeliveryId, GroupId};
use domain::message::ShownMessage;
use domain::time::Timestamp;
use index::rows::{BotRow, CallbackProgress};

/// Events held in memory for one bot; those beyond are read from the log.
pub(super) const QUEUE: usize = 64;
/// Deliveries of one bot that are retried while later events continue; those beyond are given up.
pub(super) const PARKED: usize = 1000;

/// A bot and its position in the log.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) bot: Bot,
    pub(super) group: GroupId,
    /// The origin of the callback URL.
    pub(super) host: Arc<str>,
    /// The number of the registration: attempts of an earlier one no longer count.
    pub(super) generation: u64,
    /// The `n` up to which all events are delivered, parked, given up or not meant for this bot.
    until: u64,
    newest: DeliveryId,
    /// The failed delivery for which later events wait.
    head: Option<Delivery>,
    parked: BTreeMap<DeliveryId, Delivery>,
    /// Events after `until` that the bot is called back for, without a gap.
    queue: VecDeque<CallbackEvent>,
    /// The `n` of the newest event that was queued or passed over.
    seen: u64,
    /// Since when the front of the queue may be sent.
    ready_at: Timestamp,
    /// Whether the log has events that are not in the queue.
    pub(super) is_behind: bool,
    /// The read of the log that is in progress.
    filling: Option<Filling>,
    /// The delivery whose attempt is under way, or whose outcome is not yet durable.
    trying: Option<DeliveryId>,
    /// The key under which the bot waits for its host; `None` while it does not wait.
    pub(super) waits_at: Option<Timestamp>,
}

/// Events that happen while a bot's log is read. It comes after what is read, so it waits here: in
/// the queue it would be sent first, and the events that are read would count as delivered with it.
#[derive(Debug, Default)]
struct Filling {
    /// Events that the read may have missed.
    heard: Vec<CallbackEvent>,
    /// Messages that the read may have returned without their latest revision.
    revised: Vec<ShownMessage>,
    /// Whether the bot has asked for other events meanwhile, or a message was deleted.
    is_stale: bool,
}

/// A page read from a group's log.
#[derive(Debug)]
pub(super) struct LogRead {
    /// Events, oldest first; all that the bot is called back for, and perhaps others.
    pub(super) events: Vec<CallbackEvent>,
    /// The `n` of the last event that was looked at.
    pub(super) upto: u64,
    /// Whether the log has nothing after the page.
    pub(super) is_all: bool,
}

/// The data of one attempt.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) bot: Bot,
    pub(super) delivery: Delivery,
    /// The event; `None` if it must be read from the log.
    pub(super) event: Option<CallbackEvent>,
    /// The registration of the bot to which the attempt belongs.
    pub(super) generation: u64,
    /// When the event happened; for a delivery whose event is not in memory, when it was first
    /// tried or replayed.
    pub(super) happened: Timestamp,
}

impl Endpoint {
    /// A bot as it is on disk: behind until its log was read.
    pub(super) fn new(
        row: BotRow,
        host: Arc<str>,
        so_far: CallbackProgress,
        open: Vec<Delivery>,
    ) -> Self {
        let until = so_far.until_n;
        let mut head = None;
        let mut parked = BTreeMap::new();
        for delivery in open {
            match delivery.state {
                DeliveryState::Failed if delivery.n > until => head = Some(delivery),
                // The delivery failed before the bot was switched off and on again.
                DeliveryState::Failed => {
                    let late = Delivery { out_of_order: true, ..delivery };
                    parked.insert(late.id, late);
                }
                DeliveryState::Pending | DeliveryState::Parked => {
                    parked.insert(delivery.id, delivery);
                }
                DeliveryState::Delivered | DeliveryState::Dead => {}
            }
        }
        Self {
            bot: row.bot,
            group: row.group,
            host,
            generation: 0,
            until,
            newest: DeliveryId::new(so_far.newest),
            head,
            parked,
            queue: VecDeque::new(),
            seen: until,
            ready_at: Timestamp::default(),
            is_behind: true,
            filling: None,
            trying: None,
            waits_at: None,
        }
    }

    /// Applies a changed name, secret or choice of events. In the latter case the log is read
    /// again.
    pub(super) fn update_bot(&mut self, bot: &Bot) {
        let asks_again = self.bot.events != bot.events;
        self.bot = bot.clone();
        if asks_again {
            if let Some(filling) = &mut self.filling {
                filling.is_stale = true;
            }
            self.read_anew();
        }
    }

    fn read_anew(&mut self) {
        self.queue.clear();
        self.seen = self.until;
        self.is_behind = true;
    }

    /// Applies a new event of the group.
    pub(super) fn hear(&mut self, told: &CallbackEvent, now: Timestamp) {
        if self.is_behind || told.n <= self.seen {
            return;
        }
        let waiting = self.filling.as_ref().map_or(self.queue.len(), |it| it.heard.len());
        if waiting >= QUEUE {
            self.is_behind = true;
            return;
        }
        match &mut self.filling {
            Some(filling) => filling.heard.push(told.clone()),
            None => self.push(told, now),
        }
    }

    /// Applies a revised message of the group. Once it is deleted, events that quote it are read
    /// from the log again.
    pub(super) fn revise(&mut self, shown: &ShownMessage) {
        // An event about an edit or a pin shows the message as of then, except once the message is
        // deleted: then nothing of it is shown.
        let id = shown.message.id;
        let forgets = shown.message.is_deleted();
        if let Some(filling) = &mut self.filling {
            filling.revised.push(shown.clone());
            // The page being read may quote the message.
            filling.is_stale |= forgets;
        }
        let quotes = |it: &CallbackEvent| it.message() != Some(id) && it.event.fact.may_show(id);
        if forgets && self.queue.iter().any(quotes) {
            return self.read_anew();
        }
        let heard = self.filling.iter_mut().flat_map(|filling| &mut filling.heard);
        let waiting = self.queue.iter_mut().chain(heard);
        for known in waiting.filter(|it| it.message() == Some(id)) {
            let shows = match known.delivered().event {
                BotEvent::Message => true,
                BotEvent::MessageUpdate | BotEvent::Pin | BotEvent::Unpin => forgets,
                BotEvent::MessageDeleted
                | BotEvent::Reaction
                | BotEvent::Membership
                | BotEvent::PollCreate
                | BotEvent::PollUpdate
                | BotEvent::PollFinished
                | BotEvent::EventCreate
                | BotEvent::EventUpdate
                | BotEvent::EventDelete
                | BotEvent::EventRsvp
                | BotEvent::EventReminder => false,
            };
            if shows {
                known.json.clone_from(&shown.json);
            }
        }
    }

    fn push(&mut self, told: &CallbackEvent, now: Timestamp) {
        self.seen = told.n;
        if told.fact().is_some_and(|fact| self.bot.is_called_for(fact)) {
            if self.queue.is_empty() {
                self.ready_at = now;
            }
            self.queue.push_back(told.clone());
        }
    }

    /// Whether the log should be read now.
    pub(super) fn wants_filling(&self) -> bool {
        self.is_behind && self.filling.is_none() && self.queue.is_empty()
    }

    /// Notes that a read of the log begins; from now on new events are gathered. Returns the `n`
    /// after which to read.
    pub(super) fn begin_filling(&mut self) -> u64 {
        self.is_behind = false;
        self.filling = Some(Filling::default());
        self.seen
    }

    /// Applies a page of the log, and then the events that came during the read.
    pub(super) fn fill(&mut self, page: &LogRead, now: Timestamp) {
        let Filling { heard, revised, is_stale } = self.filling.take().unwrap_or_default();
        if is_stale {
            return self.read_anew();
        }
        self.push_unseen(&page.events, now);
        self.seen = self.seen.max(page.upto);
        revised.iter().for_each(|shown| self.revise(shown));
        if page.is_all {
            self.push_unseen(&heard, now);
        } else {
            self.is_behind = true;
        }
    }

    fn push_unseen(&mut self, events: &[CallbackEvent], now: Timestamp) {
        for told in events {
            if told.n > self.seen {
                self.push(told, now);
            }
        }
    }

    /// When the next attempt is due; `None` if none is, or one is under way.
    pub(super) fn due(&self) -> Option<Timestamp> {
        if self.trying.is_some() {
            return None;
        }
        let in_order = match &self.head {
            Some(head) => head.next_at,
            None => self.queue.front().map(|_| self.ready_at),
        };
        let parked = self.parked.values().filter_map(|it| it.next_at).min();
        in_order.into_iter().chain(parked).min()
    }

    /// Begins the attempt that is due first.
    pub(super) fn take(&mut self, now: Timestamp) -> Option<Attempt> {
        let first_parked =
            self.parked.values().min_by_key(|it| it.next_at.unwrap_or(Timestamp::default()));
        let in_order = match &self.head {
            Some(head) => head.next_at,
            None => self.queue.front().map(|_| self.ready_at),
        };
        let parked_first = match (first_parked.and_then(|it| it.next_at), in_order) {
            (Some(parked), Some(in_order)) => parked < in_order,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let attempt = if parked_first {
            let delivery = first_parked?.clone();
            let generation = self.generation;
            let happened = delivery.began;
            Attempt { bot: self.bot.clone(), delivery, event: None, generation, happened }
        } else {
            self.take_in_order(now)?
        };
        self.trying = Some(attempt.delivery.id);
        Some(attempt)
    }

    fn take_in_order(&mut self, now: Timestamp) -> Option<Attempt> {
        let front = self.queue.front();
        let delivery = match (&self.head, front) {
            (Some(head), _) => head.clone(),
            (None, Some(front)) => {
                let id = DeliveryId::new(self.newest.get() + 1);
                Delivery::begun(id, self.bot.number, self.group, front.delivered(), now)
            }
            (None, None) => return None,
        };
        let told = front.filter(|front| front.n == delivery.n);
        let happened = told.map_or(delivery.began, |front| front.event.at);
        let event = told.cloned();
        let bot = self.bot.clone();
        let generation = self.generation;
        Some(Attempt { bot, delivery, event, generation, happened })
    }

    /// Whether an attempt of this delivery is under way, or its outcome not yet durable.
    pub(super) fn is_trying(&self, id: DeliveryId) -> bool {
        self.trying == Some(id)
    }

    /// Whether one more delivery may be parked.
    pub(super) fn may_park(&self) -> bool {
        self.parked.len() < PARKED
    }

    /// Applies the state of a delivery, which is now durable.
    pub(super) fn settle(&mut self, delivery: &Delivery, now: Timestamp) {
        if self.is_trying(delivery.id) {
            self.trying = None;
        }
        self.newest = self.newest.max(delivery.id);
        self.parked.remove(&delivery.id);
        let is_head = self.head.as_ref().is_some_and(|head| head.id == delivery.id);
        match delivery.state {
            DeliveryState::Failed => {
                self.head = Some(delivery.clone());
                return;
            }
            DeliveryState::Parked | DeliveryState::Pending => {
                self.parked.insert(delivery.id, delivery.clone());
            }
            DeliveryState::Delivered | DeliveryState::Dead => {}
        }
        if is_head {
            self.head = None;
        }
        self.until = self.until.max(delivery.n);
        self.seen = self.seen.max(self.until);
        while self.queue.front().is_some_and(|front| front.n <= self.until) {
            self.queue.pop_front();
        }
        self.ready_at = now;
    }
}
