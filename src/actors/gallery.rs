//! The gallery: many groups at once, as one reader may see them.
//!
//! Groups whose rooms run are asked. The others are read from the index, many on one
//! thread, without starting a room for each: what is durable is all there is of them.
//! What was read is kept for as long as nothing happens in the group.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::actors::ask::Fault;
use crate::actors::directory::Directory;
use crate::actors::gathering::{gathered, heard};
use crate::actors::group::protocol::{GroupView, ViewGroup};
use crate::domain::group::{Group, GroupParts};
use crate::domain::ids::{GroupId, StreamId, UserId};
use crate::index::IndexFault;
use crate::index::archive::Archive;
use crate::index::rows::Tail;

/// Members of the groups that are kept: some 50 MB, most of it JSON.
const KEPT_MEMBERS: u64 = 100_000;
/// How often a group is read again that changes while it is read.
const ATTEMPTS: usize = 3;

/// Shows many groups at once.
#[derive(Debug)]
pub(super) struct Gallery {
    archive: Archive,
    kept: Cache<GroupId, (u64, GroupView), Members>,
}

#[derive(Debug, Clone)]
struct Members;

impl Weighter<GroupId, (u64, GroupView)> for Members {
    fn weight(&self, _: &GroupId, (_, view): &(u64, GroupView)) -> u64 {
        view.group.members.len() as u64 + 1
    }
}

impl Gallery {
    /// Nothing kept yet.
    pub(super) fn over(archive: Archive) -> Self {
        Self { archive, kept: Cache::with_weighter(10_000, KEPT_MEMBERS, Members) }
    }

    /// What the index has of these groups; `None` for those that are gone.
    async fn read(self: &Arc<Self>, ids: Vec<GroupId>) -> Result<Vec<Option<GroupView>>, Fault> {
        let gallery = Arc::clone(self);
        Ok(self.archive.currently_each(ids, move |_, id| gallery.view(id)).await?)
    }

    fn view(&self, id: GroupId) -> Result<Option<GroupView>, IndexFault> {
        let stream = StreamId::Group(id);
        for _ in 0..ATTEMPTS {
            let Some(tail) = self.archive.index.tail(stream)? else { return Ok(None) };
            if let Some((at, view)) = self.kept.get(&id)
                && at == tail.cursor
            {
                return Ok(Some(view));
            }
            let Some(view) = self.assemble(id, tail)? else { return Ok(None) };
            // A commit between two look-ups would show half of itself.
            if self.archive.index.tail(stream)? == Some(tail) {
                self.kept.insert(id, (tail.cursor, view.clone()));
                return Ok(Some(view));
            }
        }
        Err(IndexFault::Store("a group changes faster than it can be read".to_owned()))
    }

    fn assemble(&self, id: GroupId, tail: Tail) -> Result<Option<GroupView>, IndexFault> {
        let index = &self.archive.index;
        let Some(row) = index.group(id)?.filter(|row| !row.disbanded) else { return Ok(None) };
        let last = self.archive.newest(StreamId::Group(id))?;
        let (members, count) = (index.members(id)?, last.as_ref().map_or(0, |last| last.count));
        let parts = GroupParts { members, last: last.clone(), ..row.parts() };
        let group = Arc::new(Group::assembled(id, parts));
        Ok(Some(GroupView { group, count, last, n: tail.n, sketch: Arc::default() }))
    }
}

impl Directory {
    /// Shows groups to a reader, in the order of their ids here; `None` for those that
    /// they are not in. Every change that was answered or heard of before is shown.
    ///
    /// # Errors
    /// On our own trouble.
    pub async fn views(
        &self,
        reader: UserId,
        ids: &[GroupId],
    ) -> Result<Vec<Option<GroupView>>, Fault> {
        let ask = |id| Ok(self.ask_running(id, ViewGroup { reader })?.map(heard));
        let read = async |ids| {
            let mut views = self.gallery().read(ids).await?;
            for view in &mut views {
                view.take_if(|view| view.group.member(reader).is_none());
            }
            Ok(views)
        };
        gathered(ids, ask, read).await
    }
}
