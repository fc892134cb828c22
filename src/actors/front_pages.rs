//! Front pages: the newest messages of many conversations at once, for lists and for the
//! snapshot with which clients start.

use std::sync::Arc;

use crate::actors::ask::Fault;
use crate::actors::chat::protocol::{ChatView, ListDirect, ViewChat};
use crate::actors::directory::Directory;
use crate::actors::gathering::{Heard, gathered, heard};
use crate::actors::group::protocol::ListMessages;
use crate::actors::recent::Logged;
use crate::domain::ids::{GroupId, Pair, StreamId, UserId};
use crate::index::IndexFault;
use crate::index::archive::{Archive, Page};

/// Newest first.
pub type FrontPage = Vec<Arc<Logged>>;

impl Directory {
    /// The newest messages of groups, at most `limit` of each, in the order of the ids
    /// here; `None` for those that the reader is not in. Every message that was answered
    /// or heard of before is shown.
    ///
    /// # Errors
    /// On our own trouble.
    pub async fn front_pages(
        &self,
        reader: UserId,
        ids: &[GroupId],
        limit: usize,
    ) -> Result<Vec<Option<FrontPage>>, Fault> {
        let page = Page::Newest;
        let ask = |id| {
            let asked = self.ask_running(id, ListMessages { reader, page, limit })?;
            Ok(asked.map(async |answer| {
                Ok(match heard(answer).await? {
                    Heard::Answer(page) => Heard::Answer(page.map(|page| page.messages)),
                    Heard::AtRest => Heard::AtRest,
                })
            }))
        };
        let read = async |ids| {
            let read = move |archive: &Archive, id| group_page(archive, id, reader, limit);
            Ok(self.ground().archive.currently_each(ids, read).await?)
        };
        gathered(ids, ask, read).await
    }

    /// Chats with their newest messages, at most `limit` and at least one of each, in the
    /// order of the pairs here; `None` where nothing was said.
    ///
    /// # Errors
    /// On our own trouble.
    pub async fn chats(
        &self,
        pairs: &[Pair],
        limit: usize,
    ) -> Result<Vec<Option<(ChatView, FrontPage)>>, Fault> {
        let page = Page::Newest;
        let ask = |pair| {
            let Some(view) = self.ask_running_chat(pair, ViewChat)? else { return Ok(None) };
            let messages = self.ask_running_chat(pair, ListDirect { page, limit })?;
            Ok(messages.map(async |messages| {
                let (view, messages) = (heard(view).await?, heard(messages).await?);
                Ok(match (view, messages) {
                    (Heard::Answer(view), Heard::Answer(page)) => {
                        Heard::Answer(view.flatten().zip(page.map(|page| page.messages)))
                    }
                    (Heard::AtRest, _) | (_, Heard::AtRest) => Heard::AtRest,
                })
            }))
        };
        let read = async |pairs| {
            let read = move |archive: &Archive, pair| chat_page(archive, pair, limit);
            Ok(self.ground().archive.currently_each(pairs, read).await?)
        };
        gathered(pairs, ask, read).await
    }
}

fn group_page(
    archive: &Archive,
    id: GroupId,
    reader: UserId,
    limit: usize,
) -> Result<Option<FrontPage>, IndexFault> {
    let messages = page(archive, StreamId::Group(id), limit)?;
    // Looked at last: what was said after somebody had left is not theirs.
    let is_in = archive.index.seat(reader, id)?.is_some_and(|seat| seat.is_active());
    Ok(is_in.then_some(messages))
}

fn chat_page(
    archive: &Archive,
    pair: Pair,
    limit: usize,
) -> Result<Option<(ChatView, FrontPage)>, IndexFault> {
    let stream = StreamId::Chat(pair);
    let Some(row) = archive.index.chat(pair)? else { return Ok(None) };
    // Looked at first: a reader applies events after this number, again if need be.
    let n = archive.index.tail(stream)?.unwrap_or_default().n;
    let messages = page(archive, stream, limit.max(1))?;
    let Some(last) = messages.first().map(Arc::clone) else { return Ok(None) };
    let (created_at, count) = (row.created_at, last.message.count);
    Ok(Some((ChatView { created_at, count, last, n }, messages)))
}

fn page(archive: &Archive, stream: StreamId, limit: usize) -> Result<FrontPage, IndexFault> {
    let messages = archive.page(stream, Page::Newest, limit)?;
    Ok(messages.into_iter().map(Logged::archived).collect())
}
