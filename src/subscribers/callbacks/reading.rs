//! What the dispatcher reads from disk, on threads that may wait: where bots stand, the
//! messages of a group's log.

use std::sync::Arc;

use crate::actors::room_context::RoomContext;
use crate::auth::bots;
use crate::domain::callback::Delivery;
use crate::domain::ids::{GroupId, MessageId, StreamId, UserId};
use crate::domain::message::ShownMessage;
use crate::index::archive::Archive;
use crate::index::rows::{BotRow, CalledBack};
use crate::index::{Index, IndexFault, log};
use crate::journal::Cursor;
use crate::wire::message;

/// A bot, how far it was called back, and what is not over.
pub(super) type EndpointRecord = (BotRow, CalledBack, Vec<Delivery>);

/// Every bot that is called back.
pub(super) async fn all_bots(archive: Archive) -> Result<Vec<EndpointRecord>, IndexFault> {
    archive.currently(|archive| records(&archive.index, archive.index.bots()?)).await
}

/// The bots of a creator that are called back.
pub(super) async fn bots_of(
    archive: Archive,
    by: UserId,
) -> Result<Vec<EndpointRecord>, IndexFault> {
    archive
        .currently(move |archive| records(&archive.index, archive.index.bots_of_creator(by)?))
        .await
}

/// One bot; none unless it is called back.
pub(super) async fn bot(
    archive: Archive,
    row: BotRow,
) -> Result<Option<EndpointRecord>, IndexFault> {
    archive.currently(|archive| standing(&archive.index, row)).await
}

fn records(index: &Index, rows: Vec<BotRow>) -> Result<Vec<EndpointRecord>, IndexFault> {
    rows.into_iter().filter_map(|row| standing(index, row).transpose()).collect()
}

fn standing(index: &Index, row: BotRow) -> Result<Option<EndpointRecord>, IndexFault> {
    if !row.bot.is_called_back() || bots::standing(index, &row)?.is_err() {
        return Ok(None);
    }
    let number = row.bot.number;
    Ok(Some((row, index.called_back(number)?, index.open_deliveries(number)?)))
}

/// Whose log, from where, and how much of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogPage {
    pub(super) bot: UserId,
    pub(super) group: GroupId,
    pub(super) after: MessageId,
    pub(super) most: usize,
}

/// The messages after one, oldest first.
pub(super) async fn messages(
    context: &RoomContext,
    stretch: LogPage,
) -> Result<Vec<ShownMessage>, IndexFault> {
    let instance = Arc::clone(&context.instance);
    let read = move |archive: &Archive| {
        let (id, cursor, upto) = (stretch.after, Cursor::START, archive.here());
        let after = log::LogRange { id, cursor, upto, most: stretch.most };
        let page = archive.messages(StreamId::Group(stretch.group), after)?;
        let shown = |(_, message)| message::fresh(stretch.group, message, &instance);
        Ok(page.into_iter().map(shown).collect())
    };
    context.archive.currently(read).await
}

/// One message.
pub(super) async fn message(
    context: &RoomContext,
    group: GroupId,
    id: MessageId,
) -> Result<Option<ShownMessage>, IndexFault> {
    let instance = Arc::clone(&context.instance);
    let read = move |archive: &Archive| {
        let found = archive.message(StreamId::Group(group), id)?;
        Ok(found.map(|archived| message::fresh(group, archived.message, &instance)))
    };
    context.archive.currently(read).await
}
