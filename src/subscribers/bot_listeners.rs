//! The bots that hear on one thread, by their groups.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::domain::event::Fact;
use crate::domain::group::GroupFact;
use crate::domain::ids::{GroupId, StreamId};
use crate::domain::time::Monotonic;
use crate::domain::user::UserFact;
use crate::journal::Cursor;
use crate::subscribers::slot::Slot;
use crate::subscribers::subscriber::SubscribedBot;

/// One reader of a bot.
#[derive(Debug)]
struct BotListener {
    id: u64,
    bot: Arc<SubscribedBot>,
    slot: Arc<Slot>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct BotListeners(HashMap<GroupId, SmallVec<[BotListener; 1]>>);

impl BotListeners {
    /// A reader joins.
    pub(super) fn add(&mut self, id: u64, bot: Arc<SubscribedBot>, slot: Arc<Slot>) {
        let listeners = self.0.entry(bot.group).or_default();
        listeners.retain(|listener| listener.slot.over().is_none());
        listeners.push(BotListener { id, bot, slot });
    }

    /// A reader is over.
    pub(super) fn remove(&mut self, id: u64, group: GroupId) {
        let Some(listeners) = self.0.get_mut(&group) else { return };
        listeners.retain(|listener| listener.id != id);
        if listeners.is_empty() {
            self.0.remove(&group);
        }
    }

    /// The slots of those who may hear of a fact. Whether they do is for each reader to say: it
    /// may be looking up at this moment how its bot stands.
    pub(super) fn hearing(
        &self,
        stream: StreamId,
        fact: &Fact,
    ) -> impl Iterator<Item = &Arc<Slot>> {
        let listeners = match stream {
            StreamId::Group(group) if fact.message().is_some() => self.0.get(&group),
            StreamId::Group(_)
            | StreamId::User(_)
            | StreamId::Chat(_)
            | StreamId::Callbacks
            | StreamId::Audit
            | StreamId::Name(_) => None,
        };
        listeners.into_iter().flatten().map(|listener| &listener.slot)
    }

    /// Lets those read on by themselves whose standing a fact may have changed: they look
    /// it up then, and are closed if they may hear no more. Costs nothing for other facts.
    pub(super) fn reconsider(&self, stream: StreamId, fact: &Fact, at: (Cursor, Monotonic)) {
        match (stream, fact) {
            (StreamId::Group(group), Fact::Group(fact)) if changes_bots(fact) => {
                read_on(self.0.get(&group).into_iter().flatten(), at);
            }
            (StreamId::User(user), Fact::User(fact)) if changes_makers(fact) => {
                let all = self.0.values().flatten();
                read_on(all.filter(|listener| listener.bot.creator == user), at);
            }
            (
                StreamId::Group(_)
                | StreamId::User(_)
                | StreamId::Chat(_)
                | StreamId::Callbacks
                | StreamId::Audit
                | StreamId::Name(_),
                _,
            ) => {}
        }
    }

    /// The slots of all.
    pub(super) fn slots(&self) -> impl Iterator<Item = &Arc<Slot>> {
        self.0.values().flatten().map(|listener| &listener.slot)
    }
}

fn read_on<'a>(listeners: impl Iterator<Item = &'a BotListener>, at: (Cursor, Monotonic)) {
    listeners.for_each(|listener| listener.slot.look_again(at.0, at.1));
}

const fn changes_bots(fact: &GroupFact) -> bool {
    matches!(
        fact,
        GroupFact::BotChanged(_) | GroupFact::BotRemoved(_) | GroupFact::Disbanded { .. }
    )
}

const fn changes_makers(fact: &UserFact) -> bool {
    matches!(fact, UserFact::Disabled | UserFact::Enabled | UserFact::Deleted)
}
