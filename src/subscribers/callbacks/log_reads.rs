//! Reads of the dispatcher from disk, on threads that may block: the positions of bots, and the
//! events of a group's log.

use std::sync::Arc;

use crate::callbacks::endpoint::LogRead;
use crate::callbacks::event::{self, CallbackEvent};
use crate::frames::Numbered;
use crate::resume;
use actors::room_context::RoomContext;
use auth::bots;
use base::bounds::turns::Owner;
use domain::bot_event::BotEvent;
use domain::callback::{DeliveredEvent, Delivery};
use domain::event::Event;
use domain::group::Bot;
use domain::ids::{GroupId, MessageId, StreamId, UserId};
use domain::likes::Likers;
use domain::message::{MessageJson, ShownMessage};
use index::archive::Archive;
use index::rows::{BotRow, CallbackProgress};
use index::timeline::TimelinePlace;
use index::{Index, IndexFault};
use wire::instance::Instance;
use wire::message;

/// A bot, how far it was called back, and its open deliveries.
pub(super) type EndpointRecord = (BotRow, CallbackProgress, Vec<Delivery>);

/// Reads every bot that is called back.
pub(super) async fn all_bots(archive: Archive) -> Result<Vec<EndpointRecord>, IndexFault> {
    archive.read_current(Owner::Server, |it| records(&it.index, it.index.bots()?)).await
}

/// Reads the bots of a creator that are called back.
pub(super) async fn bots_of(
    archive: Archive,
    by: UserId,
) -> Result<Vec<EndpointRecord>, IndexFault> {
    archive.read_current(by, move |it| records(&it.index, it.index.bots_of_creator(by)?)).await
}

/// Reads one bot; `None` unless it is called back.
pub(super) async fn bot(
    archive: Archive,
    row: BotRow,
) -> Result<Option<EndpointRecord>, IndexFault> {
    archive.read_current(Owner::BotsOf(row.group), |it| standing(&it.index, row)).await
}

fn records(index: &Index, rows: Vec<BotRow>) -> Result<Vec<EndpointRecord>, IndexFault> {
    rows.into_iter().filter_map(|row| standing(index, row).transpose()).collect()
}

fn standing(index: &Index, row: BotRow) -> Result<Option<EndpointRecord>, IndexFault> {
    if !row.bot.is_called_back() || bots::check_active(index, &row)?.is_err() {
        return Ok(None);
    }
    let number = row.bot.number;
    let stream = StreamId::Group(row.group);
    let mut so_far = index.called_back(number)?;
    let mut open = index.open_deliveries(number)?;
    // Deliveries from before events were numbered name only their message.
    let until = MessageId::new(so_far.until).max(row.bot.after);
    so_far.until_n = so_far.until_n.max(index.number_of(stream, until)?);
    for delivery in open.iter_mut().filter(|it| it.n == 0) {
        delivery.n = index.number_of(stream, delivery.message)?;
    }
    Ok(Some((row, so_far, open)))
}

/// A page of a group's log.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogPage {
    pub(super) group: GroupId,
    /// The `n` of the event after which the page begins.
    pub(super) after: u64,
    pub(super) most: usize,
}

/// Reads the events of a page for which a bot is called back, oldest first.
pub(super) async fn events(
    context: &RoomContext,
    bot: Bot,
    page: LogPage,
) -> Result<LogRead, IndexFault> {
    let instance = Arc::clone(&context.instance);
    let read = move |archive: &Archive| {
        let with_others = BotEvent::ALL.into_iter().any(|it| !it.is_message() && bot.asks_for(it));
        let stream = StreamId::Group(page.group);
        let stretch = archive.stretch(stream, page.after, page.most, with_others)?;
        let mut events = Vec::with_capacity(stretch.places.len());
        for (place, event) in stretch.places.iter().zip(archive.events_at(&stretch.places)?) {
            if event.fact.group().is_some_and(|fact| bot.is_called_for(fact)) {
                let json = payload(archive, page.group, place, &event, &instance)?;
                events.extend(json.map(|json| CallbackEvent { n: place.at.n, event, json }));
            }
        }
        let upto = stretch.places.last().map_or(page.after, |place| place.at.n);
        Ok(LogRead { events, upto, is_all: stretch.is_all })
    };
    context.archive.read_current(Owner::BotsOf(page.group), read).await
}

/// The payload for listeners of an event: a posted message in its current state, another event as
/// it was shown when it happened. Nothing is sent of what is deleted.
fn payload(
    archive: &Archive,
    group: GroupId,
    place: &TimelinePlace,
    event: &Arc<Event>,
    instance: &Instance,
) -> Result<Option<MessageJson>, IndexFault> {
    if let Some(message) = event.fact.message() {
        let message = archive.then(place.stream, Arc::clone(message), u64::MAX)?;
        return Ok(Some(message::json(group, &message, Likers::NOBODY, instance)));
    }
    let state = resume::state_then(archive, place, event)?;
    let cursor = place.at.cursor();
    let n = place.at.n;
    let told = Numbered::live(place.stream, cursor, Some(n), event, &state);
    Ok(event::payload(&told, instance))
}

/// Reads what is sent for one event; `None` if it is not there.
pub(super) async fn event(
    context: &RoomContext,
    group: GroupId,
    delivered: DeliveredEvent,
) -> Result<Option<MessageJson>, IndexFault> {
    if let (BotEvent::Message, Some(id)) = (delivered.event, delivered.message) {
        return Ok(message(context, group, id).await?.map(|shown| shown.json));
    }
    let instance = Arc::clone(&context.instance);
    let read = move |archive: &Archive| {
        let Some(place) = archive.change_at(StreamId::Group(group), delivered.n)? else {
            return Ok(None);
        };
        let events = archive.events_at(std::slice::from_ref(&place))?;
        let Some(event) = events.first() else { return Ok(None) };
        payload(archive, group, &place, event, &instance)
    };
    context.archive.read_current(Owner::BotsOf(group), read).await
}

/// Reads one message.
async fn message(
    context: &RoomContext,
    group: GroupId,
    id: MessageId,
) -> Result<Option<ShownMessage>, IndexFault> {
    let instance = Arc::clone(&context.instance);
    let read = move |archive: &Archive| {
        let found = archive.message(StreamId::Group(group), id)?;
        Ok(found.map(|archived| message::fresh(group, archived.message, &instance)))
    };
    context.archive.read_current(Owner::BotsOf(group), read).await
}
