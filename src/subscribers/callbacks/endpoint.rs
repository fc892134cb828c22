//! One bot that is called back: how far it is in its group's log, and what is due.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::domain::bot_event::BotEvent;
use crate::domain::callback::{Delivery, DeliveryState};
use crate::domain::group::Bot;
use crate::domain::ids::{DeliveryId, GroupId};
use crate::domain::message::{MessageJson, ShownMessage};
use crate::domain::time::Timestamp;
use crate::index::rows::{BotRow, CalledBack};
use crate::subscribers::callbacks::event::CallbackEvent;

/// Messages that are held for one bot; what is beyond them is read from the log.
pub(super) const QUEUE: usize = 64;
/// Deliveries of one bot that wait to be tried again past others; more are given up.
pub(super) const PARKED: usize = 1000;

/// A bot and its place in the log.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) bot: Bot,
    pub(super) group: GroupId,
    /// The origin of its callback URL.
    pub(super) host: Arc<str>,
    /// Which time it was taken in: what was sent before belongs to another.
    pub(super) generation: u64,
    /// Up to this event all are delivered, parked, given up or none of its business.
    until: u64,
    newest: DeliveryId,
    /// The message that holds back the others, once it was tried.
    head: Option<Delivery>,
    parked: BTreeMap<DeliveryId, Delivery>,
    /// Events after `until` that it is called back for, without a hole.
    queue: VecDeque<CallbackEvent>,
    /// The newest event that was put into the queue or passed over.
    seen: u64,
    /// What was seen when reading the log began.
    filling_from: u64,
    /// What was revised since then.
    revised: Vec<ShownMessage>,
    /// Since when there is something in the queue that is ready.
    ready_at: Timestamp,
    /// Whether the log has messages that are not in the queue.
    pub(super) is_behind: bool,
    /// Whether the log is being read.
    pub(super) is_filling: bool,
    /// Whether what is being read was asked for otherwise.
    is_stale: bool,
    /// The delivery whose attempt is under way, or over and not yet durable.
    trying: Option<DeliveryId>,
    /// Where it stands among those who wait for its host.
    pub(super) waits_at: Option<Timestamp>,
}

/// What was read of a log.
#[derive(Debug)]
pub(super) struct LogRead {
    /// Events that the bot is called back for, and perhaps others; oldest first.
    pub(super) events: Vec<CallbackEvent>,
    /// The last event that was looked at.
    pub(super) upto: u64,
    /// Whether there is nothing more.
    pub(super) is_all: bool,
}

/// What one attempt needs.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) bot: Bot,
    pub(super) delivery: Delivery,
    /// Absent when it must be read from the log.
    pub(super) message: Option<MessageJson>,
    /// Which time the bot was taken in.
    pub(super) generation: u64,
    /// When it happened; where only the disk knows, when it was first tried, or asked for anew.
    pub(super) happened: Timestamp,
}

impl Endpoint {
    /// A bot as it stands on disk: behind, until its log was read.
    pub(super) fn new(
        row: BotRow,
        host: Arc<str>,
        so_far: CalledBack,
        open: Vec<Delivery>,
    ) -> Self {
        let until = so_far.until_n;
        let (mut head, mut parked) = (None, BTreeMap::new());
        for delivery in open {
            match delivery.state {
                DeliveryState::Failed if delivery.n > until => head = Some(delivery),
                // It failed before the bot was switched off and on again.
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
            filling_from: until,
            revised: Vec::new(),
            ready_at: Timestamp::default(),
            is_behind: true,
            is_filling: false,
            is_stale: false,
            trying: None,
            waits_at: None,
        }
    }

    /// It is called something else, signs with something else, or asks for something else: then
    /// its log is read anew.
    pub(super) fn redraw(&mut self, bot: &Bot) {
        let asks_anew = self.bot.events != bot.events;
        self.bot = bot.clone();
        if asks_anew {
            self.is_stale = self.is_filling;
            self.read_anew();
        }
    }

    fn read_anew(&mut self) {
        self.queue.clear();
        self.seen = self.until;
        self.is_behind = true;
    }

    /// A new event of its group.
    pub(super) fn hear(&mut self, told: &CallbackEvent, now: Timestamp) {
        if self.is_behind || told.n <= self.seen {
            return;
        }
        if self.queue.len() >= QUEUE {
            self.is_behind = true;
            return;
        }
        self.push(told, now);
    }

    /// A message of its group is another one now.
    pub(super) fn revise(&mut self, shown: &ShownMessage) {
        if self.is_filling {
            self.revised.push(shown.clone());
        }
        // What was said before an edit is told as of that edit; of a deleted message, nothing is.
        let forgets = shown.message.is_deleted();
        for known in self.queue.iter_mut().filter(|it| it.message() == Some(shown.message.id)) {
            let shows = match known.delivered().event {
                BotEvent::Message => true,
                BotEvent::MessageUpdate | BotEvent::Pin | BotEvent::Unpin => forgets,
                BotEvent::MessageDeleted
                | BotEvent::Reaction
                | BotEvent::Membership
                | BotEvent::PollCreate
                | BotEvent::PollUpdate
                | BotEvent::PollFinished => false,
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

    /// Whether its log should be read now.
    pub(super) fn wants_filling(&self) -> bool {
        self.is_behind && !self.is_filling && self.queue.is_empty()
    }

    /// The log is about to be read: what is said from now on is heard.
    pub(super) fn begin_filling(&mut self) -> u64 {
        (self.is_filling, self.is_behind) = (true, false);
        self.filling_from = self.seen;
        self.seen
    }

    /// The log was read: this comes after what was seen when it began.
    pub(super) fn fill(&mut self, page: &LogRead, now: Timestamp) {
        self.is_filling = false;
        if std::mem::take(&mut self.is_stale) {
            return self.read_anew();
        }
        let heard = std::mem::take(&mut self.queue);
        self.seen = self.until.max(self.filling_from);
        let from = self.seen;
        for told in page.events.iter().filter(|told| told.n > from) {
            self.push(told, now);
        }
        self.seen = self.seen.max(page.upto);
        self.revise_filled();
        if !page.is_all {
            self.is_behind = true;
            return;
        }
        let last = self.seen;
        for told in heard.iter().filter(|told| told.n > last) {
            self.push(told, now);
        }
    }

    /// What was revised while the log was read may have been read as it was before.
    fn revise_filled(&mut self) {
        for shown in std::mem::take(&mut self.revised) {
            self.revise(&shown);
        }
    }

    /// When the next attempt is due, if one is.
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
            let (generation, happened) = (self.generation, delivery.began);
            Attempt { bot: self.bot.clone(), delivery, message: None, generation, happened }
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
                Delivery::begun(id, (self.bot.number, self.group), front.delivered(), now)
            }
            (None, None) => return None,
        };
        let told = front.filter(|front| front.n == delivery.n);
        let message = told.map(|front| front.json.clone());
        let happened = told.map_or(delivery.began, |front| front.event.at);
        let (bot, generation) = (self.bot.clone(), self.generation);
        Some(Attempt { bot, delivery, message, generation, happened })
    }

    /// Whether an attempt of this delivery is under way.
    pub(super) fn is_trying(&self, id: DeliveryId) -> bool {
        self.trying == Some(id)
    }

    /// Whether one more may be parked.
    pub(super) fn has_room_to_park(&self) -> bool {
        self.parked.len() < PARKED
    }

    /// How a delivery stands is durable.
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
