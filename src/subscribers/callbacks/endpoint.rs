//! One bot that is called back: how far it is in its group's log, and what is due.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::domain::callback::{Delivery, DeliveryState};
use crate::domain::group::Bot;
use crate::domain::ids::{DeliveryId, GroupId, MessageId};
use crate::domain::message::{MessageJson, ShownMessage};
use crate::domain::time::Timestamp;
use crate::index::rows::{BotRow, CalledBack};

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
    /// Up to this message all are delivered, parked, given up or none of its business.
    until: MessageId,
    newest: DeliveryId,
    /// The message that holds back the others, once it was tried.
    head: Option<Delivery>,
    parked: BTreeMap<DeliveryId, Delivery>,
    /// Messages after `until`, without a hole.
    queue: VecDeque<ShownMessage>,
    /// The newest message that was put into the queue or passed over.
    seen: MessageId,
    /// What was seen when reading the log began.
    filling_from: MessageId,
    /// What was revised since then.
    revised: Vec<ShownMessage>,
    /// Since when there is something in the queue that is ready.
    ready_at: Timestamp,
    /// Whether the log has messages that are not in the queue.
    pub(super) is_behind: bool,
    /// Whether the log is being read.
    pub(super) is_filling: bool,
    /// The delivery whose attempt is under way, or over and not yet durable.
    trying: Option<DeliveryId>,
    /// Where it stands among those who wait for its host.
    pub(super) waits_at: Option<Timestamp>,
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
}

impl Endpoint {
    /// A bot as it stands on disk: behind, until its log was read.
    pub(super) fn new(
        row: BotRow,
        host: Arc<str>,
        so_far: CalledBack,
        open: Vec<Delivery>,
    ) -> Self {
        let until = MessageId::new(so_far.until).max(row.bot.after);
        let (mut head, mut parked) = (None, BTreeMap::new());
        for delivery in open {
            match delivery.state {
                DeliveryState::Failed if delivery.message > until => head = Some(delivery),
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
            trying: None,
            waits_at: None,
        }
    }

    /// A new message of its group.
    pub(super) fn hear(&mut self, shown: &ShownMessage, now: Timestamp) {
        if self.is_behind || shown.message.id <= self.seen {
            return;
        }
        if self.queue.len() >= QUEUE {
            self.is_behind = true;
            return;
        }
        self.push(shown, now);
    }

    /// A message of its group is another one now.
    pub(super) fn revise(&mut self, shown: &ShownMessage) {
        if self.is_filling {
            self.revised.push(shown.clone());
        }
        let known = self.queue.iter_mut().find(|known| known.message.id == shown.message.id);
        if let Some(known) = known {
            known.clone_from(shown);
        }
    }

    fn push(&mut self, shown: &ShownMessage, now: Timestamp) {
        self.seen = shown.message.id;
        if self.bot.hears(&shown.message) {
            if self.queue.is_empty() {
                self.ready_at = now;
            }
            self.queue.push_back(shown.clone());
        }
    }

    /// Whether its log should be read now.
    pub(super) fn wants_filling(&self) -> bool {
        self.is_behind && !self.is_filling && self.queue.is_empty()
    }

    /// The log is about to be read: what is said from now on is heard.
    pub(super) fn begin_filling(&mut self) -> MessageId {
        (self.is_filling, self.is_behind) = (true, false);
        self.filling_from = self.seen;
        self.seen
    }

    /// The log was read: these come after what was seen when it began. `is_all` unless
    /// there may be more.
    pub(super) fn fill(&mut self, page: &[ShownMessage], is_all: bool, now: Timestamp) {
        self.is_filling = false;
        let heard = std::mem::take(&mut self.queue);
        self.seen = self.until.max(self.filling_from);
        let from = self.seen;
        for shown in page.iter().filter(|shown| shown.message.id > from) {
            self.push(shown, now);
        }
        self.revise_filled();
        if !is_all {
            self.is_behind = true;
            return;
        }
        let last = self.seen;
        for shown in heard.iter().filter(|shown| shown.message.id > last) {
            self.push(shown, now);
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
            let generation = self.generation;
            Attempt { bot: self.bot.clone(), delivery, message: None, generation }
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
                Delivery::begun(id, (self.bot.number, self.group), front.message.id, now)
            }
            (None, None) => return None,
        };
        let message = front.filter(|front| front.message.id == delivery.message);
        let message = message.map(|front| front.json.clone());
        Some(Attempt { bot: self.bot.clone(), delivery, message, generation: self.generation })
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
        self.until = self.until.max(delivery.message);
        self.seen = self.seen.max(self.until);
        while self.queue.front().is_some_and(|front| front.message.id <= self.until) {
            self.queue.pop_front();
        }
        self.ready_at = now;
    }
}
