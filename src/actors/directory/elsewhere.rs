//! Effects of other nodes' decisions on rooms: a room whose stream another node has written stands
//! down, and ids that other nodes gave out are not given out here.

use std::sync::{Arc, Weak};

use crate::actors::ask::{Answers, Ask, Posted, Reply};
use crate::actors::directory::kinds::RoomId;
use crate::actors::directory::{Directory, Inner};
use crate::actors::standing_down::StandDown;
use crate::domain::event::Origin;
use crate::domain::ids::StreamId;
use crate::journal::replicated::shard::{Shard, ShardOwner};
use crate::journal::{Committed, Follower};

impl Directory {
    /// The follower of the journal for the directory.
    pub fn follower(&self) -> Box<dyn Follower> {
        Box::new(DirectoryFollower(Arc::downgrade(&self.0)))
    }

    /// Whether a room of this shard that was told to stand down still runs.
    pub fn is_busy(&self, shard: Shard) -> bool {
        self.0.rooms.standing_down.is_any_of(shard)
    }

    fn written_elsewhere(&self, stream: StreamId) {
        match stream {
            StreamId::Group(group) => self.stand_down(group),
            StreamId::User(user) => self.stand_down(user),
            StreamId::Chat(pair) => self.stand_down(pair),
            StreamId::Name(name) => self.stand_down(name),
            StreamId::Audit => self.stand_down(()),
            // No room of the directory decides these events.
            StreamId::Callbacks => {}
        }
    }

    fn stand_down<I: RoomId>(&self, id: I)
    where
        I::Room: Answers<StandDown>,
    {
        let Some((_, room)) = I::running(&self.0.rooms).remove(&id) else { return };
        let (reply, _) = Reply::pair();
        // Refused only by a room that has stopped: this address has sent nothing before, and actix
        // takes one message of each beyond a mailbox's limit.
        if room.try_send(Posted::new(Ask { question: StandDown, reply })).is_ok() {
            self.0.rooms.standing_down.add(id.stream(), Box::new(move || room.connected()));
        }
    }
}

/// The follower on the journal's thread. Holds the directory weakly, since the directory holds the
/// journal.
struct DirectoryFollower(Weak<Inner>);

impl Follower for DirectoryFollower {
    /// Runs before any client receives these commits: one that has received them must find a room
    /// that knows them.
    fn project(&mut self, commits: &[Arc<Committed>]) {
        let mut read = commits.iter().filter(|commit| commit.origin == Origin::Read).peekable();
        if read.peek().is_none() {
            return;
        }
        let Some(directory) = self.0.upgrade().map(Directory) else { return };
        for commit in read {
            let ids = &directory.0.context.id_generator;
            commit.entries.iter().for_each(|it| ids.heard_of(commit.stream, &it.event.fact));
            directory.written_elsewhere(commit.stream);
        }
    }

    /// By now every follower on this node has projected the batch.
    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {
        let Some(inner) = self.0.upgrade().filter(|it| it.router.get().is_some()) else { return };
        inner.shown.raise_to(inner.context.archive.journal.end().get());
    }

    /// Stops the rooms of a shard that another node took.
    fn owner_changed(&mut self, shard: Shard, owner: ShardOwner) {
        let directory = self.0.upgrade().filter(|_| owner == ShardOwner::OtherNode).map(Directory);
        let Some(directory) = directory else { return };
        for stream in directory.0.rooms.streams() {
            if Shard::of(stream) == shard {
                directory.written_elsewhere(stream);
            }
        }
    }
}
