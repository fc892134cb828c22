//! The group cache: groups whose rooms are at rest, read from the index without starting a room for
//! each. What is durable is all there is of them. A group is kept until something happens in it.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::ask::Fault;
use crate::group::protocol::GroupView;
use domain::group::{Group, GroupParts};
use domain::ids::{GroupId, StreamId, UserId};
use index::IndexFault;
use index::archive::Archive;
use index::rows::Tail;

/// Members of all groups in the cache: some 50 MB, most of it JSON.
const KEPT_MEMBERS: u64 = 100_000;
/// How often a group is read if it changes while it is read.
const ATTEMPTS: usize = 3;

/// The cache, and the archive that it reads from.
#[derive(Debug)]
pub(super) struct GroupCache {
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

impl GroupCache {
    /// An empty cache over this archive.
    pub(super) fn over(archive: Archive) -> Self {
        Self { archive, kept: Cache::with_weighter(10_000, KEPT_MEMBERS, Members) }
    }

    /// Returns groups for a user as the index has them; `None` for those that are gone.
    pub(super) async fn read(
        self: &Arc<Self>,
        reader: UserId,
        ids: Vec<GroupId>,
    ) -> Result<Vec<Option<GroupView>>, Fault> {
        let group_cache = Arc::clone(self);
        let view = move |_: &Archive, id| group_cache.view(id);
        Ok(self.archive.read_current_each(reader, ids, view).await?)
    }

    fn view(&self, id: GroupId) -> Result<Option<GroupView>, IndexFault> {
        let stream = StreamId::Group(id);
        for _ in 0..ATTEMPTS {
            let Some(tail) = self.archive.index.tail(stream)? else { return Ok(None) };
            match self.looked_up(id, &tail)? {
                Some((view, true)) => return Ok(Some(view)),
                Some((_, false)) => {}
                None => return Ok(None),
            }
        }
        Err(IndexFault::Store("a group changes faster than it can be read".to_owned()))
    }

    /// Returns a group whose stream ends at `tail`; `None` if the group is gone. If the stream has
    /// grown meanwhile, the result is of no use.
    pub(super) fn look(&self, id: GroupId, tail: &Tail) -> Result<Option<GroupView>, IndexFault> {
        Ok(self.looked_up(id, tail)?.map(|(view, _)| view))
    }

    /// Also returns whether the stream still ended there when everything was read: of a commit
    /// between two look-ups, only one half would be shown.
    fn looked_up(&self, id: GroupId, tail: &Tail) -> Result<Option<(GroupView, bool)>, IndexFault> {
        let known = self.kept.get(&id);
        if let Some((end, view)) = &known
            && *end == tail.cursor
        {
            return Ok(Some((view.clone(), true)));
        }
        let index = &self.archive.index;
        let last = self.archive.newest(StreamId::Group(id))?;
        let count = tail.count;
        let n = tail.n;
        // If only messages were added since, settings and members are as they were.
        let known = known.filter(|(end, _)| tail.shaped <= *end).map(|(_, view)| view);
        let (group, group_json) = match known {
            Some(view) => (view.group, view.group_json),
            None => {
                let row = index.group(id)?.filter(|row| !row.disbanded);
                let Some(row) = row else { return Ok(None) };
                let members = index.members(id)?;
                let parts = GroupParts { members, last: last.clone(), ..row.parts() };
                (Arc::new(Group::assembled(id, parts)), Arc::default())
            }
        };
        let view = GroupView { group, count, last, n, group_json };
        let is_whole = index.tail(StreamId::Group(id))? == Some(*tail);
        if is_whole {
            self.kept.insert(id, (tail.cursor, view.clone()));
        }
        Ok(Some((view, is_whole)))
    }
}
