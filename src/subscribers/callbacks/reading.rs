//! What the courier reads from disk, on threads that may wait: where bots stand, the
//! messages of a group's log.

use std::sync::Arc;

use crate::domain::callback::Delivery;
use crate::domain::ids::{GroupId, MessageId, StreamId, UserId};
use crate::domain::message::Message;
use crate::index::archive::{Archive, Page};
use crate::index::rows::{BotRow, CalledBack};
use crate::index::{Index, IndexFault};

/// A bot, how far it was called back, and what is not over.
pub(super) type Standing = (BotRow, CalledBack, Vec<Delivery>);

/// Every bot that is called back.
pub(super) async fn all_bots(archive: Archive) -> Result<Vec<Standing>, IndexFault> {
    archive
        .currently(|archive| {
            let bots = archive.index.bots()?.into_iter().filter(|row| row.bot.is_called_back());
            bots.map(|row| standing(&archive.index, row)).collect()
        })
        .await
}

/// One bot.
pub(super) async fn bot(archive: Archive, row: BotRow) -> Result<Standing, IndexFault> {
    archive.currently(|archive| standing(&archive.index, row)).await
}

fn standing(index: &Index, row: BotRow) -> Result<Standing, IndexFault> {
    let number = row.bot.number;
    Ok((row, index.called_back(number)?, index.open_deliveries(number)?))
}

/// Whose log, from where, and how much of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) bot: UserId,
    pub(super) group: GroupId,
    pub(super) after: MessageId,
    pub(super) most: usize,
}

/// The messages after one, oldest first.
pub(super) async fn messages(
    archive: Archive,
    stretch: Stretch,
) -> Result<Vec<Arc<Message>>, IndexFault> {
    archive
        .currently(move |archive| {
            let stream = StreamId::Group(stretch.group);
            let page = archive.page(stream, Page::After(stretch.after), stretch.most)?;
            Ok(page.into_iter().map(|archived| archived.message).collect())
        })
        .await
}

/// One message.
pub(super) async fn message(
    archive: Archive,
    group: GroupId,
    id: MessageId,
) -> Result<Option<Arc<Message>>, IndexFault> {
    archive
        .currently(move |archive| {
            let found = archive.message(StreamId::Group(group), id)?;
            Ok(found.map(|archived| archived.message))
        })
        .await
}
