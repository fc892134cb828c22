//! What other nodes decide, as far as rooms have to know: a room whose stream was written
//! elsewhere stands down, and ids that were given out elsewhere are not given out here.

use std::sync::{Arc, Weak};

use crate::actors::ask::{Answers, Ask, Posted, Reply};
use crate::actors::directory::kinds::RoomId;
use crate::actors::directory::{Directory, Inner};
use crate::actors::standing_down::StandDown;
use crate::domain::event::Origin;
use crate::domain::ids::StreamId;
use crate::journal::replicated::shard::{Hands, Shard};
use crate::journal::{Committed, Follower};

impl Directory {
    /// What hears the journal for it.
    pub fn follower(&self) -> Box<dyn Follower> {
        Box::new(DirectoryFollower(Arc::downgrade(&self.0)))
    }

    /// Whether a room of this shard that stood down still has something to do.
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
            // Its room is no conversation's.
            StreamId::Callbacks => {}
        }
    }

    fn stand_down<I: RoomId>(&self, id: I)
    where
        I::Room: Answers<StandDown>,
    {
        let Some((_, room)) = I::running(&self.0.rooms).remove(&id) else { return };
        let (reply, _) = Reply::pair();
        // One that has too much to do is asked no more, and rests when it is through.
        if room.try_send(Posted::new(Ask { question: StandDown, reply })).is_ok() {
            self.0.rooms.standing_down.add(id.stream(), Box::new(move || room.connected()));
        }
    }
}

/// The follower on the journal's thread. It holds nothing: what it is about holds the journal.
struct DirectoryFollower(Weak<Inner>);

impl Follower for DirectoryFollower {
    /// Before anybody hears of it: who has heard asks a room that knows.
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

    /// Everybody who projects the journal knows of it by now.
    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {
        let Some(inner) = self.0.upgrade().filter(|it| it.router.get().is_some()) else { return };
        inner.shown.is_at_least(inner.context.archive.journal.end().get());
    }

    /// Of a shard that another node took, no room goes on here.
    fn moved(&mut self, shard: Shard, hands: Hands) {
        let directory = self.0.upgrade().filter(|_| hands == Hands::Theirs).map(Directory);
        let Some(directory) = directory else { return };
        for stream in directory.0.rooms.streams() {
            if Shard::of(stream) == shard {
                directory.written_elsewhere(stream);
            }
        }
    }
}
