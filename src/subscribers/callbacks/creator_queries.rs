//! Queries of a bot's creator about its callbacks: the log of deliveries, a request as it was
//! signed, a test, and the messages themselves.

use crate::callbacks::signature::{self, AttemptHeaders, Signed};
use crate::callbacks::{Callbacks, attempt, log_reads};
use base::bounds::turns::Owner;
use domain::bot_event::BotEvent;
use domain::callback::{DeliveredEvent, Delivery, DeliveryState};
use domain::ids::{DeliveryId, StreamId, UserId};
use domain::likes::Likers;
use domain::limits::DELIVERIES_MILLIS;
use domain::message::{Message, ShownMessage};
use domain::time::Timestamp;
use index::archive::Archive;
use index::rows::BotRow;
use index::{Flow, IndexFault, log};
use journal::Cursor;
use wire::delivery::PullFrom;
use wire::message;

/// The result of a test.
#[derive(Debug, Clone)]
pub struct TestResult {
    /// The status that the listener answered; `None` if it did not answer.
    pub status: Option<u16>,
    /// How long the request took, in milliseconds.
    pub latency_millis: u64,
    /// The beginning of the answer, or why there was none.
    pub answer: String,
}

/// Messages that a bot pulled.
#[derive(Debug, Clone)]
pub struct PulledMessages {
    /// The messages, oldest first.
    pub messages: Vec<ShownMessage>,
    /// The cursor from which the bot continues.
    pub c: Cursor,
}

impl Callbacks {
    fn archive(&self) -> Archive {
        self.shared().directory.context().archive.clone()
    }

    /// Returns deliveries of a bot before this one, newest first, in this state if one is given.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every function here.
    pub async fn log(
        &self,
        bot: UserId,
        before: DeliveryId,
        limit: usize,
        state: Option<DeliveryState>,
    ) -> Result<Vec<Delivery>, IndexFault> {
        let now = self.shared().directory.context().clock.now().wall;
        self.archive()
            .read_current(bot, move |archive| {
                let mut found = Vec::new();
                archive.index.deliveries(bot, before, &mut |delivery| {
                    if is_shown(&delivery, now) && state.is_none_or(|it| it == delivery.state) {
                        found.push(delivery);
                    }
                    if found.len() < limit { Flow::Continue } else { Flow::Stop }
                })?;
                Ok(found)
            })
            .await
    }

    /// Returns one delivery of a bot.
    pub async fn logged(
        &self,
        bot: UserId,
        id: DeliveryId,
    ) -> Result<Option<Delivery>, IndexFault> {
        let now = self.shared().directory.context().clock.now().wall;
        let look = move |archive: &Archive| archive.index.delivery(bot, id);
        let found = self.archive().read_current(bot, look).await?;
        Ok(found.filter(|delivery| is_shown(delivery, now)))
    }

    /// Removes what listeners answered to events that have lost words since: an answer may repeat
    /// them.
    pub async fn without_lost_words(
        &self,
        mut deliveries: Vec<Delivery>,
    ) -> Result<Vec<Delivery>, IndexFault> {
        let owner = deliveries.first().map_or(Owner::Server, |it| Owner::BotsOf(it.group));
        let forget = move |archive: &Archive| {
            // Without a status, the answer is this server's own.
            let answered = deliveries.iter_mut().filter(|it| it.status.is_some());
            for delivery in answered.filter(|it| it.answer.is_some()) {
                let stream = StreamId::Group(delivery.group);
                if archive.has_lost_words(stream, delivery.delivered())? {
                    delivery.answer = None;
                }
            }
            Ok(deliveries)
        };
        self.archive().read_current(owner, forget).await
    }

    /// Returns the request for an event as it is signed on an occasion, with the present secrets.
    pub async fn signed_again(
        &self,
        row: &BotRow,
        delivered: DeliveredEvent,
        occasion: &AttemptHeaders,
    ) -> Result<Option<Signed>, IndexFault> {
        let context = self.shared().directory.context();
        let found = log_reads::event(context, row.group, delivered).await?;
        Ok(found.map(|json| signature::request(&row.bot, &json, occasion)))
    }

    /// Returns the messages that a bot receives from its group, from `after` on, oldest first; none
    /// from before the bot was made.
    pub async fn events(
        &self,
        row: &BotRow,
        after: PullFrom,
        limit: usize,
    ) -> Result<PulledMessages, IndexFault> {
        let stream = StreamId::Group(row.group);
        let archive = self.archive();
        let instance = &self.shared().directory.context().instance;
        let owner = Owner::BotsOf(row.group);
        let upto = archive.here();
        let (id, cursor) = match after {
            PullFrom::Message(id) => (id.max(row.bot.after), Cursor::START),
            PullFrom::Cursor(cursor) => (row.bot.after, cursor),
        };
        let mut here = cursor;
        let mut messages = Vec::new();
        loop {
            let stretch = log::LogRange { id, cursor: here, upto, most: limit };
            let page = archive
                .read_current(owner, move |archive| archive.messages(stream, stretch))
                .await?;
            let is_last = page.len() < limit;
            for (cursor, message) in page {
                here = cursor;
                if row.bot.hears(&message) {
                    messages.push(message::fresh(row.group, message, instance));
                }
                if messages.len() >= limit {
                    return Ok(PulledMessages { messages, c: here });
                }
            }
            if is_last {
                return Ok(PulledMessages { messages, c: here.max(upto) });
            }
        }
    }

    /// Sends a test message once. It is in no log.
    pub async fn test(&self, row: &BotRow) -> TestResult {
        let context = self.shared().directory.context();
        let begun = context.clock.now();
        let message = Message::unlogged(context.id_generator.message(begun.wall));
        let occasion = AttemptHeaders {
            webhook_id: format!("test_{}_{}", message.id, row.bot.number),
            attempt: 1,
            out_of_order: false,
            at: begun.wall,
            event: BotEvent::Message,
        };
        let json = message::json(row.group, &message, Likers::NOBODY, &context.instance);
        let signed = signature::request(&row.bot, &json, &occasion);
        let url = row.bot.callback_url.as_ref().map_or("", |url| url.as_str());
        let owner = row.bot.creator.into();
        let answered = self.shared().outgoing.post(owner, url, signed.headers, signed.body).await;
        let latency_millis = context.clock.now().mono.millis_since(begun.mono);
        let (status, answer) = match answered {
            Ok(answer) => (Some(answer.status.as_u16()), attempt::beginning(&answer.body)),
            Err(fault) => (None, fault.to_string()),
        };
        TestResult { status, latency_millis, answer }
    }
}

fn is_shown(delivery: &Delivery, now: Timestamp) -> bool {
    delivery.state.is_open() || now.millis_since(delivery.at) < DELIVERIES_MILLIS
}
