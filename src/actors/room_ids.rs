//! Ids that no other node gives out.
//!
//! On one machine ids are counted. Several nodes count alike, so each id belongs, by its number, to
//! a shard, and only the node that owns the shard gives it out: a room gives out ids of its own
//! stream's shard. So the fence that lets one node at a time write a shard also keeps ids apart,
//! and a node that takes a shard over has received all ids that were given out there.

use crate::room_context::RoomContext;
use domain::id_generator::IdGenerator;
use domain::ids::{AddId, BotId, GroupId, MembershipId, MessageId, StreamId, TokenId, UserId};
use domain::time::Timestamp;
use journal::replicated::shard::{SHARDS, Shard};

/// How many numbers are tried until one belongs to a shard of this node: enough to find one if the
/// node owns a single shard. If it owns none, the id is one that the room then refuses.
const LOOKED_AT: usize = 64 * 64;

/// Fresh ids for the room of one stream.
pub struct RoomIds<'room> {
    ids: &'room dyn IdGenerator,
    /// The shard of the ids; `None` on a single node, which gives out all numbers.
    shard: Option<Shard>,
}

impl RoomContext {
    /// The source of ids for what the room of this stream decides.
    pub fn ids_for(&self, stream: StreamId) -> RoomIds<'_> {
        let shard = self.archive.journal.is_shared().then(|| Shard::of(stream));
        RoomIds { ids: &*self.id_generator, shard }
    }

    /// Returns a fresh id for an account whose shard this node owns.
    pub fn fresh_user(&self) -> UserId {
        self.fresh(|| self.id_generator.user(), |id| StreamId::User(*id))
    }

    /// Returns a fresh id for a group whose shard this node owns.
    pub fn fresh_group(&self) -> GroupId {
        self.fresh(|| self.id_generator.group(), |id| StreamId::Group(*id))
    }

    /// Returns a fresh id for a token that this node issues, whichever node owns the account.
    pub fn fresh_token(&self) -> TokenId {
        self.fresh(|| self.id_generator.token(), |id| StreamId::User(UserId::new(id.get())))
    }

    fn fresh<T>(&self, next: impl Fn() -> T, stream: impl Fn(&T) -> StreamId) -> T {
        let owns = |id: &T| self.archive.journal.owns(stream(id));
        std::iter::repeat_with(&next).take(LOOKED_AT).find(owns).unwrap_or_else(next)
    }
}

impl RoomIds<'_> {
    fn first<T>(&self, next: impl Fn() -> T, number: impl Fn(&T) -> u64) -> T {
        loop {
            let id = next();
            let shard = number(&id) % u64::from(SHARDS);
            if self.shard.is_none_or(|own| u64::from(own.get()) == shard) {
                return id;
            }
        }
    }
}

impl IdGenerator for RoomIds<'_> {
    fn message(&self, at: Timestamp) -> MessageId {
        self.first(|| self.ids.message(at), |id| id.get())
    }

    fn user(&self) -> UserId {
        // The number of a bot, which is taken from the ids of users: its shard is that of the user
        // stream with this id.
        loop {
            let id = self.ids.user();
            if self.shard.is_none_or(|own| own == Shard::of(StreamId::User(id))) {
                return id;
            }
        }
    }

    fn group(&self) -> GroupId {
        self.ids.group()
    }

    fn membership(&self) -> MembershipId {
        self.first(|| self.ids.membership(), |id| id.get())
    }

    fn token(&self) -> TokenId {
        self.first(|| self.ids.token(), |id| id.get())
    }

    fn add(&self) -> AddId {
        self.ids.add()
    }

    fn bot(&self) -> BotId {
        self.ids.bot()
    }

    fn share_token(&self) -> String {
        self.ids.share_token()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id_generator::CountingIdGenerator;
    use index::rows::HighestIds;

    fn given_out(shard: Option<u16>) -> Vec<u64> {
        let ids = CountingIdGenerator::after(HighestIds::default());
        let room = RoomIds { ids: &ids, shard: shard.and_then(Shard::new) };
        let at = Timestamp::from_seconds(1_700_000_000);
        let messages = std::iter::repeat_with(|| room.message(at).get()).take(20);
        let members = std::iter::repeat_with(|| room.membership().get()).take(20);
        messages.chain(members).chain([room.user().get()]).collect()
    }

    #[test]
    fn two_nodes_that_count_alike_never_give_out_the_same_id() {
        let one = given_out(Some(7));
        let other = given_out(Some(8));
        assert!(one.iter().all(|id| !other.contains(id)), "{one:?} {other:?}");
        assert!(one[..20].is_sorted() && one[20..40].is_sorted());
    }

    #[test]
    fn one_machine_leaves_no_number_out() {
        let ids = given_out(None);
        assert!(ids[..20].windows(2).all(|pair| pair[0] + 1 == pair[1]));
        assert!(ids[20..40].windows(2).all(|pair| pair[0] + 1 == pair[1]));
    }
}
